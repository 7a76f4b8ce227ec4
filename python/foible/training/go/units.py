"""What a worker does with a unit of a run from random play: games of a generation's self-play, or of a match.

A part is a folder with the file that the generation has: `games.jsonl` or `matches.jsonl`.
"""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from foible._core import __version__
from foible.arena.go.record import GoRecord
from foible.arena.live import LiveFile
from foible.arena.match import Progress
from foible.nets.shelf import PROCESSOR, this_machine
from foible.runs.folder import RunFolder
from foible.runs.interrupt import interruptible
from foible.runs.journal import Journal
from foible.scale.parts import check_same, run_of
from foible.selfplay.go.play import Progress as GamesProgress
from foible.selfplay.go.record import GoGame
from foible.selfplay.go.starts import Start
from foible.training.go.config import GoTrainConfig
from foible.training.go.contest import Contest, NetFile
from foible.training.go.folder import GAMES, MATCHES, MAY_CHANGE
from foible.training.go.selfplay import GenerationPlay

G = TypeVar("G", bound=msgspec.Struct)


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
    with _opened(folder, text, may_change, MATCHES, GoRecord) as (config, journal, live):

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
