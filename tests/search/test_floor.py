"""What all games of an event loop wait for becomes full calls of each net, and changes nothing that anybody is told."""

import asyncio
import math
import threading
import time
from collections import Counter
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from foible._core import Batch, ChessPosition, Follow, GoPosition, Puct, RootSummary, Seat
from foible.errors import ConfigError, EvaluationError, FoibleError, PositionError
from foible.judges.net import NetJudge
from foible.loop import together, wait
from foible.nets import open_net
from foible.nets.choices import MASTER
from foible.nets.evaluator import Evaluation, Material
from foible.opponents.net import NetModel
from foible.search.batcher import Usage
from foible.search.floor import evaluate, floor
from foible.search.params import SearchParams
from foible.search.trees import Trees
from foible.testing import random_positions
from tests.search.synthetic import Synthetic

POSITIONS = [p for p in random_positions(ChessPosition(), 12, seed=5) if isinstance(p, ChessPosition)]


@dataclass(eq=False)
class Slow:
    """Judges as `Synthetic`, as soon as it may; remembers the sizes of its calls."""

    batch_size: int = 8
    name: str = "slow"
    sizes: list[int] = field(default_factory=list)
    may: threading.Event = field(default_factory=threading.Event)
    error: Exception | None = None

    def evaluate(self, batch: Batch) -> Evaluation:
        self.sizes.append(len(batch))
        assert self.may.wait(20)
        if self.error is not None:
            raise self.error
        return Synthetic(1).evaluate(batch)


def ready(**settings: Any) -> Slow:
    """One that answers at once."""
    net = Slow(**settings)
    net.may.set()
    return net


def found(summary: RootSummary) -> list[object]:
    return [summary.n, summary.q, [(move.move, move.n, move.q) for move in summary.moves]]


async def until(condition: Callable[[], bool]) -> None:
    """Waits for what other tasks and threads do."""
    async with asyncio.timeout(200):
        while not condition():
            await asyncio.sleep(0.001)


def test_searches_policies_models_and_judges_of_one_net_are_asked_in_one_call() -> None:
    net = ready(batch_size=64)
    work: list[Coroutine[Any, Any, object]] = [
        Trees([net]).search(POSITIONS[0], 1),
        Trees([net]).search(POSITIONS[1], 1),
        evaluate(net, Batch([POSITIONS[2]])),
        NetModel(net).predict(POSITIONS[3:5]),
        NetJudge(net).judge(POSITIONS[5:8]),
    ]
    wait(together(work))
    assert net.sizes == [8]


def test_a_second_call_is_under_way_only_where_it_is_full() -> None:
    async def calls(waiting: int) -> list[int]:
        net = Slow(batch_size=4)
        tasks = [asyncio.ensure_future(evaluate(net, Batch([POSITIONS[0]])))]
        await until(lambda: net.sizes == [1])
        tasks += [asyncio.ensure_future(evaluate(net, Batch([position]))) for position in POSITIONS[:waiting]]
        await asyncio.sleep(0.05)
        before = len(floor()._under_way)
        net.may.set()
        await asyncio.gather(*tasks)
        return [before, *net.sizes]

    assert wait(calls(3)) == [1, 1, 3]
    assert wait(calls(4)) == [2, 1, 4]


def test_a_call_has_no_more_positions_than_the_batch_of_its_net_holds() -> None:
    async def sizes(*waiting: int) -> list[int]:
        net = Slow(batch_size=8)
        tasks = [asyncio.ensure_future(evaluate(net, Batch([POSITIONS[0]])))]
        await until(lambda: net.sizes == [1])
        tasks += [asyncio.ensure_future(evaluate(net, Batch(POSITIONS[:rows]))) for rows in waiting]
        await asyncio.sleep(0.05)
        net.may.set()
        await asyncio.gather(*tasks)
        return net.sizes[1:]

    assert sorted(wait(sizes(3, 3, 3))) == [3, 6]
    assert sorted(wait(sizes(2, 6, 1))) == [1, 8]
    assert sorted(wait(sizes(12, 2))) == [2, 12]


def test_what_is_worth_a_call_does_not_wait_for_a_busy_loop() -> None:
    async def sizes(waiting: int) -> list[int]:
        net = Slow(batch_size=12)
        tasks = [asyncio.ensure_future(evaluate(net, Batch([POSITIONS[0]])))]
        await until(lambda: net.sizes == [1])
        tasks += [asyncio.ensure_future(evaluate(net, Batch([position]))) for position in POSITIONS[:waiting]]
        await asyncio.sleep(0.05)
        net.may.set()
        deadline = time.monotonic() + (20 if waiting > 1 else 0.1)
        while len(net.sizes) < 2 and time.monotonic() < deadline:
            time.sleep(0.001)  # The loop itself is busy, as with the moves of many games.
        found = list(net.sizes)
        await asyncio.gather(*tasks)
        return found

    assert wait(sizes(2)) == [1, 2]
    assert wait(sizes(1)) == [1]


def test_an_evaluator_that_fails_fails_those_who_wait_for_it_alone_and_the_forest_lives_on() -> None:
    async def run() -> None:
        bad, good = ready(error=OSError("the device is gone")), ready(name="good")
        trees = Trees([bad], SearchParams(batch=4))
        results = await asyncio.gather(
            trees.search(POSITIONS[0], 30),
            trees.search(POSITIONS[1], 30),
            evaluate(bad, Batch([POSITIONS[2]])),
            Trees([good]).search(POSITIONS[0], 30),
            return_exceptions=True,
        )
        assert [isinstance(result, OSError) for result in results] == [True, True, True, False]
        bad.error = None
        fresh = await Trees([ready()], SearchParams(batch=4)).search(POSITIONS[0], 30)
        assert found(await trees.search(POSITIONS[0], 30)) == found(fresh)

    wait(run())


def test_who_raises_where_a_search_asks_whether_to_stop_ends_that_search_alone() -> None:
    async def run() -> None:
        trees = Trees([ready()])
        with trees.plant(POSITIONS[0]) as tree, trees.plant(POSITIONS[1]) as other:
            beside = asyncio.ensure_future(other.grow(30))
            with pytest.raises(BrokenPipeError):
                await tree.grow(1000, stop=broken)
            await beside
            assert other.summary().n == 30
        await trees.search(POSITIONS[2], 10)

    def broken() -> bool:
        raise BrokenPipeError("the reader has gone")

    wait(run())


@pytest.mark.parametrize(
    ("answer", "complaint"),
    [
        (lambda found: next(iter(())), "failed: StopIteration"),
        (lambda found: (found.logits, found.wdl), "answered with tuple; expected an Evaluation"),
        (lambda found: replace(found, logits=found.logits[1:]), "logits has the shape"),
        (lambda found: replace(found, wdl=found.wdl[:, :2]), "wdl has the shape"),
    ],
)
def test_nonsense_of_a_net_is_told_to_all_who_wait(answer: Callable[[Evaluation], Evaluation], complaint: str) -> None:
    class Nonsense(Slow):
        def evaluate(self, batch: Batch) -> Evaluation:
            return answer(Synthetic(1).evaluate(batch))

    async def run() -> Sequence[object]:
        net = Nonsense()
        one, two = (evaluate(net, Batch([position])) for position in POSITIONS[:2])
        return await asyncio.gather(one, two, Trees([net]).search(POSITIONS[2], 5), return_exceptions=True)

    for error in wait(run()):
        assert isinstance(error, EvaluationError)
        assert complaint in str(error)


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


@pytest.mark.parametrize("size", [0, -4, 2.5, None])
def test_a_net_without_a_batch_size_is_refused_and_disturbs_no_other(size: Any) -> None:
    message = f"slow: batch_size = {size}: expected a whole number from 1 on"
    with pytest.raises(ConfigError, match=message):
        Trees([ready(batch_size=size)])
    with pytest.raises(ConfigError, match=message):
        wait(evaluate(ready(batch_size=size), Batch(POSITIONS[:1])))
    assert wait(Trees([ready()]).search(POSITIONS[0], 5)).n == 5


@pytest.mark.parametrize("wrong", [[], POSITIONS[:2], POSITIONS[0], None])
def test_what_is_no_batch_is_refused_at_once_and_disturbs_no_other(wrong: Any) -> None:
    async def run() -> Sequence[object]:
        net = ready()
        return await asyncio.gather(evaluate(net, wrong), Trees([net]).search(POSITIONS[0], 20), return_exceptions=True)

    error, summary = wait(asyncio.wait_for(run(), 20))
    assert isinstance(error, TypeError)
    assert str(error) == f"expected a Batch, such as Batch([position]), found {type(wrong).__name__}"
    assert isinstance(summary, RootSummary)
    assert summary.n == 20


def test_positions_that_a_net_cannot_judge_disturb_no_other() -> None:
    """Neither those of another game, which no batch holds beside others, nor those that its encoding cannot show."""

    class Limited(Slow):
        def evaluate(self, batch: Batch) -> Evaluation:
            if any("a1a8" in moves for moves in batch.moves()):
                raise PositionError("no such rook")
            return super().evaluate(batch)

    async def run() -> Sequence[object]:
        net = Limited()
        net.may.set()
        batches = [Batch(POSITIONS[:1]), Batch([GoPosition(5)]), Batch([rook]), Batch(POSITIONS[:3])]
        return await asyncio.gather(*(evaluate(net, batch) for batch in batches), return_exceptions=True)

    rook = ChessPosition("8/4k3/8/8/8/8/8/R3K3 w - - 0 1")
    one, go, other, three = wait(run())
    assert isinstance(one, Evaluation)
    assert len(one.wdl) == 1
    assert isinstance(go, Evaluation), "the net itself does not mind"
    assert str(other) == "no such rook"
    assert isinstance(three, Evaluation)
    assert len(three.wdl) == 3


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
    wait(asyncio.wait_for(tree.grow(40), 20))
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
        await asyncio.wait_for(tree.grow(30), 20)
        return (await asyncio.wait_for(trees.search(POSITIONS[1], 30), 20)).n

    assert asyncio.run(go_on()) == 30
    assert tree.summary().n == 30


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
        growing = asyncio.ensure_future(asyncio.wait_for(tree.grow(400), 60))
        await until(lambda: tree.summary().n > 10)
        pending.get_coro().close()  # as the garbage collector does
        await growing

    asyncio.run(go_on())
    assert tree.summary().n == 400
    pending._log_destroy_pending = False  # type: ignore[attr-defined]  # it cannot end any more


def test_a_search_that_was_cancelled_keeps_no_other_loop_waiting() -> None:
    net = Slow()
    trees = Trees([net])

    async def cut() -> None:
        growing = asyncio.ensure_future(trees.search(POSITIONS[0], 30))
        await until(lambda: bool(net.sizes))
        growing.cancel()

    wait(cut())  # on a loop that lives on; its net is still computing
    threading.Timer(0.2, net.may.set).start()
    assert asyncio.run(trees.search(POSITIONS[1], 30)).n == 30
    assert wait(trees.search(POSITIONS[2], 30)).n == 30


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


def test_who_asks_little_has_its_turn_beside_one_who_asks_much() -> None:
    async def run() -> list[int]:
        much, little = ready(batch_size=4), ready(batch_size=64)
        answered = asyncio.ensure_future(evaluate(little, Batch([POSITIONS[0]])))

        async def go_on() -> None:
            while not answered.done():
                await evaluate(much, Batch([POSITIONS[1]]))

        async with asyncio.timeout(200):
            await asyncio.gather(*(go_on() for _ in range(40)))
        return little.sizes

    assert wait(run()) == [1]


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


def test_half_of_the_evaluations_came_in_calls_as_large_as_the_median() -> None:
    usage = Usage(Counter({1: 10, 8: 1, 12: 1}), 2.0)
    assert (usage.batches, usage.evaluations, usage.mean_batch, usage.median_batch) == (12, 30, 2.5, 8)
    assert Usage(Counter({1: 20, 20: 1})).median_batch == 20
    assert (Usage().median_batch, Usage().mean_batch) == (0, 0)
    since = usage - Usage(Counter({1: 10}), 0.5)
    assert (since.evaluations, since.busy, since.median_batch) == (20, 1.5, 12)


def test_what_a_net_did_is_known_by_its_name() -> None:
    async def run() -> Usage:
        before = floor().usage.get("named", Usage())
        await together(evaluate(ready(name="named"), Batch(POSITIONS[:n])) for n in (2, 3))
        return floor().usage["named"] - before

    assert wait(run()).evaluations == 5


def test_time_in_which_a_net_computes_counts_once_even_where_another_net_begins_later_and_ends_sooner() -> None:
    async def run() -> tuple[float, float]:
        slow, quick = Slow(name="long"), ready(name="short", batch_size=1)
        began = time.perf_counter()
        waiting = asyncio.ensure_future(evaluate(slow, Batch(POSITIONS[:1])))
        await until(lambda: slow.sizes == [1])
        await asyncio.sleep(0.2)
        await evaluate(quick, Batch(POSITIONS[:1]))
        slow.may.set()
        await waiting
        usage = floor().usage
        return usage["long"].busy + usage["short"].busy, time.perf_counter() - began

    busy, passed = wait(run())
    assert 0.2 <= busy <= passed


def test_joined_batches_hold_their_positions_in_order() -> None:
    parts = [Batch(POSITIONS[:3]), Batch(POSITIONS[3:4]), Batch(POSITIONS[4:9])]
    joined, whole = Batch.join(parts), Batch(POSITIONS[:9])
    assert joined.moves() == whole.moves()
    assert joined.offsets.tolist() == whole.offsets.tolist()
    assert joined.planes().tobytes() == whole.planes().tobytes()


def test_nothing_is_joined_to_nothing_nor_one_game_to_another() -> None:
    chess = Batch([ChessPosition()])
    for parts in ([], [chess, Batch([GoPosition(5)])], [Batch([GoPosition(5)]), Batch([GoPosition(7)])]):
        with pytest.raises(PositionError):
            Batch.join(parts)


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
