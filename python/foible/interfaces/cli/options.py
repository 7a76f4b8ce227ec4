"""Options that several commands share."""

from typing import Annotated, Literal

import typer

RuntimeName = Literal["auto", "openvino", "onnxruntime", "torch"]
PrecisionName = Literal["f32", "bf16"]

Net = Annotated[
    str, typer.Argument(metavar="NET", help="A path, or a name that `foible nets list` shows.", show_default=False)
]
Positions = Annotated[
    str,
    typer.Argument(
        metavar="FILE",
        help='JSON Lines: {"fen": …, "moves": ["e2e4", …], "id": …}, each key optional. "-" is standard input.',
        show_default=False,
    ),
]
Runtime = Annotated[
    RuntimeName, typer.Option(help="What computes the net; auto: torch where there is CUDA, else measured once.")
]
Precision = Annotated[PrecisionName, typer.Option(help="Arithmetic; bf16 where the processor has it.")]
Threads = Annotated[int | None, typer.Option(min=1, help="Threads of the net.", show_default="one per processor")]
Settings = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="KEY=VALUE", help="A search parameter, see below. May be repeated."),
]
