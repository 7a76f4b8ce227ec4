"""`foible attune`: make a net that knows its partner; and `grid`: such nets by learning rate and number of games."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from foible.errors import ConfigError
from foible.interfaces.cli.commands import paragraphs
from foible.interfaces.cli.options import PrecisionName
from foible.interfaces.cli.output import Console, Json, examples, print_json, print_table, stopped
from foible.interfaces.cli.progress import progress_line
from foible.nets.shelf import short_name
from foible.training.attune.config import LEAST_GAMES, AttuneConfig, TuneConfig, make_config
from foible.training.attune.folder import AttuneProgress, OnProgress
from foible.training.attune.report import MarkdownTable
from foible.training.attune.run import attune as make_net
from foible.training.attune.viability import RATES, SIZES, STEPS, grid as make_grid

EXAMPLES = examples(
    "foible attune --framework stt --senior master --junior maia-1100",
    "foible attune --framework hb --senior master --junior maia-1100 --games 1000 --nodes 100 --steps 500",
    "foible attune --framework stt --senior master --junior uci:stockfish:nodes=25 --games 1000 --nodes 100",
    "foible attune grid --framework stt --senior master --junior maia-1100 --size 100 --size 1000 --nodes 50",
)

Framework = Annotated[
    Literal["stt", "hb"] | None, typer.Option(help="Stochastic tag team, or hand and brain.", show_default=False)
]
Senior = Annotated[
    str | None, typer.Option(help="The net that is tuned: a name or path of an lc0 net.", show_default=False)
]
Junior = Annotated[
    str | None,
    typer.Option(
        help="The partner: a net, or in tag team an engine: uci:COMMAND:nodes=N, or a table of TOML.",
        show_default=False,
    ),
]
Nodes = Annotated[int, typer.Option(min=1, help="Visits per move of seniors and brains.")]
Steps = Annotated[int, typer.Option(min=1, help="Batches that the net learns from.")]
Batch = Annotated[int, typer.Option(min=1, help="Positions in a batch.")]
Thin = Annotated[int, typer.Option(min=1, help="A pass over the games takes one in so many positions.")]
PliesOption = Annotated[
    Literal["all", "senior"], typer.Option(help="Learn from all moves, or from the senior's alone.")
]
Target = Annotated[
    Literal["wdl", "released"], typer.Option(help="Draws are draws; or, as in the released program, lost by both.")
]
Seed = Annotated[int, typer.Option(min=0, help="Seed of the run.")]
Data = Annotated[
    str | None,
    typer.Option(
        metavar="FOLDER",
        help="A match of the same teams whose games are used, in place of new ones.",
        show_default=False,
    ),
]
Precision = Annotated[PrecisionName, typer.Option(help="Of the nets that play; bf16 where the processor has it.")]
Threads = Annotated[int | None, typer.Option(min=1, help="Threads of the nets.", show_default="one per processor")]
Out = Annotated[
    Path | None,
    typer.Option(help="Run folder; runs/attune-… with framework, senior and junior when absent.", show_default=False),
]
OPTIONS = {*AttuneConfig.__struct_fields__, *TuneConfig.__struct_fields__}
"""The parameters of the commands that are fields of the configuration."""

attune = typer.Typer(
    invoke_without_command=True,
    help=paragraphs(
        """Make a net that knows its partner, and test it.

        The senior's team plays itself, the senior's net goes on learning from these games, and the net that comes of it
        (ATT) plays in the senior's place: with the junior against the senior's team, and alone against the senior.

        The run folder holds games/, net/ with net.pb.gz, test/, alone/ and report.md. The same command continues a run
        that was stopped or killed, in any stage. Ctrl-C stops it."""
    ),
    epilog=EXAMPLES,
)


@attune.callback()
def one(
    context: typer.Context,
    framework: Framework = None,
    senior: Senior = None,
    junior: Junior = None,
    games: Annotated[
        int, typer.Option(min=LEAST_GAMES, help="Games to learn from; a fifth of them is held out.")
    ] = 10_000,
    nodes: Nodes = 1500,
    lr: Annotated[float, typer.Option(min=1e-12, max=10, help="Learning rate, constant.")] = 1e-5,
    steps: Steps = 10_000,
    batch: Batch = 1024,
    thin: Thin = 32,
    plies: PliesOption = "all",
    value_target: Target = "wdl",
    test_games: Annotated[int, typer.Option(min=1, help="Games of ATT's team against the senior's.")] = 1000,
    alone_games: Annotated[int, typer.Option(min=1, help="Games of ATT alone against the senior.")] = 200,
    seed: Seed = 1,
    data: Data = None,
    precision: Precision = "f32",
    threads: Threads = None,
    out: Out = None,
    as_json: Json = False,
) -> None:
    """A single net."""
    if (subcommand := context.invoked_subcommand) is not None:
        given = [name for name in context.params if _was_given(context, name)]
        if given:
            words = ", ".join(f"--{name.removeprefix('as_').replace('_', '-')}" for name in given)
            raise ConfigError(f"{words} before {subcommand}: expected the options of {subcommand} after it")
        return
    config = _config(locals())
    folder = out or _folder(config, "attune")
    with _progress() as show:
        report = make_net(config, folder, show)
    if as_json:
        print_json(report.to_json())
    else:
        _print(report.tables(), f"net, games and report: {folder}")
    if not report.finished:
        stopped()


@attune.command("grid", epilog=EXAMPLES)
def grid(
    framework: Framework = None,
    senior: Senior = None,
    junior: Junior = None,
    rate: Annotated[
        list[float] | None,
        typer.Option(help="A learning rate; may be repeated.", show_default="1e-3 … 1e-6"),
    ] = None,
    size: Annotated[
        list[int] | None,
        typer.Option(min=LEAST_GAMES, help="A number of games; may be repeated.", show_default="1000, 10000, 100000"),
    ] = None,
    nodes: Nodes = 1500,
    steps: Steps = STEPS,
    batch: Batch = 1024,
    thin: Thin = 32,
    plies: PliesOption = "all",
    value_target: Target = "wdl",
    test_games: Annotated[int, typer.Option(min=1, help="Games of each cell's team against the senior's.")] = 100,
    seed: Seed = 1,
    data: Data = None,
    precision: Precision = "f32",
    threads: Threads = None,
    out: Out = None,
    as_json: Json = False,
) -> None:
    """Which learning rates and how many games make a plausible engine: tune and test a net for each pair of them.

    The games are played once, for the largest number. A plausible engine predicts held-out moves of the team about as
    well as its senior, and its team holds its own against the senior's. The same command continues a grid that was
    stopped or killed; rates and smaller sizes may be added.
    """
    config = _config({**locals(), "games": max(size or SIZES)})
    folder = out or _folder(config, "attune-grid")
    with _progress() as show:
        measured = make_grid(config, folder, rate or RATES, size or SIZES, show)
    if measured is None:
        stopped()
    elif as_json:
        print_json(measured.to_json())
    else:
        _print(measured.tables(), f"{measured.criterion}\nnets, games and tables: {folder}")
    if measured is not None and not measured.finished:
        stopped()


def _was_given(context: typer.Context, name: str) -> bool:
    """Whether a parameter of a command was given, in place of its default."""
    source = context.get_parameter_source(name)
    return source is not None and source.name == "COMMANDLINE"


def _config(parameters: Mapping[str, Any]) -> AttuneConfig:
    """The configuration that the parameters of a command describe."""
    if missing := [f"--{name}" for name in ("framework", "senior", "junior") if parameters[name] is None]:
        raise ConfigError(f"{', '.join(missing)} missing; e.g. foible attune --framework stt --senior NET --junior NET")
    return make_config({name: value for name, value in parameters.items() if name in OPTIONS})


def _folder(config: AttuneConfig, kind: str) -> Path:
    return Path("runs") / f"{kind}-{config.framework}-{short_name(config.senior)}-{short_name(config.junior_name)}"


def _print(tables: Iterable[MarkdownTable], note: str) -> None:
    *others, last = tables
    for table in others:
        print_table(table.title, table.columns, table.rows, left=1 if any(table.columns) else 2)
    print_table(last.title, last.columns, last.rows, left=1 if any(last.columns) else 2, note=note)


@contextmanager
def _progress() -> Iterator[OnProgress]:
    """A progress line for the stage under way, and a line that stays for each stage that has ended."""
    console = Console(stderr=True, highlight=False)
    ended: set[str] = set()

    def show(now: AttuneProgress) -> None:
        name = f"{now.cell} {now.stage}".strip()
        if now.done < now.total:
            line.show(name, now.done, now.total, note=now.note, left=now.left)
        elif name not in ended:
            ended.add(name)
            line.clear()
            console.print(f"{name}: {now.done}, {now.note}", soft_wrap=True)

    try:
        with progress_line() as line:
            yield show
    except KeyboardInterrupt:
        stopped()
