"""Helpers for Go positions: vertices, boards without history, handicaps, scores as text, symmetries, chains, eyes."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, Literal

from foible._core import GoPosition
from foible.errors import ConfigError, MoveError

Rules = Literal["chinese", "tromp-taylor"]
Colour = Literal["black", "white"]

COLUMNS: Final = "ABCDEFGHJKLMNOPQRST"
"""The letters of the columns of a Go board: there is no I."""
SYMMETRIES: Final = range(8)
"""The symmetries of the square: bit 1 counts the rows from the other side, bit 2 the columns; after that, bit 4 swaps
rows and columns. 0 changes nothing. Nets use the same numbers, which are those of the programs Leela Zero and SAI.
"""

PERFECT_MARGINS: Final[Mapping[int, int]] = {3: 9, 4: 2, 5: 25, 6: 4, 7: 9}
"""By board size: Black's margin where both play perfectly, by area (SAI, §8)."""

_LARGE: Final = 13
"""From this size on handicap stones stand on the fourth line, below on the third."""


def vertex_name(x: int, y: int) -> str:
    """The GTP vertex of a point, its column and row from 0 at A1.

    >>> vertex_name(8, 2)
    'J3'
    """
    return f"{COLUMNS[x]}{y + 1}"


def coordinates(vertex: str, size: int) -> tuple[int, int]:
    """Column and row of a GTP vertex, in either case, from 0 at A1.

    :raises MoveError: there is no such point on the board.
    """
    letter, row = vertex[:1].upper(), vertex[1:]
    x = COLUMNS[:size].find(letter) if letter else -1
    y = int(row) - 1 if row.isascii() and row.isdigit() and len(row) <= 2 else -1
    if x < 0 or not 0 <= y < size:
        raise MoveError(f"not a vertex from A1 to {vertex_name(size - 1, size - 1)} (no column I): {vertex!r}")
    return x, y


def usual_komi(size: int) -> float:
    """The default komi: 7.5; on 7×7, where 9 is fair, 9.5: White wins by half a point under perfect play (SAI, §8)."""
    return GoPosition(size).komi


def turn_of(position: GoPosition) -> Colour:
    """Who is to move; after two passes, whose turn it would be."""
    return "black" if position.turn == "first" else "white"


def replayed(
    position: GoPosition, moves: Sequence[str], *, komi: float | None = None, rules: Rules | None = None
) -> GoPosition:
    """The position after other moves from the same start, with another komi or other rules where these are given.

    :raises PositionError: the komi is not possible.
    :raises MoveError: a move is not legal.
    """
    black, white = position.setup
    return GoPosition(
        position.size,
        moves,
        komi=position.komi if komi is None else komi,
        rules=rules or position.rules,
        black=black,
        white=white,
        to_move=position.first_mover,
    )


def stones(position: GoPosition) -> tuple[list[str], list[str]]:
    """Black's and White's stones on the board, row by row from A1.

    >>> stones(GoPosition(7, ["D4", "A1"]))
    (['D4'], ['A1'])
    """
    rows = position.board.split("\n")[::-1]
    points = [(stone, vertex_name(x, y)) for y, row in enumerate(rows) for x, stone in enumerate(row)]
    return [name for stone, name in points if stone == "X"], [name for stone, name in points if stone == "O"]


def without_history(position: GoPosition, to_move: Colour) -> GoPosition:
    """The board as the start of a new game, with this side to move: superko forbids no earlier board any more."""
    black, white = stones(position)
    return GoPosition(
        position.size, komi=position.komi, rules=position.rules, black=black, white=white, to_move=to_move
    )


def score_text(position: GoPosition) -> str:
    """The score of the board as it stands, as GTP and SGF write it.

    >>> score_text(GoPosition(7, komi=9.5))
    'W+9.5'
    >>> score_text(GoPosition(7, ["D4"], komi=49))
    '0'
    """
    return margin_text(position.margin)


def margin_text(margin: float) -> str:
    """The result of a counted game, as GTP and SGF write it. `margin`: Black's, in points, after komi.

    >>> margin_text(3.5), margin_text(-12), margin_text(0)
    ('B+3.5', 'W+12', '0')
    """
    return f"{'B' if margin > 0 else 'W'}+{abs(margin)}".removesuffix(".0") if margin else "0"


def fixed_handicap(size: int, number: int) -> list[str]:
    """The vertices where GTP puts a number of handicap stones (GTP version 2, `fixed_handicap`).

    It allows 2 to 9 stones on boards of odd size from 9 on, 2 to 4 on boards of even size from 8 on and on 7×7.

    >>> fixed_handicap(19, 3)
    ['D4', 'Q16', 'D16']

    :raises ConfigError: not defined for the size or the number.
    """
    most = 0 if size < 7 else 4 if size == 7 or size % 2 == 0 else 9
    if not most:
        raise ConfigError(f"handicap on a board of size {size}: fixed handicaps need size 7 or more")
    if not 2 <= number <= most:
        raise ConfigError(f"handicap {number}: must be from 2 to {most} on a board of size {size}")
    low = 3 if size >= _LARGE else 2
    middle, high = size // 2, size - 1 - low
    corners = [(low, low), (high, high), (low, high), (high, low)]
    sides = [(low, middle), (high, middle), (middle, low), (middle, high)]
    # An odd stone from the fifth on goes to the centre.
    outer = [*corners, *sides][: number if number <= 4 else number // 2 * 2]
    centre = [(middle, middle)] * (number - len(outer))
    return [vertex_name(x, y) for x, y in (*outer, *centre)]


def handicap_compensation(rules: Rules, number: int) -> int:
    """Points that White gets for Black's handicap stones: by Chinese rules one for each of two or more (SAI, §1.1)."""
    return number if rules == "chinese" and number >= 2 else 0


def handicap_start(size: int, vertices: Sequence[str], *, komi: float, rules: Rules = "chinese") -> GoPosition:
    """A game with these stones as Black's handicap, White to move.

    `komi`: the agreed komi; the position's is higher by what the rules give White for the stones.

    >>> handicap_start(9, fixed_handicap(9, 2), komi=0.5)
    GoPosition(9, [], komi=2.5, black=["C3", "G7"], to_move="white")

    :raises PositionError: as `GoPosition`.
    """
    total = komi + handicap_compensation(rules, len(vertices))
    return GoPosition(size, komi=total, rules=rules, black=vertices, to_move="white")


def turned(vertex: str, size: int, symmetry: int) -> str:
    """The vertex to which a symmetry moves a vertex; a pass stays a pass.

    >>> turned("A3", 7, 4)
    'C1'

    :raises MoveError: there is no such point on the board.
    :raises ConfigError: the symmetry is not one of the eight.
    """
    if symmetry not in SYMMETRIES:
        raise ConfigError(f"symmetry {symmetry}: must be from 0 to 7")
    if vertex.lower() == "pass":
        return "pass"
    x, y = coordinates(vertex, size)
    if symmetry & 1:
        y = size - 1 - y
    if symmetry & 2:
        x = size - 1 - x
    return vertex_name(y, x) if symmetry & 4 else vertex_name(x, y)


def transformed(position: GoPosition, symmetry: int) -> GoPosition:
    """The same game seen through a symmetry.

    :raises ConfigError: the symmetry is not one of the eight.
    """

    def seen(vertices: Sequence[str]) -> list[str]:
        return [turned(vertex, position.size, symmetry) for vertex in vertices]

    black, white = position.setup
    return GoPosition(
        position.size,
        seen(position.moves),
        komi=position.komi,
        rules=position.rules,
        black=seen(black),
        white=seen(white),
        to_move=position.first_mover,
    )


def neighbours(vertex: str, size: int) -> Iterator[str]:
    """The points beside a point."""
    x, y = coordinates(vertex, size)
    for near_x, near_y in ((x - 1, y), (x + 1, y), (x, y - 1), (x, y + 1)):
        if 0 <= near_x < size and 0 <= near_y < size:
            yield vertex_name(near_x, near_y)


def chains(position: GoPosition) -> list[tuple[Colour, list[str]]]:
    """The chains on the board with their colour, Black's first.

    Each begins with a stone that has a liberty, and every further stone is beside an earlier one.
    """
    black, white = stones(position)
    taken = {*black, *white}
    sides: tuple[tuple[Colour, list[str]], ...] = (("black", black), ("white", white))
    found: list[tuple[Colour, list[str]]] = []
    for colour, own in sides:
        left = set(own)
        for first in own:
            if first not in left or taken.issuperset(neighbours(first, position.size)):
                continue
            chain = [first]
            left.discard(first)
            for stone in chain:
                beside = [near for near in neighbours(stone, position.size) if near in left]
                left.difference_update(beside)
                chain += beside
            found.append((colour, chain))
    return found


def fills_eye(position: GoPosition, vertex: str) -> bool:
    """Whether a stone at this vertex would fill an eye of the player to move.

    A vertex is an eye where all points beside it have own stones and the opponent holds at most one of the points
    diagonally beside it, at the edge of the board none.
    """
    size, (black, white) = position.size, stones(position)
    own, other = (black, white) if position.turn == "first" else (white, black)
    if not set(neighbours(vertex, size)) <= set(own):
        return False
    x, y = coordinates(vertex, size)
    corners = [(x + dx, y + dy) for dx in (-1, 1) for dy in (-1, 1)]
    inside = [vertex_name(*corner) for corner in corners if all(0 <= at < size for at in corner)]
    lost = len(set(inside) & set(other))
    return lost <= (1 if len(inside) == len(corners) else 0)
