"""Runtimes, one call after the other and under several threads."""

import os
import pickle
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from copy import deepcopy
from queue import SimpleQueue

import numpy as np
import pytest
from hypothesis import given, strategies as st

import foible
from foible._core import Batch
from foible.errors import ConfigError, NetFileError
from foible.games.chess import random_positions
from foible.nets.catalogue import find_net
from foible.nets.chess_file import read_model
from foible.nets.choices import GraphRuntime, Precision
from foible.nets.evaluator import Evaluator, Floats
from foible.nets.graph_workers import _KEPT, BatchSizes, Rows, has_bf16
from foible.nets.lc0_file import parse_lc0
from foible.nets.onnx_file import OnnxModel, model_from_lc0
from foible.nets.runtimes import CHUNK, Outputs, RuntimeNet, _parts
from tests.nets.synthetic import Recipe, random_planes, synthesise

WAYS: list[tuple[GraphRuntime, Precision]] = [
    ("openvino", "f32"),
    ("openvino", "bf16"),
    ("openvino", "int8"),
    ("onnxruntime", "f32"),
    ("onnxruntime", "int8"),
]
SIZES = [128, 96, 65, 64, 63, 48, 47, 33, 32, 31, 23, *range(17, 0, -1)]
"""Descending: most follow one that is a little larger, in whose size they may be computed."""
OF_SEVERAL = {1: SIZES, 2: SIZES[::2]}
"""By the number of threads, which share a batch."""
KINDS = {
    "64 filters": Recipe(filters=64, blocks=2, squeeze=32, hidden=128, channels=32),
    "mish, all heads": Recipe(filters=24, policy="classical", wdl=False, mish=True, moves_left=True, hidden=48),
}


DROPPED_ELSEWHERE = """
import gc, signal, threading
from foible import open_net
nets = [open_net("master", runtime="openvino", threads=1)]
other = threading.Thread(target=lambda: (nets.clear(), gc.collect()))
other.start()
other.join()
try:
    signal.raise_signal(signal.SIGINT)
except KeyboardInterrupt:
    print("interrupted")
"""


@pytest.fixture(scope="module", autouse=True)
def _own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """For the nets in int8."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
        yield


@pytest.fixture(scope="module", params=KINDS)
def model(request: pytest.FixtureRequest) -> OnnxModel:
    return model_from_lc0(parse_lc0(synthesise(KINDS[request.param]).data), "synthetic")


@pytest.fixture(params=WAYS, ids=" ".join)
def way(request: pytest.FixtureRequest) -> tuple[GraphRuntime, Precision]:
    if request.param[1] == "bf16" and not has_bf16():
        pytest.skip("this processor has no bf16 arithmetic")
    way: tuple[GraphRuntime, Precision] = request.param
    return way


def rows_equal(some: Outputs, all_rows: Outputs, rows: slice) -> bool:
    if not np.array_equal(some.policy, all_rows.policy[rows]) or not np.array_equal(some.wdl, all_rows.wdl[rows]):
        return False
    if some.moves_left is None or all_rows.moves_left is None:
        return some.moves_left is all_rows.moves_left
    return np.array_equal(some.moves_left, all_rows.moves_left[rows])


@pytest.mark.parametrize("threads", OF_SEVERAL)
def test_a_position_gets_the_same_bits_whatever_batch_it_comes_in(
    model: OnnxModel, way: tuple[GraphRuntime, Precision], threads: int
) -> None:
    net = RuntimeNet(model, *way, threads)
    planes = random_planes(130)
    together = RuntimeNet(model, *way, 3).evaluate_planes(planes)
    for size in OF_SEVERAL[threads]:
        for start in (1, 130 - size):
            rows = slice(start, min(start + size, 130))
            assert rows_equal(net.evaluate_planes(planes[rows]), together, rows), (size, start)


@given(st.integers(1, 4), st.integers(0, 8), st.lists(st.integers(1, 64), min_size=1))
def test_a_batch_grows_to_the_size_of_the_last_one_where_that_is_little_larger(
    at_least: int, spare: int, counts: list[int]
) -> None:
    sizes, last = BatchSizes(at_least, spare, workers=len(counts)), at_least
    for count in counts:
        size = sizes.for_positions(count)
        smallest = max(at_least, count)
        assert size in (smallest, last)
        assert smallest <= size <= smallest + spare
        assert (size == last) == (smallest <= last <= smallest + spare)
        last = size


@given(st.integers(1, 4), st.lists(st.integers(1, 64)), st.integers(1, 3))
def test_batches_of_one_size_are_soon_computed_in_that_size(workers: int, before: list[int], at_least: int) -> None:
    sizes = BatchSizes(at_least, 8, workers)
    for count in [*before, *[12] * (2 * _KEPT * workers)]:
        assert max(at_least, count) <= sizes.for_positions(count) <= max(at_least, count) + 8
    assert sizes.for_positions(12) == 12


def test_a_net_that_comes_with_foible_does_so_in_batches_up_to_256(way: tuple[GraphRuntime, Precision]) -> None:
    net = RuntimeNet(read_model(find_net("master")), *way, 1)
    planes = random_planes(256)
    together = net.evaluate_planes(planes)
    for size in (1, 2, 7, 64):
        for start in (0, 100, 256 - size):
            rows = slice(start, start + size)
            assert rows_equal(net.evaluate_planes(planes[rows]), together, rows), (size, start)


def test_bf16_is_the_same_in_any_batch_for_thousands_of_positions() -> None:
    """In larger batches than foible gives a worker some kernels round another way, once in thousands of positions."""
    if not has_bf16():
        pytest.skip("this processor has no bf16 arithmetic")
    net = RuntimeNet(read_model(find_net("master")), "openvino", "bf16", 1)
    planes = Batch(random_positions(5000)).planes(net.model.encoding)
    first, second = (
        [net.evaluate_planes(planes[start : start + size]) for start in range(0, len(planes), size)]
        for size in (20, 500)
    )
    for name in ("policy", "wdl"):
        one, other = (np.concatenate([getattr(part, name) for part in found]) for found in (first, second))
        assert np.array_equal(one, other), name


def test_overlapping_calls_answer_each_its_own_question(model: OnnxModel, way: tuple[GraphRuntime, Precision]) -> None:
    net = RuntimeNet(model, *way, 2)
    planes = random_planes(100)
    expected = net.evaluate_planes(planes)
    slices = [slice(start, start + 1 + start % 17) for start in range(0, 60, 3)]
    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(lambda rows: net.evaluate_planes(planes[rows]), slices * 3))
    assert all(rows_equal(answer, expected, rows) for answer, rows in zip(answers, slices * 3, strict=True))


def test_calls_under_way_at_once_share_the_threads(model: OnnxModel, monkeypatch: pytest.MonkeyPatch) -> None:
    parts: SimpleQueue[int] = SimpleQueue()
    may_end = threading.Event()

    def worker(planes: Floats, rows: Rows) -> None:
        parts.put(len(planes))
        assert may_end.wait(200)
        rows["wdl"][:] = 1.0

    monkeypatch.setattr("foible.nets.runtimes.open_workers", lambda *_: 12 * [worker])
    net, planes = RuntimeNet(model, "openvino", "f32", 3), random_planes(24)
    with ThreadPoolExecutor(3) as pool:
        calls = []
        for expected in (3 * [8], 2 * [12], [24]):
            calls.append(pool.submit(net.evaluate_planes, planes))
            assert [parts.get(timeout=200) for _ in expected] == expected
        may_end.set()
        assert all((call.result().wdl == 1.0).all() for call in calls)
    net.evaluate_planes(planes)
    assert [parts.get(timeout=200) for _ in range(3)] == 3 * [8]


def test_batches_larger_than_all_chunks_are_answered_in_order() -> None:
    net = RuntimeNet(model_from_lc0(parse_lc0(synthesise(Recipe()).data), "tiny"), "openvino", "f32", 2)
    planes = random_planes(3 * CHUNK + 5)
    together = net.evaluate_planes(planes)
    for i in (0, CHUNK - 1, CHUNK, 2 * CHUNK + 1, 3 * CHUNK + 4):
        assert rows_equal(net.evaluate_planes(planes[i : i + 1]), together, slice(i, i + 1))


@given(total=st.integers(1, 4096), threads=st.integers(1, 64), most=st.sampled_from([32, 96]))
def test_no_thread_waits_for_the_last_part_of_another(total: int, threads: int, most: int) -> None:
    parts = _parts(total, threads, most)

    assert [row for part in parts for row in range(part.start, part.stop)] == list(range(total))
    sizes = {part.stop - part.start for part in parts}
    assert max(sizes) - min(sizes) <= 1
    assert max(sizes) <= most
    if total >= threads * max(sizes):
        assert len(parts) % threads == 0


def test_it_is_an_evaluator_and_says_what_it_is(model: OnnxModel) -> None:
    net = RuntimeNet(model, "onnxruntime", "f32", 2)
    assert isinstance(net, Evaluator)
    assert net.name == "synthetic (onnxruntime f32)"
    assert net.batch_size == 2 * CHUNK
    assert net.least_beside < net.batch_size
    assert RuntimeNet(model, "onnxruntime", "f32", 1).least_beside == CHUNK


def test_impossible_settings_are_refused(model: OnnxModel) -> None:
    with pytest.raises(ConfigError, match="threads is 0"):
        RuntimeNet(model, "openvino", "f32", 0)
    with pytest.raises(ConfigError, match="threads is 1025, expected 1 to 1024"):
        RuntimeNet(model, "openvino", "f32", 1025)
    with pytest.raises(ConfigError, match="ONNX Runtime computes in f32 and int8, not in bf16"):
        RuntimeNet(model, "onnxruntime", "bf16", 1)


@pytest.mark.parametrize("runtime", ["openvino", "onnxruntime"])
def test_a_model_that_the_runtime_refuses_gives_one_line(runtime: GraphRuntime) -> None:
    with pytest.raises(NetFileError, match=r"broken: .* refuses the model: ") as caught:
        RuntimeNet(OnnxModel("broken", b"\x08\x08nonsense", moves_left=False), runtime, "f32", 1)
    assert "\n" not in str(caught.value)


def test_an_interrupt_is_an_interrupt_after_another_thread_dropped_the_last_net() -> None:
    command = [sys.executable, "-c", DROPPED_ELSEWHERE]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert (done.returncode, done.stdout) == (0, "interrupted\n"), done.stderr


TWO_THREADS_AT_ONCE = """
import sys, threading
from foible import Batch, ChessPosition, open_net
net = open_net(sys.argv[1], runtime=sys.argv[2], threads=2)
batch = Batch([ChessPosition()] * 64)
threads = [threading.Thread(target=net.evaluate, args=(batch,)) for _ in range(4)]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
"""


@pytest.mark.parametrize("runtime", ["openvino", "onnxruntime"])
def test_the_first_calls_of_a_process_may_come_from_several_threads(runtime: str) -> None:
    for _ in range(2):
        subprocess.run([sys.executable, "-c", TWO_THREADS_AT_ONCE, "master", runtime], timeout=300, check=True)


def test_who_pickles_or_copies_an_open_net_is_told_what_to_do() -> None:
    net = RuntimeNet(model_from_lc0(parse_lc0(synthesise(Recipe()).data), "some"), "onnxruntime", "f32", 1)
    for send in (pickle.dumps, deepcopy):
        with pytest.raises(
            TypeError, match=r"some \(onnxruntime f32\): an open net cannot be pickled or copied; open it"
        ):
            send(foible.NetPolicy(net))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork processes")
@pytest.mark.parametrize("runtime", ["onnxruntime", "openvino"])
def test_a_net_of_several_threads_does_not_wait_for_them_in_a_fork(runtime: GraphRuntime) -> None:
    code = f"""if True:
        import os
        import foible
        net, positions = foible.open_net("master", runtime={runtime!r}, threads=2), [foible.ChessPosition()] * 200
        foible.evaluate_all(net, positions)
        if child := os.fork():
            print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
        else:
            try:
                foible.evaluate_all(net, positions)
            except foible.FoibleError as error:
                print(error, flush=True)
                os._exit(7)
    """
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=100, check=True)
    assert run.stdout.splitlines() == [
        f"master ({runtime} f32): opened before this process was forked; open it here",
        "7",
    ]
