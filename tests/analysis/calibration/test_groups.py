import pytest

from foible._core import ChessPosition
from foible.analysis.calibration.groups import groups, label, phase
from foible.games.phases import PHASES


@pytest.mark.parametrize(
    ("fen", "expected"),
    [
        ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", "opening"),
        ("r2q1rk1/8/8/8/8/8/8/R2Q1RK1 w - - 0 1", "endgame"),
        ("r2q1rk1/6b1/8/8/8/8/8/R2Q1RK1 w - - 0 1", "middlegame"),
        ("rnbqkb1r/8/8/8/8/8/8/RNBQKB1R w - - 0 1", "opening"),
        ("1n1qk3/rbn1rb2/8/8/8/8/8/RNBQKB1R w - - 0 1", "middlegame"),
        ("1n1qkr2/rbn2b2/8/8/8/8/8/RNBQKB1R w - - 0 1", "opening"),
    ],
)
def test_phases_are_told_by_officers_and_back_ranks(fen: str, expected: str) -> None:
    assert PHASES[phase(ChessPosition(fen))] == expected


def test_groups_have_readable_names() -> None:
    found = groups(ChessPosition(), 25, 1500)
    assert {name: label(name, group) for name, group in found.items()} == {
        "phase": "opening",
        "ply": "20–29",
        "rating": "1500–1599",
    }
    assert label("ply", groups(ChessPosition(), 333, None)["ply"]) == "80+"
    assert "rating" not in groups(ChessPosition(), 0, None)
