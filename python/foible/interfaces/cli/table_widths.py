"""How wide the columns of a table are on a narrow terminal."""

from collections.abc import Sequence
from dataclasses import dataclass

from rich.cells import cell_len


@dataclass(frozen=True, slots=True)
class Widths:
    """The columns that are shown, how wide their contents are, and the blanks on each side of these."""

    columns: tuple[int, ...]
    widths: tuple[int, ...]
    padding: int


def fit(columns: Sequence[str], rows: Sequence[Sequence[str]], left: int, spare: Sequence[str], room: int) -> Widths:
    """Columns for a table in `room` characters.

    When it is too wide, texts (the first `left` columns) and headers are broken between words, the blanks go, then the
    columns named in `spare`, the first of them first; then all cells are broken between words, and at last within them.
    """
    everything = tuple(range(len(columns)))
    for padding, dropped in ((1, 0), *((0, count) for count in range(len(spare) + 1))):
        kept = tuple(index for index in everything if columns[index] not in spare[:dropped])
        for breaking in (left, len(columns)) if dropped == len(spare) and not padding else (left,):
            cells = [[columns[index], *(row[index] for row in rows)] for index in kept]
            widest = [max(map(cell_len, _lines(column))) for column in cells]
            least = [
                max(map(cell_len, (*column[0].split(), *(_words(column) if i < breaking else column[1:]), "")))
                for i, column in zip(kept, cells, strict=True)
            ]
            inside = room - 1 - len(kept) * (1 + 2 * padding)
            if sum(least) <= inside:
                return Widths(kept, _shrunk(widest, least, inside), padding)
    return Widths(kept, _shrunk(widest, [1] * len(kept), inside), padding)


def _shrunk(widths: Sequence[int], least: Sequence[int], room: int) -> tuple[int, ...]:
    """The widths made to fit, the greatest first, none below its least."""
    found = list(widths)
    while sum(found) > room and (shrinkable := [i for i, width in enumerate(found) if width > least[i]]):
        found[max(shrinkable, key=found.__getitem__)] -= 1
    return tuple(found)


def _lines(cells: Sequence[str]) -> list[str]:
    return [line for cell in cells for line in cell.splitlines() or [""]]


def _words(cells: Sequence[str]) -> list[str]:
    return [word for cell in cells for word in cell.split()]
