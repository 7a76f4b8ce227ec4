"""`foible go train`: from random play to a net that knows the game."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Annotated

import msgspec
import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

from foible.files import check_folder
from foible.interfaces.cli import INTERRUPTED
from foible.interfaces.cli.go_train_table import show_line
from foible.interfaces.cli.output import Json, examples, print_json
from foible.training.go.config import read_config
from foible.training.go.ending import ended

EPILOG = examples(
    "foible go train examples/go/train-5x5.toml",
    "foible go train runs/train-5x5 --generations 100",
)


def go_train(
    config: Annotated[
        Path, typer.Argument(help="TOML file that describes the run; or the folder of one.", show_default=False)
    ],
    generations: Annotated[
        int | None, typer.Option(min=1, help="In all, in place of the configuration's.", show_default=False)
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="Run folder; runs/NAME of the configuration when absent.", show_default=False)
    ] = None,
    threads: Annotated[int | None, typer.Option(min=1, help="Threads.", show_default="one per processor")] = None,
    as_json: Json = False,
) -> None:
    """Train a Go net from random play: self-play with branches, learning, promotion, generation by generation.

    A line for each generation: losses on held-out games, alpha (the komi that the net thinks fair) and beta (how sure
    it is, per point) of the empty board, Elo by matches with earlier nets. The folder holds every game, every net
    (net.txt.gz, as Leela Zero and SAI write them) and curve.svg. The same command continues a run that was stopped or
    killed; no finished game is lost or played twice. Ctrl-C stops it.
    """
    from foible.training.go.run import Listener  # noqa: PLC0415 torch takes seconds to import
    from foible.training.go.run import go_train as run_all  # noqa: PLC0415

    again = config.is_dir()
    if again:
        check_folder(config, "go training")
    asked = read_config(config / "config.toml" if again else config)
    changes = {"generations": generations, "threads": threads}
    asked = msgspec.structs.replace(asked, **{name: one for name, one in changes.items() if one is not None})
    folder = out or (config if again else Path("runs") / config.stem)
    table = Console(highlight=False, soft_wrap=True)
    with _bar() as show:
        found = run_all(
            asked,
            folder,
            Listener(
                news=lambda now: show(f"gen {now.generation} {now.stage}", now.done, now.total, now.rate),
                generation=lambda one: None if as_json else show_line(table, asked, one),
            ),
        )
    if as_json:
        print_json(msgspec.to_builtins(found))
    else:
        table.print(f"nets, games and curve.svg: {folder}", markup=False)
    said = Console(stderr=True, highlight=False)
    if reason := ended(asked, found):
        said.print(f"the run is over: {reason}")
    elif len(found) <= asked.generations:
        said.print("stopped; the same command continues")
        raise typer.Exit(INTERRUPTED)


@contextmanager
def _bar() -> Iterator[Callable[[str, int, int, float], None]]:
    """A bar for the stage under way, on a terminal alone."""
    console = Console(stderr=True, highlight=False)
    columns = (TextColumn("{task.description}"), BarColumn(bar_width=20), MofNCompleteColumn())
    bar = Progress(*columns, TextColumn("{task.fields[rate]}"), console=console, transient=True)

    def show(what: str, done: int, total: int, rate: float) -> None:
        if not console.is_terminal:
            return
        if not bar.task_ids:
            bar.add_task(what, total=total, rate="")
            bar.start()
        left = f"{rate:.1f}/s  {timedelta(seconds=round((total - done) / rate))} left" if rate else ""
        bar.update(bar.task_ids[0], description=what, completed=done, total=total, rate=left)

    try:
        yield show
    finally:
        if bar.live.is_started:
            bar.stop()
