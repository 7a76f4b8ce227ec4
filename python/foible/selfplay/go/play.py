"""Self-play of Go: many games at once. Each depends only on the net, the seed and its own number."""

import asyncio
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial

import numpy as np

from foible._core import GoPosition, RootSummary
from foible.arena.live import Playing
from foible.loop import StepThread, together, wait, watched
from foible.nets.evaluator import Evaluator
from foible.nets.go.evaluator import empty_board
from foible.runs.journal import Journal
from foible.search.speed import Speed, SpeedMeter
from foible.search.trees import Trees
from foible.selfplay.go.config import GoSelfplayConfig
from foible.selfplay.go.record import GoPly, GoSelfplayRecord, Id, name_of
from foible.selfplay.go.starts import For, Opener, RunOpener, Start, dice
from foible.selfplay.progress import BETWEEN_REPORTS, SelfplayProgress, SelfplayTally


class GoSelfplay:
    """Self-play of a net. `run` it once; `stop`, from any thread, ends it."""

    def __init__(
        self,
        config: GoSelfplayConfig,
        evaluator: Evaluator,
        size: int,
        games: int,
        seed: int,
        journal: Journal[GoSelfplayRecord],
        on_progress: Callable[[SelfplayProgress], None] = lambda now: None,
        opener: Opener | None = None,
    ) -> None:
        """`games`: how many games are to be finished in all, those in the journal and branches included; a few more are
        played, see `first_games`. `opener`: chooses the games; when absent they are those of a run, see `opener_of`.
        """
        self._config = config
        self._size = size
        self._games = games
        self._seed = seed
        self._journal = journal
        self._tally = SelfplayTally.of(journal.items)
        self._before = self._tally.games
        self._on_progress = on_progress
        self._player = evaluator.name
        self._stopped = threading.Event()
        self._storing = StepThread("foible-storing")
        self._opener = opener or opener_of(config, evaluator, size, games, seed, journal.items)
        ours, theirs = config.seats(by_margin=empty_board(evaluator, size) is not None)
        self._trees = Trees([evaluator], config.params(size), ours, theirs)
        self._meter = SpeedMeter()
        self._active: dict[Id, GoSelfplayGame] = {}
        """Games in progress."""

    def stop(self) -> None:
        """End the run after the evaluation under way. May be called from any thread."""
        self._stopped.set()

    def play(self) -> None:
        """`run` for synchronous code."""
        wait(self.run())

    async def run(self) -> None:
        """Play until all games are finished or the run is stopped; finished games are in the journal."""
        self._meter.begin()
        self._news = asyncio.Condition()
        playing = together(self._play_on() for _ in range(self._config.concurrency))
        try:
            await watched(playing, self._stopped, self._tell, BETWEEN_REPORTS)
        finally:
            self._storing.end()

    @property
    def speed(self) -> Speed:
        """The speed of this process so far."""
        return self._meter.speed()

    def _tell(self) -> None:
        done, active = self._tally.games, list(self._active.values())
        self._on_progress(
            SelfplayProgress(
                finished=self._tally,
                total=max(self._games, done + len(active)),
                new=done - self._before,
                under_way=[len(game.plies) for game in active],
                playing=[self._shown(game) for game in active],
                speed=self._meter.speed(),
            )
        )

    def _shown(self, game: "GoSelfplayGame") -> Playing:
        return Playing(name_of(game.start.id), game, self._player, self._player, len(game.start.moves))

    async def _play_on(self) -> None:
        """Play one game after the other, until no more are needed and none in progress can branch any more."""
        while True:
            start = self._opener.next()
            if start is None:
                if not self._active:
                    return
                async with self._news:
                    await self._news.wait()
                continue
            game = self._active[start.id] = GoSelfplayGame.begin(start, self._size)
            finished = await self._play(game)
            await self._storing.do(partial(self._journal.append, [finished]))
            self._tally += SelfplayTally.of([finished])
            self._opener.branch(finished)
            del self._active[start.id]
            async with self._news:
                self._news.notify_all()

    async def _play(self, game: "GoSelfplayGame") -> GoSelfplayRecord:
        start = game.start
        seed = int(dice(self._seed, start.id, For.SEARCH).integers(2**63))
        first_plies = self._config.random_moves
        with self._trees.plant(game.position, seed) as tree:
            while not game.is_over:
                ply = game.position.ply
                tree.follow(game.position)
                await tree.grow(self._config.visits)
                at_random = first_plies == "all" or ply < first_plies
                rng = dice(self._seed, start.id, For.CHOICE, ply) if at_random else None
                game.play(searched_ply(tree.summary(), rng))
                self._meter.plies += 1
        return game.finished()


def opener_of(
    config: GoSelfplayConfig,
    evaluator: Evaluator,
    size: int,
    games: int,
    seed: int,
    finished: Sequence[GoSelfplayRecord],
) -> RunOpener:
    """The games of a run that are still to be played. The komi of games from the empty board is drawn so that the net
    judges them open; it is the official one with a net that has a single value.
    """
    empty = empty_board(evaluator, size)

    def komi_of(game: Id) -> float:
        if empty is None:
            return config.komi.official
        return float(config.komi.draw(dice(seed, game, For.KOMI), 1, *empty, size**2)[0])

    return RunOpener(config, games, seed, finished, komi_of)


@dataclass(slots=True)
class GoSelfplayGame:
    """A game in progress."""

    start: Start
    position: GoPosition
    plies: list[GoPly] = field(default_factory=list)

    @classmethod
    def begin(cls, start: Start, size: int) -> "GoSelfplayGame":
        return cls(start, GoPosition(size, start.moves, komi=start.komi))

    def play(self, ply: GoPly) -> None:
        self.plies.append(ply)
        self.position = self.position.play(ply.move)

    @property
    def is_over(self) -> bool:
        """Whether the game has ended: by two passes, or at twice as many plies as the board has points (SAI, §5.1)."""
        return self.position.outcome() is not None or self.position.ply >= 2 * self.position.size**2

    def finished(self) -> GoSelfplayRecord:
        position = self.position
        return GoSelfplayRecord(
            self.start.id, position.size, self.start.komi, position.margin, self.plies, inherited=self.start.moves
        )


def searched_ply(summary: RootSummary, rng: np.random.Generator | None = None) -> GoPly:
    """The move to play after a search: the best, or with `rng` one drawn in proportion to its visits (SAI, §3.5).

    A move with a single visit is not drawn, unless no move has more.
    """
    visited = [move for move in summary.moves if move.n]
    choice = visited[0]
    if rng is not None:
        drawn = [move for move in visited if move.n > 1] or visited
        weights = np.array([move.n for move in drawn], float)
        choice = drawn[int(rng.choice(len(drawn), p=weights / weights.sum()))]
    decided = summary.decided
    return GoPly(
        choice.move,
        {move.move: move.n for move in visited},
        summary.score.winrate if summary.score else (1 + summary.q) / 2,
        alpha=decided and decided.alpha,
        beta=decided and decided.beta,
    )
