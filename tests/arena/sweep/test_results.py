"""The tables of a sweep."""

from dataclasses import replace

from foible.arena.elo import estimate_elo
from foible.arena.report import report_on
from foible.arena.stats import Tally
from foible.arena.sweep.config import parse_sweep
from foible.arena.sweep.results import Result, to_csv, to_json
from tests.arena.scripted import random_match

TEXT = """
[match]
framework = "standard"
[grid]
nodes = [2]
players = [{ kind = "net_search", net = "material" }]
opponents = [{ kind = "random" }]
"""


def test_tables_of_many_cells_estimate_each_elo_once() -> None:
    (cell,), report = parse_sweep(TEXT, "s.toml"), report_on(random_match(pairs=1))
    results = [Result(cell, replace(report, games=Tally.of_games(wins, 3, 5))) for wins in range(150)]
    to_json(results)
    estimated = estimate_elo.cache_info().misses
    to_csv(results)
    to_json(results)
    assert estimate_elo.cache_info().misses == estimated
