"""`foible go games`: the self-play of a training run, and one game of it move by move."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import msgspec
import typer

from foible.analysis.go import draw_selfplay
from foible.analysis.go.selfplay_game import (
    Opinion,
    Origin,
    draw_line,
    game_name,
    sgf_path,
    whole_line,
    write_games,
)
from foible.analysis.go.selfplay_statistics import (
    Calibration,
    GenerationGames,
    Histogram,
    generation_games,
    mean_and_deviation,
    pooled,
)
from foible.analysis.go.training_runs import RecordedGoSelfplay, read_run
from foible.errors import ConfigError
from foible.games.go import margin_text
from foible.interfaces.cli.options import Out, PictureFile, picture_file
from foible.interfaces.cli.output import Json, examples, print_json, print_table
from foible.interfaces.cli.progress import progress_line
from foible.runs.files import write_atomically
from foible.runs.folder import check_folder
from foible.selfplay.go.record import GoSelfplayRecord, Id
from foible.wording import percent, signed

GAMES_EXAMPLES = examples(
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
"""Columns left out on a narrow terminal, in this order."""


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
    """The self-play of a training run: komi, branches, results, and whether games end as they were predicted.

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
    played, calibration, files = _read_generations(opened, chosen(opened, generations), sgf)
    if picture is not None:
        write_atomically(picture.path, draw_selfplay(played, calibration, picture.kind))
    if as_json:
        lines = [{**generation.to_json(), "finished": generation.number in opened.finished} for generation in played]
        print_json({"run": str(run), "generations": lines, "calibration": calibration.to_json()})
        return
    notes = [
        f"generation {g.number} is under way: {g.games} of {opened.wanted} games so far, the short ones first"
        for g in played
        if g.number not in opened.finished and g.games < opened.wanted
    ]
    notes += [f"picture: {out}"] if out else []
    notes += [f"{files} SGF files: {sgf}"] if sgf else []
    title = f"self-play of {run}; komi: mean ± standard deviation, of games from the empty board and of branches"
    print_table(title, COLUMNS, map(_row, played), spare=SPARE, note="\n".join(notes))


def chosen(run: RecordedGoSelfplay, text: str | None) -> list[int]:
    """The generations that the text asks for, ascending; all generations with games where it is `None`.

    :raises ConfigError: the text is no number or range, or names no generation with games.
    """
    if not run.numbers:
        raise ConfigError(f"{run.folder}: no generation has games yet")
    match = re.fullmatch(r"(\d{1,9})(?:(-)(\d{0,9}))?", "0-" if text is None else text, re.ASCII)
    if match is None:
        raise ConfigError(f"--generations {text}: expected a number, or a range like 5-10")
    first = int(match[1])
    last = int(match[3]) if match[3] else run.numbers[-1] if match[2] else first
    if match[3] and last < first:
        raise ConfigError(f"--generations {text}: expected a number, or a range like 5-10")
    numbers = [number for number in run.numbers if first <= number <= last]
    if not numbers:
        numbers_with_games = f"{run.numbers[0]} to {run.numbers[-1]}"
        raise ConfigError(f"--generations {text}: {run.folder} has no games of it; there are {numbers_with_games}")
    return numbers


def _read_generations(
    run: RecordedGoSelfplay, numbers: Sequence[int], sgf: Path | None
) -> tuple[list[GenerationGames], Calibration, int]:
    """Statistics of the generations, their pooled calibration, and the number of SGF files written to folder `sgf`."""
    found, calibrations, files = [], [], 0
    with progress_line("generations") as line:
        for done, number in enumerate(numbers, 1):
            games = run.games(number)
            found.append(generation_games(number, games))
            calibrations.append(Calibration.of(games))
            if sgf is not None:
                files += write_games(games, Origin.of(run, number, games), sgf)
            line.show("reading", done, len(numbers))
    return found, pooled(calibrations), files


def _row(generation: GenerationGames) -> tuple[object, ...]:
    lengths = mean_and_deviation(generation.lengths)
    return (
        generation.number,
        generation.games,
        generation.branches,
        None if lengths is None else f"{lengths[0]:.1f}",
        _spread(generation.komi),
        _spread(generation.branch_komi),
        *(
            percent(share.value, share.standard_error)
            for share in (generation.black, generation.halves, generation.capped)
        ),
    )


def _spread(komi: Histogram) -> str | None:
    found = mean_and_deviation(komi)
    return found and f"{found[0]:z.1f} ± {found[1]:.1f}"


MOVE_COLUMNS = ("move", "", "komi", "margin", "beta", "net", "search", "visits")
MOVE_MEANING = "before each move: Black's margin after komi, and Black's winrate by the net alone and by the search"


def show_game(
    run: RecordedGoSelfplay, text: str, sgf: Path | None, picture: PictureFile | None, *, as_json: bool
) -> None:
    """Print a game, and draw and write it where that is asked for.

    :raises ConfigError: there is no such game, or it says nothing of margins and a picture is asked for.
    """
    number, name = _parsed(text)
    if number not in run.numbers:
        raise ConfigError(f"--game {text}: {run.folder} has no games of generation {number}")
    games = run.games(number)
    parents = {game.id: game for game in games}
    if name not in parents:
        raise ConfigError(f"--game {text}: generation {number} has no game {game_name(name)}")
    game = parents[name]
    line = whole_line(game, parents)
    notes = []
    if picture is not None:
        if not any(one.margin is not None for one in line):
            raise ConfigError(f"--game {text}: its net has a single value; there is no margin to draw")
        write_atomically(picture.path, draw_line(line, game.margin + game.komi, picture.kind))
        notes.append(f"picture: {picture.path}")
    if sgf is not None:
        write_games([game], Origin.of(run, number, games), sgf)
        notes.append(f"SGF: {sgf_path(sgf, number, name)}")
    if as_json:
        print_json(_game_json(number, game, line))
        return
    ended = margin_text(game.margin) if game.margin else "drawn"
    origin = f"; from move {len(game.inherited) + 1} on its own" if game.is_branch else ""
    title = f"generation {number}, game {game_name(name)}: {ended}{origin}"
    print_table(f"{title}\n{MOVE_MEANING}", MOVE_COLUMNS, map(_move_row, line), left=2, note="\n".join(notes))


def _parsed(text: str) -> tuple[int, Id]:
    match = re.fullmatch(r"(\d{1,9})/(\d{1,9}(?:-\d{1,9})*)", text, re.ASCII)
    if match is None:
        raise ConfigError(f"--game {text}: expected GENERATION/GAME, as 12/21, or of a branch 12/21-0")
    return int(match[1]), tuple(map(int, match[2].split("-")))


def _move_row(opinion: Opinion) -> tuple[object, ...]:
    return (
        opinion.ply + 1,
        f"{'White' if opinion.ply % 2 else 'Black'} {opinion.move}",
        f"{opinion.komi:g}",
        None if opinion.margin is None else signed(opinion.margin, 2),
        None if opinion.beta is None else f"{opinion.beta:.3f}",
        percent(opinion.net),
        percent(opinion.search),
        f"{opinion.visits.get(opinion.move, 0)} of {sum(opinion.visits.values())}",
    )


def _game_json(number: int, game: GoSelfplayRecord, line: list[Opinion]) -> dict[str, object]:
    return {
        "generation": number,
        "game": game_name(game.id),
        "komi": game.komi,
        "margin": game.margin,
        "inherited": len(game.inherited),
        "moves": msgspec.to_builtins(line),
    }
