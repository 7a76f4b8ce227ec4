"""The moves of a PGN file on which models are scored, and the groups into which these are sorted."""

import random
from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from foible._core import ChessPosition, Corpus, PgnGame
from foible.games.phases import PHASES, phase_of
from foible.opponents.game_tags import name_key, read_rating
from foible.training.data.columns import game_keys
from foible.training.data.dataset import in_test

Grouping = Literal["rating", "phase", "ply"]
GROUPINGS: tuple[Grouping, ...] = ("rating", "phase", "ply")

BAND = 100
"""The width of a rating band."""
PLIES = (0, 10, 20, 30, 40, 60, 80)
"""The first plies of the bands of plies, counted from the start of the game."""


@dataclass(frozen=True, slots=True)
class RatedMove:
    """A move that somebody played."""

    position: ChessPosition
    """The position before the move."""
    played: int
    """The index of the move in the position's legal moves."""
    groups: Mapping[Grouping, int]
    """The move's group in each grouping; `rating` is missing where the player has no rating."""


def groups(position: ChessPosition, ply: int, rating: int | None) -> dict[Grouping, int]:
    """The groups of a move: the number of the phase, and the lower ends of its bands of ply and rating."""
    groups: dict[Grouping, int] = {
        "phase": phase_of(position),
        "ply": max(start for start in PLIES if start <= ply),
    }
    if rating is not None:
        groups["rating"] = band(rating)
    return groups


def band(rating: float) -> int:
    """The lower end of the band that a rating is in."""
    return int(rating // BAND) * BAND


def label(grouping: Grouping, group: int) -> str:
    """The name of a group in tables."""
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
    """The choice of the moves that count."""

    limit: int | None = None
    """The number of games to take, from the start of the file; all when absent."""
    rating: tuple[int, int] | None = None
    """The range of the mover's rating, both ends included; if given, players without a rating are left out."""
    skip_plies: int = 0
    """The number of plies to skip at the start of each game."""
    color: Color | None = None
    player: str | None = None
    """The name of the player whose moves alone count, in any spelling that `name_key` takes for the same."""


def held_out(games: Iterable[PgnGame], share: float | None) -> Iterator[PgnGame]:
    """The games that training sets aside for tests when it holds out this share; all games when `share` is absent."""
    for game in games:
        if share is None or (game.moves and in_test(_keys(game), share).all()):
            yield game


def rated_moves(
    games: Iterable[PgnGame], choice: Choice, drawn: Container[Side] | None = None
) -> Iterator[list[RatedMove]]:
    """The moves that count, game by game; for a game without any, an empty list.

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
    """Draw at most `per_band` sides of games for each rating band, all with an equal chance (reservoir sampling), in
    memory that does not grow with the games.
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
    """The player's rating, where the tag holds a plausible number."""
    return read_rating(game.tags, white=color == "white")


def name_of(game: PgnGame, color: Color) -> str:
    """The name of a player as its tag has it; `?` where the tag is missing."""
    return game.tags.get(color.capitalize(), "?")


def _keys(game: PgnGame) -> NDArray[np.uint64]:
    """`[1]`: the key of the game, by which held-out games are chosen."""
    one = Corpus()
    one.add(game.moves, "1/2-1/2", start_fen=game.start_fen, chess960=game.chess960)
    return game_keys(one)


def _sides(game: PgnGame, choice: Choice) -> list[Color]:
    if len(game.moves) <= choice.skip_plies:
        return []
    return [
        color
        for color in COLORS
        if choice.color in (None, color)
        and (choice.player is None or name_key(name_of(game, color)) == name_key(choice.player))
        and _in_range(rating_of(game, color), choice)
    ]


def _in_range(rating: int | None, choice: Choice) -> bool:
    if choice.rating is None:
        return True
    low, high = choice.rating
    return rating is not None and low <= rating <= high
