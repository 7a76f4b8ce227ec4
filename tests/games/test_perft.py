from pathlib import Path

import pytest

from foible._core import ChessPosition, perft

DATA = Path(__file__).parents[1] / "data"


def suite(name: str) -> list[tuple[str, list[int]]]:
    """The positions of a perft suite (`FEN ;D1 count ;D2 count …`) with their counts from depth 1 on."""
    found = []
    for line in (DATA / name).read_text().splitlines():
        if not line.startswith("#"):
            fen, *counts = line.split(" ;")
            found.append((fen, [int(count.split()[1]) for count in counts]))
    return found


@pytest.mark.parametrize(("fen", "counts"), suite("perft.epd"))
def test_the_standard_positions_have_their_published_counts(fen: str, counts: list[int]) -> None:
    position = ChessPosition(fen)
    assert [perft(position, depth) for depth in range(1, len(counts) + 1)] == counts


@pytest.mark.parametrize(("fen", "counts"), suite("perft960.epd"))
def test_chess960_positions_have_their_published_counts(fen: str, counts: list[int]) -> None:
    position = ChessPosition(fen, chess960=True)
    assert [perft(position, depth) for depth in range(1, len(counts) + 1)] == counts


@pytest.mark.parametrize(("fen", "counts"), [*suite("perft.epd"), *suite("perft960.epd")])
def test_played_moves_lead_to_as_many_positions(fen: str, counts: list[int]) -> None:
    position = ChessPosition(fen, chess960=True)
    assert perft(position, 0) == 1
    assert len(position.legal_moves) == counts[0]
    assert sum(len(position.play(move).legal_moves) for move in position.legal_moves) == counts[1]
