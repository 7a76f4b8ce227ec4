"""Where games start (the standard position, a book, odds, random moves from there), how they end, what is recorded."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from foible._core import ChessPosition
from foible.arena.adjudication import Resignation
from foible.arena.openings import STANDARD, Opening
from foible.arena.record import Result
from foible.errors import FoibleError, PositionError
from foible.games.odds import find_odds, giver_of
from foible.loop import wait
from foible.nets.evaluator import Material
from foible.search.params import SearchParams
from foible.search.trees import Trees
from foible.selfplay.config import SelfplayOpeningsConfig
from foible.selfplay.game import Rules, SelfplayGame, make_openings, searched_ply
from foible.selfplay.record import Ply

RULES = Rules(max_plies=8, claim_draws=True, resignation=Resignation(0.05, 2))
SHUFFLE = ["g1f3", "g8f6", "f3g1", "f6g8"]


def game(opening: Opening = STANDARD, *, played_out: bool = False) -> SelfplayGame:
    return SelfplayGame(0, opening, opening.position(), None, played_out, [None] * len(opening.moves))


def play(
    found: SelfplayGame, moves: Sequence[str], values: Sequence[float | None] | None = None, rules: Rules = RULES
) -> tuple[Result, str] | None:
    """The end after all these moves, before which there is none."""
    values = values or [0.5] * len(moves)
    *before, last = [found.play(Ply(move, value=value), rules) for move, value in zip(moves, values, strict=True)]
    assert before == [None] * len(before)
    return last


def test_mate_ends_a_game() -> None:
    assert play(game(), ["f2f3", "e7e5", "g2g4", "d8h4"]) == ("0-1", "checkmate")


def test_a_third_occurrence_is_a_draw_where_draws_are_claimed_and_not_a_ply_before() -> None:
    rules = Rules(max_plies=20, claim_draws=True, resignation=None)
    assert play(game(), [*SHUFFLE, *SHUFFLE], rules=rules) == ("1/2-1/2", "threefold_repetition")
    assert play(game(), [*SHUFFLE, *SHUFFLE], rules=Rules(20, False, None)) is None


def test_fifty_moves_without_progress_are_a_draw() -> None:
    found = game(Opening("8/6k1/8/8/8/8/8/K6R w - - 98 80"))
    assert play(found, ["h1h2", "g7g8"]) == ("1/2-1/2", "fifty_moves")
    assert play(game(Opening("k7/8/1K6/8/8/8/8/7R w - - 99 80")), ["h1h8"]) == ("1-0", "checkmate")


def test_the_openings_plies_count_towards_the_longest_game() -> None:
    found = game(Opening(None, ("e2e4", "e7e5")))
    assert play(found, ["a2a3", "a7a6", "b2b3", "b7b6", "c2c3", "c7c6"]) == ("1/2-1/2", "max_plies")
    assert found.ply == 8


def test_a_side_resigns_by_its_own_values() -> None:
    found = game()
    moves, values = ["e2e4", "e7e5", "a2a3", "a7a6"], [0.9, 0.04, 0.9, 0.05]
    assert play(found, moves, values) == ("1-0", "resignation")
    summary = found.finished("1-0", "resignation", 5).summary
    assert (summary.resign_ply, summary.resign_white, summary.plies) == (4, False, 4)


def test_a_forced_move_or_a_better_value_breaks_the_row() -> None:
    moves = ["e2e4", "e7e5", "a2a3", "a7a6", "b2b3", "b7b6"]
    for between in (None, 0.06):
        assert play(game(), moves, [0.5, 0.01, 0.5, between, 0.5, 0.01]) is None


def test_a_game_that_is_played_out_goes_on_and_says_who_was_ready_first() -> None:
    found = game(played_out=True)
    moves = ["e2e4", "e7e5", "a2a3", "a7a6", "b2b3", "b7b6"]
    assert play(found, moves, [0.01, 0.5, 0.01, 0.01, 0.9, 0.01]) is None
    assert (found.resign_ply, found.resign_white) == (3, True)


def test_moves_are_of_the_side_that_a_position_says() -> None:
    fen = "7k/8/8/8/8/8/8/K6R b - - 0 1"
    found = game(Opening(fen))
    values = [0.01, 0.99, 0.01]
    assert play(found, ["h8g7", "h1h2", "g7f8"], values) == ("1-0", "resignation")
    assert ChessPosition(fen).turn == "second"


@pytest.mark.parametrize("white", [True, False])
def test_win_draw_and_loss_follow_from_q_and_the_worth_of_a_draw(white: bool) -> None:
    position = ChessPosition(moves=["e2e4", "d7d5"] if white else ["e2e4", "d7d5", "e4d5"])
    plain, scored = (SearchParams(draw_score=score) for score in (0.0, 0.5))
    for params in (plain, scored):
        (root,) = wait(Trees([Material()], params).searches([position], 40))
        ply = searched_ply(root, root.moves[0].move, full=True, temperature=0.0, params=params, white=white)
        assert ply.win is not None
        assert ply.draw is not None
        assert ply.loss is not None
        worth = params.draw_score if white else -params.draw_score
        assert ply.win + ply.draw + ply.loss == pytest.approx(1)
        assert ply.win - ply.loss + worth * ply.draw == pytest.approx(root.q)
        assert sum(ply.visits) == ply.nodes - 1 == 39


def test_games_start_as_chess_does() -> None:
    opening = make_openings(SelfplayOpeningsConfig(), 1)(7)
    assert opening.fen is None
    assert opening.moves == ()


def test_random_moves_make_games_differ_and_depend_on_the_seed() -> None:
    config = SelfplayOpeningsConfig(random_plies=6)
    opening_of = make_openings(config, 1)
    moves = [opening_of(game).moves for game in range(40)]
    assert all(len(line) == 6 for line in moves)
    assert len(set(moves)) == 40
    assert moves == [make_openings(config, 1)(game).moves for game in range(40)]
    assert moves != [make_openings(config, 2)(game).moves for game in range(40)]


def test_a_book_is_played_through_before_a_position_comes_back() -> None:
    opening_of = make_openings(SelfplayOpeningsConfig(file="balanced"), 1)
    fens = [opening_of(game).fen for game in range(1000)]
    assert len(set(fens[:500])) == len(set(fens[500:])) == 500
    assert fens[:500] != fens[500:]


def test_a_book_comes_in_its_own_order_where_asked(tmp_path: Path) -> None:
    book = tmp_path / "book.pgn"
    book.write_text('[Opening "one"]\n\n1. e4 *\n\n[Opening "two"]\n\n1. d4 d5 *\n')
    opening_of = make_openings(SelfplayOpeningsConfig(file=str(book), order="sequential", random_plies=1), 0)
    openings = [opening_of(game) for game in range(4)]
    assert [opening.name for opening in openings] == ["one", "two", "one", "two"]
    assert openings[1].moves[:2] == ("d2d4", "d7d5")
    assert [len(opening.moves) for opening in openings] == [2, 3, 2, 3]
    assert openings[0].moves != openings[2].moves


def test_odds_are_given_by_both_sides_in_turn() -> None:
    opening_of = make_openings(SelfplayOpeningsConfig(odds="queen", random_plies=2), 1)
    queen = find_odds("queen")
    givers = [giver_of(opening_of(game).position(), queen) for game in range(6)]
    assert givers == [False, True] * 3


def test_a_book_without_the_odds_is_refused() -> None:
    with pytest.raises(PositionError, match="opening 1"):
        make_openings(SelfplayOpeningsConfig(file="balanced", odds="rook"), 1)


def test_a_book_of_chess960_is_refused(tmp_path: Path) -> None:
    book = tmp_path / "book.pgn"
    fen = "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9"
    book.write_text(f'[Variant "Chess960"]\n[SetUp "1"]\n[FEN "{fen}"]\n\n1. e3 *\n')
    for odds in (None, "knight"):
        with pytest.raises(FoibleError, match="opening 1 is a start of Chess960"):
            make_openings(SelfplayOpeningsConfig(file=str(book), odds=odds), seed=1)
