"""The moves of a PGN file on which a model is scored, and by what they are sorted."""

import random
from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from foible._core import ChessPosition, Corpus, PgnGame
from foible.games.phases import PHASES
from foible.opponents.game_tags import read_rating
from foible.training.data.columns import game_keys
from foible.training.data.dataset import in_test

Grouping = Literal["rating", "phase", "ply"]
GROUPINGS: tuple[Grouping, ...] = ("rating", "phase", "ply")

BAND = 100
"""Width of a rating band."""
PLIES = (0, 10, 20, 30, 40, 60, 80)
"""Where the bands of plies begin, counted from the start of the game."""


@dataclass(frozen=True, slots=True)
class RatedMove:
    """A move that somebody played."""

    position: ChessPosition
    """Before it."""
    played: int
    """Its number among the legal moves."""
    groups: Mapping[Grouping, int]
    """Where it belongs; `rating` is missing where the player's is."""


def groups(position: ChessPosition, ply: int, rating: int | None) -> dict[Grouping, int]:
    """The number of the phase, and where the bands of ply and rating begin."""
    found: dict[Grouping, int] = {
        "phase": phase(position),
        "ply": max(start for start in PLIES if start <= ply),
    }
    if rating is not None:
        found["rating"] = band(rating)
    return found


def band(rating: float) -> int:
    """Where the band of a rating begins."""
    return int(rating // BAND) * BAND


def phase(position: ChessPosition) -> int:
    """Index into `PHASES`: endgame with at most six queens, rooks, bishops and knights on the board; middlegame with
    at most ten, or where one side has fewer than four pieces left on its back rank; opening before.

    The rule of lichess without its measure of how the armies are mixed (phase-experts §1.2).
    """
    board = position.fen.split(" ", 1)[0]
    officers = sum(map(board.count, "QRBNqrbn"))
    if officers <= 6:
        return 2
    ranks = board.split("/")
    black, white = sum(map(str.islower, ranks[0])), sum(map(str.isupper, ranks[-1]))
    return 1 if officers <= 10 or min(black, white) < 4 else 0


def label(grouping: Grouping, group: int) -> str:
    """What a table calls a group."""
    if grouping == "phase":
        return PHASES[group]
    if grouping == "rating":
        return f"{group}–{group + BAND - 1}"
    after = next((start for start in PLIES if start > group), None)
    return f"{group}+" if after is None else f"{group}–{after - 1}"


Color = Literal["white", "black"]
COLORS: tuple[Color, Color] = ("white", "black")

Side = tuple[int, Color]
"""One player's part of a game: the number of the game in its file, and the colour."""


@dataclass(frozen=True, slots=True)
class Choice:
    """Which moves count."""

    limit: int | None = None
    """Games, from the start of the file."""
    rating: tuple[int, int] | None = None
    """Rating of the mover, both ends included; players without a rating are then left out."""
    skip_plies: int = 0
    """From the start of each game."""
    color: Color | None = None


def held_out(games: Iterable[PgnGame], share: float | None) -> Iterator[PgnGame]:
    """The games that trainings keep for tests when they hold out such a share; all when it is absent."""
    for game in games:
        if share is None or (game.moves and in_test(_keys(game), share).all()):
            yield game


def rated_moves(
    games: Iterable[PgnGame], choice: Choice, drawn: Container[Side] | None = None
) -> Iterator[list[RatedMove]]:
    """The moves that count, game by game; a game without any is an empty list.

    `drawn`: only the moves of these sides, as `draw_sides` found them in the same file.
    """
    for game in islice(games, choice.limit):
        moves = []
        sides = [color for color in _sides(game, choice) if drawn is None or (game.number, color) in drawn]
        position = ChessPosition(game.start_fen, chess960=game.chess960)
        for ply, move in enumerate(game.moves if sides else ()):
            color = COLORS[position.turn == "second"]
            if ply >= choice.skip_plies and color in sides:
                played = position.legal_moves.index(move)
                moves.append(RatedMove(position, played, groups(position, ply, rating_of(game, color))))
            position = position.play(move)
        yield moves


def draw_sides(games: Iterable[PgnGame], choice: Choice, per_band: int, seed: int = 0) -> set[Side]:
    """At most so many sides of games for each rating band, all with an equal chance (reservoir sampling), in memory
    that does not grow with the games.
    """
    rng = random.Random(seed)
    kept: dict[int, list[Side]] = {}
    met: dict[int, int] = {}
    for game in islice(games, choice.limit):
        for color in _sides(game, choice):
            if (rating := rating_of(game, color)) is None:
                continue
            here = band(rating)
            reservoir, met[here] = kept.setdefault(here, []), met.get(here, 0) + 1
            if len(reservoir) < per_band:
                reservoir.append((game.number, color))
            elif (place := rng.randrange(met[here])) < per_band:
                reservoir[place] = (game.number, color)
    return {side for reservoir in kept.values() for side in reservoir}


def rating_of(game: PgnGame, color: Color) -> int | None:
    """The player's, where the tag holds a plausible number."""
    return read_rating(game.tags, white=color == "white")


def _keys(game: PgnGame) -> NDArray[np.uint64]:
    """`[1]`: what the hold-out goes by."""
    one = Corpus()
    one.add(game.moves, "1/2-1/2", start_fen=game.start_fen, chess960=game.chess960)
    return game_keys(one)


def _sides(game: PgnGame, choice: Choice) -> list[Color]:
    if len(game.moves) <= choice.skip_plies:
        return []
    return [color for color in COLORS if choice.color in (None, color) and _in_range(rating_of(game, color), choice)]


def _in_range(rating: int | None, choice: Choice) -> bool:
    if choice.rating is None:
        return True
    low, high = choice.rating
    return rating is not None and low <= rating <= high
