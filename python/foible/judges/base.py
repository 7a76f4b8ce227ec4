"""What a judge is: it says what positions are worth, many at a time."""

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

import msgspec

from foible._core import ChessPosition
from foible.games.chess import claimable_draw
from foible.nets.shelf import NetShelf


@dataclass(frozen=True, slots=True)
class Score:
    """What a position is worth to the side to move."""

    wp: float
    """Win probability, 0 to 1: P(win) + P(draw) / 2."""
    cp: int | None = None
    """Centipawns, from judges that think in them; `None` also where `mate` is known."""
    mate: int | None = None
    """Moves to mate, negative when the side to move is mated; 0 when it is mated on the board."""
    best: str | None = field(default=None, compare=False)
    """The move that it is worth so much by, in UCI, from judges that name one."""

    def turned(self) -> "Score":
        """The same for the other side. A mate on the board stays 0 with `wp` telling whose it is."""
        cp = None if self.cp is None else -self.cp
        return Score(1 - self.wp, cp, None if self.mate is None else -self.mate, self.best)


class Spec(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="kind"):
    """A judge as configuration. Each kind is a record beside its judge."""

    @abstractmethod
    def build(self, shelf: NetShelf) -> "Judge":
        """The judge.

        :raises FoibleError: a net or an engine is missing or broken.
        """


class Judge(Protocol):
    """Judges positions. It keeps nothing from one call to the next that changes an answer."""

    @property
    def name(self) -> str:
        """What a report calls it: net or engine, and how long it thinks."""

    async def judge(self, positions: Sequence[ChessPosition]) -> list[Score]:
        """One score for each position, none of which is over."""

    def close(self) -> None:
        """Give back processes and memory."""


def exact_score(position: ChessPosition, *, claim_draws: bool = False) -> Score | None:
    """The score of a game that is over, `None` while it goes on.

    `claim_draws`: where a draw may be claimed it counts as over.
    """
    outcome = position.outcome()
    if outcome is None:
        return Score(0.5) if claim_draws and claimable_draw(position) else None
    if outcome.winner is None:
        return Score(0.5)
    return Score(float(outcome.winner == position.turn), mate=0)


async def scores(judge: Judge, positions: Sequence[ChessPosition], *, claim_draws: bool = False) -> list[Score]:
    """The score of every position: exact where the game is over, the judge's elsewhere."""
    known = [exact_score(position, claim_draws=claim_draws) for position in positions]
    open_ = [position for position, score in zip(positions, known, strict=True) if score is None]
    judged = iter(await judge.judge(open_) if open_ else ())
    return [score if score is not None else next(judged) for score in known]
