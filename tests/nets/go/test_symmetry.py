import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from foible.nets.go.symmetry import COUNT, drawn, sources, targets, turn_back, turn_planes

SYMMETRIES = st.integers(0, COUNT - 1)
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


@given(SYMMETRIES, SIZES)
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
    assert len(rows) == COUNT
    for one in sources(size):
        for other in sources(size):
            assert tuple(one[other]) in rows


@given(st.lists(SYMMETRIES, min_size=1, max_size=12), SIZES, st.integers(0, 99))
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
        counts = np.bincount(drawn(keys, 1), minlength=COUNT)
        assert len(counts) == COUNT
        assert abs(counts - 1000).max() < 150


def test_draws_depend_on_the_seed_and_the_key_alone() -> None:
    keys = np.random.default_rng(0).integers(0, 2**64, 200, dtype=np.uint64)
    whole = drawn(keys, 7)
    assert np.array_equal(drawn(keys[::-1], 7), whole[::-1])
    assert np.array_equal(drawn(keys[50:51], 7), whole[50:51])
    for seed in (8, -1, 2**64 + 6, 10**30):
        assert 10 < (drawn(keys, seed) == whole).sum() < 60
