"""All commands by their names."""

from typing import Final

from foible.interfaces.gtp.call import Call
from foible.interfaces.gtp.commands import about, analyse, generate, look, options, play, record, rules, score, times
from foible.interfaces.gtp.commands.action import Action
from foible.interfaces.gtp.session import Session


def known_command(_: Session, call: Call) -> str:
    return "true" if call.word() in COMMANDS else "false"


def list_commands(_: Session, __: Call) -> str:
    return "\n".join(COMMANDS)


COMMANDS: Final[dict[str, Action]] = {
    **about.COMMANDS,
    "known_command": known_command,
    "list_commands": list_commands,
    **play.COMMANDS,
    **rules.COMMANDS,
    **generate.COMMANDS,
    **times.COMMANDS,
    **score.COMMANDS,
    **record.COMMANDS,
    **analyse.COMMANDS,
    **look.COMMANDS,
    **options.COMMANDS,
}
