"""The sources of puzzles: the games of PGN files and of run folders, and the positions of EPD files."""

import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path

from foible._core import ChessPosition
from foible.arena.openings import read_openings
from foible.errors import ConfigError, GameFileError
from foible.games.pgn import PgnGame, read_pgn
from foible.mistakes import visible
from foible.opponents.game_tags import name_key, nearest_hint
from foible.toml import AnyPath

_POSITION_SUFFIXES = {".epd", ".fen"}
MOST_REASONS = 100
"""The most games of Chess960 in a file that are named."""


@dataclass(frozen=True, slots=True)
class SourceGame:
    """A game whose positions are looked at; a lone position is a game without moves."""

    name: str
    """The file and number by which people can find it again."""
    start_fen: str | None
    moves: tuple[str, ...] = ()
    white: str = ""
    black: str = ""
    url: str = ""
    opening: str = ""
    """Names of the opening, in the form of `Puzzle.opening`."""

    @property
    def key(self) -> str:
        """16 hexadecimal digits that depend on players, start and moves only, not on the file that the game is in."""
        about = "\n".join((self.white, self.black, self.start_fen or "", *self.moves))
        return blake2b(about.encode(), digest_size=8).hexdigest()

    def candidates(self) -> Iterator["PuzzleCandidate"]:
        """Every position in which the side to move has more than one legal move."""
        before, position, prefix = None, ChessPosition(self.start_fen), hash(self.start_fen)
        for ply, played in enumerate([*self.moves, None]):
            if position.outcome() is None and len(position.legal_moves) > 1:
                yield PuzzleCandidate(self, ply, position, before, played, prefix)
            if played is not None:
                before, position, prefix = position, position.play(played), hash((prefix, played))


@dataclass(frozen=True, slots=True)
class PuzzleCandidate:
    """A position of a game that may be a puzzle."""

    game: SourceGame
    ply: int
    """The number of moves of the game before it."""
    position: ChessPosition
    before: ChessPosition | None
    """The position one move earlier; `None` at the start of the game."""
    played: str | None
    """The move that was played; `None` at the end of the game."""
    prefix: int
    """A hash of the start and the moves so far, valid in this process: where it is equal, searches give the same."""

    @property
    def setup(self) -> str | None:
        """The opponent's move that led to the position."""
        return self.game.moves[self.ply - 1] if self.ply else None

    @property
    def solver(self) -> str:
        """The name of the side to move."""
        return self.game.white if self.position.turn == "first" else self.game.black

    @property
    def opponent(self) -> str:
        """The name of the other side."""
        return self.game.black if self.position.turn == "first" else self.game.white


@dataclass(frozen=True, slots=True)
class LeftOut:
    """The games of a file that cannot be replayed, and those of Chess960."""

    file: str
    """The name of the file."""
    games: int
    reasons: tuple[str, ...]
    """Which games they are and why, for the first hundred of either kind."""


@dataclass(frozen=True, slots=True)
class Census:
    """Counts of the games and positions in the sources."""

    positions: dict[str, int]
    """The number of positions of each wanted game, by its key, in the order of the games."""
    files: tuple[LeftOut, ...]
    """What was left out, file by file."""

    @property
    def left_out(self) -> int:
        """Games that could not be replayed, and games of Chess960."""
        return sum(file.games for file in self.files)


def expand(sources: Sequence[AnyPath]) -> list[Path]:
    """The files to read: the sources themselves, or in place of a folder its PGN files.

    :raises GameFileError: a folder holds no PGN file; or a source is neither file nor folder but, for example, a pipe.
    """
    files_to_read: list[Path] = []
    for source in map(Path, sources):
        if source.exists() and not (source.is_dir() or source.is_file()):
            raise GameFileError(f"{source}: no file; expected files that can be read twice, or a folder")
        files = sorted(filter(_is_pgn, source.iterdir())) if source.is_dir() else [source]
        if not files:
            raise GameFileError(f"{source}: a folder without a PGN file; expected a run folder, or files")
        files_to_read += files
    return files_to_read


def _is_pgn(path: Path) -> bool:
    """Whether a path is a PGN file, plain or compressed, by its name."""
    return ".pgn" in path.name.lower() and path.is_file()


def read_games(
    files: Sequence[Path], on_left_out: Callable[[LeftOut], None] = lambda _games: None
) -> Iterator[SourceGame]:
    """All games, in the order of the files; positions are games without moves.

    `on_left_out` is called at the end of each PGN file.

    :raises GameFileError: a file cannot be read, or holds neither games nor positions.
    """
    for file in files:
        titled = visible(file.name)  # results hold text, and no name that is not UTF-8
        if _POSITION_SUFFIXES & {suffix.lower() for suffix in file.suffixes}:
            for number, opening in enumerate(read_openings(file), 1):
                yield SourceGame(f"{titled}, position {number}", opening.fen)
            continue
        reader = read_pgn(file)
        games, variants = 0, list[int]()
        for game in reader:
            games += 1
            if game.chess960:
                variants.append(game.number)
            else:
                yield _of_pgn(titled, game)
        reasons = (*reader.errors, *(f"game {number}: Chess960" for number in variants[:MOST_REASONS]))
        on_left_out(LeftOut(titled, reader.skipped + len(variants), reasons))
        if not games:
            reason = f"; the first that could not be read: {reader.errors[0]}" if reader.errors else ""
            raise GameFileError(f"{file}: no game in it{reason}")


def take_census(files: Sequence[Path], player: str | None = None) -> Census:
    """Count the games and positions, so that a job can show its progress. Errors as `read_games`.

    :raises ConfigError: nobody in the games has the player's name; the message gives the nearest names.
    """
    wanted = name_key(player) if player is not None else ()
    if player is not None and not wanted:
        raise ConfigError(f"player {player!r}: expected a name")
    positions: dict[str, int] = {}
    names: set[str] = set()
    left_out: list[LeftOut] = []
    for game in read_games(files, left_out.append):
        names.update(name for name in (game.white, game.black) if name)
        if concerns(game, wanted):
            positions[game.key] = len(game.moves) + 1
    if player is not None and not positions:
        raise ConfigError(f"no game of {player!r} in the files; {nearest_hint(player, names)}")
    return Census(positions, tuple(left_out))


def concerns(game: SourceGame, player: tuple[str, ...]) -> bool:
    """Whether the player, given by the words of the name, plays in a game; true for all games if `player` is empty."""
    return not player or player in (name_key(game.white), name_key(game.black))


def _of_pgn(file: str, game: PgnGame) -> SourceGame:
    tags = game.tags
    white, black = (tags.get(side, "").strip("?") for side in ("White", "Black"))
    link = next((tags[tag] for tag in ("Link", "Site") if tags.get(tag, "").startswith("http")), "")
    opening = _opening_words(tags["Opening"]) if "ECO" in tags and "Opening" in tags else ""
    return SourceGame(f"{file}, game {game.number}", game.start_fen, tuple(game.moves), white, black, link, opening)


def _opening_words(opening: str) -> str:
    """`Sicilian Defense: Najdorf Variation` → `Sicilian_Defense Sicilian_Defense_Najdorf_Variation`, in ASCII."""
    plain = unicodedata.normalize("NFKD", opening).encode("ascii", "ignore").decode().replace("'", "")
    parts = [re.sub(r"[^\w-]+", "_", part).strip("_") for part in re.split(r"[:,]", plain)]
    parts = [part for part in parts if part]
    return " ".join("_".join(parts[:count]) for count in (1, 2) if count <= len(parts))
