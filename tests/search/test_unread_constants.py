"""Constants that a search would ignore are refused."""

from collections.abc import Iterator
from typing import Any

import pytest

from foible import Bonus, ChessPosition, Forest, Seat
from foible.agents.player_builder import search_settings
from foible.errors import ConfigError
from foible.loop import wait
from foible.nets.evaluator import Material
from foible.search import SearchParams, Trees, go_params, go_seats
from foible.search.params import PRESETS, SearchSettings
from foible.search.unread_constants import NEEDS
from tests.search.synthetic import Synthetic

IGNORED: list[tuple[dict[str, Any], str, dict[str, Any]]] = [
    ({"cpuct_base": 100.0, "cpuct_factor": 0.0}, "cpuct_factor above 0", {"root_cpuct_factor": 1.0}),
    ({"root_cpuct_base": 100.0, "root_cpuct_factor": 0.0}, "root_cpuct_factor above 0", {"root_cpuct_factor": None}),
    ({"moves_left_threshold": 0.5, "moves_left_max_effect": 0.0}, "moves_left_max_effect above 0", {}),
    ({"moves_left_slope": 0.5, "moves_left_max_effect": 0.0}, "moves_left_max_effect above 0", {}),
    ({"moves_left_constant": 0.5, "moves_left_max_effect": 0.0}, "moves_left_max_effect above 0", {}),
    ({"moves_left_scaled": 0.5, "moves_left_max_effect": 0.0}, "moves_left_max_effect above 0", {}),
    ({"moves_left_quadratic": 0.5, "moves_left_max_effect": 0.0}, "moves_left_max_effect above 0", {}),
    ({"contempt_temperature": 2.0}, "contempt_visits", {"contempt_visits": 3}),
    ({"contempt_draw": "quota"}, "contempt_visits", {"contempt_visits": 3}),
    ({"contempt_freeze_at": "paper"}, "contempt_visits", {"contempt_visits": 3}),
    ({"noise_alpha": 9.0}, "noise_epsilon above 0", {"noise_epsilon": 0.1}),
    ({"temperature_decay_moves": 5}, "temperature above 0", {"temperature": 1.0}),
    (
        {"temperature_decay_delay": 5, "temperature": 1.0},
        "temperature and temperature_decay_moves above 0",
        {"temperature_decay_moves": 5},
    ),
    ({"temperature_cutoff_move": 5}, "temperature or temperature_endgame above 0", {"temperature_endgame": 1.0}),
    ({"temperature_endgame": 0.5, "temperature": 1.0}, "temperature_cutoff_move, or", {"temperature_decay_moves": 5}),
    ({"temperature_value_cutoff": 0.5}, "temperature above 0", {"temperature": 1.0}),
    ({"temperature_visit_offset": 0.5}, "temperature above 0", {"temperature": 1.0}),
]
START = ChessPosition().fen
GO_ALONE: list[dict[str, Any]] = [{"interval": "root"}, {"terminal_beta": 3.0}]


@pytest.mark.parametrize(("ignored", "need", "on"), IGNORED, ids=[next(iter(row[0])) for row in IGNORED])
def test_a_constant_that_is_switched_off_is_refused_and_says_what_it_needs(
    ignored: dict[str, Any], need: str, on: dict[str, Any]
) -> None:
    name, value = next(iter(ignored.items()))
    message = f"{name} = {value!r} would have no effect: it needs {need}.*; without that, leave {name} out"
    with pytest.raises(ConfigError, match=message):
        search_settings("lc0", ignored)
    others = {key: other for key, other in ignored.items() if key not in (name, "moves_left_max_effect")}
    search_settings("lc0", {name: value} | others | on)


@pytest.mark.parametrize(("ignored", "on"), [(row, on) for row, _, on in IGNORED], ids=str)
def test_a_constant_that_is_accepted_is_read(ignored: dict[str, Any], on: dict[str, Any]) -> None:
    name, value = next(iter(ignored.items()))
    others = {key: other for key, other in ignored.items() if key not in (name, "moves_left_max_effect")} | on
    both = zip(trees_and_moves(others), trees_and_moves({name: value} | others), strict=True)
    assert any(without != with_it for without, with_it in both)


def trees_and_moves(constants: dict[str, Any]) -> Iterator[list[Any]]:
    """What searches find at ever later moves of a game: the visits of the root's moves, and moves that are chosen."""
    settings = SearchSettings(params=PRESETS["lc0"]).with_values(constants)
    for number, scale, decided in ((1, 0.3, 0.3), (4, 0.3, 0.6), (8, 2.0, 0.6)):
        trees = Trees([Synthetic(3, scale=scale, decided=decided, moves_left=True)], settings.params)
        tree = trees.plant(ChessPosition(START.replace(" 1", f" {number}")))
        wait(tree.grow(400))
        yield [(move.move, move.n) for move in tree.summary().moves]
        yield [tree.choose(settings.choice, seed) for seed in range(40)]


def test_every_constant_of_the_table_is_tried() -> None:
    assert {next(iter(ignored)) for ignored, _, _ in IGNORED} | {"interval", "terminal_beta", "two_fold_draws"} == {
        *NEEDS
    }


@pytest.mark.parametrize(
    "ignored", [*GO_ALONE, *(row for row, _, _ in IGNORED if not next(iter(row)).startswith("temperature"))], ids=str
)
def test_a_forest_refuses_what_it_would_ignore(ignored: dict[str, Any]) -> None:
    name, params = next(iter(ignored)), SearchParams(**ignored)
    with pytest.raises(ConfigError, match=f"{name} = .* would have no effect"):
        Forest(params, Seat(), Seat())
    with pytest.raises(ConfigError, match=f"{name} = .* would have no effect"):
        Trees([Material()], params)
    Forest(params.without_unread(), Seat(), Seat())


@pytest.mark.parametrize("constants", GO_ALONE, ids=str)
def test_what_weighs_margins_needs_a_seat_that_does(constants: dict[str, Any]) -> None:
    with pytest.raises(ConfigError, match="needs a search of Go with margins"):
        search_settings("lc0", constants)
    Forest(SearchParams(**constants), Seat(bonus=Bonus(0.5)), Seat(), game="go")
    with pytest.raises(ConfigError, match="needs a search of Go with margins"):
        Forest(SearchParams(**constants), Seat(), Seat(), game="go")


def test_repetitions_inside_the_tree_are_chess() -> None:
    with pytest.raises(ConfigError, match="two_fold_draws = False would have no effect: it needs a game of chess"):
        Forest(SearchParams(two_fold_draws=False), Seat(), Seat(), game="go")
    Forest(SearchParams(two_fold_draws=False), Seat(), Seat())


@pytest.mark.parametrize("preset", PRESETS)
def test_what_a_preset_says_is_never_refused(preset: str) -> None:
    search_settings(preset, {"moves_left_max_effect": 0.0})
    SearchSettings(params=PRESETS[preset]).refuse_unread()


@pytest.mark.parametrize("bonus", [None, Bonus(0.5)], ids=str)
@pytest.mark.parametrize("noise", [0.0, 0.25])
def test_a_search_of_go_takes_its_own_constants(bonus: Bonus | None, noise: float) -> None:
    Forest(go_params(noise_epsilon=noise, size=7), *go_seats(bonus), game="go")
