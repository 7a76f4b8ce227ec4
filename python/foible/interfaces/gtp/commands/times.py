"""Time limits. All times are in seconds."""

from typing import Final

from foible.interfaces.gtp.call import Call
from foible.interfaces.gtp.clock import Clock, TimeSettings
from foible.interfaces.gtp.commands.action import Action
from foible.interfaces.gtp.protocol import SYNTAX, CommandError
from foible.interfaces.gtp.session import Session


def time_settings(session: Session, call: Call) -> str:
    """Main time, byo-yomi time, byo-yomi stones; no main time and no byo-yomi are no limit."""
    main, period, stones = _seconds(call), _seconds(call), call.integer()
    session.clock = Clock(TimeSettings(main, period, stones))
    return ""


def kgs_time_settings(session: Session, call: Call) -> str:
    """`none`; `absolute MAIN`; `canadian MAIN PERIOD STONES`; `byoyomi MAIN PERIOD PERIODS`."""
    kind = call.word().lower()
    if kind == "none":
        settings = TimeSettings()
    elif kind == "absolute":
        settings = TimeSettings(_seconds(call))
    elif kind == "canadian":
        settings = TimeSettings(_seconds(call), _seconds(call), stones=call.integer())
    elif kind == "byoyomi":
        settings = TimeSettings(_seconds(call), _seconds(call), periods=call.integer())
    else:
        raise CommandError(SYNTAX)
    session.clock = Clock(settings)
    return ""


def time_left(session: Session, call: Call) -> str:
    """The player, time left, and stones or periods left in byo-yomi; 0 in main time."""
    colour, seconds, number = call.colour(), _seconds(call), call.integer()
    session.clock.tell(colour, seconds, number)
    return ""


def _seconds(call: Call) -> float:
    seconds = call.number()
    if seconds < 0:
        raise CommandError(SYNTAX)
    return seconds


COMMANDS: Final[dict[str, Action]] = {
    "time_settings": time_settings,
    "kgs-time_settings": kgs_time_settings,
    "time_left": time_left,
}
