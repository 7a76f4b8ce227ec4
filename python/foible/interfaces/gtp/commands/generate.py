"""Moves of our own."""

from typing import Final

from foible.interfaces.gtp.call import Call
from foible.interfaces.gtp.commands.action import Action
from foible.interfaces.gtp.protocol import CommandError
from foible.interfaces.gtp.session import Session
from foible.interfaces.gtp.thinking import make, think
from foible.interfaces.gtp.thought import explanation


def genmove(session: Session, call: Call) -> str:
    colour = call.colour()
    return make(session, colour, think(session, colour))


def genmove_cleanup(session: Session, call: Call) -> str:
    """KGS's, after the game: passes only when nothing else is left to do."""
    colour = call.colour()
    return make(session, colour, think(session, colour, cleanup=True))


def reg_genmove(session: Session, call: Call) -> str:
    """The move alone, and never one drawn by chance."""
    return think(session, call.colour(), drawn=False).choice.move


def explain_last_move(session: Session, _: Call) -> str:
    if session.thought is None:
        raise CommandError("no move was generated")
    return explanation(session.thought)


COMMANDS: Final[dict[str, Action]] = {
    "genmove": genmove,
    "reg_genmove": reg_genmove,
    "kgs-genmove_cleanup": genmove_cleanup,
    "gomill-explain_last_move": explain_last_move,
}
