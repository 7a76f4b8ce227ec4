"""`foible go match` and `foible go panel`: players of Go against each other, and nets on the scale of a panel."""

import math
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from foible.analysis.go.panel_report import CALIBRATION, measure
from foible.analysis.go.panel_scores import PanelResults, PanelScale
from foible.analysis.go.strength_plots import draw_by_lambda
from foible.arena.go.config import GoMatchConfig, read_config, with_changes
from foible.arena.go.panel import nets_in, panel_match, recorded_players
from foible.arena.go.play import CellProgress, play_matches
from foible.arena.go.record import remarks
from foible.arena.go.report import CELL_COLUMNS, SPARE, Cell, standings, statistics, to_json
from foible.fields import LARGEST
from foible.interfaces.cli.options import AnyProcessor, On, RunOut, Threads
from foible.interfaces.cli.output import Json, examples, print_json, print_standings, print_table, say, stopped
from foible.interfaces.cli.progress import ProgressLine, progress_line
from foible.runs.folder import named_run
from foible.scale import open_executor
from foible.wording import PLUS_MINUS, percent, signed

MATCH_EXAMPLES = examples(
    "foible go match examples/go/match.toml --out runs/gnugo",
    "foible go match examples/go/match.toml --out runs/gnugo --games 400",
    "foible go match examples/go/match.toml --out runs/gnugo --on processes:4",
)


def go_match(
    config: Annotated[
        Path,
        typer.Argument(help="TOML file with the players, or the folder of a run to go on with.", show_default=False),
    ],
    out: RunOut = None,
    games: Annotated[
        int | None,
        typer.Option(min=1, help="Games of each two players, in place of the configuration's.", show_default=False),
    ] = None,
    on: On = "inline",
    any_processor: AnyProcessor = False,
    as_json: Json = False,
) -> None:
    """Play matches of Go, nets and GTP engines, and report strength and margins of victory.

    The run folder holds config.toml, games.jsonl, every game as SGF and report.json, and figures where nets played with
    several lambdas. The same command continues a run that was stopped or killed: no finished game is lost or played
    twice. Ctrl-C stops after the current move. More games, and more players, extend a run.
    """
    file, folder = named_run(config, out, "go match")
    asked = with_changes(read_config(file), games=games)
    cells = play_on(asked, folder, on, any_processor=any_processor)
    drawn = draw_by_lambda(cells, asked, folder)
    if as_json:
        print_json(to_json(cells, asked))
    else:
        title = f"Go on {asked.size}×{asked.size}, komi {asked.komi:g}, from the view of the player"
        print_table(title, CELL_COLUMNS, [cell.row() for cell in cells], left=2, spare=SPARE, note=PLUS_MINUS)
        for line in remarks([game for cell in cells for game in cell.games]):
            say(line)
        if found := standings(cells):
            print_standings(found)
        say_where("games, report and figures" if drawn else "games and report", folder)
    say_if_stopped(cells, asked)


def play_on(config: GoMatchConfig, folder: Path, on: str, *, any_processor: bool) -> list[Cell]:
    """Play a match with a progress line; `on` and `any_processor` are the options of the command."""
    with open_executor(on) as executor, progress_line("games") as line:
        return play_matches(config, folder, partial(_show, line), executor=executor, any_processor=any_processor)


def _show(line: ProgressLine, now: CellProgress) -> None:
    line.show("match", now.finished, now.total, left=now.seconds_left, note=_note(now))


def say_where(what: str, folder: Path) -> None:
    say(f"{what}: {folder}")


def say_if_stopped(cells: Sequence[Cell], config: GoMatchConfig) -> None:
    """End with the code of an interrupt where games are missing."""
    told = sum(min(config.games, len(cell.games)) for cell in cells)
    total = len(cells) * config.games
    if told < total:
        stopped(f"after {told} of {total} games")


def _note(now: CellProgress) -> str:
    speed = now.match.speed
    rate = f"{speed.per_second(speed.plies):.0f} plies/s  " if speed.seconds else ""
    rate += f"{now.match.workers} workers  " if now.match.workers != 1 else ""
    share = statistics(now.match.finished).share
    so_far = "" if share.value is None else f", {percent(share.value, share.standard_error)}"
    return f"{rate}{now.focal} against {now.opponent}: {len(now.match.finished)}{so_far}"


PANEL_EXAMPLES = examples(
    "foible go panel runs/a/gen-*/net.txt.gz --panel nets/panel --calibrate --out runs/panel",
    "foible go panel new.txt.gz --panel nets/panel --out runs/panel",
    "foible go panel new.txt.gz --panel p1.txt.gz --panel p2.txt.gz --lambda 0 --lambda 0.5 --out runs/other",
)
PANEL_COLUMNS = ("net", "mean win share", "score")


def go_panel(
    candidates: Annotated[list[str], typer.Argument(metavar="NET...", help="Nets to measure.", show_default=False)],
    panel: Annotated[
        list[str],
        typer.Option(
            metavar="NET",
            help="A net of the panel, or a folder of them, such as that of a training; may be repeated.",
            show_default=False,
        ),
    ],
    out: Annotated[Path, typer.Option(help="Run folder.", show_default=False)],
    games: Annotated[int, typer.Option(min=1, help="Of each net against each net of the panel.")] = 100,
    visits: Annotated[int, typer.Option(min=1, max=LARGEST, help="Per move, of all nets.")] = 100,
    weights: Annotated[
        list[float] | None,
        typer.Option("--lambda", help="Of the measured nets; repeat to measure each with several.", show_default="0"),
    ] = None,
    komi: Annotated[float, typer.Option(help="Points for White.")] = 9.5,
    size: Annotated[int, typer.Option(min=1, max=19, help="Points on a side of the board.")] = 7,
    plies: Annotated[
        int, typer.Option(min=0, max=100, help="Drawn at the start of each game, by the first panel net's policy.")
    ] = 4,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the openings.")] = 0,
    everybody: Annotated[
        bool, typer.Option("--everybody", help="All nets play each other, which tells more of cycles.")
    ] = False,
    calibrate_now: Annotated[
        bool,
        typer.Option("--calibrate", help="Make the scale from these nets, with lambda 0; done once, best with many."),
    ] = False,
    calibration: Annotated[
        Path | None,
        typer.Option(help="A scale made before.", show_default=f"{CALIBRATION} of the run folder, if it is there"),
    ] = None,
    threads: Threads = None,
    on: On = "inline",
    any_processor: AnyProcessor = False,
    as_json: Json = False,
) -> None:
    """Measure nets of Go by their games against a fixed panel of nets.

    The score is the first principal component of the win shares against the panel, found once from the nets that it is
    calibrated with: 0 is their average. The report also has Elo and tells which nets beat each other in cycles.

    The run folder holds what `foible go match` keeps, calibration.json, panel.json and a figure of the scores. The same
    command continues a run that was stopped or killed; further nets may be measured in the same folder,
    and the report is on all of them.
    """
    plan = panel_match(
        candidates,
        [net for place in panel for net in nets_in(place)],
        games=games,
        visits=visits,
        lambdas=weights or [0.0],
        komi=komi,
        size=size,
        plies=plies,
        seed=seed,
        everybody=everybody,
        threads=threads,
        recorded=recorded_players(out),
    )
    play_panel = partial(play_on, on=on, any_processor=any_processor)
    measured = measure(plan, out, calibration=calibration, calibrate_now=calibrate_now, play=play_panel)
    if as_json:
        print_json(measured.to_json())
    else:
        print_table(_panel_title(measured.scale), PANEL_COLUMNS, _panel_rows(measured.results, measured.scale))
        if measured.scale is None:
            say("no scale yet: --calibrate makes one from nets that all met the whole panel")
        if measured.standings:
            print_standings(measured.standings)
        say_where("games, report and figures" if measured.scale else "games and report", out)
    say_if_stopped(measured.cells, plan.match)


def _panel_title(scale: PanelScale | None) -> str:
    if scale is None:
        return "win shares against the panel"
    even, best = signed(scale.even, 2), f"{scale.ceiling:.2f}"
    return f"panel scores (0: the average of {scale.nets} nets, {even}: even with all, {best}: wins all games)"


def _panel_rows(results: PanelResults, scale: PanelScale | None) -> Iterator[tuple[object, ...]]:
    scores = {score.name: score for score in results.scored(scale)} if scale else {}
    for name, share in zip(results.candidates, results.shares.mean(axis=1).tolist(), strict=True):
        score = scores.get(name)
        shown = score and f"{signed(score.value, 3)} ± {score.standard_error:.3f}"
        yield name, None if math.isnan(share) else percent(share), shown
