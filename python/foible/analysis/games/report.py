"""The statistics as a folder of files: what `foible games --out` writes."""

from pathlib import Path

import msgspec

from foible.analysis.games.phases_plots import phases_plots
from foible.analysis.games.plain import files_json, games_csv
from foible.analysis.games.plots import material_plot, repeated_plot
from foible.analysis.games.reading import GameFiles, GameSet
from foible.analysis.games.tables import HOW_TO_READ, tables_of
from foible.analysis.quality.page import render_page
from foible.files import write_atomically


def write(found: GameFiles, folder: Path) -> None:
    """games.json, games.csv, each table as CSV, each plot as SVG and PNG, and all on one page, report.html.

    :raises OSError: the folder or a file in it cannot be written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    tables, plots = tables_of(found), [repeated_plot(found.files), material_plot(found.files)]
    if found.total.summary.phases:
        plots += phases_plots(found.total.summary.phases)
    write_atomically(folder / "games.json", msgspec.json.format(msgspec.json.encode(files_json(found)), indent=2))
    write_atomically(folder / "games.csv", games_csv(found.files))
    for table in tables:
        write_atomically(folder / f"{table.name}.csv", table.csv())
    for plot in plots:
        write_atomically(folder / f"{plot.name}.svg", plot.data("svg"))
        write_atomically(folder / f"{plot.name}.png", plot.data("png"))
    page = render_page(
        title=title(found),
        summary=[(file.name, games_line(file)) for file in found.files],
        tables=tables,
        figures=[plot.figure() for plot in plots],
        skipped=[f"{file.name}, {reason}" for file in found.files for reason in file.reasons],
        how_to_read=HOW_TO_READ,
    )
    write_atomically(folder / "report.html", page)


def title(found: GameFiles) -> str:
    """How many games of what."""
    source = found.files[0].name if len(found.files) == 1 else f"{len(found.files)} files"
    return f"{_games(found.total.summary.games)} of {source}"


def games_line(games: GameSet) -> str:
    """What there is to know of a file's games beside their statistics."""
    summary = games.summary
    remarks = [
        (games.skipped, "left out: cannot be read"),
        (summary.unfinished, "without a result"),
        (summary.contradicted, "with another result than the rules give the last position; counted as written"),
    ]
    return "; ".join([_games(summary.games), *(f"{_games(number)} {text}" for number, text in remarks if number)])


def _games(number: int) -> str:
    return f"{number} game" if number == 1 else f"{number} games"
