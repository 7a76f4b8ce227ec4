"""Commands that show the position: the board, the moves, the score, and the net's evaluation without a search."""

from typing import Final

from foible._core import GoPosition
from foible.errors import ConfigError
from foible.games.go import COLUMNS, SYMMETRIES, chains, score_text, turn_of, vertex_name
from foible.interfaces.gtp.protocol import SYNTAX, Call, CommandError, integer
from foible.interfaces.gtp.session import Action, Session
from foible.interfaces.gtp.tree import Sight, look
from foible.nets.go.evaluator import Symmetry


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
    """The points where a side may play; without an argument, the side to move."""
    colour = call.colour() if call.more else turn_of(session.game.position)
    return " ".join(move for move in session.game.at_move(colour).legal_moves if move != "pass")


def move_history(session: Session, _: Call) -> str:
    """The moves with their colours, the latest first, back to where the current stretch of the game began."""
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


BOARD: Final[dict[str, Action]] = {
    "showboard": showboard,
    "all_legal": all_legal,
    "move_history": move_history,
    "final_score": final_score,
    "final_status_list": final_status_list,
}


_MOST_KOMIS: Final = 1000
"""The most komis, a line each, in one answer."""


def heatmap(session: Session, call: Call) -> str:
    """The net's policy through one symmetry, by number (0 when absent), `all` of them in turn, or their `average`."""
    word = call.word().lower() if call.more else "0"
    symmetries: list[Symmetry] = ["average"] if word == "average" else list(SYMMETRIES)
    if word not in ("all", "average"):
        symmetries = [integer(word)]
        if symmetries[0] not in SYMMETRIES:
            raise CommandError(SYNTAX)
    position = session.game.at_move(turn_of(session.game.position))
    return "\n" + "\n".join(_heatmap(session, position, symmetry) for symmetry in symmetries)


def komi_range(session: Session, call: Call) -> str:
    """`FROM TO [STEP]`: Black's winrate by the net at each agreed komi, steps of 1 when absent."""
    start, end, step = call.number(), call.number(), call.number() if call.more else 1.0
    if step <= 0 or end < start or (end - start) / step >= _MOST_KOMIS:
        raise CommandError(SYNTAX)
    black = look(session.net, session.game.at_move(turn_of(session.game.position)), "average").black
    if black is None:
        raise ConfigError("the net knows no komi but its own")
    # Steps such as 0.1 are not exact in binary; the end of the range is included all the same.
    komis = [round(start + i * step, 9) + 0.0 for i in range(int((end - start) / step + 1e-9) + 1)]
    return "\n".join(f"{komi:g} {float(black.winrate(session.game.komi - komi)):.4f}" for komi in komis)


def _heatmap(session: Session, position: GoPosition, symmetry: Symmetry) -> str:
    """Priors in thousandths, rows from the top, and what else the net says of the side to move."""
    sight = look(session.net, position, symmetry)
    size = position.size
    rows = [
        " ".join(f"{round(1000 * sight.priors.get(vertex_name(x, y), 0)):3}" for x in range(size))
        for y in reversed(range(size))
    ]
    return "\n".join([f"symmetry: {symmetry}", *rows, *_judgement(session, position, sight)])


def _judgement(session: Session, position: GoPosition, sight: Sight) -> list[str]:
    lines = [f"pass: {round(1000 * sight.priors['pass'])}", f"winrate: {sight.winrate:.4f}"]
    if sight.black is not None:
        first = position.turn == "first"
        sign, margin, beta = 1 if first else -1, float(sight.black.margin), float(sight.black.beta)
        start, end = session.settings.bonuses()[0].interval(margin, beta, black_to_move=first)
        lines += [
            f"alpha: {sign * (margin + position.komi):.3f}",
            f"beta: {beta:.4f}",
            f"interval: {sign * start + 0.0:.3f} {sign * end + 0.0:.3f}",
        ]
    return lines


NET: Final[dict[str, Action]] = {"heatmap": heatmap, "foible-komi_range": komi_range}
