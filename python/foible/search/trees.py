"""The search trees of one player: a forest whose leaves the scheduler evaluates."""

import asyncio
import threading
from collections import deque
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace
from functools import partial
from typing import Final

from foible._core import (
    BrainHand,
    ChessPosition,
    Coin,
    Follow,
    FollowBest,
    Forest,
    FreezeAfter,
    Puct,
    RootSummary,
    Seat,
)
from foible.errors import ConfigError, FoibleError
from foible.games import Position
from foible.mistakes import check_at_least, check_not_negative, check_object, is_object
from foible.nets.evaluator import Evaluator, TreeEvaluator, check_sizes
from foible.search.batcher import Answer, Question
from foible.search.game_tree import GameTree
from foible.search.growth import Growth, Sent
from foible.search.params import SearchParams, seats
from foible.search.scheduler import Scheduler, scheduler

Rule = Puct | Follow | FollowBest | Coin | BrainHand | FreezeAfter

BYTES_PER_VISIT: Final = 1024
"""A generous estimate: a chess node with its edges takes 370 bytes at the start of a game, at most about 600."""
UNLIMITED: Final = 2**31
"""The number of visits for a search that only its time or `stop` ends: no memory holds so many."""
_PARTS: Final = 8
"""The number of requests that fill a batch. Small ones mix well with other players'; each costs some microseconds."""
_ROUNDS: Final = 64
"""The most requests answered from the cache alone before the event loop goes on with other work."""


class Trees:
    """A forest of search trees. Their leaves are evaluated by the scheduler of the event loop on which they grow.

    All trees share the constants, the rules of the plies and the cache of evaluations. Each grows as if it were alone.
    """

    def __init__(
        self,
        evaluators: Sequence[Evaluator],
        params: SearchParams | None = None,
        ours: Seat | None = None,
        theirs: Seat | None = None,
        *,
        root: Rule | None = None,
    ) -> None:
        """`evaluators`: in the order of the numbers by which the seats refer to them. `ours`, `theirs`: the seats of
        the side to move at the root and of the other side; the default ones follow from `params` and use one evaluator.
        `root`: the rule of the root itself; that of `ours` when absent.

        :raises ConfigError: these are no evaluators, there is none, or there are more or fewer than the seats name; or
            something else stands for the constants or a seat.
        """
        self.evaluators = tuple(evaluators) if isinstance(evaluators, Iterable) else (None,)
        if not all(is_object(evaluator, Evaluator) for evaluator in self.evaluators):
            raise ConfigError(f"{evaluators!r}: expected a list of evaluators, such as [open_net('master')]")
        if not self.evaluators:
            raise ConfigError("no evaluator: expected at least one, such as open_net('master')")
        for evaluator in self.evaluators:
            check_sizes(evaluator)
        together = any(isinstance(evaluator, TreeEvaluator) for evaluator in self.evaluators)
        params = params or SearchParams()
        check_object(params, SearchParams, "constants, such as SearchParams(cpuct=2)")
        # What is said of a leaf beside others must not be said again beside others: it is not cached.
        self.params = replace(params, cache=0) if together else params
        default_ours, default_theirs = seats(self.params)
        self.seats = ours or default_ours, theirs or default_theirs
        for seat in self.seats:
            check_object(seat, Seat, "a seat, such as Seat(Puct())")
        self._root = root
        self._check_count()
        self._one_tree = together
        self._chunk = 1 if together else max(1, self.evaluators[0].batch_size // _PARTS)
        self._forest: Forest | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        """The event loop on which trees grow, or last did."""
        self._lock = threading.Lock()
        """Held while trees are claimed for a loop or let go, and while an answer reaches them: it may come from a loop
        that they have left.
        """
        self._growing: dict[int, Growth] = {}
        self._attended: dict[Growth, None] = {}
        """Those whose callers are asked whether to stop, or told of the progress; often none of thousands."""
        self._under_way: set[Sent] = set()
        self._lanes = self.params.lanes
        self._in_order: deque[Sent] = deque()
        """With several lanes: the requests under way, the oldest first."""
        self._telling = False
        """Whether a call of `_tell_done` is scheduled."""

    def _check_count(self) -> None:
        """Check that there is an evaluator for every number that the seats and the root name, and no further one."""
        found = len(self.evaluators)
        # The game of the trees is not known yet and does not matter to the number; only Go has bonuses.
        game = "chess" if all(seat.bonus is None for seat in self.seats) else "go"
        needed = Forest(self.params, *self.seats, root=self._root, game=game).evaluators
        if needed > found:
            raise ConfigError(
                f"a seat or the root names evaluator {needed - 1}: expected {needed} evaluators, found {found}"
            )
        if needed < found:
            used = "number 0" if needed == 1 else f"numbers 0 to {needed - 1}"
            raise ConfigError(
                f"{found} evaluators, but the seats use only {used}: expected {needed}, or a rule that names the next, "
                f"as Follow({needed}) does"
            )

    def plant(self, position: Position, seed: int = 0, *, only: Sequence[str] | None = None) -> GameTree:
        """Add a tree at a position to the forest, without a visit yet.

        :param only: the moves that may be played at the root; all when absent.
        :raises FoibleError: the game is over.
        :raises MoveError: a move in `only` is not legal.
        """
        forest = self.forest_for(position)
        return GameTree(self, position, forest.add(position, 0, seed, only=only))

    async def search(
        self, position: Position, nodes: int, *, only: Sequence[str] | None = None, seed: int | None = None
    ) -> RootSummary:
        """Search a position by `nodes` visits in a new tree, so that the result depends on nothing else.

        :param seed: that of the constants when absent. Errors as `plant` and `GameTree.grow`.
        """
        with self.plant(position, self.params.seed if seed is None else seed, only=only) as tree:
            await tree.grow(nodes)
            return tree.summary()

    async def searches(
        self, positions: Sequence[Position], nodes: int, only: Sequence[Sequence[str] | None] | None = None
    ) -> list[RootSummary]:
        """`search` for each of several positions, side by side. All trees are kept until the last has its visits.

        :param only: for each position the moves that may be played there, `None` for all.
        :raises TypeError: `positions` is a single one.
        :raises ConfigError: `only` has not as many entries as there are positions.
        """
        if not isinstance(positions, Sequence):
            found = type(positions).__name__
            raise TypeError(f"expected a list of positions, such as [ChessPosition()], found {found}; search takes one")
        if only is None:
            only = [None] * len(positions)
        if len(only) != len(positions):
            raise ConfigError(f"only has {len(only)} entries; expected one for each of the {len(positions)} positions")
        trees: list[GameTree] = []
        try:
            for position, moves in zip(positions, only, strict=True):
                trees.append(self.plant(position, self.params.seed, only=moves))
            await self.grow([tree.number for tree in trees], nodes)
            return [tree.summary() for tree in trees]
        finally:
            for tree in trees:
                tree.remove()

    def remove(self, tree: int) -> None:
        """Remove a tree, given by its number in the forest; who waits for it to grow is told so.

        :raises FoibleError: there is no such tree.
        """
        self.forest.remove(tree)
        with self._lock:
            growth, loop = self._growing.pop(tree, None), self._loop
        if growth is not None and loop is not None and not loop.is_closed():
            loop.call_soon_threadsafe(growth.fail, FoibleError("the tree was removed while it grew"))

    def forest_for(self, position: Position) -> Forest:
        """The forest; on the first call it is made, for the game of that position."""
        if self._forest is None:
            game = "chess" if isinstance(position, ChessPosition) else "go"
            self._forest = Forest(self.params, *self.seats, root=self._root, game=game)
        return self._forest

    @property
    def planted(self) -> bool:
        """Whether a tree was ever planted."""
        return self._forest is not None

    @property
    def forest(self) -> Forest:
        """The forest, once a tree has been planted."""
        assert self._forest is not None, "nothing was planted"
        return self._forest

    async def grow(
        self,
        trees: Sequence[int],
        nodes: int,
        seconds: float | None = None,
        stop: Callable[[], bool] | None = None,
        on_progress: Callable[[], None] | None = None,
    ) -> None:
        """Grow trees, given by their numbers in the forest, as `GameTree.grow` does, until each has its visits.

        :param on_progress: called now and then on the event loop meanwhile; what it raises is raised here.
        """
        check_at_least("nodes", nodes, 0)
        if seconds is not None:
            check_not_negative("seconds", seconds)
        if not trees:
            return
        forest, loop, here = self.forest, asyncio.get_running_loop(), scheduler()
        growth = Growth(loop.create_future(), set(), stop, on_progress)
        self._claim(trees, growth, loop)
        try:
            for tree in trees:
                forest.set_nodes(tree, min(nodes, UNLIMITED))
            growth.lacking.update(set(trees).difference(forest.done(trees)))
            if not growth.lacking:
                return
            here.begin(self)
            bell = None if seconds is None else loop.call_later(seconds, self._halt, trees)
            try:
                await growth.done
            finally:
                if bell is not None:
                    bell.cancel()
        finally:
            self._let_go(trees, growth, here)

    def _claim(self, trees: Sequence[int], growth: Growth, loop: asyncio.AbstractEventLoop) -> None:
        """Note that trees grow, on this loop from now on.

        :raises FoibleError: one of them grows already, or any tree on another loop.
        """
        with self._lock:
            if self._loop is not loop:
                if self._growing and self._loop is not None and not self._loop.is_closed():
                    raise FoibleError("trees of this player grow on another event loop: await that first")
                self._leave_loop()
            if any(tree in self._growing for tree in trees):
                raise FoibleError("the tree is growing already: await that first")
            self._loop = loop
            self._growing.update(dict.fromkeys(trees, growth))
            if growth.stop is not None or growth.on_progress is not None:
                self._attended[growth] = None

    def _let_go(self, trees: Sequence[int], growth: Growth, here: Scheduler) -> None:
        """Note that trees grow no longer, where it is still this growth that they belong to."""
        with self._lock:
            self._attended.pop(growth, None)
            for tree in trees:
                if self._growing.get(tree) is growth:
                    del self._growing[tree]
                    # It grows no further before the next call, even where moves played have taken visits away.
                    self.forest.set_nodes(tree, 0)
            if not self._growing:
                here.end(self)

    def forget_closed_loop(self) -> None:
        """Withdraw the requests that nobody will answer, as the event loop on which they were made is closed."""
        with self._lock:
            if self._loop is not None and self._loop.is_closed():
                self._leave_loop()

    def _leave_loop(self) -> None:
        """Withdraw all requests under way: answers that still come, on the loop where they were asked, are dropped."""
        for sent in self._under_way:
            self.forest.withdraw(sent.request)
        self._under_way.clear()
        self._in_order.clear()
        self._growing.clear()
        self._attended.clear()
        self._loop, self._telling = None, False

    def ask(self) -> bool:
        """Gather leaves, and ask for their evaluations; the scheduler calls this, see `Asker.ask`."""
        here = scheduler()
        for growth in list(self._attended):
            if growth.is_stopped():
                self._halt(growth.lacking)
            growth.tell()
        try:
            for _ in range(_ROUNDS):
                if not self._gather(here):
                    more = self._scatter_in_order()
                    self._tell_done()
                    # Visits that end in known results need no evaluation: such trees can grow on at once.
                    return more or (bool(self._growing) and not self._under_way)
        except Exception as error:  # passed on to all callers: no memory left, an evaluation of the wrong shape
            self._fail(error)
            return False
        return True

    def _gather(self, here: Scheduler) -> bool:
        """Request evaluations for leaves of some trees that may make a request; returns whether any did."""
        request = self.forest.gather(self._chunk)
        if not len(request):
            self.forest.withdraw(request)
            return False
        sent = Sent(request, [None] * len(self.evaluators), sum(batch is not None for batch in request.batches))
        self._under_way.add(sent)
        if self._lanes > 1:
            self._in_order.append(sent)
        elif not sent.missing:  # all evaluations were in the cache
            self._scatter(sent)
        for number, batch in enumerate(request.batches):
            if batch is not None:
                answered = partial(self._answered, sent, number)
                here.ask(self.evaluators[number], Question(batch, answered, one_tree=self._one_tree))
        return True

    def _answered(self, sent: Sent, number: int, answer: Answer) -> None:
        with self._lock:
            if sent in self._under_way:
                self._take(sent, number, answer)

    def _take(self, sent: Sent, number: int, answer: Answer) -> None:
        """Keep the answer of one evaluator, and hand to the trees what is complete."""
        sent.missing -= 1
        if isinstance(answer, BaseException):
            sent.failed = True
            self._fail(answer)
        else:
            sent.answers[number] = answer
        if not sent.missing and self._lanes == 1:
            self._scatter(sent)
        elif self._scatter_in_order():
            scheduler().stir()

    def _scatter_in_order(self) -> bool:
        """With several lanes: hand answers to the trees in the order of their requests, and make the next request after
        each, so that results depend neither on timing nor on the cache. Returns whether there is more to hand out.
        """
        for _ in range(_ROUNDS):
            if not self._in_order or self._in_order[0].missing:
                return False
            self._scatter(self._in_order.popleft())
            try:
                self._gather(scheduler())
            except Exception as error:  # as in `ask`
                self._fail(error)
        return True

    def _scatter(self, sent: Sent) -> None:
        self._under_way.discard(sent)
        if sent.failed or not self._growing:  # no caller waits any more
            self.forest.withdraw(sent.request)
            return
        arrays = [None if e is None else (e.logits, e.wdl, e.moves_left, e.margins) for e in sent.answers]
        try:
            self.forest.scatter(sent.request, arrays)
        except Exception as error:
            self.forest.withdraw(sent.request)
            self._fail(error)
        if not self._telling:
            self._telling = True
            asyncio.get_running_loop().call_soon(self._tell_done)

    def _tell_done(self) -> None:
        if self._loop is not asyncio.get_running_loop():  # left since this call was scheduled
            return
        self._telling = False
        for tree in self.forest.take_done():
            if tree in self._growing:
                self._growing[tree].reached(tree)

    def _halt(self, trees: Collection[int]) -> None:
        """Stop the growth of trees; their callers go on once no evaluation for them is under way."""
        for tree in self._growing.keys() & trees:
            self.forest.set_nodes(tree, 0)
        self._tell_done()

    def _fail(self, error: BaseException) -> None:
        """Raise an error in all callers who wait."""
        for growth in self._growing.values():
            growth.fail(error)
