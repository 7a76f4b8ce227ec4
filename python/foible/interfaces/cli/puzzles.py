"""`foible puzzles`: puzzles from games and positions; and `foible puzzle-ratings`: how hard they are for people."""

from collections.abc import Callable, Iterable
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from foible.analysis.puzzles.criterion import Criterion
from foible.analysis.puzzles.difficulty import (
    FEATURES,
    FEWEST,
    LEVELS,
    WEIGHTS,
    RatingCheck,
    chances,
    check_ratings,
    features,
    fit_weights,
    human_nets,
    ratings,
)
from foible.analysis.puzzles.mining import MiningJournal, mine, settings
from foible.analysis.puzzles.mining_parts import Mining, MiningParts
from foible.analysis.puzzles.mining_sources import Census, expand, take_census
from foible.analysis.puzzles.mining_stages import REASONS
from foible.analysis.puzzles.puzzle_files import solution_text, write_all
from foible.analysis.puzzles.puzzle_table import read_table
from foible.analysis.workers import Workers
from foible.engines.pool import EnginePool
from foible.engines.programs import installed_stockfish
from foible.errors import ConfigError, GameFileError
from foible.fields import LARGEST
from foible.interfaces.cli.options import AnyProcessor, On, Precision, Runtime, Threads, check_files
from foible.interfaces.cli.output import (
    Json,
    examples,
    print_json,
    print_table,
    say,
    say_left_out,
    stopped,
    write_lines,
)
from foible.interfaces.cli.progress import progress_line
from foible.nets.choices import MASTER, default_threads
from foible.nets.shelf import NetShelf, Runtimes, short_name
from foible.opponents.net import MAIA_LEVELS
from foible.runs.folder import check_folder
from foible.scale import open_executor
from foible.wording import counted

PUZZLES_EXAMPLES = examples(
    "foible puzzles runs/selfplay --out runs/puzzles-of-selfplay",
    "foible puzzles jane_doe.pgn --player 'Doe, Jane' --out jane",
    "foible puzzles runs/selfplay --out puzzles --on processes:4",
    "foible puzzles club.pgn.xz --n-scl 50 --nodes 1600 --check-nodes 6400 --out hard",
)
DIAL = Criterion()
OFF = "off"
"""The engine that confirms nothing."""
DEPTH = 14
"""The plies that the engine looks ahead."""
LISTED = 20
"""The most puzzles in the table on the terminal; the files hold them all."""


def puzzles(
    sources: Annotated[
        list[Path],
        typer.Argument(
            metavar="SOURCE…",
            help="PGN files (also packed), run folders with PGN in them, positions as .epd or .fen.",
            show_default=False,
        ),
    ],
    out: Annotated[Path, typer.Option(help="Folder of the puzzles and of the journal.")] = Path("runs/puzzles"),
    player: Annotated[
        str | None,
        typer.Option(help="Only what this player missed or allowed, any spelling of the name.", show_default=False),
    ] = None,
    net: Annotated[str, typer.Option(help="The net that looks.")] = MASTER,
    n_scl: Annotated[
        int, typer.Option("--n-scl", min=1, help="Visits of the short look, which overlooks the solution.")
    ] = DIAL.shallow,
    nodes: Annotated[
        int, typer.Option(min=2, max=LARGEST, help="N: visits of the long look, which finds it.")
    ] = DIAL.nodes,
    check_nodes: Annotated[
        int, typer.Option(min=2, max=LARGEST, help="Visits of the search that confirms it.")
    ] = DIAL.check_nodes,
    delta: Annotated[float, typer.Option(help="Win probability between the looks, 0 to 1.")] = DIAL.delta,
    margin: Annotated[float, typer.Option(help="Win probability by which other moves are worse.")] = DIAL.margin,
    mistake: Annotated[
        float, typer.Option(help="Win probability that a mistake gives away; in games one must stand beside a puzzle.")
    ] = DIAL.mistake,
    stockfish: Annotated[
        str, typer.Option(metavar="auto|off|PATH", help="Let a UCI engine confirm; auto where stockfish is installed.")
    ] = "auto",
    depth: Annotated[
        int | None,
        typer.Option("--stockfish-depth", min=1, help="Plies that it looks ahead.", show_default=str(DEPTH)),
    ] = None,
    runtime: Runtime = "auto",
    precision: Precision = "auto",
    threads: Threads = None,
    on: On = "inline",
    any_processor: AnyProcessor = False,
    as_json: Json = False,
) -> None:
    """Find positions that a short look misjudges and a long look solves, with one solution and its whole line.

    From games come puzzles beside a mistake: the opponent's last move, or the game's move that missed the solution.
    With --player: what that player missed, and what the player's mistakes allowed others.

    OUT holds puzzles.csv (columns of the lichess table), puzzles.pgn, puzzles.html with boards, and the journal: the
    same command continues after a stop, and looks only at new games of sources that have grown.
    """
    criterion = Criterion(
        shallow=n_scl, nodes=nodes, check_nodes=check_nodes, delta=delta, margin=margin, mistake=mistake
    )
    check_files(sources)
    if stockfish == OFF and depth is not None:
        raise ConfigError(f"--stockfish-depth {depth}: expected an engine with it, not --stockfish off")
    if any(source.resolve() == out.resolve() for source in sources):
        raise ConfigError(f"--out {out}: is a source; choose another folder")
    check_folder(out, "puzzles")
    files = expand(sources)
    with progress_line() as line:
        line.say("reading games")
        census = take_census(files, player)
    for left_out in census.files:
        say_left_out(left_out.file, left_out.games, left_out.reasons)
    shelf = NetShelf(Runtimes(runtime, precision, threads))
    engine, processes = _engine(stockfish), default_threads()
    mining = Mining(
        criterion=criterion, net=net, engine=engine, depth=depth or DEPTH, processes=processes, player=player
    )
    with mining.tools(shelf) as tools, MiningJournal(out, settings(tools, shelf.resolved())) as journal:
        if not as_json:
            say(f"judge: {short_name(net)} at {nodes} nodes, {_confirmation(tools.engines, stockfish)}")

        def work(progress: Callable[[], None]) -> None:
            with open_executor(on) as executor:
                if executor is None:
                    mine(files, tools, journal, progress)
                else:
                    workers = Workers(executor, any_processor)
                    MiningParts(files, mining, tools, shelf, journal, workers).mine(progress)

        interrupted = False
        try:
            _with_line(work, journal, census)
        except KeyboardInterrupt:
            interrupted = True
        write_all(out, journal.puzzles)
    if as_json:
        print_json({"engine": tools.engines.name if tools.engines else None, **_to_json(journal, census, interrupted)})
    else:
        _print(journal, census, out)
    _say_who_rates(tools.human)
    if interrupted:
        stopped()


def _say_who_rates(nets: Iterable[str]) -> None:
    maias = [MAIA_LEVELS[level] for level in LEVELS]
    if (names := list(nets)) != maias:
        say(f"rated by {', '.join(names)}: better by foible nets get {' '.join(maias)}", err=True)


def _engine(stockfish: str) -> str | None:
    if stockfish == OFF:
        return None
    return installed_stockfish() if stockfish == "auto" else stockfish


def _confirmation(engines: EnginePool | None, stockfish: str) -> str:
    if engines is not None:
        return f"confirmed by {engines.name}"
    return "not confirmed by an engine" + (": no stockfish is installed" if stockfish == "auto" else "")


def _to_json(journal: MiningJournal, census: Census, stopped: bool) -> dict[str, Any]:
    return {
        "games": len(journal.done),
        "left_out": census.left_out,
        "positions": journal.positions,
        "seconds": round(journal.seconds, 1),
        "positions_per_second": _rate(journal, 1, journal.positions),
        "puzzles_per_hour": _rate(journal, 3600, len(journal.puzzles)),
        "dropped": journal.dropped,
        "complete": not stopped,
        "puzzles": [{"id": puzzle.id, **asdict(puzzle)} for puzzle in journal.puzzles],
    }


def _rate(journal: MiningJournal, seconds: int, count: int) -> float | None:
    return round(seconds * count / journal.seconds, 1) if journal.seconds else None


def _print(journal: MiningJournal, census: Census, out: Path) -> None:
    found, dropped = journal.puzzles, journal.dropped
    rows = [(words, dropped[reason]) for reason, words in REASONS.items() if dropped[reason]]
    unread = counted(census.left_out, "game")
    left_out = f"; {unread} left out, not to be replayed as chess" if census.left_out else ""
    print_table(
        f"{counted(journal.positions, 'position')} of {counted(len(journal.done), 'game')}{left_out}",
        ("", "positions"),
        [*rows, ("puzzles", len(found))],
        note=f"{_rate(journal, 1, journal.positions)} positions/s, {_rate(journal, 3600, len(found))} puzzles/hour"
        if journal.seconds
        else "",
    )
    if found:
        listed = [(p.id, p.rating, solution_text(p), " ".join(p.themes), p.source) for p in found[:LISTED]]
        columns = ("id", "rating", "solution", "themes", "from")
        more = f"the first {LISTED} of {len(found)}" if len(found) > LISTED else ""
        print_table("", columns, listed, left=5, note=more)
    say(f"boards, PGN and table: {out}/puzzles.html, .pgn, .csv")


def _with_line(work: Callable[[Callable[[], None]], None], journal: MiningJournal, census: Census) -> None:
    """Do the work with a progress line: positions looked at, and puzzles per hour of this call's work."""
    before = len(journal.parts)
    total = journal.positions + sum(n for key, n in census.positions.items() if key not in journal.done)

    def show() -> None:
        new = journal.parts[before:]
        seconds, found = sum(part.seconds for part in new), sum(len(part.puzzles) for part in new)
        rate = f"  {3600 * found / seconds:.0f} puzzles/hour" if seconds else ""
        line.show("looking", journal.looked_at, total, note=f"{len(journal.puzzles)} puzzles{rate}")

    with progress_line("positions") as line:
        work(show)


PUZZLE_RATINGS_EXAMPLES = examples(
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
            help="Write a line of JSON for each puzzle: predicted rating, and how probably each net finds each move.",
            show_default=False,
        ),
    ] = None,
    runtime: Runtime = "auto",
    precision: Precision = "auto",
    threads: Threads = None,
    as_json: Json = False,
) -> None:
    """Predict the ratings of puzzles by nets that play as people do, and compare with the table's own ratings.

    The comparison is by Spearman's rank correlation over the half of the puzzles, chosen by their ids, from which no
    weights are ever taken, with plain guesses beside it.
    """
    nets = human_nets(NetShelf(Runtimes(runtime, precision, threads)))
    _say_who_rates(nets)
    puzzles = list(read_table(table))
    if not puzzles:
        raise GameFileError(f"{table}: no puzzle in it")
    if fit and sum(puzzle.public_rating is not None for puzzle in puzzles) < 100:
        raise GameFileError(f"{table}: fewer than 100 puzzles with a rating by people; --fit needs more")
    found = chances(nets, puzzles)
    weights = fit_weights(puzzles, found) if fit else WEIGHTS
    predicted = ratings([features(puzzle, one) for puzzle, one in zip(puzzles, found, strict=True)], weights)
    if out is not None:
        rows = zip(puzzles, predicted, found, strict=True)
        write_lines(({"id": p.id, "rating": r, "known": p.public_rating, "found": c} for p, r, c in rows), out)
    check = check_ratings(puzzles, found, weights)
    if as_json:
        named = dict(zip(FEATURES, weights, strict=True))
        print_json({"puzzles": len(puzzles), "weights": named, "check": check})
        return
    if fit:
        print_table("rating points", ("", ""), ((n, f"{w:.2f}") for n, w in zip(FEATURES, weights, strict=True)))
    if check is not None:
        _print_check(check)
    else:
        say(f"no comparison: fewer than {FEWEST} puzzles held out with a rating by people")
    mean = sum(predicted) / len(predicted)
    say(f"{len(puzzles)} puzzles, predicted ratings {min(predicted)} to {max(predicted)}, mean {mean:.0f}")


def _print_check(check: RatingCheck) -> None:
    rows = [
        (
            correlation.guess,
            f"{correlation.value:.3f}",
            _range(correlation.low, correlation.high),
            _range(*correlation.behind) if correlation.behind else None,
        )
        for correlation in check.correlations
    ]
    columns = ("guess", "Spearman", "95 % interval", "formula is ahead by")
    note = f"root mean square error {check.error:.0f} points; of the mean rating for all {check.spread:.0f}"
    print_table(f"{check.puzzles} puzzles held out", columns, rows, note=note)


def _range(low: float, high: float) -> str:
    return f"{low:.3f} … {high:.3f}"
