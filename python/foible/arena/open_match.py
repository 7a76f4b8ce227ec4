"""A match that is ready to be played: names are resolved, nets are open, engines are running."""

import threading
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import msgspec

from foible._core import __version__
from foible.agents.base import Agent, Limits
from foible.agents.named_files import file_hashes, with_chosen_nets
from foible.agents.player_builder import PlayerBuilder
from foible.agents.uci_engine import UciEngine
from foible.arena.adjudication import Tablebases
from foible.arena.chess import ChessReferee, ChessRules
from foible.arena.clocks import TimeControl, Timed
from foible.arena.config import MatchConfig, with_random_plies
from foible.arena.frameworks import Framework
from foible.arena.game_slots import GameSlots
from foible.arena.live import LiveFile
from foible.arena.match import Match, MatchPart
from foible.arena.openings import find_openings
from foible.arena.progress import MatchProgress
from foible.arena.record import GameRecord
from foible.arena.store import ChessStore
from foible.nets.download import file_sha256
from foible.nets.evaluator import Evaluator
from foible.nets.shelf import PROCESSOR, BorrowedShelf, NetShelf, as_begun, check_chess
from foible.search.speed import Speed
from foible.search.trees import BYTES_PER_VISIT

MAY_CHANGE = ("games", "concurrency", "threads", "judge", PROCESSOR)
"""Keys that a later run in the same folder may change: none changes the games, except that another processor may round
differently.
"""

GAMES_A_POSITION = 2
"""Games in progress for each position of the nets' batches."""
GAMES_WITHOUT_NETS = 64
TREE_MEMORY = 2 * 10**9
"""Bytes for the trees of all games of a team: half of what a search may take by default."""


OnProgress = Callable[[MatchProgress[GameRecord]], None]
Enough = Callable[[Sequence[GameRecord]], bool]


@dataclass(frozen=True, slots=True)
class OpenMatch:
    """A match that can be played, and reported on."""

    config: MatchConfig
    """The configuration with its names and `auto` resolved."""
    framework: Framework
    focal: Agent
    alter: Agent
    nets: Sequence[Evaluator]
    concurrency: int
    """The games in progress at once."""
    judge: Evaluator | None
    tablebases: Tablebases | None

    def play(
        self,
        numbers: Collection[int],
        store: ChessStore,
        live: LiveFile,
        on_progress: OnProgress = lambda now: None,
        enough: Enough | None = None,
    ) -> tuple[list[GameRecord], Speed]:
        """Play the given games, at least one, that are not in the store yet; returns all finished games, and the speed.

        :param on_progress: gets the progress now and then, as `live` does.
        :param enough: as in `Match`. Ctrl-C has the effect that it has on `Match.play`.
        """

        def tell(now: MatchProgress[GameRecord]) -> None:
            live.tell(now)
            on_progress(now)

        match = self.match(numbers, store, on_progress=tell, enough=enough)
        return match.play(), match.speed

    def match(
        self,
        numbers: Collection[int],
        store: ChessStore,
        *,
        concurrency: int | GameSlots | None = None,
        on_progress: OnProgress = lambda now: None,
        enough: Enough | None = None,
        stopped: threading.Event | None = None,
    ) -> Match[GameRecord]:
        """The match of the given games, at least one, that are not in the store yet; it stores them as they end.

        :param concurrency: as in `Match`, as the other parameters are; that of this match when absent.
        """
        referee = ChessReferee(self.framework, self._rules(max(numbers) // 2 + 1), self.focal.name, self.alter.name)
        return Match(
            self.focal,
            self.alter,
            MatchPart(referee, numbers),
            finished=store.records,
            concurrency=concurrency or self.concurrency,
            limits=Limits(nodes=self.config.nodes, seconds=self.config.seconds),
            on_finished=lambda game: store.append([game]),
            on_progress=on_progress,
            enough=enough,
            stopped=stopped,
        )

    def _rules(self, pairs: int) -> ChessRules:
        config = self.config
        return ChessRules(
            pairs=pairs,
            seed=config.seed,
            max_plies=config.max_plies,
            claim_draws=config.claim_draws,
            resignation=config.resignation,
            draw_agreement=config.draw_agreement,
            tablebases=self.tablebases,
            time_control=str(TimeControl.read(config.clock)) if config.clock else "",
            versions="; ".join(f"{name} {what}" for name, what in config.resolved.items()),
        )


@contextmanager
def open_match(config: MatchConfig, folder: Path, shelf: NetShelf | None = None) -> Iterator[OpenMatch]:
    """A match as it goes on in its folder; its engines are closed at the end of the block.

    :param shelf: nets that are open already; it runs them in its own way.
    :raises FoibleError: a player, a net, a book or a table cannot be had.
    """
    config = with_random_plies(with_chosen_nets(config))
    begun = as_begun(config.runtimes, folder)
    config = msgspec.structs.replace(config, runtime=begun.runtime, precision=begun.precision)
    framework = config.make_framework()
    builder = config.make_builder(framework, shelf and BorrowedShelf(shelf))
    with ExitStack() as held:
        tablebases = config.open_tablebases()
        if tablebases:
            held.enter_context(tablebases)
        focal, alter = (held.enter_context(builder.build(team)) for team in (config.focal, config.alter))
        clocks = config.make_clocks()
        if clocks:
            focal, alter = Timed(focal, clocks), Timed(alter, clocks)
        resolved = _resolved(config, framework, builder, tablebases)
        judge = builder.shelf.evaluator(config.judge) if config.judge is not None else None
        ran = builder.shelf
        check_chess(ran.nets)
        runtime = config.runtime if ran.runtime == "auto" else ran.runtime
        precision = config.precision if ran.precision == "auto" else ran.precision
        config = msgspec.structs.replace(config, runtime=runtime, precision=precision, resolved=resolved)
        engines = [agent for agent in builder.built if isinstance(agent, UciEngine)]
        concurrency = _concurrency(config, ran.nets, engines)
        for engine in engines:
            engine.shared = concurrency > engine.processes
        yield OpenMatch(config, framework, focal, alter, ran.nets, concurrency, judge, tablebases)


def resolved_match(config: MatchConfig, folder: Path, shelf: NetShelf | None = None) -> OpenMatch:
    """As `open_match`, for a match that others play: it can only be reported on, as its engines are closed again."""
    with open_match(config, folder, shelf) as match:
        return match


def _concurrency(config: MatchConfig, nets: Collection[Evaluator], engines: Sequence[UciEngine]) -> int:
    """The games in progress at once: as the configuration has it; one where moves are timed, so that each has the
    machine to itself; where engines play without nets, as many as each has processes, so that they keep their hashes.
    """
    if config.seconds:
        return 1
    if config.clock:
        return config.concurrency or 1
    if engines and not nets:
        return config.concurrency or min(engine.processes for engine in engines)
    return config.concurrency or games_at_once(nets, config.most_visits)


def games_at_once(nets: Collection[Evaluator], visits: int) -> int:
    """How many games fill the calls of the nets, with one call computed while the next is made ready, as far as the
    memory goes.

    :param visits: the visits of the largest tree that each game keeps.
    """
    wanted = sum(GAMES_A_POSITION * net.batch_size for net in nets) or GAMES_WITHOUT_NETS
    return max(1, min(wanted, TREE_MEMORY // (BYTES_PER_VISIT * max(1, visits))))


def _resolved(
    config: MatchConfig, framework: Framework, builder: PlayerBuilder, tablebases: Tablebases | None
) -> dict[str, str]:
    """What the names in a configuration stand for: another net, engine or book, other coins, openings or games of a
    player make another match.
    """
    files = {**file_hashes(config.focal), **file_hashes(config.alter)}
    found = {"foible": __version__, **files, **builder.shelf.machine(), **builder.shelf.resolved()}
    if framework.coins:
        found["coins"] = f"sha256 {framework.coins.sha256}"
    if config.openings:
        found["openings"] = f"sha256 {file_sha256(find_openings(config.openings.file))}"
    if tablebases:
        found["tablebases"] = tablebases.name
    return found
