"""`foible prep`: where a named player errs in the openings that they play."""

import re
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Annotated, Literal

import typer

from foible.analysis.prep import (
    FAIR_PLAY,
    KnownLine,
    KnownReply,
    Preparation,
    PrepSettings,
    Side,
    TreeSettings,
    base_spec,
    prep_page,
    prep_pgn,
    prepare,
)
from foible.errors import ConfigError
from foible.interfaces.cli.options import Precision, Runtime, Threads, judge_line, judge_option
from foible.interfaces.cli.output import Console, Json, examples, output_console, print_json, print_table, say
from foible.interfaces.cli.progress import progress_line
from foible.interfaces.cli.site_games import (
    Chesscom,
    Games,
    Lichess,
    MaxGames,
    Offline,
    Player,
    Refresh,
    Since,
    SiteOptions,
    games_source,
    rating_remark,
)
from foible.judges.spec import STEADY, parse_judge, usual_judge
from foible.loop import wait
from foible.nets.shelf import NetShelf, Runtimes
from foible.opponents.game_tags import SPEEDS, Speed
from foible.opponents.player_games import HALF_LIFE, mean_rating, read_player_games
from foible.opponents.spec import parse_model
from foible.runs.files import write_atomically
from foible.runs.folder import check_folder
from foible.wording import counted, percent, signed

PREP_EXAMPLES = examples(
    "foible prep --player 'Doe, Jane' --games doe.pgn",
    "foible prep --player jane_doe --games club.pgn.xz --as white --speed blitz --speed rapid",
    "foible prep --lichess jane_doe --as white --speed blitz --speed rapid --max-games 2000",
    "foible prep --chesscom jane_doe --since 2024-01-01",
    "foible prep --player 'Doe, Jane' --games doe.pgn --judge uci:stockfish:depth=12 --base 1700 --out prep-doe",
)

HOW_TO_READ = (
    "\nin % of win probability for us; mistake: the likeliest reply that"
    " loses 5 % or more, how likely it is, and what it loses; games: of the player, that came to the end of the line;"
    " reached: the probability of getting there if we play for it; surplus: the interval's lower end less the V of our"
    " safest move; E: expected after the player's reply, its interval that of the replies' frequencies (the judge's own"
    " errors, some 2 points, are not in it); V: against the best of the likely replies and the judge's own; price: what"
    " V falls short of our safest move's; trappiness: what the reply is expected to lose; trap: probability of a reply"
    " that gives away 10 % or more; reply to know: the best of all legal replies, and what it leaves, perhaps less than"
    " V where it is unlikely"
)
SPARE = ("80 % interval", "trappiness", "price", "reached", "V %", "trap %", "games")
"""The columns that a narrow terminal does without, the first of them first."""
TREE = TreeSettings()


def prep(
    player: Player = None,
    games: Games = None,
    lichess: Lichess = None,
    chesscom: Chesscom = None,
    max_games: MaxGames = None,
    since: Since = None,
    refresh: Refresh = False,
    offline: Offline = False,
    color: Annotated[
        Literal["white", "black"] | None, typer.Option("--as", help="The colour that we play.", show_default="both")
    ] = None,
    speed: Annotated[
        list[str] | None,
        typer.Option(metavar="|".join(SPEEDS), help="Only such games; may be repeated.", show_default="all"),
    ] = None,
    base: Annotated[
        str | None,
        typer.Option(
            help="How others of the level play: a net, a rating, or a table of TOML.",
            show_default="by the player's ratings in the games",
        ),
    ] = None,
    judge: Annotated[str | None, judge_option(STEADY)] = None,
    plies: Annotated[int, typer.Option(min=1, max=40, help="How deep our moves go.")] = TREE.plies,
    min_games: Annotated[int, typer.Option(min=1, help="Games that a position must have come up in.")] = TREE.games,
    positions: Annotated[int, typer.Option(min=1, help="Positions looked at per colour, the commonest.")] = TREE.spots,
    epsilon: Annotated[
        float, typer.Option(min=0, max=1, help="Win probability that a move of ours may lose against best play.")
    ] = TREE.epsilon,
    lines: Annotated[int, typer.Option(min=1, help="Lines per colour.")] = PrepSettings().lines,
    kappa: Annotated[
        float, typer.Option(min=0.001, help="Games for which the level's play counts in each position.")
    ] = PrepSettings().kappa,
    half_life: Annotated[float, typer.Option(min=0.1, help="Months after which a game counts half.")] = HALF_LIFE,
    seed: Annotated[int, typer.Option(min=0, help="Of the posterior draws.")] = 0,
    out: Annotated[
        Path | None,
        typer.Option(help="Write OUT.html and OUT.pgn.", show_default="prep-NAME in this folder"),
    ] = None,
    runtime: Runtime = "auto",
    precision: Precision = "auto",
    threads: Threads = None,
    as_json: Json = False,
) -> None:
    """Prepare against a player: the lines in which they err, from their own games.

    The games are a file's, or those of a user of lichess or chess.com, fetched from there and kept in the cache folder.

    Writes a page with boards (OUT.html) and the lines as PGN with comments (OUT.pgn). For each line: E, our expected
    score if the player goes on as their games and their level predict, with an 80 % interval; V, our score against
    best play; the price of our move; the probability of a mistake; and the reply to know. Lines rank by how far the
    lower end of the interval exceeds the V of our safest move, so that a few games lead nobody astray.

    A hold-out check on the player's later games decides whether their own games are used at all, or their level alone.

    For study and training only: help during rated games against people is cheating on every platform.
    """
    spec, level = parse_judge(judge) if judge else usual_judge(STEADY), parse_model(base) if base else None
    ours = color and color == "white"
    theirs = None if ours is None else not ours
    speeds = _speeds(speed or ())
    if out is not None:  # what can be wrong is told before a site is asked
        _files(out, "", Path())
    shelf = NetShelf(Runtimes(runtime, precision, threads))
    with closing(spec.build(shelf)) as referee:
        source = games_source(
            player,
            games,
            SiteOptions(lichess, chesscom, max_games, since, refresh, offline),
            white=theirs,
            speeds=speeds,
        )
        player_games = read_player_games(source.path, source.player).only(white=theirs, speeds=speeds)
        page, pgn = _files(out, player_games.player, source.path)
        rating = mean_rating(player_games.games, half_life)
        if level is None:
            rating_remark(source.site, rating)
            level = wait(base_spec(rating, player_games.games, shelf))
        if not as_json:
            Console(highlight=False).print(judge_line(referee.name, asked=judge), soft_wrap=True)
        with closing(level.build(shelf)) as model, progress_line("positions") as line:
            report = prepare(
                player_games,
                model,
                referee,
                sides=(True, False) if ours is None else (ours,),
                settings=PrepSettings(
                    TreeSettings(plies, min_games, positions, epsilon), kappa, half_life, lines, seed=seed
                ),
                progress=line.show,
            )
    write_atomically(page, prep_page(report))
    write_atomically(pgn, "".join(prep_pgn(report)))
    if as_json:
        print_json(report.to_json())
        return
    _print(report)
    Console(highlight=False).print(f"\nboards: {page}\nlines as PGN: {pgn}\n{FAIR_PLAY}", soft_wrap=True)


def _files(out: Path | None, player: str, games: Path) -> tuple[Path, Path]:
    """The paths of the page and of the PGN to write, neither of which may be the file that is read.

    :raises ConfigError: it would be, `out` is a folder or has no name, there is no such folder, or it is that of a run.
    """
    stem = out or Path("prep-" + (re.sub(r"\W+", "-", player).strip("-") or "player"))
    if stem.name in ("", ".."):
        raise ConfigError(f"--out {stem}: expected the name of the files to write, without .html and .pgn")
    if out is not None and out.is_dir():  # its owner expects the files in it, not beside it
        raise ConfigError(f"--out {out}: is a folder; expected the name of the files to write, such as {out / 'prep'}")
    page, pgn = (stem.with_name(f"{stem.name}.{suffix}") for suffix in ("html", "pgn"))
    if games.resolve() in (page.resolve(), pgn.resolve()):
        raise ConfigError(f"--out {stem}: would write over {games}; choose another name")
    if not stem.parent.is_dir():
        raise ConfigError(f"--out {stem}: there is no folder {stem.parent}")
    check_folder(stem.parent)
    return page, pgn


def _speeds(words: Sequence[str]) -> list[Speed]:
    for word in words:
        if word not in SPEEDS:
            raise ConfigError(f"--speed {word}: expected one of {', '.join(SPEEDS)}")
    return [speed for speed in SPEEDS if speed in words]


def _print(report: Preparation) -> None:
    check = report.check
    scores = [(f"own games over {report.base}", check.personal), (f"{report.base} alone", check.base)]
    rows = [(name, _error(s.log_loss.value, s.log_loss.standard_error), percent(s.top1.value)) for name, s in scores]
    gain = f"gain {_error(check.gain.value, check.gain.standard_error)} nats a move"
    clearly = "clearly " if check.gain.value is not None and check.gain.value > 0 else ""
    used = "used below" if report.personal else f"not {clearly}better: {report.base} alone is used below"
    predicted = f"{counted(check.base.log_loss.n, 'move')} of {counted(check.predicted, 'later game')} predicted"
    title = f"{report.player}: {counted(report.games, 'game')}; {predicted}"
    print_table(title, ("model", "log-loss", "first guess right"), rows, note=f"{gain}: the own games are {used}")
    for remark in report.remarks:
        say(remark)
    columns = (
        "line",
        "mistake",
        "games",
        "reached",
        "surplus",
        "E %",
        "80 % interval",
        "V %",
        "price",
        "trappiness",
        "trap %",
        "reply to know",
    )
    for side in report.sides:
        title, verdict = f"\nwe have {'White' if side.white else 'Black'}", _verdict(report, side)
        if side.lines:
            title += f": {counted(side.spots, 'position')}, judge {report.judge}"
            lines = map(_row, side.lines)
            print_table(title, columns, lines, left=2, note=verdict, spare=SPARE, section=side.promising)
        else:
            say(f"{title}: {verdict}")
    if any(side.lines for side in report.sides):
        output_console().print(HOW_TO_READ)


def _verdict(report: Preparation, side: Side) -> str:
    if not side.lines:
        least = counted(report.settings.tree.games, "game")
        return f"no position with {report.player} to move came up in {least} or more: --min-games lowers that number"
    if not side.promising:
        return "no surplus above 0: these games show no mistake to rely on"
    return "lines below the rule have no surplus" if side.promising < len(side.lines) else ""


def _row(line: KnownLine) -> tuple[object, ...]:
    found = line.measures
    return (
        line.text,
        _mistake(line.mistake),
        line.games,
        percent(line.reach),
        signed(100 * found.surplus),
        f"{100 * found.expected:.1f}",
        f"{100 * found.low:.1f}–{100 * found.high:.1f}",
        f"{100 * found.safe:.1f}",
        f"{100 * found.price:.1f}",
        f"{100 * found.trappiness:.1f}",
        f"{100 * found.trap_probability:.0f}",
        f"{line.strongest.san} {100 * line.strongest.value:.1f}" if line.strongest else None,
    )


def _mistake(reply: KnownReply | None) -> str | None:
    return None if reply is None else f"{reply.san} {percent(reply.p, digits=0)} (−{100 * (reply.loss or 0.0):.1f})"


def _error(value: float | None, error: float | None) -> str:
    if value is None:
        return "–"
    return f"{value:.4f}".replace("-", "−") + ("" if error is None else f" ± {error:.4f}")
