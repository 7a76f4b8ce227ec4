"""Commands that search: choosing and playing our own moves, and analysis that is reported while it runs."""

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Final

from foible.errors import MemoryLimitError
from foible.games.go import Colour
from foible.interfaces.gtp.move_choice import Situation, Thought, choose, comment, explanation
from foible.interfaces.gtp.protocol import Call, CommandError
from foible.interfaces.gtp.report import Form, Reporter, read_wishes
from foible.interfaces.gtp.session import Action, Session
from foible.interfaces.gtp.tree import ENDLESS

SECONDS: Final = 5.0
"""The time for a move where neither the clock nor visits limit it."""
_LOOK_SECONDS: Final = 0.02
"""Seconds between two looks for new input during an analysis whose search has ended."""


def think(
    session: Session,
    colour: Colour,
    *,
    drawn: bool = True,
    only: Sequence[str] | None = None,
    watch: Callable[[], None] = lambda: None,
) -> Thought:
    """Search for the move of a side, without playing it.

    :param drawn: whether the first moves may be drawn by their visits.
    :param only: the moves to search, all when absent.
    :param watch: called again and again during the search.
    """
    started = time.monotonic()
    game, settings, tree = session.game, session.settings, session.tree
    position = game.at_move(colour)
    kept = tree.go_to(position, settings, only)
    limits = [settings.visits, settings.playouts and kept + settings.playouts]
    visits = min((limit for limit in limits if limit), default=ENDLESS)
    seconds = session.clock.seconds_for(colour, plies=game.plies, points=position.size**2, lag=settings.lag / 100)
    if seconds is None and visits == ENDLESS:
        seconds = SECONDS

    def stop() -> bool:
        watch()
        return seconds is not None and time.monotonic() - started >= seconds

    grow(session, visits, stop)
    summary = tree.summary()
    situation = Situation(game.plies, game.passed(colour))
    choice = choose(position, summary, settings if drawn else replace(settings, random_moves=0), situation, session.rng)
    line = [] if choice.move == "resign" else tree.line(choice.move)
    return Thought(position, summary, choice, line, time.monotonic() - started)


def grow(session: Session, visits: int, stop: Callable[[], bool]) -> None:
    """Search from the tree's root; a tree that outgrows its memory ends the search, which is logged."""
    try:
        session.tree.grow(visits, stop)
    except MemoryLimitError as error:
        session.log(f"{error} (option Maximum Memory Use)")


def make(session: Session, colour: Colour, thought: Thought) -> str:
    """Play the move that a search chose, and return it as the protocol names it."""
    move = thought.choice.move
    if move != "resign":
        session.game = session.game.play(colour, move, comment(thought))
    session.clock.spend(colour, thought.seconds)
    session.thought = thought
    return move


def ponder(session: Session) -> None:
    """Search on at the opponent's turn until new input comes, where the settings say so and the tree can be kept."""
    game, settings = session.game, session.settings
    # Where the two players weigh margins differently, nothing of the tree could be kept after one move.
    if settings.pondering and settings.bonuses()[1] is None and game.awaits_reply and not session.waiting():
        session.tree.go_to(game.position, settings)
        grow(session, settings.visits or ENDLESS, session.waiting)


def genmove(session: Session, call: Call) -> str:
    colour = call.colour()
    return make(session, colour, think(session, colour))


def reg_genmove(session: Session, call: Call) -> str:
    """The move that we would play, without playing it, and never drawn by chance."""
    return think(session, call.colour(), drawn=False).choice.move


def explain_last_move(session: Session, _: Call) -> str:
    if session.thought is None:
        raise CommandError("no move was generated")
    return explanation(session.thought)


def analyse(session: Session, call: Call, form: Form) -> str:
    """Search and report until the controller sends anything."""
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
    """As `genmove`, with reports while the search runs; new input does not end it."""
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
