"""`foible eval`."""

from pathlib import Path
from typing import Annotated

import typer

from foible.errors import ConfigError
from foible.games.jsonl import read_positions
from foible.interfaces.cli.inputs import open_lines
from foible.interfaces.cli.options import Net, Positions, Precision, Runtime, Threads
from foible.interfaces.cli.output import counted, examples, progress_bar, write_lines
from foible.nets import open_net
from foible.nets.go.evaluator import GoRuntimeNet
from foible.nets.jsonl import evaluate_lines

EPILOG = examples(
    "foible eval master positions.jsonl --out evaluations.jsonl",
    """echo '{"moves": ["e2e4", "e7e5"]}' | foible eval club:1100 - | jq .q""",
)


def evaluate(
    net: Net,
    file: Positions,
    out: Annotated[Path | None, typer.Option(help="Write here, once complete, instead of to the output.")] = None,
    runtime: Runtime = "auto",
    precision: Precision = "f32",
    threads: Threads = None,
) -> None:
    """What a net says of positions: one JSON result per position, in order.

    {"id", "policy": {uci: p}, "logits": {uci: x}, "wdl": [w, d, l], "q"}, for the side to move; the policy at
    temperature 1, most likely move first; q = w − l. Where there is no legal move the policy is empty and wdl is
    the result by the rules. The history counts: give moves rather than a FEN where you have them.
    """
    with open_lines(file) as (lines, name, total), progress_bar("positions", total, out) as move:
        evaluator = open_net(net, runtime=runtime, precision=precision, threads=threads)
        if isinstance(evaluator, GoRuntimeNet):
            raise ConfigError(
                f"{net} is a net for Go, these are positions of chess: foible go curve GAME.sgf --net {net}"
            )
        write_lines(counted(evaluate_lines(evaluator, read_positions(lines, name)), move), out)
