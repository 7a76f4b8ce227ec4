"""`foible selfplay`: a net at play with itself."""

from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from foible.interfaces.cli.match import say_stand_ins
from foible.interfaces.cli.options import PRECISION_HELP, AnyProcessor, On, PrecisionName, RunOut, Settings, settings
from foible.interfaces.cli.output import Console, Json, examples, print_json, print_table, stopped
from foible.interfaces.cli.progress import ProgressLine, progress_line
from foible.runs.folder import named_run
from foible.scale import open_executor
from foible.selfplay.config import read_config, with_changes
from foible.selfplay.play import self_play
from foible.selfplay.progress import SelfplayProgress
from foible.selfplay.report import SelfplayReport
from foible.wording import percent

SELFPLAY_EXAMPLES = examples(
    "foible selfplay examples/selfplay.toml",
    "foible selfplay examples/selfplay.toml --out runs/free --set contempt_visits=off",
    "foible selfplay examples/selfplay.toml --games 5000",
    "foible selfplay examples/selfplay.toml --games 5000 --on processes:4",
)


def selfplay(
    config: Annotated[
        Path, typer.Argument(help="TOML file that describes the run, or its folder to go on with.", show_default=False)
    ],
    games: Annotated[
        int | None, typer.Option(help="Games in all, in place of the configuration's.", show_default=False)
    ] = None,
    nodes: Annotated[int | None, typer.Option(help="Visits per move.", show_default=False)] = None,
    concurrency: Annotated[int | None, typer.Option(help="Games in progress at once.", show_default=False)] = None,
    net: Annotated[str | None, typer.Option(help="A name or a path.", show_default=False)] = None,
    precision: Annotated[PrecisionName | None, typer.Option(help=PRECISION_HELP, show_default=False)] = None,
    seed: Annotated[int | None, typer.Option(help="Seed of the run.", show_default=False)] = None,
    changed: Settings = None,
    out: RunOut = None,
    on: On = "inline",
    any_processor: AnyProcessor = False,
    as_json: Json = False,
) -> None:
    """Play a net against itself and keep every game, with what was searched at every move.

    The run folder holds games.pgn, and as Parquet one row per game (games/) and per move (plies/). The same command
    continues a run that was stopped or killed: no finished game is lost or played twice. Ctrl-C stops it.
    """
    file, folder = named_run(config, out, "self-play")
    asked = with_changes(
        read_config(file),
        settings(changed or []),
        games=games,
        nodes=nodes,
        concurrency=concurrency,
        net=net,
        precision=precision,
        seed=seed,
    )
    console = Console(stderr=True, highlight=False)
    say_stand_ins([asked], console)
    with open_executor(on) as executor, progress_line("games") as line:
        report = self_play(asked, folder, partial(_show, line), executor=executor, any_processor=any_processor)
    if as_json:
        print_json(report.with_speed())
    elif report.games:
        _print(report, folder)
    if report.games < report.asked:
        stopped(f"after {report.games} of {report.asked} games")


def _show(line: ProgressLine, now: SelfplayProgress) -> None:
    line.show("selfplay", now.finished.games, now.total, left=now.seconds_left, note=note(now))


def note(now: SelfplayProgress) -> str:
    """How the games end, how fast moves are made, and how busy the evaluator is."""
    parts = []
    if now.finished.draws:
        parts.append(f"(w+l)/d {now.finished.games / now.finished.draws - 1:.2f}")
    if now.speed.evaluations > 0:
        parts += [
            f"{now.speed.per_second(now.speed.plies):.0f} plies/s",
            now.speed.note,
        ]
    return "  ".join(parts)


def _print(report: SelfplayReport, folder: Path) -> None:
    ends = ", ".join(f"{name} {count}" for name, count in report.terminations.items())
    rows = [
        ("games", f"{report.games}, {report.mean_plies:.1f} plies on average"),
        ("white, draws, black", f"{report.white}  {report.draws}  {report.black}"),
        ("(w+l)/d [95 %]", str(report.decisive_ratio)),
        ("ends", ends),
        ("contempt_visits", "off" if report.contempt_visits is None else f"{report.contempt_visits:.3g}"),
    ]
    if report.resignations:
        false = report.resignations.false
        rows.append(("resigned", str(report.resignations.resigned)))
        share = "none played out" if false.value is None else f"{false.count} of {false.n} played out"
        rows.append(("wrong to resign", f"{share} [{percent(false.interval[0])}, {percent(false.interval[1])}]"))
    if report.speed:
        rows.append(("speed", str(report.speed)))
    print_table("self-play", ("", ""), rows, left=2, note=f"games: {folder}")
