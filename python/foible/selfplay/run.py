"""Self-play: many games at once, each a function of the run's seed and its own number.

With contempt each side searches a tree of its own, planted anew for every move; without it both sides share one tree,
kept from move to move (search-contempt §1). Playout-cap randomisation plants anew, too: the visits and the noise of
one kind of search are no part of the other.
"""

import threading
import time
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, replace

from foible.arena.adjudication import Resignation
from foible.arena.record import Result
from foible.nets.evaluator import Evaluator
from foible.search.params import SearchParams
from foible.selfplay.config import SelfplayConfig
from foible.selfplay.controller import Controller
from foible.selfplay.dice import For, dice
from foible.selfplay.game import Game, Rules, searched_ply
from foible.selfplay.pool import Search, SearchPool, Setting, Usage
from foible.selfplay.record import Finished, Ply, Summary
from foible.selfplay.starts import OddsStarts, Starts
from foible.selfplay.store import SelfplayStore

BETWEEN_REPORTS = 0.5
BETWEEN_DRAFTS = 30.0
"""Seconds."""


@dataclass(frozen=True, slots=True)
class Progress:
    """Where a run stands."""

    finished: Collection[Summary]
    """All finished games, those of earlier processes included."""
    total: int
    """Games in the whole run; where more are finished than were asked for, these."""
    new: int
    """Games finished by this process."""
    plies: int
    """Plies played by this process."""
    under_way: int
    """Plies of the games in progress, those played by earlier processes included."""
    seconds: float
    """Since this process began to play."""
    usage: Usage
    """Of the evaluator, by this process."""

    @property
    def seconds_left(self) -> float | None:
        """If games go on to last as long as the finished ones did; `None` before any is finished."""
        if not self.finished or not self.plies:
            return None
        mean = sum(one.plies - len(one.opening_moves) for one in self.finished) / len(self.finished)
        left = (self.total - len(self.finished)) * mean - self.under_way
        return max(0.0, left) * self.seconds / self.plies


class Selfplay:
    """A net at play with itself. `run` once; `stop` from anywhere ends it."""

    def __init__(
        self,
        config: SelfplayConfig,
        evaluator: Evaluator,
        starts: Starts | OddsStarts,
        store: SelfplayStore,
        on_progress: Callable[[Progress], None] = lambda now: None,
    ) -> None:
        self._config = config
        self._params = config.params
        self._evaluator = evaluator
        self._starts = starts
        self._store = store
        self._on_progress = on_progress
        self._stopped = threading.Event()
        self.controller = Controller(config, self._params, store.summaries)
        resignation = config.resignation
        rule = Resignation(resignation.value, resignation.moves) if resignation else None
        self._rules = Rules(config.max_plies, config.claim_draws, rule)
        self._shared = self._params.contempt_visits is None and config.playout_cap is None
        """One tree for both sides, kept from move to move."""
        self._drafts = dict(store.drafts)
        self._settings: dict[Setting, SearchParams] = {}
        self._active: dict[int, Game] = {}
        self._ended: list[Finished] = []
        self._plies = 0
        self._new = 0

    def stop(self) -> None:
        """End the run after the evaluation under way."""
        self._stopped.set()

    def run(self) -> None:
        """Play until every game is finished or the run is stopped; what is finished is in the store."""
        begin = time.monotonic()
        shown = saved = begin
        numbers = (n for n in range(self._config.games) if n not in self._store.summaries)
        with SearchPool(self._evaluator, self._params_of) as self._pool:
            waiting = next(numbers, None)
            while not self._stopped.is_set():
                waiting = self._admit(waiting, numbers)
                self._store_ended()
                now = time.monotonic()
                if now - shown > BETWEEN_REPORTS or not self._active:
                    shown = now
                    self._on_progress(self._progress(now - begin))
                if now - saved > BETWEEN_DRAFTS:
                    saved = now
                    self._save_drafts()
                if self._active:
                    for search in self._pool.step():
                        self._move(self._active[search.game])
                elif waiting is None:
                    break
            self._store_ended()
            self._save_drafts()

    def _admit(self, waiting: int | None, numbers: Iterator[int]) -> int | None:
        """Begin games while there is room and their setting is known; the next one to begin."""
        while waiting is not None and len(self._active) < self._config.concurrency:
            if not self.controller.knows(waiting):
                break
            self._begin(waiting)
            waiting = next(numbers, None)
        return waiting

    def _begin(self, number: int) -> None:
        """Begin a game, or go on with one where a draft of it was left."""
        opening = self._starts.of_game(number)
        resignation = self._config.resignation
        chance = dice(self._config.seed, number, For.PLAYOUT).random()
        game = self._active[number] = Game(
            number,
            opening,
            opening.position(),
            self.controller.contempt_visits(number),
            resignation is not None and chance < resignation.playout,
            [None] * len(opening.moves),
        )
        for ply in self._drafts.pop(number, []):
            game.play(ply, self._rules)
        self._think(game)

    def _think(self, game: Game) -> None:
        """Begin the search of the next move, after the moves that are forced."""
        while len(legal := game.position.legal_moves) == 1:
            if self._play(game, Ply(legal[0])):
                return
        rng = dice(self._config.seed, game.number, For.SEARCH, game.ply)
        seed, chance = int(rng.integers(2**63)), rng.random()
        cap = self._config.playout_cap
        full = cap is None or chance < cap.full
        if game.search is None:
            setting = Setting(game.contempt_visits, full)
            game.search = self._pool.plant(game.number, setting, game.position, seed)
        self._pool.grow(game.search, self._config.nodes if cap is None or full else cap.nodes)

    def _move(self, game: Game) -> None:
        """Choose the move of a finished search, and think about the next."""
        search = game.search
        assert search is not None
        params = self._params_of(search.setting)
        temperature = params.temperature_at(game.position.ply)
        rng = dice(self._config.seed, game.number, For.CHOICE, game.ply)
        found = self._pool.result(search)
        move = self._pool.choose(search, temperature, int(rng.integers(2**63)))
        white = game.position.turn == "first"
        ply = searched_ply(found, move, full=search.setting.full, temperature=temperature, params=params, white=white)
        if not self._play(game, ply):
            self._think(game)

    def _play(self, game: Game, ply: Ply) -> bool:
        """Make a move; whether the game is over."""
        end = game.play(ply, self._rules)
        self._plies += 1
        if end:
            self._finish(game, *end)
        elif game.search:
            self._carry_on(game, game.search, ply.move)
        return end is not None

    def _carry_on(self, game: Game, search: Search, move: str) -> None:
        if self._shared:
            self._pool.advance(search, move)
        else:
            self._pool.remove(search)
            game.search = None

    def _finish(self, game: Game, result: Result, termination: str) -> None:
        if game.search:
            self._pool.remove(game.search)
        del self._active[game.number]
        self._ended.append(game.finished(result, termination, self._config.seed))

    def _store_ended(self) -> None:
        if self._ended:
            self._store.append(sorted(self._ended, key=lambda game: game.summary.game))
            self._new += len(self._ended)
            self._ended.clear()
            used = {game.contempt_visits for game in self._active.values()}
            self._pool.drop({setting for setting in self._settings if setting.contempt_visits not in used})

    def _save_drafts(self) -> None:
        """Keep the moves of games in progress, where nothing else is carried from move to move."""
        if not self._shared:
            active = {game.number: game.plies for game in self._active.values()}
            self._store.save_drafts(self._drafts | active)

    def _params_of(self, setting: Setting) -> SearchParams:
        if setting not in self._settings:
            noise = self._params.noise_epsilon if setting.full else 0.0
            self._settings[setting] = replace(
                self._params, contempt_visits=setting.contempt_visits, noise_epsilon=noise
            )
        return self._settings[setting]

    def _progress(self, seconds: float) -> Progress:
        return Progress(
            finished=self._store.summaries.values(),
            total=max(self._config.games, len(self._store.summaries)),
            new=self._new,
            plies=self._plies,
            under_way=sum(len(game.plies) for game in self._active.values()),
            seconds=seconds,
            usage=self._pool.usage,
        )
