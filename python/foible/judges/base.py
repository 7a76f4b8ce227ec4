"""The interface of a judge, which says what positions are worth, many at a time; scores, exact and judged."""

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

import msgspec

from foible._core import ChessPosition
from foible.errors import EvaluationError
from foible.games.chess import claimable_draw
from foible.mistakes import brief, check_object
from foible.nets.shelf import NetShelf

ROUNDING = 1e-3
"""How far outside 0 to 1 a win probability may be, by rounding."""


@dataclass(frozen=True, slots=True)
class Score:
    """The worth of a position to the side to move."""

    wp: float
    """Win probability, 0 to 1: P(win) + P(draw) / 2."""
    cp: int | None = None
    """Centipawns, from judges that report them; `None` also where `mate` is known."""
    mate: int | None = None
    """Moves to mate, negative when the side to move is mated; 0 when it is mated on the board."""
    best: str | None = field(default=None, compare=False)
    """The best move, on which the score rests, in UCI; from judges that name one."""

    def turned(self) -> "Score":
        """The score in the other side's view. For a mate on the board `mate` stays 0, and `wp` tells who has won."""
        cp = None if self.cp is None else -self.cp
        return Score(1 - self.wp, cp, None if self.mate is None else -self.mate, self.best)


class Spec(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="kind"):
    """A judge as configuration. Each kind of judge has a subclass."""

    @abstractmethod
    def build(self, shelf: NetShelf) -> "Judge":
        """The judge.

        :raises FoibleError: a net or an engine is missing or broken.
        """


@runtime_checkable
class Judge(Protocol):
    """Judges positions. Nothing that it keeps from one call to the next changes an answer."""

    @property
    def name(self) -> str:
        """The judge's name in reports: the net or engine, and the limit of its searches."""

    async def judge(self, positions: Sequence[ChessPosition]) -> list[Score]:
        """One score for each position; in none of them may the game be over."""

    def close(self) -> None:
        """Give back processes and memory."""


def exact_score(position: ChessPosition, *, claim_draws: bool = False) -> Score | None:
    """The score of a game that is over, `None` while it goes on.

    `claim_draws`: a game in which a draw may be claimed counts as drawn.
    """
    outcome = position.outcome()
    if outcome is None:
        return Score(0.5) if claim_draws and claimable_draw(position) else None
    if outcome.winner is None:
        return Score(0.5)
    return Score(float(outcome.winner == position.turn), mate=0)


def check_is_judge(given: object) -> None:
    """:raises ConfigError: something else than a judge, such as a net."""
    own = "one's own has `name`, `judge` and `close`"
    check_object(given, Judge, f"a judge, such as NetJudge(open_net('master')); {own}")


async def verdicts(judge: Judge, positions: Sequence[ChessPosition]) -> list[Score]:
    """What a judge says, checked.

    :raises EvaluationError: it does not give a score for each position, or gives a win probability that is none; the
        message names the judge.
    :raises ConfigError: it is no judge.
    """
    check_is_judge(judge)
    given = await judge.judge(positions) if positions else []
    if len(given) != len(positions):
        raise EvaluationError(f"{judge.name} gave {len(given)} scores for {len(positions)} positions")
    for position, score in zip(positions, given, strict=True):
        if not isinstance(score, Score):
            raise EvaluationError(f"{judge.name} gave {brief(repr(score))} for {position.fen}; expected a Score")
        if not -ROUNDING <= score.wp <= 1 + ROUNDING:
            raise EvaluationError(f"{judge.name}: a win probability of {score.wp} for {position.fen}; expected 0 to 1")
    return given


async def scores(judge: Judge, positions: Sequence[ChessPosition], *, claim_draws: bool = False) -> list[Score]:
    """The score of every position: exact where the game is over, the judge's elsewhere. Errors as `verdicts`."""
    exact = [exact_score(position, claim_draws=claim_draws) for position in positions]
    judged = iter(await verdicts(judge, [p for p, score in zip(positions, exact, strict=True) if score is None]))
    return [score if score is not None else next(judged) for score in exact]
