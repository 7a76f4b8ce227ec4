"""How results reach the user: JSON, tables, streams of lines, and a bar for long jobs."""

import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import msgspec
import typer
from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from foible.files import replacing
from foible.interfaces.cli.table_widths import fit

Json = Annotated[bool, typer.Option("--json", help="Print JSON for programs instead of a table.")]

PATIENCE = 2.0
"""Seconds before a bar appears."""

UNLIMITED = 1000
"""Columns of a table that goes to a file or a pipe: nothing is folded there."""


def examples(*lines: str) -> str:
    """The epilog of a command: each example on a line of its own."""
    return escape("\n\n".join(("Examples:", *(f"  {line}" for line in lines))))


def print_json(value: Any) -> None:
    """One JSON document on the output stream."""
    sys.stdout.write(msgspec.json.format(msgspec.json.encode(value), indent=2).decode() + "\n")


def print_table(
    title: str,
    columns: Sequence[str],
    rows: Iterable[Sequence[object]],
    *,
    left: int = 1,
    note: str = "",
    spare: Sequence[str] = (),
) -> None:
    """A table whose first `left` columns hold text; the others hold numbers and stand to the right.

    On a terminal that is too narrow it does without the `spare` columns, as far as needed and the first of them first.
    """
    console = Console()
    if not console.is_terminal:
        console = Console(width=UNLIMITED)
    texts = [["–" if cell is None else str(cell) for cell in row] for row in rows]
    shown = fit(columns, texts, left, spare, console.width)
    table = Table(show_header=any(columns), padding=(0, shown.padding))
    for index, width in zip(shown.columns, shown.widths, strict=True):
        table.add_column(columns[index], justify="left" if index < left else "right", overflow="fold", width=width)
    for row in texts:
        table.add_row(*(escape(row[index]) for index in shown.columns))
    notes = [note] if note else []
    if left_out := [name for index, name in enumerate(columns) if index not in shown.columns]:
        notes.append(f"not shown, for want of room: {', '.join(left_out)}")
    console.print(escape(title), table, *map(escape, notes), sep="\n", highlight=False)


def write_lines(results: Iterable[dict[str, Any]], out: Path | None) -> None:
    """JSON Lines to a file or to the output stream, each line as soon as it is known.

    A file appears only when it is complete: an error leaves what was there before.
    """
    if out is not None:
        with replacing(out, draft=f".{out.name}.{os.getpid()}") as stream:
            stream.writelines(msgspec.json.encode(result) + b"\n" for result in results)
        return
    sys.stdout.flush()
    for result in results:
        sys.stdout.buffer.write(msgspec.json.encode(result) + b"\n")
        sys.stdout.buffer.flush()


@contextmanager
def progress_bar(label: str, total: int | None, out: Path | None) -> Iterator[Callable[[float], None]]:
    """A function that moves a bar to an amount.

    The bar shows up after two seconds, on a terminal that does not show the results themselves.
    """
    console, start = Console(stderr=True), time.monotonic()
    columns = (TextColumn(label), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    bar = Progress(*columns, console=console, transient=True)
    task = bar.add_task(label, total=total)
    hidden = not console.is_terminal or (out is None and sys.stdout.isatty())

    def move(amount: float) -> None:
        if not hidden and time.monotonic() - start > PATIENCE:
            bar.start()
            bar.update(task, completed=int(amount))

    try:
        yield move
    finally:
        if bar.live.is_started:
            bar.stop()


def counted(results: Iterable[dict[str, Any]], move: Callable[[float], None]) -> Iterator[dict[str, Any]]:
    """The same results, each one moving the bar."""
    for number, result in enumerate(results, 1):
        move(number)
        yield result
