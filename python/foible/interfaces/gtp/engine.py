"""The engine: all commands by their names, and to every one its one answer, whatever it is."""

from typing import Final

from foible.interfaces.gtp.call import Call
from foible.interfaces.gtp.commands import about, board, look, options, play, record, search, terms
from foible.interfaces.gtp.protocol import Answer, CommandError, Send, described, parse
from foible.interfaces.gtp.session import Action, Session
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
        """Nothing is asked just now."""
        try:
            ponder(self._session)
        except (KeyboardInterrupt, SystemExit):
            raise
        except BaseException as error:  # nobody waits for it
            self._session.log(described(error))
            self._recover(error)

    def _recover(self, error: BaseException) -> None:
        """After a panic of the Rust core, which is no `Exception`, what it was at is not to be trusted."""
        if not isinstance(error, Exception):
            self._session.tree.forget_all()


def known_command(_: Session, call: Call) -> str:
    return "true" if call.word() in COMMANDS else "false"


def list_commands(_: Session, __: Call) -> str:
    return "\n".join(COMMANDS)


def _unknown(_: Session, __: Call) -> str:
    raise CommandError("unknown command")


COMMANDS: Final[dict[str, Action]] = {
    **about.COMMANDS,
    "known_command": known_command,
    "list_commands": list_commands,
    **play.COMMANDS,
    **terms.COMMANDS,
    **search.COMMANDS,
    **board.COMMANDS,
    **record.COMMANDS,
    **look.COMMANDS,
    **options.COMMANDS,
}
