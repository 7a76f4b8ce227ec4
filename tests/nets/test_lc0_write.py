import gzip
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, strategies as st
from hypothesis.extra.numpy import arrays

from foible.errors import ConfigError
from foible.nets.lc0_file import parse_lc0, read_lc0
from foible.nets.lc0_layers import Layers
from foible.nets.lc0_write import _LARGEST, FileEncoding, _layer, serialise_lc0, write_lc0
from foible.nets.protobuf_wire import Message, bytes_field, read_message
from tests.nets.synthetic import Recipe, network_format, synthesise

ENCODINGS: tuple[FileEncoding, ...] = ("LINEAR16", "FLOAT16", "BFLOAT16", "FLOAT32")
RECIPES = [
    Recipe(moves_left=True),
    Recipe(mish=True, batch_norm="full"),
    Recipe(policy="classical", wdl=False, squeeze=0),
    Recipe(blocks=0),
]


def decoded(values: np.ndarray, encoding: FileEncoding) -> np.ndarray:
    message = read_message(memoryview(bytes_field(1, _layer(values, encoding))), "layers")
    return Layers(message).vector(1, "layer", None).astype(np.float32)


@given(arrays(np.float32, st.integers(1, 50), elements=st.floats(-60000, 60000, width=32)), st.sampled_from(ENCODINGS))
def test_what_was_read_from_a_layer_is_written_the_same(values: np.ndarray, encoding: FileEncoding) -> None:
    once = decoded(values, encoding)
    np.testing.assert_array_equal(decoded(once, encoding), once)


@given(arrays(np.float32, st.integers(1, 50), elements=st.floats(-1000, 1000, width=32)))
def test_rounding_is_as_fine_as_each_encoding_allows(values: np.ndarray) -> None:
    size = np.abs(values)
    assert (decoded(values, "FLOAT32") == values).all()
    assert (np.abs(decoded(values, "BFLOAT16") - values) <= size * 2**-8 + 2**-134).all()
    assert (np.abs(decoded(values, "FLOAT16") - values) <= size * 2**-11 + 2**-25).all()
    step = (values.max() - values.min()) / 65535 if len(values) > 1 else 0
    assert (np.abs(decoded(values, "LINEAR16") - values) <= step * 0.501 + size * 1e-6).all()


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("recipe", RECIPES)
def test_a_written_net_reads_back_as_it_was(recipe: Recipe, encoding: FileEncoding) -> None:
    first = serialise_lc0(parse_lc0(synthesise(recipe).data, folded=False), encoding=encoding)
    again = parse_lc0(first, folded=False)
    assert serialise_lc0(again, encoding=encoding) == first
    assert (again.encoding, again.training_steps) == (encoding, 1234)


@pytest.mark.parametrize("recipe", RECIPES)
def test_linear16_files_come_back_byte_by_byte(recipe: Recipe) -> None:
    net = synthesise(recipe)
    written = read_message(memoryview(serialise_lc0(parse_lc0(net.data, folded=False))), "net")
    there, back = read_message(memoryview(net.weights), "weights").fields, written.message(10, "weights")
    assert back is not None
    # A single number is stored by lc0's training, and here, as the end of a range from 0; by the recipes it is not.
    single = {10: not recipe.wdl, 16: recipe.moves_left}
    assert there.keys() == back.fields.keys()
    assert all(there[number] == back.fields[number] for number in there if not single.get(number))


@pytest.mark.parametrize("recipe", RECIPES)
def test_the_head_says_what_lc0_wants_to_know(recipe: Recipe) -> None:
    net = parse_lc0(synthesise(recipe).data)
    written = read_message(memoryview(serialise_lc0(net, licence="CC0")), "net")
    assert written.integer(1) == 0x1C0
    assert bytes(written.bytes(2)) == b"CC0"
    assert version(written) == [0, 29 if recipe.mish else 21, 0]
    file_format = written.message(4, "format")
    assert file_format is not None
    assert file_format.integer(1) == 1
    squeezed = Recipe(**{**vars(recipe), "squeeze": recipe.squeeze if recipe.blocks else 0})
    assert bytes(file_format.bytes(2)) == network_format(squeezed)
    other = read_message(memoryview(serialise_lc0(net, encoding="FLOAT32")), "net")
    assert version(other) == [0, 33, 0]


def version(net: Message) -> list[int]:
    found = net.message(3, "version")
    assert found is not None
    return [found.integer(number) for number in (1, 2, 3)]


def test_files_are_gzipped_unless_their_name_says_otherwise(tmp_path: Path) -> None:
    net = parse_lc0(synthesise(Recipe()).data)
    write_lc0(net, tmp_path / "net.pb")
    write_lc0(net, tmp_path / "net.pb.gz")
    plain, zipped = (tmp_path / "net.pb").read_bytes(), (tmp_path / "net.pb.gz").read_bytes()
    assert gzip.decompress(zipped) == plain
    assert read_lc0(tmp_path / "net.pb.gz").filters == net.filters
    write_lc0(net, tmp_path / "other.pb.gz")
    assert (tmp_path / "other.pb.gz").read_bytes() == zipped


@pytest.mark.parametrize(
    ("value", "encoding"),
    [
        *((value, encoding) for value in (np.nan, np.inf) for encoding in ENCODINGS),
        (70000.0, "FLOAT16"),
        (np.finfo(np.float32).max, "BFLOAT16"),
    ],
)
def test_numbers_that_an_encoding_cannot_hold_are_refused(value: float, encoding: FileEncoding) -> None:
    with pytest.raises(ConfigError, match=f"not finite {encoding} numbers"):
        _layer(np.array([0, value], np.float32), encoding)


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_the_largest_number_of_an_encoding_is_written(encoding: FileEncoding) -> None:
    largest = _LARGEST[encoding]
    assert decoded(np.array([-largest, largest], np.float32), encoding).tolist() == [-largest, largest]
