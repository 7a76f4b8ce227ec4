"""Go positions as GTP tells them: starts, stones and moves."""

from collections.abc import Iterator, Sequence

from foible._core import GoPosition
from foible.games.go import Colour, Rules, coordinates, handicap_compensation, stones, vertex_name


def turn_of(position: GoPosition) -> Colour:
    """Who is to move; after two passes, whose turn it would be."""
    return "black" if position.turn == "first" else "white"


def replayed(
    position: GoPosition, moves: Sequence[str], *, komi: float | None = None, rules: Rules | None = None
) -> GoPosition:
    """Other moves from the start of a position's game, perhaps for another komi or by other rules.

    :raises PositionError: no such komi.
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


def start_commands(start: GoPosition, *, free_handicap: bool) -> list[str]:
    """What leads an engine to a position without moves: board, komi, stones.

    Black's stones with White to move are a handicap where the engine knows such: it then adds to the komi what the
    rules give White for them, so that what is agreed is told (SAI, §1.1). All other stones are played, those of a chain
    one beside the other from one with a liberty on: nothing is captured on the way.
    """
    black, white = start.setup
    komi, placing = start.komi, [f"play {colour} {stone}" for colour, chain in chains(start) for stone in chain]
    if free_handicap and len(black) > 1 and not white and start.first_mover == "white":
        komi -= handicap_compensation(start.rules, len(black))
        placing = [f"set_free_handicap {' '.join(black)}"]
    return [f"boardsize {start.size}", "clear_board", f"komi {komi:g}", *placing]


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


def neighbours(vertex: str, size: int) -> Iterator[str]:
    """The points beside a point."""
    x, y = coordinates(vertex, size)
    for near_x, near_y in ((x - 1, y), (x + 1, y), (x, y - 1), (x, y + 1)):
        if 0 <= near_x < size and 0 <= near_y < size:
            yield vertex_name(near_x, near_y)
