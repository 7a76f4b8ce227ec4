"""Gauntlets and round robins: sweeps without visits."""

import json
from pathlib import Path

import pytest

from foible.arena.sweep.config import parse_sweep, place_of, recorded_cell
from foible.arena.sweep.results import standings
from foible.arena.sweep.run import sweep
from foible.errors import ConfigError

MATCH = """
[match]
framework = "standard"
games = 4
max_plies = 10
claim_draws = true
"""
PLAYERS = """
[[grid.players]]
name = "A"
kind = "random"
[[grid.players]]
name = "B"
kind = "random"
[[grid.players]]
name = "C"
kind = "net_policy"
net = "material"
"""
OPPONENT = """
[[grid.opponents]]
name = "D"
kind = "net_search"
net = "material"
nodes = 3
"""


def test_without_opponents_everybody_plays_everybody_once() -> None:
    cells = parse_sweep(MATCH + PLAYERS, "my.toml")
    assert [cell.players for cell in cells] == [("A", "B"), ("A", "C"), ("B", "C")]
    assert [cell.folder for cell in cells] == ["a-against-b", "a-against-c", "b-against-c"]


def test_with_opponents_it_is_a_gauntlet() -> None:
    cells = parse_sweep(MATCH + PLAYERS + OPPONENT, "my.toml")
    assert [cell.players for cell in cells] == [("A", "D"), ("B", "D"), ("C", "D")]
    assert {getattr(cell.config.alter, "nodes", None) for cell in cells} == {3}


def test_a_tournament_ends_with_the_standings_of_all_and_goes_on_where_it_was(tmp_path: Path) -> None:
    cells = parse_sweep(MATCH + PLAYERS, "my.toml")
    results = sweep(cells, tmp_path / "run")
    assert all(result.over for result in results)
    found = standings(results)
    assert found is not None
    assert sorted(found.names) == ["A", "B", "C"]
    for (first, second), chance in found.superior.items():
        assert chance + found.superior[second, first] == pytest.approx(1)
    said = json.loads((tmp_path / "run" / "sweep.json").read_text())
    assert said["standings"] == json.loads(json.dumps(found.to_json()))
    assert not (tmp_path / "run" / "sweep.png").exists()
    assert [len(row) for row in found.rows()] == [7, 7, 7]
    again = sweep(cells, tmp_path / "run")
    assert [result.tally for result in again] == [result.tally for result in results]
    assert recorded_cell(place_of(cells[1], tmp_path / "run")).players == ("A", "C")


def test_two_players_have_no_standings(tmp_path: Path) -> None:
    text = MATCH + PLAYERS.partition('[[grid.players]]\nname = "C"')[0]
    assert standings(sweep(parse_sweep(text, "my.toml"), tmp_path / "run")) is None


def test_a_cell_that_its_test_has_decided_is_over(tmp_path: Path) -> None:
    match = MATCH.replace("games = 4", "games = 100").replace("max_plies = 10", "max_plies = 3")
    cells = parse_sweep(f"{match}[match.sprt]\nelo0 = 0\nelo1 = 200\n{PLAYERS}", "my.toml")
    results = sweep(cells, tmp_path / "run")
    assert all(result.over and result.games < 100 for result in results)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (MATCH + "[grid]\nnodes = [3]\n" + PLAYERS, "grid.nodes: visits are of players under test"),
        (MATCH + PLAYERS.partition('[[grid.players]]\nname = "B"')[0], "there is one"),
        (MATCH + PLAYERS + OPPONENT.replace('"D"', '"A"'), "A stands there 2 times"),
        (MATCH + "seconds = 1\n[grid]\nnodes = [3]\n" + PLAYERS + OPPONENT, "match.seconds: a sweep counts visits"),
    ],
)
def test_grids_that_make_no_sense_are_named(text: str, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        parse_sweep(text, "my.toml")
