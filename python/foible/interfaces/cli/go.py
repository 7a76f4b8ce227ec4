"""`foible go`."""

import typer

from foible.interfaces.cli import go_curve, go_games, go_match, go_net, go_panel, go_runs, go_train
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
    ("games", go_games, go_games.go_games),
    ("net", go_net, go_net.go_net),
    ("runs", go_runs, go_runs.go_runs),
):
    go.command(name, help=paragraphs(command.__doc__ or ""), epilog=module.EPILOG)(command)
