"""The game as it was: boards, moves, files."""

from pathlib import Path
from typing import Final

import foible
from foible._core import GoPosition
from foible.errors import FoibleError
from foible.files import write_atomically
from foible.games.go import COLUMNS, Colour, score_text, turn_of
from foible.games.sgf import SgfGame, read_sgf, sgf_text, walk_sgf
from foible.interfaces.gtp.call import Call, integer
from foible.interfaces.gtp.commands.action import Action
from foible.interfaces.gtp.game import Game, Stretch
from foible.interfaces.gtp.protocol import CommandError
from foible.interfaces.gtp.session import Session


def showboard(session: Session, _: Call) -> str:
    game, position = session.game, session.game.position
    columns = "   " + " ".join(COLUMNS[: position.size])
    rows = [
        f"{number:2} {' '.join(row)} {number}"
        for number, row in zip(range(position.size, 0, -1), position.board.split("\n"), strict=True)
    ]
    last = f", last move {position.moves[-1]}" if position.moves else ""
    extra = f", handicap {game.handicap}" if game.handicap else ""
    state = f"{turn_of(position)} to move, move {game.plies + 1}{last}, komi {game.komi:g}{extra}"
    return "\n" + "\n".join([columns, *rows, columns, state])


def all_legal(session: Session, call: Call) -> str:
    """The points where a side may play, the one to move when it is not said."""
    colour = call.colour() if call.more else turn_of(session.game.position)
    return " ".join(move for move in session.game.at_move(colour).legal_moves if move != "pass")


def move_history(session: Session, _: Call) -> str:
    """The latest move first, back to where the game began anew."""
    position = session.game.position
    return "\n".join(f"{colour} {move}" for colour, move in _coloured(position)[::-1])


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
    last = game.stretches[-1]
    record = SgfGame(
        last.position,
        result=_result(session),
        handicap=game.handicap if len(game.stretches) == 1 else 0,
        comment=f"foible {foible.__version__}, {session.net.evaluator.name}",
        comments=last.remarks if any(last.remarks) else (),
    )
    text = sgf_text(record)
    if not call.more:
        return text
    write_atomically(Path(" ".join(call.rest())), text)
    return ""


def _result(session: Session) -> str:
    """The score after two passes, or that we gave up; empty in a game under way."""
    position, thought = session.game.position, session.thought
    if position.outcome() is not None:
        return score_text(position)
    gave_up = thought is not None and thought.choice.move == "resign" and thought.position == position
    return ("W+R" if position.turn == "first" else "B+R") if gave_up else ""


def _coloured(position: GoPosition) -> list[tuple[Colour, str]]:
    colours: tuple[Colour, Colour] = ("black", "white") if position.first_mover == "black" else ("white", "black")
    return [(colours[ply % 2], move) for ply, move in enumerate(position.moves)]


def _load(path: Path, before: int | None) -> Game:
    """:raises GameFileError: not a file that can be read."""
    record = read_sgf(path)[0]
    position, moves = record.position, 0
    if before is not None:
        for node in walk_sgf(path):
            moves += node.move is not None
            if moves >= max(1, before):
                break
            position = node.position
            if not node.variations:
                break
    return Game((Stretch(position, ("",) * position.ply),), record.handicap)


COMMANDS: Final[dict[str, Action]] = {
    "showboard": showboard,
    "all_legal": all_legal,
    "move_history": move_history,
    "loadsgf": loadsgf,
    "printsgf": printsgf,
}
