"""How far precisions are from f32, how names and shelves carry them, and that a run keeps what auto chose."""

import json
import shutil
import tomllib
from pathlib import Path

import numpy as np
import pytest

from foible._core import Batch
from foible.arena.config import parse_config
from foible.arena.play import play
from foible.errors import ConfigError
from foible.nets import fastest_runtime, open_net
from foible.nets.catalogue import find_net
from foible.nets.chess_file import read_model
from foible.nets.choices import Ratings
from foible.nets.evaluator import Evaluation, Evaluator
from foible.nets.mixture_file import mixture_toml
from foible.nets.named_nets import at_precision, split_heads, split_precision, split_rating
from foible.nets.precision import MOST_KL, MOST_VALUE, check_positions, deviation, own_games
from foible.nets.processor import processor
from foible.nets.quantised import quantised, seen_in_calibration
from foible.nets.runtimes import Runtimes
from foible.nets.shelf import NetShelf, as_begun, at_hand, short_name
from foible.runs.folder import write_config
from tests.interfaces.cli.command import Command


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


@pytest.fixture(scope="module")
def int8(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache in which `master` is quantised, which takes more than a second."""
    folder = tmp_path_factory.mktemp("int8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(folder))
        quantised(read_model(find_net("master")))
    return folder


@pytest.fixture
def _master_in_int8(int8: Path, tmp_path: Path) -> None:
    shutil.copytree(int8, tmp_path / "cache")


class Shifted:
    """Says the same of each position, but for the first move's logit and the value."""

    name, batch_size = "shifted", 1

    def __init__(self, logit: float, q: float) -> None:
        self._logit, self._q = logit, q

    def evaluate(self, batch: Batch) -> Evaluation:
        logits = np.zeros(batch.move_count, np.float32)
        logits[batch.offsets[:-1]] = self._logit
        wdl = np.array([[(1 + self._q) / 2, 0, (1 - self._q) / 2]], np.float32).repeat(len(batch.offsets) - 1, axis=0)
        return Evaluation(logits, wdl)


def test_a_deviation_is_what_its_definition_says() -> None:
    positions = check_positions()[:3]
    found = deviation(Shifted(1, 0.25), Shifted(-1, 0.5), positions)
    expected = []
    for position in positions:
        n = len(position.legal_moves)
        p = np.array([np.e] + [1.0] * (n - 1))
        q = np.array([1 / np.e] + [1.0] * (n - 1))
        p, q = p / p.sum(), q / q.sum()
        expected.append((p * np.log(p / q)).sum())
    assert found.policy_kl == pytest.approx(np.mean(expected), rel=1e-6)
    assert found.value_error == pytest.approx(0.25)
    assert found.agreement == 0
    same = deviation(Shifted(1, 0.25), Shifted(1, 0.25), positions)
    assert (same.policy_kl, same.value_error, same.agreement) == (0, 0, 1)


def test_own_games_are_repeatable_differ_and_are_new_to_calibration() -> None:
    net = open_net("material")
    assert isinstance(net, Evaluator)
    found = own_games(net, 50, seed=3)
    assert len({position.fen for position in found}) == 50
    assert all(position.legal_moves and not seen_in_calibration(position) for position in found)
    told: list[int] = []
    assert [p.fen for p in own_games(net, 50, seed=3, on_progress=told.append)] == [p.fen for p in found]
    assert told == sorted(told)
    assert told[-1] == 50
    assert [p.fen for p in own_games(net, 50, seed=4)] != [p.fen for p in found]


def test_a_name_says_a_precision_behind_rating_and_heads(tmp_path: Path) -> None:
    assert split_precision("master:int8") == ("master", "int8")
    assert split_rating("club:1300:bf16") == ("club", Ratings(1300))
    name, heads = split_heads("bt4.pb.gz:optimistic:f32")
    assert (name, heads and heads.policy) == ("bt4.pb.gz", "optimistic")
    assert split_precision("master:int4") == ("master:int4", None)
    assert split_precision(":int8") == (":int8", None)
    assert at_precision("club:1300", "int8") == "club:1300:int8"
    assert short_name("club:1300:int8") == "club:1300:int8"
    assert at_hand("master:int8")
    (tmp_path / "odd:int8.onnx").touch()
    assert split_precision(str(tmp_path / "odd:int8.onnx")) == (str(tmp_path / "odd:int8.onnx"), None)


@pytest.mark.usefixtures("_master_in_int8")
def test_two_nets_of_a_shelf_may_differ_in_precision() -> None:
    shelf = NetShelf(Runtimes("openvino", "f32", 1))
    coarse, exact = shelf.evaluator("master:int8"), shelf.evaluator("master")
    assert (coarse.name, exact.name) == ("master (openvino int8)", "master (openvino f32)")
    assert set(shelf.resolved()) == {"master:int8", "master"}
    assert shelf.precision == "f32"


@pytest.mark.usefixtures("_master_in_int8")
def test_a_shelf_keeps_to_what_auto_chose_for_its_first_net(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("fastest_runtime", "precision"):
        monkeypatch.setattr(f"foible.nets.{module}.has_bf16", lambda: False)
    shelf = NetShelf(Runtimes("openvino", "auto", 1))
    shelf.evaluator("master:int8")
    assert (shelf.runtime, str(shelf.precision)) == ("openvino", "auto")
    monkeypatch.setattr(fastest_runtime, "rate", lambda net: 9.0 if net.precision == "int8" else 1.0)
    assert shelf.evaluator("master").name == "master (openvino int8)"
    assert shelf.precision == "int8"
    assert shelf.evaluator("club:1500").name == "club:1500 (openvino int8)"


def test_a_precision_that_a_mixture_asks_of_its_nets_is_theirs_alone(tmp_path: Path) -> None:
    file = tmp_path / "mix.toml"
    file.write_text(mixture_toml(["master:f32"]))
    shelf = NetShelf(Runtimes("onnxruntime", "auto", 1))
    assert shelf.evaluator(str(file)).name.endswith("master (onnxruntime f32)")
    assert str(shelf.precision) == "auto"


def test_a_run_goes_on_as_it_began(tmp_path: Path) -> None:
    write_config(tmp_path, {"runtime": "onnxruntime", "precision": "int8"})
    assert as_begun(Runtimes(precision="auto"), tmp_path / "none", tmp_path) == Runtimes("onnxruntime", "int8")
    assert as_begun(Runtimes("openvino", "f32"), tmp_path) == Runtimes("openvino", "f32")
    write_config(tmp_path, {"precision": "f8"})
    assert as_begun(Runtimes(precision="auto"), tmp_path) == Runtimes(precision="auto")


MATCH = """
framework = "standard"
games = 2
max_plies = 4
runtime = "openvino"
threads = 1
focal = { kind = "net_policy", net = "master" }
alter = { kind = "net_policy", net = "master:f32" }
"""


@pytest.mark.usefixtures("_master_in_int8")
def test_a_match_records_the_precision_and_keeps_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("fastest_runtime", "precision"):
        monkeypatch.setattr(f"foible.nets.{module}.has_bf16", lambda: False)
    config = parse_config(MATCH, "test")
    assert config.precision == "auto"
    monkeypatch.setattr(fastest_runtime, "rate", lambda net: 9.0 if net.precision == "int8" else 1.0)
    play(config, tmp_path / "run", pairs=range(0))
    recorded = tomllib.loads((tmp_path / "run" / "config.toml").read_text())
    assert recorded["precision"] == "int8"
    assert recorded["resolved"]["master"].startswith("master (openvino int8), sha256 ")
    assert recorded["resolved"]["master:f32"].startswith("master (openvino f32), sha256 ")
    assert recorded["resolved"]["processor"].startswith(processor())
    # Elsewhere, or after the cache was deleted, auto would choose f32: the run goes on in int8.
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "other"))
    monkeypatch.setattr(fastest_runtime, "rate", lambda _: 1.0)
    monkeypatch.setattr("foible.nets.shelf.processor", lambda: "another")
    play(config, tmp_path / "run")
    resumed = tomllib.loads((tmp_path / "run" / "config.toml").read_text())
    assert resumed["resolved"].pop("processor").startswith("another, openvino ")
    recorded["resolved"].pop("processor")
    assert resumed == recorded


def test_torch_has_no_int8() -> None:
    pytest.importorskip("torch")
    with pytest.raises(ConfigError, match="torch computes in f32 and bf16; int8 is computed in openvino"):
        open_net("master", runtime="torch", precision="int8")
    assert open_net("master", runtime="torch", precision="auto", threads=1).name.endswith(" f32)")


def test_go_runs_in_f32_in_place_of_int8(caplog: pytest.LogCaptureFixture) -> None:
    assert open_net("go-5x5", precision="int8", threads=1).name == "go-5x5 (openvino f32)"
    assert caplog.messages == ["go-5x5 runs in f32 instead of int8: int8 is for the residual towers of nets for chess"]
    assert open_net("go-5x5", precision="auto", threads=1).name == "go-5x5 (openvino f32)"


@pytest.mark.usefixtures("_master_in_int8")
def test_the_command_compares_a_net_with_itself_in_f32(capsys: pytest.CaptureFixture[str]) -> None:
    foible = Command(capsys)
    words = ("nets", "precisions", "master", "--positions", "64", "--threads", "1")
    found = json.loads(foible(*words, "--json").out)
    row = next(row for row in found["rows"] if row["net"] == "master (openvino int8)")
    assert 0 < row["policy_kl"] < MOST_KL
    assert 0 < row["value_error"] < 2 * MOST_VALUE  # of so few positions; the bound is for many
    assert row["tolerable"] is (row["value_error"] <= MOST_VALUE)
    assert found["auto"][0].startswith("master (")
    table = foible("nets", "precisions", "master", "--positions", "1", "--threads", "1").out
    assert "master (openvino int8)" in table
    ran = foible("nets", "precisions", "go-5x5", "--positions", "1")
    assert (ran.code, ran.err) == (2, "foible: go-5x5 is a net for Go on a 5×5 board; expected one for chess\n")
