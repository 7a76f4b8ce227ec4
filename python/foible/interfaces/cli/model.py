"""`foible model`: how well models of players predict, which level explains a player's moves, and which temperature."""

import re
from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from foible.analysis.calibration.calibration_report import (
    BEST_NOTE,
    GROUPS_NOTE,
    METRICS,
    OVERALL,
    OVERALL_NOTE,
    draw_reliability,
    group_columns,
    group_rows,
    overall_rows,
    own_band_summary,
    own_bands,
    to_json,
    values,
)
from foible.analysis.calibration.levels_of_players import player_levels
from foible.analysis.calibration.model_scores import Calibration, calibrate
from foible.analysis.calibration.scored_moves import (
    COLORS,
    GROUPINGS,
    Choice,
    Color,
    Grouping,
    RatedMove,
    draw_sides,
    held_out,
    name_of,
    rated_moves,
)
from foible.analysis.calibration.temperature import COLDEST, HOTTEST, temperature_of
from foible.errors import ConfigError, GameFileError
from foible.games.pgn import PgnReader, read_pgn
from foible.interfaces.cli.options import Precision, Runtime, Threads, check_files, input_path, picture_file
from foible.interfaces.cli.output import Json, examples, print_json, print_table, say
from foible.interfaces.cli.progress import progress_line
from foible.nets.shelf import NetShelf, Runtimes
from foible.opponents.engine import EngineModelSpec
from foible.opponents.game_tags import name_key, nearest_hint
from foible.opponents.spec import EstimateModelSpec, parse_model
from foible.runs.files import write_atomically
from foible.wording import counted

MODEL = (
    "a net (maia-1500, club:1500), a net that thinks (master@28: 28 visits), a rating (1537), a TOML table"
    ' ({kind="floor", of={kind="rating", rating=1537}}), or a .toml file with such keys'
)
RatingRange = Annotated[
    str | None, typer.Option(metavar="LOW-HIGH", help="Only movers with such ratings.", show_default="all")
]
SkipPlies = Annotated[int, typer.Option(min=0, help="Plies at the start of each game that do not count.")]
OneSide = Annotated[Color | None, typer.Option(help="Only the moves of one side.", show_default="both")]
OnePlayer = Annotated[str | None, typer.Option(help="Only the moves of the player of this name.", show_default="all")]

SCORE_EXAMPLES = examples(
    "foible model score club:1500 games.pgn --plot reliability.svg",
    "foible model score runs/me maia-1500 games.pgn --player 'Last, First' --held-out 0.02",
    "foible model score club:1100 1537 '{kind=\"estimate\"}' games.pgn.xz --skip-plies 10 --by rating",
)


def score(
    words: Annotated[
        list[str],
        typer.Argument(
            metavar="MODEL... GAMES", help=f"MODEL: {MODEL}. GAMES: a PGN file, plain or packed.", show_default=False
        ),
    ],
    by: Annotated[
        list[str] | None,
        typer.Option(metavar="rating|phase|ply", help="A breakdown; may be repeated.", show_default="all three"),
    ] = None,
    limit: Annotated[
        int | None, typer.Option(min=1, help="Games from the start of the file.", show_default="all")
    ] = None,
    rating: RatingRange = None,
    skip_plies: SkipPlies = 0,
    color: OneSide = None,
    player: OnePlayer = None,
    per_band: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Players' parts of games in each rating band of 100 points, drawn from the whole file.",
            show_default="all",
        ),
    ] = None,
    seed: Annotated[int | None, typer.Option(min=0, help="Seed of that draw.", show_default="0")] = None,
    share: Annotated[
        float | None,
        typer.Option(
            "--held-out",
            min=0,
            max=0.99,
            metavar="SHARE",
            help="Only games that trainings with hold_out.test = SHARE keep for tests.",
            show_default="all",
        ),
    ] = None,
    plot: Annotated[Path | None, typer.Option(help="Reliability plot, .svg or .png.", show_default=False)] = None,
    runtime: Runtime = "auto",
    precision: Precision = "auto",
    threads: Threads = None,
    json: Json = False,
) -> None:
    """How well models predict the moves that people played.

    Log-loss in nats and top-1, with standard errors clustered by game, overall and by the mover's rating, the phase of
    the game, and the ply; how reliable the probabilities are; and whether each level predicts its own rating band
    best. All models are scored on the same moves, in one pass over the games.
    """
    if len(words) < 2:
        raise ConfigError(f"{words[0]}: expected one or more models, and then a PGN file")
    *names, file = words
    check_files([Path(file)])
    if share == 0:
        raise ConfigError("--held-out 0: no game is kept for tests; expected a share above 0, or none for all games")
    if seed is not None and per_band is None:
        raise ConfigError(f"--seed {seed}: expected --per-band with it")
    picture = picture_file(plot)
    specs = [parse_model(text) for text in names]
    groupings = [_grouping(text) for text in by or GROUPINGS]
    _check_name(player)
    choice = Choice(limit, _range(rating), skip_plies, color, player)
    shelf = NetShelf(Runtimes(runtime, precision, threads))
    models = [spec.build(shelf) for spec in specs]
    drawn = draw_sides(held_out(read_pgn(file), share), choice, per_band, seed or 0) if per_band else None
    games = read_pgn(file)
    try:
        with progress_line("moves") as line:
            calibration = calibrate(
                models,
                rated_moves(held_out(games, share), choice, drawn),
                groupings,
                lambda now: line.show("scoring", now.all.moves, note=_so_far(now)),
            )
    finally:
        for each in models:
            each.close()
    if not calibration.all.moves:
        raise _no_moves(Path(file), games, player)
    if picture is not None:
        write_atomically(picture.path, draw_reliability(calibration, picture.kind))
    levels = [spec.level for spec in specs]
    if json:
        print_json({**to_json(calibration, levels), "skipped": games.skipped})
    else:
        _print(calibration, levels)
        _say_skipped(games)


def _print(calibration: Calibration, levels: list[float | None]) -> None:
    title = f"{counted(calibration.all.moves, 'move')} of {counted(calibration.all.games, 'game')}"
    print_table(title, OVERALL, overall_rows(calibration), note=OVERALL_NOTE)
    for grouping in calibration.by:
        for metric, title in METRICS.items():
            print_table(title, group_columns(calibration, grouping), group_rows(calibration, grouping, metric))
    if calibration.by:
        say("; ".join([GROUPS_NOTE, *([BEST_NOTE] if len(calibration.names) > 1 else [])]))
    for name, impossible in zip(calibration.names, calibration.all.impossible, strict=True):
        if impossible:
            say(f"{name} holds {impossible} of the moves played for impossible: give it a floor")
    if own := own_bands(calibration, levels):
        say(own_band_summary(own))


def _grouping(text: str) -> Grouping:
    for grouping in GROUPINGS:
        if text == grouping:
            return grouping
    raise ConfigError(f"--by {text}: expected one of {', '.join(GROUPINGS)}")


def _range(text: str | None) -> tuple[int, int] | None:
    if text is None:
        return None
    found = re.fullmatch(r"(\d{1,4})[-–](\d{1,4})", text)
    if not found or int(found[1]) > int(found[2]):
        raise ConfigError(f"--rating {text}: expected LOW-HIGH, e.g. 1500-1599")
    return int(found[1]), int(found[2])


def _check_name(player: str | None) -> None:
    """:raises ConfigError: a name has no word in it."""
    if player is not None and not name_key(player):
        raise ConfigError(f"--player {player!r}: expected a name")


def _no_moves(file: Path, games: PgnReader, player: str | None) -> GameFileError:
    """The error where no move counts: of no game, or none of the player."""
    what = "no game has a move that counts" if player is None else f"no move of {player!r} that counts"
    hints = _skipped(games)
    if player is not None and file.is_file():  # a pipe is read but once
        names = {name_of(game, color) for game in read_pgn(file) for color in COLORS}
        hints = [nearest_hint(player, names), *hints] if names else hints
    return GameFileError("; ".join([f"{file}: {what}", *hints]))


def _so_far(calibration: Calibration) -> str:
    """The number of games so far, and the log-loss of the first model on them."""
    loss, error = (column[0] for column in values(calibration.all, "log_loss"))
    return f"{calibration.all.games} games  {calibration.names[0]} {loss:.3f} ± {error:.3f} nats"


def _skipped(games: PgnReader) -> list[str]:
    """A line that says how many games could not be read, if any."""
    if not games.skipped:
        return []
    return [f"{counted(games.skipped, 'game')} could not be read; the first: {games.errors[0]}"]


def _say_skipped(games: PgnReader) -> None:
    for line in _skipped(games):
        say(line)


ESTIMATE_EXAMPLES = examples(
    "foible model estimate games.pgn",
    "foible model estimate games.pgn --player 'Doe, J' --model '{kind=\"estimate\", rating=1600, tau=1.0}'",
)


GAMES_HELP = 'A PGN file, plain or packed; "-" is standard input.'
LEVELS_NOTE = (
    "80 %: of the posterior over the levels. It counts the chance of the moves alone; a rating may lie outside."
)


def estimate(
    file: Annotated[Path, typer.Argument(metavar="GAMES", help=GAMES_HELP, show_default=False)],
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
    precision: Precision = "auto",
    threads: Threads = None,
    json: Json = False,
) -> None:
    """At what level the players of a PGN file play, by their moves alone.

    For each player the most probable level, the mean, and an interval that holds at least 80 %, of the posterior over
    the levels. It tells which level the moves fit, not the rating: of many moves it is narrow, and still the player's
    rating may lie outside, as levels are those of the nets' players.
    """
    _check_name(player)
    spec = parse_model(by_model)
    if not isinstance(spec, EstimateModelSpec):
        raise ConfigError(f'--model {by_model}: expected a model of kind "estimate"')
    model = spec.build(NetShelf(Runtimes(runtime, precision, threads)))
    games = read_pgn(input_path(file))
    with progress_line("games") as line:
        levels = player_levels(
            games,
            model,
            player=player,
            per_game=per_game,
            limit=limit,
            moves=moves,
            on_progress=partial(line.show, "reading"),
        )
    if not levels:
        raise _no_moves(file, games, player)
    rows = [entry.to_json(model.posterior(entry.evidence)) for entry in levels]
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
    print_table(f"Levels by {model.name}", columns, cells, note=LEVELS_NOTE)
    _say_skipped(games)


ENGINE = '{kind="engine", command="stockfish", nodes=2000}'
TEMPERATURE_EXAMPLES = examples(f"foible model temperature '{ENGINE}' games.pgn --rating 1400-1599")


def temperature(
    engine: Annotated[
        str,
        typer.Argument(
            metavar="ENGINE",
            help=f'A model of kind "engine" ({ENGINE}), or a .toml file with one.',
            show_default=False,
        ),
    ],
    file: Annotated[Path, typer.Argument(metavar="GAMES", help=GAMES_HELP, show_default=False)],
    moves: Annotated[int, typer.Option(min=1, help="The most moves that are looked at.")] = 300,
    rating: RatingRange = None,
    skip_plies: SkipPlies = 0,
    color: OneSide = None,
    player: OnePlayer = None,
    json: Json = False,
) -> None:
    """At what temperature an engine plays like the players of a PGN file.

    As a model of a player, an engine plays moves with probabilities that fall by a factor e for each `temperature` of
    win probability that they are worth less than its best one. Of all temperatures this is the one under which the
    moves that were played are most likely; moves without an alternative do not count.
    """
    spec = parse_model(engine)
    if not isinstance(spec, EngineModelSpec):
        raise ConfigError(f'ENGINE {engine}: expected a model of kind "engine", such as {ENGINE}')
    _check_name(player)
    games = read_pgn(input_path(file))
    choice = Choice(None, _range(rating), skip_plies, color, player)
    chosen = list(_first(rated_moves(games, choice), moves))
    if not (count := sum(map(len, chosen))):
        raise _no_moves(file, games, player)
    with closing(spec.build(NetShelf())) as model, progress_line("moves") as line:
        found = temperature_of(chosen, model, lambda done: line.show("engine", done, count))
    if json:
        print_json({"engine": model.engine, **asdict(found), "skipped": games.skipped})
        return
    columns = ("engine", "moves", "temperature", "nats a move")
    fitted = f"{found.temperature:.3f}" + (f" ± {found.standard_error:.3f}" if found.standard_error else "")
    print_table("The temperature that fits", columns, [(model.engine, found.moves, fitted, f"{found.log_loss:.3f}")])
    if found.at_bound:
        say(f"no temperature from {COLDEST:g} to {HOTTEST:g} fits better than those beyond")
    _say_skipped(games)


def _first(games: Iterable[list[RatedMove]], most: int) -> Iterator[list[RatedMove]]:
    """The first moves of some games, game by game."""
    for game in games:
        yield game[:most]
        most -= len(game)
        if most <= 0:
            return


model = typer.Typer(
    help="Models of players: how well they predict, which level explains a player's moves, which temperature.",
    no_args_is_help=True,
    epilog=SCORE_EXAMPLES,
)
for name, command, shown in (
    ("score", score, SCORE_EXAMPLES),
    ("estimate", estimate, ESTIMATE_EXAMPLES),
    ("temperature", temperature, TEMPERATURE_EXAMPLES),
):
    model.command(name, epilog=shown)(command)
