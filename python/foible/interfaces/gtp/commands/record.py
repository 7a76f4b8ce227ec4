"""Game records as files."""

from pathlib import Path
from typing import Final

from sgfmill import sgf

import foible
from foible.errors import FoibleError
from foible.games.go import coordinates, replayed, score_text, turn_of
from foible.games.sgf import SgfGame, read_sgf, sgf_text, walk_sgf
from foible.interfaces.gtp.game import Game, Stretch
from foible.interfaces.gtp.protocol import Call, CommandError, integer
from foible.interfaces.gtp.session import Action, Session
from foible.runs.files import write_atomically


def loadsgf(session: Session, call: Call) -> str:
    """`FILE [MOVE]`: the first game's first line, up to the position before that move."""
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
    """To a file where one is named. What we thought about our moves stands in their comments."""
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
    """The score after two passes, or that we gave up; empty in a game under way."""
    position, thought = session.game.position, session.thought
    if position.outcome() is not None:
        return score_text(position)
    gave_up = thought is not None and thought.choice.move == "resign" and thought.position == position
    return ("W+R" if position.turn == "first" else "B+R") if gave_up else ""


def _continued(text: str, stretches: list[Stretch]) -> str:
    """A record with more moves, each by whoever made it."""
    sheet = sgf.Sgf_game.from_string(text)
    node = sheet.get_last_node()
    for stretch in stretches:
        for (colour, move), remark in zip(stretch.moves, stretch.remarks, strict=True):
            node = node.new_child()
            node.set_move(colour[0], None if move == "pass" else coordinates(move, sheet.get_size())[::-1])
            if remark:
                node.set("C", remark)
    return str(sheet.serialise().decode())


def _load(path: Path, before: int | None) -> Game:
    """The game up to a move, or to its end. What is set up on the way begins it anew.

    :raises GameFileError: not a file that can be read.
    """
    record = read_sgf(path)[0]
    komi = sgf.Sgf_game.from_string(sgf_text(record)).get_komi()
    game, moves = None, 0
    for node in walk_sgf(path):
        if game is None or (node.move is None and node.position != game.position):
            start = Stretch(replayed(node.position, []))
            game = Game((start,), record.handicap, int(record.position.komi - komi), record.rules)
        if node.move is not None:
            moves += 1
            if before is not None and moves >= max(1, before):
                break
            game = game.play("white" if turn_of(node.position) == "black" else "black", node.move)
        if not node.variations:
            break
    assert game is not None
    return game


COMMANDS: Final[dict[str, Action]] = {"loadsgf": loadsgf, "printsgf": printsgf}
