import random
from itertools import islice

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from foible.errors import PositionError
from foible.training.data.batch import TrainBatch
from foible.training.data.columns import columns_of
from foible.training.data.config import DataConfig
from foible.training.data.encoder import Encoder
from foible.training.data.samples import InOrder, Shuffled
from tests.training.data.pgn_games import corpus_of, random_games

CORPUS = corpus_of(random_games(12, seed=3)[0])
ENCODER = Encoder(CORPUS, columns_of(CORPUS), DataConfig(sources=["games.pgn"]))
ROWS = np.arange(3, CORPUS.offsets[-1] - 2)


def same(one: TrainBatch, other: TrainBatch) -> bool:
    return all(
        np.array_equal(getattr(one, name), getattr(other, name))
        for name in ("masks", "values", "policy", "wdl", "plies", "phase", "weight")
    )


def passes_of(samples: Shuffled, count: int) -> list[NDArray[np.int64]]:
    steps = -(-count * samples.of_pass // len(samples.rows_of(0)))
    stream = np.concatenate([samples.rows_of(step) for step in range(steps)])
    return list(stream[: count * samples.of_pass].reshape(count, samples.of_pass))


@given(size=st.integers(1, 3000), seed=st.integers(0, 2**62))
@settings(max_examples=30, deadline=None)
def test_a_pass_takes_every_row_once_and_the_next_in_another_order(size: int, seed: int) -> None:
    samples = Shuffled(ENCODER, ROWS, size, seed)
    assert len(samples.rows_of(1)) == size, "also where a pass ends"
    passes = passes_of(samples, 3)
    assert all(sorted(one) == ROWS.tolist() for one in passes)
    assert len({one.tobytes() for one in passes}) == 3


@given(size=st.integers(1, 100), seed=st.integers(0, 99), steps=st.lists(st.integers(0, 500), min_size=1, max_size=8))
@settings(max_examples=30, deadline=None)
def test_a_batch_does_not_depend_on_those_that_were_asked_for_before(size: int, seed: int, steps: list[int]) -> None:
    one = Shuffled(ENCODER, ROWS, size, seed)
    for step in steps:
        assert np.array_equal(one.rows_of(step), Shuffled(ENCODER, ROWS, size, seed).rows_of(step))


def test_what_is_made_ahead_is_what_is_asked_for_also_after_a_break() -> None:
    samples = Shuffled(ENCODER, ROWS, 64, 8, threads=2)
    start = len(samples) - 2
    for step, batch in enumerate(islice(Shuffled(ENCODER, ROWS, 64, 8).prefetched(start), 6), start):
        assert same(batch, samples.batch(step))


def test_another_seed_is_another_order() -> None:
    first, second = (Shuffled(ENCODER, ROWS, 64, seed).rows_of(0) for seed in (1, 2))
    assert not np.array_equal(first, second)


def test_without_a_seed_there_is_one_pass_in_order() -> None:
    samples = InOrder(ENCODER, ROWS, 50)
    batches = list(samples.prefetched())
    assert len(batches) == len(samples)
    assert sum(map(len, batches)) == len(ROWS)
    assert same(batches[1], ENCODER.encode(ROWS[50:100]))
    for step in (len(samples), -1):
        with pytest.raises(IndexError, match=f"batch {step} of {len(samples)}"):
            samples.batch(step)


def test_a_thin_pass_takes_its_share_and_in_the_long_run_every_row_as_often() -> None:
    passes, share = 400, 1 / 8
    samples = Shuffled(ENCODER, ROWS, 16, 5, thin=share)
    counts = np.zeros(CORPUS.offsets[-1])
    for rows in passes_of(samples, passes):
        assert len(rows) == len(set(rows)) == round(share * len(ROWS))
        counts[rows] += 1
    assert not counts[[0, 1, 2, -2, -1]].any()
    deviation = np.sqrt(passes * share * (1 - share))
    assert np.abs(counts[ROWS] - passes * share).max() < 5 * deviation
    assert counts[ROWS].std() == pytest.approx(deviation, rel=0.25)


def test_a_single_pass_over_nothing_is_over_at_once() -> None:
    samples = InOrder(ENCODER, ROWS[:0], 8)
    assert not len(samples)
    assert not list(samples.prefetched())


def test_an_error_of_the_thread_reaches_who_waits() -> None:
    with pytest.raises(PositionError, match="row"):
        next(InOrder(ENCODER, np.array([10**6]), 1).prefetched())


def test_batches_that_nobody_takes_are_not_waited_for() -> None:
    batches = Shuffled(ENCODER, ROWS, 8, random.Random(0).randint(0, 99)).prefetched()
    next(batches)
    batches.close()  # type: ignore[attr-defined]
    with pytest.raises(StopIteration):
        next(batches)


@pytest.mark.parametrize("size", [2, 3])
def test_processes_that_share_a_batch_have_each_of_its_rows_once(size: int) -> None:
    whole = Shuffled(ENCODER, ROWS, 12, 8)
    parts = [Shuffled(ENCODER, ROWS, 12, 8, rank=rank, size=size) for rank in range(size)]
    for step in (0, len(whole)):
        assert np.array_equal(np.stack([part.rows_of(step) for part in parts], axis=1).ravel(), whole.rows_of(step))
        assert {len(part.batch(step)) for part in parts} == {12 // size}


def test_processes_that_measure_together_have_each_batch_once() -> None:
    samples = InOrder(ENCODER, ROWS, 50)
    found = [list(samples.prefetched(rank, 3)) for rank in range(3)]
    assert sum(map(len, found)) == len(samples)
    assert all(same(batch, samples.batch(1 + 3 * i)) for i, batch in enumerate(found[1]))
