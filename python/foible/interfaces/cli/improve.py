"""`foible improve`: expert iteration."""

from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from foible.interfaces.cli import INTERRUPTED
from foible.interfaces.cli.options import AnyProcessor, On
from foible.interfaces.cli.output import Console, Json, examples, print_json, print_table
from foible.interfaces.cli.progress import ProgressLine, progress_line
from foible.runs.folder import check_folder
from foible.scale import open_executor
from foible.training.improve.config import read_config
from foible.training.improve.run import Progress, Report
from foible.training.improve.run import improve as play_rounds

IMPROVE_EXAMPLES = examples(
    "foible improve examples/improve.toml",
    "foible improve examples/improve.toml --out runs/stronger",
    "foible improve examples/improve.toml --on processes:4",
)


def improve(
    config: Annotated[
        Path, typer.Argument(help="TOML file that describes the run; or the folder of one.", show_default=False)
    ],
    out: Annotated[
        Path | None, typer.Option(help="Run folder; runs/NAME of the configuration when absent.", show_default=False)
    ] = None,
    on: On = "inline",
    any_processor: AnyProcessor = False,
    as_json: Json = False,
) -> None:
    """Make a net stronger by its own search: label positions, learn from them, play the net before; again.

    Each round has a folder: labels/ (`foible label`), net/ (`foible train`) and match/ (`foible match`). The same
    command continues a run that was stopped or killed, in any part. Ctrl-C stops it.
    """
    again = config.is_dir()
    if again:
        check_folder(config, "improvement")
    folder = out or (config if again else Path("runs") / config.stem)
    asked = read_config(config / "config.toml" if again else config)
    with open_executor(on) as executor, progress_line() as line:
        show = partial(_show, line)
        report = play_rounds(asked, folder, show, executor=executor, any_processor=any_processor)
    if as_json:
        print_json(report.to_json())
    else:
        _print(report, folder)
    if len(report.rounds) < report.asked:
        console = Console(stderr=True, highlight=False)
        console.print(f"stopped after {len(report.rounds)} of {report.asked} rounds; the same command continues")
        raise typer.Exit(INTERRUPTED)


def _show(line: ProgressLine, now: Progress) -> None:
    line.show(f"round {now.round}, {now.part}", now.done, now.total, note=now.note)


def _print(report: Report, folder: Path) -> None:
    columns = ("round", "labelled", "search agrees with games", "loss", "games", "against the round before")
    rows = [
        (
            str(one.number),
            str(one.labelled),
            "" if one.agreement is None else f"{one.agreement:.1%}",
            "" if one.loss is None else f"{one.loss:.4f}",
            str(one.games),
            "" if one.share is None or one.error is None else f"{one.share:.1%} ± {one.error:.1%}",
        )
        for one in report.rounds
    ]
    print_table("expert iteration", columns, rows, note=f"nets: {folder}/round-*/net")
