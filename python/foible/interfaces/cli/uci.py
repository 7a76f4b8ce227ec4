"""`foible uci`."""

from typing import Annotated

import typer

from foible.interfaces.cli.inputs import settings
from foible.interfaces.cli.options import Settings
from foible.interfaces.cli.output import examples
from foible.interfaces.uci import serve
from foible.nets import find_net, known_nets

EPILOG = examples(
    "foible uci --net maia-1500",
    "foible uci --net material --set batch=8",
    "In a graphical interface: add an engine with this command.",
)


def uci(
    net: Annotated[str, typer.Option(help="The net that the engine starts with.")] = "material",
    set_: Settings = None,
) -> None:
    """A chess engine for interfaces that speak UCI, on the standard streams."""
    if net not in {known.name for known in known_nets()}:
        find_net(net)
    serve(net=net, settings=settings(set_ or ()))
