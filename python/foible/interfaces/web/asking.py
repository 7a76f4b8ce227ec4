"""What a page asks and how it is answered: the envelopes on its WebSocket, and what all questions have in common.

A page asks as many questions at a time as it likes, each with a number of its own. Every question is answered by a
stream of replies, one or many, and then by `Done` or `Failed`; `Stop` ends it early. That is the whole protocol: a
game that is watched, an explanation that gets better and a list of nets differ in what they send alone.
"""

from abc import abstractmethod
from collections.abc import AsyncGenerator
from typing import Any

import msgspec

from foible.interfaces.web.house import House


class Question(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="kind"):
    """Something that a page asks. Each kind is a record beside what answers it."""

    @abstractmethod
    def answer(self, house: House) -> AsyncGenerator[Any, None]:
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
