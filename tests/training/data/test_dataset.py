"""Which rows are trained on, validated and tested; batches in an order that depends on nothing but the seed."""

import random
from collections.abc import Mapping
from itertools import islice
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from numpy.typing import NDArray

from foible._core import Corpus
from foible.errors import ConfigError, GameFileError, PositionError
from foible.toml import convert
from foible.training.data.columns import columns_of
from foible.training.data.config import DataConfig, Filters, HoldOut
from foible.training.data.dataset import Dataset, InOrder, Part, Shuffled, load, split
from foible.training.data.encoder import Encoder, TrainBatch
from tests.training.data.pgn_games import corpus_of, random_games, write_games

Games = set[tuple[str, ...]]


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str]:
    """Two files of games, of which some are in both."""
    folder = tmp_path_factory.mktemp("games")
    first, second = folder / "first.pgn", folder / "second.pgn"
    write_games(first, 120, seed=1)
    write_games(second, 120, seed=2)
    shared = first.read_text().split("\n\n[Event")[1:40]
    second.write_text("\n\n[Event".join([second.read_text(), *shared]))
    return str(first), str(second)


def config(*sources: str, **changes: Any) -> DataConfig:
    given = {"hold_out": HoldOut(validation=0.2, test=0.1), "filters": Filters(min_plies=3)} | changes
    return DataConfig(sources=list(sources), **given)


def games(dataset: Dataset) -> Mapping[Part, Games]:
    """The moves of the games of each part."""
    return {
        part: {tuple(dataset.corpus.moves(game)) for game in set(dataset.columns.games_of(rows).tolist())}
        for part, rows in dataset.parts.items()
    }


def test_a_game_is_on_one_side_and_stays_there_when_sources_are_added(files: tuple[str, str]) -> None:
    one, both, other = (games(load(config(*sources))) for sources in (files[:1], files, files[1:]))
    for part, found in both.items():
        assert found == one[part] | other[part]
        assert not any(found & both[rest] for rest in both if rest != part)
        assert one[part]
        assert one[part] & other[part]


def test_numbers_of_games_are_held_out(files: tuple[str, str]) -> None:
    found = load(config(*files, hold_out=HoldOut(validation=20, test=7)))
    numbers: dict[Part, int] = {"validation": 20, "test": 7}
    for part, number in numbers.items():
        held = found.columns.keys[np.unique(found.columns.games_of(found.rows(part)))]
        assert len(np.unique(held)) == number, "games that differ in the result alone count once"


def test_nothing_is_held_out_when_nothing_is_asked_for(files: tuple[str, str]) -> None:
    found = load(config(*files, hold_out=HoldOut(validation=0, test=0.0)))
    assert not len(found.rows("validation"))
    assert not len(found.rows("test"))


def test_fewer_games_to_train_on_are_a_part_of_more(files: tuple[str, str]) -> None:
    few, more, all_ = (games(load(config(*files, games=number))) for number in (10, 30, None))
    assert 8 <= len(few["train"]) <= 10
    assert few["train"] < more["train"] < all_["train"]
    assert few["test"] == more["test"] == all_["test"]


def test_pairs_stay_together_where_that_is_asked_for() -> None:
    keys = np.random.default_rng(1).integers(0, 2**64, 60, np.uint64)
    for held in (0.2, 7):
        found = split(keys, np.ones(60, np.bool_), HoldOut(validation=held, test=held, pairs=True), train=20)
        assert sum(part.sum() for part in found.values()) < 60
        for part in found.values():
            assert np.array_equal(part[::2], part[1::2])
            assert part.sum() in (range(2, 30) if isinstance(held, float) else (8, 20))


def test_pairs_begin_anew_with_each_source() -> None:
    keys = np.random.default_rng(1).integers(0, 2**64, 61, np.uint64)
    sources = np.repeat([0, 2], [31, 30])  # the last game of the first source has lost its other one
    found = split(keys, np.ones(61, np.bool_), HoldOut(validation=0.2, test=0.2, pairs=True), sources=sources)
    for part in found.values():
        assert np.array_equal(part[:30:2], part[1:30:2])
        assert np.array_equal(part[31::2], part[32::2])


def test_a_position_without_a_game_is_in_one_part_whatever_its_teachers_prefer() -> None:
    corpus = Corpus()
    for move in ("d1d8", "g1f1"):
        corpus.add([move], "1-0", start_fen="6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1")
    corpus.add(["d1d8"], "1-0", start_fen="6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1")
    labelled = np.array([True, True, False])
    first, second, played = columns_of(corpus, labelled=labelled).keys
    assert first == second != played


def test_phases_without_weight_are_nothing_to_train_on(files: tuple[str, str]) -> None:
    kept = config(*files, filters=Filters(min_plies=3, phases=[0, 1]), phase_weights=[0, 2, 1])
    assert kept.weighted_phases == [1]
    assert config(*files).weighted_phases is None
    with pytest.raises(GameFileError, match="nothing is left to train on"):
        load(config(*files, phase_weights=[0, 0, 1], filters=Filters(min_plies=3, phases=[0, 1])))


@given(
    keys=st.lists(st.integers(0, 2**64 - 1), min_size=1, max_size=40),
    test=st.integers(0, 9) | st.floats(0, 0.5),
    validation=st.integers(0, 9) | st.floats(0, 0.4),
    data=st.data(),
)
@settings(deadline=None)
def test_parts_share_out_the_games_and_equal_keys_stay_together(
    keys: list[int], test: float, validation: float, data: st.DataObject
) -> None:
    mask = np.array(data.draw(st.lists(st.booleans(), min_size=len(keys), max_size=len(keys))))
    found = split(np.array(keys, np.uint64), mask, HoldOut(validation=validation, test=test))
    assert np.array_equal(np.sum(list(found.values()), axis=0), mask)
    for part in found.values():
        inside = {key for key, there in zip(keys, part, strict=True) if there}
        assert not any(key in inside and not there and kept for key, there, kept in zip(keys, part, mask, strict=True))


def test_the_filter_of_phases_is_for_training_and_tests_see_all(files: tuple[str, str]) -> None:
    found = load(config(*files, filters=Filters(min_plies=3, phases=[1, 2])))
    samples = found.samples(64, seed=0)
    phases = np.concatenate([samples.batch(step).phase for step in range(len(samples))])
    assert set(phases) == {1, 2}
    assert len(samples.rows) == np.isin(found.columns.phases[found.rows("train")], (1, 2)).sum()
    assert {int(phase) for batch in found.chunks("test", 32).prefetched() for phase in batch.phase} == {0, 1, 2}
    alone = found.chunks("test", 32, phases=[2])
    assert all((batch.phase == 2).all() for batch in alone.prefetched())


def test_what_is_measured_is_weighted_only_when_asked_for(files: tuple[str, str]) -> None:
    found = load(config(*files, phase_weights=[2.0, 0.5, 0.5]))
    plain, weighted = (found.chunks("validation", 64, weighted=weighted).batch(0) for weighted in (False, True))
    assert set(plain.weight) == {1.0}
    assert set(weighted.weight) == {0.5, 2.0}
    assert set(found.samples(64, seed=0).batch(0).weight) == {0.5, 2.0}


def test_loading_again_gives_the_same_rows(files: tuple[str, str]) -> None:
    first, second = load(config(*files)), load(config(*files))
    for part in first.parts:
        assert np.array_equal(first.rows(part), second.rows(part))


def test_nothing_to_train_on_is_an_error_that_names_the_filters(files: tuple[str, str]) -> None:
    with pytest.raises(GameFileError, match=r"nothing is left to train on of \d+ positions in 120 games; left out by "):
        load(config(files[0], filters=Filters(min_rating=2090)))
    with pytest.raises(GameFileError, match=r"left out by min_plies 12, duplicates 64, hold_out 2350$"):
        load(config(files[0], hold_out=HoldOut(validation=100, test=100)))


def test_a_player_whom_no_game_has_is_an_error_that_names_the_nearest(files: tuple[str, str]) -> None:
    with pytest.raises(GameFileError, match=r"no game of 'Angelo Vidal' among the 120 .* names are '.*ngela"):
        load(config(files[0], filters=Filters(player="Angelo Vidal")))


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        ({"sources": []}, "sources"),
        ({"surces": ["a"]}, "surces"),
        ({"hold_out": {"test": 1.0}}, "hold_out.test"),
        ({"filters": {"phases": [5]}}, r"filters.phases\[0\] = 5"),
        ({"thin": 0}, "thin"),
        ({"value_target": "q"}, "value_target"),
    ],
)
def test_impossible_values_are_refused_with_their_place(keys: dict[str, object], words: str) -> None:
    with pytest.raises(ConfigError, match=words):
        convert({"sources": ["a.pgn"]} | keys, DataConfig, "config")


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"rating_plane": True, "encoding": "crazyara"}, 'rating_plane needs encoding = "lc0"'),
        ({"filters": Filters(who=["senior"]), "value_target": "evals"}, "games of a team have no evaluations"),
        ({"phase_weights": [1.0, 2.0]}, "phase_weights has 2 weights; expected 3"),
        ({"phase_weights": [1.0, 2.0], "move_phases": 2, "filters": Filters(phases=[2])}, "phase 2; expected 0 to 1"),
        ({"phase_weights": [0.0, 0.0, 0.0]}, "phase_weights are all 0"),
        ({"hold_out": HoldOut(validation=0.5, test=0.5)}, "hold_out takes all games"),
    ],
)
def test_values_that_do_not_go_together_are_refused(changes: dict[str, Any], words: str) -> None:
    with pytest.raises(ConfigError, match=words):
        config("a.pgn", **changes).check()


def test_a_configuration_survives_its_way_through_text(tmp_path: Path) -> None:
    found = config("a.pgn", thin=0.5, hold_out=HoldOut(validation=0.25, test=7))
    again = msgspec.convert(msgspec.to_builtins(found), DataConfig)
    assert again == found
    assert isinstance(again.hold_out.test, int)


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
