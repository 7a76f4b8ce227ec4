"""What a controller asks of an analysis, word by word."""

from dataclasses import dataclass
from typing import Final, Literal

from foible._core import GoPosition
from foible.games.go import Colour, turn_of
from foible.interfaces.gtp.call import Call, integer, vertex
from foible.interfaces.gtp.game import Game
from foible.interfaces.gtp.protocol import SYNTAX, CommandError

Form = Literal["leela", "kata"]
"""Whose words are used: Leela Zero's or KataGo's."""

EVERY_MOVE: Final = 1_000
"""More than any position has."""
_KATA_EXTRAS: Final = ("ownership", "ownershipStdev", "movesOwnership", "pvVisits", "pvEdgeVisits", "rootInfo")
"""What KataGo tells where it is asked to and we do not know; asked for, it is left out."""


@dataclass(frozen=True, slots=True)
class Wishes:
    """What is to be reported, and how often."""

    colour: Colour
    """The side for which a move is sought."""
    seconds: float | None = None
    """Between two reports; `None`: one, at the end."""
    least: int = 1
    """Moves that are shown even where they were not visited, the first of them in any case."""
    most: int = EVERY_MOVE
    only: tuple[str, ...] | None = None
    """The moves that are searched."""


def read_wishes(game: Game, call: Call, form: Form) -> Wishes:
    """`[COLOUR] [CENTISECONDS] KEY VALUE …` in any order.

    Keys are `interval`, `minmoves`, `maxmoves`, and `allow` or `avoid` with a colour, vertices between commas, and a
    number of plies: these hold for the move that is sought, whatever the number.

    :raises CommandError: none of that, or no move is left.
    """
    wanted: Colour | None = None
    numbers: dict[str, int] = {}
    lists: dict[str, set[tuple[Colour, str]]] = {"allow": set(), "avoid": set()}
    while call.more:
        if (colour := call.next_colour()) is not None:
            wanted = colour
        elif (interval := call.next_integer()) is not None:
            numbers["interval"] = interval
        else:
            key = call.word()
            if key in ("interval", "minmoves", "maxmoves"):
                numbers[key] = call.integer()
            elif key in lists:
                colour, vertices, _ = call.colour(), call.word(), integer(call.word())
                lists[key] |= {(colour, vertex(word)) for word in vertices.split(",")}
            elif form == "kata" and key in _KATA_EXTRAS:
                call.word()
            else:
                raise CommandError(SYNTAX)
    side = wanted or turn_of(game.position)
    return Wishes(
        side,
        numbers["interval"] / 100 if numbers.get("interval") else None,
        numbers.get("minmoves", 1),
        numbers.get("maxmoves", EVERY_MOVE),
        _only(game.at_move(side), side, lists["allow"], lists["avoid"]),
    )


def _only(
    position: GoPosition, side: Colour, allow: set[tuple[Colour, str]], avoid: set[tuple[Colour, str]]
) -> tuple[str, ...] | None:
    """The moves that may be searched, `None` for all."""
    allowed, avoided = ({move for colour, move in moves if colour == side} for moves in (allow, avoid))
    if not allowed and not avoided:
        return None
    legal = [move for move in position.legal_moves if move not in avoided and (move in allowed or not allowed)]
    if not legal:
        raise CommandError("no legal move is left")
    return tuple(legal)
