"""Commands about the course of the game: boards, handicaps, moves, terms (komi, rules, time limits) and SGF files."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Final

from sgfmill import sgf

import foible
from foible.errors import FoibleError, MoveError, PositionError
from foible.games.go import (
    Rules,
    coordinates,
    fixed_handicap,
    handicap_compensation,
    handicap_start,
    replayed,
    score_text,
    turn_of,
)
from foible.games.sgf import SgfGame, read_sgf, walk_sgf
from foible.games.sgf_writing import sgf_text
from foible.interfaces.gtp.game import GtpGame, Stretch
from foible.interfaces.gtp.protocol import SYNTAX, Call, CommandError, integer, vertex
from foible.interfaces.gtp.session import Action, ReportedClocks, Session, TimeSettings
from foible.runs.files import write_atomically

_MOST_STONES: Final = 9
"""The most stones that `place_free_handicap` places."""
_RULES: Final[dict[str, Rules]] = {
    "chinese": "chinese",
    "chinese-ogs": "chinese",
    "chinese-kgs": "chinese",
    "tromp-taylor": "tromp-taylor",
}
"""The rules, by KataGo's names. All score by area and forbid repetition by positional superko."""


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
    """Place handicap stones where `fixed_handicap` does. GTP allows fewer than asked for, where no more are defined."""
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
    session.change_game(GtpGame((Stretch(start),), len(stones), handicap_compensation(game.rules, len(stones))))
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


def komi(session: Session, call: Call) -> str:
    session.set_komi(call.number())
    return ""


def get_komi(session: Session, _: Call) -> str:
    return f"{session.game.komi:g}"


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
    """Set main time and byo-yomi time, in seconds, and byo-yomi stones. Without any time there is no limit."""
    main, period, stones = _seconds(call), _seconds(call), call.integer()
    session.clock = ReportedClocks(TimeSettings(main, period, stones))
    return ""


def kgs_time_settings(session: Session, call: Call) -> str:
    """Set the clock as KGS words it: `none`, `absolute MAIN`, `canadian MAIN PERIOD STONES`, or `byoyomi MAIN PERIOD
    PERIODS`.

    In byo-yomi every move has a period. That there are several is a reserve, which is not planned with; `time_left`
    tells how many, where it tells the stones of Canadian byo-yomi.
    """
    match call.word().lower():
        case "none":
            settings = TimeSettings()
        case "absolute":
            settings = TimeSettings(_seconds(call), 0, 0)
        case "canadian":
            settings = TimeSettings(_seconds(call), _seconds(call), call.integer())
        case "byoyomi":
            settings = TimeSettings(_seconds(call), _seconds(call), 1, counts_periods=True)
            call.integer()
        case _:
            raise CommandError(SYNTAX)
    session.clock = ReportedClocks(settings)
    return ""


def time_left(session: Session, call: Call) -> str:
    """Set a player's clock: colour, seconds left, and stones left in byo-yomi, 0 in main time."""
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
    "get_komi": get_komi,
    "kata-set-rules": set_rules,
    "kata-get-rules": get_rules,
    "time_settings": time_settings,
    "kgs-time_settings": kgs_time_settings,
    "time_left": time_left,
}


def loadsgf(session: Session, call: Call) -> str:
    """`FILE [MOVE]`: load the main line of the first game in the file, up to the position before that move."""
    words = [call.word(), *call.rest()]
    before = integer(words.pop()) if len(words) > 1 and words[-1].isdecimal() else None
    path = Path(" ".join(words))
    try:
        game = _load(path, before)
    except (FoibleError, OSError) as error:
        session.log(" ".join(str(error).split()))
        raise CommandError("cannot load file") from None
    if game.position.size != (session.net.size or game.position.size):
        session.log(f"{path}: the net plays on size {session.net.size} alone")
        raise CommandError("cannot load file")
    session.begin(game.position.size)
    if not session.net.judges_margins and game.komi != session.game.komi:
        session.log(f"{path}: komi {game.komi:g}; the net plays as for komi {session.game.komi:g}")
    session.change_game(game)
    return ""


def printsgf(session: Session, call: Call) -> str:
    """Write the game as SGF to the file that is named, else in the answer; with comments on our moves."""
    game = session.game
    first, *others = game.stretches
    record = SgfGame(
        first.position,
        result=_result(session),
        handicap=game.handicap,
        rules=game.rules_name,
        comment=f"foible {foible.__version__}, {session.net.evaluator.name}",
        comments=first.remarks if any(first.remarks) else (),
    )
    text = _continued(sgf_text(record), others)
    if not call.more:
        return text
    path = Path(" ".join(call.rest()))
    try:
        write_atomically(path, text)
    except OSError as error:
        session.log(f"{path}: {error.strerror}" if error.strerror else str(error))
        raise CommandError("cannot save file") from None
    return ""


def _result(session: Session) -> str:
    """The result of the game: the score after two passes, or our resignation; empty while it goes on."""
    position, thought = session.game.position, session.thought
    if position.outcome() is not None:
        return score_text(position)
    gave_up = thought is not None and thought.choice.move == "resign" and thought.position == position
    return ("W+R" if position.turn == "first" else "B+R") if gave_up else ""


def _continued(text: str, stretches: list[Stretch]) -> str:
    """An SGF record with the moves of further stretches added, each with its colour."""
    sheet = sgf.Sgf_game.from_string(text)
    node = sheet.get_last_node()
    for stretch in stretches:
        for (colour, move), remark in zip(stretch.moves, stretch.remarks, strict=True):
            node = node.new_child()
            node.set_move(colour[0], None if move == "pass" else coordinates(move, sheet.get_size())[::-1])
            if remark:
                node.set("C", remark)
    return str(sheet.serialise().decode())


def _load(path: Path, before: int | None) -> GtpGame:
    """Read a game up to a move, or to its end. Stones that are set up on the way begin the game anew.

    :raises GameFileError: the file is no game record that can be read.
    """
    record = next(read_sgf(path))
    komi = sgf.Sgf_game.from_string(sgf_text(record)).get_komi()
    game, moves = None, 0
    for node in walk_sgf(path):
        if game is None or (node.move is None and node.position != game.position):
            start = Stretch(replayed(node.position, []))
            game = GtpGame((start,), record.handicap, int(record.position.komi - komi), record.rules)
        if node.move is not None:
            moves += 1
            if before is not None and moves >= max(1, before):
                break
            game = game.play("white" if turn_of(node.position) == "black" else "black", node.move)
        if not node.variations:
            break
    assert game is not None
    return game


RECORDS: Final[dict[str, Action]] = {"loadsgf": loadsgf, "printsgf": printsgf}
