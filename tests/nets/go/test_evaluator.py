import logging
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from hypothesis import given, strategies as st

from foible._core import Batch, ChessPosition, GoPosition
from foible.errors import ConfigError, EvaluationError
from foible.games.go import SYMMETRIES
from foible.nets.choices import GraphRuntime
from foible.nets.evaluator import Evaluation, Evaluator, Floats
from foible.nets.go.evaluator import GoRuntimeNet, Symmetry, draw_symmetries, sources, targets, turn_back, turn_planes
from foible.nets.go.graph import graph_model
from foible.nets.runtimes import InRuntime
from foible.testing import check_evaluator, random_positions
from tests.nets.go.arrays import weights_of
from tests.nets.go.naive import EXTRA_LINES, Recipe, lines_of, outputs_of, text_of

NUMBERS = st.sampled_from(SYMMETRIES)
SIZES = st.integers(1, 9)


def source(x: int, y: int, symmetry: int, size: int) -> tuple[int, int]:
    """As the docstring says it."""
    if symmetry & 4:
        x, y = y, x
    if symmetry & 2:
        x = size - 1 - x
    if symmetry & 1:
        y = size - 1 - y
    return x, y


@given(NUMBERS, SIZES)
def test_tables_are_those_of_the_definition(symmetry: int, size: int) -> None:
    for y in range(size):
        for x in range(size):
            from_x, from_y = source(x, y, symmetry, size)
            assert sources(size)[symmetry, y * size + x] == from_y * size + from_x
    assert sources(size)[symmetry, -1] == size * size
    assert (targets(size)[symmetry][sources(size)[symmetry]] == np.arange(size * size + 1)).all()


@pytest.mark.parametrize("size", [2, 3, 7])
def test_the_eight_are_a_group(size: int) -> None:
    rows = {tuple(row) for row in sources(size)}
    assert len(rows) == len(SYMMETRIES)
    for one in sources(size):
        for other in sources(size):
            assert tuple(one[other]) in rows


@given(st.lists(NUMBERS, min_size=1, max_size=12), SIZES, st.integers(0, 99))
def test_turned_planes_show_the_same_policy_turned_back(chosen: list[int], size: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    symmetries = np.array(chosen, np.uint8)
    planes = rng.random((len(chosen), 3, size, size), np.float32)
    turned = turn_planes(planes, symmetries)
    assert turned.flags.c_contiguous
    for row, symmetry in enumerate(chosen):
        for y in range(size):
            for x in range(size):
                from_x, from_y = source(x, y, symmetry, size)
                assert (turned[row, :, y, x] == planes[row, :, from_y, from_x]).all()
    flat = np.concatenate([planes[:, 0].reshape(len(chosen), -1), planes[:, 1, :1, 0]], axis=1)
    seen = np.concatenate([turned[:, 0].reshape(len(chosen), -1), planes[:, 1, :1, 0]], axis=1)
    assert np.array_equal(turn_back(seen, symmetries, size), flat)


def test_each_symmetry_is_drawn_as_often_as_any_other_even_for_keys_that_are_close() -> None:
    for keys in (np.arange(8000, dtype=np.uint64), np.arange(8000, dtype=np.uint64) << np.uint64(50)):
        counts = np.bincount(draw_symmetries(keys, 1), minlength=len(SYMMETRIES))
        assert len(counts) == len(SYMMETRIES)
        assert abs(counts - 1000).max() < 150


def test_draws_depend_on_the_seed_and_the_key_alone() -> None:
    keys = np.random.default_rng(0).integers(0, 2**64, 200, dtype=np.uint64)
    whole = draw_symmetries(keys, 7)
    assert np.array_equal(draw_symmetries(keys[::-1], 7), whole[::-1])
    assert np.array_equal(draw_symmetries(keys[50:51], 7), whole[50:51])
    for seed in (8, -1, 2**64 + 6, 10**30):
        assert 10 < (draw_symmetries(keys, seed) == whole).sum() < 60


RUNTIMES: list[GraphRuntime] = ["openvino", "onnxruntime"]
SIZE = 5
RECIPE = Recipe(size=SIZE, head="y", seed=5)
LZ_RECIPE = replace(RECIPE, head="lz")
COLUMNS = "ABCDE"
INVERSE = [0, 1, 2, 3, 4, 6, 5, 7]
"""Of each symmetry: only the two quarter turns undo each other."""


@cache
def opened(
    recipe: Recipe, symmetry: Symmetry = "none", runtime: GraphRuntime = "openvino", threads: int = 1
) -> GoRuntimeNet:
    model = graph_model(weights_of(text_of(lines_of(recipe))), "net")
    return GoRuntimeNet(model, runtime, threads=threads, symmetry=symmetry)


def positions(count: int, size: int = SIZE, komi: float = 9.5, seed: int = 0) -> list[GoPosition]:
    found = random_positions(GoPosition(size, komi=komi), count, seed)
    return [position for position in found if isinstance(position, GoPosition)]


def index(move: str) -> int:
    """Where a move stands in the policy."""
    return SIZE * SIZE if move == "pass" else COLUMNS.index(move[0]) + SIZE * (int(move[1:]) - 1)


def mapped(position: GoPosition, symmetry: int) -> GoPosition:
    """The game in which each move is played where the symmetry puts its point."""
    names = [f"{COLUMNS[point % SIZE]}{point // SIZE + 1}" for point in range(SIZE * SIZE)] + ["pass"]
    moves = [names[targets(SIZE)[symmetry, index(move)]] for move in position.moves]
    return GoPosition(SIZE, moves, komi=position.komi)


def margins_of(evaluation: Evaluation) -> Floats:
    assert evaluation.margins is not None
    return evaluation.margins


def by_point(batch: Batch, evaluation: Evaluation, row: int = 0) -> dict[int, float]:
    """A position's logits by the index of the move."""
    part = slice(batch.offsets[row], batch.offsets[row + 1])
    return dict(zip(batch.policy_indices()[part].tolist(), evaluation.logits[part].tolist(), strict=True))


@pytest.mark.parametrize("runtime", RUNTIMES)
@pytest.mark.parametrize("planes", [17, 18])
@pytest.mark.parametrize("head", EXTRA_LINES)
def test_it_answers_what_the_format_says(head: str, planes: int, runtime: GraphRuntime) -> None:
    recipe = replace(RECIPE, head=head, planes=planes)
    batch = Batch([*positions(9, komi=3.5), *positions(4, komi=-6.5, seed=1)])
    found = opened(recipe, runtime=runtime).evaluate(batch)
    seen = batch.planes()
    komi = np.repeat([3.5, -6.5], [9, 4]) * np.where(seen[:, 16, 0, 0] == 1, -1, 1)
    if planes == 17:
        seen = np.concatenate([seen[:, :16], np.ones_like(seen[:, :1])], axis=1)
    expected = outputs_of(recipe, lines_of(recipe), seen)
    np.testing.assert_allclose(found.logits, batch.legal(expected["policy"].astype(np.float32)), atol=1e-5)
    if head == "lz":
        win = (1 + np.tanh(expected["value"])) / 2
        assert found.margins is None
    else:
        alpha, beta = expected["alpha"], (10 / SIZE**2 * np.exp(expected["raw"])).clip(1e-3, 50)
        np.testing.assert_allclose(margins_of(found), np.stack([alpha, beta], axis=1), rtol=2e-5, atol=1e-5)
        win = 1 / (1 + np.exp(-beta * (alpha + komi)))
    np.testing.assert_allclose(found.wdl, np.stack([win, 0 * win, 1 - win], axis=1), atol=1e-5)
    assert found.wdl.dtype == found.logits.dtype == np.float32


def test_komi_changes_the_winrate_and_nothing_else() -> None:
    one, other = (
        opened(RECIPE).with_symmetry("random").evaluate(Batch(positions(20, komi=komi))) for komi in (3.5, 9.5)
    )
    assert np.array_equal(one.logits, other.logits)
    assert np.array_equal(margins_of(one), margins_of(other))
    assert (one.wdl[:, 0] != other.wdl[:, 0]).all()


@given(NUMBERS, st.integers(0, 1000))
def test_a_position_seen_by_a_symmetry_is_the_mapped_position(symmetry: int, seed: int) -> None:
    position = positions(12, seed=seed)[-1]
    plain, turned = Batch([position]), Batch([mapped(position, symmetry)])
    seen = opened(RECIPE).with_symmetry(symmetry).evaluate(plain)
    itself = opened(RECIPE).evaluate(turned)
    assert np.array_equal(seen.wdl, itself.wdl)
    assert np.array_equal(margins_of(seen), margins_of(itself))
    there = by_point(turned, itself)
    assert {int(sources(SIZE)[symmetry, point]): logit for point, logit in there.items()} == by_point(plain, seen)
    back = by_point(turned, opened(RECIPE).with_symmetry(INVERSE[symmetry]).evaluate(turned))
    assert {int(sources(SIZE)[symmetry, point]): logit for point, logit in back.items()} == by_point(
        plain, opened(RECIPE).evaluate(plain)
    )


@pytest.mark.parametrize("recipe", [RECIPE, LZ_RECIPE], ids=["y", "lz"])
def test_the_average_is_that_of_all_eight(recipe: Recipe) -> None:
    net = opened(recipe)
    batch = Batch(positions(10))
    average = net.with_symmetry("average").evaluate(batch)
    each = [net.with_symmetry(symmetry).evaluate(batch) for symmetry in SYMMETRIES]
    if net.judges_margins:
        expected = np.mean([margins_of(one) for one in each], axis=0)
        np.testing.assert_allclose(margins_of(average), expected, rtol=1e-5)
        win = 1 / (1 + np.exp(-expected[:, 1] * (expected[:, 0] + batch.signed_komi)))
        np.testing.assert_allclose(average.wdl[:, 0], win, atol=1e-5)
    else:
        np.testing.assert_allclose(average.wdl, np.mean([one.wdl for one in each], axis=0), atol=1e-6)


def test_the_average_policy_is_one_of_probabilities_and_the_same_for_all_mapped_positions() -> None:
    position = GoPosition(SIZE)
    batch = Batch([position])
    each = [by_point(batch, opened(RECIPE).with_symmetry(symmetry).evaluate(batch)) for symmetry in SYMMETRIES]
    logits = np.array([[one[point] for point in range(SIZE**2 + 1)] for one in each])
    chances = (np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)).mean(axis=0)
    average = opened(RECIPE).with_symmetry("average")
    np.testing.assert_allclose(np.exp(average.evaluate(batch).logits), chances, rtol=1e-4)
    position = positions(9)[-1]
    one = by_point(Batch([position]), average.evaluate(Batch([position])))
    for symmetry in SYMMETRIES:
        turned = Batch([mapped(position, symmetry)])
        there = by_point(turned, average.evaluate(turned))
        for point, logit in there.items():
            assert logit == pytest.approx(one[int(sources(SIZE)[symmetry, point])], abs=1e-4)


@pytest.mark.parametrize("runtime", RUNTIMES)
@pytest.mark.parametrize("symmetry", ["random", "average", "none", 5])
def test_answers_depend_neither_on_the_batch_nor_on_the_threads(symmetry: Symmetry, runtime: GraphRuntime) -> None:
    some = positions(40)
    check_evaluator(opened(RECIPE, symmetry, runtime), some)
    whole = opened(RECIPE, symmetry, runtime).evaluate(Batch(some))
    parallel = opened(RECIPE, symmetry, runtime, threads=3).evaluate(Batch(some))
    assert np.array_equal(whole.logits, parallel.logits)
    assert np.array_equal(whole.wdl, parallel.wdl)
    assert np.array_equal(margins_of(whole), margins_of(parallel))


def test_random_symmetries_are_fixed_by_the_seed_and_differ_between_positions() -> None:
    batch = Batch(positions(60))
    by_symmetry = [margins_of(opened(RECIPE).with_symmetry(symmetry).evaluate(batch)) for symmetry in SYMMETRIES]

    def chosen(seed: int) -> list[int]:
        found = margins_of(opened(RECIPE).with_symmetry("random", seed).evaluate(batch))
        return [[np.array_equal(rows[row], found[row]) for rows in by_symmetry].index(True) for row in range(60)]

    assert len(set(chosen(1))) == len(SYMMETRIES)
    assert chosen(1) == chosen(1)
    assert chosen(1) != chosen(2)


def test_overlapping_calls_answer_each_its_own_question() -> None:
    net = opened(RECIPE, "random", threads=2)
    some = positions(60)
    batches = [Batch(some[start : start + 5 + start % 17]) for start in range(0, 40, 3)]
    expected = [net.evaluate(batch) for batch in batches]
    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(net.evaluate, batches))
    assert all(np.array_equal(one.logits, other.logits) for one, other in zip(expected, answers, strict=True))


def test_it_is_an_evaluator_and_says_what_it_is() -> None:
    net = opened(RECIPE, "random", "onnxruntime", 2)
    assert isinstance(net, Evaluator)
    assert isinstance(net, InRuntime)
    assert (net.name, net.size, net.batch_size, net.judges_margins) == ("net (onnxruntime f32)", SIZE, 128, True)
    assert not opened(LZ_RECIPE).judges_margins


def test_mistakes_are_told_in_one_line() -> None:
    with pytest.raises(ConfigError, match=r"^net is a net for Go on a 5×5 board; expected one for Go on a 7×7 board$"):
        opened(RECIPE).evaluate(Batch([GoPosition(7)]))
    with pytest.raises(ConfigError, match=r"^net is a net for Go on a 5×5 board; expected one for chess$"):
        opened(RECIPE).evaluate(Batch([ChessPosition()]))
    for wrong in (8, -1, "all", True, 1.5):
        with pytest.raises(ConfigError, match=r"symmetry = .*: expected random, average, none or a number from 0 to 7"):
            opened(RECIPE).with_symmetry(wrong)  # type: ignore[arg-type]
    with pytest.raises(ConfigError, match="threads is 0"):
        opened(RECIPE, threads=0)


@pytest.mark.parametrize("runtime", ["openvino", "onnxruntime"])
def test_there_is_no_int8(runtime: GraphRuntime) -> None:
    model = graph_model(weights_of(text_of(lines_of(RECIPE))), "small")
    with pytest.raises(ConfigError, match=r"^small cannot be computed in int8; expected f32 or bf16$"):
        GoRuntimeNet(model, runtime, "int8", threads=1)


@pytest.mark.parametrize("layers", [(-8, -6), (-18, -14)], ids=["alpha", "policy"])
def test_a_net_that_overflows_is_found_out(layers: tuple[int, ...]) -> None:
    lines = lines_of(RECIPE)
    for number in layers:
        lines[number][:] = 1e30
    model = graph_model(weights_of(text_of(lines)), "huge")
    with pytest.raises(EvaluationError, match=r"huge .openvino f32. answers with numbers that are not finite"):
        GoRuntimeNet(model, "openvino", threads=1).evaluate(Batch(positions(3)))


def test_a_beta_out_of_range_is_logged_once(caplog: pytest.LogCaptureFixture) -> None:
    lines = lines_of(RECIPE)
    lines[-1][:] = 100
    net = GoRuntimeNet(graph_model(weights_of(text_of(lines)), "sure"), "openvino", threads=1)
    with caplog.at_level(logging.INFO):
        for _ in range(2):
            net.evaluate(Batch(positions(3)))
    assert [record.message for record in caplog.records] == ["sure (openvino f32): beta is clipped to 0.001 … 50"]
