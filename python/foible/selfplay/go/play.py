"""Self-play of Go: many games at once, each a function of net, seed and its own number."""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from foible.journal import Journal
from foible.nets.evaluator import Evaluator
from foible.nets.go.empty_board import empty_board
from foible.selfplay.go.config import GoSelfplayConfig
from foible.selfplay.go.dice import For, dice
from foible.selfplay.go.game import Game, searched_ply
from foible.selfplay.go.record import GoGame, Id
from foible.selfplay.go.starts import Starts
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
        """`games`: in all, those in the journal and branches included; a few more are played, see `first_games`."""
        self._config = config
        self._evaluator = evaluator
        self._size = size
        self._games = games
        self._seed = seed
        self._journal = journal
        self._on_progress = on_progress
        self._stopped = threading.Event()
        self._empty = empty_board(evaluator, size)
        """Alpha and beta."""
        self.usage = Usage()
        """Of the evaluator, once it runs."""
        self._active: dict[int, Game] = {}
        self._begun = 0
        self._ended: list[GoGame] = []

    def stop(self) -> None:
        """End the run after the evaluation under way."""
        self._stopped.set()

    def run(self) -> None:
        """Play until all games are finished or the run is stopped; what is finished is in the journal."""
        begin = shown = time.monotonic()
        before = len(self._journal.items)
        self._starts = Starts(self._config, self._games, self._seed, self._journal.items, self._new_komi)
        params = self._config.params(self._size)
        forest = partial(self._config.forest, by_margin=self._empty is not None)
        with SearchPool(self._evaluator, lambda _: params, forest) as self._pool:
            self.usage = self._pool.usage
            while not self._stopped.is_set():
                self._admit()
                now = time.monotonic()
                if now - shown > BETWEEN_REPORTS or not self._active:
                    shown, done = now, len(self._journal.items)
                    total = max(self._games, done + len(self._active))
                    self._on_progress(Progress(done, total, done - before, now - begin))
                if not self._active:
                    return
                for search in self._pool.step():
                    self._move(search)
                self._journal.append(self._ended)
                self._ended.clear()

    def _new_komi(self, game: Id) -> float:
        """A komi that the net thinks open; the official one with a net that has a single value."""
        komi = self._config.komi
        if self._empty is None:
            return komi.official
        return float(komi.draw(dice(self._seed, game, For.KOMI), 1, *self._empty, self._size**2)[0])

    def _admit(self) -> None:
        """Begin games while there is room and more are wanted."""
        while len(self._active) < self._config.concurrency and (start := self._starts.next()) is not None:
            game = Game.begin(start, self._size)
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
        at_random = first_plies == "all" or ply < first_plies
        rng = dice(self._seed, game.start.id, For.CHOICE, ply) if at_random else None
        found = searched_ply(self._pool.result(search), rng)
        game.play(found)
        if game.is_over:
            self._pool.remove(search)
            del self._active[search.game]
            self._ended.append(finished := game.finished())
            self._starts.branch(finished)
        else:
            self._pool.advance(search, found.move)
            self._pool.grow(search, self._config.visits)
