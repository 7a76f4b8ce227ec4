"""Self-play of Go: many games at once, each a function of net, seed and its own number."""

import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

from foible._core import Batch, GoPosition
from foible.journal import Journal
from foible.nets.evaluator import Evaluator
from foible.selfplay.go.config import GoSelfplayConfig
from foible.selfplay.go.game import For, Game, Start, branches, dice, searched_ply
from foible.selfplay.go.record import GoGame
from foible.selfplay.pool import Search, SearchPool, Setting, Usage

BETWEEN_REPORTS = 0.5
"""Seconds."""
SETTING = Setting(None)
"""Of all searches."""


@dataclass(frozen=True, slots=True)
class Progress:
    """Where a run stands."""

    finished: int
    total: int
    new: int
    """Games finished by this process."""
    seconds: float
    """Since this process began to play."""


class GoSelfplay:
    """A net at play with itself. `run` once; `stop` from anywhere ends it."""

    def __init__(
        self,
        config: GoSelfplayConfig,
        evaluator: Evaluator,
        size: int,
        games: int,
        seed: int,
        journal: Journal[GoGame],
        on_progress: Callable[[Progress], None] = lambda now: None,
    ) -> None:
        """`games`: in all, those in the journal and branches included."""
        self._config = config
        self._evaluator = evaluator
        self._size = size
        self._games = games
        self._seed = seed
        self._journal = journal
        self._on_progress = on_progress
        self._stopped = threading.Event()
        empty = evaluator.evaluate(Batch([GoPosition(size)]))
        self._empty = None if empty.margins is None else (float(empty.margins[0, 0]), float(empty.margins[0, 1]))
        """Alpha and beta of the empty board."""
        self.usage = Usage()
        """Of the evaluator, once it runs."""
        self._active: dict[int, Game] = {}
        self._begun = 0
        self._ended: list[GoGame] = []

    def stop(self) -> None:
        """End the run after the evaluation under way."""
        self._stopped.set()

    def run(self) -> None:
        """Play until there are as many games as asked for or the run is stopped; what is finished is in the journal."""
        begin = shown = time.monotonic()
        before = len(self._journal.items)
        starts = self._starts()
        params = self._config.params(self._size)
        forest = partial(self._config.forest, by_margin=self._empty is not None)
        with SearchPool(self._evaluator, lambda _: params, forest) as self._pool:
            self.usage = self._pool.usage
            while not self._stopped.is_set():
                self._admit(starts)
                now = time.monotonic()
                if now - shown > BETWEEN_REPORTS or not self._active:
                    shown, done = now, len(self._journal.items)
                    self._on_progress(Progress(done, self._games, done - before, now - begin))
                if not self._active:
                    return
                for search in self._pool.step():
                    self._move(search)
                self._journal.append(self._ended)
                self._ended.clear()

    def _starts(self) -> Iterator[Start]:
        """Branches of finished games before new ones."""
        known = {game.id for game in self._journal.items}
        waiting: deque[Start] = deque()
        looked_at = number = 0
        while True:
            for game in self._journal.items[looked_at:]:
                looked_at += 1
                found = branches(game, self._config.branching, self._config.branch_depth, self._seed)
                waiting.extend(start for start in found if start.id not in known)
            if waiting:
                yield waiting.popleft()
                continue
            if (number,) not in known:
                yield self._new_game(number)
            number += 1

    def _new_game(self, number: int) -> Start:
        """From the empty board, at a komi that the net thinks open; at the official one with a net that knows one."""
        if self._empty is None:
            return Start((number,), self._config.komi.official)
        rng = dice(self._seed, (number,), For.KOMI)
        return Start((number,), float(self._config.komi.draw(rng, 1, *self._empty)[0]))

    def _admit(self, starts: Iterator[Start]) -> None:
        """Begin games while there is room and more are wanted."""
        wanted = self._games - len(self._journal.items)
        while len(self._active) < min(self._config.concurrency, wanted):
            game = Game.begin(next(starts), self._size)
            self._active[self._begun] = game
            seed = int(dice(self._seed, game.start.id, For.SEARCH).integers(2**63))
            game.search = self._pool.plant(self._begun, SETTING, game.position, seed)
            self._pool.grow(game.search, self._config.visits)
            self._begun += 1

    def _move(self, search: Search) -> None:
        """Play the move of a finished search, and think about the next one."""
        game = self._active[search.game]
        first_plies = self._config.random_moves
        ply = game.position.ply
        found = searched_ply(
            self._pool.result(search),
            dice(self._seed, game.start.id, For.CHOICE, ply),
            at_random=first_plies == "all" or ply < first_plies,
        )
        game.play(found)
        if game.is_over:
            self._pool.remove(search)
            del self._active[search.game]
            self._ended.append(game.finished())
        else:
            self._pool.advance(search, found.move)
            self._pool.grow(search, self._config.visits)
