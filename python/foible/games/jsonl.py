"""Chess positions, one a line: an object of JSON, `{"fen": …, "moves": [uci…], "id": …}`, or a FEN or an EPD line.

`{}` is the start position, as is the FEN `startpos`. `"chess960": true` says that castling is king takes rook; without
it the castling rights of the FEN tell. Keys with other names are ignored beside `fen` or `moves`; without either they
are an error, since one of them is then misspelt.
"""

import codecs
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final, TypeVar

import msgspec

from foible._core import ChessPosition, GoPosition
from foible.errors import FoibleError, GameFileError
from foible.games.epd import read_epd_line
from foible.mistakes import brief, explain, in_toml

T = TypeVar("T")

STARTPOS = "startpos"
"""Stands for the FEN of the start position, as in UCI."""
CHUNK = 256
"""The number of positions that are processed together."""


@dataclass(frozen=True, slots=True)
class PositionLine:
    """One position of a file."""

    number: int
    """The number of the line, counted from 1."""
    position: ChessPosition
    echo: dict[str, Any]
    """The part of the line that is repeated in its result: `{"id": …}` where the line has an id, else empty."""


class _Line(msgspec.Struct):
    fen: str | None = None
    moves: list[str] | None = None
    chess960: bool | None = None
    id: Any = msgspec.UNSET


_decoder = msgspec.json.Decoder(_Line)
_KEYS = _Line.__struct_fields__
_PGN = re.compile(rb'\s*(?:\[[A-Za-z]\w*\s+"|1\.)')
"""The beginning of a game in PGN: a tag, or the number of the first move."""


_EPD: Final = re.compile(rb"\s*[1-8pnbrqkPNBRQK]+/")
"""The beginning of a FEN: its first row."""


def read_positions(lines: Iterable[bytes], name: str) -> Iterator[PositionLine]:
    """The positions of a file, one by one; blank lines are skipped. `name` is what errors call the file.

    :raises GameFileError: a line is neither such an object nor EPD, or no legal position; says which line and why.
    """
    for number, raw in enumerate(lines, 1):
        line = raw.removeprefix(codecs.BOM_UTF8) if number == 1 else raw
        if not line.strip():
            continue
        try:
            found = _read(line)
            fen = None if found.fen == STARTPOS else found.fen
            position = ChessPosition(fen, found.moves or (), chess960=found.chess960)
        except UnicodeDecodeError:
            raise GameFileError(f"{name}, line {number}: not UTF-8") from None
        except (msgspec.MsgspecError, FoibleError) as error:
            raise GameFileError(f"{name}, line {number}: {error}") from None
        except RecursionError:
            raise GameFileError(f"{name}, line {number}: JSON nested too deep") from None
        echo = {} if found.id is msgspec.UNSET else {"id": found.id}
        yield PositionLine(number, position, echo)


def _read(line: bytes) -> _Line:
    """:raises GameFileError: it is neither such an object nor EPD; says what is wrong and what would be right."""
    if _PGN.match(line):
        raise GameFileError(
            'this is PGN; expected FEN, EPD or JSON, {"fen": …, "moves": […]}. foible games --phases reads PGN and'
            " tells phases"
        )
    if _EPD.match(line):
        epd = read_epd_line(line.decode())
        return _Line(fen=epd.fen, id=epd.name or msgspec.UNSET)
    if not line.lstrip().startswith(b"{"):
        found = in_toml(line.decode().strip())
        raise GameFileError(f'expected FEN, EPD or an object of JSON, {{"fen": …, "moves": […]}}, found {found}')
    try:
        read = _decoder.decode(line)
    except msgspec.ValidationError as error:
        raise GameFileError(explain(error, msgspec.json.decode(line), _Line)) from None
    if read.fen is None and read.moves is None and (others := msgspec.json.decode(line).keys() - {*_KEYS}):
        found = brief(", ".join(map(in_toml, sorted(others))))
        raise GameFileError(f"expected fen or moves among its keys, found {found}")
    return read


def chunks(items: Iterable[T], size: int) -> Iterator[list[T]]:
    """Lists of `size` items, the last one shorter."""
    iterator = iter(items)
    while chunk := list(islice(iterator, size)):
        yield chunk


def final_wdl(position: ChessPosition | GoPosition) -> tuple[float, float, float]:
    """Win, draw, loss of the side to move where it has no legal move, since the game is over."""
    outcome = position.outcome()
    if outcome is None or outcome.winner is None:
        return 0.0, 1.0, 0.0
    return (1.0, 0.0, 0.0) if outcome.winner == position.turn else (0.0, 0.0, 1.0)


def shortest(value: float) -> float:
    """A single-precision number as the one with the fewest digits that stands for it.

    >>> shortest(0.05000000074505806)
    0.05
    """
    from numpy import float32  # noqa: PLC0415  slow to import, and only needed where a net has answered

    return float(str(float32(value)))
