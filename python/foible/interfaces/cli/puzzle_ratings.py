"""`foible puzzle-ratings`: how hard puzzles are for people, and how well that is foretold."""

from pathlib import Path
from typing import Annotated

import typer

from foible.analysis.puzzles.difficulty import (
    FEATURES,
    LEVELS,
    WEIGHTS,
    chances,
    features,
    human_nets,
    ratings,
)
from foible.analysis.puzzles.rating_check import FEWEST, RatingCheck, check_ratings, fit_weights
from foible.analysis.puzzles.table import read_table
from foible.errors import ConfigError, GameFileError
from foible.interfaces.cli.options import Precision, Runtime, Threads
from foible.interfaces.cli.output import Json, examples, print_json, print_table, write_lines
from foible.nets.shelf import NetShelf, Runtimes

EPILOG = examples(
    "foible puzzle-ratings lichess_puzzles.csv",
    "foible puzzle-ratings lichess_puzzles.csv --fit",
    "foible puzzle-ratings mine/puzzles.csv --out ratings.jsonl",
)


def puzzle_ratings(
    table: Annotated[
        Path,
        typer.Argument(metavar="FILE", help="Puzzles in the columns of the lichess table, CSV.", show_default=False),
    ],
    fit: Annotated[
        bool, typer.Option("--fit", help="Fit the formula to the table's ratings, in place of foible's own weights.")
    ] = False,
    out: Annotated[
        Path | None,
        typer.Option(
            help="Write a line of JSON for each puzzle: foretold rating, and how probably each net finds each move.",
            show_default=False,
        ),
    ] = None,
    runtime: Runtime = "auto",
    precision: Precision = "f32",
    threads: Threads = None,
    as_json: Json = False,
) -> None:
    """Foretell the ratings of puzzles by nets that play as people do, and compare with the table's own ratings.

    The comparison is by Spearman's rank correlation over the half of the puzzles, chosen by their ids, from which no
    weights are ever taken, with plain guesses beside it.
    """
    nets = human_nets(NetShelf(Runtimes(runtime, precision, threads)))
    if not nets:
        raise ConfigError(f"ratings need the nets {', '.join(LEVELS)}: foible nets get NAME fetches one")
    puzzles = list(read_table(table))
    if not puzzles:
        raise GameFileError(f"{table}: no puzzle in it")
    if fit and sum(puzzle.public_rating is not None for puzzle in puzzles) < 100:
        raise GameFileError(f"{table}: fewer than 100 puzzles with a rating by people; --fit needs more")
    found = chances(nets, puzzles)
    weights = fit_weights(puzzles, found) if fit else WEIGHTS
    foretold = ratings([features(puzzle, one) for puzzle, one in zip(puzzles, found, strict=True)], weights)
    if out is not None:
        rows = zip(puzzles, foretold, found, strict=True)
        write_lines(({"id": p.id, "rating": r, "known": p.public_rating, "found": c} for p, r, c in rows), out)
    check = check_ratings(puzzles, found, weights)
    if as_json:
        named = dict(zip(FEATURES, weights, strict=True))
        print_json({"puzzles": len(puzzles), "weights": named, "check": check})
        return
    if fit:
        print_table("rating points", ("", ""), ((n, f"{w:.2f}") for n, w in zip(FEATURES, weights, strict=True)))
    if check is not None:
        _print(check)
    else:
        typer.echo(f"no comparison: fewer than {FEWEST} puzzles held out with a rating by people")
    mean = sum(foretold) / len(foretold)
    typer.echo(f"{len(puzzles)} puzzles, foretold ratings {min(foretold)} to {max(foretold)}, mean {mean:.0f}")


def _print(check: RatingCheck) -> None:
    rows = [
        (one.guess, f"{one.value:.3f}", _range(one.low, one.high), _range(*one.behind) if one.behind else None)
        for one in check.correlations
    ]
    columns = ("guess", "Spearman", "95 % interval", "formula is ahead by")
    note = f"root mean square error {check.error:.0f} points; of the mean rating for all {check.spread:.0f}"
    print_table(f"{check.puzzles} puzzles held out", columns, rows, note=note)


def _range(low: float, high: float) -> str:
    return f"{low:.3f} … {high:.3f}"
