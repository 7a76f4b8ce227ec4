"""What is agreed on for the game: komi, rules, time limits."""

import json
from dataclasses import replace
from typing import Final

from foible.games.go import Rules
from foible.interfaces.gtp.call import Call
from foible.interfaces.gtp.clock import Clock, TimeSettings
from foible.interfaces.gtp.protocol import SYNTAX, CommandError
from foible.interfaces.gtp.session import Action, Session

_RULES: Final[dict[str, Rules]] = {
    "chinese": "chinese",
    "chinese-ogs": "chinese",
    "chinese-kgs": "chinese",
    "tromp-taylor": "tromp-taylor",
}
"""As KataGo names them. All score by area and forbid repetition by positional superko."""


def komi(session: Session, call: Call) -> str:
    session.set_komi(call.number())
    return ""


def set_rules(session: Session, call: Call) -> str:
    rules = _RULES.get(call.word().lower())
    if rules is None:
        raise CommandError(f"unsupported rules: expected one of {', '.join(_RULES)}")
    game = session.game.by_rules(rules)
    if game != session.game:
        session.change_game(game)
    session.settings = replace(session.settings, rules=rules)
    return ""


def get_rules(session: Session, _: Call) -> str:
    chinese = session.game.rules == "chinese"
    return json.dumps(
        {
            "hasButton": False,
            "ko": "POSITIONAL",
            "scoring": "AREA",
            "suicide": not chinese,
            "tax": "NONE",
            "whiteHandicapBonus": "N" if chinese else "0",
        }
    )


def time_settings(session: Session, call: Call) -> str:
    """Main time, byo-yomi time, byo-yomi stones; no main time and no byo-yomi are no limit. In seconds."""
    main, period, stones = _seconds(call), _seconds(call), call.integer()
    session.clock = Clock(TimeSettings(main, period, stones))
    return ""


def time_left(session: Session, call: Call) -> str:
    """The player, seconds left, and stones left in byo-yomi; 0 in main time."""
    colour, seconds, stones = call.colour(), _seconds(call), call.integer()
    session.clock.tell(colour, seconds, stones)
    return ""


def _seconds(call: Call) -> float:
    seconds = call.number()
    if seconds < 0:
        raise CommandError(SYNTAX)
    return seconds


COMMANDS: Final[dict[str, Action]] = {
    "komi": komi,
    "kata-set-rules": set_rules,
    "kata-get-rules": get_rules,
    "time_settings": time_settings,
    "time_left": time_left,
}
