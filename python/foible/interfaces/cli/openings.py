"""`foible openings`: the moves of real games in a position. It needs Polars, which `foible explain` does without."""

from pathlib import Path
from typing import Annotated

import typer

from foible._core import ChessPosition
from foible.analysis.estimates import Estimate
from foible.analysis.openings import PLIES, OpeningIndex, PlayedMoves, RatedGames, open_index
from foible.errors import ConfigError
from foible.interfaces.cli.options import check_files, start_fen, written_moves
from foible.interfaces.cli.output import Json, examples, print_json, print_table, say
from foible.interfaces.cli.progress import progress_line
from foible.wording import percent

OPENINGS_EXAMPLES = examples(
    "foible openings masters.pgn.xz --moves 'e4 c5'",
    "foible openings club.pgn more.pgn.gz --moves '1. d4 d5 2. c4' --rating 1500 --within 100",
    "foible openings club.pgn --fen 'rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2' --json",
)
PERCENT = 100
WITHIN = 200
"""The most points by which a player's rating differs from the one that is asked for."""


def openings(
    games: Annotated[
        list[Path], typer.Argument(metavar="GAMES...", help="PGN files, plain or packed.", show_default=False)
    ],
    fen: Annotated[str | None, typer.Option(help="The position.", show_default="the start")] = None,
    moves: Annotated[str, typer.Option(help="Moves that follow it, in UCI or SAN.", show_default=False)] = "",
    rating: Annotated[
        int | None,
        typer.Option(min=0, max=5000, help="Only games between players rated so ...", show_default="any games"),
    ] = None,
    within: Annotated[
        int | None,
        typer.Option(min=0, max=5000, help="... or at most so many points from it.", show_default=str(WITHIN)),
    ] = None,
    json: Json = False,
) -> None:
    """What games did in a position, however they came to it: each move, how often, and how it scored.

    The score is the mean of the points of who is to move, with its standard error, games being independent. A game
    without a result counts nowhere; a position that came up in one game alone has no moves.

    The games are read once; their index is kept in the cache folder until the files change.
    """
    check_files(games)
    if rating is None and within is not None:
        raise ConfigError(f"--within {within}: expected --rating with it")
    position = ChessPosition(start_fen(fen), written_moves(moves))
    points = WITHIN if within is None else within
    rated = None if rating is None else RatedGames(rating - points, rating + points)
    with progress_line() as line:
        index = open_index(
            games, lambda step: line.show(step.what, PERCENT * step.part, PERCENT, note=f"{step.games} games")
        )
    played = index.look_up(position, rated)
    if json:
        description = index.description
        left_out = {
            "unfinished": description.unfinished,
            "chess960": description.variants,
            "unreadable": description.skipped,
        }
        whole = {"all_games": description.games, "all_rated": description.rated, "left_out": left_out}
        print_json({"fen": position.fen, **played.to_json(), **whole})
        return
    if not played.games:
        say(_nothing(played, rated))
        return
    share = percent(played.opening_share, digits=0)
    opening = f"; most frequent opening: {played.opening} ({share})" if played.opening else ""
    print_table(
        f"{played.games} games{opening}",
        ["move", "games", "share %", "score %"],
        [
            *((move.san, move.games, f"{PERCENT * move.share:.1f}", _score(move.score)) for move in played.moves),
            ("all", played.games, "100.0", _score(played.score)),
        ],
        note=_note(index),
    )


def _score(score: Estimate) -> str | None:
    if score.value is None:
        return None
    error = "" if score.standard_error is None else f" ± {PERCENT * score.standard_error:.1f}"
    return f"{PERCENT * score.value:.1f}{error}"


def _nothing(played: PlayedMoves, rated: RatedGames | None) -> str:
    if rated and played.games_of_any_rating:
        between = f"between players rated {rated.lowest} to {rated.highest}"
        return f"none of the {played.games_of_any_rating} games here is {between}"
    return f"no two games came here and went on within their first {PLIES} plies"


def _note(index: OpeningIndex) -> str:
    description = index.description
    left_out = [
        f"{count} {why}"
        for count, why in (
            (description.unfinished, "without a result"),
            (description.variants, "of Chess960"),
            (description.skipped, "that cannot be replayed"),
        )
        if count
    ]
    return f"{description.games} games in all, {description.rated} with both ratings" + (
        f"; left out: {', '.join(left_out)}" if left_out else ""
    )
