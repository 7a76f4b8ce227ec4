"""The thread that answers one `go`."""

import threading
from typing import Protocol

from foible.interfaces.uci.go_command import Call
from foible.interfaces.uci.protocol import Send, described


class Thought(Protocol):
    """Thinks about one call."""

    def think(self) -> tuple[str | None, str | None]:
        """The move to play, which is legal, and the reply to ponder on; either may be missing.

        It returns as soon as the call is due, with the best that was found by then.
        """

    def rest(self) -> None:
        """Wait until nothing is computed any more. The call has been stopped."""


class Search:
    """A call under way. It always ends in one `bestmove`, whatever fails."""

    def __init__(self, call: Call, thought: Thought, send: Send) -> None:
        self._call, self._thought, self._send = call, thought, send
        self._thread = threading.Thread(target=self._answer, name="search", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Answer now."""
        self._call.stop()

    def ponderhit(self) -> None:
        """The expected move was played: from now on the clock counts."""
        self._call.ponderhit()

    def wait(self) -> None:
        """Until the answer is out and nothing is computed any more."""
        self._thread.join()

    @property
    def running(self) -> bool:
        return self._thread.is_alive()

    def _answer(self) -> None:
        task = self._call.task
        move = reply = None
        try:
            if task.position.legal_moves:
                move, reply = self._thought.think()
            else:
                self._send(f"info depth 0 score {'mate' if task.position.is_check else 'cp'} 0")
        except Exception as error:  # a GUI that gets no answer waits for ever
            self._send(f"info string {described(error)}")
        self._call.wait_until_asked()
        move = move or next(iter(task.moves), "(none)")
        self._send(f"bestmove {move}" + f" ponder {reply}" * (reply is not None))
        self._call.stop()
        self._thought.rest()
