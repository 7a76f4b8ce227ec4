"""The lines of a preparation as PGN: one game each, with comments and the replies as variations."""

from collections.abc import Iterator

import chess
import chess.pgn

from foible.analysis.prep.lines import Line, Reply
from foible.analysis.prep.report import FAIR_PLAY, Preparation

MISTAKE, BLUNDER = 0.05, 0.10
"""Losses of win probability from which a move gets `?` and `??`."""

COLUMNS = 100


def prep_pgn(report: Preparation) -> Iterator[str]:
    """The games, each with the blank line that ends it."""
    for side in report.sides:
        for number, line in enumerate(side.lines, 1):
            exporter = chess.pgn.StringExporter(columns=COLUMNS)
            yield f"{_game(report, line, number).accept(exporter)}\n\n"


def _game(report: Preparation, line: Line, number: int) -> chess.pgn.Game:
    game = chess.pgn.Game()
    white, black = ("we", report.player) if line.white else (report.player, "we")
    game.headers.update(
        {"Event": f"Preparation against {report.player}", "Round": str(number), "White": white, "Black": black}
    )
    game.headers["Annotator"] = f"foible, judge {report.judge}"
    game.comment = FAIR_PLAY
    node: chess.pgn.GameNode = game
    for move, loss in zip(line.moves, line.losses, strict=True):
        ours = node.turn() == (chess.WHITE if line.white else chess.BLACK)
        node = node.add_main_variation(chess.Move.from_uci(move))
        if loss is not None and not ours:
            _mark(node, loss)
    node.comment = summary(line)
    for reply in line.replies:
        _add_reply(node, line, reply)
    if line.strongest and line.strongest not in line.replies:
        _add_reply(node, line, line.strongest)
    return game


def summary(line: Line) -> str:
    """What is known of the last move of a line, in words."""
    found = line.measures
    return (
        f"surplus {found.surplus:+.3f}, E {found.expected:.3f} (80 %: {found.low:.3f} to {found.high:.3f}), "
        f"along the known lines {found.along:.3f}, V {found.worth:.3f}, "
        f"price {found.price:.3f}, trappiness {found.trappiness:.3f}, trap probability {found.trap_probability:.0%}; "
        f"{line.games} games came here, reached in {line.reach:.1%} if we play for it"
    )


def _add_reply(node: chess.pgn.GameNode, line: Line, reply: Reply) -> None:
    """The likeliest becomes the main line, the others variations."""
    found = node.add_variation(chess.Move.from_uci(reply.move))
    strongest = "; the strongest reply" if reply == line.strongest else ""
    played = f", played {reply.games} times" if reply.games else ", never played"
    found.comment = f"{reply.p:.0%}{played}; then {reply.worth:.3f} for us{strongest}"
    _mark(found, max(0.0, reply.worth - line.measures.worth))


def _mark(node: chess.pgn.GameNode, loss: float) -> None:
    if loss >= MISTAKE:
        node.nags.add(chess.pgn.NAG_BLUNDER if loss >= BLUNDER else chess.pgn.NAG_MISTAKE)
