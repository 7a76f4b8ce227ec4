"""`foible go net`: a random net."""

from pathlib import Path
from typing import Annotated

import typer

from foible.interfaces.cli.output import examples
from foible.nets.export import check_new
from foible.nets.go.config import LARGEST_BOARD, MOST_BLOCKS, MOST_FILTERS, GoNetConfig, HeadKind, PlaneCount
from foible.nets.modules import torch_or_explain
from foible.nets.paths import GO_SUFFIXES

EPILOG = examples(
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
    torch_or_explain()
    from foible.nets.go.convert import save_go_net  # noqa: PLC0415 torch takes seconds to import
    from foible.training.go.start import random_net  # noqa: PLC0415

    config = GoNetConfig(size=size, blocks=blocks, filters=filters, head=head, planes=planes)
    save_go_net(random_net(config, seed), out)
    typer.echo(out)
