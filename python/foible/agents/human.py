"""A person as a player: alone, as the hand of a brain, or as the brain of a hand (skill-compatible §2); and a player
that takes as long for its moves as a person would.

A person is asked one question at a time, by a terminal, a web page or a script. A tag team with a person in it is the
ordinary `TagTeam` with a `Human` as a member.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal, Protocol

from foible._core import ChessPosition
from foible.agents.base import RESIGN, Agent, Decision, Player, Turn, chess_position, decision_of
from foible.agents.teams import HandAndBrain, Team, ended_by, piece_types, said_by_brain
from foible.errors import MoveError
from foible.opponents.thinking_time import PEOPLE, PlayerClock, ThinkingTime, moment_of

PIECES: Final = {"P": "pawn", "N": "knight", "B": "bishop", "R": "rook", "Q": "queen", "K": "king"}
"""The English names of the piece types, by their letters."""

YOU: Final = "You"
"""The name of a person who gives none."""

_LONGEST: Final = 40
"""The number of characters of an answer that are read; the rest is cut off."""
_MOST: Final = 12
"""The number of moves that an error message lists at most."""


@dataclass(frozen=True, slots=True)
class Question:
    """A question to a person about one turn."""

    turn: Turn
    wanted: Literal["move", "piece"] = "move"
    """What the answer is to be: a move, or, from a brain, the type of the piece that the hand is to move."""
    named: str = ""
    """The piece type, `P`, `N`, `B`, `R`, `Q` or `K`, of which a hand must move a piece; empty where any may move."""


class Person(Protocol):
    """Somebody who can be asked."""

    async def answer(self, question: Question) -> str:
        """A move as `read_move` takes it, or the type of a piece as `read_piece` does; `RESIGN` to give up."""


class Human(Player):
    """Asks a person for every move. In all decisions of this module `info["person"]` is what they were asked for:
    `move` or `piece`.
    """

    def __init__(self, person: Person, name: str = "") -> None:
        self.name = name or YOU
        self._person = person

    async def choose(self, turn: Turn) -> Decision:
        """:raises MoveError: the answer is not a legal move."""
        question = Question(turn)
        return Decision(read_move(question, await self._person.answer(question)), info={"person": question.wanted})


class HumanHand(Team):
    """The brain names a piece type; a person, who learns nothing else, chooses a move of a piece of that type.

    The decision's `value` is the brain's where the person found the brain's own move, else `None`.
    """

    def __init__(self, brain: Agent, person: Person, name: str = "") -> None:
        super().__init__(name or f"{brain.name}+{YOU}", brain)
        self._brain, self._person = brain, person

    async def choose(self, turn: Turn) -> Decision:
        """:raises MoveError: the answer is not a legal move of the piece type.
        :raises ConfigError: the turn is of another game than chess.
        """
        position = chess_position(turn, self.name)
        for_brain, *_ = turn.spawn(3)  # As in a team without a person, so that the brain is the same.
        brain = await decision_of(self._brain, for_brain)
        if brain.ends_game:
            return ended_by(brain, "brain")
        info = said_by_brain(self._brain.name, brain, piece_types(position.fen, position.legal_moves))
        question = Question(turn, named=str(info["named"]))
        move = read_move(question, await self._person.answer(question))
        value = brain.value if move == info.get("brain") else None
        return Decision(move, value, info={"who": "hand", **info, "person": question.wanted})


class HumanBrain(HandAndBrain):
    """A person names a piece type; the hand draws a move of a piece of that type, as in `HandAndBrain`."""

    def __init__(self, person: Person, hand: Agent, name: str = "") -> None:
        """`hand`: a player that reports the distribution from which it plays."""
        super().__init__(_NamingPerson(person), hand, name)

    async def choose(self, turn: Turn) -> Decision:
        """:raises MoveError: the answer is not the type of a piece that can move.
        :raises ConfigError: the turn is of another game than chess, or the hand reports no distribution.
        """
        decision = await super().choose(turn)
        return replace(decision, info={**decision.info, "person": "piece"})


class _NamingPerson(Player):
    """A person as a brain that names piece types; the move in its decision is an arbitrary one of that type."""

    name = YOU

    def __init__(self, person: Person) -> None:
        self._person = person

    async def choose(self, turn: Turn) -> Decision:
        position = chess_position(turn, self.name)
        question = Question(turn, wanted="piece")
        named = read_piece(question, await self._person.answer(question))
        if named == RESIGN:
            return Decision(RESIGN)
        types = piece_types(position.fen, position.legal_moves)
        return Decision(next(move for move in types if types[move] == named), info={"named": named})


class Paced(Player):
    """Gives the answers of another player at a person's pace: it waits where that player was faster.

    `close` also closes the other player.
    """

    def __init__(
        self,
        player: Agent,
        clock: Callable[[Turn], PlayerClock],
        rating: int,
        *,
        model: ThinkingTime = PEOPLE,
        now: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
    ) -> None:
        """
        :param clock: gives the player's clock at the beginning of a turn.
        :param rating: the rating, on lichess's scale, of the person whose pace is imitated.
        :param now: gives the time in seconds, by any clock.
        :param sleep: waits for a number of seconds by that clock.
        """
        self.name, self.obeys = player.name, player.obeys
        self._player, self._clock, self._rating, self._model = player, clock, rating, model
        self._now, self._sleep = now, sleep

    async def choose(self, turn: Turn) -> Decision:
        """:raises ConfigError: the turn is not of chess, or brings a limit that the player cannot obey."""
        position = chess_position(turn, self.name)
        began, clock = self._now(), self._clock(turn)
        decision = await decision_of(self._player, turn)
        if decision.ends_game or clock.left <= 0:
            return decision
        (own,) = turn.spawn(1)  # After the choice, so that the player draws what it would draw alone.
        moment = moment_of(position, decision.move, clock, self._rating)
        wanted = self._model.sample(moment, own.rng)
        if turn.limits.seconds is not None:
            wanted = min(wanted, turn.limits.seconds)
        await self._sleep(max(0.0, wanted - (self._now() - began)))
        return decision

    def forget(self, game: int) -> None:
        self._player.forget(game)

    def close(self) -> None:
        self._player.close()


class RemotePerson:
    """The `Person` of one game who is asked here and answers from elsewhere, by `reply`."""

    def __init__(self) -> None:
        self.question: Question | None = None
        """The question that waits for an answer now, if any."""
        self._answer: asyncio.Future[str] | None = None
        self._asked = asyncio.Event()

    async def answer(self, question: Question) -> str:
        """Wait until somebody calls `reply`."""
        self.question, self._answer = question, asyncio.get_running_loop().create_future()
        self._asked.set()
        try:
            return await self._answer
        finally:
            self.withdraw()

    def reply(self, text: str) -> None:
        """Answer the question. A wrong answer leaves it standing.

        :raises MoveError: the text is no valid answer to the question, or nothing is asked.
        """
        if self.question is None or self._answer is None:
            raise MoveError(f"{text!r}: nobody is asked for a move now; expected an answer to a question")
        self._answer.set_result(read_answer(self.question, text))
        self.withdraw()

    def withdraw(self) -> None:
        """Drop the question: its answer is not wanted any more."""
        self.question = self._answer = None
        self._asked.clear()

    async def asked(self) -> None:
        """Wait until there is a question."""
        await self._asked.wait()


def read_answer(question: Question, text: str) -> str:
    """The move or the piece type that a person's answer means, as `read_move` or `read_piece` reads it."""
    return read_piece(question, text) if question.wanted == "piece" else read_move(question, text)


def read_move(question: Question, text: str) -> str:
    """The legal move that an answer means, in UCI (in Go a vertex), or `RESIGN`.

    :param text: in chess UCI or SAN, castling also with zeros; in Go a vertex.
    :raises MoveError: the text means no legal move, or a move of another piece type than was named.
    """
    position, text = question.turn.position, _on_one_line(text)
    if text == RESIGN:
        return RESIGN
    try:
        move = position.play(text).moves[-1]
    except MoveError as error:
        where = f" in {position.fen}" if isinstance(position, ChessPosition) else ""
        raise MoveError(f"{str(error).removesuffix(where)}; expected {_expected(question)}") from None
    if isinstance(position, ChessPosition) and question.named:
        moved = piece_types(position.fen, [move])[move]
        if moved != question.named:
            raise MoveError(f"{text} moves a {PIECES[moved]}; expected {_expected(question)}")
    return move


def read_piece(question: Question, text: str) -> str:
    """The letter of the piece type that an answer means, or `RESIGN`.

    :param text: the letter or the English name, in any case.
    :raises MoveError: there is no such type, or no piece of it can move.
    """
    text = _on_one_line(text)
    if text == RESIGN:
        return RESIGN
    movable = movable_pieces(chess_position(question.turn, YOU))
    piece = next((letter for letter in movable if text.lower() in (letter.lower(), PIECES[letter])), None)
    if piece is None:
        can = ", ".join(f"{letter} ({PIECES[letter]})" for letter in movable)
        raise MoveError(f"{text!r} is no type of piece that can move here; expected one of {can}")
    return piece


def movable_pieces(position: ChessPosition) -> list[str]:
    """The letters of the piece types that have a legal move, from pawn to king."""
    types = set(piece_types(position.fen, position.legal_moves).values())
    return [letter for letter in PIECES if letter in types]


def allowed_moves(question: Question) -> Sequence[str]:
    """The moves with which a question for a move can be answered, in UCI (in Go vertices)."""
    position = question.turn.position
    if not question.named or not isinstance(position, ChessPosition):
        return position.legal_moves
    types = piece_types(position.fen, position.legal_moves)
    return [move for move, kind in types.items() if kind == question.named]


def _on_one_line(text: str) -> str:
    """The typed text, fit to be shown in a message: cut to a sensible length, with unprintable characters replaced."""
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text.strip()[:_LONGEST])


def _expected(question: Question) -> str:
    """The kind of answer that is expected and the moves that fit, as people write them, for an error message."""
    position, moves = question.turn.position, allowed_moves(question)
    texts = sorted(map(position.san, moves)) if isinstance(position, ChessPosition) else list(moves)
    listed = ", ".join(texts[:_MOST]) + (" …" if len(texts) > _MOST else "")
    what = f"a move of a {PIECES[question.named]}" if question.named else "a legal move"
    return f"{what}: {listed}"
