"""One `go`: a thread grows the tree, another watches the limits, reports, and answers."""

import random
import threading
import time
from dataclasses import dataclass
from typing import Final

from foible._core import ChessPosition
from foible.errors import MemoryLimitError
from foible.interfaces.uci.clock import seconds_for
from foible.interfaces.uci.game import Game
from foible.interfaces.uci.options import Settings
from foible.interfaces.uci.protocol import Go, Send, described
from foible.interfaces.uci.report import Report, info_lines, look
from foible.interfaces.uci.tree import Tree, Trees
from foible.search.driver import run

_REPORT_SECONDS: Final = 0.5
_LOOK_SECONDS: Final = 0.02
"""How often limits that depend on what was found are looked at."""
_ENDLESS: Final = 4_000_000_000
"""Visits that no search reaches; they are counted in 32 bits."""


@dataclass(frozen=True, slots=True)
class Task:
    """What is to be searched, and how."""

    game: Game
    go: Go
    settings: Settings
    started: float
    """When `go` was read, by the monotonic clock."""
    searchmoves: tuple[str, ...]
    """The legal ones of `go searchmoves`, as the position names them; empty: all."""

    @property
    def position(self) -> ChessPosition:
        return self.game.position

    def deadline(self, now: float) -> float | None:
        """When the answer is due if the clock runs from `now` on."""
        white = self.position.turn == "first"
        seconds = seconds_for(self.go, white=white, overhead=self.settings.move_overhead)
        return None if seconds is None else now + seconds


class Search:
    """A search under way. It always ends in one `bestmove`, whatever fails."""

    def __init__(self, task: Task, trees: Trees, send: Send, rng: random.Random) -> None:
        self._task, self._trees, self._send = task, trees, send
        self._seed = rng.getrandbits(64)
        self._changed = threading.Condition()
        self._stopped = False
        self._pondering = task.go.ponder
        self._deadline = None if task.go.ponder else task.deadline(task.started)
        self._evaluated = self._grown = False
        """The root has been evaluated; the tree grows no more."""
        self._failure: Exception | None = None
        self._thread = threading.Thread(target=self._answer, name="search", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Answer now."""
        with self._changed:
            self._stopped = True
            self._changed.notify_all()

    def ponderhit(self) -> None:
        """The expected move was played: from now on the clock counts."""
        with self._changed:
            if self._pondering:
                self._pondering = False
                self._deadline = self._task.deadline(time.monotonic())
                self._changed.notify_all()

    def wait(self) -> None:
        """Until the answer is out and the tree at rest."""
        self._thread.join()

    @property
    def running(self) -> bool:
        return self._thread.is_alive()

    def _answer(self) -> None:
        grower = None
        move = reply = None
        try:
            if self._task.position.legal_moves:
                tree = self._trees.at(self._task.game, self._task.settings, self._task.searchmoves)
                grower = threading.Thread(target=self._grow, args=(tree,), name="grow", daemon=True)
                grower.start()
                move, reply = self._watch(tree)
            else:
                self._send(f"info depth 0 score {'mate' if self._task.position.is_check else 'cp'} 0")
                self._wait_until_asked()
        except Exception as error:  # a GUI that gets no answer waits for ever
            self._failure = error
            self._complain()
            self._wait_until_asked()
        legal = self._task.searchmoves or self._task.position.legal_moves
        move = move or next(iter(legal), "(none)")
        self._send(f"bestmove {move}" + f" ponder {reply}" * (reply is not None))
        self.stop()
        if grower is not None:
            grower.join()

    def _grow(self, tree: Tree) -> None:
        """Evaluate the root, so that there is a move to answer with, then search on until told to stop."""
        try:
            if not tree.reused:
                tree.forest.set_nodes(tree.number, 1)
                run(tree.forest, [tree.evaluator], leaves=1)
            with self._changed:
                self._evaluated = True
                self._changed.notify_all()
            tree.forest.set_nodes(tree.number, self._visits())
            batch = self._task.settings.search.batch
            run(tree.forest, [tree.evaluator], leaves=batch, stop=lambda: self._stopped)
        except Exception as error:  # for the other thread to report
            self._failure = error
        with self._changed:
            self._grown = True
            self._changed.notify_all()

    def _visits(self) -> int:
        if self._task.settings.limit_strength:
            return 1
        return min(self._task.go.nodes or _ENDLESS, _ENDLESS)

    def _watch(self, tree: Tree) -> tuple[str | None, str | None]:
        """Report until a limit is reached; the move to play and the reply to ponder on."""
        with self._changed:
            self._changed.wait_for(lambda: self._evaluated or self._grown)
        task = self._task
        next_report = task.started + _REPORT_SECONDS
        while self._evaluated and not self._over(tree, now := time.monotonic()):
            self._complain()
            if now >= next_report and not self._grown:
                self._report(tree, look(tree, task.settings, task.searchmoves))
                next_report = now + _REPORT_SECONDS
            self._sleep(next_report)
        self._complain()
        if not self._evaluated:
            self._wait_until_asked()
            return None, None
        report = look(tree, task.settings, task.searchmoves)
        self._report(tree, report)
        move = self._choose(tree, report)
        line = report.lines[0] if move == report.moves[0].move else tree.forest.line(tree.number, move)
        return move, line[1] if len(line) > 1 else None

    def _over(self, tree: Tree, now: float) -> bool:
        if self._stopped:
            return True
        if self._endless:
            return False
        if self._grown or (self._deadline is not None and now >= self._deadline):
            return True
        return self._looks and self._found(look(tree, self._task.settings, self._task.searchmoves))

    @property
    def _endless(self) -> bool:
        return self._task.go.infinite or self._pondering

    @property
    def _looks(self) -> bool:
        """Whether what was found may end the search."""
        go = self._task.go
        return not self._endless and (go.depth is not None or go.mate is not None or self._on_clock)

    @property
    def _on_clock(self) -> bool:
        return self._deadline is not None and self._task.go.movetime is None

    def _found(self, report: Report) -> bool:
        go, mate = self._task.go, report.mate
        if go.mate is not None and mate is not None and 0 < mate <= go.mate:
            return True
        if go.depth is not None and (mate is not None or _deep(self._task.position, report.lines[0], go.depth)):
            return True
        # On the clock there is nothing to think about where one move is left or a mate is found.
        return self._on_clock and (len(report.moves) == 1 or (mate is not None and mate > 0))

    def _sleep(self, next_report: float) -> None:
        """Until the next report, limit or message."""
        with self._changed:
            if self._stopped or (self._grown and not self._endless):
                return
            seconds = min(next_report, self._deadline or next_report) - time.monotonic()
            if self._grown:
                seconds = _REPORT_SECONDS
            elif self._looks:
                seconds = min(seconds, _LOOK_SECONDS)
            self._changed.wait(max(0.0, seconds))

    def _wait_until_asked(self) -> None:
        """In an endless search the answer must wait for `stop` or `ponderhit`."""
        with self._changed:
            self._changed.wait_for(lambda: self._stopped or not self._endless)

    def _report(self, tree: Tree, report: Report) -> None:
        task = self._task
        seconds = time.monotonic() - task.started
        for line in info_lines(report, tree, task.settings, task.position, seconds):
            self._send(line)

    def _choose(self, tree: Tree, report: Report) -> str:
        params = self._task.settings.search
        temperature = params.temperature_at(self._task.position.ply)
        best = report.moves[0].move
        if temperature == 0:
            return best
        move = tree.forest.choose(
            tree.number,
            temperature=temperature,
            value_cutoff=params.temperature_value_cutoff,
            visit_offset=params.temperature_visit_offset,
            seed=self._seed,
        )
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
