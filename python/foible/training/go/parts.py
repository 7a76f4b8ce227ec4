"""Has the games of a run from random play, those of a generation's self-play or of a match, played by workers: in
parts, each in a run folder of its own inside the generation's.
"""

import json
import threading
from collections.abc import Callable, Hashable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, Final, Generic, TypeVar

import msgspec

from foible._core import __version__
from foible.arena.go.play import GO_GAMES
from foible.arena.go.record import GoRecord
from foible.arena.live import LiveFile
from foible.arena.match import Decided
from foible.arena.parts_progress import GameFile, PartsProgress, PartsReader, until_decided
from foible.arena.progress import MatchProgress
from foible.nets.choices import threads_of_worker
from foible.nets.shelf import PROCESSOR, this_machine
from foible.runs.folder import CONFIG, RunFolder, read_recorded
from foible.runs.interrupt import interruptible
from foible.runs.journal import Journal, JsonLines
from foible.scale import Executor
from foible.scale.parts import Parts, Work, check_same, run_of
from foible.selfplay.go.record import GoSelfplayRecord, Id, name_of
from foible.selfplay.go.starts import Start
from foible.selfplay.progress import SelfplayByWorkers, SelfplayTally
from foible.training.go.config import GoTrainConfig
from foible.training.go.folder import GAMES, MATCHES, MAY_CHANGE
from foible.training.go.games import Contest, Enough, GenerationPlay, NetFile, Tell

MOST_GAMES: Final = 400
"""The most games in one unit of work."""

G = TypeVar("G", bound=msgspec.Struct)
K = TypeVar("K", bound=Hashable)


SELFPLAY_GAMES: Final[GameFile[Id, GoSelfplayRecord]] = GameFile(
    GAMES,
    JsonLines(GoSelfplayRecord),
    identity=lambda game: game.id,
    title=lambda game: f"game {name_of(game.id)}",
    course=lambda game: (game.komi, *game.moves),
)
MATCH_GAMES: Final = replace(GO_GAMES, name=MATCHES)


class GenerationParts(Parts, Generic[K, G]):
    """The parts of one of a generation's files of games, which this process has open.

    A part is a folder with the file that the generation has: `games.jsonl` or `matches.jsonl`.
    """

    noun, largest_unit, multiple_of = "games", MOST_GAMES, 2

    def __init__(
        self, config: GoTrainConfig, journal: Journal[G], file: GameFile[K, G], *, any_processor: bool
    ) -> None:
        """`any_processor`: whether to take games from another kind of processor, which may round differently."""
        super().__init__(journal.path.parent, may_differ(any_processor=any_processor))
        self.journal = journal
        self._config = made_with(config)
        self._file = file

    def merge(self, part: Path) -> None:
        """As `Parts.merge`, except that parts of the generation's other file stay."""
        if {path.name for path in part.glob("*.jsonl")} <= {self._file.name}:
            super().merge(part)

    def take(self, part: Path) -> None:
        games = self._file.read(part)
        if games:
            # A run may go on with another version of foible, and so takes parts that another version has left.
            may_differ = [*self.may_change, "resolved.foible"]
            check_same(msgspec.to_builtins(self._config), read_recorded(part / CONFIG), part, may_differ)
        self.journal.append(self._file.new_games(games, part, self.journal.items, self.journal.path))

    def reader(self) -> PartsReader[K, G]:
        """Follows the games under way in the parts."""
        return PartsReader(self.folder, self._file)

    def text(self, workers: int) -> str:
        """The configuration as text, for workers that share the cores of a machine."""
        threads = threads_of_worker(self._config.threads, workers)
        return to_text(msgspec.structs.replace(self._config, threads=threads))


class GenerationSelfplayParts(GenerationParts[Id, GoSelfplayRecord]):
    """The parts of a generation's self-play.

    The games are given out in rounds, about eight a generation: a branch comes an eighth of a generation after the game
    that it left, so that the games of an eighth are known once those before it have ended.
    """

    def __init__(
        self,
        config: GoTrainConfig,
        journal: Journal[GoSelfplayRecord],
        number: int,
        net: NetFile,
        *,
        any_processor: bool,
    ) -> None:
        """`number`: of the generation. `net`: the one that plays."""
        super().__init__(config, journal, SELFPLAY_GAMES, any_processor=any_processor)
        self.plan = GenerationPlay.of(config, number, net.open(config))
        self._number, self._net = number, net
        self._starts: Mapping[int, Start] = {}
        """What the games that were missing at the last look start from, by their places."""

    def missing(self) -> list[int]:
        self._starts = self.plan.starts(self.journal.items).settled()
        return list(self._starts)

    def work(self, numbers: list[int], workers: int) -> Work:
        starts = [msgspec.to_builtins(self._starts[place]) for place in numbers]
        net = msgspec.to_builtins(self._net)
        return play_games_part, (self.text(workers), self._number, net, starts, self.may_change)


class GenerationMatchParts(GenerationParts[tuple[str, str, int], GoRecord]):
    """The parts of a match of a generation."""

    def __init__(
        self, config: GoTrainConfig, journal: Journal[GoRecord], contest: Contest, *, any_processor: bool
    ) -> None:
        super().__init__(config, journal, MATCH_GAMES, any_processor=any_processor)
        self.contest = contest

    def finished(self) -> list[GoRecord]:
        """The games of the match that are merged."""
        return self.contest.own(self.journal.items)

    def missing(self) -> list[int]:
        return sorted(set(range(self.contest.games)).difference(game.number for game in self.finished()))

    def work(self, numbers: list[int], workers: int) -> Work:
        return play_match_part, (self.text(workers), msgspec.to_builtins(self.contest), numbers, self.may_change)


def play_games(
    parts: GenerationSelfplayParts, executor: Executor, live: LiveFile, stage: str, tell: Tell, stopped: threading.Event
) -> None:
    """Have the games of a generation played by the workers of an executor.

    :param stage: as in `Live`.
    :param stopped: ends the play when it is set; finished games are in the journal then, as after an interrupt.
    :raises FoibleError: as `Parts.play`.
    """
    progress = SelfplayByWorkers(
        parts.reader(),
        lambda: {game.id for game in parts.journal.items},
        lambda: SelfplayTally.of(parts.journal.items),
        parts.plan.games,
        live,
        stage,
    )

    def look() -> bool:
        tell(progress.now())
        return stopped.is_set()

    parts.play(executor, look)
    tell(progress.now())


def play_match(
    parts: GenerationMatchParts,
    executor: Executor,
    live: LiveFile,
    stage: str,
    on_progress: Callable[[MatchProgress[GoRecord]], None],
    enough: Enough | None,
    stopped: threading.Event,
) -> list[GoRecord]:
    """Play a match as `Contest.play` does, by the workers of an executor.

    :raises FoibleError: as `Parts.play`.
    """
    decided = Decided(enough)
    progress = PartsProgress(parts.reader(), parts.finished, parts.contest.games, live, stage)
    parts.play(executor, until_decided(progress, on_progress, decided, stopped))
    games = sorted(parts.finished(), key=lambda game: game.number)
    return decided.by(games) or games


def made_with(config: GoTrainConfig) -> GoTrainConfig:
    """The configuration that the parts of a run are made with: without the nets of the panel, as units name their nets
    themselves.
    """
    return msgspec.structs.replace(config, resolved={"foible": __version__, **this_machine()})


def may_differ(*, any_processor: bool) -> list[str]:
    """The keys in which the configuration of a part may differ from that of the run."""
    return [*MAY_CHANGE, *([PROCESSOR] if any_processor else [])]


def to_text(config: GoTrainConfig) -> str:
    """The configuration as text for units: JSON, in which numbers may be infinite."""
    return json.dumps(msgspec.to_builtins(config))


def play_games_part(
    folder: str, text: str, number: int, net: dict[str, Any], starts: list[Any], may_change: list[str]
) -> None:
    """Play games of a generation's self-play in a worker, in the folder of a part.

    :param text: the configuration, as `to_text` of `made_with`.
    :param number: the number of the generation.
    :param net: the net that plays, a `NetFile` as plain values.
    :param starts: the games to play, each a `Start` as plain values.
    :param may_change: keys in which this machine may differ from the one that wrote the text.
    :raises ConfigError: the folder is not there on this machine; or the net or the processor is another here.
    """
    given = msgspec.convert(starts, list[Start])
    with _opened(folder, text, may_change, GAMES, GoSelfplayRecord) as (config, journal, live):
        played = GenerationPlay.of(config, number, msgspec.convert(net, NetFile).open(config))
        selfplay = played.part(given, journal, live.tell)
        with interruptible(selfplay.stop):
            selfplay.play()
        if len(journal.items) < len(given):
            raise KeyboardInterrupt


def play_match_part(folder: str, text: str, contest: dict[str, Any], numbers: list[int], may_change: list[str]) -> None:
    """Play games of a match in a worker, in the folder of a part. Other parameters and errors as `play_games_part`.

    :param contest: the match, a `Contest` as plain values.
    """
    match = msgspec.convert(contest, Contest)
    with _opened(folder, text, may_change, MATCHES, GoRecord) as (config, journal, live):
        match.play(config, journal, numbers, live.tell)
        if len(match.own(journal.items)) < len(numbers):
            raise KeyboardInterrupt


@contextmanager
def _opened(
    folder: str, text: str, may_change: list[str], file: str, kind: type[G]
) -> Iterator[tuple[GoTrainConfig, Journal[G], LiveFile]]:
    """Open the folder of a part in a worker, to begin it or go on with it."""
    plain, part = json.loads(text), Path(folder)
    config = msgspec.convert(plain, GoTrainConfig)
    own = msgspec.to_builtins(made_with(config))
    check_same(own, plain, run_of(part), may_change)
    with RunFolder(part, "go training") as run, Journal(part / file, kind) as journal:
        run.settle(own, may_differ(any_processor=True), begun=bool(journal.items))
        with LiveFile(part) as live:
            yield config, journal, live
