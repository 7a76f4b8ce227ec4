"""`foible stats`."""

from dataclasses import asdict
from typing import Annotated, Final

import typer

from foible.arena.elo import Scoreline, pairs_of, scoreline
from foible.arena.sprt import Sprt
from foible.arena.stats import Tally
from foible.interfaces.cli.output import Json, examples, print_json, print_table
from foible.wording import percent, results

EXAMPLES = examples("foible stats elo 60 25 15", "foible stats elo 60 25 15 --pairs 3 4 9 13 21 --json")
SPRT_EXAMPLES = examples("foible stats sprt 600 900 500 --elo1 10", "foible stats sprt 60 25 15 --pairs 3 4 9 13 21")

stats = typer.Typer(help="Statistics of matches.", no_args_is_help=True, epilog=EXAMPLES)

MOST: Final = 10**12
"""The most games of one result: with many more, a win share near 1 would be rounded to 1, which has no Elo."""

Count = Annotated[int, typer.Argument(min=0, max=MOST, show_default=False)]
Pairs = Annotated[
    tuple[int, int, int, int, int] | None,
    typer.Option(
        metavar="LL LD WLDD WD WW",
        help="The same games as pairs with colours swapped: how many were lost twice, lost and drawn, even,"
        " drawn and won, won twice. Games of a pair are alike, so the pairs' error is the honest one.",
    ),
]


@stats.callback()
def group() -> None:
    """Statistics of matches."""


@stats.command("elo", epilog=EXAMPLES)
def elo(
    wins: Count,
    draws: Count,
    losses: Count,
    pairs: Pairs = None,
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
    print_table(results(wins, draws, losses), ("", *found), columns)


@stats.command("sprt", epilog=SPRT_EXAMPLES)
def sprt(
    wins: Count,
    draws: Count,
    losses: Count,
    pairs: Pairs = None,
    elo0: Annotated[float, typer.Option(help="H0: the Elo difference is at most this.")] = 0.0,
    elo1: Annotated[float, typer.Option(help="H1: the Elo difference is at least this.")] = 5.0,
    alpha: Annotated[float, typer.Option(help="Probability of accepting H1 where H0 holds.")] = 0.05,
    beta: Annotated[float, typer.Option(help="Probability of accepting H0 where H1 holds.")] = 0.05,
    logistic: Annotated[bool, typer.Option(help="Elo on the logistic scale instead of the normalised one.")] = False,
    json: Json = False,
) -> None:
    """Sequential probability ratio test: whether the games played so far decide between two Elo differences."""
    test = Sprt(elo0, elo1, alpha, beta, "logistic" if logistic else "normalised")
    games = Tally.of_games(wins, draws, losses)
    tally = games if pairs is None else pairs_of(games, pairs)
    low, high = test.bounds
    found = {"llr": test.llr(tally), "lower": low, "upper": high, "verdict": str(test.verdict(tally))}
    if json:
        print_json(found)
        return
    rows = [(name, value if isinstance(value, str) else f"{value:.3f}") for name, value in found.items()]
    print_table(f"SPRT of {elo0:g} against {elo1:g} {test.model} Elo", ("", ""), rows)


NAMES = (
    "count",
    "win share",
    "standard error",
    "Elo [95 %]",
    "± as cutechess",
    "normalised Elo",
    "superiority",
    "as fastchess",
)


def _column(line: Scoreline) -> list[str | None]:
    def text(value: float | None, form: str) -> str | None:
        return None if value is None else format(value, form)

    return [
        str(sum(line.counts)),
        percent(line.share, digits=2),
        percent(line.standard_error, digits=2),
        str(line.elo),
        text(line.elo_margin, ".1f"),
        text(line.normalised_elo, "+.1f"),
        percent(line.superiority, digits=2),
        percent(line.superiority_of_score, digits=2),
    ]
