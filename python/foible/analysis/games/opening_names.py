"""The names of openings, from a game's tags or else from the positions that the game went through."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from foible._core import ChessPosition
from foible.errors import GameFileError, MoveError
from foible.games.odds import ODDS
from foible.games.packed import open_packed
from foible.games.pgn import PgnGame

COLUMNS = ("eco", "name", "pgn")
"""The columns of a table of openings, as in lichess-org/chess-openings: code, name, moves from the standard start."""

NO_OPENINGS = frozenset({"standard", *(f"{name} odds" for name in ODDS)})
"""Names of starting positions that older files written by foible have in the tag Opening."""

_CODE = re.compile(r"[A-E]\d\d")
_MOVE_NUMBER = re.compile(r"\b\d+\.+")


class NamedOpening(NamedTuple):
    """An opening's code, A00 to E99, and its name; empty where unknown."""

    eco: str
    name: str


@dataclass(frozen=True, slots=True)
class OpeningNames:
    """A table of openings, by the positions that they lead to."""

    positions: Mapping[str, NamedOpening] = field(default_factory=dict)
    plies: int = 0
    """The number of plies of the longest opening."""

    def of(self, game: PgnGame) -> NamedOpening:
        """The opening by the tags ECO and Opening; what they lack comes from the last position that the table names."""
        code = _CODE.match(game.tags.get("ECO", ""))
        name = game.tags.get("Opening", "").strip(" ?-")
        name = "" if name in NO_OPENINGS else name
        if code and name:
            return NamedOpening(code[0], name)
        named = self._by_positions(game)
        if code and code[0] != named.eco:
            return NamedOpening(code[0], name)
        return NamedOpening(named.eco, name or named.name)

    def _by_positions(self, game: PgnGame) -> NamedOpening:
        named, position = NamedOpening("", ""), ChessPosition(game.start_fen, chess960=game.chess960)
        for move in game.moves[: self.plies]:
            position = position.play(move)
            named = self.positions.get(_placement(position), named)
        return named


NO_TABLE = OpeningNames()


def read_openings(paths: Sequence[Path]) -> OpeningNames:
    """Read a table of openings from files, plain or compressed: tab-separated `COLUMNS`, named in the first line.

    :raises GameFileError: a file cannot be read, lacks a column, or has a line without a code, a name and legal moves;
        the message names file and line.
    """
    positions: dict[str, NamedOpening] = {}
    plies = 0
    for path in paths:
        lines = list(_lines(path))
        if not lines:
            raise GameFileError(f"{path}: no opening in it; expected one in each line after the first")
        for opening, end in lines:
            positions[_placement(end)] = opening
            plies = max(plies, len(end.moves))
    return OpeningNames(positions, plies)


def _lines(path: Path) -> Iterator[tuple[NamedOpening, ChessPosition]]:
    """Each opening of a file with the position that it leads to."""
    try:
        header, *lines = open_packed(path).read().decode("utf-8-sig").splitlines() or [""]
    except UnicodeDecodeError as error:
        raise GameFileError(f"{path}: not a text file (byte {error.start} is not UTF-8)") from None
    columns = header.split("\t")
    if missing := [name for name in COLUMNS if name not in columns]:
        raise GameFileError(
            f"{path}, line 1: no column {', '.join(missing)}; expected the names of tab-separated columns,"
            f" {', '.join(COLUMNS)} among them"
        )
    for number, line in enumerate(lines, 2):
        if line.strip():
            yield _opening(dict(zip(columns, line.split("\t"), strict=False)), f"{path}, line {number}")


def _opening(fields: dict[str, str], where: str) -> tuple[NamedOpening, ChessPosition]:
    if missing := [name for name in COLUMNS if not fields.get(name, "").strip()]:
        raise GameFileError(f"{where}: no {', '.join(missing)}; expected {', '.join(COLUMNS)}, separated by tabs")
    eco, name, pgn = (fields[column].strip() for column in COLUMNS)
    if not _CODE.fullmatch(eco):
        raise GameFileError(f"{where}: code {eco!r}; expected A00 to E99")
    try:
        return NamedOpening(eco, name), ChessPosition(moves=_MOVE_NUMBER.sub(" ", pgn).split())
    except MoveError as error:
        raise GameFileError(f"{where}: {error}") from None


def _placement(position: ChessPosition) -> str:
    """The pieces and the side to move, which identify an opening; castling rights and en passant do not matter."""
    return position.fen.rsplit(" ", 4)[0]
