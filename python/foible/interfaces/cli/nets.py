"""`foible nets`."""

import logging
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from foible.interfaces.cli.options import Net, Precision, Runtime, Threads
from foible.interfaces.cli.output import Json, examples, print_json, print_table, say
from foible.interfaces.cli.progress import progress_line
from foible.nets import Evaluator, describe_net, export_net, find_net, known_nets, open_net
from foible.nets.choices import GraphRuntime, Precision as NetPrecision
from foible.nets.graph_workers import installed_runtimes
from foible.nets.mixture_file import read_mixture
from foible.nets.paths import MIXTURE_SUFFIX, check_new
from foible.nets.precision import compare_precisions
from foible.runs.files import write_atomically
from foible.wording import percent, signed

if TYPE_CHECKING:
    from foible.training.experts.learned_gate import GateRow

nets = typer.Typer(
    help="The nets that can be named: list, show, get, precisions, export; mixtures: gate.",
    no_args_is_help=True,
    epilog=examples("foible nets list", "foible nets show club:1300"),
)

NAMES = (
    "foible nets list\n\nA path works wherever a name does, also that of a run folder of foible train."
    " FOIBLE_NETS names folders of nets, separated as in PATH."
    " club plays as people do: club:1300 is a player of 1300; ratings from 1000 to 2000."
    " A Maia-2 or Maia-3 plays at the rating behind its name, maia3-5m:1500, or at the player's and the opponent's,"
    " maia3-5m:1500-1900."
    " An lc0 net with several heads takes others by name: bt4.pb.gz:optimistic+q."
)


@nets.command("list", epilog=NAMES)
def list_nets(json: Json = False) -> None:
    """Every name that works here; nothing is fetched."""
    known = known_nets()
    if json:
        print_json([{"name": net.name, "kind": net.kind, "path": _text(net.path)} for net in known])
        return
    where = {"built-in": "built in", "download": "fetched at first use", "by hand": "foible nets get says where"}
    rows = [(net.name, net.kind, net.path or where.get(net.kind, "–")) for net in known]
    print_table("Nets", ("name", "kind", "where"), rows, left=3)


@nets.command("show", epilog=examples("foible nets show club:1300", "foible nets show ./my-net.pb.gz --json"))
def show_net(net: Net, json: Json = False) -> None:
    """What a net is: its file, shape, heads and encoding. A known public net is fetched if need be."""
    description = describe_net(net)
    if json:
        print_json({**asdict(description), "path": _text(description.path)})
        return
    print_table(description.name, ("", ""), description.facts().items(), left=2)


@nets.command("get", epilog=examples("foible nets get maia-1100 maia-1900"))
def get_nets(
    names: Annotated[list[str], typer.Argument(metavar="NET...", show_default=False, help="Names of nets.")],
    json: Json = False,
) -> None:
    """Fetch public nets, unless they are there, and print where they lie. Each is checked by its sha256.

    Before one is fetched its licence is said. What a server hands to people only is to be downloaded by hand: it is
    said from where, and where to put it.
    """
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    paths = {name: str(find_net(name)) for name in names}
    if json:
        print_json(paths)
        return
    for path in paths.values():
        say(path)


@nets.command("precisions", epilog=examples("foible nets precisions master", "foible nets precisions club:1500 --json"))
def precisions(
    names: Annotated[list[str], typer.Argument(metavar="NET...", show_default=False, help="Names or paths.")],
    positions: Annotated[int, typer.Option(min=1, help="Of games that the net plays against itself.")] = 1000,
    seed: Annotated[int, typer.Option(min=0, help="Of these games.")] = 0,
    runtime: Annotated[
        GraphRuntime | None, typer.Option(help="What computes the net.", show_default="openvino where it is installed")
    ] = None,
    threads: Threads = None,
    json: Json = False,
) -> None:
    """How far nets in bf16 and int8 are from themselves in f32, on positions that no calibration saw.

    A net that has no int8 yet is quantised, in a second or two; from then on int8 is one of the precisions that auto
    chooses from.
    """
    rows, chosen = [], []
    computing = runtime or installed_runtimes()[0]
    with progress_line("positions") as line:
        for name in names:
            opened = partial(_in_precision, name, computing, threads)
            tell = partial(line.show, f"games of {name}", total=positions)
            for comparison in compare_precisions(opened, count=positions, seed=seed, on_progress=tell):
                deviation = comparison.deviation
                rows.append({"net": comparison.name, **asdict(deviation), "tolerable": deviation.tolerable})
            chosen.append(open_net(name, precision="auto", threads=threads).name)
    if json:
        print_json({"positions": positions, "rows": rows, "auto": chosen})
        return
    columns = ("", "policy KL, nats", "value error", "same first choice", "within the tolerance")
    cells = [
        (
            row["net"],
            f"{row['policy_kl']:.5f}",
            f"{row['value_error']:.4f}",
            percent(row["agreement"]),
            "yes" if row["tolerable"] else "no",
        )
        for row in rows
    ]
    note = f"Means over {positions} positions. auto: {', '.join(chosen)}."
    print_table("Precisions beside f32", columns, cells, note=note)


@nets.command(
    "export",
    epilog=examples("foible nets export club:1300 club-1300.pb.gz", "foible nets export runs/train-7x7 net.onnx"),
)
def export(
    net: Net,
    out: Annotated[
        Path,
        typer.Argument(
            metavar="OUT",
            show_default=False,
            help="A new file: .pb.gz or .pb of a net for chess, .txt.gz or .txt of one for Go, .onnx of either.",
        ),
    ],
) -> None:
    """Write a net as a file for other programs; what the file is called says in which format.

    A net for chess becomes a weights file that lc0 runs: a net at one rating, or any residual net under another name. A
    net for Go becomes a weights file of Leela Zero and SAI, every weight bit by bit. Either becomes ONNX, as foible
    itself runs it. A file that is there already is left as it is.
    """
    export_net(net, out)
    say(out)


@nets.command(
    "gate",
    epilog=examples(
        "foible nets gate master-experts games.pgn.xz --out mine.toml",
        "foible nets gate runs/experts/mixtures/seed-1/separated-current-split.toml games.pgn --games 5000",
    ),
)
def gate(
    mixture: Annotated[
        str, typer.Argument(metavar="MIXTURE", show_default=False, help="The name or path of a mixture of nets.")
    ],
    sources: Annotated[
        list[str],
        typer.Argument(metavar="GAMES...", show_default=False, help="PGN files, plain or packed, or folders of games."),
    ],
    out: Annotated[
        Path | None, typer.Option(help="A new .toml file: the mixture with the learned gate.", show_default=False)
    ] = None,
    games: Annotated[int, typer.Option(min=1, help="The most games to learn from, chosen by a hash.")] = 1000,
    held_out: Annotated[int, typer.Option(min=2, help="Games to measure the gate on, others than these.")] = 500,
    runtime: Runtime = "auto",
    precision: Precision = "auto",
    threads: Threads = None,
    json: Json = False,
) -> None:
    """Learn which net of a mixture to ask for which position, and compare that with the mixture's own gate.

    All nets judge all positions: the loss is 0.99 × the surprise at the move that was played, in nats, + 0.01 × the
    squared error of the value. The gate learns from numbers of pieces and the mixedness which net's loss is to be
    expected the lowest, and asks that net alone, as fast as a rule does.

    The table is of games that the gate did not learn from: each net by itself, the mixture with its own gate and with
    the learned one, and the limit, a gate that always knew the best net. Errors are one standard error, clustered by
    game.
    """
    from foible.training.data import DataConfig, HoldOut, load  # noqa: PLC0415  other commands need no tables of games
    from foible.training.experts.learned_gate import check_mixture, learn_gate, learned_mixture  # noqa: PLC0415  as above

    if out is not None:
        check_new(out, [MIXTURE_SUFFIX], "a mixture")
    opened = check_mixture(open_net(mixture, runtime=runtime, precision=precision, threads=threads))
    data = load(DataConfig(sources=list(sources), games=games, hold_out=HoldOut(validation=0, test=held_out)))
    with progress_line("positions") as line:
        report = learn_gate(opened, data, partial(line.show, "experts"))
    if out is not None:
        write_atomically(out, learned_mixture(read_mixture(find_net(mixture)), report.gate, out.parent))
    if json:
        print_json(report.to_json())
        return
    columns = ("", "policy, nats", "value", "both", "behind the learned gate, nats")
    cells = [
        (row.name, *(f"{loss:.4f}" for loss in (row.policy, row.value, row.loss)), _with_error(row))
        for row in report.rows
    ]
    shares = ", ".join(f"{row.name} {percent(share)}" for row, share in zip(report.rows, report.asked, strict=False))
    note = (
        f"Learned from {report.learned_positions} positions of {report.learned_games} games. The learned gate asks"
        f" {shares}; at {percent(report.disagreement)} of the positions another net than the mixture's own gate."
    )
    title = f"Losses at {report.positions} positions of {report.games} games that were held out"
    print_table(title, columns, cells, note=note)
    if out is not None:
        say(out)


def _with_error(row: "GateRow") -> str:
    """How far a way of choosing is behind the learned gate; nothing for the learned gate itself."""
    if not row.behind and not row.standard_error:
        return ""
    return signed(row.behind, 4) + ("" if row.standard_error is None else f" ± {row.standard_error:.4f}")


def _in_precision(name: str, runtime: GraphRuntime, threads: int | None, precision: NetPrecision) -> Evaluator:
    return open_net(name, runtime=runtime, precision=precision, threads=threads)


def _text(path: object) -> str | None:
    return None if path is None else str(path)
