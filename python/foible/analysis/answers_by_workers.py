"""Answers found by workers: each answers some positions, in a folder of the form of `foible.analysis.answers`."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import msgspec
import polars as pl

from foible._core import ChessPosition
from foible.analysis.answers import ABOUT, KEY, LOCK, Answers, Ask, answer_files
from foible.analysis.workers import Workers
from foible.arena.part_work import MergedWork, record_work
from foible.errors import GameFileError
from foible.scale.parts import Parts, Work, check_same, parts_of, run_of
from foible.search.speed import credit, speed_of

MOST_POSITIONS = 2048
"""The most positions in one unit of work."""


@dataclass(frozen=True, slots=True)
class Errand:
    """What a worker needs in order to open the player or judge and answer positions with it."""

    work: Callable[..., None]
    """The function a worker calls for a unit, with the folder, `plain`, `expected`, positions and `may_change`."""
    plain: Any
    """The settings from which the worker opens the player or judge, as plain JSON values."""
    expected: dict[str, Any]
    """What the worker's answers must depend on to count: the same `about`, and the machine."""


class AnswerParts(Parts):
    """The parts of an open folder of answers."""

    noun, largest_unit, lock_name = "positions", MOST_POSITIONS, LOCK

    def __init__(self, answers: Answers, asked: Sequence[ChessPosition], errand: Errand, workers: Workers) -> None:
        """`asked`: the positions to be answered, each once."""
        super().__init__(answers.folder, workers.may_change)
        self._answers, self._asked, self._errand = answers, asked, errand
        self.merged_work = MergedWork()
        """What the nets did for the answers that this object has merged."""

    def missing(self) -> list[int]:
        return [number for number, position in enumerate(self._asked) if position not in self._answers]

    def work(self, numbers: list[int], workers: int) -> Work:
        asked = [self._asked[number] for number in numbers]
        plain = [(position.start_fen, position.chess960, position.moves) for position in asked]
        return self._errand.work, (self._errand.plain, self._errand.expected, plain, self.may_change)

    def take(self, part: Path) -> None:
        if (part / ABOUT).exists():
            check_same(self._errand.expected, _read_about(part), part, self.may_change)
        self.merged_work.add(part, _finished(part))
        self._answers.take(part)


def gather(
    answers: Answers,
    positions: Iterable[ChessPosition],
    errand: Errand,
    workers: Workers,
    on_progress: Callable[[int, int], None] = lambda _done, _total: None,
) -> int:
    """Find the missing answers as `Answers.fill` does, but divide the positions among workers. What their nets do for
    that is credited to this process.

    :raises KeyboardInterrupt: the work was interrupted; the answers found until then are kept.
    :raises FoibleError: as `Executor.run` and `Parts.take`.
    """
    asked, before = list(answers.missing(positions)), len(answers)

    def tell() -> None:
        waiting = sum(map(_finished, parts_of(answers.folder)))
        on_progress(min(len(answers) - before + waiting, len(asked)), len(asked))

    parts = AnswerParts(answers, asked, errand, workers)
    if not parts.play(workers.executor, tell):
        raise KeyboardInterrupt
    credit(parts.merged_work.nets(workers.executor.workers))
    return len(asked)


def answer_part(
    folder: str,
    columns: Mapping[str, pl.DataType],
    ask: Ask,
    about: Mapping[str, Any],
    expected: Mapping[str, Any],
    positions: Sequence[tuple[str, bool, list[str]]],
    may_change: Sequence[str],
) -> None:
    """Answer a unit of positions in a worker process, and store the answers in the folder of its part.

    :param about: what the answers of `ask` depend on in this process, and its machine.
    :param expected: the same, from the process that ordered the work.
    :param positions: each as the FEN of the starting position, whether that is Chess960, and the moves since.
    :param may_change: keys in which this machine may differ from that of the ordering process.
    :raises ConfigError: this machine does not have the folder; or the player, judge or processor differs here.
    """
    part = Path(folder)
    run = run_of(part, ABOUT)
    check_same(about, expected, run, may_change)

    def ordered() -> Iterator[ChessPosition]:
        return (ChessPosition(fen, moves, chess960=odd) for fen, odd, moves in positions)

    with Answers(part, columns, about) as answers:
        found, speed = speed_of(lambda: answers.fill(ordered, ask))
        record_work(part, replace(speed, plies=found))


def _read_about(folder: Path) -> dict[str, Any]:
    try:
        return msgspec.json.decode((folder / ABOUT).read_bytes(), type=dict[str, Any])
    except msgspec.DecodeError as error:
        raise GameFileError(
            f"{folder / ABOUT}: cannot be read ({error}); remove {folder}, and its positions are asked again"
        ) from None


def _finished(folder: Path) -> int:
    """The number of answers so far in a part that another process may still be writing."""
    with suppress(pl.exceptions.PolarsError, OSError):
        return sum(pl.read_parquet(part.read_bytes(), columns=list(KEY)).height for part in answer_files(folder))
    return 0
