"""`foible stats`."""

from dataclasses import asdict
from typing import Annotated

import typer

from foible.arena.scoreline import Scoreline, pairs_of, scoreline
from foible.arena.stats import Tally
from foible.interfaces.cli.output import Json, examples, print_json, print_table

EXAMPLES = examples("foible stats elo 60 25 15", "foible stats elo 60 25 15 --pairs 3 4 9 13 21 --json")

stats = typer.Typer(help="Statistics of matches.", no_args_is_help=True, epilog=EXAMPLES)

Count = Annotated[int, typer.Argument(min=0, show_default=False)]


@stats.callback()
def group() -> None:
    """Statistics of matches."""


@stats.command("elo", epilog=EXAMPLES)
def elo(
    wins: Count,
    draws: Count,
    losses: Count,
    pairs: Annotated[
        tuple[int, int, int, int, int] | None,
        typer.Option(
            metavar="LL LD WLDD WD WW",
            help="The same games as pairs with colours swapped: how many were lost twice, lost and drawn, even,"
            " drawn and won, won twice. Games of a pair are alike, so the pairs' error is the honest one.",
        ),
    ] = None,
    json: Json = False,
) -> None:
    """Win share ± standard error, and Elo with its 95 % interval.

    The interval is Jeffreys': it exists and is honest also where every game was won. Superiority is the probability
    of being the stronger player; normalised Elo is in units of one game's deviation.
    """
    games = Tally.of_games(wins, draws, losses)
    found = {"games": scoreline(games)}
    if pairs is not None:
        found["pairs"] = scoreline(pairs_of(games, pairs))
    if json:
        print_json({name: asdict(line) for name, line in found.items()})
        return
    columns = zip(NAMES, *(_column(line) for line in found.values()), strict=True)
    print_table(f"{wins} wins, {draws} draws, {losses} losses", ("", *found), columns)


NAMES = ("count", "win share", "standard error", "Elo [95 %]", "± as cutechess", "normalised Elo", "superiority")


def _column(line: Scoreline) -> list[str | None]:
    def text(value: float | None, form: str) -> str | None:
        return None if value is None else format(value, form)

    return [
        str(sum(line.counts)),
        text(line.share, ".2%"),
        text(line.standard_error, ".2%"),
        str(line.elo),
        text(line.elo_margin, ".1f"),
        text(line.normalised_elo, "+.1f"),
        text(line.superiority, ".2%"),
    ]
