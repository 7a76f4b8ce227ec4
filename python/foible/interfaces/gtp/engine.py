"""The engine: every command gets its one answer, whatever it is."""

from foible.interfaces.gtp.call import Call
from foible.interfaces.gtp.commands.table import COMMANDS
from foible.interfaces.gtp.protocol import Answer, CommandError, Send, described, parse
from foible.interfaces.gtp.session import Session
from foible.interfaces.gtp.thinking import ponder


class Engine:
    """Carries out lines of input, one after the other."""

    def __init__(self, session: Session, send: Send) -> None:
        self._session, self._send = session, send

    def handle(self, line: bytes) -> bool:
        """Carry out one line; whether there is more to come."""
        command = parse(line)
        if command is None:
            return True
        answer = Answer(command.id, self._send)
        try:
            action = COMMANDS.get(command.name, _unknown)
            answer.end(action(self._session, Call(command.arguments, answer.line)))
        except Exception as error:
            # A controller cannot do without its engine: whatever goes wrong with a command, the next one is read.
            answer.fail(described(error))
            if not isinstance(error, CommandError):
                self._session.log(f"{command.name}: {described(error)}")
        return command.name != "quit"

    def idle(self) -> None:
        """Nothing is asked just now."""
        try:
            ponder(self._session)
        except Exception as error:  # nobody waits for it
            self._session.log(described(error))


def _unknown(_: Session, __: Call) -> str:
    raise CommandError("unknown command")
