"""Self-play: many games at once, each of which depends only on the configuration and its own number.

With contempt each side searches a tree of its own, which is new for every move; without it both sides share one tree,
kept from move to move (search-contempt §1). With playout-cap randomisation trees are new for every move, too: the
visits and the noise of full searches must not enter cheap ones, nor the reverse.
"""

import asyncio
import threading
import time
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, replace
from functools import partial

from foible.arena.adjudication import Resignation
from foible.arena.live import Playing
from foible.loop import StepThread, together, watched
from foible.nets.evaluator import Evaluator
from foible.nets.shelf import short_name
from foible.search.game_tree import GameTree
from foible.search.speed import Speed, SpeedMeter
from foible.search.trees import Trees
from foible.selfplay.config import SelfplayConfig
from foible.selfplay.controller import Controller
from foible.selfplay.game import For, OpeningOf, Rules, SelfplayGame, dice, searched_ply
from foible.selfplay.progress import BETWEEN_REPORTS, SelfplayProgress
from foible.selfplay.record import Finished, Ply
from foible.selfplay.store import SelfplayStore

BETWEEN_DRAFTS = 30.0
"""Seconds between two times that the moves of games in progress are saved."""


@dataclass(frozen=True, slots=True)
class Setting:
    """The constants of a search that may differ from move to move. Each setting has a forest of its own."""

    contempt_visits: int | None
    full: bool = True
    """Whether the search is a full one; without playout-cap randomisation all are."""


class Selfplay:
    """Self-play of a net. `run` it once; `stop`, from any thread, ends it."""

    def __init__(
        self,
        config: SelfplayConfig,
        evaluator: Evaluator,
        opening_of: OpeningOf,
        store: SelfplayStore,
        controller: Controller,
        numbers: Collection[int],
        on_progress: Callable[[SelfplayProgress], None] = lambda now: None,
    ) -> None:
        """`numbers`: those of the games to play; games that are in the store already are not played again."""
        self._config = config
        self._params, self._choice = config.settings.params, config.settings.choice
        self._evaluator = evaluator
        self._player = short_name(config.net)
        self._opening_of = opening_of
        self._store = store
        self._on_progress = on_progress
        self._stopped = threading.Event()
        self._storing = StepThread("foible-storing")
        self._controller = controller
        self._missing = [number for number in numbers if number not in store.summaries]
        self._total = len(self._missing) + len(store.summaries)
        resignation = config.resignation
        rule = Resignation(resignation.value, resignation.moves) if resignation else None
        self._rules = Rules(config.max_plies, config.claim_draws, rule)
        self._shared = self._params.contempt_visits is None and config.playout_cap is None
        """Whether both sides share one tree, which is kept from move to move."""
        self._drafts = dict(store.drafts)
        self._trees: dict[Setting, Trees] = {}
        self._active: dict[int, SelfplayGame] = {}
        self._meter = SpeedMeter()
        self._before = store.tally.games
        self._news = asyncio.Condition()
        """Notified when a game has ended, as the controller may then know the N_scl of further games."""

    def stop(self) -> None:
        """End the run after the evaluation under way. May be called from any thread."""
        self._stopped.set()

    @property
    def speed(self) -> Speed:
        """The speed so far."""
        return self._meter.speed()

    async def run(self) -> None:
        """Play until every game is finished or the run is stopped; finished games are in the store."""
        self._meter.begin()
        self._saved = time.monotonic()
        numbers = iter(self._missing)
        at_once = min(self._config.concurrency, len(self._missing))
        try:
            await watched(
                together(self._play_on(numbers) for _ in range(at_once)), self._stopped, self._tell, BETWEEN_REPORTS
            )
        finally:
            self._storing.end()
            self._save_drafts()

    def _tell(self) -> None:
        if time.monotonic() - self._saved > BETWEEN_DRAFTS:
            self._saved = time.monotonic()
            self._save_drafts()
        self._on_progress(self._progress())

    async def _play_on(self, numbers: Iterator[int]) -> None:
        """Play one game after the other; wait where the N_scl of the next one is not known yet."""
        for number in numbers:
            async with self._news:
                while not self._controller.knows(number):
                    await self._news.wait()
            finished = await self._play(number)
            await self._storing.do(partial(self._store.append, [finished]))
            self._drop_unused()
            async with self._news:
                self._news.notify_all()

    async def _play(self, number: int) -> Finished:
        """Play a game from its start, or from the last move that was saved of it."""
        game = self._active[number] = self._begin(number)
        for ply in self._drafts.pop(number, []):
            game.play(ply, self._rules)
        try:
            end = None
            while end is None:
                end = game.play(await self._next_ply(game), self._rules)
                self._meter.plies += 1
        finally:
            if game.tree is not None:
                game.tree.remove()
        del self._active[number]
        return game.finished(*end, self._config.seed)

    def _begin(self, number: int) -> SelfplayGame:
        opening = self._opening_of(number)
        resignation = self._config.resignation
        chance = dice(self._config.seed, number, For.PLAYOUT).random()
        return SelfplayGame(
            number,
            opening,
            opening.position(),
            self._controller.contempt_visits(number),
            resignation is not None and chance < resignation.playout,
            [None] * len(opening.moves),
        )

    async def _next_ply(self, game: SelfplayGame) -> Ply:
        """The only legal move, or the move that a search chooses."""
        legal = game.position.legal_moves
        if len(legal) == 1:
            return Ply(legal[0])
        rng = dice(self._config.seed, game.number, For.SEARCH, game.ply)
        seed, chance = int(rng.integers(2**63)), rng.random()
        cap = self._config.playout_cap
        full = cap is None or chance < cap.full
        trees = self._trees_of(Setting(game.contempt_visits, full))
        nodes = self._config.nodes if cap is None or full else cap.nodes
        if self._shared:
            if game.tree is None or not game.tree.follow(game.position):
                game.tree = trees.plant(game.position, seed)
            return await self._searched(game, game.tree, nodes, full=full)
        with trees.plant(game.position, seed) as tree:
            return await self._searched(game, tree, nodes, full=full)

    async def _searched(self, game: SelfplayGame, tree: GameTree, nodes: int, *, full: bool) -> Ply:
        """Grow a tree to `nodes` visits, and choose a move from it."""
        await tree.grow(nodes)
        rng = dice(self._config.seed, game.number, For.CHOICE, game.ply)
        move = tree.choose(self._choice, int(rng.integers(2**63)))
        assert move is not None, "a search that is done has evaluated its root"
        return searched_ply(
            tree.summary(),
            move,
            full=full,
            temperature=self._choice.temperature_at(game.position.ply),
            params=self._params,
            white=game.position.turn == "first",
        )

    def _trees_of(self, setting: Setting) -> Trees:
        if setting not in self._trees:
            noise = self._params.noise_epsilon if setting.full else 0.0
            params = replace(self._params, contempt_visits=setting.contempt_visits, noise_epsilon=noise)
            self._trees[setting] = Trees([self._evaluator], params.without_unread())
        return self._trees[setting]

    def _drop_unused(self) -> None:
        """Free the forests of settings that no game in progress has any more."""
        used = {game.contempt_visits for game in self._active.values()}
        self._trees = {setting: trees for setting, trees in self._trees.items() if setting.contempt_visits in used}

    def _save_drafts(self) -> None:
        """Save the moves of games in progress; not where a tree is kept from move to move, as that cannot be saved."""
        if not self._shared:
            active = {game.number: game.plies for game in self._active.values()}
            self._store.save_drafts(self._drafts | active)

    def _progress(self) -> SelfplayProgress:
        finished = self._store.tally
        return SelfplayProgress(
            finished=finished,
            total=self._total,
            new=finished.games - self._before,
            under_way=[len(game.plies) for game in self._active.values()],
            playing=[self._shown(game) for game in self._active.values()],
            speed=self.speed,
        )

    def _shown(self, game: SelfplayGame) -> Playing:
        return Playing(str(game.number + 1), game, self._player, self._player, len(game.opening.moves))
