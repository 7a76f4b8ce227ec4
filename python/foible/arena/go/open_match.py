"""Matches of Go that are ready to be played: players are built, nets are open, programs are known to start."""

import threading
from collections.abc import Callable, Collection
from dataclasses import dataclass
from pathlib import Path

import msgspec

from foible._core import Batch, GoPosition, Seat, __version__
from foible.agents.base import Agent
from foible.agents.gtp_engine import GtpEngine
from foible.agents.named_files import file_hashes
from foible.agents.search import GoSearch, NetSearch
from foible.arena.go.config import GoMatchConfig, GtpPlayer, NetPlayer
from foible.arena.go.openings import GoOpenings
from foible.arena.go.record import GoRecord
from foible.arena.go.referee import GoReferee
from foible.arena.go.store import GoStore
from foible.arena.match import Match, MatchPart
from foible.arena.progress import MatchProgress
from foible.errors import ConfigError
from foible.nets.evaluator import Evaluator
from foible.nets.shelf import PROCESSOR, NetShelf, Runtimes, as_begun
from foible.search.go import go_seats
from foible.search.speed import Speed


class Players:
    """Builds the players of a match. Those that use the same net share one evaluator."""

    def __init__(self, config: GoMatchConfig, shelf: NetShelf) -> None:
        """Opens all nets and starts all programs once, so that nothing is played where one is not as it should be.

        :raises NetFileError: there is no such net.
        :raises ConfigError: a net is not for this game, or does not judge margins as its player needs it.
        :raises EngineError: a program cannot be started, or does not speak GTP.
        """
        self._config = config
        self._shelf = shelf
        empty = Batch([GoPosition(config.size, komi=config.komi)])
        self._margins = {net: shelf.evaluator(net).evaluate(empty).margins is not None for net in config.nets}
        for name in config.players:
            self.build(name).close()

    def build(self, name: str) -> Agent:
        """Build the player of this name anew."""
        player = self._config.players[name]
        if not isinstance(player, NetPlayer):
            return GtpEngine(
                player.words,
                setup=player.setup,
                processes=player.processes,
                hang_after=player.hang_after,
                name=name,
            )
        ours, theirs = self._seats(name, player)
        params = player.params(self._config.size, self._config.seed)
        evaluator = self._shelf.evaluator(player.net)
        search = NetSearch if player.dumb_pass else GoSearch
        return search([evaluator], nodes=player.visits, params=params, ours=ours, theirs=theirs, name=name)

    def openings(self) -> GoOpenings:
        """The openings, which are the same for every two players."""
        config = self._config
        return GoOpenings(
            config.openings.plies, size=config.size, komi=config.komi, seed=config.seed, evaluator=self._book()
        )

    def _book(self) -> Evaluator | None:
        net = self._config.openings.net
        return self._shelf.evaluator(net) if net else None

    def _seats(self, name: str, player: NetPlayer) -> tuple[Seat, Seat]:
        if self._margins[player.net]:
            return go_seats(*player.bonuses)
        if any((*player.lambdas, *player.mus)):
            raise ConfigError(
                f"players.{name}: {player.net} judges wins alone, not margins; expected lambda = 0 and mu = 0"
            )
        both = Seat()
        return both, both


MAY_CHANGE = ("focal", "opponents", "games", "concurrency", "threads", PROCESSOR)
"""Keys that a later run in the same folder may change: none changes the games, except that another processor may round
differently.
"""

PlayerNames = tuple[str, str]
"""The names of two players, the one under test first."""


@dataclass(frozen=True, slots=True)
class OpenGoMatch:
    """Matches that can be played."""

    config: GoMatchConfig
    """The configuration with its names and `auto` resolved."""
    players: Players
    openings: GoOpenings
    shelf: NetShelf

    def play(
        self,
        names: PlayerNames,
        numbers: Collection[int],
        store: GoStore,
        on_progress: Callable[[MatchProgress[GoRecord]], None],
        stopped: threading.Event | None = None,
    ) -> tuple[list[GoRecord], Speed]:
        """Play the given games of two players that are not in the store yet; returns all finished ones, in order, and
        the speed.
        """
        with self.players.build(names[0]) as focal, self.players.build(names[1]) as opponent:
            match = Match(
                focal,
                opponent,
                MatchPart(GoReferee(self.config.rules, self.openings, *names), numbers),
                finished=store.of(*names),
                concurrency=self.config.concurrency,
                on_finished=lambda game: store.append([game]),
                on_progress=on_progress,
                stopped=stopped,
            )
            return match.play(), match.speed

    def of(self, names: PlayerNames) -> GoMatchConfig:
        """The configuration of the match of two players alone."""
        two = msgspec.structs.replace(self.config, focal=[names[0]], opponents=[names[1]]).playing
        return msgspec.structs.replace(two, resolved=_resolved(two, self.shelf))


def open_go_match(config: GoMatchConfig, folder: Path, shelf: NetShelf | None = None) -> OpenGoMatch:
    """Matches as they go on in their folder.

    :param shelf: nets that are open already; it runs them in its own way.
    :raises FoibleError: as `Players`.
    """
    config = config.playing
    shelf = shelf or NetShelf(as_begun(Runtimes(config.runtime, config.precision, config.threads), folder))
    players = Players(config, shelf)
    resolved = _resolved(config, shelf)
    config = msgspec.structs.replace(config, runtime=shelf.runtime, precision=shelf.precision, resolved=resolved)
    return OpenGoMatch(config, players, players.openings(), shelf)


def _resolved(config: GoMatchConfig, shelf: NetShelf) -> dict[str, str]:
    """What the names in a configuration stand for: another net or program under the same name makes another match."""
    opened = {name: what for name, what in shelf.resolved().items() if name in config.nets}
    programs: dict[str, str] = {}
    for player in config.players.values():
        if isinstance(player, GtpPlayer):
            programs |= file_hashes(msgspec.structs.replace(player, command=player.words))
    return {"foible": __version__, **shelf.machine(), **opened, **programs}
