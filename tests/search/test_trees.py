"""Trees that grow side by side: what they refuse, and that each is what it would be alone, whatever befalls others."""

import asyncio
import math
from collections.abc import Callable
from dataclasses import replace

import pytest

from foible._core import Batch, ChessPosition, Follow, Puct, Seat
from foible.errors import ConfigError, EvaluationError, FoibleError
from foible.loop import together, wait
from foible.nets import open_net
from foible.nets.choices import MASTER
from foible.nets.evaluator import Evaluation, Material
from foible.search.params import SearchParams
from foible.search.scheduler import scheduler
from foible.search.trees import Trees
from foible.testing import random_positions
from tests.search.synthetic import Slow, Synthetic, found, ready, until

POSITIONS = [p for p in random_positions(ChessPosition(), 12, seed=5) if isinstance(p, ChessPosition)]


def test_a_tree_that_grows_is_not_grown_a_second_time() -> None:
    async def run() -> None:
        with Trees([ready()]).plant(POSITIONS[0]) as tree:
            first = asyncio.ensure_future(tree.grow(30))
            await asyncio.sleep(0)
            with pytest.raises(FoibleError, match="growing already"):
                await tree.grow(40)
            await first
            assert tree.summary().n == 30

    wait(run())


def test_whoever_waits_for_a_tree_that_is_removed_is_told_so() -> None:
    async def run() -> None:
        trees = Trees([ready()])
        one, other = (trees.plant(position) for position in POSITIONS[:2])
        growing = asyncio.ensure_future(trees.grow([one.number, other.number], 1_000_000))
        await asyncio.sleep(0.01)
        one.remove()
        with pytest.raises(FoibleError, match="removed while it grew"):
            await asyncio.wait_for(growing, 20)
        await other.grow(other.summary().n + 5)

    wait(run())


def test_trees_want_an_evaluator_and_no_negative_visits() -> None:
    with pytest.raises(ConfigError, match="no evaluator: expected at least one"):
        Trees([])
    for wrong in (ready(), ["master"], "master"):
        with pytest.raises(ConfigError, match=r"expected a list of evaluators, such as \[open_net\('master'\)\]"):
            Trees(wrong)  # type: ignore[arg-type]
    with pytest.raises(ConfigError, match="names evaluator 5: expected 6 evaluators, found 1"):
        Trees([Synthetic()], ours=Seat(Puct(), 5))
    with pytest.raises(ConfigError, match=r"^2 evaluators, but the seats use only number 0: .* as Follow\(1\) does$"):
        Trees([ready(), ready()])
    with pytest.raises(
        ConfigError, match=r"^3 evaluators, but the seats use only numbers 0 to 1: .* Follow\(2\) does$"
    ):
        Trees([ready(), ready(), ready()], ours=Seat(Follow(1)))
    assert wait(Trees([ready(), ready(name="junior")], root=Follow(1)).search(POSITIONS[0], 5)).n == 5
    with pytest.raises(ConfigError, match="nodes = -1: expected a whole number from 0 on"):
        wait(Trees([ready()]).search(POSITIONS[0], -1))
    with pytest.raises(ConfigError, match="seconds = nan: expected at least 0"):
        wait(Trees([ready()]).plant(POSITIONS[0]).grow(5, seconds=math.nan))
    with pytest.raises(ConfigError, match="only has 0 entries; expected one for each of the 1 positions"):
        wait(Trees([ready()]).searches(POSITIONS[:1], 5, only=[]))
    assert len(Trees(net for net in [ready()]).evaluators) == 1  # type: ignore[arg-type]  # any iterable will do


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (lambda found: replace(found, logits=found.logits.astype(float)), "logits is an array of float64; expected an"),
        (lambda found: replace(found, wdl=found.wdl.tolist()), "wdl is list; expected an array of float32"),
        (lambda found: replace(found, logits=None), "logits is NoneType; expected an array of float32"),
        (lambda found: replace(found, wdl=found.wdl[:, ::-1]), "arrays must be C-contiguous"),
    ],
)
def test_a_tree_outlives_an_answer_that_is_none(answer: Callable[[Evaluation], Evaluation], message: str) -> None:
    class Moody(Slow):
        def evaluate(self, batch: Batch) -> Evaluation:
            found = super().evaluate(batch)
            return answer(found) if self.error is None and len(self.sizes) == 2 else found

    net = Moody()
    net.may.set()
    tree = Trees([net]).plant(POSITIONS[0])
    with pytest.raises(EvaluationError, match=message):
        wait(tree.grow(40))
    wait(asyncio.wait_for(tree.grow(40), 200))
    assert tree.summary().n == 40


@pytest.mark.parametrize("lanes", [1, 2])
def test_trees_move_on_to_another_event_loop_when_theirs_is_closed(lanes: int) -> None:
    net = Slow()
    trees = Trees([net], SearchParams(lanes=lanes))
    tree = trees.plant(POSITIONS[0])

    async def leave() -> None:
        growing = asyncio.ensure_future(tree.grow(30))
        await until(lambda: bool(net.sizes))
        growing.cancel()

    asyncio.run(leave())
    net.may.set()

    async def go_on() -> int:
        assert tree.follow(POSITIONS[0].play(POSITIONS[0].legal_moves[0]))
        await asyncio.wait_for(tree.grow(30), 200)
        return (await asyncio.wait_for(trees.search(POSITIONS[1], 30), 200)).n

    assert asyncio.run(go_on()) == 30
    assert tree.summary().n == 30


@pytest.mark.parametrize("lanes", [1, 2])
def test_a_search_whose_calls_cannot_begin_any_more_ends_with_an_error(lanes: int) -> None:
    async def run() -> None:
        net = Slow(batch_size=1)
        tree = Trees([net], SearchParams(lanes=lanes)).plant(POSITIONS[0])
        growing = asyncio.ensure_future(tree.grow(400))
        await until(lambda: bool(net.sizes))
        scheduler()._device.shutdown(wait=False)  # as when the interpreter ends
        net.may.set()
        with pytest.raises(RuntimeError, match="cannot schedule new futures after shutdown"):
            await growing

    asyncio.run(run())


def test_a_loop_that_was_closed_under_a_search_leaves_its_trees_to_others() -> None:
    net = Slow()
    trees = Trees([net])
    tree = trees.plant(POSITIONS[0])
    left = asyncio.new_event_loop()
    pending = left.create_task(tree.grow(40))
    left.run_until_complete(until(lambda: bool(net.sizes)))
    left.close()
    net.may.set()

    async def go_on() -> None:
        growing = asyncio.ensure_future(asyncio.wait_for(tree.grow(400), 200))
        await until(lambda: tree.summary().n > 10)
        pending.get_coro().close()  # as the garbage collector does
        await growing

    asyncio.run(go_on())
    assert tree.summary().n == 400
    pending._log_destroy_pending = False  # type: ignore[attr-defined]  # it cannot end any more


def test_trees_that_grow_on_one_event_loop_do_not_grow_on_another() -> None:
    net = Slow()
    trees = Trees([net])

    async def elsewhere() -> None:
        growing = asyncio.ensure_future(trees.search(POSITIONS[0], 5))
        await until(lambda: bool(net.sizes))
        with pytest.raises(FoibleError, match="grow on another event loop"):
            await asyncio.to_thread(asyncio.run, trees.search(POSITIONS[1], 5))
        net.may.set()
        assert (await growing).n == 5

    asyncio.run(elsewhere())
    assert asyncio.run(trees.search(POSITIONS[1], 5)).n == 5


def test_searches_side_by_side_find_what_each_finds_alone_and_leave_nothing_behind() -> None:
    async def run() -> None:
        trees = Trees([ready()], SearchParams(batch=4))
        alone = [await Trees([ready()], trees.params).search(position, 30) for position in POSITIONS[:5]]
        side_by_side = asyncio.ensure_future(trees.searches(POSITIONS[:5], 30))
        other = asyncio.ensure_future(trees.searches(POSITIONS[5:8], 1000))
        assert [found(summary) for summary in await side_by_side] == [found(summary) for summary in alone]
        other.cancel()
        await asyncio.wait([other])
        assert trees.forest.size == (0, 0, 0)
        assert await trees.searches([], 30) == []

    wait(run())


def test_a_tree_does_not_follow_to_the_end_of_a_game() -> None:
    moves = ["f2f3", "e7e5", "g2g4", "d8h4"]
    with Trees([ready()]).plant(ChessPosition(moves=moves[:2])) as tree:
        wait(tree.grow(20))
        assert not tree.follow(ChessPosition(moves=moves))
        assert tree.position == ChessPosition(moves=moves[:2])
        assert tree.follow(ChessPosition(moves=moves[:3]))


def test_a_cancelled_search_leaves_its_forest_usable() -> None:
    async def run() -> None:
        net = Slow()
        trees = Trees([net], SearchParams(batch=4))
        cancelled = asyncio.ensure_future(trees.search(POSITIONS[0], 50))
        beside = asyncio.ensure_future(trees.search(POSITIONS[1], 50))
        await until(lambda: bool(net.sizes))
        cancelled.cancel()
        net.may.set()
        with pytest.raises(asyncio.CancelledError):
            await cancelled
        for position, result in ((POSITIONS[1], await beside), (POSITIONS[0], await trees.search(POSITIONS[0], 50))):
            assert found(result) == found(await Trees([ready()], SearchParams(batch=4)).search(position, 50))
        assert trees.forest.size[0] == 0

    wait(run())


@pytest.mark.parametrize("batch", [1, 6])
def test_a_tree_is_the_same_alone_and_beside_others(batch: int) -> None:
    params = SearchParams(batch=batch)
    alone = [found(wait(Trees([ready()], params).search(position, 60))) for position in POSITIONS[:5]]
    for size in (1, 3, 64):
        net = ready(batch_size=size)
        trees, others = Trees([net], params), Trees([net], params)
        disturbance = [others.search(position, 45) for position in POSITIONS[5:]]
        searches = [trees.search(position, 60) for position in POSITIONS[:5]]
        assert [found(summary) for summary in wait(together([*searches, *disturbance]))[:5]] == alone
        assert max(net.sizes) > 1 or size == 1


@pytest.mark.parametrize("nodes", [20, 64])
@pytest.mark.parametrize("batch", [1, 16, 64])
def test_a_known_draw_takes_no_visits_while_a_win_is_being_evaluated(nodes: int, batch: int) -> None:
    promotion, net = ChessPosition("8/P7/1k6/8/8/2K5/8/8 w - - 0 1"), open_net(MASTER)
    for lanes in (1, 2):
        found = wait(Trees([net], SearchParams(batch=batch, lanes=lanes)).search(promotion, nodes))
        visits = {move.move: move.n for move in found.moves}
        assert found.n == nodes
        assert found.best == "a7a8q"
        assert max(visits["a7a8n"], visits["a7a8b"]) <= 2, "draws, as there is no other piece"


@pytest.mark.parametrize("batch", [1, 4, 16, 64, 256])
def test_no_stalemate_is_played_in_place_of_a_win_for_any_batch(batch: int) -> None:
    rook = ChessPosition("k7/8/K7/8/8/8/8/1R6 w - - 0 1")
    found = wait(Trees([Material()], SearchParams(batch=batch)).search(rook, 200))
    visits = {move.move: move.n for move in found.moves}
    assert visits[str(found.best)] == max(visits.values())
    assert visits["b1b2"] < 8, "a stalemate"


def test_trees_that_grow_tell_how_they_come_along() -> None:
    trees, told = Trees([ready()]), list[int]()
    grown = [trees.plant(position) for position in POSITIONS[:3]]
    numbers = [tree.number for tree in grown]
    wait(trees.grow(numbers, 40, on_progress=lambda: told.append(sum(tree.summary().n for tree in grown))))
    assert told == sorted(told)
    assert 0 < told[len(told) // 2] < 120
    assert [tree.summary().n for tree in grown] == [40, 40, 40]

    def fail() -> None:
        raise LookupError("nobody listens")

    with pytest.raises(LookupError, match="nobody listens"):
        wait(trees.grow(numbers, 1000, on_progress=fail))
    wait(trees.grow(numbers, 60))
    assert [tree.summary().n >= 60 for tree in grown] == [True, True, True]
