"""What the net says of the position at first sight."""

from typing import Final

from foible._core import GoPosition
from foible.errors import ConfigError
from foible.games.go import SYMMETRIES, turn_of, vertex_name
from foible.interfaces.gtp.call import Call, integer
from foible.interfaces.gtp.net import Sight, look
from foible.interfaces.gtp.protocol import SYNTAX, CommandError
from foible.interfaces.gtp.session import Action, Session
from foible.nets.go.evaluator import Symmetry

_MOST_KOMIS: Final = 1000
"""Lines of one answer."""


def heatmap(session: Session, call: Call) -> str:
    """By one symmetry, 0 when absent, by `all` one after the other, or their `average`."""
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
    black = look(session.net, session.game.at_move(turn_of(session.game.position))).black
    if black is None:
        raise ConfigError("the net knows no komi but its own")
    # Steps such as 0.1 are not exact; the end that they lead to belongs to the range all the same.
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


COMMANDS: Final[dict[str, Action]] = {"heatmap": heatmap, "foible-komi_range": komi_range}
