"""A preparation as files: PGN, with one game for each line, commented, and the replies as variations; and one
self-contained HTML page with a board for every line.
"""

from collections.abc import Iterator
from typing import Final

import chess
import chess.pgn
import chess.svg

from foible.analysis.explain import arrow
from foible.analysis.prep.known_lines import KnownLine, KnownReply
from foible.analysis.prep.preparation import FAIR_PLAY, Preparation
from foible.analysis.report_page import page_template
from foible.games.chess import to_board
from foible.games.pgn import NAGS, score_sheet, tag_value
from foible.wording import mark, percent, signed

COLUMNS = 100


def prep_pgn(report: Preparation) -> Iterator[str]:
    """The lines as PGN games, each with its final blank line."""
    for side in report.sides:
        for number, line in enumerate(side.lines, 1):
            exporter = chess.pgn.StringExporter(columns=COLUMNS)
            yield f"{_game(report, line, number).accept(exporter)}\n\n"


def _game(report: Preparation, line: KnownLine, number: int) -> chess.pgn.Game:
    game = chess.pgn.Game()
    white, black = ("we", report.player) if line.white else (report.player, "we")
    tags = {
        "Event": f"Preparation against {report.player}",
        "Round": str(number),
        "White": white,
        "Black": black,
        "Annotator": f"foible, judge {report.judge}",
    }
    game.headers.update({name: tag_value(value) for name, value in tags.items()})
    game.comment = FAIR_PLAY
    node: chess.pgn.GameNode = game
    for move, loss in zip(line.moves, line.losses, strict=True):
        ours = node.turn() == (chess.WHITE if line.white else chess.BLACK)
        node = node.add_main_variation(chess.Move.from_uci(move))
        if not ours:
            _mark(node, loss)
    node.comment = summary(line)
    for reply in line.replies:
        _add_reply(node, line, reply)
    if line.strongest and line.strongest not in line.replies:
        _add_reply(node, line, line.strongest)
    return game


def summary(line: KnownLine) -> str:
    """The measures of a line's last move, in words."""
    found = line.measures
    return (
        f"surplus {signed(100 * found.surplus)} %, E {percent(found.expected)} "
        f"(80 %: {100 * found.low:.1f} to {percent(found.high)}), "
        f"along the known lines {percent(found.along)}, V {percent(found.safe)}, "
        f"price {percent(found.price)}, trappiness {percent(found.trappiness)}, "
        f"trap probability {percent(found.trap_probability, digits=0)}; "
        f"{line.games} games came here, reached in {percent(line.reach)} if we play for it"
    )


def _add_reply(node: chess.pgn.GameNode, line: KnownLine, reply: KnownReply) -> None:
    """Add a reply: the first one added, the likeliest, becomes the main line, and later ones become variations."""
    found = node.add_variation(chess.Move.from_uci(reply.move))
    strongest = "; the strongest reply" if reply == line.strongest else ""
    times = "once" if reply.games == 1 else f"{reply.games} times"
    played = f", played {times}" if reply.games else ", never played"
    found.comment = f"{percent(reply.p, digits=0)}{played}; then {percent(reply.value)} for us{strongest}"
    _mark(found, reply.loss)


def _mark(node: chess.pgn.GameNode, loss: float | None) -> None:
    if sign := mark(loss or 0.0):
        node.nags.add(NAGS[sign])


BOARD_SIZE = 300
ERROR_COLOR, STRONGEST_COLOR = "#c33c", "#383c"


def prep_page(report: Preparation) -> str:
    """The complete HTML page."""
    template = page_template("prep.html")
    return template.render(report=report, note=FAIR_PLAY, board=board_picture, moves=_marked_moves)


def board_picture(line: KnownLine) -> str:
    """The position after our move as SVG, our side below.

    A green arrow is the strongest reply, a red one the likeliest reply that is a mistake.
    """
    arrows = []
    if line.strongest:
        arrows.append(arrow(line.strongest.move, STRONGEST_COLOR))
    if line.mistake:
        arrows.append(arrow(line.mistake.move, ERROR_COLOR))
    board = to_board(line.position)
    picture = chess.svg.board(
        board,
        orientation=chess.WHITE if line.white else chess.BLACK,
        lastmove=board.peek(),
        arrows=arrows,
        size=BOARD_SIZE,
    )
    return str(picture)


_KINDS: Final = {"": "", "?!": "mistake", "?": "mistake", "??": "blunder"}
"""The kind of a move, by which the page colours it, by its mark."""


def _marked_moves(line: KnownLine) -> list[tuple[str, str]]:
    """Each move as text, and its kind: `mistake` or `blunder` for the player's errors, otherwise empty."""
    found = []
    for ply, (text, loss) in enumerate(zip(score_sheet(line.san), line.losses, strict=True)):
        theirs = (ply % 2 == 0) != line.white
        sign = mark(loss or 0.0) if theirs else ""
        found.append((text + sign, _KINDS[sign]))
    return found
