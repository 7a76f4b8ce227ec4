"""One line that tells how far a long job is, and one that tells what it left out."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from foible.games.pgn import PgnReader


@contextmanager
def progress_line() -> Iterator[Callable[[str], None]]:
    """A function that shows a text and the time so far, where somebody looks on."""
    console = Console(stderr=True, highlight=False)
    columns = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task("reading games")
        yield lambda text: bar.update(task, description=text)


def skipped(games: PgnReader) -> str:
    """A line about the games that could not be read; empty without any."""
    if not games.skipped:
        return ""
    return f"{games.skipped} games could not be read; the first: {games.errors[0]}\n"
