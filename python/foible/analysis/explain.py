"""What our moves in one position are worth against a player who errs, told in text, pictures and JSON."""

from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass
from typing import Any

import chess
import chess.svg

from foible._core import ChessPosition
from foible.agents.candidates import Candidate, Expectimax, Width
from foible.games.chess import to_board
from foible.judges.base import Judge
from foible.judges.engine import UciJudge
from foible.judges.net import SearchJudge
from foible.opponents.base import OpponentModel
from foible.wording import percent

SOUND, HOPEFUL, LIKELY = "#1b7f3bcc", "#1f5fbfcc", "#c0392bcc"
"""Colours of the arrows: for the soundest move, the move to try, and the likeliest reply to the move to try."""

EPSILON = 0.05
"""ε: win probability that the move to try may lose against best play (opponent-modelling §3.1)."""
WORTH_SAYING = 0.01
"""The win probability that a reply must lose on average (probability × loss) to be the one that is mentioned."""
ALIKE = 0.02
"""Moves whose values V differ by no more than this count as equally sound: the judges' errors are as large."""

DRAFT = Width(hopeful=0)
"""The width of a draft: it leaves out the `hopeful` further moves of the full search."""
NAMED = 4
"""The most moves that are named as the soundest; the number of any others is added."""


@dataclass(frozen=True, slots=True)
class Explanation:
    """Our moves in a position: first those that cost at most `EPSILON`, then the rest, each part by expectation."""

    position: ChessPosition
    candidates: tuple[Candidate, ...]
    opponent: str
    ourselves: str | None
    """The model of our own later moves; `None` where we are taken to play the best of them."""
    judge: str
    complete: bool
    """Whether this is the judge's final assessment; if false, it is a draft by a quicker form of the judge."""

    @property
    def affordable(self) -> tuple[Candidate, ...]:
        """The moves that cost at most `EPSILON`; the first of them is the move to try."""
        return tuple(candidate for candidate in self.candidates if candidate.price <= EPSILON)

    @property
    def soundest(self) -> tuple[Candidate, ...]:
        """The moves with the best value V or one within `ALIKE` of it, the best first."""
        sound = [candidate for candidate in self.candidates if candidate.price <= ALIKE]
        return tuple(sorted(sound, key=lambda candidate: candidate.price))


async def explanations(
    position: ChessPosition,
    opponent: OpponentModel,
    judge: Judge,
    *,
    depth: int = 1,
    width: Width | None = None,
    ourselves: OpponentModel | None = None,
) -> AsyncGenerator[Explanation, None]:
    """Yield drafts, each better than the one before, and at last the explanation, which does not depend on the drafts.

    Drafts look one move ahead, at fewer moves, so that a model of ourselves does not come into them.

    :param position: one in which the game is not over and we are to move.
    :param depth: how many of our own moves the final explanation looks ahead.
    :param ourselves: a model of our own moves after the first; then `depth` is at least 2.
    :raises ConfigError: `depth` is too small.
    :raises FoibleError: the model or the judge failed.
    """
    drafts = judge.drafts if isinstance(judge, UciJudge | SearchJudge) else []
    us = ourselves.name if ourselves else None
    whole = Expectimax(opponent, judge, depth=depth, width=width, ourselves=ourselves)
    drafting = ((draft, None, Expectimax(opponent, draft, width=DRAFT)) for draft in drafts)
    for judging, erring, expectimax in (*drafting, (judge, us, whole)):
        candidates = await expectimax.candidates(position)
        ranked = sorted(candidates, key=lambda candidate: (candidate.price > EPSILON, -candidate.expected))
        yield Explanation(position, tuple(ranked), opponent.name, erring, judging.name, judging is judge)


def to_json(explanation: Explanation) -> dict[str, Any]:
    """The explanation as plain values; moves are in UCI, with their SAN beside them in the list of candidates."""
    position = explanation.position
    return {
        "fen": position.fen,
        "opponent": explanation.opponent,
        "ourselves": explanation.ourselves,
        "judge": explanation.judge,
        "complete": explanation.complete,
        "soundest": [c.move for c in explanation.soundest],
        "to_try": explanation.candidates[0].move,
        "candidates": [
            {
                "move": c.move,
                "san": position.san(c.move),
                "expected": c.expected,
                "safe": c.safe,
                "trappiness": c.trappiness,
                "price": c.price,
                "gain": c.gain,
                "trap_probability": c.trap_probability,
                "cp": c.score.cp,
                "mate": c.score.mate,
                "best_reply": c.best_reply,
                "mass": c.mass,
                "replies": [
                    {
                        "move": r.move,
                        "san": position.play(c.move).san(r.move),
                        "p": r.p,
                        "value": r.value,
                        "loss": r.loss,
                    }
                    for r in c.replies
                ],
            }
            for c in explanation.candidates
        ],
    }


def board_text(position: ChessPosition, *, white: bool | None = None) -> str:
    """The board in letters and chessmen, seen by White, by Black, or by the side to move."""
    to_move = position.turn == "first"
    below = to_move if white is None else white
    rows = to_board(position).unicode(orientation=below, empty_square="·").splitlines()
    ranks, files = ("87654321", "a b c d e f g h") if below else ("12345678", "h g f e d c b a")
    numbered = [f"{rank} {row}" for rank, row in zip(ranks, rows, strict=True)]
    return "\n".join([*numbered, f"  {files}   {'White' if to_move else 'Black'} to move"])


def board_svg(explanation: Explanation) -> str:
    """The board with the soundest move in green, the one to try in blue, the likeliest reply to it in red."""
    board = to_board(explanation.position)
    soundest, to_try = explanation.soundest[0], explanation.candidates[0]
    arrows = [arrow(soundest.move, SOUND)]
    if to_try.move != soundest.move:
        arrows.append(arrow(to_try.move, HOPEFUL))
    if to_try.replies:
        arrows.append(arrow(to_try.replies[0].move, LIKELY))
    check = board.king(board.turn) if board.is_check() else None
    return str(chess.svg.board(board, orientation=board.turn, arrows=arrows, check=check, size=480))


def verdict(explanation: Explanation) -> str:
    """What to play, told in one to three sentences."""
    san = explanation.position.san
    soundest, to_try = explanation.soundest, explanation.candidates[0]
    dearer = [c for c in explanation.candidates[len(explanation.affordable) :] if c.expected > to_try.expected]
    more = [f"{len(soundest) - NAMED} more"] if len(soundest) > NAMED else []
    names = _and([f"{san(c.move)} ({percent(c.safe)})" for c in soundest[:NAMED]] + more)
    sentences = [f"Soundest: {names}."]
    cost = "" if to_try in soundest else f", which costs {percent(to_try.price)}"
    if len(explanation.candidates) > 1:
        chance = f"{san(to_try.move)} ({percent(to_try.expected)})"
        whose = f" for {explanation.ourselves}" if explanation.ourselves else ""
        at_most = percent(EPSILON, digits=0)
        sentences.append(f"Best{whose} against {explanation.opponent} for {at_most} or less: {chance}{cost}.")
    if dearer:
        gambles = _and([f"{san(c.move)} ({percent(c.expected)}, costs {percent(c.price)})" for c in dearer])
        sentences.append(f"Higher, at a higher price: {gambles}.")
    return " ".join(sentences)


def sentence(explanation: Explanation, candidate: Candidate, players: str) -> str:
    """What is likely to follow one of our moves, and what it costs, in words.

    :param players: the opponents as named in the sentence, in the plural: "1500s".
    """
    if not candidate.replies:
        return "It ends the game."
    after = explanation.position.play(candidate.move)
    dearest = max(candidate.replies, key=lambda reply: reply.p * reply.loss)
    reply = dearest if dearest.p * dearest.loss >= WORTH_SAYING else candidate.replies[0]
    loss = f"and lose {percent(reply.loss, digits=0)} by it" if reply.loss >= ALIKE else "and lose nothing by it"
    return f"{percent(reply.p, digits=0)} of {players} play {after.san(reply.move)} {loss}."


def arrow(move: str, color: str) -> chess.svg.Arrow:
    """The arrow that shows a move on a picture of the board."""
    squares = chess.Move.from_uci(move)
    return chess.svg.Arrow(squares.from_square, squares.to_square, color=color)


def _and(words: Sequence[str]) -> str:
    return " and ".join([*([", ".join(words[:-1])] if words[1:] else []), *words[-1:]])
