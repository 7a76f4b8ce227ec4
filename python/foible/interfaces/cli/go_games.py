"""`foible go games`: the self-play of a training run."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from foible.analysis.go.selfplay_calibration import Calibration, pooled
from foible.analysis.go.selfplay_figure import draw
from foible.analysis.go.selfplay_games import GenerationGames, Histogram, generation_games, mean_and_deviation
from foible.analysis.go.selfplay_run import SelfplayRun, read_run
from foible.analysis.go.selfplay_sgf import Origin, write_games
from foible.arena.go.cells import percent
from foible.errors import ConfigError
from foible.files import check_folder, write_atomically
from foible.interfaces.cli.go_one_game import show_game
from foible.interfaces.cli.output import Json, examples, print_json, print_table, progress_bar
from foible.interfaces.cli.pictures import Out, picture_file

EPILOG = examples(
    "foible go games runs/train-5x5 --out selfplay.svg",
    "foible go games runs/train-5x5 --generations 20-30 --sgf games",
    "foible go games runs/train-5x5 --game 12/21-0 --out game.svg",
)
COLUMNS = (
    "generation",
    "games",
    "branches",
    "plies",
    "komi",
    "of branches",
    "won by Black",
    "by half a point",
    "length cap",
)
SPARE = ("of branches", "plies", "branches")
"""What a narrow terminal does without, the first of them first."""


def go_games(
    run: Annotated[Path, typer.Argument(help="Folder of foible go train.", show_default=False)],
    generations: Annotated[
        str | None, typer.Option(help="A number, or a range like 5-10 or 5-.", show_default="all")
    ] = None,
    game: Annotated[
        str | None, typer.Option(help="One game instead, as GENERATION/GAME, like 12/21-0.", show_default=False)
    ] = None,
    sgf: Annotated[Path | None, typer.Option(help="Folder for the games as SGF.", show_default=False)] = None,
    out: Out = None,
    as_json: Json = False,
) -> None:
    """The self-play of a training run: komi, branches, results, and whether games end as they were foretold.

    A line for each generation. --out draws komi and half-point results by generation, where branches leave, and
    predicted against realised winrates. --sgf writes each game with what net and search thought at every move. --game
    shows one game, move by move, and draws the komi that the net thought fair. The run may be going on.
    """
    picture = picture_file(out)
    if sgf is not None:
        check_folder(sgf)
    opened = read_run(run)
    if game is not None:
        if generations is not None:
            raise ConfigError("--game names its generation; give it without --generations")
        show_game(opened, game, sgf, picture, as_json=as_json)
        return
    found, calibration, files = _look(opened, chosen(opened, generations), sgf)
    if picture is not None:
        write_atomically(picture.path, draw(found, calibration, picture.kind))
    if as_json:
        lines = [{**one.to_json(), "finished": one.number in opened.finished} for one in found]
        print_json({"run": str(run), "generations": lines, "calibration": calibration.to_json()})
        return
    notes = [
        f"generation {one.number} is under way: {one.games} of {opened.wanted} games so far, the short ones first"
        for one in found
        if one.number not in opened.finished and one.games < opened.wanted
    ]
    notes += [f"picture: {out}"] if out else []
    notes += [f"{files} SGF files: {sgf}"] if sgf else []
    title = f"self-play of {run}; komi: mean ± standard deviation, of games from the empty board and of branches"
    print_table(title, COLUMNS, map(_row, found), spare=SPARE, note="\n".join(notes))


def chosen(run: SelfplayRun, text: str | None) -> list[int]:
    """The generations that were asked for, ascending; all of which there are games when none was.

    :raises ConfigError: the text is no number or range, or names none of them.
    """
    if not run.numbers:
        raise ConfigError(f"{run.folder}: no generation has games yet")
    found = re.fullmatch(r"(\d{1,9})(?:(-)(\d{0,9}))?", "0-" if text is None else text, re.ASCII)
    if found is None:
        raise ConfigError(f"--generations {text}: expected a number, or a range like 5-10")
    first = int(found[1])
    last = int(found[3]) if found[3] else run.numbers[-1] if found[2] else first
    numbers = [number for number in run.numbers if first <= number <= last]
    if not numbers:
        there = f"{run.numbers[0]} to {run.numbers[-1]}"
        raise ConfigError(f"--generations {text}: {run.folder} has no games of it; there are {there}")
    return numbers


def _look(run: SelfplayRun, numbers: Sequence[int], sgf: Path | None) -> tuple[list[GenerationGames], Calibration, int]:
    """The generations in numbers, with a bar; writes the games as SGF where that is asked for, and counts them."""
    found, calibrations, files = [], [], 0
    with progress_bar("generations", len(numbers), run.folder) as move:
        for done, number in enumerate(numbers, 1):
            games = run.games(number)
            found.append(generation_games(number, games))
            calibrations.append(Calibration.of(games))
            if sgf is not None:
                files += write_games(games, Origin.of(run, number, games), sgf)
            move(done)
    return found, pooled(calibrations), files


def _row(one: GenerationGames) -> tuple[object, ...]:
    lengths = mean_and_deviation(one.lengths)
    return (
        one.number,
        one.games,
        one.branches,
        None if lengths is None else f"{lengths[0]:.1f}",
        _spread(one.komi),
        _spread(one.branch_komi),
        *(percent(share.value, share.error) for share in (one.black, one.halves, one.capped)),
    )


def _spread(komi: Histogram) -> str | None:
    found = mean_and_deviation(komi)
    return found and f"{found[0]:z.1f} ± {found[1]:.1f}"
