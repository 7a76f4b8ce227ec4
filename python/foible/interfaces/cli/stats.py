"""`foible stats`."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict
from functools import partial
from itertools import chain, starmap
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from foible.arena.elo import Scoreline, pairs_of, scoreline
from foible.arena.pgn_results import Encounter, Encounters, encounters
from foible.arena.sprt import Sprt
from foible.arena.stats import Tally
from foible.errors import GameFileError
from foible.games.pgn import PgnGame, read_pgn
from foible.interfaces.cli.options import input_path
from foible.interfaces.cli.output import Json, examples, print_json, print_standings, print_table, say_left_out
from foible.interfaces.cli.progress import progress_line
from foible.wording import counted, percent, results

EXAMPLES = examples("foible stats elo 60 25 15", "foible stats elo 60 25 15 --pairs 3 4 9 13 21 --json")
SPRT_EXAMPLES = examples("foible stats sprt 600 900 500 --elo1 10", "foible stats sprt 60 25 15 --pairs 3 4 9 13 21")
PGN_EXAMPLES = examples("foible stats pgn tournament.pgn", "foible stats pgn monday.pgn.zst tuesday.pgn.zst --json")

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
    scorelines = {"games": scoreline(games)}
    if pairs is not None:
        scorelines["pairs"] = scoreline(pairs_of(games, pairs))
    if json:
        print_json({name: asdict(line) for name, line in scorelines.items()})
        return
    columns = zip(NAMES, *(_column(line) for line in scorelines.values()), strict=True)
    print_table(results(wins, draws, losses), ("", *scorelines), columns)


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
    values = {"llr": test.llr(tally), "lower": low, "upper": high, "verdict": str(test.verdict(tally))}
    if json:
        print_json(values)
        return
    rows = [(name, value if isinstance(value, str) else f"{value:.3f}") for name, value in values.items()]
    print_table(f"SPRT of {elo0:g} against {elo1:g} {test.model} Elo", ("", ""), rows)


@stats.command("pgn", epilog=PGN_EXAMPLES)
def pgn(
    files: Annotated[
        list[Path],
        typer.Argument(
            metavar="FILE...", help='PGN files, plain or packed. "-" is standard input.', show_default=False
        ),
    ],
    json: Json = False,
) -> None:
    """Who scored what against whom in games of any program, and where all players stand.

    Errors are by pairs of games where every game between two players has a counterpart: colours swapped, the same
    starting position, the same round or, where each game has a round of its own, next in order. Superiority is the
    probability of being the stronger player. From three players on their ratings follow.
    """
    readers = [read_pgn(input_path(file)) for file in files]
    with progress_line("games") as line:
        all_encounters = encounters(_told(chain.from_iterable(readers), partial(line.show, "reading")))
    for file, reader in zip(files, readers, strict=True):
        say_left_out(str(file), reader.skipped, reader.errors)
    if not all_encounters.met:
        problem = (
            "no game has a result and two named players" if all_encounters.left_out else "no game that can be read"
        )
        raise GameFileError(f"{files[0]}: {problem}; expected PGN with the tags White, Black and Result")
    if json:
        print_json(_to_json(all_encounters))
        return
    print_table(
        "Matches", MATCH_COLUMNS, starmap(_match_row, all_encounters.met.items()), left=2, note=_note(all_encounters)
    )
    if standings := all_encounters.standings:
        print_standings(standings)


def _told(games: Iterable[PgnGame], on_game: Callable[[int], None]) -> Iterator[PgnGame]:
    for done, game in enumerate(games, 1):
        on_game(done)
        yield game


MATCH_COLUMNS = ("player", "opponent", "games", "won", "drawn", "lost", "win share", "Elo [95 %]", "superiority")


def _match_row(players: tuple[str, str], encounter: Encounter) -> tuple[object, ...]:
    losses, draws, wins = encounter.games.counts
    line = scoreline(encounter.scores)
    share = percent(line.share, line.standard_error)
    return *players, encounter.games.n, wins, draws, losses, share, str(line.elo), percent(line.superiority)


def _note(encounters: Encounters) -> str:
    """By what the errors are, and what was left out."""
    by_games = sum(not encounter.in_pairs for encounter in encounters.met.values())
    by = "by pairs of games" if not by_games else "by games" if by_games == len(encounters.met) else None
    errors = by or f"by pairs of games, but by games in {counted(by_games, 'match')}, where not all have a counterpart"
    without = f"; {counted(encounters.left_out, 'game')} without a result or without two names left out"
    return f"errors and superiority {errors}{without if encounters.left_out else ''}"


def _to_json(encounters: Encounters) -> dict[str, Any]:
    """Plain values; shares and probabilities are 0 to 1."""
    matches = [
        {
            "player": player,
            "opponent": opponent,
            "games": asdict(scoreline(encounter.games)),
            "pairs": asdict(scoreline(encounter.pairs)) if encounter.in_pairs else None,
        }
        for (player, opponent), encounter in encounters.met.items()
    ]
    standings = encounters.standings
    return {
        "matches": matches,
        "left_out": encounters.left_out,
        "standings": standings.to_json() if standings else None,
    }


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
