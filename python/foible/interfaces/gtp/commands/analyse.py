"""Analysis that is shown while it goes on."""

import time
from functools import partial
from typing import Final

from foible.interfaces.gtp.call import Call
from foible.interfaces.gtp.commands.action import Action
from foible.interfaces.gtp.report import Form, Reporter
from foible.interfaces.gtp.session import Session
from foible.interfaces.gtp.thinking import grow, make, think
from foible.interfaces.gtp.tree import ENDLESS
from foible.interfaces.gtp.wishes import read_wishes

_LOOK_SECONDS: Final = 0.02
"""How often new input is looked for where the search has come to its end."""


def analyse(session: Session, call: Call, form: Form) -> str:
    """Until the controller sends anything."""
    wishes = read_wishes(session.game, call, form)
    position = session.game.at_move(wishes.colour)
    session.tree.go_to(position, session.settings, wishes.only)
    reporter = Reporter(session.tree, position, wishes, form, call.line)
    call.line("")

    def stop() -> bool:
        reporter.look()
        return session.waiting()

    grow(session, ENDLESS, stop)
    while not stop():
        time.sleep(_LOOK_SECONDS)
    reporter.say()
    return ""


def genmove_analyse(session: Session, call: Call, form: Form) -> str:
    """As `genmove`, with what was found meanwhile; new input waits."""
    wishes = read_wishes(session.game, call, form)
    position = session.game.at_move(wishes.colour)
    reporter = Reporter(session.tree, position, wishes, form, call.line)
    call.line("")
    thought = think(session, wishes.colour, only=wishes.only, watch=reporter.look)
    reporter.say()
    return f"play {make(session, wishes.colour, thought)}"


COMMANDS: Final[dict[str, Action]] = {
    "analyze": partial(analyse, form="kata"),
    "genmove_analyze": partial(genmove_analyse, form="kata"),
    "kata-analyze": partial(analyse, form="kata"),
    "kata-genmove_analyze": partial(genmove_analyse, form="kata"),
    "lz-analyze": partial(analyse, form="leela"),
    "lz-genmove_analyze": partial(genmove_analyse, form="leela"),
}
