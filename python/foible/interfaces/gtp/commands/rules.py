"""By which rules the game is played. All score by area and forbid repetition by positional superko."""

import json
from dataclasses import replace
from typing import Final

from foible.games.go import Rules
from foible.interfaces.gtp.call import Call
from foible.interfaces.gtp.commands.action import Action
from foible.interfaces.gtp.protocol import CommandError
from foible.interfaces.gtp.session import Session

_NAMES: Final[dict[str, Rules]] = {
    "chinese": "chinese",
    "chinese-ogs": "chinese",
    "chinese-kgs": "chinese",
    "tromp-taylor": "tromp-taylor",
}
"""As KataGo names them."""


def set_rules(session: Session, call: Call) -> str:
    _set(session, _NAMES.get(call.word().lower()))
    return ""


def set_kgs_rules(session: Session, call: Call) -> str:
    """KGS knows others, by which we cannot play."""
    _set(session, "chinese" if call.word().lower() == "chinese" else None)
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


def _set(session: Session, rules: Rules | None) -> None:
    if rules is None:
        raise CommandError(f"unsupported rules: expected one of {', '.join(_NAMES)}")
    if rules != session.game.rules:
        session.change_game(session.game.agreed(session.game.komi, rules))
    session.settings = replace(session.settings, rules=rules)


COMMANDS: Final[dict[str, Action]] = {
    "kata-set-rules": set_rules,
    "kata-get-rules": get_rules,
    "kgs-rules": set_kgs_rules,
}
