"""The games of a run from random play: the self-play of a generation, and matches of two nets by the run's rules."""

import threading
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import msgspec
import numpy as np

from foible._core import Bonus
from foible.agents.search import GoSearch
from foible.arena.go.openings import GoOpenings
from foible.arena.go.record import GoRecord
from foible.arena.go.referee import GoReferee, GoRules
from foible.arena.match import Match, MatchPart
from foible.arena.progress import MatchProgress
from foible.errors import ConfigError
from foible.nets.catalogue import open_net
from foible.nets.choices import Precision, default_threads
from foible.nets.download import file_sha256
from foible.nets.evaluator import Evaluator
from foible.nets.go.evaluator import GoRuntimeNet
from foible.runs.journal import Journal
from foible.search.go import go_params, go_seats
from foible.selfplay.go.config import GoSelfplayConfig
from foible.selfplay.go.play import GoSelfplay, opener_of
from foible.selfplay.go.record import GoSelfplayRecord
from foible.selfplay.go.starts import ListOpener, RunOpener, Start, first_games
from foible.selfplay.progress import SelfplayProgress
from foible.training.go.config import GoTrainConfig
from foible.training.go.folder import net_path

Tell = Callable[[SelfplayProgress], None]


@dataclass(frozen=True, slots=True)
class GenerationPlay:
    """The self-play of a generation by the best net so far."""

    config: GoSelfplayConfig
    """The configuration, with the branching of this generation."""
    net: Evaluator
    size: int
    games: int
    """The number of games in the generation, branches included."""
    seed: int

    @classmethod
    def of(cls, config: GoTrainConfig, number: int, net: GoRuntimeNet) -> "GenerationPlay":
        """`number`: the number of the generation."""
        branching = config.selfplay.branching_of(number)
        return cls(
            msgspec.structs.replace(config.selfplay, branching=branching),
            net.with_symmetry("random", number),
            config.size,
            config.protocol.games,
            int(np.random.default_rng([config.seed, number]).integers(2**63)),
        )

    def starts(self, finished: Sequence[GoSelfplayRecord]) -> RunOpener:
        """The starts of the games that are left to play."""
        return opener_of(self.config, self.net, self.size, self.games, self.seed, finished)

    def whole(self, journal: Journal[GoSelfplayRecord], tell: Tell) -> GoSelfplay:
        """The self-play of all games that are left, in this process."""
        return GoSelfplay(self.config, self.net, self.size, self.games, self.seed, journal, tell)

    def part(self, starts: Sequence[Start], journal: Journal[GoSelfplayRecord], tell: Tell) -> GoSelfplay:
        """The self-play of the games with these starts, except those in the journal."""
        known = {game.id for game in journal.items}
        given = ListOpener(start for start in starts if start.id not in known)
        return GoSelfplay(self.config, self.net, self.size, len(starts), self.seed, journal, tell, given)


def put_in_turn(journal: Journal[GoSelfplayRecord], games: int) -> None:
    """Leave in the journal only the games that a generation of so many consists of, in turn. Which other games were
    played, and when each ended, depends on how many were under way at once.
    """
    own = first_games(journal.items, games)
    if own != journal.items:
        journal.rewrite(own)


Enough = Callable[[Sequence[GoRecord]], bool]


class NetFile(msgspec.Struct, frozen=True):
    """The file of a net that plays."""

    name: str
    """The net's name in the records of games."""
    path: str
    sha256: str

    @classmethod
    def at(cls, path: Path, name: str) -> "NetFile":
        """:raises OSError: the file cannot be read."""
        return cls(name, str(path.absolute()), file_sha256(path))

    @classmethod
    def of(cls, folder: Path, number: int) -> "NetFile":
        """The net of a generation of a run."""
        return cls.at(net_path(folder, number), f"gen-{number:04}")

    def open(self, config: GoTrainConfig) -> GoRuntimeNet:
        """Open the net with the run's precision and threads.

        :raises ConfigError: the file is missing or has another hash on this machine; or as `open_playing`.
        """
        if not Path(self.path).exists() or file_sha256(Path(self.path)) != self.sha256:
            raise ConfigError(f"{self.path}: is not the same net here; expected files that all machines share")
        return _opened(self, config.size, config.precision, config.threads)


class Contest(msgspec.Struct, frozen=True, kw_only=True):
    """A match, as plain values. Games are played without a bonus, as panels have it (SAI, §3.5, §6)."""

    net: NetFile
    """The net under test."""
    opponent: NetFile
    games: int
    visits: int
    opening_plies: int
    """The plies of an opening, drawn from the opponent's policy."""
    komi: float
    seed: int

    def own(self, games: Iterable[GoRecord]) -> list[GoRecord]:
        """Of some games, those that belong to this match."""
        return [game for game in games if self._is_own(game)]

    def keep(self, games: list[GoRecord], journal: Journal[GoRecord]) -> None:
        """Leave of this match's games only these, in this order, in a journal of several matches. Which other games
        were played, and when each ended, depends on how many were under way at once.
        """
        own = self.own(journal.items)
        if games != own:
            first = journal.items.index(own[0])
            after = [game for game in journal.items[first:] if not self._is_own(game)]
            journal.rewrite([*journal.items[:first], *games, *after])

    def play(
        self,
        config: GoTrainConfig,
        journal: Journal[GoRecord],
        numbers: Collection[int],
        on_progress: Callable[[MatchProgress[GoRecord]], None],
        *,
        enough: Enough | None = None,
        stopped: threading.Event | None = None,
    ) -> list[GoRecord]:
        """Play the games of these numbers, except those in the journal.

        :return: the match's games in order; fewer where the first ones are enough, or the match was stopped.
        """
        net, opponent = self.net.open(config), self.opponent.open(config)
        size = config.size
        openings = GoOpenings(self.opening_plies, size=size, komi=self.komi, seed=self.seed, evaluator=opponent)
        rules = GoRules(games=self.games, size=size, komi=self.komi, seed=self.seed)
        with self._player(self.net.name, net) as one, self._player(self.opponent.name, opponent) as other:
            return Match(
                one,
                other,
                MatchPart(GoReferee(rules, openings, one.name, other.name), numbers),
                finished=self.own(journal.items),
                on_finished=lambda game: journal.append([game]),
                on_progress=on_progress,
                enough=enough,
                stopped=stopped,
            ).play()

    def _is_own(self, game: GoRecord) -> bool:
        return (game.focal, game.opponent) == (self.net.name, self.opponent.name)

    def _player(self, name: str, net: GoRuntimeNet) -> GoSearch:
        ours, theirs = go_seats(Bonus() if net.judges_margins else None)
        return GoSearch([net], nodes=self.visits, params=go_params(size=net.size), ours=ours, theirs=theirs, name=name)


def open_playing(config: GoTrainConfig, path: Path, precision: Precision | None = None) -> GoRuntimeNet:
    """Open a net with the run's precision and threads, or with another precision.

    :raises ConfigError: the net is for another game or board.
    :raises NetFileError: the net cannot be used.
    """
    return _open(path, config.size, precision or config.precision, config.threads)


def _open(path: Path, size: int, precision: Precision, threads: int | None) -> GoRuntimeNet:
    net = open_net(str(path), precision=precision, threads=threads or default_threads())
    if not isinstance(net, GoRuntimeNet) or net.size != size:
        board = f"{net.size}×{net.size}" if isinstance(net, GoRuntimeNet) else "chess"
        raise ConfigError(f"{path} is a net for {board}; expected one for Go on {size}×{size}")
    return net


@lru_cache(maxsize=4)
def _opened(net: NetFile, size: int, precision: Precision, threads: int | None) -> GoRuntimeNet:
    """Open a net. It stays open, so that the nets of a match serve the next unit, and the next opponent, as well."""
    return _open(Path(net.path), size, precision, threads)
