"""Players from their configuration: what each key changes, of two that use the same net."""

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from foible._core import GoPosition
from foible.agents.base import Decision, Turn
from foible.arena.go.config import GoMatchConfig
from foible.arena.go.open_match import Players
from foible.arena.go.play import play_matches
from foible.nets.shelf import NetShelf
from tests.playing import choose

USUAL = {"kind": "net", "net": "material", "visits": 60, "lambda": 1.0}


def config(**keys: Any) -> GoMatchConfig:
    players = {"usual": USUAL, "other": {**USUAL, **keys}}
    match = {"players": players, "focal": ["usual"], "opponents": ["other"], "size": 3, "komi": 0.5, "games": 4}
    return msgspec.convert({**match, "openings": {"plies": 1}}, GoMatchConfig)


def decisions(moves: list[str], **keys: Any) -> list[Decision]:
    """Of both players at the same position."""
    turn = Turn(GoPosition(3, moves, komi=0.5), 0, len(moves), seed=1)
    found = []
    players = Players(config(**keys), NetShelf())
    for name in ("usual", "other"):
        with players.build(name) as player:
            found += choose(player, [turn])
    return found


@pytest.mark.parametrize(
    "keys",
    [{"cpuct": 2.0}, {"first_play": "agz"}, {"fpu_reduction": 1.0}, {"interval": "root"}, {"terminal_beta": 0.1}],
    ids=lambda keys: next(iter(keys)),
)
def test_each_constant_of_the_search_is_that_of_its_player(keys: dict[str, Any]) -> None:
    usual, other = decisions([], **keys)
    assert usual.policy != other.policy
    usual, same = decisions([])
    assert usual.policy == same.policy


@pytest.mark.parametrize(("dumb", "move_is_pass"), [(False, True), (True, False)])
def test_a_pass_is_answered_for_the_score_only_where_the_player_has_an_eye_on_it(
    dumb: bool, move_is_pass: bool
) -> None:
    _, other = decisions(["B2", "pass"], **{"dumb_pass": dumb, "lambda": 0.0})
    assert (other.move == "pass") == move_is_pass


def test_players_who_fix_the_interval_at_parent_and_root_meet_in_one_match(tmp_path: Path) -> None:
    (cell,) = play_matches(config(interval="root", dumb_pass=True), tmp_path)
    assert len(cell.games) == 4
    recorded = (tmp_path / "config.toml").read_text()
    assert recorded.count('interval = "root"') == recorded.count('interval = "parent"') == 1
    assert json.loads((tmp_path / "report.json").read_text())["standings"] is None
