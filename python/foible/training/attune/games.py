"""The matches of an attuned net, and the games that it is tuned on.

There are three matches: the games that it learns from, its test with the partner, and a test without the partner, which
shows what tuning costs. Seniors play the most visited move. A junior of a tag team samples its moves in the games to
learn from, and plays its most probable move in tests, where the coins alone give variety; a hand always samples
(skill-compatible §1.4).

The games to learn from, played here or taken from another match, are in one file, divided into three parts (§4.1).
"""

import json
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from msgspec.structs import replace

from foible.agents.spec import HandBrainSpec, NetPolicySpec, NetSearchSpec, TagTeamSpec, TeamSpec
from foible.agents.uci_engine import UciSpec
from foible.arena.bitstrings import DEFAULT_COUNT
from foible.arena.config import MatchConfig, convert_config, read_config
from foible.arena.match import FORFEIT
from foible.arena.openings import BALANCED
from foible.arena.pgn import PgnForm, to_pgn
from foible.arena.record import GameRecord
from foible.arena.store import ChessStore, read_games
from foible.errors import ConfigError, GameFileError
from foible.nets.named_nets import at_heads, at_rating, split_heads, split_rating
from foible.nets.shelf import choose_net
from foible.runs.files import write_atomically
from foible.runs.folder import CONFIG
from foible.runs.journal import read_record_file
from foible.runs.ledger import Ledger
from foible.toml import to_toml_dict
from foible.training.attune.config import LEAST_GAMES, AttuneConfig
from foible.training.data.config import DataConfig, Filters, HoldOut
from foible.training.data.dataset import Part, load

SENIOR, JUNIOR, ATT = "SENIOR", "JUNIOR", "ATT"
Table = dict[str, Any]
TENTH = 10
LIMITS = ("nodes", "depth", "seconds", "clock")
"""The limits of thought that a match may set, and an engine but for the clock."""


def data_match(config: AttuneConfig) -> MatchConfig:
    """The senior's team against itself, <SENIOR/JUNIOR | SENIOR/JUNIOR> (§4.1).

    Coins and hands have other seeds than in tests, so that no game of a test begins like one that was learnt from.
    """
    senior = _searcher(config, SENIOR, config.senior)
    teams = {name: _team(config, senior, f"{SENIOR}'s {name} team", sample=True) for name in ("focal", "alter")}
    seed = config.seed + 1
    return _match(config, config.games, teams, seed=seed, coins={"seed": seed, "count": _coins(config.pairs)})


def framework_match(config: AttuneConfig, attuned: str) -> MatchConfig:
    """The test with the partner, <ATT/JUNIOR | SENIOR/JUNIOR>, in either framework; the coins are those of all tests of
    foible (§1.2).
    """
    teams = {
        "focal": _team(config, _searcher(config, ATT, attuned), f"{ATT}'s team", sample=False),
        "alter": _team(config, _searcher(config, SENIOR, config.senior), f"{SENIOR}'s team", sample=False),
    }
    return _match(config, config.test_games, teams, coins={"count": _coins(-(-config.test_games // 2))})


def alone_match(config: AttuneConfig, attuned: str) -> MatchConfig:
    """The test of ATT against the senior without partners, from balanced openings (§1.3)."""
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
    if isinstance(config.junior, UciSpec):
        engine = to_toml_dict(replace(config.junior, name=JUNIOR))
        return {"kind": "tag_team", "name": name, "senior": senior, "junior": engine}
    player = {"kind": "net_policy", "name": JUNIOR, "net": config.junior}
    if config.framework == "stt":
        junior = {**player, "temperature": float(sample)}
        return {"kind": "tag_team", "name": name, "senior": senior, "junior": junior}
    return {"kind": "hand_brain", "name": name, "brain": senior, "hand": {**player, "temperature": 1.0}}


def _searcher(config: AttuneConfig, name: str, net: str) -> Table:
    return {"kind": "net_search", "name": name, "net": net, "nodes": config.nodes}


def _coins(pairs: int) -> int:
    """The number of coin strings for so many pairs of games; a greater number of strings begins with the same ones."""
    return -(-pairs // DEFAULT_COUNT) * DEFAULT_COUNT


@dataclass(frozen=True, slots=True)
class TrainingGames:
    """The games to learn from, on the disk."""

    pgn: Path
    """The file of the games. They are in the order of their pairs, not in that in which they finished, so that batches
    are always the same.
    """
    parts: Mapping[Part, int]
    """The number of games in each part."""
    test: tuple[GameRecord, ...]
    """The games held out for tests."""


def collect(config: AttuneConfig, played: Path, folder: Path) -> TrainingGames:
    """Write `data.pgn`, the games of the first pairs of a match, and `split.json`, which tells the part of each game.

    `played`: the run folder of the match.

    :raises ConfigError: the match has too few games of which none was forfeited, or other teams.
    :raises GameFileError: the games cannot be read.
    """
    pgn = folder / "data.pgn"
    try:
        records = read_record_file(pgn, PgnForm())
    except GameFileError:
        if not (played / ChessStore.GAMES).exists():
            raise
        records = []
    if not records:
        records = _records(config, played)
        write_atomically(pgn, "".join(map(to_pgn, records)))
        Ledger(folder).set_count(pgn.name, len(records))
    dataset = load(data_config(config, pgn))
    games = {part: np.unique(dataset.columns.games_of(rows)).tolist() for part, rows in dataset.parts.items()}
    rounds = {part: [f"{records[g].pair + 1}.{records[g].game_in_pair}" for g in of] for part, of in games.items()}
    write_atomically(folder / "split.json", json.dumps(rounds, indent=1) + "\n")
    return TrainingGames(pgn, {part: len(of) for part, of in games.items()}, tuple(records[g] for g in games["test"]))


def data_config(
    config: AttuneConfig, pgn: Path, *, training: int | None = None, who: list[str] | None = None
) -> DataConfig:
    """The data of the tuning: a tenth of the games each is held out for validation and for tests, chosen by a hash of
    the moves of the first game of each pair (skill-compatible §1.6: a pair is in one part).

    `training`: the number of games to learn from; all that are not held out when absent. `who`: the members of the team
    whose moves alone are learnt from.
    """
    held_out = max(1, config.games // TENTH)
    return DataConfig(
        sources=[str(pgn)],
        filters=Filters(min_plies=0, duplicates=True, who=who),
        hold_out=HoldOut(validation=held_out, test=held_out, pairs=True),
        games=training,
        value_target="released" if config.tune.value_target == "released" else "result",
        thin=1 / config.tune.thin,
    )


def _records(config: AttuneConfig, played: Path) -> list[GameRecord]:
    """The games of the first pairs of a match, in order. Pairs are left out of which a game has no moves, or was lost
    because an engine failed: its result says nothing of the positions.
    """
    path = played / ChessStore.GAMES
    if not path.is_file():
        raise ConfigError(f"{played}: no {ChessStore.GAMES} in it; expected the folder of a match")
    if config.data is not None:
        _check_teams(config, read_config(played / CONFIG), played)
    played_out = [
        record
        for record in read_games(played)
        if record.pair < config.pairs and record.moves and not record.termination.startswith(FORFEIT)
    ]
    of_pair = Counter(record.pair for record in played_out)
    records = sorted((record for record in played_out if of_pair[record.pair] == 2), key=lambda record: record.number)
    least = LEAST_GAMES if config.data is None else config.games  # a run that played all its own has no others
    if len(records) < least:
        raise ConfigError(f"{path}: {len(records)} games, expected at least {least}")
    return records


def _check_teams(config: AttuneConfig, match: MatchConfig, played: Path) -> None:
    """:raises ConfigError: one of the teams is not the senior's."""
    ours = replace(data_match(config), resolved=config.resolved)
    wanted = _traits(ours, ours.focal)
    for team in (match.focal, match.alter):
        found = _traits(match, team)
        if differ := [key for key in wanted if found.get(key) != wanted[key]]:
            what = ", ".join(f"{key} {found.get(key, 'unknown')} (now {wanted[key]})" for key in differ)
            raise ConfigError(f"{played}: its games were played with {what}")


def _traits(match: MatchConfig, team: TeamSpec) -> dict[str, str]:
    """The traits of a team, by option, that games from elsewhere must share with our own to stand in for them. Nets are
    told by their hashes, wherever their files lie.
    """

    def net(names: str | list[str]) -> str:
        name = choose_net(names)
        digest = match.resolved.get(name, "").rpartition("sha256 ")[2]
        rated = at_rating(f"sha256 {digest[:12]}", split_rating(name)[1])
        return at_heads(rated, split_heads(name)[1])

    found = {"--framework": {"tag_team": "stt", "hand_brain": "hb"}.get(match.framework, match.framework)}
    match team:
        case (
            TagTeamSpec(senior=NetSearchSpec() as strong, junior=NetPolicySpec() | UciSpec() as weak)
            | HandBrainSpec(brain=NetSearchSpec() as strong, hand=NetPolicySpec() as weak)
        ):
            constants = (f"{key}={value}" for key, value in sorted(strong.search.items()))
            nodes = match.effort * (match.nodes or strong.nodes)
            return found | {
                "--senior": net(strong.net),
                "--nodes": f"{nodes:g}",
                "the senior's search": " ".join((strong.preset, *constants)),
                **_junior_traits(match, weak, net),
            }
    return found


def _junior_traits(
    match: MatchConfig, junior: NetPolicySpec | UciSpec, net: Callable[[str | list[str]], str]
) -> dict[str, str]:
    if isinstance(junior, NetPolicySpec):
        return {"--junior": net(junior.net), "the junior's temperature": f"{junior.temperature:g}"}
    limits = _limits(match) or _limits(junior)  # those of a match replace all of an engine's own
    return {"--junior": json.dumps({"command": junior.command, "options": junior.options, **limits}, sort_keys=True)}


def _limits(of: MatchConfig | UciSpec) -> dict[str, Any]:
    return {key: value for key in LIMITS if (value := getattr(of, key, None)) is not None}
