"""One open page: its questions, each answered by a task of its own that ends when the page is closed."""

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
from foible.interfaces.web.messages import Ask, MessageError, Stop, read_message
from foible.interfaces.web.protocol import Answer, Done, Failed, PageQuestion
from foible.interfaces.web.shared import Shared

QUESTIONS_AT_ONCE = 16
"""The most open questions of a page. Most only wait for changes of a game; the others limit their own work."""
BURST, PER_SECOND = 60, 20
"""The limits on a page's messages: how many at once, and how many a second on average."""
UNSUPPORTED = 1003
"""The code with which a WebSocket is closed for data that is not text (RFC 6455, section 7.4.1)."""

TOO_MANY = f"too many messages: at most {PER_SECOND} a second"


class Page:
    """Answers the questions of one page, over a WebSocket that has been accepted."""

    def __init__(self, socket: WebSocket, shared: Shared) -> None:
        self._socket, self._shared = socket, shared
        self._answering: dict[int, asyncio.Task[None]] = {}
        self._allowed, self._since = float(BURST), time.monotonic()

    async def serve(self) -> None:
        """Answer questions until the page is closed; then cancel all work for it."""
        try:
            while True:
                await self._take(await self._socket.receive_text())
        except WebSocketDisconnect:
            pass
        except KeyError:  # raised by Starlette where bytes come in place of text
            await self._socket.close(UNSUPPORTED, "expected text, not bytes")
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
                # Not in the task itself, which runs no code at all where it is cancelled before its first step.
                task.add_done_callback(lambda done: self._end(id, done))

    def _end(self, number: int, done: asyncio.Task[None]) -> None:
        if self._answering.get(number) is done:
            del self._answering[number]

    def _in_time(self) -> bool:
        """Whether the rate limit allows another message (a token bucket); counts that message."""
        now = time.monotonic()
        self._allowed = min(BURST, self._allowed + PER_SECOND * (now - self._since))
        self._since = now
        if self._allowed < 1:
            return False
        self._allowed -= 1
        return True

    async def _answer(self, number: int, question: PageQuestion) -> None:
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
        except Exception:  # a bug in foible ends only this question, not the page
            traceback.print_exc(file=sys.stderr)
            end = Failed("this went wrong in foible itself; the terminal of foible web says how", number)
        with contextlib.suppress(WebSocketDisconnect, RuntimeError):  # a closed page is told nothing
            await self._send(end)

    async def _send(self, message: Any) -> None:
        """Send a message to the page.

        :raises WebSocketDisconnect: the page has been closed.
        """
        if self._socket.client_state is WebSocketState.DISCONNECTED:
            raise WebSocketDisconnect
        await self._socket.send_text(msgspec.json.encode(message).decode())
