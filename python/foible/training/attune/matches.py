"""The three matches of an attuned net: the games that it learns from, its test, and what tuning costs.

Seniors play the most visited move. A junior of a tag team samples while data is made and plays its most probable move
in tests, where the coins alone give variety; a hand always samples (skill-compatible §1.4).
"""

from typing import Any

from foible.arena.bits import DEFAULT_COUNT
from foible.arena.config import MatchConfig, convert_config
from foible.arena.openings import BALANCED
from foible.training.attune.config import AttuneConfig

SENIOR, JUNIOR, ATT = "SENIOR", "JUNIOR", "ATT"

Table = dict[str, Any]


def data_match(config: AttuneConfig) -> MatchConfig:
    """The senior's team against itself, <SENIOR/JUNIOR | SENIOR/JUNIOR> (§4.1).

    Coins and hands draw from other seeds than in tests: no game of a test begins like one that was learned.
    """
    senior = _searcher(config, SENIOR, config.senior)
    teams = {name: _team(config, senior, f"{SENIOR}'s {name} team", sample=True) for name in ("focal", "alter")}
    seed = config.seed + 1
    return _match(config, config.games, teams, seed=seed, coins={"seed": seed, "count": _coins(config.pairs)})


def framework_match(config: AttuneConfig, attuned: str) -> MatchConfig:
    """<ATT/JUNIOR | SENIOR/JUNIOR>, or hand and brain; the coins are those of all tests of foible (§1.2)."""
    teams = {
        "focal": _team(config, _searcher(config, ATT, attuned), f"{ATT}'s team", sample=False),
        "alter": _team(config, _searcher(config, SENIOR, config.senior), f"{SENIOR}'s team", sample=False),
    }
    return _match(config, config.test_games, teams, coins={"count": _coins(-(-config.test_games // 2))})


def alone_match(config: AttuneConfig, attuned: str) -> MatchConfig:
    """ATT against the senior, without partners, from balanced openings (§1.3)."""
    teams = {"focal": _searcher(config, ATT, attuned), "alter": _searcher(config, SENIOR, config.senior)}
    return _match(config, config.alone_games, teams, framework="standard", openings={"file": BALANCED})


def _match(config: AttuneConfig, games: int, teams: Table, **changes: Any) -> MatchConfig:
    table: Table = {
        "framework": "tag_team" if config.framework == "stt" else "hand_brain",
        "games": games,
        "seed": config.seed,
        "runtime": config.runtime,
        "precision": config.precision,
        **teams,
        **changes,
    }
    if config.threads:
        table["threads"] = config.threads
    return convert_config(table, "attune")


def _team(config: AttuneConfig, senior: Table, name: str, *, sample: bool) -> Table:
    player = {"kind": "net_policy", "name": JUNIOR, "net": config.junior}
    if config.framework == "stt":
        junior = {**player, "temperature": float(sample)}
        return {"kind": "tag_team", "name": name, "senior": senior, "junior": junior}
    return {"kind": "hand_brain", "name": name, "brain": senior, "hand": {**player, "temperature": 1.0}}


def _searcher(config: AttuneConfig, name: str, net: str) -> Table:
    return {"kind": "net_search", "name": name, "net": net, "nodes": config.nodes}


def _coins(pairs: int) -> int:
    """Strings for so many pairs; a longer run with more of them begins with the same ones."""
    return -(-pairs // DEFAULT_COUNT) * DEFAULT_COUNT
