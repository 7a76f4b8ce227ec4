"""One line on the error stream that tells how a long job goes: how far, how long still, how fast, what is known so far.

On a terminal it is there while the job runs; elsewhere, in the log of a cluster's job, a line is written every minute.
"""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from rich.console import RenderableType
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from foible.interfaces.cli.output import Console
from foible.mistakes import visible

PATIENCE: Final = 1.0
"""Seconds before the line appears: shorter jobs need none."""
MINUTE: Final = 60.0
"""Seconds between two lines where there is no terminal."""
_BAR_WIDTH: Final = 10
"""Characters of the bar."""


@dataclass(frozen=True, slots=True)
class JobStanding:
    """How a job goes."""

    job: str
    """The name of the job, in a word or two."""
    done: float
    """Units done, including those of earlier processes."""
    total: float | None
    """Units in all; `None` where that is not known."""
    seconds: float
    """Seconds since the first news of the job."""
    new: float
    """Units done since the first news."""
    note: str
    """What is known so far, the most important first: a narrow terminal cuts off the rest."""
    left: float | None
    """Seconds to the end, where the job knows better than its rate tells; else `None`."""

    @property
    def rate(self) -> float | None:
        """Units per second; `None` before anything is done."""
        return self.new / self.seconds if self.new > 0 and self.seconds > 0 else None

    @property
    def seconds_left(self) -> float | None:
        """Seconds to the end; `None` where that is not known."""
        if self.left is not None or self.total is None or self.rate is None:
            return self.left
        return max(0.0, self.total - self.done) / self.rate

    def amount(self, unit: str) -> str:
        """The units done and in all, such as `12/20 games`."""
        total = "" if self.total is None else f"/{self.total:.0f}"
        return f"{self.done:.0f}{total} {unit}".rstrip()

    def words(self, unit: str) -> str:
        """Times, rate, note: `0:01:15 left  2.40 games/s  won 55.0 ± 4.1 %`; without a total, the time so far first."""
        left, rate = self.seconds_left, self.rate
        parts = [str(timedelta(seconds=round(self.seconds)))] if self.total is None else []
        if left is not None:
            parts.append(f"{timedelta(seconds=round(left))} left")
        if rate is not None:
            parts.append(f"{rate:.{2 if rate < 10 else 0}f}{f' {unit}'.rstrip()}/s")
        return "  ".join([*parts, *([self.note] if self.note else [])])


class ProgressLine:
    """The line of the job under way; another job takes it over."""

    def __init__(self, unit: str, console: Console, *, hidden: bool = False) -> None:
        """`unit`: what is counted, in the plural; may be empty. `hidden`: nothing is shown or written."""
        self._unit = unit
        self._console = console
        self._shown = console.is_terminal and not hidden
        """Whether there is a line on a terminal."""
        self._logged = not console.is_terminal and not hidden
        """Whether lines are written, one after the other."""
        self._created = self._written = time.monotonic()
        self._begun = 0.0
        """When the first news of the job came, by the monotonic clock."""
        self._first = 0.0
        """Units done when the first news came."""
        self._standing: JobStanding | None = None
        self._text = ""
        """The text that the line shows in place of a standing."""
        self._live = Live(
            console=console, transient=True, refresh_per_second=4, redirect_stdout=False, get_renderable=self._line
        )

    def show(
        self, job: str, done: float, total: float | None = None, *, note: str = "", left: float | None = None
    ) -> None:
        """Tell how a job stands, in the terms of `JobStanding`."""
        now, last = time.monotonic(), self._standing
        if last is None or last.job != job or done < last.done:
            self._begun, self._first = now, done
        self._standing = JobStanding(job, done, total, now - self._begun, done - self._first, note, left)
        if now - self._created >= PATIENCE:
            self._appear()
        if self._logged and now - self._written >= MINUTE:
            self._written = now
            self._write(self._standing)

    def say(self, text: str) -> None:
        """Show a text in place of a standing."""
        self._standing, self._text = None, text
        self._appear()

    def clear(self) -> None:
        """Take the line away, for other output or at the end; the next news brings it back."""
        if self._live.is_started:
            self._live.stop()

    def _appear(self) -> None:
        if self._shown:
            self._live.start()

    def _write(self, standing: JobStanding) -> None:
        line = f"{standing.job} {standing.amount(self._unit)}  {standing.words(self._unit)}"
        self._console.print(line.strip(), soft_wrap=True)

    def _line(self) -> RenderableType:
        standing = self._standing
        if standing is None:
            return Text(visible(self._text), no_wrap=True, overflow="ellipsis")
        line = Table.grid(padding=(0, 1), expand=True)
        for _ in range(3):
            line.add_column(no_wrap=True)
        line.add_column(no_wrap=True, overflow="ellipsis", ratio=1)
        bar = ProgressBar(standing.total, standing.done, width=_BAR_WIDTH, pulse=standing.total is None)
        line.add_row(standing.job, standing.amount(self._unit), bar, standing.words(self._unit))
        return line


@contextmanager
def progress_line(unit: str = "", *, hidden: bool = False) -> Iterator[ProgressLine]:
    """The line of a command, taken away at the end.

    `unit`: what is counted, in the plural. `hidden`: whether nothing is shown or written.
    """
    line = ProgressLine(unit, Console(stderr=True, highlight=False), hidden=hidden)
    try:
        yield line
    finally:
        line.clear()
