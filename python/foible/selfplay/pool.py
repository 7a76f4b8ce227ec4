"""Searches of many games on one evaluator, each handed back as soon as it has its visits.

Games do not wait for each other: where one has moved its next search begins, so that requests stay full. Two requests
are under way at once, one evaluated while the next is gathered.
"""

import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from types import TracebackType
from typing import Self

from foible._core import Forest, Request, RootSummary
from foible.games import Position
from foible.nets.evaluator import Evaluator
from foible.search.driver import LANES, Answers, evaluate, scatter
from foible.search.params import SearchParams
from foible.search.seats import seats
from foible.search.votes import leaves_at_once, without_cache


@dataclass(frozen=True, slots=True)
class Setting:
    """What may differ from move to move. Constants belong to a forest: each setting has one of its own."""

    contempt_visits: int | None
    full: bool = True
    """A full search of playout-cap randomisation; without it all are."""


@dataclass(frozen=True, slots=True)
class Search:
    """A tree, and the game whose it is."""

    game: int
    setting: Setting
    tree: int


@dataclass(slots=True)
class Usage:
    """What was asked of the evaluator."""

    leaves: int = 0
    """Positions that searches wanted to know."""
    positions: int = 0
    """Of these, those that were not known from before."""
    calls: int = 0
    busy: float = 0.0
    """Seconds in which it was at work."""


class SearchPool:
    """The forests of a run. Use as a context: leaving it ends the evaluating thread."""

    def __init__(
        self,
        evaluator: Evaluator,
        params: Callable[[Setting], SearchParams],
        forest: Callable[[SearchParams], Forest] = lambda params: Forest(params, *seats(params)),
    ) -> None:
        """`params`: the constants of a setting. `forest`: makes one that searches with them."""
        self.usage = Usage()
        self._evaluator = evaluator
        self._params = params
        self._new_forest = forest
        self._forests: dict[Setting, Forest] = {}
        self._growing: dict[Setting, dict[int, Search]] = {}
        self._pending: deque[tuple[Setting, Request, Future[Answers]]] = deque()
        self._worker = ThreadPoolExecutor(max_workers=1, thread_name_prefix="evaluate")

    def plant(self, game: int, setting: Setting, position: Position, seed: int) -> Search:
        """A tree at a position, which does not grow yet."""
        forest = self._forests.get(setting)
        if forest is None:
            params = without_cache(self._params(setting), [self._evaluator])
            forest = self._forests[setting] = self._new_forest(params)
            self._growing[setting] = {}
        return Search(game, setting, forest.add(position, 0, seed))

    def grow(self, search: Search, nodes: int) -> None:
        """Let a tree grow to so many visits of its root; `step` hands it back when it has them."""
        self._forests[search.setting].set_nodes(search.tree, nodes)
        self._growing[search.setting][search.tree] = search

    def advance(self, search: Search, move: str) -> None:
        """Play a move at the root and keep what was found below it."""
        self._forests[search.setting].advance(search.tree, move, keep=True)

    def remove(self, search: Search) -> None:
        self._forests[search.setting].remove(search.tree)

    def drop(self, settings: set[Setting]) -> None:
        """Give back the memory of settings that have no tree any more."""
        for setting in settings & self._forests.keys():
            del self._forests[setting], self._growing[setting]

    def result(self, search: Search) -> RootSummary:
        return self._forests[search.setting].summary(search.tree)

    def choose(self, search: Search, temperature: float, seed: int) -> str:
        """The move to play, sampled at a temperature."""
        params = self._params(search.setting)
        move = self._forests[search.setting].choose(
            search.tree,
            temperature=temperature,
            value_cutoff=params.temperature_value_cutoff,
            visit_offset=params.temperature_visit_offset,
            seed=seed,
        )
        assert move is not None, "a search that is done has evaluated its root"
        return move

    def step(self) -> list[Search]:
        """Wait for one evaluation, with the next under way; the searches that have their visits now."""
        self._ask()
        if self._pending:
            setting, request, future = self._pending[0]
            answers = future.result()
            self._pending.popleft()
            scatter(self._forests[setting], request, answers)
        done: list[Search] = []
        for setting, growing in self._growing.items():
            is_done = self._forests[setting].is_done
            done += [search for tree, search in growing.items() if is_done(tree)]
        for search in done:
            del self._growing[search.setting][search.tree]
        return done

    def _ask(self) -> None:
        """Keep two requests under way, from the forests in turn."""
        empty = 0
        while len(self._pending) < LANES and empty < len(self._forests):
            setting, forest = next(iter(self._forests.items()))
            self._forests[setting] = self._forests.pop(setting)
            request = forest.gather(leaves_at_once([self._evaluator], self._leaves(setting)))
            if len(request):
                empty = 0
                self.usage.calls += 1
                self.usage.leaves += len(request)
                self.usage.positions += sum(len(batch) for batch in request.batches if batch is not None)
                self._pending.append((setting, request, self._worker.submit(self._evaluate, request)))
            else:
                empty += 1
                forest.withdraw(request)

    def _leaves(self, setting: Setting) -> int:
        """For two requests of one forest, or one each of two; no more than fill the evaluator's batch."""
        trees = len(self._growing[setting]) * self._params(setting).batch
        unknown = self.usage.positions / self.usage.leaves if self.usage.positions else 1.0
        alone = len(self._forests) == 1
        return max(1, min(round(self._evaluator.batch_size / unknown), -(-trees // LANES) if alone else trees))

    def _evaluate(self, request: Request) -> Answers:
        begin = time.perf_counter()
        answers = evaluate([self._evaluator], request)
        self.usage.busy += time.perf_counter() - begin
        return answers

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for setting, request, future in self._pending:
            future.cancel()
            self._forests[setting].withdraw(request)
        self._worker.shutdown()
