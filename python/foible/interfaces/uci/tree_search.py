"""Thinking with a tree: one thread grows it, another watches the limits, reports, and answers."""

import threading
import time
from typing import Final

from foible._core import ChessPosition
from foible.errors import MemoryLimitError
from foible.interfaces.standard_output import described
from foible.interfaces.uci.go_command import Call
from foible.interfaces.uci.protocol import Send
from foible.interfaces.uci.tree import EngineTrees, SearchReport, Tree, experts_line, info_lines, look
from foible.loop import wait
from foible.nets.mixture import PhaseMixture
from foible.search.trees import UNLIMITED

_REPORT_SECONDS: Final = 0.5
_LOOK_SECONDS: Final = 0.02
"""Seconds between two checks of the limits that depend on what the search has found, such as a mate."""


class TreeSearch:
    """The search for one call."""

    def __init__(self, call: Call, trees: EngineTrees, send: Send, seed: int) -> None:
        self._call, self._task = call, call.task
        self._trees, self._send, self._seed = trees, send, seed
        self._evaluated = self._grown = False
        """Whether the root has been evaluated, and whether the tree has stopped growing."""
        self._failure: BaseException | None = None
        self._grower: threading.Thread | None = None

    def think(self) -> tuple[str | None, str | None]:
        tree = self._trees.at(self._task.game, self._task.settings, self._task.searchmoves)
        net = tree.evaluator
        before = net.evaluated if isinstance(net, PhaseMixture) else None
        self._grower = threading.Thread(target=self._grow, args=(tree,), name="grow", daemon=True)
        self._grower.start()
        answer = self._watch(tree)
        if before is not None and isinstance(net, PhaseMixture):
            self._send(experts_line(net.evaluated - before))
        return answer

    def rest(self) -> None:
        if self._grower is not None:
            self._grower.join()

    def _grow(self, tree: Tree) -> None:
        """Evaluate the root, so that there is a move to answer with, then search on until told to stop."""
        try:
            if not tree.reused:
                wait(tree.grown.grow(1))
            self._evaluated = True
            self._call.notify()
            wait(tree.grown.grow(self._visits(), stop=lambda: self._call.stopped))
        except BaseException as error:  # for the other thread to report
            self._failure = error
            if not isinstance(error, Exception):
                self._trees.forget_all()
        self._grown = True
        self._call.notify()

    def _visits(self) -> int:
        if self._task.settings.limit_strength:
            return 1
        return self._task.max_nodes or UNLIMITED

    def _watch(self, tree: Tree) -> tuple[str | None, str | None]:
        """Report until a limit is reached; returns the move and the expected reply, as `think` does."""
        self._call.wait(lambda: self._evaluated or self._grown)
        task = self._task
        next_report = task.started + _REPORT_SECONDS
        while self._evaluated and not self._over(tree):
            self._complain()
            if time.monotonic() >= next_report and not self._grown:
                self._report(tree, look(tree, task.settings, task.searchmoves))
                next_report = time.monotonic() + _REPORT_SECONDS
            self._sleep(next_report)
        self._complain()
        if not self._evaluated:
            return None, None
        report = look(tree, task.settings, task.searchmoves)
        self._report(tree, report)
        best, line = report.moves[0].move, report.lines[0][1]
        if (move := self._choose(tree, report)) != best:
            self._send(f"info string {move} was drawn by temperature; {best} is best")
            line = tree.grown.line(move)
        return move, line[1] if len(line) > 1 else None

    def _over(self, tree: Tree) -> bool:
        if self._call.due():
            return True
        if self._call.endless:
            return False
        if self._grown:
            return True
        return self._looks and self._found(look(tree, self._task.settings, self._task.searchmoves))

    @property
    def _looks(self) -> bool:
        """Whether what the search finds, such as a mate, may end it."""
        go = self._task.go
        return not self._call.endless and (go.depth is not None or go.mate is not None or self._on_clock)

    @property
    def _on_clock(self) -> bool:
        return self._call.deadline is not None and self._task.go.movetime is None

    def _found(self, report: SearchReport) -> bool:
        go, mate = self._task.go, report.mate
        if go.mate is not None and mate is not None and 0 < mate <= go.mate:
            return True
        if go.depth is not None and (mate is not None or _deep(self._task.position, report.lines[0][1], go.depth)):
            return True
        # On the clock, thinking on is useless where there is only one move or a mate has been found.
        return self._on_clock and (len(report.moves) == 1 or (mate is not None and mate > 0))

    def _sleep(self, next_report: float) -> None:
        """Sleep until the next report, limit or message."""
        seconds = min(next_report, self._call.deadline or next_report) - time.monotonic()
        if self._grown:
            seconds = _REPORT_SECONDS
        elif self._looks:
            seconds = min(seconds, _LOOK_SECONDS)
        self._call.sleep(seconds, unless=lambda: self._grown and not self._call.endless)

    def _report(self, tree: Tree, report: SearchReport) -> None:
        seconds = time.monotonic() - self._task.started
        for line in info_lines(report, tree, self._task.settings, self._task.position, seconds):
            self._send(line)

    def _choose(self, tree: Tree, report: SearchReport) -> str:
        best = report.moves[0].move
        choice = self._task.settings.search.choice
        if choice.temperature_at(self._task.position.ply) == 0:
            return best
        move = tree.grown.choose(choice, self._seed)
        return move if move is not None and any(move == m.move for m in report.moves) else best

    def _complain(self) -> None:
        error, self._failure = self._failure, None
        if error is not None:
            hint = " (option Hash)" if isinstance(error, MemoryLimitError) else ""
            self._send(f"info string the search ends with the best move so far: {described(error)}{hint}")


def _deep(position: ChessPosition, line: list[str], depth: int) -> bool:
    """Whether a line has `depth` plies, or cannot get longer because the game ends with it."""
    if len(line) >= depth:
        return True
    for move in line:
        position = position.play(move)
    return position.outcome() is not None or position.repetitions > 0 or position.halfmove_clock >= 100
