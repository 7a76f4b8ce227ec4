"""The protocol between a page and the server: the envelopes on the WebSocket, and the base of all questions.

A page asks as many questions at a time as it likes, each with a number of its own. Every question is answered by a
stream of replies, one or many, and then by `Done` or `Failed`; `Stop` ends it early. That is the whole protocol: a
game that is watched, an explanation that gets better and a list of nets differ only in the replies that are sent.
"""

import asyncio
import time
from abc import abstractmethod
from collections.abc import AsyncGenerator, Callable
from typing import TYPE_CHECKING, Annotated, Any, Final, TypeVar

import msgspec

from foible._core import ChessPosition

if TYPE_CHECKING:
    from foible.interfaces.web.shared import Shared

T = TypeVar("T")

Number = Annotated[int, msgspec.Meta(ge=0, le=2**53 - 1)]
"""A count, or the number of a question: integers up to 2^53 are exact in a browser."""
ShortText = Annotated[str, msgspec.Meta(max_length=200)]
"""A name, a FEN, a move."""
MOST_PLIES = 1200
"""The most plies of a game."""
Moves = Annotated[list[ShortText], msgspec.Meta(max_length=MOST_PLIES)]
"""Moves from a start, in UCI."""
Rating = Annotated[int, msgspec.Meta(ge=0, le=4000)]
"""The rating of a player, in points."""

LOOK_EVERY: Final = 1.0
"""The least number of seconds between two calls of `look` in `changes`."""
SPARING: Final = 4.0
"""The pause after a call of `look`, as a multiple of its duration: so it takes at most a fifth of a processor."""


class Line(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A position with the moves that led to it: opponent models read the last moves, and repetitions need all."""

    start: ShortText | None = None
    """The FEN of the start; the usual starting position when absent."""
    moves: Moves = []
    """The moves from the start, in UCI."""

    @property
    def position(self) -> ChessPosition:
        """The position after the moves.

        :raises FoibleError: there is no such position; says which move is wrong, and why.
        """
        return ChessPosition(self.start, self.moves)


class PageQuestion(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="kind"):
    """A question of a page. Each kind is a record with the fields of the question and a method that answers it."""

    @abstractmethod
    def answer(self, shared: "Shared") -> AsyncGenerator[Any, None]:
        """Yield the replies, each as soon as it is known. The generator is closed when the page stops the question.

        :raises FoibleError: the question cannot be answered; the page is told the message.
        """


class PageReply(msgspec.Struct, frozen=True, kw_only=True):
    """A reply to a question of a page."""


class Done(msgspec.Struct, frozen=True, tag="done", tag_field="is"):
    """The end of an answer: no more replies follow."""

    id: int


class Failed(msgspec.Struct, frozen=True, tag="failed", tag_field="is"):
    """The error by which a question failed, or a message could not be understood."""

    error: str
    """One line that says what is wrong and what would be right."""
    id: int | None = None


class Answer(msgspec.Struct, frozen=True, tag="answer", tag_field="is"):
    """One reply to a question."""

    id: int
    reply: Any


async def changes(look: Callable[[], T]) -> AsyncGenerator[T, None]:
    """The results of `look`, which is called in a thread again and again: the first one, and then each that differs
    from the one before. Without end. Errors as `look`.

    This is for files, which do not notify of their changes.
    """
    seen: tuple[T, ...] = ()
    while True:
        began = time.monotonic()
        now = await asyncio.to_thread(look)
        spent = time.monotonic() - began
        if (now,) != seen:
            seen = (now,)
            yield now
        await asyncio.sleep(max(LOOK_EVERY, SPARING * spent))
