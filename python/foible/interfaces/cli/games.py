"""`foible games`: statistics of PGN games."""

import time
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from foible.analysis.games.openings import NO_TABLE, Openings, read_openings
from foible.analysis.games.plain import files_json
from foible.analysis.games.reading import GameFiles, GameSet, read_files
from foible.analysis.games.report import games_line, write
from foible.analysis.games.tables import HOW_TO_READ, tables_of
from foible.errors import ConfigError
from foible.interfaces.cli.output import Json, examples, print_json, print_table
from foible.interfaces.cli.progress_line import progress_line

EPILOG = examples(
    "foible games games.pgn",
    "foible games selfplay-5.pgn selfplay-off.pgn.xz --out statistics",
    "foible games games.pgn --eco a.tsv --eco b.tsv --json",
)
REASONS = 5
"""Games that cannot be read and are told of one by one, for each file."""
EVERY = 100
"""Games between two looks at the clock."""


def games(
    files: Annotated[
        list[Path], typer.Argument(metavar="FILE...", help="PGN files, plain or packed.", show_default=False)
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
    json: Json = False,
) -> None:
    """Statistics of games: results, (w+l)/d, repetition, length, ends, openings, material, complications.

    A game counts as repeated up to full move k when another game of its file has the same start position and the same
    first 2k plies; a game that ended before counts when another one is the same from beginning to end. Several files
    are compared, and all their games are taken together.

    Openings are named by the tags ECO and Opening. What these leave open is named by TABLE, in the layout of
    lichess-org/chess-openings: by the last position of the game that is in it.

    JSON holds the numbers of all games at the top, and those of each file under "files"; "decisive_ratio" is null
    where no game was drawn. OUT gets games.json, games.csv (one row per game), the tables as CSV, the plots as SVG and
    PNG, and report.html.
    """
    if out is not None and out.exists() and not out.is_dir():
        raise ConfigError(f"--out {out}: is a file; expected a folder")
    found = _read(files, read_openings(eco) if eco else NO_TABLE)
    for file in found.files:
        _say_skipped(file)
    if out is not None:
        write(found, out)
    if json:
        print_json(files_json(found))
        return
    for number, table in enumerate(tables_of(found)):
        print_table("\n" * bool(number) + table.title, table.columns, table.texts(), note=table.note)
    typer.echo(f"\nIn all tables: {HOW_TO_READ}.")
    for file in found.files:
        typer.echo(f"{file.name}: {games_line(file)}")
    if out is not None:
        Console(highlight=False).print(f"\npage, tables and plots: {out}", soft_wrap=True)


def _read(files: Sequence[Path], openings: Openings) -> GameFiles:
    begin = time.monotonic()
    with progress_line() as show:

        def on_game(done: int) -> None:
            if done % EVERY == 0:
                show(f"{done} games, {done / max(time.monotonic() - begin, 1e-3):.0f} games/s")

        return read_files(files, openings, on_game)


def _say_skipped(file: GameSet) -> None:
    for reason in file.reasons[:REASONS]:
        typer.echo(f"{file.name}: left out {reason}", err=True)
    if more := file.skipped - len(file.reasons[:REASONS]):
        typer.echo(f"{file.name}: left out {more} more games", err=True)
