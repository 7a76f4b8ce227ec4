"""Who lost how much."""

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from msgspec import structs

from foible._core import Batch, ChessPosition
from foible.arena.losses import judged_scores, reported_scores, role_losses
from foible.arena.openings import Opening
from foible.arena.record import GameRecord, MoveRecord
from foible.nets.evaluator import Evaluation
from tests.arena.scripted import random_match


class CountingJudge:
    """Judges by the pawns of the side to move, and counts what it is asked."""

    name = "counting"
    batch_size = 7

    def __init__(self) -> None:
        self.batches: list[int] = []

    def evaluate(self, batch: Batch) -> Evaluation:
        self.batches.append(len(batch))
        wdl = np.zeros((len(batch), 3), np.float32)
        wdl[:, 0] = batch.planes()[:, 0].sum((1, 2)) / 8
        wdl[:, 2] = 1 - wdl[:, 0]
        return Evaluation(np.zeros(batch.move_count, np.float32), wdl)


def record(values: list[float | None], **changes: Any) -> GameRecord:
    """The fool's mate, with values per ply."""
    line = ("f2f3", "e7e5", "g2g4", "d8h4")
    roles = ("senior", "hand", "junior", "hand")
    moves = tuple(MoveRecord(m, who, v) for m, who, v in zip(line, roles, values, strict=True))
    base = GameRecord(
        pair=0,
        game_in_pair=2,
        framework="tag_team",
        white="focal",
        black="alter",
        focal_white=True,
        opening=Opening(),
        moves=moves,
        result="0-1",
        termination="checkmate",
        seed=0,
    )
    return replace(base, **changes)


def test_reported_scores_are_whites_and_end_exactly() -> None:
    game = record([0.5, 0.6, 0.1, 0.9])
    assert reported_scores(game) == pytest.approx([None, 0.5, 0.4, 0.1, 0.0])
    assert reported_scores(record([0.5, None, 0.1, 0.9], termination="resignation")) == pytest.approx(
        [None, 0.5, None, 0.1, 1 - 0.9]
    )


def test_losses_are_clipped_drops_of_the_mover_by_team_and_role() -> None:
    losses = role_losses([record([0.5, 0.6, 0.1, 0.9])])
    assert [(r.team, r.role, r.moves, r.judged) for r in losses] == [
        ("focal", "junior", 1, 1),
        ("focal", "senior", 1, 0),
        ("alter", "hand", 2, 2),
    ]
    junior, senior, hand = losses
    assert junior.mean == pytest.approx(30)
    assert junior.raw_mean == pytest.approx(30)
    assert junior.standard_error is None
    assert senior.mean is senior.raw_mean is None
    assert hand.mean == 0
    assert hand.raw_mean == pytest.approx(-10)
    assert hand.standard_error is None, "a single pair of games tells no error"


def test_moves_of_one_pair_of_games_are_no_independent_evidence() -> None:
    """In one pair every move of the hand loses 20, in the other none."""
    games = [record([0.5, 0.6, 0.1, 0.9], pair=0), record([0.5, 0.3, 0.5, 0.3], pair=1, termination="resignation")]
    hand = next(role for role in role_losses([games[0], games[1]]) if role.role == "hand")
    drops = [0.0, 0.0, 100 * (0.5 - 0.3), 100 * (0.5 - 0.3)]
    mean = sum(drops) / 4
    assert hand.mean == pytest.approx(mean)
    assert hand.standard_error == pytest.approx(math.sqrt(2 * (2 * (2 * mean) ** 2)) / 4)


def test_a_judge_sees_every_position_that_the_rules_left_open() -> None:
    games, judge = random_match(pairs=2), CountingJudge()
    scores = judged_scores(games, judge)
    open_positions = sum(game.plies + (game.termination == "max_plies") for game in games)
    assert sum(judge.batches) == open_positions
    assert set(judge.batches[:-1]) == {7}
    for game, expected in zip(games, scores, strict=True):
        position = ChessPosition(game.opening.fen, game.moves_uci)
        if game.termination == "max_plies":
            board = position.fen.split()[0]
            own = board.count("P") / 8 if position.turn == "first" else 1 - board.count("p") / 8
            assert expected[-1] == pytest.approx(own)
        else:
            assert expected[-1] == game.white_score
        assert expected[0] == pytest.approx(1)


def test_a_judge_replaces_what_the_players_said() -> None:
    losses = role_losses([record([0.5, 0.6, 0.1, 0.9])], CountingJudge())
    assert sum(role.judged for role in losses) == 4
    by_role = {role.role: role for role in losses}
    assert by_role["senior"].raw_mean == pytest.approx(100), "eight pawns are 1 for both sides to move"
    assert by_role["hand"].raw_mean == pytest.approx((100 + 0) / 2), "the last move mates"


@pytest.mark.parametrize("judge", [None, CountingJudge()])
def test_swapping_colours_of_a_record_leaves_losses_unchanged(judge: CountingJudge | None) -> None:
    """The same game with colours and board flipped (skill-compatible §9.3)."""

    def flip(move: str) -> str:
        return "".join("87654321"[int(c) - 1] if c.isdigit() else c for c in move)

    start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR b KQkq - 0 1"
    game = record([0.5, 0.6, 0.1, 0.9])
    mirrored = replace(
        game,
        white=game.black,
        black=game.white,
        focal_white=False,
        opening=Opening(start),
        moves=tuple(structs.replace(move, move=flip(move.move)) for move in game.moves),
        result="1-0",
    )
    for here, there in zip(role_losses([game], judge), role_losses([mirrored], judge), strict=True):
        assert (here.team, here.role, here.moves, here.judged) == (
            there.team,
            there.role,
            there.moves,
            there.judged,
        )
        assert here.mean == pytest.approx(there.mean)
        assert here.raw_mean == pytest.approx(there.raw_mean)
