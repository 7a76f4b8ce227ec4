"""`foible model estimate`: at what level players play."""

from pathlib import Path
from typing import Annotated

import typer

from foible.analysis.calibration.levels import player_levels
from foible.errors import ConfigError, GameFileError
from foible.games.pgn import read_pgn
from foible.interfaces.cli.options import Precision, Runtime, Threads
from foible.interfaces.cli.output import Json, examples, print_json, print_table
from foible.interfaces.cli.progress_line import progress_line, skipped
from foible.nets.shelf import NetShelf, Runtimes
from foible.opponents.parse import parse_model
from foible.opponents.spec import EstimateModelSpec, build_estimate

EXAMPLES = examples(
    "foible model estimate games.pgn",
    "foible model estimate games.pgn --player 'Doe, J' --model '{kind=\"estimate\", rating=1600, tau=1.0}'",
)


def estimate(
    file: Annotated[Path, typer.Argument(metavar="GAMES", help="A PGN file, plain or packed.", show_default=False)],
    by_model: Annotated[
        str,
        typer.Option("--model", metavar="MODEL", help='A model of kind "estimate": prior, tempering, levels.'),
    ] = '{kind="estimate"}',
    player: Annotated[str | None, typer.Option(help="Only the player of this name.", show_default="all")] = None,
    per_game: Annotated[bool, typer.Option("--per-game", help="Every game by itself.")] = False,
    limit: Annotated[
        int | None, typer.Option(min=1, help="Games from the start of the file.", show_default="all")
    ] = None,
    moves: Annotated[
        int | None, typer.Option(min=1, help="Moves of a player that count in each game.", show_default="all")
    ] = None,
    runtime: Runtime = "auto",
    precision: Precision = "f32",
    threads: Threads = None,
    json: Json = False,
) -> None:
    """At what level the players of a PGN file play, by their moves alone.

    For each player the most probable level, the mean, and an interval that holds at least 80 %, of the posterior over
    the levels.
    """
    spec = parse_model(by_model)
    if not isinstance(spec, EstimateModelSpec):
        raise ConfigError(f'--model {by_model}: expected a model of kind "estimate"')
    model = build_estimate(spec, NetShelf(Runtimes(runtime, precision, threads)))
    games = read_pgn(file)
    with progress_line() as show:
        found = player_levels(
            games,
            model,
            player=player,
            per_game=per_game,
            limit=limit,
            moves=moves,
            on_progress=lambda done: show(f"{done} games"),
        )
    if not found:
        raise GameFileError(f"{file}: no game" + (f" of {player}" if player else ""))
    rows = [entry.to_json(model.posterior(entry.evidence)) for entry in found]
    if json:
        print_json(rows)
        return
    columns = ("player", "games", "moves", "stated rating", "most probable", "mean", "80 %")
    cells = [
        (
            f"{row['player']}, game {row['game']}" if per_game else row["player"],
            row["games"],
            row["moves"],
            None if row["rating"] is None else f"{row['rating']:.0f}",
            row["map"],
            f"{row['mean']:.0f}",
            "–".join(map(str, row["interval80"])),
        )
        for row in rows
    ]
    print_table(f"Levels by {model.name}", columns, cells)
    typer.echo(skipped(games), nl=False)
