"""The game as a controller reports it: one side may move twice in a row, and moves may follow two passes."""

from collections.abc import Callable
from dataclasses import dataclass, replace

from foible._core import GoPosition
from foible.games.go import Colour, Rules, handicap_compensation, replayed, turn_of, without_history


@dataclass(frozen=True, slots=True)
class Stretch:
    """Moves in a row that follow from one start."""

    position: GoPosition
    """The position after the moves. Its komi includes what White gets for handicap stones."""
    remarks: tuple[str, ...] = ()
    """A comment on each of the moves; empty for moves that we did not choose."""

    @property
    def moves(self) -> list[tuple[Colour, str]]:
        """The moves, each with the colour that made it."""
        black_first = self.position.first_mover == "black"
        colours: tuple[Colour, Colour] = ("black", "white") if black_first else ("white", "black")
        return [(colours[ply % 2], move) for ply, move in enumerate(self.position.moves)]


@dataclass(frozen=True, slots=True)
class GtpGame:
    """A game so far. Immutable.

    Two moves of one side in a row, and moves after two passes, begin a new stretch: the board as it stands, without
    history.
    """

    stretches: tuple[Stretch, ...]
    """At least one; the last is under way."""
    handicap: int = 0
    """The number of handicap stones that Black was given."""
    compensation: int = 0
    """Points that White gets for the handicap stones: by the rules, or by the record from which the game was read."""
    rules_name: str = ""
    """The name of the rules in the record from which the game was read; else empty."""

    @classmethod
    def new(cls, size: int, komi: float, rules: Rules) -> "GtpGame":
        """:raises PositionError: no such size or komi."""
        return cls((Stretch(GoPosition(size, komi=komi, rules=rules)),))

    @property
    def position(self) -> GoPosition:
        return self.stretches[-1].position

    @property
    def rules(self) -> Rules:
        return self.position.rules

    @property
    def komi(self) -> float:
        """The komi as it was agreed: without what White gets for handicap stones (SAI, §1.1)."""
        return self.position.komi - self.compensation

    @property
    def plies(self) -> int:
        """Plies in all stretches together."""
        return sum(stretch.position.ply for stretch in self.stretches)

    @property
    def is_empty(self) -> bool:
        """Whether no stone stands on the board."""
        return set(self.position.board) <= set(".\n")

    @property
    def awaits_reply(self) -> bool:
        """Whether we chose the last move, and the game is not over."""
        return any(self.stretches[-1].remarks[-1:]) and self.position.outcome() is None

    def passed(self, colour: Colour) -> bool:
        """Whether this side is to move and its opponent has just passed."""
        return self.position.moves[-1:] == ["pass"] and turn_of(self.position) == colour

    def at_move(self, colour: Colour) -> GoPosition:
        """The position in which this side may move: this one, or the board without its history."""
        position = self.position
        if turn_of(position) == colour and position.outcome() is None:
            return position
        return without_history(position, colour)

    def play(self, colour: Colour, move: str, remark: str = "") -> "GtpGame":
        """:raises MoveError: the move is not legal."""
        start = self.at_move(colour)
        *before, last = self.stretches
        if start is not last.position:
            before, last = list(self.stretches), Stretch(start)
        stretch = Stretch(start.play(move), (*last.remarks, remark))
        return replace(self, stretches=(*before, stretch))

    def undo(self) -> "GtpGame | None":
        """The game before the last move; `None` where there was no move."""
        *before, last = self.stretches
        moves = last.position.moves
        if len(moves) > 1 or (moves and not before):
            stretch = Stretch(replayed(last.position, moves[:-1]), last.remarks[:-1])
        elif before:
            *before, stretch = before
        else:
            return None
        return replace(self, stretches=(*before, stretch))

    def with_komi(self, komi: float) -> "GtpGame":
        """The same game for another komi.

        :raises PositionError: no such komi.
        """
        return self._with(lambda position: position.with_komi(komi + self.compensation))

    def by_rules(self, rules: Rules) -> "GtpGame":
        """The same game, and the same komi, by these rules.

        :raises MoveError: a move that they do not allow.
        """
        compensation = handicap_compensation(rules, self.handicap)
        total = self.komi + compensation
        game = self._with(lambda position: replayed(position, position.moves, komi=total, rules=rules))
        return replace(game, compensation=compensation, rules_name="")

    def _with(self, change: Callable[[GoPosition], GoPosition]) -> "GtpGame":
        stretches = tuple(replace(stretch, position=change(stretch.position)) for stretch in self.stretches)
        return replace(self, stretches=stretches)
