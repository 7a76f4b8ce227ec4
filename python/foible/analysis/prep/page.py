"""A preparation as one HTML file with a board for every line; it needs nothing beside it."""

import chess
import chess.svg
from jinja2 import Environment, PackageLoader, StrictUndefined

from foible.analysis.explain import arrow
from foible.analysis.prep.lines import Line
from foible.analysis.prep.pgn import BLUNDER, MISTAKE
from foible.analysis.prep.report import FAIR_PLAY, Preparation
from foible.games.chess import to_board

BOARD_SIZE = 300
ERROR_COLOR, STRONGEST_COLOR = "#c33c", "#383c"


def prep_page(report: Preparation) -> str:
    """The page, complete."""
    environment = Environment(
        loader=PackageLoader("foible.analysis.prep"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["percent"] = lambda value: "–" if value is None else f"{100 * value:.1f} %"
    environment.filters["number"] = lambda value, digits=3: "–" if value is None else f"{value:.{digits}f}"
    template = environment.get_template("prep.html")
    return template.render(report=report, note=FAIR_PLAY, board=board_picture, moves=_marked_moves)


def board_picture(line: Line) -> str:
    """The position after our move as SVG, our side below.

    A green arrow is the strongest reply, a red one the likeliest reply that is a mistake.
    """
    arrows = []
    if line.strongest:
        arrows.append(arrow(line.strongest.move, STRONGEST_COLOR))
    if mistake := next((reply for reply in line.replies if reply.worth - line.measures.worth >= MISTAKE), None):
        arrows.append(arrow(mistake.move, ERROR_COLOR))
    board = to_board(line.position)
    picture = chess.svg.board(
        board,
        orientation=chess.WHITE if line.white else chess.BLACK,
        lastmove=board.peek(),
        arrows=arrows,
        size=BOARD_SIZE,
    )
    return str(picture)


def _marked_moves(line: Line) -> list[tuple[str, str]]:
    """Each move as written, and `mistake` or `blunder` where the player went wrong."""
    found = []
    for ply, (san, loss) in enumerate(zip(line.san, line.losses, strict=True)):
        text = f"{ply // 2 + 1}.{san}" if ply % 2 == 0 else san
        theirs = (ply % 2 == 0) != line.white
        kind = "" if loss is None or not theirs or loss < MISTAKE else "blunder" if loss >= BLUNDER else "mistake"
        found.append((text + {"": "", "mistake": "?", "blunder": "??"}[kind], kind))
    return found
