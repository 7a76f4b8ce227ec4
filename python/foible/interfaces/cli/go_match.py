"""`foible go match`: players of Go against each other, and how far they win."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
from rich.progress import Progress as Bar

from foible.analysis.go.plots import draw_by_lambda
from foible.arena.go.cells import COLUMNS, SPARE, Cell, percent
from foible.arena.go.config import GoMatchConfig, read_config, with_changes
from foible.arena.go.endings import remarks
from foible.arena.go.play import CellProgress, play
from foible.arena.go.report import to_json
from foible.arena.go.standings import COLUMNS as STANDINGS
from foible.arena.go.standings import Standings, standings
from foible.arena.go.stats import statistics
from foible.interfaces.cli import INTERRUPTED
from foible.interfaces.cli.output import Json, examples, print_json, print_table

EPILOG = examples(
    "foible go match examples/go/match.toml --out runs/gnugo",
    "foible go match examples/go/match.toml --out runs/gnugo --games 400",
)


def go_match(
    config: Annotated[Path, typer.Argument(help="TOML file with the players.", show_default=False)],
    out: Annotated[
        Path | None, typer.Option(help="Run folder; runs/NAME of the configuration when absent.", show_default=False)
    ] = None,
    games: Annotated[
        int | None,
        typer.Option(min=1, help="Games of each two players, in place of the configuration's.", show_default=False),
    ] = None,
    as_json: Json = False,
) -> None:
    """Play matches of Go, nets and GTP engines, and report strength and margins of victory.

    The run folder holds config.toml, games.jsonl, every game as SGF and report.json, and figures where nets played with
    several lambdas. The same command continues a run that was stopped or killed: no finished game is lost or played
    twice. Ctrl-C stops after the current move. More games, and more players, extend a run.
    """
    asked = with_changes(read_config(config), games=games)
    folder = out or Path("runs") / config.stem
    cells = play_on(asked, folder)
    drawn = draw_by_lambda(cells, asked, folder)
    if as_json:
        print_json(to_json(cells, asked))
    else:
        title = f"Go on {asked.size}×{asked.size}, komi {asked.komi:g}, from the view of the player"
        print_table(title, COLUMNS, [cell.row() for cell in cells], left=2, spare=SPARE)
        for line in remarks([game for cell in cells for game in cell.games]):
            _say(line)
        print_standings(standings(cells))
        say_where("games, report and figures" if drawn else "games and report", folder)
    say_if_stopped(cells, asked)


def play_on(config: GoMatchConfig, folder: Path) -> list[Cell]:
    """Play with a bar that tells how far it is."""
    console = Console(stderr=True, highlight=False)
    columns = (BarColumn(bar_width=20), MofNCompleteColumn(), TextColumn("{task.description}", markup=False))
    bar = Bar(*columns, TimeRemainingColumn(), console=console)

    def show(now: CellProgress) -> None:
        if not bar.task_ids:
            bar.add_task("", total=now.total, completed=now.finished - now.match.new)
            bar.start()
        bar.update(bar.task_ids[0], completed=now.finished, description=_note(now))

    try:
        return play(config, folder, show)
    finally:
        if bar.task_ids:
            bar.stop()


def print_standings(found: Standings | None) -> None:
    """Ratings and cycles, where there are players enough."""
    if found is not None:
        print_table("all players; Elo as if one more game of each two had been drawn", STANDINGS, found.rows())
        for line in found.lines():
            _say(line)


def say_where(what: str, folder: Path) -> None:
    _say(f"{what}: {folder}")


def _say(line: str) -> None:
    Console(highlight=False).print(line, markup=False, soft_wrap=True)


def say_if_stopped(cells: Sequence[Cell], config: GoMatchConfig) -> None:
    """End with the code of an interrupt where games are missing."""
    missing = sum(max(0, config.games - len(cell.games)) for cell in cells)
    if missing:
        Console(stderr=True, highlight=False).print(
            f"stopped with {missing} of {len(cells) * config.games} games to go; the same command continues"
        )
        raise typer.Exit(INTERRUPTED)


def _note(now: CellProgress) -> str:
    rate = f"{now.match.plies / now.match.seconds:.0f} plies/s; " if now.match.seconds else ""
    share = statistics(now.match.finished).share
    so_far = "" if share.value is None else f", {percent(share.value, share.error)}"
    return f"{rate}{now.focal} against {now.opponent}: {len(now.match.finished)}{so_far}"
