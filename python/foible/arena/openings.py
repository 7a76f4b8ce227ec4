"""Opening suites: where the games of a match start.

A suite is read from an EPD or PGN file, plain or compressed, and dealt out one opening per pair
of games, in file order or in a seeded random order in which none comes back before all have been played
(phase-experts §7.1).
"""

import io
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from typing import Literal, get_args

import numpy as np

from foible._core import ChessPosition
from foible.errors import ConfigError, FoibleError, GameFileError, PositionError
from foible.games.epd import read_epd_line
from foible.games.packed import open_packed
from foible.games.pgn import read_pgn
from foible.mistakes import brief, near
from foible.toml import AnyPath, expand

BALANCED = "balanced"
"""The book that comes with foible: 500 balanced positions after eight plies (skill-compatible §1.3)."""

MAX_BYTES = 1 << 28
"""The most bytes that an opening file may unpack to."""


@dataclass(frozen=True, slots=True)
class Opening:
    """Where a game starts: a position and moves already made."""

    fen: str | None = None
    """`None` is the standard start position."""
    moves: tuple[str, ...] = ()
    """In UCI."""
    name: str = ""
    """The name that a book gives the opening; empty without one."""
    chess960: bool = False
    """Whether it is played by the rules of Chess960."""

    def start(self) -> ChessPosition:
        """The position before the opening's moves."""
        return ChessPosition(self.fen, chess960=self.chess960)

    def position(self) -> ChessPosition:
        """The position after the opening's moves."""
        return ChessPosition(self.fen, self.moves, chess960=self.chess960)


STANDARD = Opening()


Order = Literal["sequential", "random"]
"""The order in which pairs of games get their openings."""


@dataclass(frozen=True, slots=True)
class OpeningSuite:
    """Openings and the order in which pairs of games get them."""

    openings: tuple[Opening, ...] = (STANDARD,)
    order: Order = "sequential"
    seed: int = 0

    def __post_init__(self) -> None:
        """:raises ConfigError: there is no opening, something else than an opening, or no such order."""
        if not self.openings:
            raise ConfigError("openings: expected at least one")
        if not all(isinstance(opening, Opening) for opening in self.openings):
            raise ConfigError(f"{brief(repr(self.openings))}: expected openings, such as read_openings(path) returns")
        if self.order not in get_args(Order):
            raise ConfigError(f"openings: order = {self.order!r}: {near(self.order, get_args(Order))}")

    def of_pair(self, pair: int) -> Opening:
        """The opening of pair 0, 1, 2, …; an exhausted suite starts again, in a new order if random."""
        lap, index = divmod(pair, len(self.openings))
        if self.order == "random":
            index = _permutation(len(self.openings), self.seed, lap)[index]
        return self.openings[index]

    def of_game(self, pair: int, _game_in_pair: int) -> Opening:
        """Both games of a pair start from the pair's opening."""
        return self.of_pair(pair)


STANDARD_SUITE = OpeningSuite()
"""Every game from the standard start position."""


@lru_cache(maxsize=4)
def _permutation(size: int, seed: int, lap: int) -> tuple[int, ...]:
    return tuple(int(i) for i in np.random.default_rng([seed, lap]).permutation(size))


def find_openings(name: str) -> Path:
    """The file of a book: foible's own for the name `balanced`, else the path that was given, as `expand` takes it."""
    return Path(str(files("foible.arena") / "presets" / "balanced.epd")) if name == BALANCED else expand(name)


def read_openings(path: AnyPath, *, chess960: bool = False, plies: int | None = None) -> tuple[Opening, ...]:
    """The openings of an EPD or PGN file; which of the two is told by its name, else by its first character.

    :param chess960: whether games from all of them go by the rules of Chess960. Castling rights may be those of
        X-FEN (`KQkq`) or Shredder's (`HAha`).
    :param plies: how many moves of each game of a PGN file are its opening; all when absent.
    :raises ConfigError: `plies` is given, and the file holds positions.
    :raises GameFileError: the file or a line cannot be read, or there is no opening in it; names file and
        line.
    :raises PositionError: a position is not valid or already over; names file and line, or file and game.
    """
    path = expand(path)
    data = open_packed(path).read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        raise GameFileError(f"{path}: unpacks to more than {MAX_BYTES >> 20} MiB")
    suffixes = {suffix.lower() for suffix in path.suffixes}
    is_pgn = ".pgn" in suffixes or (".epd" not in suffixes and data.lstrip().startswith(b"["))
    if plies is not None and not is_pgn:
        raise ConfigError(f"openings.plies = {plies}: {path} holds positions; expected a PGN file")
    parsed = _read_pgn(data, path, plies, chess960=chess960) if is_pgn else _read_epd(data, path, chess960=chess960)
    openings = tuple(parsed)
    if not openings:
        raise GameFileError(f"{path}: no opening in it")
    return openings


def _read_epd(data: bytes, path: Path, *, chess960: bool) -> Iterator[Opening]:
    try:
        lines = data.decode("utf-8-sig").splitlines()
    except UnicodeDecodeError as error:
        raise GameFileError(f"{path}: not a text file (byte {error.start} is not UTF-8)") from None
    for number, line in enumerate(lines, 1):
        if line.strip() and not line.lstrip().startswith("#"):
            yield _epd_opening(line, f"{path}, line {number}", chess960=chess960)


def _epd_opening(line: str, where: str, *, chess960: bool) -> Opening:
    try:
        found = read_epd_line(line)
    except GameFileError as error:
        raise GameFileError(f"{where}: {error}") from None
    return _checked(Opening(found.fen, (), found.name, chess960), where)


def _read_pgn(data: bytes, path: Path, plies: int | None, *, chess960: bool) -> Iterator[Opening]:
    reader = read_pgn(io.BytesIO(data))
    for game in reader:
        name = game.tags.get("Opening") or game.tags.get("ECO") or f"game {game.number}"
        opening = Opening(game.start_fen, tuple(game.moves[:plies]), name, chess960 or game.chess960)
        yield _checked(opening, f"{path}, game {game.number}")
    if reader.errors:
        raise GameFileError(f"{path}, {reader.errors[0]}")


def _checked(opening: Opening, where: str) -> Opening:
    try:
        outcome = opening.position().outcome()
    except FoibleError as error:
        raise PositionError(f"{where}: {error}") from None
    if outcome is not None:
        advice = "; with openings.plies the games begin with its first moves alone" if opening.moves else ""
        raise PositionError(f"{where}: the game is already over ({outcome.reason}){advice}")
    return opening
