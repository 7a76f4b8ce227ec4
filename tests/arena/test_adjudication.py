import math
from collections.abc import Mapping
from pathlib import Path

import chess
import chess.engine
import pytest

from foible._core import ChessPosition
from foible.arena.adjudication import (
    DrawAgreement,
    Manners,
    Resignation,
    Tablebases,
    has_resigned,
    is_agreed_draw,
    open_tablebases,
    value_by_score,
)
from foible.arena.chess import ChessRules
from foible.arena.config import parse_config
from foible.arena.frameworks import standard
from foible.arena.openings import Opening, OpeningSuite
from foible.arena.play import play
from foible.arena.record import MoveRecord
from foible.errors import ConfigError
from tests.arena.scripted import Line, match
from tests.shared_data import shared

RESIGN = Resignation(value=0.1, moves=3)
DRAW = DrawAgreement(margin=0.05, moves=2, from_move=5)
TABLE_BEGINS = bytes.fromhex("71e8235d")
"""The first four bytes of every Syzygy table for wins, draws and losses."""


@pytest.mark.parametrize(
    ("values", "resigned"),
    [
        ([0.1, 0.9, 0.05, 0.9, 0.0], True),
        ([0.1, 0.0, 0.05, 0.0, 0.0], True),
        ([0.11, 0.9, 0.05, 0.9, 0.0], False),
        ([0.1, 0.9, None, 0.9, 0.0], False),
        ([0.1, None, 0.05, None, 0.0], True),
        ([0.05, 0.9, 0.0], False),
        ([0.0, 0.9, 0.0, 0.9, 0.0, 0.9], False),
        ([], False),
    ],
)
def test_a_side_resigns_after_enough_own_lost_moves(values: list[float | None], resigned: bool) -> None:
    assert has_resigned(values, RESIGN) is resigned


@pytest.mark.parametrize(
    ("values", "drawn"),
    [
        ([0.9] * 6 + [0.5, 0.45, 0.54, 0.5], True),
        ([0.9] * 6 + [0.56, 0.45, 0.55, 0.5], False),
        ([0.9] * 6 + [None, 0.5, 0.5, 0.5], False),
        ([0.9] * 5 + [0.5] * 4, False),
        ([0.5] * 9, False),
        ([0.5] * 10, True),
        ([0.5] * 9 + [0.6], False),
    ],
)
def test_a_draw_needs_level_moves_of_both_sides_late_enough(values: list[float | None], drawn: bool) -> None:
    assert is_agreed_draw(values, DRAW) is drawn


def test_the_defaults_are_the_published_thresholds() -> None:
    """cp = −sign(v)·100·ln(1 − |v|)/ln 1.4 at 600 and 20, v = 2·value − 1 (phase-experts §7.1)."""
    lost, level = 1 - 1.4**-6, 1 - 1.4**-0.2
    assert Resignation().value == pytest.approx((1 - lost) / 2, abs=5e-5)
    assert DrawAgreement().margin == pytest.approx(level / 2, abs=5e-5)


@pytest.mark.parametrize("ply", [20, 40, 60])
def test_stockfish_gives_up_as_early_as_the_documents_say(ply: int) -> None:
    """By python-chess's model of the WDL of Stockfish 15.1 in the middlegame; the engine rounds it to thousandths."""

    def expected(centipawns: int) -> float:
        return chess.engine.Cp(centipawns).wdl(model="sf15.1", ply=ply).expectation()

    assert expected(-125) > Resignation().value > expected(-140), "some 1.3 pawns"
    assert expected(-220) > 0 == expected(-250), "some 2.5 pawns"


def of_engine(*scores: int | str | None) -> list[float | None]:
    """What rules with a score make of moves whose engine expects the opposite by its win, draw and loss."""
    told = [0.0 if isinstance(score, int) and score > 0 else 1.0 for score in scores]
    infos: list[dict[str, int | str]] = [{} if score is None else {"score": score} for score in scores]
    return [value_by_score(MoveRecord("e2e4", value=value, info=info)) for value, info in zip(told, infos, strict=True)]


@pytest.mark.parametrize(
    ("own", "resigned"),
    [
        ((-600, -601, -9999), True),
        ((-600, "#-3", "#-2"), True),
        ((-600, -599, -700), False),
        ((-600, "#3", -700), False),
        ((-600, None, -700), False),
    ],
)
def test_a_side_resigns_by_the_centipawns_of_its_engine(own: tuple[int | str | None, ...], resigned: bool) -> None:
    rule = Resignation(score=600, moves=3)
    assert has_resigned([value for one in of_engine(*own) for value in (0.5, one)], rule) is resigned


def test_a_net_resigns_where_so_many_centipawns_are_worth_no_more_than_it_expects() -> None:
    at = 1 / (1 + math.exp(0.004 * 600))
    for value, resigned in ((at, True), (at + 1e-4, False)):
        told = value_by_score(MoveRecord("e2e4", value=value))
        assert has_resigned([told], Resignation(score=600, moves=1)) is resigned


def test_what_a_player_of_ones_own_calls_its_score_is_no_mate() -> None:
    assert value_by_score(MoveRecord("e2e4", value=0.02, info={"score": "lost"})) == 0.02


def test_draws_are_agreed_by_centipawns() -> None:
    rule = DrawAgreement(score=10, moves=1, from_move=1)
    for scores, drawn in (((10, -10), True), ((0, 11), False), ((0, "#9"), False), ((-11, 0), False)):
        assert is_agreed_draw(of_engine(*scores), rule) is drawn, scores


def test_scores_up_to_the_one_named_are_level_for_both_sides() -> None:
    for score in range(1, 1001):
        rule = DrawAgreement(score=score, moves=1, from_move=1)
        assert is_agreed_draw(of_engine(score, -score), rule), score
        assert not is_agreed_draw(of_engine(0, score + 1), rule), score
        assert not is_agreed_draw(of_engine(0, -score - 1), rule), score


@pytest.mark.parametrize("section", ["resignation", "draw_agreement"])
def test_a_score_is_some_centipawns(section: str) -> None:
    team = 'focal = { kind = "random" }\nalter = { kind = "random" }\n'
    with pytest.raises(ConfigError, match=rf"{section}\.score = 0: expected 1 to 5000"):
        parse_config(f"{team}{section} = {{ score = 0 }}", "match.toml")


MANNERS = Manners(
    resignation=Resignation(value=0.1, moves=2), hope=0.4, draw=DrawAgreement(margin=0.05, moves=2, from_move=2)
)
ENDING, MIDDLE = ChessPosition("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1"), ChessPosition()


def of_one_side(*own: float | None) -> list[float | None]:
    """Values by ply, with the other side's between."""
    return [value for one in own for value in (0.5, one)]


@pytest.mark.parametrize(
    ("own", "resigns"),
    [
        ((0.4, 0.1, 0.0), True),
        ((0.4, 0.0, 0.2, 0.0), False),
        ((0.39, 0.1, 0.0, 0.0, 0.0), False),  # It was given a lost game.
        ((0.4, 0.1, None), False),
        ((None, None, None), False),
    ],
)
def test_a_player_gives_up_a_game_that_it_has_lost_itself(own: list[float | None], resigns: bool) -> None:
    assert MANNERS.resigns(of_one_side(*own)) is resigns


@pytest.mark.parametrize(
    ("own", "offers"),
    [
        ((0.9, 0.9, 0.5, 0.45), True),
        ((0.9, 0.9, 0.5), False),
        ((0.5, 0.5, 0.5), False),  # The first two were too early.
        ((0.9, 0.9, 0.5, 0.5, 0.5), False),
        ((0.9, 0.9, 0.5, 0.5, 0.5, 0.5), True),
        ((0.9, 0.9, 0.5, 0.6), False),
        ((0.9, 0.9, 0.5, None), False),
    ],
)
def test_a_draw_is_offered_in_level_endgames_now_and_then(own: list[float | None], offers: bool) -> None:
    assert MANNERS.offers_draw(of_one_side(*own), ENDING) is offers
    assert not MANNERS.offers_draw(of_one_side(*own), MIDDLE)


@pytest.mark.parametrize(
    ("own", "takes"),
    [
        ((0.3,), True),
        ((0.5,), False),
        ((0.9, 0.55), True),
        ((0.9, 0.56), False),
        ((0.3, None), True),
        ((None, None), False),
        ((), False),
    ],
)
def test_a_draw_is_taken_by_who_is_worse_or_late_in_level_games(own: list[float | None], takes: bool) -> None:
    assert MANNERS.takes_draw(of_one_side(*own)) is takes


class Fake:
    """Knows positions by their first field, and notes what it was asked."""

    def __init__(self, known: Mapping[str, int] | None = None) -> None:
        self.known, self.asked, self.closed = dict(known or {}), list[str](), False

    def get_wdl(self, board: chess.Board, /) -> int | None:
        self.asked.append(board.fen())
        return self.known.get(board.board_fen())

    def close(self) -> None:
        self.closed = True


@pytest.mark.parametrize(
    ("turn", "wdl", "result"),
    [
        ("w", 2, "1-0"),
        ("w", -2, "0-1"),
        ("b", 2, "0-1"),
        ("b", -2, "1-0"),
        ("w", 0, "1/2-1/2"),
        ("w", 1, "1/2-1/2"),
        ("b", -1, "1/2-1/2"),
    ],
)
def test_the_result_is_that_of_the_side_to_move(turn: str, wdl: int, result: str) -> None:
    board = "8/8/8/6k1/8/8/4K3/Q7"
    assert Tablebases(Fake({board: wdl}), 3, "fake").result(ChessPosition(f"{board} {turn} - - 0 1")) == result


@pytest.mark.parametrize(
    "fen",
    [
        "8/8/8/6k1/8/8/4K3/Q7 w - - 1 1",
        "8/8/8/6k1/8/8/4K2P/Q7 w - - 0 1",
        "4k3/8/8/8/8/8/8/4K2R w K - 0 1",
    ],
    ids=["quiet move before", "too many pieces", "castling"],
)
def test_what_the_tables_cannot_say_is_not_asked(fen: str) -> None:
    fake = Fake()
    assert Tablebases(fake, 3, "fake").result(ChessPosition(fen)) is None
    assert fake.asked == []


def test_the_game_ends_with_the_first_position_that_is_known() -> None:
    """A king takes a pawn and has a queen against a king."""
    suite = OpeningSuite((Opening("8/8/8/6k1/8/8/4Kp2/Q7 w - - 0 1"),))
    fake, line = Fake({"8/8/8/5k2/8/8/Q4K2/8": -2}), "a1a2 g5f5 e2f2"
    rules = ChessRules(1, max_plies=20, tablebases=Tablebases(fake, 3, "fake"))
    games = match(Line(line=line), Line(line=line), rules, standard(suite)).play()
    assert [(game.result, game.termination, game.plies) for game in games] == [("1-0", "tablebase", 3)] * 2


def test_a_damaged_table_is_named() -> None:
    class Damaged(Fake):
        def get_wdl(self, board: chess.Board, /) -> int | None:
            raise OSError("invalid magic header: ensure 'KQvK.rtbw' is a valid syzygy tablebase file")

    with pytest.raises(ConfigError, match=r"tablebases: invalid magic header.*KQvK\.rtbw"):
        Tablebases(Damaged(), 3, "fake").result(ChessPosition("8/8/8/6k1/8/8/4K3/Q7 w - - 0 1"))


@pytest.mark.parametrize("content", [b"", TABLE_BEGINS + bytes(64 + 12)], ids=["empty", "zeros"])
def test_a_table_of_which_the_content_is_gone_is_named(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "KQvK.rtbw").write_bytes(content)
    with (
        open_tablebases([str(tmp_path)]) as tables,
        pytest.raises(ConfigError, match=r"^tablebases: KQvK\.rtbw, or a table of fewer pieces, is damaged \("),
    ):
        tables.result(ChessPosition("8/8/8/6k1/8/8/4K3/q7 w - - 0 1"))


def test_a_folder_without_tables_is_refused_before_anything_is_played(tmp_path: Path) -> None:
    text = 'framework = "standard"\ntablebases = "{}"\n[focal]\nkind = "random"\n[alter]\nkind = "random"\n'
    (tmp_path / "empty").mkdir()
    with pytest.raises(ConfigError, match=r"tablebases: .*empty: no table in it"):
        play(parse_config(text.format(tmp_path / "empty"), "my.toml"), tmp_path / "run")
    with pytest.raises(ConfigError, match=r"tablebases: .*none: cannot be read \(No such file"):
        play(parse_config(text.format(tmp_path / "none"), "my.toml"), tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_syzygys_own_tables_know_who_wins() -> None:
    with open_tablebases([str(shared("syzygy"))]) as tables:
        assert tables.result(ChessPosition("8/8/8/6k1/8/8/4K3/Q7 b - - 0 1")) == "1-0"
        assert tables.result(ChessPosition("8/8/8/4k3/4p3/8/8/4K3 w - - 0 1")) in ("1/2-1/2", "0-1")
