"""Nets as files for other programs."""

import gzip
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx.reference import ReferenceEvaluator

from foible.errors import ConfigError, NetFileError
from foible.nets.catalogue import export_net
from foible.nets.go.leela_file import read_weights
from foible.nets.go.leela_write import serialise_weights
from foible.nets.go.net import HeadKind
from foible.nets.lc0_file import read_lc0
from foible.nets.onnx_file import model_from_lc0
from tests.nets.go.naive import Recipe as GoRecipe, lines_of, outputs_of, text_of
from tests.nets.synthetic import Recipe, synthesise

GO = GoRecipe(size=5, head="y", seed=3)


@pytest.fixture
def go_net(tmp_path: Path) -> Path:
    path = tmp_path / "go.txt.gz"
    path.write_bytes(gzip.compress(text_of(lines_of(GO))))
    return path


@pytest.fixture
def chess_net(tmp_path: Path) -> Path:
    path = tmp_path / "chess.pb"
    path.write_bytes(synthesise(Recipe(filters=4, blocks=1)).data)
    return path


@pytest.mark.parametrize("suffix", [".txt", ".txt.gz"])
def test_a_net_for_go_keeps_its_bits(go_net: Path, suffix: str) -> None:
    out = go_net.with_name(f"out{suffix}")
    export_net(str(go_net), out)
    data = out.read_bytes()
    text = gzip.decompress(data) if suffix == ".txt.gz" else data
    assert text == serialise_weights(read_weights(go_net)) == serialise_weights(read_weights(out))


@pytest.mark.parametrize("head", ["lz", "v", "y", "t"])
def test_a_net_for_go_as_onnx_computes_the_same_elsewhere(head: HeadKind, tmp_path: Path) -> None:
    recipe = GoRecipe(size=5, head=head, seed=3)
    (tmp_path / "go.txt").write_bytes(text_of(lines_of(recipe)))
    export_net(str(tmp_path / "go.txt"), tmp_path / "out.onnx")
    planes = (np.random.default_rng(0).random((2, 18, 5, 5)) < 0.3).astype(np.float32)
    program = ReferenceEvaluator(onnx.load(tmp_path / "out.onnx"))
    found = dict(zip(program.output_names, program.run(None, {"planes": planes}), strict=True))
    raw = outputs_of(recipe, lines_of(recipe), planes)
    if head == "lz":
        expected = {"policy": raw["policy"], "value": np.tanh(raw["value"])}
    else:
        expected = {"policy": raw["policy"], "alpha": raw["alpha"], "beta": 10 / 25 * np.exp(raw["raw"])}
    assert set(found) == set(expected)
    for name, values in expected.items():
        np.testing.assert_allclose(found[name], values, rtol=1e-4, atol=1e-5)


def test_a_net_for_chess_is_written_as_foible_runs_it(chess_net: Path) -> None:
    out = chess_net.with_name("out.onnx")
    export_net(str(chess_net), out)
    assert out.read_bytes() == model_from_lc0(read_lc0(chess_net), "chess").data
    with pytest.raises(NetFileError, match=r"out.onnx holds an ONNX model; expected a residual net"):
        export_net(str(out), chess_net.with_name("again.pb"))


def test_names_of_the_other_game_are_refused(go_net: Path, chess_net: Path) -> None:
    export_net(str(go_net), go := chess_net.with_name("go.onnx"))
    with pytest.raises(NetFileError, match=r"go.onnx: a net for Go"):
        export_net(str(go), Path("x.txt"))
    with pytest.raises(ConfigError, match=r"x.pb.gz: a net for Go is written as .txt.gz, .txt or .onnx"):
        export_net(str(go_net), Path("x.pb.gz"))
    with pytest.raises(ConfigError, match=r"\.txt\.gz: a net for Go is written as"):
        export_net(str(go_net), Path(".txt.gz"))
    with pytest.raises(ConfigError, match=r"missing/x.txt: there is no folder missing"):
        export_net(str(go_net), Path("missing/x.txt"))
    with pytest.raises(ConfigError, match=r"x.txt: a net for chess is written as .pb.gz, .pb or .onnx"):
        export_net(str(chess_net), Path("x.txt"))


@pytest.mark.parametrize("suffix", [".txt", ".onnx"])
def test_what_is_there_is_left_as_it_is(go_net: Path, suffix: str) -> None:
    out = go_net.with_name(f"out{suffix}")
    out.write_text("mine")
    with pytest.raises(ConfigError, match="is there already; choose another name"):
        export_net(str(go_net), out)
    assert out.read_text() == "mine"


def test_a_mixture_is_no_single_net(chess_net: Path) -> None:
    mixture = chess_net.with_name("mix.toml")
    mixture.write_text('nets = ["chess.pb"]')
    with pytest.raises(
        NetFileError, match=r"mixture, and other programs run single nets; expected one of them: .*chess"
    ):
        export_net(str(mixture), chess_net.with_name("out.onnx"))
