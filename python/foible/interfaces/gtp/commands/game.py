"""The course of the game: boards, handicaps, moves, and what is agreed on, komi, rules, time limits."""

import json
from dataclasses import replace
from typing import Final

from foible.errors import MoveError, PositionError
from foible.games.go import Rules, fixed_handicap, handicap_compensation, handicap_start
from foible.interfaces.gtp.clock import Clock, TimeSettings
from foible.interfaces.gtp.game import Game, Stretch
from foible.interfaces.gtp.protocol import SYNTAX, Call, CommandError, vertex
from foible.interfaces.gtp.session import Action, Session

_MOST_STONES: Final = 9
"""That `place_free_handicap` places."""


def boardsize(session: Session, call: Call) -> str:
    session.begin(call.integer())
    return ""


def clear_board(session: Session, _: Call) -> str:
    session.begin(session.game.position.size)
    return ""


def play(session: Session, call: Call) -> str:
    colour, move = call.colour(), call.vertex()
    try:
        session.game = session.game.play(colour, move)
    except MoveError as error:
        session.log(str(error))
        raise CommandError("illegal move") from None
    return ""


def undo(session: Session, _: Call) -> str:
    game = session.game.undo()
    if game is None:
        raise CommandError("cannot undo")
    session.change_game(game)
    return ""


def fixed(session: Session, call: Call) -> str:
    number = call.integer()
    _check_empty(session)
    try:
        stones = fixed_handicap(session.game.position.size, number)
    except ValueError as error:
        session.log(str(error))
        raise CommandError("invalid number of stones") from None
    _give(session, stones)
    return " ".join(stones)


def place_free(session: Session, call: Call) -> str:
    """Where `fixed_handicap` puts them, and no more than that knows: fewer than asked for is allowed."""
    number, size = call.integer(), session.game.position.size
    _check_empty(session)
    for fewer in range(min(number, _MOST_STONES), 1, -1):
        try:
            stones = fixed_handicap(size, fewer)
        except ValueError:
            continue
        _give(session, stones)
        return " ".join(stones)
    raise CommandError("invalid number of stones")


def set_free(session: Session, call: Call) -> str:
    stones = [vertex(word) for word in call.rest()]
    if not stones:
        raise CommandError(SYNTAX)
    _check_empty(session)
    if not 2 <= len(stones) < session.game.position.size**2:
        raise CommandError("bad vertex list")
    try:
        _give(session, stones)
    except PositionError as error:
        session.log(str(error))
        raise CommandError("bad vertex list") from None
    return ""


def _check_empty(session: Session) -> None:
    if not session.game.is_empty:
        raise CommandError("board not empty")


def _give(session: Session, stones: list[str]) -> None:
    """Begin the game with a handicap."""
    game = session.game
    start = handicap_start(game.position.size, stones, komi=game.komi, rules=game.rules)
    session.change_game(Game((Stretch(start),), len(stones), handicap_compensation(game.rules, len(stones))))
    if not session.net.judges_margins:
        session.log(f"the net plays as for komi {game.komi:g}, whatever White gets for handicap stones")


MOVES: Final[dict[str, Action]] = {
    "boardsize": boardsize,
    "clear_board": clear_board,
    "fixed_handicap": fixed,
    "place_free_handicap": place_free,
    "set_free_handicap": set_free,
    "play": play,
    "undo": undo,
}


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


TERMS: Final[dict[str, Action]] = {
    "komi": komi,
    "kata-set-rules": set_rules,
    "kata-get-rules": get_rules,
    "time_settings": time_settings,
    "time_left": time_left,
}
