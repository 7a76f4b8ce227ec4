"""Reading a player's games from a PGN file: their colour, date, speed, rating and result, and the opening moves."""

import math
import os
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from hashlib import blake2b
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from foible._core import ChessPosition
from foible.errors import ConfigError, GameFileError
from foible.games.pgn import WHITE_POINTS, PgnGame, PgnReader, read_pgn
from foible.opponents.game_tags import Speed, name_key, nearest_hint, read_date, read_rating, read_speed

if TYPE_CHECKING:
    from _typeshed import SupportsRead

PLIES = 40
"""The number of plies of every game that are kept: hardly any two games agree beyond them."""

HALF_LIFE = 24.0
"""Months after which a game counts half (opponent-modelling §5.1)."""

DAYS_PER_MONTH = 365.25 / 12


@dataclass(frozen=True, slots=True)
class PlayerGame:
    """A game from the side of one player."""

    white: bool
    opening: str
    """The first `PLIES` moves in UCI, separated by spaces: as one string a game takes only some 300 bytes."""
    start_fen: str | None = None
    """The start position; `None` for the standard one."""
    day: date | None = None
    speed: Speed | None = None
    rating: int | None = None
    """The player's own rating."""
    points: float | None = None
    """The player's result: 1, ½ or 0; `None` where the file does not say."""

    @property
    def moves(self) -> list[str]:
        return self.opening.split()

    @property
    def position(self) -> ChessPosition:
        """The position after the moves of `opening`."""
        return ChessPosition(self.start_fen, self.moves)


@dataclass(frozen=True, slots=True)
class PlayerGames:
    """The games of a player in a file, in the order of the file, and how many others there were."""

    player: str
    """The player's name, in the spelling that is most frequent."""
    games: tuple[PlayerGame, ...]
    read: int = 0
    """The number of games in the file that could be read, of all players."""
    skipped: int = 0
    """The number of games in the file that could not be replayed."""
    errors: tuple[str, ...] = ()
    """Why games could not be replayed: the first few messages."""
    copies: int = 0
    """The number of repeated copies of the player's games in the file, which are left out."""
    variants: int = 0
    """The number of the player's games in Chess960, which are left out: they tell nothing of openings."""

    def only(self, *, white: bool | None = None, speeds: Collection[Speed] = ()) -> "PlayerGames":
        """The games with one colour and of some speeds; all where these are not given.

        :raises ConfigError: no game is left; says what there is.
        """
        fitting = [game for game in self.games if white in (None, game.white)]
        kept = tuple(game for game in fitting if not speeds or game.speed in speeds)
        if not kept:
            side = {None: "", True: " as White", False: " as Black"}[white]
            wanted = f"{' or '.join(speeds)} games".lstrip()
            there = Counter(game.speed or "of unknown speed" for game in fitting)
            known = ", ".join(f"{count} {speed}" for speed, count in there.most_common()) or "none with moves"
            others = f", but {self.variants} in Chess960, which tell nothing of openings" if self.variants else ""
            raise ConfigError(f"no {wanted} of {self.player}{side}; there are {known}{others}")
        return replace(self, games=kept)


def read_player_games(source: "str | os.PathLike[str] | SupportsRead[bytes]", player: str) -> PlayerGames:
    """The games of a player, streamed: memory grows with the player's games alone, 0.3 kB each.

    `player` is found in any case, with or without accents, as `Last, First` or `First Last`. Variations, comments and
    glyphs are ignored; games that cannot be replayed are skipped and counted.

    :raises GameFileError: the file cannot be read.
    :raises ConfigError: the file has no player of this name; says which names come nearest.
    """
    key = name_key(player)
    if not key:
        raise ConfigError(f"player {player!r}: expected a name")
    reader = read_pgn(source)
    spellings, others = Counter[str](), set[str]()
    games: list[PlayerGame] = []
    seen: set[bytes] = set()
    read = copies = variants = 0
    for game in reader:
        read += 1
        mine = [name for name in _players(game) if name_key(name) == key]
        if not mine:
            if not spellings:
                others.update(_players(game))
            continue
        spellings.update(mine)
        others.clear()
        if game.chess960:
            variants += 1
        elif (mark := _mark(game)) in seen:
            copies += 1
        else:
            seen.add(mark)
            games += _sides(game, key)
    if not spellings:
        raise _nobody(player, source, reader, read, others)
    name = max(sorted(spellings), key=lambda spelling: spellings[spelling])
    return PlayerGames(name, tuple(games), read, reader.skipped, tuple(reader.errors), copies, variants)


def game_weights(games: Sequence[PlayerGame], half_life: float = HALF_LIFE) -> NDArray[np.float64]:
    """`[G]`: the weight of each game: 1 for the last one, and half as much for each `half_life` months before it.

    The age of a game counts from the last game, not from today, so that the same file always gives the same weights. A
    game without a date has the mean weight of those with one, or 1 where no game has a date.
    """
    dated = [game.day for game in games if game.day]
    if not dated:
        return np.ones(len(games))
    now = max(dated)
    ages = np.array([np.nan if game.day is None else (now - game.day).days / DAYS_PER_MONTH for game in games])
    weights: NDArray[np.float64] = 0.5 ** (ages / half_life)
    # An exact sum: the same games in another order must weigh the same to the last bit.
    return np.where(np.isnan(weights), math.fsum(weights[~np.isnan(weights)]) / len(dated), weights)


def mean_rating(games: Sequence[PlayerGame], half_life: float = HALF_LIFE) -> float | None:
    """The player's mean rating, recent games counting more; `None` where no game has a rating."""
    rated = [(game.rating, weight) for game, weight in zip(games, game_weights(games, half_life), strict=True)]
    known = np.array([(rating, weight) for rating, weight in rated if rating is not None])
    return float(np.average(known[:, 0], weights=known[:, 1])) if known.size else None


def _players(game: PgnGame) -> Iterator[str]:
    return (game.tags[side] for side in ("White", "Black") if side in game.tags)


def _mark(game: PgnGame) -> bytes:
    """A digest that is equal for copies of one game."""
    tags = (game.tags.get(name, "") for name in ("White", "Black", "Date", "UTCTime", "Round"))
    return blake2b("\n".join([*tags, *game.moves]).encode(errors="replace"), digest_size=12).digest()


def _sides(game: PgnGame, key: tuple[str, ...]) -> Iterator[PlayerGame]:
    """The game from the player's side; twice, from both sides, where the player has both."""
    if not game.moves:
        return
    points = WHITE_POINTS.get(game.result)
    for white in (True, False):
        if name_key(game.tags.get("White" if white else "Black", "")) == key:
            yield PlayerGame(
                white=white,
                opening=" ".join(game.moves[:PLIES]),
                start_fen=game.start_fen,
                day=read_date(game.tags),
                speed=read_speed(game.tags),
                rating=read_rating(game.tags, white=white),
                points=points if points is None or white else 1 - points,
            )


def _nobody(player: str, source: object, reader: PgnReader, read: int, names: Collection[str]) -> Exception:
    where = source if isinstance(source, str | os.PathLike) else "the games"
    if not read:
        return GameFileError("; ".join([f"{where}: holds no game that can be read", *reader.errors[:1]]))
    return ConfigError(f"no game of {player!r} among the {read} in {where}; {nearest_hint(player, names)}")
