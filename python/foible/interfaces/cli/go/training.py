"""`foible go train`: from random play to a net that knows the game; and `foible go net`, a random net."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import msgspec
import typer

from foible.extras import required
from foible.interfaces.cli.options import AnyProcessor, On, RunOut
from foible.interfaces.cli.output import Console, Json, examples, print_json, say, stopped
from foible.interfaces.cli.progress import progress_line
from foible.nets.choices import MOST_THREADS
from foible.nets.go.net import LARGEST_BOARD, MOST_BLOCKS, MOST_FILTERS, GoNetConfig, HeadKind, PlaneCount
from foible.nets.paths import GO_SUFFIXES, check_new
from foible.runs.folder import named_run
from foible.scale import open_executor
from foible.toml import without_none
from foible.training.go.config import Gated, GoTrainConfig, read_config
from foible.training.go.generation import Generation, ended
from foible.wording import percent, signed

if TYPE_CHECKING:
    from foible.training.go.run import GoTrainProgress

TRAIN_EXAMPLES = examples(
    "foible go train examples/go/train-5x5.toml",
    "foible go train runs/train-5x5 --generations 100",
    "foible go train examples/go/train-5x5.toml --on processes:4",
)


def go_train(
    config: Annotated[
        Path, typer.Argument(help="TOML file that describes the run; or the folder of one.", show_default=False)
    ],
    generations: Annotated[
        int | None, typer.Option(min=1, help="In all, in place of the configuration's.", show_default=False)
    ] = None,
    out: RunOut = None,
    threads: Annotated[
        int | None, typer.Option(min=1, max=MOST_THREADS, help="Threads.", show_default="one per processor")
    ] = None,
    on: On = "inline",
    any_processor: AnyProcessor = False,
    as_json: Json = False,
) -> None:
    """Train a Go net from random play: self-play with branches, learning, promotion, generation by generation.

    A line for each generation: losses on held-out games, alpha (the komi that the net thinks fair) and beta (how sure
    it is, per point) of the empty board, Elo by matches with earlier nets. The folder holds every game, every net
    (net.txt.gz, as Leela Zero and SAI write them) and curve.svg. The same command continues a run that was stopped or
    killed; no finished game is lost or played twice. Ctrl-C stops it. --on says who plays the games; nets learn here.
    """
    file, folder = named_run(config, out, "go training")
    asked = read_config(file)
    asked = msgspec.structs.replace(asked, **without_none({"generations": generations, "threads": threads}))
    required("torch")
    from foible.training.go.run import Listener, go_train as run_all  # noqa: PLC0415  torch takes seconds to import

    table = Console(highlight=False, soft_wrap=True)
    with open_executor(on) as executor, progress_line() as line:

        def show_generation(generation: Generation) -> None:
            if not as_json:
                line.clear()
                show_line(table, asked, generation)

        results = run_all(
            asked,
            folder,
            Listener(
                progress=lambda now: line.show(
                    f"gen {now.generation} {now.stage}", now.done, now.total, note=_note(now), left=now.left
                ),
                generation=show_generation,
            ),
            executor=executor,
            any_processor=any_processor,
        )
    if as_json:
        print_json(msgspec.to_builtins(results))
    else:
        table.print(f"nets, games and curve.svg: {folder}")
    console = Console(stderr=True, highlight=False)
    if reason := ended(asked, results):
        console.print(f"the run is over: {reason}")
    elif len(results) <= asked.generations:
        stopped()


def _note(now: "GoTrainProgress") -> str:
    return "" if now.workers == 1 else f"{now.workers} workers"


@dataclass(frozen=True, slots=True)
class Column:
    """A column of the table of generations."""

    name: str
    width: int
    cell: Callable[[Generation], str]
    has: Callable[[GoTrainConfig], bool] = lambda config: True
    """Whether the table of a run has this column."""


def _tries(generation: Generation) -> str:
    return "" if generation.candidates is None else str(generation.candidates.played)


def _won(generation: Generation) -> str:
    return (generation.candidates and percent(generation.candidates.points / generation.candidates.games)) or ""


def _panel(generation: Generation) -> str:
    return percent(generation.panel, generation.panel_standard_error)


def _is_gated(config: GoTrainConfig) -> bool:
    return isinstance(config.protocol, Gated)


COLUMNS = (
    Column("gen", 4, lambda g: str(g.number)),
    Column("games", 6, lambda g: str(g.games)),
    Column("branches", 8, lambda g: str(g.branches)),
    Column("plies", 5, lambda g: f"{g.plies:.1f}"),
    Column("komi", 11, lambda g: "" if g.komi is None else f"{g.komi[0]:.1f} ± {g.komi[1]:.1f}"),
    Column("policy", 6, lambda g: "" if g.policy is None else f"{g.policy:.3f}"),
    Column("value", 6, lambda g: "" if g.value is None else f"{g.value:.4f}"),
    Column("tries", 5, _tries, _is_gated),
    Column("won", 7, _won, _is_gated),
    Column("alpha", 6, lambda g: "–" if g.alpha is None else signed(g.alpha, 2)),
    Column("beta", 6, lambda g: "–" if g.beta is None else f"{g.beta:.3f}"),
    Column("panel", 13, _panel, lambda run: run.panel is not None),
    Column(
        "Elo",
        10,
        lambda g: "–" if g.elo is None else f"{signed(g.elo, 0).removeprefix('+')} ± {g.elo_standard_error or 0:.0f}",
        lambda run: run.strength.games > 0,
    ),
    Column("games/s", 7, lambda g: "" if g.games_per_second is None else f"{g.games_per_second:.1f}"),
    Column("time", 8, lambda g: str(timedelta(seconds=round(g.seconds)))),
)
SPARE = ("branches", "plies", "policy", "games/s", "tries", "Elo", "value")
"""Columns left out on a narrow terminal, in this order. Elo has room where there is no panel, which measures better."""


def show_line(table: Console, config: GoTrainConfig, generation: Generation) -> None:
    """Print the next line of the table, with the header above the first one."""
    shown = _shown(config, table.width if table.is_terminal else None)
    if not generation.number:
        table.print("  ".join(column.name.rjust(column.width) for column in shown))
    table.print("  ".join(column.cell(generation).rjust(column.width) for column in shown))


def _shown(config: GoTrainConfig, room: int | None) -> list[Column]:
    """The columns that fit into `room` characters; all columns where it is `None`."""
    shown = [column for column in COLUMNS if column.has(config)]
    for spare in SPARE:
        if room is None or sum(column.width + 2 for column in shown) - 2 <= room:
            break
        shown = [column for column in shown if column.name != spare]
    return shown


NET_EXAMPLES = examples(
    "foible go net --out random.txt.gz",
    "foible go net --size 9 --blocks 6 --filters 96 --head lz --seed 7 --out random.txt.gz",
)
_DEFAULT = GoNetConfig()


def go_net(
    out: Annotated[Path, typer.Option(help="The new file, .txt.gz or .txt.", show_default=False)],
    size: Annotated[int, typer.Option(min=1, max=LARGEST_BOARD, help="Points on a side of the board.")] = _DEFAULT.size,
    blocks: Annotated[int, typer.Option(min=0, max=MOST_BLOCKS, help="Residual blocks.")] = _DEFAULT.blocks,
    filters: Annotated[int, typer.Option(min=1, max=MOST_FILTERS, help="Channels of the trunk.")] = _DEFAULT.filters,
    head: Annotated[
        HeadKind, typer.Option(help="One value (lz), or alpha and beta from two heads (v), one (y), or one layer (t).")
    ] = _DEFAULT.head,
    planes: Annotated[
        PlaneCount, typer.Option(help="Input planes: 18 tell whose turn it is, 17 do not.")
    ] = _DEFAULT.planes,
    seed: Annotated[int, typer.Option(min=0, max=2**63 - 1, help="Another seed gives another net.")] = 0,
) -> None:
    """Make an untrained net for Go, as a training begins with it: for tests of other programs, and of one's own.

    It is a weights file of Leela Zero and SAI; foible nets export makes ONNX of it. Its batch norms are settled on
    positions of random games, so that what it says is of a sensible size. Large boards take a minute or more.
    """
    check_new(out, GO_SUFFIXES, "a net for Go")
    required("torch")
    from foible.nets.go.modules import save_go_net  # noqa: PLC0415 torch takes seconds to import
    from foible.training.go.trainer import random_net  # noqa: PLC0415  torch takes seconds to import

    config = GoNetConfig(size=size, blocks=blocks, filters=filters, head=head, planes=planes)
    save_go_net(random_net(config, seed), out)
    say(out)
