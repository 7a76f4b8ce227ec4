"""From a configuration to a report: what `foible match` does, for a notebook."""

import json
from collections.abc import Callable, Collection
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import msgspec

from foible._core import __version__
from foible.agents.base import Agent, Limits
from foible.agents.files import file_hashes
from foible.agents.spec import with_chosen_nets
from foible.agents.workshop import Workshop
from foible.arena.chess import ChessReferee, ChessRules
from foible.arena.chess_store import ChessStore
from foible.arena.clocks import TimeControl, Timed
from foible.arena.config import MatchConfig, to_toml_dict, with_random_plies
from foible.arena.frameworks import Framework, standard
from foible.arena.live import LiveFile
from foible.arena.match import AGENTS_OWN, Match, Part, Progress, complete_pairs
from foible.arena.openings import find_openings
from foible.arena.record import GameRecord
from foible.arena.report import Report, report_on
from foible.arena.sprt import Stop
from foible.arena.tablebases import Tablebases
from foible.nets.download import file_sha256
from foible.nets.evaluator import Evaluator
from foible.nets.shelf import PROCESSOR, BorrowedShelf, NetShelf, as_begun
from foible.runs.folder import check_folder
from foible.search.trees import BYTES_PER_VISIT

MAY_CHANGE = ("games", "concurrency", "threads", "judge", PROCESSOR)
"""Keys that a later run in the same folder may change: none changes the course of a game, but for what another
processor rounds otherwise.
"""

GAMES_A_POSITION = 2
"""Games in progress for each position of the nets' batches."""
GAMES_WITHOUT_NETS = 64
TREE_MEMORY = 2 * 10**9
"""Bytes for the trees of all games of a team: half of what a search may take by default."""


def play(
    config: MatchConfig,
    folder: Path,
    on_progress: Callable[[Progress[GameRecord]], None] = lambda now: None,
    *,
    shelf: NetShelf | None = None,
    pairs: range | None = None,
) -> Report | None:
    """Play the match, or what is left of it, and report on it; `None` where no pair of games is finished.

    Of a match that was stopped the report is on its longest beginning that is complete (`complete_pairs`); of one that
    its sequential test has ended, on the games that decided it.

    `shelf`: nets that are open already; it runs them in its own way.
    `pairs`: those that are finished when this returns, all of the match's when absent; of none of them nothing is
    played. Where they do not begin with the first this is a part of the match, in a folder of its own, which no
    sequential test ends.

    :raises ConfigError: the folder is a file, or holds another match or a run of another kind.
    """
    check_folder(folder, "match")
    config = with_random_plies(with_chosen_nets(config))
    begun = as_begun(config.runtimes, folder)
    config = msgspec.structs.replace(config, runtime=begun.runtime, precision=begun.precision)
    framework = config.make_framework()
    workshop = config.make_workshop(framework, shelf and BorrowedShelf(shelf))
    with ExitStack() as held:
        tablebases = config.open_tablebases()
        if tablebases:
            held.enter_context(tablebases)
        focal, alter = (held.enter_context(workshop.build(team)) for team in (config.focal, config.alter))
        clocks = config.make_clocks()
        if clocks:
            focal, alter = Timed(focal, clocks), Timed(alter, clocks)
        resolved = _resolved(config, framework, workshop, tablebases)
        judge = workshop.shelf.evaluator(config.judge) if config.judge else None
        ran = workshop.shelf
        precision = config.precision if ran.precision == "auto" else ran.precision
        config = msgspec.structs.replace(config, runtime=ran.runtime, precision=precision, resolved=resolved)
        with ChessStore(folder, to_toml_dict(config), MAY_CHANGE) as store, LiveFile(folder) as live:

            def tell(now: Progress[GameRecord]) -> None:
                live.tell(now, done=len(now.finished), total=now.total, seconds_left=now.seconds_left)
                on_progress(now)

            records, speed = store.records, None
            part = range(config.pairs) if pairs is None else pairs
            if part:
                referee = ChessReferee(framework, _rules(config, part.stop, tablebases), focal.name, alter.name)
                match = Match(
                    focal,
                    alter,
                    Part(referee, part),
                    finished=records,
                    concurrency=_concurrency(config, workshop.shelf.nets),
                    limits=Limits(nodes=config.nodes, seconds=config.seconds),
                    on_finished=lambda game: store.append([game]),
                    on_progress=tell,
                    enough=Stop(config.sprt) if config.sprt and not part.start else None,
                )
                records, speed = match.play(), match.speed
            store.write_results()
            reported = complete_pairs(records, part.start)
            if not reported:
                return None
            played = speed if speed and speed.plies else None
            report = report_on(reported, framework, judge, config.sprt, finished=len(records), speed=played)
            store.write_report({**report.with_speed(), **({} if played else _recorded_speed(folder))})
            return report


def chess_match(
    focal: Agent,
    alter: Agent,
    *,
    games: int = 100,
    framework: Framework | None = None,
    seed: int = 0,
    limits: Limits = AGENTS_OWN,
    concurrency: int = 64,
) -> Match[GameRecord]:
    """A match of two players or teams, for scripts, which `play` it, and notebooks, which `await` its `run`.

    Without chance in the players or in the openings of the framework all pairs are alike.

    :param games: rounded up to pairs, in which the colours are swapped.
    :param framework: ordinary chess from the start position when absent.
    :param limits: of every move; the agents' own where not set.
    :raises ConfigError: a number that is out of range.
    """
    rules = ChessRules(pairs=-(-games // 2), seed=seed)
    referee = ChessReferee(framework or standard(), rules, focal.name, alter.name)
    return Match(focal, alter, referee, concurrency=concurrency, limits=limits)


def games_at_once(nets: Collection[Evaluator], visits: int) -> int:
    """How many games fill the calls of the nets, with one call computed while the next is made ready, as far as the
    memory goes.

    Of engines alone it is their processes that bound what goes on at once.

    :param visits: of the largest tree that each game keeps.
    """
    wanted = sum(GAMES_A_POSITION * net.batch_size for net in nets) or GAMES_WITHOUT_NETS
    return max(1, min(wanted, TREE_MEMORY // (BYTES_PER_VISIT * max(1, visits))))


def _recorded_speed(folder: Path) -> dict[str, Any]:
    """What an earlier call noted, for one that has nothing left to play."""
    try:
        return {"speed": json.loads((folder / "report.json").read_text("utf-8"))["speed"]}
    except (OSError, ValueError, KeyError):
        return {}


def _resolved(
    config: MatchConfig, framework: Framework, workshop: Workshop, tablebases: Tablebases | None
) -> dict[str, str]:
    """What the names in a configuration stand for: another net, engine or book, other coins, openings or games of a
    player make another match.
    """
    files = {**file_hashes(config.focal), **file_hashes(config.alter)}
    found = {"foible": __version__, **files, **workshop.shelf.machine(), **workshop.shelf.resolved()}
    if framework.coins:
        found["coins"] = f"sha256 {framework.coins.sha256}"
    if config.openings:
        found["openings"] = f"sha256 {file_sha256(find_openings(config.openings.file))}"
    if tablebases:
        found["tablebases"] = tablebases.name
    return found


def _concurrency(config: MatchConfig, nets: Collection[Evaluator]) -> int:
    """As the configuration has it; one game at a time where moves are timed, so that each has the machine to itself."""
    if config.seconds:
        return 1
    if config.clock:
        return config.concurrency or 1
    return config.concurrency or games_at_once(nets, config.most_visits)


def _rules(config: MatchConfig, pairs: int, tablebases: Tablebases | None) -> ChessRules:
    return ChessRules(
        pairs=pairs,
        seed=config.seed,
        max_plies=config.max_plies,
        claim_draws=config.claim_draws,
        resignation=config.resignation,
        draw_agreement=config.draw_agreement,
        tablebases=tablebases,
        time_control=str(TimeControl.read(config.clock)) if config.clock else "",
        versions="; ".join(f"{name} {what}" for name, what in config.resolved.items()),
    )
