"""`foible model`."""

import typer

from foible.interfaces.cli import model_estimate, model_score
from foible.interfaces.cli.commands import paragraphs

model = typer.Typer(
    help="Models of players: how well they predict, and which level explains a player's moves.",
    no_args_is_help=True,
    epilog=model_score.EXAMPLES,
)
for name, command, epilog in (
    ("score", model_score.score, model_score.EXAMPLES),
    ("estimate", model_estimate.estimate, model_estimate.EXAMPLES),
):
    model.command(name, help=paragraphs(command.__doc__ or ""), epilog=epilog)(command)
