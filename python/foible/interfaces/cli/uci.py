"""`foible uci`."""

from pathlib import Path
from typing import Annotated

import typer

from foible import nets
from foible.interfaces.cli.options import Settings, settings
from foible.interfaces.cli.output import examples
from foible.interfaces.uci.program import serve
from foible.nets.choices import MASTER

UCI_EXAMPLES = examples(
    "foible uci --net club:1500",
    "foible uci --set batch=8",
    "foible uci --config examples/engines/personalities.toml",
    "In a graphical interface: add an engine with this command.",
)


def uci(
    net: Annotated[str, typer.Option(help="The net that the engine starts with.")] = MASTER,
    set_: Settings = None,
    config: Annotated[
        Path | None,
        typer.Option(
            help="TOML file of personalities, chosen by start position and opponent.", show_default="built-in ones"
        ),
    ] = None,
) -> None:
    """A chess engine for interfaces that speak UCI, on the standard streams."""
    personalities = None
    if config is not None:
        from foible.interfaces.uci import read_personalities  # noqa: PLC0415  they name nets, which take their time

        personalities = read_personalities(config)
    # A bot whose net is not what it says would play on unnoticed with the built-in evaluator.
    if net != MASTER:
        nets.describe_opened(net, "chess")
    serve(net=net, settings=settings(set_ or ()), personalities=personalities)
