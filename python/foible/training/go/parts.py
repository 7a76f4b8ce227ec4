"""A run from random play whose games others play, those of a generation's self-play or of a match: in parts, each in a
run folder of its own inside the generation's.
"""

import json
import threading
import time
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Generic, TypeVar

import msgspec

from foible._core import __version__
from foible.arena.go.record import GoRecord
from foible.arena.live import LiveFile
from foible.arena.match import Decided, Progress
from foible.arena.watched import Likeness, Standing, Watched, play_decided
from foible.nets.choices import default_threads
from foible.nets.shelf import PROCESSOR, this_machine
from foible.runs.configuration import CONFIG, read_recorded
from foible.runs.folder import RunFolder
from foible.runs.interrupt import interruptible
from foible.runs.journal import Journal, JsonLines, read_journal
from foible.scale import Executor
from foible.scale.parts import check_same, merge_all, play_units, run_of, taken, unit_size, units_of
from foible.search.speed import Speed
from foible.selfplay.go.play import Progress as GamesProgress
from foible.selfplay.go.record import GoGame, Id, name_of
from foible.selfplay.go.starts import Start
from foible.training.go.config import GoTrainConfig
from foible.training.go.contest import Contest, Enough, NetFile
from foible.training.go.folder import GAMES, MAY_CHANGE
from foible.training.go.folder import MATCHES as MATCHES_FILE
from foible.training.go.selfplay import GenerationPlay, Tell

MOST_GAMES: Final = 400
"""Games of a unit."""

G = TypeVar("G", bound=msgspec.Struct)
K = TypeVar("K", bound=Hashable)


@dataclass(frozen=True, slots=True)
class Games(Generic[K, G]):
    """What games there are in one of a generation's files."""

    kind: type[G]
    likeness: Likeness[K, G]


SELFPLAY: Final[Games[Id, GoGame]] = Games(
    GoGame,
    Likeness(
        identity=lambda game: game.id,
        name=lambda game: f"game {name_of(game.id)}",
        course=lambda game: (game.komi, *game.moves),
    ),
)
MATCHES: Final[Games[tuple[str, str, int], GoRecord]] = Games(
    GoRecord,
    Likeness(
        identity=lambda game: (game.focal, game.opponent, game.number),
        name=lambda game: f"game {game.number + 1} of {game.focal} against {game.opponent}",
        course=lambda game: (game.moves, game.winner, game.termination),
    ),
)


class Parts(Generic[K, G]):
    """The parts of one of a generation's files of games, which is open: played by others, and merged here.

    A part is a folder with the file that the generation has: `games.jsonl` or `matches.jsonl`.
    """

    def __init__(self, config: GoTrainConfig, journal: Journal[G], games: Games[K, G], *, any_processor: bool) -> None:
        """`any_processor`: whether games count that another one may have rounded otherwise."""
        self.config = made_with(config)
        self.journal = journal
        self.folder = journal.path.parent
        self.may_differ = may_differ(any_processor=any_processor)
        self._games = games

    def merge_all(self) -> None:
        """Those that there are of this file, finished or not. Errors as `merge`."""
        merge_all(self.folder, self._merge_ours)

    def _merge_ours(self, part: Path) -> None:
        if {path.name for path in part.glob("*.jsonl")} <= {self.journal.path.name}:
            self.merge(part)

    def merge(self, part: Path) -> None:
        """Take the games of a part that are not there yet, and remove it.

        :raises ConfigError: it was made with another configuration or processor; or another process is still at work in
            it.
        :raises GameFileError: it is damaged, or a game of it differs from the one that is there.
        :raises OSError: they cannot be written. The part is as it was then, as in all these cases.
        """
        file, likeness = part / self.journal.path.name, self._games.likeness
        with taken(part):
            games = read_journal(file, self._games.kind)
            if games:
                # A run goes on with another version; so it takes what that has left.
                may_differ = [*self.may_differ, "resolved.foible"]
                check_same(msgspec.to_builtins(self.config), read_recorded(part / CONFIG), part, may_differ)
            there = {likeness.identity(game): game for game in self.journal.items}
            self.journal.append(likeness.those_new(games, there, (self.journal.path, file)))

    def watched(self) -> Watched[K, G]:
        """What goes on in them."""
        return Watched(self.folder, self.journal.path.name, JsonLines(self._games.kind), self._games.likeness)

    def text(self, workers: int) -> str:
        """The configuration, for workers that share the cores of a machine."""
        threads = self.config.threads or max(1, default_threads() // workers)
        return to_text(msgspec.structs.replace(self.config, threads=threads))


def play_games(
    parts: Parts[Id, GoGame],
    executor: Executor,
    number: int,
    net: NetFile,
    play: GenerationPlay,
    live: LiveFile,
    stage: str,
    tell: Tell,
    stopped: threading.Event,
) -> None:
    """Have the games of a generation played by the workers of an executor.

    It goes on in rounds, about eight a generation: a branch comes an eighth of a generation behind the game that it
    left, so that the games of an eighth are known when those before it have ended.

    :param number: of the generation.
    :param net: which plays.
    :param stage: as in `Live`.
    :param stopped: set from anywhere, it ends that; what is finished is in the journal then, as after an interrupt.
    :raises FoibleError: as `Executor.run` and `merge`.
    """
    standing = _GamesStanding(parts, play.games, live, stage)
    text = parts.text(executor.workers)

    def is_stopped() -> bool:
        tell(standing.now())
        return stopped.is_set()

    while starts := {} if stopped.is_set() else play.starts(parts.journal.items).settled():

        def arguments(places: list[int], starts: dict[int, Any] = starts) -> tuple[Any, ...]:
            own = [msgspec.to_builtins(starts[place]) for place in places]
            return text, number, msgspec.to_builtins(net), own, parts.may_differ

        size = unit_size(len(starts), executor.workers, MOST_GAMES)
        units = list(units_of(parts.folder, "games", list(starts), size, play_games_part, arguments))
        if not play_units(units, executor, parts.merge, is_stopped):
            break
    parts.merge_all()
    tell(standing.now())


def play_match(
    parts: Parts[tuple[str, str, int], GoRecord],
    executor: Executor,
    contest: Contest,
    live: LiveFile,
    stage: str,
    on_progress: Callable[[Progress[GoRecord]], None],
    enough: Enough | None,
    stopped: threading.Event,
) -> list[GoRecord]:
    """As `Contest.play`, by the workers of an executor.

    :raises FoibleError: as `Executor.run` and `merge`.
    """

    def finished() -> list[GoRecord]:
        return contest.own(parts.journal.items)

    decided, text = Decided(enough), parts.text(executor.workers)
    missing = sorted(set(range(contest.games)).difference(game.number for game in finished()))

    def arguments(numbers: list[int]) -> tuple[Any, ...]:
        return text, msgspec.to_builtins(contest), numbers, parts.may_differ

    if not decided.by(finished()):
        size = unit_size(len(missing), executor.workers, MOST_GAMES)
        units = list(units_of(parts.folder, "games", missing, size, play_match_part, arguments))
        standing = Standing(parts.watched(), finished, contest.games, live, stage)
        play_decided(units, executor, parts.merge, standing, on_progress, decided, stopped)
        parts.merge_all()
    games = sorted(finished(), key=lambda game: game.number)
    return decided.by(games) or games


class _GamesStanding:
    """How the self-play of a generation stands while others play its parts."""

    def __init__(self, parts: Parts[Id, GoGame], total: int, live: LiveFile, stage: str) -> None:
        self._journal, self._total = parts.journal, total
        self._live, self._stage = live, stage
        self._before = {game.id for game in parts.journal.items}
        self._begun = time.monotonic()
        self._watched = parts.watched()

    def now(self) -> GamesProgress:
        """Told in its folder as well."""
        in_parts, lives = self._watched.look()
        finished = {game.id: game for game in self._journal.items} | in_parts
        new = [game for game in finished.values() if game.id not in self._before]
        speed = Speed(time.monotonic() - self._begun, sum(len(game.plies) for game in new), {})
        now = GamesProgress(len(finished), max(self._total, len(finished)), len(new), (), speed, workers=len(lives))
        self._live.tell_parts(
            lives, done=now.finished, total=now.total, seconds_left=now.seconds_left, stage=self._stage
        )
        return now


def made_with(config: GoTrainConfig) -> GoTrainConfig:
    """What of a run's configuration its parts are made with: the nets that they need are named by themselves."""
    return msgspec.structs.replace(config, resolved={"foible": __version__, **this_machine()})


def may_differ(*, any_processor: bool) -> list[str]:
    """Keys in which a part may differ from the run."""
    return [*MAY_CHANGE, *([PROCESSOR] if any_processor else [])]


def to_text(config: GoTrainConfig) -> str:
    """As units are given it: JSON that has infinity, too."""
    return json.dumps(msgspec.to_builtins(config))


def play_games_part(
    folder: str, text: str, number: int, net: dict[str, Any], starts: list[Any], may_change: list[str]
) -> None:
    """Games of a generation's self-play, in the folder of a part.

    :param text: the configuration, as `to_text` of `made_with`.
    :param number: of the generation.
    :param net: that plays, a `NetFile`.
    :param starts: the games.
    :param may_change: keys in which this machine may differ from those who have written the text.
    :raises ConfigError: the folder is not there on this machine; or the net or the processor is another here.
    """
    given = msgspec.convert(starts, list[Start])
    with _opened(folder, text, may_change, GAMES, GoGame) as (config, journal, live):

        def tell(now: GamesProgress) -> None:
            live.tell(now, done=now.finished, total=now.total, seconds_left=None)

        played = GenerationPlay.of(config, number, msgspec.convert(net, NetFile).open(config))
        selfplay = played.part(given, journal, tell)
        with interruptible(selfplay.stop):
            selfplay.play()
        if len(journal.items) < len(given):
            raise KeyboardInterrupt


def play_match_part(folder: str, text: str, contest: dict[str, Any], numbers: list[int], may_change: list[str]) -> None:
    """Games of a match, in the folder of a part. The rest, and errors, as of `play_games_part`.

    :param contest: the match, a `Contest`.
    """
    match = msgspec.convert(contest, Contest)
    with _opened(folder, text, may_change, MATCHES_FILE, GoRecord) as (config, journal, live):

        def tell(now: Progress[GoRecord]) -> None:
            live.tell(now, done=len(now.finished), total=now.total, seconds_left=now.seconds_left)

        match.play(config, journal, numbers, tell)
        if len(match.own(journal.items)) < len(numbers):
            raise KeyboardInterrupt


@contextmanager
def _opened(
    folder: str, text: str, may_change: list[str], file: str, kind: type[G]
) -> Iterator[tuple[GoTrainConfig, Journal[G], LiveFile]]:
    """The part, to be gone on with."""
    plain, part = json.loads(text), Path(folder)
    config = msgspec.convert(plain, GoTrainConfig)
    own = msgspec.to_builtins(made_with(config))
    check_same(own, plain, run_of(part), may_change)
    with RunFolder(part, "go training") as run, Journal(part / file, kind) as journal:
        run.settle(own, may_differ(any_processor=True), begun=bool(journal.items))
        with LiveFile(part) as live:
            yield config, journal, live
