"""`foible train`: from games to a net."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
from rich.table import Column

from foible.files import check_folder
from foible.interfaces.cli import INTERRUPTED
from foible.interfaces.cli.output import Json, examples, print_json, print_table
from foible.training.config import read_config, with_changes
from foible.training.data.dataset import load
from foible.training.data.sources import Read
from foible.training.figures import Trained
from foible.training.folder import check_single
from foible.training.run import train_all

if TYPE_CHECKING:
    from foible.training.loop import Progress as TrainingProgress

EPILOG = examples(
    "foible train examples/train.toml",
    "foible train examples/train.toml --out runs/short --steps 2000",
    "foible train examples/train.toml --out runs/spread --seed 1 --seed 2 --seed 3",
    "tensorboard --logdir runs",
)


def train(
    config: Annotated[
        Path, typer.Argument(help="TOML file that describes the training; or the folder of one.", show_default=False)
    ],
    steps: Annotated[
        int | None, typer.Option(min=1, help="Batches in all, in place of the configuration's.", show_default=False)
    ] = None,
    seed: Annotated[
        list[int] | None,
        typer.Option(min=0, help="Seed; with several each has a folder of its own below.", show_default=False),
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="Run folder; runs/NAME of the configuration when absent.", show_default=False)
    ] = None,
    as_json: Json = False,
) -> None:
    """Train a net from games, or fine-tune one.

    The run folder holds the net (net.pb.gz, which lc0 reads too, or net.onnx), checkpoints, log.jsonl and TensorBoard's
    events. The same command continues a training that was stopped or killed, as if nothing had happened, and prints the
    result of one that is over. Ctrl-C stops it.
    """
    again = config.is_dir()
    if again:
        check_folder(config, "training")
        check_single(config, "name their configuration, or one of them")
    folder = out or (config if again else Path("runs") / config.stem)
    asked = with_changes(read_config(config / "config.toml" if again else config), steps=steps, seeds=seed)
    console = Console(stderr=True, highlight=False)
    with _bar(console) as show:
        results = train_all(asked, folder, on_progress=show, read=lambda data: load(data, partial(_say, console)))
    if as_json:
        print_json([one.to_json() for one in results] if asked.seeds else results[0].to_json())
    else:
        _print(results)
    for one in results:
        if one.ended == "spikes":
            console.print(
                f"{one.folder}: ended early, the loss leapt {one.spikes} times; the net is the best one until then"
            )
    last = results[-1]
    if last.ended == "interrupted":
        console.print(f"stopped after step {last.steps}; the same command continues")
        raise typer.Exit(INTERRUPTED)


def _say(console: Console, read: Read) -> None:
    skipped = f", {read.skipped} skipped" if read.skipped else ""
    console.print(
        f"{read.source}: {read.games} games, {read.positions} positions{skipped}", markup=False, soft_wrap=True
    )


@contextmanager
def _bar(console: Console) -> Iterator[Callable[["TrainingProgress"], None]]:
    """A function that shows how a training goes; one bar for each seed."""
    bar = Progress(
        MofNCompleteColumn(),
        BarColumn(bar_width=10),
        TextColumn("{task.fields[note]}", table_column=Column(no_wrap=True, overflow="ellipsis", ratio=1)),
        expand=True,
        console=console,
    )
    bars = {}

    def show(now: "TrainingProgress") -> None:
        if now.folder not in bars:
            bars[now.folder] = bar.add_task("train", total=now.steps, note="")
            bar.start()
        bar.update(bars[now.folder], completed=now.standing.place, note=note(now))

    try:
        yield show
    finally:
        if bar.live.is_started:
            bar.stop()


def note(now: "TrainingProgress") -> str:
    """How long it will take, how fast it goes, and the losses: in the last evaluation, and lately in training.

    What matters most comes first: a narrow terminal cuts off the rest. 80 columns hold it up to the best loss.
    """
    parts = [f"{timedelta(seconds=round(now.seconds_left))} left", f"{now.rate:.0f} pos/s"]
    standing = now.standing
    if now.validation is not None:
        best = "" if standing.best_loss == now.validation.loss else f" (best {standing.best_loss:.4f})"
        parts.append(f"validation {now.validation.loss:.4f}{best}")
    if standing.spikes:
        parts.append(f"spikes {standing.spikes}")
    parts.append(
        " ".join(f"{name} {mean:.3f}" for name, mean in now.means.items() if name in ("policy", "value", "wdl"))
    )
    return "  ".join(parts)


def _print(results: Sequence[Trained]) -> None:
    columns = ("run", "positions of", "step", "loss", "policy", "value", "wdl", "accuracy", "positions")
    rows = [row for result in results for row in _rows(result)]
    nets = ", ".join(str(result.net) for result in results)
    print_table("training", columns, rows, left=2, note=f"net: {nets}", spare=("wdl", "positions"))


def _rows(result: Trained) -> Iterator[tuple[str, ...]]:
    """One for each set, of the tests where there are any."""
    found, kind = (result.test, "test") if result.test else (result.validation, "validation")
    for name, losses in (found.sets if found else {}).items():
        yield (
            result.folder.name,
            f"{kind}, {name}",
            str(result.kept_step),
            f"{losses.loss:.4f}",
            f"{losses.policy:.4f}",
            f"{losses.value:.4f}",
            "" if losses.wdl is None else f"{losses.wdl:.4f}",
            f"{losses.accuracy:.1%}",
            str(losses.positions),
        )
