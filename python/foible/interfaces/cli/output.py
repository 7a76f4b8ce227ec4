"""How results reach the user: JSON, tables that fit the terminal, and streams of lines."""

import os
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import msgspec
import typer
from rich.cells import cell_len
from rich.console import Console as RichConsole, Group
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from foible.interfaces.cli import Stopped
from foible.mistakes import visible
from foible.runs.files import replacing
from foible.wording import counted

if TYPE_CHECKING:
    from foible.arena.standings import Standings

Json = Annotated[bool, typer.Option("--json", help="Print JSON for programs instead of a table.")]

REASONS = 5
"""The most games of a file that were left out and are reported one by one."""
UNLIMITED = 1000
"""The width of a table that goes to a file or a pipe, in characters: nothing is folded there."""


class Console(RichConsole):
    """The console on which commands print. Every text appears as it is: brackets and colons in it, as in a file's name,
    are neither styles nor pictures, and control characters, as in a stranger's tags, cannot act on the terminal.
    """

    def __init__(self, **options: Any) -> None:
        """`options`: as of rich's console."""
        super().__init__(markup=False, emoji=False, **options)

    def render_str(self, text: str, **options: Any) -> Text:
        """Called by rich for every string that is printed, those in tables too."""
        return super().render_str(visible(text), **options)


def say(text: object, *, err: bool = False) -> None:
    """Print a line without folding it, with control characters escaped so that they cannot act on the terminal."""
    typer.echo(visible(str(text)), err=err)


def stopped(how_far: str = "") -> NoReturn:
    """End a command whose job was interrupted before its end, with one line that says so.

    `how_far`: such as `after 3 of 10 games`.
    """
    raise Stopped(f"stopped {how_far}".rstrip() + "; the same command continues")


def say_left_out(file: str, games: int, reasons: Sequence[str]) -> None:
    """Say which games of a file were left out, and why: the first few one by one."""
    for reason in reasons[:REASONS]:
        say(f"{file}: left out {reason}", err=True)
    if more := games - len(reasons[:REASONS]):
        say(f"{file}: left out {counted(more, 'more game')}", err=True)


def say_more_than_asked(games: int) -> None:
    """Say that earlier runs had more than the `games` that are asked for."""
    say(f"earlier runs had more games than the {games} asked for: all of them count", err=True)


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
    section: int | None = None,
) -> None:
    """Print a `table`."""
    console = output_console()
    console.print(table(console, title, columns, rows, left=left, note=note, spare=spare, section=section))


def print_standings(standings: "Standings") -> None:
    """Print where all players stand, and the cycles among them."""
    print_table(standings.heading, standings.columns, standings.rows(), left=2)
    for line in standings.lines():
        say(line)


def output_console() -> Console:
    """A console on the output stream: as wide as the terminal, or wide enough for everything where there is none."""
    console = Console(highlight=False)
    return console if console.is_terminal else Console(width=UNLIMITED, highlight=False)


def table(
    console: Console,
    title: str,
    columns: Sequence[str],
    rows: Iterable[Sequence[object]],
    *,
    left: int = 1,
    note: str = "",
    spare: Sequence[str] = (),
    section: int | None = None,
) -> Group:
    """A table whose first `left` columns hold text; the others hold numbers and stand to the right.

    On a terminal that is too narrow, the columns named in `spare` are left out, as many as needed, in their order.
    A line divides the first `section` rows from the others.
    """
    texts = [["–" if cell is None else visible(str(cell)) for cell in row] for row in rows]
    shown = fit(columns, texts, left, spare, console.width)
    drawn = Table(show_header=any(columns), padding=(0, shown.padding))
    for index, width in zip(shown.columns, shown.widths, strict=True):
        drawn.add_column(columns[index], justify="left" if index < left else "right", overflow="fold", width=width)
    for number, row in enumerate(texts, 1):
        drawn.add_row(*(row[index] for index in shown.columns), end_section=number == section)
    notes = [note] if note else []
    if left_out := [name for index, name in enumerate(columns) if index not in shown.columns]:
        notes.append(f"not shown, for want of room: {', '.join(left_out)}")
    return Group(Text(visible(title)), drawn, *(Text(visible(text)) for text in notes))


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


@dataclass(frozen=True, slots=True)
class Widths:
    """The columns that are shown, how wide their contents are, and the blanks on each side of these."""

    columns: tuple[int, ...]
    widths: tuple[int, ...]
    padding: int


def fit(columns: Sequence[str], rows: Sequence[Sequence[str]], left: int, spare: Sequence[str], room: int) -> Widths:
    """Columns for a table in `room` characters.

    When it is too wide, texts (the first `left` columns) and headers are broken between words, the blanks go, then the
    columns named in `spare`, the first of them first; then all cells are broken between words, and at last within them.
    As long as a column can be spared, a text keeps half of its width.
    """
    everything = tuple(range(len(columns)))
    for padding, dropped in ((1, 0), *((0, count) for count in range(len(spare) + 1))):
        kept = tuple(index for index in everything if columns[index] not in spare[:dropped])
        for breaking in (left, len(columns)) if dropped == len(spare) and not padding else (left,):
            cells = [[columns[index], *(row[index] for row in rows)] for index in kept]
            widest = [max(map(cell_len, _lines(column))) for column in cells]
            least = [
                max(map(cell_len, (*column[0].split(), *(_words(column) if i < breaking else column[1:]), "")))
                for i, column in zip(kept, cells, strict=True)
            ]
            if dropped < len(spare):
                least = [
                    max(n, (width + 1) // 2) if i < left else n for i, n, width in zip(kept, least, widest, strict=True)
                ]
            inside = room - 1 - len(kept) * (1 + 2 * padding)
            if sum(least) <= inside:
                return Widths(kept, _shrunk(widest, least, inside), padding)
    return Widths(kept, _shrunk(widest, [1] * len(kept), inside), padding)


def _shrunk(widths: Sequence[int], least: Sequence[int], room: int) -> tuple[int, ...]:
    """The widths made to fit, the greatest first, none below its least."""
    shrunk = list(widths)
    while sum(shrunk) > room and (shrinkable := [i for i, width in enumerate(shrunk) if width > least[i]]):
        shrunk[max(shrinkable, key=shrunk.__getitem__)] -= 1
    return tuple(shrunk)


def _lines(cells: Sequence[str]) -> list[str]:
    return [line for cell in cells for line in cell.splitlines() or [""]]


def _words(cells: Sequence[str]) -> list[str]:
    return [word for cell in cells for word in cell.split()]
