"""Positions that all players know."""

from pathlib import Path

import pytest

from foible._core import ChessPosition
from foible.errors import GameFileError
from foible.opponents.book import read_book
from foible.opponents.opening_table import position_key


def test_a_book_knows_positions_whatever_their_counters(tmp_path: Path) -> None:
    file = tmp_path / "book.epd"
    after_e4 = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq -"
    file.write_text(f"{after_e4} hmvc 0;\n\n8/8/8/4k3/8/8/4K2R/8 w - - 12 80\n")
    book = read_book(file)
    assert len(book) == 2
    assert position_key(ChessPosition(moves=["e4"])) in book
    assert position_key(ChessPosition()) not in book


def test_a_line_that_is_no_position_is_named(tmp_path: Path) -> None:
    file = tmp_path / "book.epd"
    file.write_text("8/8/8/4k3/8/8/4K2R/8 w - -\nnonsense\n")
    with pytest.raises(GameFileError, match=r"book\.epd, line 2: "):
        read_book(file)
    with pytest.raises(GameFileError, match="no such file"):
        read_book(tmp_path / "none.epd")
