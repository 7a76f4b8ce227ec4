"""`foible games`: statistics of PGN games."""

import re
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Annotated

import typer
from rich.cells import cell_len

from foible.analysis.games.game_files import read_files
from foible.analysis.games.games_report import files_json, games_line, write
from foible.analysis.games.games_tables import HOW_TO_READ, printed_tables
from foible.analysis.games.opening_names import NO_TABLE, read_openings
from foible.analysis.report_page import Table
from foible.errors import ConfigError
from foible.games.phases import PhaseTable
from foible.interfaces.cli.options import input_path
from foible.interfaces.cli.output import Console, Json, examples, print_json, print_table, say, say_left_out
from foible.interfaces.cli.progress import progress_line
from foible.runs.folder import check_folder

GAMES_EXAMPLES = examples(
    "foible games games.pgn",
    "foible games selfplay-5.pgn selfplay-off.pgn.xz --out statistics",
    "foible games games.pgn --eco a.tsv --eco b.tsv --json",
    "foible games games.pgn --phases --table legacy --out statistics",
)
HEADING = 12
"""The most characters of a line in the heading of a column of numbers."""
FRAME = 3
"""Characters that a column of a table takes beside its texts: a line and two spaces."""


def games(
    files: Annotated[
        list[Path],
        typer.Argument(
            metavar="FILE...", help='PGN files, plain or packed. "-" is standard input.', show_default=False
        ),
    ],
    out: Annotated[
        Path | None,
        typer.Option(help="Also write JSON, CSV, plots and a page into this folder.", show_default=False),
    ] = None,
    eco: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="TABLE",
            help="Names of openings for games without the tags ECO and Opening: tab-separated eco, name, pgn, named in"
            " the first line. May be repeated.",
            show_default=False,
        ),
    ] = None,
    phases: Annotated[
        bool, typer.Option("--phases", help="Also how the games go through opening, middlegame and endgame.")
    ] = False,
    table: Annotated[
        PhaseTable | None,
        typer.Option(
            help="Scores of mixedness, by which --phases tells opening and middlegame apart.", show_default="current"
        ),
    ] = None,
    json: Json = False,
) -> None:
    """Statistics of games: results, (w+l)/d, repetition, length, ends, openings, material, complications.

    A game counts as repeated up to full move k when another game of its file has the same start position and the same
    first 2k plies; a game that ended before counts when another one is the same from beginning to end. Several files
    are compared, and all their games are taken together.

    Openings are named by the tags ECO and Opening. What these leave open is named by TABLE, in the layout of
    lichess-org/chess-openings: by the last position of the game that is in it.

    With --phases: positions, starts and results of opening, middlegame and endgame; as figures and in JSON also starts,
    phases, mixedness, pieces and sparse backranks by move. The scores of mixedness are lichess' of today (current),
    those before June 2025 (legacy) or CrazyAra's (engine).

    JSON holds the numbers of all games at the top, and those of each file under "files"; "decisive_ratio" is null
    where no game was drawn. OUT gets games.json, games.csv (one row per game), the tables as CSV, the plots as SVG and
    PNG, and report.html; it must not be the folder of a run.
    """
    if table and not phases:
        raise ConfigError(f"--table {table}: expected --phases with it")
    if out is not None:
        check_folder(out)
    openings = read_openings(eco) if eco else NO_TABLE
    with progress_line("games") as line:
        statistics = read_files(
            [input_path(file) for file in files],
            openings,
            partial(line.show, "reading"),
            (table or "current") if phases else None,
        )
    for file in statistics.files:
        say_left_out(file.name, file.skipped, file.reasons)
    if out is not None:
        write(statistics, out)
    if json:
        print_json(files_json(statistics))
        return
    for number, printed in enumerate(printed_tables(statistics)):
        _print("\n" * bool(number) + printed.title, printed)
    console = Console(highlight=False)
    console.print(f"\nIn all tables: {HOW_TO_READ}.", soft_wrap=not console.is_terminal)
    for file in statistics.files:
        say(f"{file.name}: {games_line(file)}")
    if out is not None:
        console.print(f"\npage, tables and plots: {out}", soft_wrap=True)


def _print(title: str, table: Table) -> None:
    """Print a table: on a terminal in parts that fit its width, each with the rows' names; elsewhere in one piece."""
    columns, rows, console = table.columns, table.texts(), Console()
    if not console.is_terminal:
        print_table(title, columns, rows, note=table.note)
        return
    columns = tuple(map(_heading, columns))
    parts = list(_parts(columns, rows, console.width))
    for part in parts:
        texts = [[row[i] for i in part] for row in rows]
        note = table.note if part == parts[-1] else ""
        print_table(title if part == parts[0] else "", [columns[i] for i in part], texts, note=note)


def _parts(columns: Sequence[str], rows: Sequence[Sequence[str]], width: int) -> Iterator[list[int]]:
    """The columns of each part of a table: the first column, and as many of the others as fit beside it."""
    columns_of_texts = zip(columns, *rows, strict=True)
    widths = [
        FRAME + max(cell_len(line) for cell in column for line in cell.split("\n")) for column in columns_of_texts
    ]
    first = min(widths[0], width // 3)
    part, used = [0], first
    for index in range(1, len(widths)):
        if len(part) > 1 and used + widths[index] >= width:
            yield part
            part, used = [0], first
        part.append(index)
        used += widths[index]
    yield part


def _heading(name: str) -> str:
    """A file's name on lines that are no wider than a number with its error, broken between words where possible."""
    lines = [""]
    for word in re.findall(rf"[^\W_]{{1,{HEADING}}}[\W_]?|[\W_]", name):
        if len(lines[-1]) + len(word.rstrip()) > HEADING:
            lines.append("")
        lines[-1] += word
    return "\n".join(line.strip() for line in lines)
