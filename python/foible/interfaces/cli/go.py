"""`foible go`."""

import typer

from foible.interfaces.cli import go_curve, go_match, go_panel, go_train
from foible.interfaces.cli.commands import paragraphs

go = typer.Typer(
    help="Go with a margin: nets that know by how many points they win (SAI).",
    no_args_is_help=True,
    epilog=go_train.EPILOG,
)
for name, module, command in (
    ("train", go_train, go_train.go_train),
    ("match", go_match, go_match.go_match),
    ("panel", go_panel, go_panel.go_panel),
    ("curve", go_curve, go_curve.go_curve),
):
    go.command(name, help=paragraphs(command.__doc__ or ""), epilog=module.EPILOG)(command)
