"""Where all players of a run stand."""

from foible.arena.go.standings import standings
from tests.arena.go.records import cell

CELLS = [cell("x", "p", [1, 1, 1, -1]), cell("p", "q", [1, 1, -1, -1, 1, -1]), cell("x", "q", [])]


def test_standings_need_three_players() -> None:
    assert standings(CELLS[:1]) is None
    found = standings(CELLS)
    assert found is not None
    assert found.ratings is not None
    assert [name for name, _ in found.rows()] == ["x", "p", "q"]
    assert found.to_json()["elo"]["x"]["value"] > 0


def test_standings_tell_of_cycles_and_of_players_who_never_met() -> None:
    won = [1.0] * 40
    circle = standings([cell("a", "b", won), cell("b", "c", won), cell("c", "a", won)])
    assert circle is not None
    assert list(circle.lines()) == [
        "cycles: 1 of 1 triples with clear results (z ≥ 1.96), 100.0 %",
        "a 100 % → b 100 % → c 100 % → a",
    ]
    assert list(circle.lines(most=0))[1:] == ["and 1 more"]
    apart = standings([cell("a", "b", won), cell("c", "d", won)])
    assert apart is not None
    assert apart.ratings is None
    assert not list(apart.rows())
    assert list(apart.lines()) == ["no three players all met each other"]
    assert apart.to_json()["elo"] is None
