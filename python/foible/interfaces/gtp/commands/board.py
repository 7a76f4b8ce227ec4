"""The game as it stands: the board, the moves, the score."""

from typing import Final

from foible.games.go import COLUMNS, chains, score_text, turn_of
from foible.interfaces.gtp.call import Call
from foible.interfaces.gtp.protocol import SYNTAX, CommandError
from foible.interfaces.gtp.session import Action, Session


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
    return "\n".join(f"{colour} {move}" for colour, move in session.game.stretches[-1].moves[::-1])


def final_score(session: Session, _: Call) -> str:
    return score_text(session.game.position)


def final_status_list(session: Session, call: Call) -> str:
    """All stones on the board count as alive: what is dead has to be taken first (SAI, §8)."""
    status = call.word().lower()
    if status not in ("alive", "seki", "dead"):
        raise CommandError(SYNTAX)
    alive = chains(session.game.position) if status == "alive" else []
    return "\n".join(" ".join(chain) for _, chain in alive)


COMMANDS: Final[dict[str, Action]] = {
    "showboard": showboard,
    "all_legal": all_legal,
    "move_history": move_history,
    "final_score": final_score,
    "final_status_list": final_status_list,
}
