"""Statistics of games as plain values for JSON, games as rows of CSV, and the folder that `foible games` writes."""

import csv
import io
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import msgspec

from foible.analysis.estimates import Estimate
from foible.analysis.games.game_files import GameFiles, GameSet
from foible.analysis.games.game_phases import PhaseSummary
from foible.analysis.games.games_plots import material_plot, phases_plots, repeated_plot
from foible.analysis.games.games_summary import Beginning, Summary
from foible.analysis.games.games_tables import HOW_TO_READ, tables_of
from foible.analysis.report_page import render_page
from foible.drawing import write_pictures
from foible.runs.files import write_atomically
from foible.wording import counted

LISTED = 50
"""The number of commonest openings and first moves in JSON."""


def files_json(games: GameFiles) -> dict[str, Any]:
    """The statistics of all games together, with those of each file under `files`.

    Shares are 0 to 1; lengths are in plies, material in pawns.
    """
    total = {**summary_json(games.total.summary), "skipped": games.total.skipped}
    return {**total, "files": [_file(file) for file in games.files]}


def _file(games: GameSet) -> dict[str, Any]:
    skipped = {"skipped": games.skipped, "skipped_reasons": games.reasons}
    return {"file": games.file, **summary_json(games.summary), **skipped}


def summary_json(summary: Summary) -> dict[str, Any]:
    """The statistics of a set of games as plain values, in the units of `files_json`."""
    ratio, length, material, swings = summary.decisive_ratio, summary.length, summary.material, summary.swings
    return {
        "games": summary.games,
        "white": summary.white,
        "draws": summary.draws,
        "black": summary.black,
        "unfinished": summary.unfinished,
        "decisive_ratio": ratio.value,
        "decisive_ratio_95": [ratio.low, ratio.high],
        "shares": {
            "white": _estimate(summary.shares.white),
            "draws": _estimate(summary.shares.draws),
            "black": _estimate(summary.shares.black),
            "white_points": _estimate(summary.shares.points),
        },
        "repeated": {str(move): share for move, share in enumerate(summary.repeated, 1)},
        "length": {
            "mean": _estimate(length.mean),
            "median": length.quantiles.get(50),
            "quantiles": {str(percent): plies for percent, plies in length.quantiles.items()},
            "shortest": length.shortest,
            "longest": length.longest,
        },
        "ends": summary.ends,
        "contradicted": summary.contradicted,
        "complications": {name: _estimate(mean) for name, mean in summary.complications.items()},
        "material": {
            "imbalance": _estimate(material.imbalance),
            "unequal": _estimate(material.unequal),
            "unequal_by_a_piece": _estimate(material.piece),
            "by_ply": {"imbalance": material.by_ply, "games": material.lasting},
        },
        "evaluations": swings
        and {"games": swings.games, "swing": _estimate(swings.swing), "large_swings": _estimate(swings.large)},
        "phases": summary.phases and phases_json(summary.phases),
        "openings": [
            _beginning("eco", beginning) | {"name": beginning.name} for beginning in summary.openings[:LISTED]
        ],
        "first_moves": [_beginning("moves", beginning) for beginning in summary.first_moves[:LISTED]],
    }


def phases_json(phases: PhaseSummary) -> dict[str, Any]:
    """The phases as plain values; lists of three are by phase, and lists by ply begin with ply 1."""
    starts = zip(phases.starts, phases.start_deviations, phases.start_moves, phases.reaching, strict=True)
    return {
        "table": phases.table,
        "position_counts": phases.positions,
        "position_shares": [_estimate(share) for share in phases.shares],
        "games_reaching": phases.reaching,
        "results_by_phase": phases.results,
        "starts": [
            {
                "mean": mean.value,
                "standard_deviation": deviation,
                "standard_error": mean.standard_error,
                "games": games,
                "by_move": by_move,
            }
            for mean, deviation, by_move, games in starts
        ],
        "games_with_backward_step": sum(games for steps, games in phases.backward.items() if steps),
        "games_by_backward_steps": {str(steps): games for steps, games in phases.backward.items()},
        "positions_by_ply": phases.by_ply,
        "sparse_backrank_by_ply": phases.sparse_by_ply,
        "mixedness_by_move": {str(move): asdict(box) for move, box in phases.mixedness.items()},
        "majors_and_minors_by_move": {str(move): asdict(box) for move, box in phases.majors_and_minors.items()},
    }


def games_csv(files: Iterable[GameSet]) -> str:
    """One row per game of every file; `repeated_moves` compares a game with the games of its own file."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(COLUMNS)
    for file in files:
        for game, repeated in zip(file.games, file.summary.repeated_moves, strict=True):
            row = (file.name, game.number, game.white, game.black, game.result, game.end, game.plies)
            swings = game.swings
            measures = (
                *game.complications,
                f"{sum(game.imbalance) / game.plies:.4f}" if game.plies else None,
                swings.plies,
                f"{swings.total / swings.plies:.4f}" if swings.plies else None,
                swings.large,
            )
            writer.writerow((*row, repeated, *game.opening, game.first_moves, *measures))
    return out.getvalue()


COLUMNS = (
    "file",
    "game",
    "white",
    "black",
    "result",
    "end",
    "plies",
    "repeated_moves",
    "eco",
    "opening",
    "first_moves",
    "captures",
    "checks",
    "promotions",
    "castlings",
    "imbalance",
    "evaluated_plies",
    "swing",
    "large_swings",
)


def _estimate(estimate: Estimate) -> dict[str, float | int | None]:
    return {"value": estimate.value, "standard_error": estimate.standard_error, "n": estimate.n}


def _beginning(key: str, beginning: Beginning) -> dict[str, Any]:
    counts = {"games": beginning.games, "white": beginning.white, "draws": beginning.draws, "black": beginning.black}
    return {key: beginning.key or None, **counts}


def write(games: GameFiles, folder: Path) -> None:
    """Write games.json, games.csv, each table as CSV, each plot as SVG and PNG, and all on one page, report.html.

    :raises OSError: the folder or a file in it cannot be written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    tables, plots = tables_of(games), [repeated_plot(games.files), material_plot(games.files)]
    if games.total.summary.phases:
        plots += phases_plots(games.total.summary.phases)
    write_atomically(folder / "games.json", msgspec.json.format(msgspec.json.encode(files_json(games)), indent=2))
    write_atomically(folder / "games.csv", games_csv(games.files))
    for table in tables:
        write_atomically(folder / f"{table.name}.csv", table.csv())
    for plot in plots:
        write_pictures(plot.canvas, folder, plot.name)
    page = render_page(
        title=title(games),
        summary=[(file.name, games_line(file)) for file in games.files],
        tables=tables,
        figures=[plot.figure() for plot in plots],
        skipped=[f"{file.name}, {reason}" for file in games.files for reason in file.reasons],
        how_to_read=HOW_TO_READ,
    )
    write_atomically(folder / "report.html", page)


def title(games: GameFiles) -> str:
    """The title of the report: the number of games and their source."""
    source = games.files[0].name if len(games.files) == 1 else f"{len(games.files)} files"
    return f"{counted(games.total.summary.games, 'game')} of {source}"


def games_line(games: GameSet) -> str:
    """One line on a file's games: their number, and how many were left out, have no result or contradict the rules."""
    summary = games.summary
    remarks = [
        (games.skipped, "left out: cannot be read"),
        (summary.unfinished, "without a result"),
        (summary.contradicted, "with another result than the rules give the last position; counted as written"),
    ]
    told = [f"{counted(number, 'game')} {text}" for number, text in remarks if number]
    return "; ".join([counted(summary.games, "game"), *told])
