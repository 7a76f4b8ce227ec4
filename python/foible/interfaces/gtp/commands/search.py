"""Moves of our own, and analysis that is shown while it goes on."""

import time
from functools import partial
from typing import Final

from foible.interfaces.gtp.protocol import Call, CommandError
from foible.interfaces.gtp.report import Form, Reporter, explanation, read_wishes
from foible.interfaces.gtp.session import Action, Session
from foible.interfaces.gtp.thinking import grow, make, think
from foible.interfaces.gtp.tree import ENDLESS

_LOOK_SECONDS: Final = 0.02
"""How often new input is looked for where the search has come to its end."""


def genmove(session: Session, call: Call) -> str:
    colour = call.colour()
    return make(session, colour, think(session, colour))


def reg_genmove(session: Session, call: Call) -> str:
    """The move alone, and never one drawn by chance."""
    return think(session, call.colour(), drawn=False).choice.move


def explain_last_move(session: Session, _: Call) -> str:
    if session.thought is None:
        raise CommandError("no move was generated")
    return explanation(session.thought)


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
    "genmove": genmove,
    "reg_genmove": reg_genmove,
    "gomill-explain_last_move": explain_last_move,
    "analyze": partial(analyse, form="kata"),
    "genmove_analyze": partial(genmove_analyse, form="kata"),
    "kata-analyze": partial(analyse, form="kata"),
    "kata-genmove_analyze": partial(genmove_analyse, form="kata"),
    "lz-analyze": partial(analyse, form="leela"),
    "lz-genmove_analyze": partial(genmove_analyse, form="leela"),
}
