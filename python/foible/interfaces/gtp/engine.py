"""The engine: it reads commands from standard input and gives each exactly one answer on standard output."""

import contextlib
import os
import sys
import threading
from collections import deque
from typing import Final

from foible.interfaces.gtp.commands import about_engine, game, position, search
from foible.interfaces.gtp.commands.search import ponder
from foible.interfaces.gtp.protocol import Answer, Call, CommandError, Send, parse, read_lines
from foible.interfaces.gtp.session import Action, Session
from foible.interfaces.gtp.settings import Settings
from foible.interfaces.gtp.tree import open_go_net
from foible.interfaces.standard_output import StandardOutput, described
from foible.nets.choices import MATERIAL


class Engine:
    """Carries out lines of input, one after the other."""

    def __init__(self, session: Session, send: Send) -> None:
        self._session, self._send = session, send

    def handle(self, line: bytes) -> bool:
        """Carry out one line; returns false after `quit`."""
        command = parse(line)
        if command is None:
            return True
        answer = Answer(command.id, self._send)
        try:
            action = COMMANDS.get(command.name, _unknown)
            answer.end(action(self._session, Call(command.arguments, answer.line)))
        except (KeyboardInterrupt, SystemExit):
            raise
        except BaseException as error:
            # A controller cannot do without its engine: whatever goes wrong with a command, the next one is read.
            answer.fail(described(error))
            if not isinstance(error, CommandError):
                self._session.log(f"{command.name}: {described(error)}")
            self._recover(error)
        return command.name != "quit"

    def idle(self) -> None:
        """Use the time in which no command waits: ponder, where the settings say so."""
        try:
            ponder(self._session)
        except (KeyboardInterrupt, SystemExit):
            raise
        except BaseException as error:  # no command waits for an answer
            self._session.log(described(error))
            self._recover(error)

    def _recover(self, error: BaseException) -> None:
        """Drop tree and cache after a panic of the Rust core, which is no `Exception`: they cannot be trusted."""
        if not isinstance(error, Exception):
            self._session.tree.forget_all()


def known_command(_: Session, call: Call) -> str:
    return "true" if call.word() in COMMANDS else "false"


def list_commands(_: Session, __: Call) -> str:
    return "\n".join(COMMANDS)


def _unknown(_: Session, __: Call) -> str:
    raise CommandError("unknown command")


COMMANDS: Final[dict[str, Action]] = {
    **about_engine.ABOUT,
    "known_command": known_command,
    "list_commands": list_commands,
    **game.MOVES,
    **game.TERMS,
    **search.COMMANDS,
    **position.BOARD,
    **game.RECORDS,
    **position.NET,
    **about_engine.SETTINGS,
}


_FAILED: Final = 1
"""The exit status of an engine that could not go on."""
_INTERRUPTED_SECONDS: Final = 1.0
"""Seconds that a command has to end after Ctrl-C."""


def serve(settings: Settings) -> None:
    """Speak GTP until `quit`, the end of the input, or until nobody reads the answers. All commands are answered first.

    :raises NetFileError: there is no such net, or its file cannot be used.
    :raises ConfigError: the net is for chess, or cannot do what the settings ask for.
    """
    lines, output = _Input(), StandardOutput()
    session = Session(open_go_net(settings), settings, _log, lines.waiting)
    session.log(f"foible: {session.net.evaluator.name}, seed {settings.seed}")
    if settings.net == MATERIAL:
        session.log("foible: the built-in evaluator knows no more than captures and area; --net NAME plays better")
    engine = Engine(session, output.send)

    def handle() -> None:
        try:
            while (line := lines.take()) is not None and engine.handle(line) and not output.closed:
                engine.idle()
        except BaseException as error:
            # The other thread is blocked in reading, so the process ends: a controller must not wait for ever.
            _log(f"foible: the engine cannot go on: {described(error)}")
            os._exit(_FAILED)
        finally:
            lines.close()

    # Lines are read even while a command runs: an analysis ends when a new line arrives.
    handler = threading.Thread(target=handle, name="commands", daemon=True)
    handler.start()
    try:
        for line in read_lines(sys.stdin.buffer):
            command = parse(line)
            if not lines.put(line) or (command is not None and command.name == "quit"):
                break
        else:
            lines.close()
        handler.join()
    except KeyboardInterrupt:
        lines.close()
        handler.join(_INTERRUPTED_SECONDS)
        if handler.is_alive():
            os._exit(0)


def _log(line: str) -> None:
    """Write a line to the error stream, where there is one, for whoever watches the engine."""
    with contextlib.suppress(OSError, ValueError):
        print(" ".join(line.split()), file=sys.stderr, flush=True)


class _Input:
    """The queue of lines between the thread that reads them and the one that carries them out."""

    def __init__(self) -> None:
        self._lines: deque[bytes] = deque()
        self._changed = threading.Condition()
        self._closed = False

    def put(self, line: bytes) -> bool:
        """Add a line; returns whether the queue is still open."""
        with self._changed:
            self._lines.append(line)
            self._changed.notify_all()
            return not self._closed

    def close(self) -> None:
        """Close the queue: no more lines come, or none are wanted."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()

    def take(self) -> bytes | None:
        """Wait for the next line and take it; `None` once the queue is closed and empty."""
        with self._changed:
            self._changed.wait_for(lambda: self._lines or self._closed)
            return self._lines.popleft() if self._lines else None

    def waiting(self) -> bool:
        """Whether there is a line to take, or the queue is closed."""
        return bool(self._lines) or self._closed
