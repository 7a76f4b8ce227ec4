"""Opening positions that all players know, whose moves say nothing of who plays them."""

from pathlib import Path

from foible._core import ChessPosition
from foible.errors import FoibleError, GameFileError
from foible.games.pgn import open_packed
from foible.opponents.opening_table import position_key


def read_book(path: Path) -> frozenset[int]:
    """The `position_key`s of an EPD or FEN file, one position a line, plain or compressed; blank lines are skipped.

    :raises GameFileError: the file cannot be read, or a line is no position; says which.
    """
    lines = open_packed(path).read().decode("utf-8", "replace").splitlines()
    keys = set()
    for number, line in enumerate(lines, 1):
        if not (fields := line.split()[:4]):
            continue
        try:
            keys.add(position_key(ChessPosition(" ".join(fields))))
        except FoibleError as error:
            raise GameFileError(f"{path}, line {number}: {error}") from None
    return frozenset(keys)
