"""`foible go`: Go with a margin."""

import typer

from foible.interfaces.cli.go.curves import CURVE_EXAMPLES, RUNS_EXAMPLES, go_curve, go_runs
from foible.interfaces.cli.go.games import GAMES_EXAMPLES, go_games
from foible.interfaces.cli.go.matches import MATCH_EXAMPLES, PANEL_EXAMPLES, go_match, go_panel
from foible.interfaces.cli.go.training import NET_EXAMPLES, TRAIN_EXAMPLES, go_net, go_train

__all__ = ["go"]

go = typer.Typer(
    help="Go with a margin: nets that know by how many points they win (SAI).",
    no_args_is_help=True,
    epilog=TRAIN_EXAMPLES,
)
for name, command, examples in (
    ("train", go_train, TRAIN_EXAMPLES),
    ("match", go_match, MATCH_EXAMPLES),
    ("panel", go_panel, PANEL_EXAMPLES),
    ("curve", go_curve, CURVE_EXAMPLES),
    ("games", go_games, GAMES_EXAMPLES),
    ("net", go_net, NET_EXAMPLES),
    ("runs", go_runs, RUNS_EXAMPLES),
):
    go.command(name, epilog=examples)(command)
