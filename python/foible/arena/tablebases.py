"""Ending games by Syzygy's tables, which know the result of every position of few pieces."""

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

import chess
import chess.syzygy

from foible._core import ChessPosition
from foible.arena.record import Result
from foible.errors import ConfigError
from foible.runs.files import Closing


class Tables(Protocol):
    """Whatever looks positions up, as `chess.syzygy.Tablebase` does."""

    def get_wdl(self, board: chess.Board, /) -> int | None:
        """From −2 (the side to move loses) to 2 (it wins), right after a capture or a pawn's move; −1 and 1 are saved
        by the fifty-move rule. `None` where no table has the position.
        """

    def close(self) -> None:
        """Give back the files."""


class Tablebases(Closing):
    """Says how a position ends. Wins that the fifty-move rule forbids are draws."""

    def __init__(self, tables: Tables, pieces: int, name: str) -> None:
        """
        :param pieces: the most that a position may have, kings included.
        :param name: what was found where, for records and errors.
        """
        self._tables, self._pieces, self.name = tables, pieces, name

    def result(self, position: ChessPosition) -> Result | None:
        """The result with best play of both sides; `None` where the tables do not know it.

        They are asked right after captures and pawns' moves alone: later in an ending, whether a win still beats the
        fifty-move rule depends on how it was played so far, of which they know nothing.

        :raises ConfigError: a table is damaged.
        """
        board, _, castling, _, halfmoves, _ = position.fen.split()
        if halfmoves != "0" or castling != "-" or sum(map(str.isalpha, board)) > self._pieces:
            return None
        try:
            wdl = self._tables.get_wdl(chess.Board(position.fen))
        except OSError as error:
            raise ConfigError(f"tablebases: {error}") from None
        if wdl is None:
            return None
        if abs(wdl) < 2:
            return "1/2-1/2"
        return "1-0" if (wdl > 0) == (position.turn == "first") else "0-1"

    def close(self) -> None:
        self._tables.close()


def open_tablebases(folders: Sequence[str]) -> Tablebases:
    """Syzygy's tables for wins, draws and losses (`.rtbw`) in these folders.

    :raises ConfigError: a folder cannot be read, or has none.
    """
    tables, count = chess.syzygy.Tablebase(), 0
    for folder in folders:
        path = Path(folder).expanduser()
        try:
            found = tables.add_directory(str(path), load_dtz=False)
        except OSError as error:
            raise ConfigError(f"tablebases: {path}: cannot be read ({error.strerror})") from None
        if not found:
            raise ConfigError(f"tablebases: {path}: no table in it; Syzygy's are files such as KQvK.rtbw")
        count += found
    pieces = max(len(name.replace("v", "")) for name in tables.wdl)
    return Tablebases(tables, pieces, f"{count} tables of up to {pieces} pieces")
