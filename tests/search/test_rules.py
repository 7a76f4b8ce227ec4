"""What the rules of a search mean, on trees whose values are known."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

from foible._core import Batch, BrainHand, ChessPosition, Coin, Follow, FollowBest, Forest, Puct, RootMove, Seat
from foible.agents.teams import piece_types
from foible.nets.evaluator import Evaluator
from foible.search.params import SearchParams
from tests.reference_search import Rule
from tests.search.synthetic import Fond, Synthetic, chess, examples, grow, params, plant, seats, synthetic


def search(
    position: ChessPosition,
    evaluators: list[Evaluator],
    seats: tuple[Seat, Seat],
    nodes: int,
    *,
    root: Rule | None = None,
    only: str | None = None,
) -> dict[str, RootMove]:
    forest = Forest(SearchParams(), *seats, root=root)
    tree = forest.add(position, nodes, only=[only] if only else None)
    grow(forest, evaluators)  # Those that no seat names are not asked.
    return {move.move: move for move in forest.summary(tree).moves}


STALEMATE_OR_MATE = ChessPosition("2K5/k7/6Q1/8/8/8/8/8 w - - 0 1")
"""After c8c7 and the only reply a7a8 there is one mate, g6a6, and g6b6 stalemates."""

TEAM = Seat(Coin(0.5, Puct(), FollowBest(1)))


def test_a_tag_team_gets_the_mean_of_what_its_members_make_of_a_position() -> None:
    evaluators: list[Evaluator] = [Synthetic(), Fond(("g6b6",))]
    found = search(STALEMATE_OR_MATE, evaluators, (TEAM, TEAM), 3000, root=Puct(), only="c8c7")["c8c7"]
    assert [found.q, found.d] == pytest.approx([0.5, 0.5], abs=0.03)
    assert found.proven is None
    alone = search(STALEMATE_OR_MATE, evaluators[:1], (Seat(), Seat()), 3000, only="c8c7")["c8c7"]
    assert (alone.q, alone.proven) == (1.0, 1)


@pytest.mark.parametrize(("fond", "value"), [("g6b6", 0.0), ("g6a6", 1.0)])
def test_a_brain_gets_what_its_hand_makes_of_a_type(fond: str, value: float) -> None:
    """The queen both mates and stalemates, and the king can do neither."""
    position = STALEMATE_OR_MATE.play("c8c7").play("a7a8")
    team = Seat(BrainHand(1))
    found = search(position, [Synthetic(), Fond((fond,))], (team, team), 3000)
    assert found[fond].q == value
    assert found[fond].votes == sum(move.n for move in found.values() if move.move.startswith("g6"))
    worth = {kind: [m for m in found.values() if m.move.startswith(kind) and m.n] for kind in ("g6", "c7")}
    means = {kind: sum(m.n * m.q for m in moves) / sum(m.n for m in moves) for kind, moves in worth.items()}
    assert means["g6"] == pytest.approx(value, abs=0.05)


@pytest.mark.parametrize(
    ("theirs", "proven"), [(Puct(), -1), (Follow(1), None), (FollowBest(1), None), (BrainHand(1), None)], ids=str
)
def test_what_a_model_may_miss_is_not_proven(theirs: Rule, proven: int | None) -> None:
    """Where White leaves the back rank, Black can mate; whether Black does is up to Black's model."""
    position = ChessPosition("1r4k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1")
    evaluators: list[Evaluator] = [Synthetic(), Fond(("h7h6",))]
    blunder = search(position, evaluators, (Seat(), Seat(theirs)), 1000, only="a1a3")["a1a3"]
    assert blunder.proven == proven
    assert (blunder.q == -1.0) == (proven == -1)


@pytest.mark.parametrize("theirs", [Puct(), Follow(1), FollowBest(1), BrainHand(1), TEAM.rule], ids=str)
def test_what_every_reply_brings_is_proven_whoever_replies(theirs: Rule) -> None:
    found = search(STALEMATE_OR_MATE, [Synthetic(), Synthetic(1)], (Seat(), Seat(theirs)), 1000, only="c8c7")["c8c7"]
    assert (found.q, found.proven) == (1.0, 1)


def test_the_best_of_a_model_gets_every_visit_and_every_vote() -> None:
    position = ChessPosition()
    found = search(position, [Synthetic(), Fond(("a2a3",))], (Seat(FollowBest(1)), Seat()), 200)
    assert {move: (m.n, m.votes) for move, m in found.items() if m.n} == {"a2a3": (199, 199)}


def test_visits_that_a_model_forced_do_not_choose_the_move() -> None:
    seat = Seat(Coin(0.6, FollowBest(1), Puct()))
    position = ChessPosition("3q2k1/5p1p/6p1/8/8/r7/1P3PPP/3QR1K1 w - - 0 1")
    forest, tree = plant(SearchParams(), (seat, Seat()), position, 400)
    grow(forest, [Synthetic(2), Fond(("d1h5",))])
    summary = forest.summary(tree)
    found = {move.move: move for move in summary.moves}
    assert found["d1h5"].n > summary.n / 2
    assert found["d1h5"].votes < found["d1h5"].n / 2
    assert sum(move.votes for move in summary.moves) == pytest.approx(0.4 * summary.n, rel=0.2)
    assert forest.choose(tree) == summary.moves[0].move != "d1h5"
    chosen = {forest.choose(tree, temperature=0.3, seed=seed) for seed in range(50)}
    assert summary.moves[0].move in chosen


@examples(40)
@given(chess, params, seats(2), st.lists(synthetic, min_size=2, max_size=2), st.integers(1, 400))
def test_a_brain_names_types_and_its_hand_shares_their_visits_out(
    position: ChessPosition, params: SearchParams, seat: Seat, evaluators: list[Evaluator], nodes: int
) -> None:
    forest, tree = plant(params, (seat, seat), position, nodes, root=BrainHand(1))
    grow(forest, evaluators)
    found = forest.summary(tree).moves
    types = piece_types(position.fen, position.legal_moves)
    logits = dict(zip(position.legal_moves, evaluators[1].evaluate(Batch([position])).logits, strict=True))
    voted = [types[move.move] for move in found if move.votes]
    assert len(set(voted)) == len(voted)
    for kind in set(types.values()):
        moves = [move for move in found if types[move.move] == kind]
        visits = sum(move.n for move in moves)
        favourite = max(float(logits[move.move]) for move in moves)
        if max(logits.values()) - favourite > 80:
            continue  # In 32 bits the hand gives this type nothing: then all its moves count alike.
        weights = {move.move: np.exp(float(logits[move.move]) - favourite) for move in moves}
        for move in moves:
            share = weights[move.move] / sum(weights.values())
            assert move.n <= share * visits + 1 + 1e-3
            if move.votes:
                assert move.votes == visits
                assert logits[move.move] == favourite


@examples(30)
@given(chess, params, seats(2), st.lists(synthetic, min_size=2, max_size=2))
def test_a_rule_of_the_roots_own_that_is_ours_changes_nothing(
    position: ChessPosition, params: SearchParams, seat: Seat, evaluators: list[Evaluator]
) -> None:
    results = []
    for root in (None, seat.rule):
        forest, tree = plant(params, (seat, Seat(seat.rule)), position, 200, root=root)
        grow(forest, evaluators)
        results.append([(m.move, m.n, m.votes, m.q) for m in forest.summary(tree).moves])
    assert results[0] == results[1]


def test_castling_is_the_kings_and_promotion_the_pawns() -> None:
    for fen, move, others in [
        ("4k3/8/8/8/8/8/8/4K2R w K - 0 1", "e1g1", "e1"),
        ("8/P1k5/8/8/8/8/2K4p/8 w - - 0 1", "a7a8n", "a7"),
        ("4k3/8/8/8/3pP3/8/8/4K3 b - e3 0 1", "d4e3", "d4"),
    ]:
        found = search(ChessPosition(fen), [Synthetic(), Fond((move,))], (Seat(BrainHand(1)), Seat()), 300)
        assert found[move].votes == sum(m.n for m in found.values() if m.move.startswith(others)) > 0
