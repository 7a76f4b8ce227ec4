"""Options and memory."""

from typing import Final

from foible.interfaces.gtp.call import Call
from foible.interfaces.gtp.commands.action import Action
from foible.interfaces.gtp.options import OPTIONS
from foible.interfaces.gtp.protocol import SYNTAX, CommandError
from foible.interfaces.gtp.session import Session

_MIB: Final = 1 << 20


def setoption(session: Session, call: Call) -> str:
    """`name NAME value VALUE`, both perhaps of several words; without arguments the options that there are."""
    if not call.more:
        return "\n" + "\n".join(option.line(session.settings) for option in OPTIONS)
    if call.word() != "name":
        raise CommandError(SYNTAX)
    words = call.rest()
    if "value" not in words:
        raise CommandError(SYNTAX)
    at = words.index("value")
    session.set_option(" ".join(words[:at]), " ".join(words[at + 1 :]))
    return ""


def memory_report(session: Session, _: Call) -> str:
    nodes, memory, cached = session.tree.size
    return (
        f"Search tree: {nodes} nodes, {-(-memory // _MIB)} MiB of {session.settings.memory_mb}\n"
        f"Evaluations kept: {cached}"
    )


def clear_cache(session: Session, _: Call) -> str:
    session.tree.forget_all()
    return ""


def search_reset(session: Session, _: Call) -> str:
    session.tree.forget()
    return ""


COMMANDS: Final[dict[str, Action]] = {
    "lz-setoption": setoption,
    "lz-memory_report": memory_report,
    "lz-search_reset": search_reset,
    "clear_cache": clear_cache,
}
