"""`foible sweep`: one match for every combination of player, visits and opponent."""

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

from foible.arena.sweep.config import read_sweep
from foible.arena.sweep.progress import SweepProgress
from foible.arena.sweep.results import Result, failures, standings, title
from foible.arena.sweep.run import sweep as play_sweep
from foible.interfaces.cli.match import say_stand_ins
from foible.interfaces.cli.options import AnyProcessor, On
from foible.interfaces.cli.output import (
    Console,
    Json,
    examples,
    print_json,
    print_standings,
    print_table,
    say,
    say_more_than_asked,
    stopped,
)
from foible.interfaces.cli.progress import progress_line
from foible.scale import open_executor
from foible.wording import PLUS_MINUS

SWEEP_EXAMPLES = examples(
    "foible sweep examples/sweep.toml --out runs/queen-odds",
    "foible sweep examples/sweep.toml --out runs/queen-odds --games 300",
    "foible sweep examples/tournament.toml",
)

COLUMNS = ("opponent", "player", "nodes", "games", "different", "win share", "wins", "draws", "losses", "Elo [95 %]")

SPARE = ("different", "draws", "losses", "wins")
"""Columns left out on a narrow terminal, in this order."""


def sweep(
    config: Annotated[Path, typer.Argument(help="TOML file with the match and the grid.", show_default=False)],
    out: Annotated[
        Path | None, typer.Option(help="Folder; runs/NAME of the configuration when absent.", show_default=False)
    ] = None,
    games: Annotated[
        int | None, typer.Option(min=1, help="Games of every cell, in place of the file's.", show_default=False)
    ] = None,
    on: On = "inline",
    any_processor: AnyProcessor = False,
    as_json: Json = False,
) -> None:
    """Play a grid of matches (players × visits × opponents) and draw win share against visits; or a tournament.

    Without visits in the grid it is a gauntlet, and without opponents everybody plays everybody: both end in one table
    with Elo and LOS.

    The folder holds sweep.csv, sweep.json, sweep.png and sweep.svg, and a run folder for every cell, as `foible match`
    makes them. The same command continues a sweep that was stopped or killed, and more --games extend it; values may be
    added to the grid. The cells advance alike: whenever it is stopped, all have begun similar numbers of games. They
    are played side by side; only those with engines or clocks go one after the other, the cheapest first. Where there
    are such, and with --on, all cells advance in rounds, to a quarter, a half and all of their games.
    """
    cells = read_sweep(config, games)
    folder = out or Path("runs") / config.stem
    console = Console(stderr=True, highlight=False)
    say_stand_ins((cell.config for cell in cells), console)
    with open_executor(on) as executor, progress_line("games") as line:
        results = play_sweep(
            cells,
            folder,
            lambda now: line.show("sweep", now.finished, now.total, left=now.left, note=_note(now)),
            executor=executor,
            any_processor=any_processor,
        )
    ranking = standings(results)
    if as_json:
        stand = {"standings": ranking.to_json()} if ranking else {}
        print_json({"cells": [result.to_json() for result in results], **stand})
    else:
        heading = f"{title(results)}, from the view of the player under test"
        print_table(heading, COLUMNS, _rows(results), left=2, spare=SPARE, note=PLUS_MINUS)
        for result in results:
            if result.report and not result.report.sample.n:
                say(f"{result.report.focal} against {result.report.alter}: {result.report.repetition}")
        if ranking:
            print_standings(ranking)
        for failed in failures(results):
            say(f"failures of {failed.team}: {failed}")
        written = "table, figure and games" if (folder / "sweep.svg").exists() else "table and games"
        Console(highlight=False).print(f"{written}: {folder}", soft_wrap=True)
    played, total = sum(result.games for result in results), sum(2 * cell.config.pairs for cell in cells)
    if any(result.games > 2 * result.cell.config.pairs for result in results):
        say_more_than_asked(2 * cells[0].config.pairs)
    if not all(result.over for result in results):
        stopped(f"after {played} of {total} games")


def _rows(results: list[Result]) -> Iterator[tuple[object, ...]]:
    for result in results:
        cell, games = result.cell, result.games
        losses, draws, wins = result.tally.counts
        elo = result.elo and str(result.elo)
        yield cell.opponent, cell.player, cell.nodes, games, result.different, result.percent, wins, draws, losses, elo


def _note(now: SweepProgress) -> str:
    rate = f"{now.rate:.1f} games/s"
    if now.speed is None:
        return f"{rate}  {now.workers} workers"
    return f"{rate}  {now.speed.note}" if now.speed.nets else rate
