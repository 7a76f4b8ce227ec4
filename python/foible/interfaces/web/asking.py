"""What a page asks and how it is answered: the envelopes on its WebSocket, and what all questions have in common.

A page asks as many questions at a time as it likes, each with a number of its own. Every question is answered by a
stream of replies, one or many, and then by `Done` or `Failed`; `Stop` ends it early. That is the whole protocol: a
game that is watched, an explanation that gets better and a list of nets differ in what they send alone.
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
"""The plies of a game."""
Moves = Annotated[list[ShortText], msgspec.Meta(max_length=MOST_PLIES)]
"""Moves from a start, in UCI."""
Rating = Annotated[int, msgspec.Meta(ge=0, le=4000)]
"""The rating of a player, in points."""

LOOK_EVERY: Final = 1.0
"""Seconds between two looks at the same thing, at least."""
SPARING: Final = 4.0
"""The pause after a look is at least so many times as long as the look: it takes a fifth of a processor at most."""


class Line(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A position with the moves that led to it: opponent models read the last moves, and repetitions need all."""

    start: ShortText | None = None
    """FEN; the usual start when absent."""
    moves: Moves = []
    """UCI."""

    @property
    def position(self) -> ChessPosition:
        """:raises FoibleError: there is no such position; says which move is wrong, and why."""
        return ChessPosition(self.start, self.moves)


class Question(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="kind"):
    """Something that a page asks. Each kind is a record beside what answers it."""

    @abstractmethod
    def answer(self, shared: "Shared") -> AsyncGenerator[Any, None]:
        """The replies, each as soon as it is known. Closed where the page does not want more.

        :raises FoibleError: the question cannot be answered; the page is told the message.
        """


class Reply(msgspec.Struct, frozen=True, kw_only=True):
    """What a page is told."""


class Done(msgspec.Struct, frozen=True, tag="done", tag_field="is"):
    """A question is answered: nothing more comes."""

    id: int


class Failed(msgspec.Struct, frozen=True, tag="failed", tag_field="is"):
    """A question, or a message that is none, could not be answered."""

    error: str
    """One line: what is wrong and what would be right."""
    id: int | None = None


class Answer(msgspec.Struct, frozen=True, tag="answer", tag_field="is"):
    """One reply to a question."""

    id: int
    reply: Any


async def changes(look: Callable[[], T]) -> AsyncGenerator[T, None]:
    """What `look` returns, called in a thread again and again: at once, and whenever it differs from the last.

    For files, which do not tell when they change. Without end. Errors as `look`.
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
