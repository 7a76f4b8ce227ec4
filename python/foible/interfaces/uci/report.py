"""The `info` lines of a search."""

from collections.abc import Sequence
from dataclasses import dataclass

from foible._core import ChessPosition, RootMove, RootSummary
from foible.interfaces.uci.options import Settings
from foible.interfaces.uci.tree import Tree
from foible.judges.units import lc0_cp
from foible.nets.mixture import Evaluated


@dataclass(frozen=True, slots=True)
class Report:
    """What a search has found so far."""

    summary: RootSummary
    moves: list[RootMove]
    """The moves that were to be searched, the best first."""
    lines: list[list[str]]
    """Their principal variations, of the first `MultiPV` moves that were visited; at least one."""

    @property
    def mate(self) -> int | None:
        """Moves to the mate that is proven for the best move; negative when we are mated."""
        return mate_in(self.moves[0])


def look(tree: Tree, settings: Settings, searchmoves: Sequence[str] = ()) -> Report:
    """Read off a tree whose root was evaluated."""
    summary = tree.grown.summary()
    moves = [move for move in summary.moves if not searchmoves or move.move in searchmoves]
    shown = [move for i, move in enumerate(moves[: settings.multipv]) if move.n > 0 or i == 0]
    return Report(summary, moves, [tree.grown.line(move.move) for move in shown])


def info_lines(report: Report, tree: Tree, settings: Settings, position: ChessPosition, seconds: float) -> list[str]:
    """One `info` line for each reported move."""
    n = report.summary.n
    visited = [move.move for move in report.moves if move.n > 0]
    seldepth = max((len(tree.grown.line(move)) for move in visited), default=1)
    used = tree.grown.size[2] / (settings.search.params.memory_mb << 20)
    draw_score = settings.search.params.draw_score * (1 if position.turn == "first" else -1)
    lines = []
    for number, (move, line) in enumerate(zip(report.moves, report.lines, strict=False), 1):
        q, d = (move.q, move.d) if move.n else (report.summary.q, report.summary.d)
        mate = mate_in(move)
        words = [
            f"info depth {len(line)} seldepth {max(seldepth, len(line))} time {seconds * 1000:.0f} nodes {n}",
            f"score mate {mate}" if mate is not None else f"score cp {centipawns(q)}",
        ]
        if settings.show_wdl:
            words.append("wdl {} {} {}".format(*permille(q - draw_score * d, d)))
        words += [
            f"nps {(n - tree.reused) / max(seconds, 1e-3):.0f} hashfull {min(1000, round(1000 * used))}",
            f"multipv {number} pv {' '.join(line)}",
        ]
        lines.append(" ".join(words))
    return lines


def experts_line(evaluated: Evaluated) -> str:
    """Which experts of a mixture were asked during a search."""
    return f"info string {evaluated.total} positions evaluated: {evaluated}"


def centipawns(q: float) -> int:
    """A value from −1 to 1 as GUIs show it: lc0's centipawns from 0.25 on."""
    return round(float(lc0_cp(max(-1.0, min(1.0, q)), "2020")))


def permille(wl: float, d: float) -> tuple[int, int, int]:
    """Win, draw and loss, in thousandths that sum to 1000, of win minus loss and the probability of a draw."""
    win = max(0, min(1000, round(500 * (1 + wl - d))))
    loss = max(0, min(1000 - win, round(500 * (1 - wl - d))))
    return win, 1000 - win - loss, loss


def mate_in(move: RootMove) -> int | None:
    """Moves to a proven mate after a root move: ours is positive. Proofs are as short as the search has seen."""
    if move.proven not in (1, -1):
        return None
    plies = round(move.m) + 1
    return move.proven * ((plies + 1) // 2)
