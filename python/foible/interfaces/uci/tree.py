"""The net and the search tree, which are kept from move to move, and the `info` lines about the tree."""

from collections.abc import Sequence
from dataclasses import dataclass

from foible._core import ChessPosition, RootMove, RootSummary
from foible.errors import FoibleError
from foible.interfaces.standard_output import described
from foible.interfaces.uci.game import UciGame
from foible.interfaces.uci.options import Settings
from foible.interfaces.uci.protocol import Send
from foible.interfaces.uci.strength import open_human
from foible.judges.units import lc0_cp
from foible.nets import Evaluator, open_net
from foible.nets.choices import MATERIAL
from foible.nets.mixture import PhaseCounts
from foible.search.game_tree import GameTree
from foible.search.trees import Trees


@dataclass(frozen=True, slots=True)
class Tree:
    """The tree of one position."""

    grown: GameTree
    evaluator: Evaluator
    reused: int
    """Visits kept from the search before."""


class EngineTrees:
    """Opens the net when it is needed, and keeps the tree from move to move. Used by one thread at a time."""

    def __init__(self, send: Send, announce: Send) -> None:
        """`send`: told of problems. `announce`: told which net was opened."""
        self._send, self._announce = send, announce
        self._evaluator: tuple[object, Evaluator] | None = None
        self._net: Evaluator | None = None
        """The last net of option `Net` that could be opened."""
        self._trees: tuple[object, Trees] | None = None
        self._planted: GameTree | None = None

    def forget(self) -> None:
        """Drop the tree, as a new game begins. Cached evaluations are kept: search results do not depend on them."""
        if self._planted is not None:
            self._planted.remove()
        self._planted = None

    def forget_all(self) -> None:
        """Drop the tree and all evaluations, which cannot be trusted after a panic of the Rust core."""
        self._trees = self._planted = None

    def evaluator(self, settings: Settings) -> Evaluator:
        """The net that the settings name. Where it cannot be opened, the last net goes on and the GUI is told.

        Where no net was open before, the built-in evaluator plays instead.
        """
        strength = settings.elo if settings.limit_strength else None
        key = (settings.net, strength, settings.backend, settings.precision, settings.threads)
        if self._evaluator is None or self._evaluator[0] != key:
            self._trees = self._planted = None
            self._evaluator = (key, self._open(settings))
        return self._evaluator[1]

    def _open(self, settings: Settings) -> Evaluator:
        runtime, precision, threads = settings.backend, settings.precision, settings.threads
        if settings.limit_strength:
            return open_human(settings.elo, self._announce, runtime=runtime, precision=precision, threads=threads)
        try:
            evaluator = open_net(settings.net, runtime=runtime, precision=precision, threads=threads)
        except FoibleError as error:
            stays = "the built-in evaluator plays instead" if self._net is None else f"{self._net.name} goes on"
            self._send(f"info string {described(error)}; {stays}")
            return self._net or open_net(MATERIAL)
        self._net = evaluator
        self._announce(f"info string net: {evaluator.name}")
        return evaluator

    def at(self, game: UciGame, settings: Settings, searchmoves: Sequence[str] = ()) -> Tree:
        """The tree of a position that has legal moves, with the visits that earlier searches made below it.

        `searchmoves`: the only moves to search; such a tree begins anew and is not kept.
        """
        # GUIs set all options in any order, those of what is off among them.
        evaluator, params = self.evaluator(settings), settings.search.params.without_unread()
        if searchmoves:
            self.forget()
            return Tree(Trees([evaluator], params).plant(game.position, params.seed, only=searchmoves), evaluator, 0)
        trees = self._trees_of(settings)
        if self._planted is None or not self._planted.follow(game.position):
            self.forget()
            self._planted = trees.plant(game.position, params.seed)
        return Tree(self._planted, evaluator, self._planted.summary().n)

    def _trees_of(self, settings: Settings) -> Trees:
        params = settings.search.params.without_unread()
        key = (params, settings.limit_strength)
        if self._trees is None or self._trees[0] != key:
            self._trees, self._planted = (key, Trees([self.evaluator(settings)], params)), None
        return self._trees[1]


@dataclass(frozen=True, slots=True)
class SearchReport:
    """What a search has found so far."""

    summary: RootSummary
    moves: list[RootMove]
    """The moves that were to be searched, the best first."""
    lines: list[tuple[RootMove, list[str]]]
    """The first `MultiPV` moves that were visited, each with its principal variation; the best move in any case."""

    @property
    def mate(self) -> int | None:
        """Moves to the mate that is proven for the best move; negative when we are mated."""
        return mate_in(self.moves[0])


def look(tree: Tree, settings: Settings, searchmoves: Sequence[str] = ()) -> SearchReport:
    """What a tree has found so far, once its root has been evaluated."""
    summary = tree.grown.summary()
    moves = [move for move in summary.moves if not searchmoves or move.move in searchmoves]
    # Moves that are known to lose stand last, also below moves without visits.
    shown = [move for i, move in enumerate(moves) if move.n > 0 or i == 0][: settings.multipv]
    return SearchReport(summary, moves, [(move, tree.grown.line(move.move)) for move in shown])


def info_lines(
    report: SearchReport, tree: Tree, settings: Settings, position: ChessPosition, seconds: float
) -> list[str]:
    """One `info` line for each reported move."""
    n = report.summary.n
    visited = [move.move for move in report.moves if move.n > 0]
    seldepth = max((len(tree.grown.line(move)) for move in visited), default=1)
    used = tree.grown.size[2] / (settings.search.params.memory_mb << 20)
    draw_score = settings.search.params.draw_score * (1 if position.turn == "first" else -1)
    lines = []
    for number, (move, line) in enumerate(report.lines, 1):
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


def experts_line(evaluated: PhaseCounts) -> str:
    """The `info` line that tells which experts of a mixture were asked during a search."""
    return f"info string {evaluated.total} positions evaluated: {evaluated}"


def centipawns(q: float) -> int:
    """Centipawns, as GUIs show them, from a value of −1 to 1: by the formula of lc0 since its version 0.25."""
    return round(float(lc0_cp(max(-1.0, min(1.0, q)), "2020")))


def permille(wl: float, d: float) -> tuple[int, int, int]:
    """Win, draw and loss, in thousandths that sum to 1000, of win minus loss and the probability of a draw."""
    win = max(0, min(1000, round(500 * (1 + wl - d))))
    loss = max(0, min(1000 - win, round(500 * (1 - wl - d))))
    return win, 1000 - win - loss, loss


def mate_in(move: RootMove) -> int | None:
    """Moves to the proven mate after a root move, positive where we mate: the shortest one that the search has seen."""
    if move.proven not in (1, -1):
        return None
    plies = round(move.m) + 1
    return move.proven * ((plies + 1) // 2)
