"""Puzzles as a table for programs, in the CSV layout of the public lichess puzzle table.

`FEN` is the position before the opponent's move, and `Moves` begins with that move. A puzzle without a setup is written
with its solution alone, and is recognised by its odd number of moves.
"""

import codecs
import csv
from collections.abc import Generator, Iterable, Iterator
from contextlib import closing
from pathlib import Path

from foible._core import ChessPosition
from foible.analysis.puzzles.puzzle import UNTRIED, Puzzle, Reception
from foible.errors import GameFileError
from foible.games.packed import open_packed
from foible.runs.files import replacing

BLOCK = 1 << 16
LONGEST_LINE = 1 << 20
"""The most bytes of a line."""
COLUMNS = (
    "PuzzleId",
    "FEN",
    "Moves",
    "Rating",
    "RatingDeviation",
    "Popularity",
    "NbPlays",
    "Themes",
    "GameUrl",
    "OpeningTags",
)
NEEDED = ("FEN", "Moves")
TABLE = "puzzles.csv"
"""The name of the table in a folder of puzzles."""


def write_table(path: Path, puzzles: Iterable[Puzzle]) -> None:
    """Write a table of puzzles, whole or not at all. The values of the criterion have no column and are left out.

    :raises OSError: the file cannot be written.
    """
    with replacing(path) as stream:
        rows = csv.writer(codecs.getwriter("utf-8")(stream), lineterminator="\n")
        rows.writerow(COLUMNS)
        rows.writerows(map(_row, puzzles))


def read_table(path: Path) -> Iterator[Puzzle]:
    """The puzzles of a table, plain or compressed (.gz, .bz2, .xz, .zip, .zst), one by one.

    Columns may come in any order; all but FEN and Moves may be missing, and unknown ones are ignored.

    :raises GameFileError: the file cannot be read, a column is missing, or a row is not a puzzle; the message says
        which and why.
    """
    with closing(_raw_lines(path)) as raw:  # closes the file at once, even after an error in a row
        rows = csv.reader(_lines(path, raw), strict=True)
        try:
            columns = _columns(next(rows, []))
            for fields in rows:
                if fields:
                    yield _puzzle(_named(columns, fields))
        except GameFileError:
            raise
        except (csv.Error, ValueError) as error:
            raise GameFileError(f"{path}, line {max(1, rows.line_num)}: {error}") from None


def is_table(path: Path) -> bool:
    """Whether the first line of a file names the columns of a puzzle table.

    :raises GameFileError: the file cannot be read.
    """
    with closing(_raw_lines(path)) as raw:
        first = next(raw, b"").decode("utf-8-sig", "replace")
    try:
        return set(NEEDED) <= set(next(csv.reader([first]), []))
    except csv.Error:
        return False


def _columns(names: list[str]) -> list[str]:
    for name in NEEDED:
        if name not in names:
            raise ValueError(f"no column {name}; the first line names the columns, {', '.join(NEEDED)} among them")
    return names


def _named(columns: list[str], fields: list[str]) -> dict[str, str]:
    if len(fields) != len(columns):
        raise ValueError(f"{len(fields)} fields where the first line names {len(columns)} columns")
    return dict(zip(columns, fields, strict=True))


def _lines(path: Path, raw: Iterable[bytes]) -> Iterator[str]:
    """The lines as text."""
    for number, line in enumerate(raw, 1):
        try:
            yield line.decode("utf-8-sig" if number == 1 else "utf-8")
        except UnicodeDecodeError as error:
            raise GameFileError(f"{path}, line {number}: not UTF-8 ({error.reason})") from None


def _raw_lines(path: Path) -> Generator[bytes]:
    """The lines of a file, with their line ends."""
    rest = b""
    with closing(open_packed(path)) as file:
        while block := file.read(BLOCK):
            *lines, rest = (rest + block).split(b"\n")
            yield from (line + b"\n" for line in lines)
            if len(rest) > LONGEST_LINE:
                raise GameFileError(f"{path}: a line of more than {LONGEST_LINE} bytes; this is no puzzle table")
    if rest:
        yield rest


def _row(puzzle: Puzzle) -> tuple[object, ...]:
    reception = puzzle.reception or UNTRIED
    return (
        puzzle.id,
        puzzle.fen,
        " ".join(puzzle.moves),
        "" if puzzle.rating is None else puzzle.rating,
        reception.deviation,
        reception.popularity,
        reception.plays,
        " ".join(puzzle.themes),
        puzzle.game_url,
        puzzle.opening,
    )


def _puzzle(row: dict[str, str]) -> Puzzle:
    moves = tuple(ChessPosition(row["FEN"], row["Moves"].split()).moves)
    if not moves:
        raise ValueError("no moves")
    first = 1 - len(moves) % 2
    return Puzzle(
        fen=row["FEN"],
        setup=moves[0] if first else None,
        solution=moves[first:],
        rating=_whole(row, "Rating"),
        themes=tuple(row.get("Themes", "").split()),
        game_url=row.get("GameUrl", ""),
        opening=row.get("OpeningTags", ""),
        name=row.get("PuzzleId", ""),
        reception=_reception(row),
    )


def _reception(row: dict[str, str]) -> Reception | None:
    found = [_whole(row, name) for name in ("RatingDeviation", "Popularity", "NbPlays")]
    deviation, popularity, plays = found
    if deviation is None or popularity is None or plays is None:
        return None
    return Reception(deviation, popularity, plays)


def _whole(row: dict[str, str], name: str) -> int | None:
    """The whole number in a field; `None` where the field is missing or empty."""
    text = row.get(name, "")
    try:
        return int(text) if text else None
    except ValueError:
        raise ValueError(f"{name} {text!r} is not a whole number") from None
