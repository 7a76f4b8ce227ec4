"""What all games of an event loop wait for becomes full calls of each net, and changes nothing that anybody is told."""

import asyncio
import threading
import time
from collections import Counter
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import replace
from typing import Any

import pytest

from foible._core import Batch, ChessPosition, GoPosition, RootSummary
from foible.errors import ConfigError, EvaluationError, PositionError
from foible.judges.net import NetJudge
from foible.loop import together, wait
from foible.nets.evaluator import Evaluation
from foible.opponents.net import NetModel
from foible.search.batcher import Usage
from foible.search.params import SearchParams
from foible.search.scheduler import evaluate_batch, scheduler
from foible.search.speed import credit, speed_of
from foible.search.trees import Trees
from foible.testing import random_positions
from tests.search.synthetic import Slow, Synthetic, found, ready, until

POSITIONS = [p for p in random_positions(ChessPosition(), 12, seed=5) if isinstance(p, ChessPosition)]


class Sharing(Slow):
    """Calls of this net share the threads."""

    least_beside = 4


async def asked() -> None:
    """Waits until the tasks that were made have asked, and the scheduler has begun the calls that are due."""
    await asyncio.sleep(0)
    await until(lambda: not scheduler()._stirring)


def test_searches_policies_models_and_judges_of_one_net_are_asked_in_one_call() -> None:
    net = ready(batch_size=64)
    work: list[Coroutine[Any, Any, object]] = [
        Trees([net]).search(POSITIONS[0], 1),
        Trees([net]).search(POSITIONS[1], 1),
        evaluate_batch(net, Batch([POSITIONS[2]])),
        NetModel(net).predict(POSITIONS[3:5]),
        NetJudge(net).judge(POSITIONS[5:8]),
    ]
    wait(together(work))
    assert net.sizes == [8]


@pytest.mark.parametrize(("made", "least"), [(Slow, 12), (Sharing, 4)])
def test_a_second_call_is_under_way_where_it_is_full_or_the_calls_of_a_net_share_the_threads(
    made: type[Slow], least: int
) -> None:
    async def calls(first: int, waiting: int) -> list[int]:
        net = made(batch_size=12)
        tasks = [asyncio.ensure_future(evaluate_batch(net, Batch(POSITIONS[:first])))]
        await until(lambda: net.sizes == [first])
        tasks += [asyncio.ensure_future(evaluate_batch(net, Batch([position]))) for position in POSITIONS[:waiting]]
        await asked()
        before = len(scheduler()._under_way)
        net.may.set()
        await asyncio.gather(*tasks)
        return [before, *net.sizes]

    for first in (1, 12):
        assert wait(calls(first, least - 1)) == [1, first, least - 1]
        assert wait(calls(first, least)) == [2, first, least]


def test_a_call_has_no_more_positions_than_the_batch_of_its_net_holds() -> None:
    async def sizes(*waiting: int) -> list[int]:
        net = Slow(batch_size=8)
        tasks = [asyncio.ensure_future(evaluate_batch(net, Batch(POSITIONS[:4])))]
        await until(lambda: net.sizes == [4])
        tasks += [asyncio.ensure_future(evaluate_batch(net, Batch(POSITIONS[:rows]))) for rows in waiting]
        await asked()
        net.may.set()
        await asyncio.gather(*tasks)
        return net.sizes[1:]

    assert sorted(wait(sizes(3, 3, 3))) == [3, 6]
    assert sorted(wait(sizes(2, 6, 1))) == [1, 8]
    assert sorted(wait(sizes(12, 2))) == [2, 12]


def test_what_is_worth_a_call_does_not_wait_for_a_busy_loop() -> None:
    async def sizes(waiting: int) -> list[int]:
        net = Slow(batch_size=12)
        tasks = [asyncio.ensure_future(evaluate_batch(net, Batch(POSITIONS[:6])))]
        await until(lambda: net.sizes == [6])
        tasks += [asyncio.ensure_future(evaluate_batch(net, Batch([position]))) for position in POSITIONS[:waiting]]
        await asked()
        net.may.set()
        deadline = time.monotonic() + (200 if waiting > 1 else 0.1)
        while len(net.sizes) < 2 and time.monotonic() < deadline:
            time.sleep(0.001)  # The loop itself is busy, as with the moves of many games.
        found = list(net.sizes)
        await asyncio.gather(*tasks)
        return found

    assert wait(sizes(2)) == [6, 2]
    assert wait(sizes(1)) == [6]


def test_an_evaluator_that_fails_fails_those_who_wait_for_it_alone_and_the_forest_lives_on() -> None:
    async def run() -> None:
        bad, good = ready(error=OSError("the device is gone")), ready(name="good")
        trees = Trees([bad], SearchParams(batch=4))
        results = await asyncio.gather(
            trees.search(POSITIONS[0], 30),
            trees.search(POSITIONS[1], 30),
            evaluate_batch(bad, Batch([POSITIONS[2]])),
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
        one, two = (evaluate_batch(net, Batch([position])) for position in POSITIONS[:2])
        return await asyncio.gather(one, two, Trees([net]).search(POSITIONS[2], 5), return_exceptions=True)

    for error in wait(run()):
        assert isinstance(error, EvaluationError)
        assert complaint in str(error)


@pytest.mark.parametrize("name", ["batch_size", "least_beside"])
@pytest.mark.parametrize("size", [0, -4, 2.5, None])
def test_a_net_that_says_no_size_is_refused_and_disturbs_no_other(name: str, size: Any) -> None:
    message = f"slow: {name} = {size}: expected a whole number from 1 on"
    net = ready()
    setattr(net, name, size)
    with pytest.raises(ConfigError, match=message):
        Trees([net])
    with pytest.raises(ConfigError, match=message):
        wait(evaluate_batch(net, Batch(POSITIONS[:1])))
    assert wait(asyncio.wait_for(Trees([ready()]).search(POSITIONS[0], 5), 20)).n == 5


@pytest.mark.parametrize("wrong", [[], POSITIONS[:2], POSITIONS[0], None])
def test_what_is_no_batch_is_refused_at_once_and_disturbs_no_other(wrong: Any) -> None:
    async def run() -> Sequence[object]:
        net = ready()
        return await asyncio.gather(
            evaluate_batch(net, wrong), Trees([net]).search(POSITIONS[0], 20), return_exceptions=True
        )

    error, summary = wait(asyncio.wait_for(run(), 200))
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
        return await asyncio.gather(*(evaluate_batch(net, batch) for batch in batches), return_exceptions=True)

    rook = ChessPosition("8/4k3/8/8/8/8/8/R3K3 w - - 0 1")
    one, go, other, three = wait(run())
    assert isinstance(one, Evaluation)
    assert len(one.wdl) == 1
    assert isinstance(go, Evaluation), "the net itself does not mind"
    assert str(other) == "no such rook"
    assert isinstance(three, Evaluation)
    assert len(three.wdl) == 3


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


def test_who_asks_little_has_its_turn_beside_one_who_asks_much() -> None:
    async def run() -> list[int]:
        much, little = ready(batch_size=4), ready(batch_size=64)
        answered = asyncio.ensure_future(evaluate_batch(little, Batch([POSITIONS[0]])))

        async def go_on() -> None:
            while not answered.done():
                await evaluate_batch(much, Batch([POSITIONS[1]]))

        async with asyncio.timeout(200):
            await asyncio.gather(*(go_on() for _ in range(40)))
        return little.sizes

    assert wait(run()) == [1]


def test_half_of_the_evaluations_came_in_calls_as_large_as_the_median() -> None:
    usage = Usage(Counter({1: 10, 8: 1, 12: 1}), 2.0)
    assert (usage.batches, usage.evaluations, usage.mean_batch, usage.median_batch) == (12, 30, 2.5, 8)
    assert Usage(Counter({1: 20, 20: 1})).median_batch == 20
    assert (Usage().median_batch, Usage().mean_batch) == (0, 0)
    since = usage - Usage(Counter({1: 10}), 0.5)
    assert (since.evaluations, since.busy, since.median_batch) == (20, 1.5, 12)


def test_what_a_net_did_is_known_by_its_name() -> None:
    async def run() -> Usage:
        before = scheduler().usage.get("named", Usage())
        await together(evaluate_batch(ready(name="named"), Batch(POSITIONS[:n])) for n in (2, 3))
        return scheduler().usage["named"] - before

    assert wait(run()).evaluations == 5


def test_what_nets_did_elsewhere_is_credited_to_the_work_that_had_it_done() -> None:
    here = ready(name="here")
    credit({"another": Usage(Counter({7: 1}), 0.5)})

    def work() -> None:
        wait(evaluate_batch(here, Batch(POSITIONS[:1])))
        credit({"here": Usage(Counter({1: 2}), 0.25), "another": Usage(Counter({8: 3}), 1.5)})

    _, speed = speed_of(work)
    assert speed.nets["another"] == Usage(Counter({8: 3}), 1.5)
    assert speed.nets["here"].sizes == Counter({1: 3})


def test_time_in_which_a_net_computes_counts_once_even_where_another_net_begins_later_and_ends_sooner() -> None:
    async def run() -> tuple[float, float]:
        slow, quick = Slow(name="long"), ready(name="short", batch_size=1)
        began = time.perf_counter()
        waiting = asyncio.ensure_future(evaluate_batch(slow, Batch(POSITIONS[:1])))
        await until(lambda: slow.sizes == [1])
        await asyncio.sleep(0.2)
        await evaluate_batch(quick, Batch(POSITIONS[:1]))
        slow.may.set()
        await waiting
        usage = scheduler().usage
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
