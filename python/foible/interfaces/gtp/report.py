"""Reports on a search while it runs: on the moves and as often as the controller asks."""

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Literal

from foible._core import GoPosition, RootMove, RootSummary
from foible.games.go import Colour, turn_of
from foible.interfaces.gtp.game import GtpGame
from foible.interfaces.gtp.protocol import SYNTAX, Call, CommandError, integer, vertex
from foible.interfaces.gtp.tree import SearchTree
from foible.search.go import winrate

Form = Literal["leela", "kata"]
"""The format of the reports: Leela Zero's or KataGo's."""

EVERY_MOVE: Final = 1_000
"""More moves than any position has."""
_KATA_EXTRAS: Final = ("ownership", "ownershipStdev", "movesOwnership", "pvVisits", "pvEdgeVisits")
"""Items that KataGo reports on request and that we do not know; requests for them are ignored."""


@dataclass(frozen=True, slots=True)
class Wishes:
    """What the controller wants reported, and how often."""

    colour: Colour
    """The side for which a move is sought."""
    seconds: float | None = None
    """Seconds between two reports; `None`: a single report at the end."""
    least: int = 1
    """So many moves are shown even where they were not visited; the first one always is."""
    most: int = EVERY_MOVE
    only: tuple[str, ...] | None = None
    """The only moves to search; `None`: all moves."""
    root: bool = False
    """Whether the position itself is reported too, after the moves."""


def read_wishes(game: GtpGame, call: Call, form: Form) -> Wishes:
    """Read the arguments of an analysis command: `[COLOUR] [CENTISECONDS] KEY VALUE …` in any order.

    Keys are `interval`, `minmoves`, `maxmoves`, KataGo's `rootInfo`, and `allow` or `avoid` with a colour, vertices
    between commas, and a number of plies: these two hold for the move that is sought, whatever the number.

    :raises CommandError: an argument has no such form, or no legal move is left to search.
    """
    wanted: Colour | None = None
    root = False
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
            elif form == "kata" and key == "rootInfo":
                root = call.word().lower() == "true"
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
        root,
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


_TEN_THOUSAND: Final = 10_000


class Reporter:
    """Reports what the search has found, as often as wished. Winrates and scores are those of the side to move."""

    def __init__(
        self, tree: SearchTree, position: GoPosition, wishes: Wishes, form: Form, line: Callable[[str], None]
    ) -> None:
        self._tree, self._position, self._wishes, self._form, self._line = tree, position, wishes, form, line
        self._last = time.monotonic()

    def look(self) -> None:
        """Report if the next report is due and a move has been visited."""
        now = time.monotonic()
        due = self._wishes.seconds is not None and now - self._last >= self._wishes.seconds
        if due and self._tree.summary().n > 1:
            self._last = now
            self.say()

    def say(self) -> None:
        """Report now, if anything was found yet."""
        summary = self._tree.summary()
        if summary.n:
            wishes, mean = self._wishes, winrate(summary)
            shown = [move for i, move in enumerate(summary.moves) if move.n or i < max(1, wishes.least)][: wishes.most]
            infos = [self._info(order, move, mean) for order, move in enumerate(shown)]
            self._line(" ".join([*infos, *([_root_info(summary)] if wishes.root else [])]))

    def _info(self, order: int, move: RootMove, mean: float) -> str:
        """The report on one move. `mean`: the winrate to report where the move was not visited."""
        if move.n:
            mean = winrate(move)
        pairs: list[tuple[str, object]] = [("move", move.move), ("visits", move.n)]
        margin = move.score.margin if move.score else None
        shares = [("winrate", mean), ("prior", move.prior), ("lcb", _lower_bound(mean, move.n))]
        if self._form == "leela":
            pairs += [(key, round(share * _TEN_THOUSAND)) for key, share in shares]
            if margin is not None:
                black = margin if self._position.turn == "first" else -margin
                pairs += [("scoreLead", f"{margin:.3f}"), ("areas", round(black * _TEN_THOUSAND))]
        else:
            pairs += [(key, f"{share:.6f}") for key, share in shares]
            if margin is not None:
                pairs += [("scoreMean", f"{margin:.3f}"), ("scoreLead", f"{margin:.3f}")]
        words = " ".join(f"{key} {value}" for key, value in [*pairs, ("order", order)])
        return f"info {words} pv {' '.join(self._tree.line(move.move))}"


def _root_info(summary: RootSummary) -> str:
    """KataGo's report on the position itself."""
    margin = "" if summary.score is None else f" scoreLead {summary.score.margin:.3f}"
    return f"rootInfo visits {summary.n} winrate {winrate(summary):.6f}{margin}"


def _lower_bound(mean: float, visits: int) -> float:
    """One standard error below the mean, were each visit a game that is won or lost; at least 0."""
    return max(0.0, mean - math.sqrt(max(0.0, mean * (1 - mean)) / visits)) if visits else 0.0
