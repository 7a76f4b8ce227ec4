"""One page that is open: its questions, each answered by a task of its own, which ends with the page."""

import asyncio
import contextlib
import sys
import time
import traceback
from contextlib import aclosing
from typing import Any

import msgspec
from starlette.websockets import WebSocket, WebSocketDisconnect, WebSocketState

from foible.errors import FoibleError
from foible.interfaces.web.asking import Answer, Done, Failed, Question
from foible.interfaces.web.messages import Ask, FromPage, Stop
from foible.interfaces.web.shared import Shared
from foible.mistakes import explain

QUESTIONS_AT_ONCE = 16
"""Questions that a page may have open. Most are games that are watched and wait; the others bound their own work."""
BURST, PER_SECOND = 60, 20
"""Messages that a page may send at once, and on average."""

TOO_MANY = f"too many messages: at most {PER_SECOND} a second"

_DECODER = msgspec.json.Decoder()


class Page:
    """What is asked over one WebSocket, which is accepted."""

    def __init__(self, socket: WebSocket, shared: Shared) -> None:
        self._socket, self._shared = socket, shared
        self._answering: dict[int, asyncio.Task[None]] = {}
        self._allowed, self._since = float(BURST), time.monotonic()

    async def serve(self) -> None:
        """Answer until the page goes away; then nothing is worked at any more."""
        try:
            while True:
                await self._take(await self._socket.receive_text())
        except (WebSocketDisconnect, KeyError):  # KeyError: Starlette's, of bytes where text is received
            pass
        finally:
            tasks = list(self._answering.values())
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _take(self, text: str) -> None:
        try:
            message = read_message(text)
        except MessageError as error:
            await self._send(Failed(str(error) if self._in_time() else TOO_MANY, error.id))
            return
        match message:
            case Stop(id):
                if id in self._answering:
                    self._answering.pop(id).cancel()
            case Ask(id, _) if not self._in_time():
                await self._send(Failed(TOO_MANY, id))
            case Ask(id, _) if id in self._answering:
                await self._send(Failed(f"question {id} is being answered already; ask with another number"))
            case Ask(id, _) if len(self._answering) >= QUESTIONS_AT_ONCE:
                await self._send(Failed(f"too many questions at once: at most {QUESTIONS_AT_ONCE}", id))
            case Ask(id, question):
                task = asyncio.ensure_future(self._answer(id, question))
                self._answering[id] = task
                # Not by the task itself, which ends without a step where it is stopped before the first.
                task.add_done_callback(lambda done: self._end(id, done))

    def _end(self, number: int, done: asyncio.Task[None]) -> None:
        if self._answering.get(number) is done:
            del self._answering[number]

    def _in_time(self) -> bool:
        """Whether another message is within the rate (a token bucket)."""
        now = time.monotonic()
        self._allowed = min(BURST, self._allowed + PER_SECOND * (now - self._since))
        self._since = now
        if self._allowed < 1:
            return False
        self._allowed -= 1
        return True

    async def _answer(self, number: int, question: Question) -> None:
        try:
            async with aclosing(question.answer(self._shared)) as replies:
                async for reply in replies:
                    await self._send(Answer(number, reply))
            end: Done | Failed = Done(number)
        except FoibleError as error:
            end = Failed(" ".join(str(error).split()), number)
        except OSError as error:
            end = Failed(f"{error.filename}: {error.strerror}" if error.filename else str(error), number)
        except WebSocketDisconnect:
            return
        except Exception:  # a mistake of ours ends its question, not the page
            traceback.print_exc(file=sys.stderr)
            end = Failed("this went wrong in foible itself; the terminal of foible web says how", number)
        with contextlib.suppress(WebSocketDisconnect, RuntimeError):  # who went away is told nothing
            await self._send(end)

    async def _send(self, message: Any) -> None:
        """:raises WebSocketDisconnect: the page has gone."""
        if self._socket.client_state is WebSocketState.DISCONNECTED:
            raise WebSocketDisconnect
        await self._socket.send_text(msgspec.json.encode(message).decode())


class MessageError(FoibleError):
    """A page sent what is no message."""

    def __init__(self, why: str, found: object = None) -> None:
        """`found`: what was sent, as plain values."""
        super().__init__(f"not a message: {why}")
        named = found.get("id") if isinstance(found, dict) else None
        self.id: int | None = named if isinstance(named, int) else None
        """The number of the question that it should have been, where it has one."""


def read_message(text: str) -> Ask | Stop:
    """What a page sent.

    :raises MessageError: it is no message; says where it is wrong and what would be right.
    """
    try:
        found = _DECODER.decode(text)
    except (msgspec.DecodeError, RecursionError) as error:
        raise MessageError(str(error)) from None
    try:
        message: Ask | Stop = msgspec.convert(found, FromPage)
    except msgspec.ValidationError as error:
        raise MessageError(explain(error, found, FromPage), found) from None
    return message
