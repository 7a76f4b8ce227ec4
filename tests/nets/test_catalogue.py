import gzip
import hashlib
import os
import re
from dataclasses import replace
from pathlib import Path

import pytest

from foible.errors import ConfigError, NetFileError
from foible.nets import catalogue, fastest_runtime
from foible.nets.catalogue import describe_net, find_net, known_nets, open_net
from foible.nets.evaluator import Material
from foible.nets.fastest_runtime import cuda_at_hand
from foible.nets.lc0_file import parse_lc0
from foible.nets.lc0_onnx import to_onnx
from foible.nets.mixture_file import mixture_toml
from foible.nets.named_nets import public_nets, shipped_names, shipped_nets
from foible.nets.onnx_file import model_from_lc0
from foible.nets.paths import net_name
from foible.nets.runtimes import InRuntime, RuntimeNet
from foible.nets.shelf import at_hand, short_name
from tests.nets.synthetic import Recipe, random_planes, synthesise
from tests.shared_data import ROOT, shared

DATA = synthesise(Recipe(filters=16, blocks=3, squeeze=4, mish=True, moves_left=True)).data


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of nets that `FOIBLE_NETS` names, an empty cache, and no way to the outside."""
    nets = tmp_path / "nets"
    nets.mkdir()
    monkeypatch.setenv("FOIBLE_NETS", f"{tmp_path / 'absent'}{os.pathsep}{nets}")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("FOIBLE_NETS_URL", (tmp_path / "served").as_uri())
    return nets


def test_a_folder_named_material_does_not_hide_that_it_is_built_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "material").mkdir()
    monkeypatch.chdir(tmp_path)
    with pytest.raises(
        NetFileError, match=r"^material is built in and has no file, and no rating, heads or precision to choose$"
    ):
        find_net("material")


def test_material_is_built_in_and_says_so() -> None:
    evaluator = open_net("material")
    assert isinstance(evaluator, Material)
    assert "built-in" in evaluator.name
    assert describe_net("material").format == "built-in"
    for name in ("material", "material:1300", "material:int8"):
        with pytest.raises(NetFileError, match="material is built in and has no file"):
            find_net(name)


@pytest.mark.parametrize("suffix", [".pb", ".pb.gz", ".onnx"])
def test_nets_are_found_by_name_in_the_folders_and_by_path(folder: Path, suffix: str) -> None:
    onnx = to_onnx(parse_lc0(DATA)).SerializeToString()
    content = {".pb": DATA, ".pb.gz": gzip.compress(DATA), ".onnx": onnx}[suffix]
    path = folder / f"mine{suffix}"
    path.write_bytes(content)
    assert find_net("mine") == find_net(str(path)) == path
    net = open_net("mine", runtime="openvino", threads=1)
    assert isinstance(net, RuntimeNet)
    assert net.name == "mine (openvino f32)"
    assert net.evaluate_planes(random_planes(2)).moves_left is not None


def test_configurations_of_runs_are_no_nets(folder: Path) -> None:
    (folder / "config.toml").write_text('[net]\nblocks = 3\n\n[panel]\nnets = ["a"]\n')
    (folder / "player.toml").write_text('[nets]\n1500 = "a"\n')
    (folder / "mixture.toml").write_text('nets = ["material"]')
    (folder / "broken.toml").write_text('nets = ["material"')
    assert [net.name for net in known_nets() if net.kind == "folder"] == ["broken", "mixture"]
    with pytest.raises(NetFileError, match="no net is called 'config'"):
        find_net("config")
    with pytest.raises(ConfigError, match=r"broken.toml: not TOML"):
        describe_net("broken")


@pytest.mark.parametrize("name", ["net.pb.gz", "net.onnx", "net.toml", "net.txt.gz", "net.pt"])
@pytest.mark.timeout(30)
def test_a_pipe_in_a_folder_of_nets_is_no_net(folder: Path, name: str) -> None:
    os.mkfifo(folder / name)
    assert "net" not in [known.name for known in known_nets()]
    with pytest.raises(NetFileError):
        describe_net(str(folder / name))
    (folder / name).unlink()
    (folder / name).symlink_to("/dev/zero")
    with pytest.raises(NetFileError):
        describe_net(str(folder / name))


def test_runtime_and_precision_are_checked() -> None:
    with pytest.raises(ConfigError, match="unknown runtime 'tpu', expected auto, openvino, onnxruntime or torch"):
        open_net("material", runtime="tpu")  # type: ignore[arg-type]
    with pytest.raises(ConfigError, match="unknown precision 'f8', expected auto, f32, bf16 or int8"):
        open_net("material", precision="f8")  # type: ignore[arg-type]
    with pytest.raises(ConfigError, match="threads is 0"):
        open_net("maia-1100", threads=0)


def test_auto_opens_a_net(folder: Path) -> None:
    (folder / "mine.pb").write_bytes(DATA)
    chosen = open_net("mine", threads=1)
    assert isinstance(chosen, InRuntime)
    assert (chosen.runtime == "torch") == cuda_at_hand()


def test_where_there_is_cuda_auto_takes_torch_for_what_it_can_run(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("torch")
    monkeypatch.setattr(fastest_runtime, "cuda_at_hand", lambda: True)
    (folder / "mine.pb").write_bytes(DATA)
    (folder / "folded.onnx").write_bytes(model_from_lc0(parse_lc0(DATA), "folded").data)
    some, other = open_net("mine", threads=1), open_net("folded", threads=1)
    assert isinstance(some, InRuntime)
    assert isinstance(other, InRuntime)
    assert (some.runtime, other.runtime == "torch") == ("torch", False)


def test_unknown_names_are_refused_with_the_known_ones(folder: Path) -> None:
    (folder / "mine.pb").write_bytes(DATA)
    with pytest.raises(
        NetFileError, match=r"no net is called 'xyz': the nearest of \d+ are (\S+, ){4}[^, ;]+; `foible nets list`"
    ):
        find_net("xyz")
    with pytest.raises(NetFileError, match=r"called 'mastr': near are master, .*; `foible nets list` lists all"):
        find_net("mastr")
    with pytest.raises(
        NetFileError, match=r"attuned-stt-1100 is yet to be made: `foible attune` \(.*`foible papers run`"
    ):
        find_net("attuned-stt-1100")
    with pytest.raises(NetFileError, match=r"tuned-me is yet to be made: `foible train` \(.*`foible papers run`"):
        find_net("tuned-me")
    with pytest.raises(NetFileError, match=r"no/such.pb.gz: no such file"):
        find_net("no/such.pb.gz")
    with pytest.raises(NetFileError, match=r"/dev/null: not a file"):
        find_net("/dev/null")
    with pytest.raises(NetFileError, match=r"such.onnx: no such file"):
        find_net("such.onnx")
    with pytest.raises(NetFileError, match=r"no net is called '~nobody-of-this-name'"):
        find_net("~nobody-of-this-name")
    with pytest.raises(NetFileError, match=r"no net is called '~a\\x00b'"):
        find_net("~a\0b")


def test_a_name_that_is_too_long_for_the_system_is_refused(folder: Path) -> None:
    with pytest.raises(NetFileError, match=r"x{300}\S*: .+"):
        find_net("x" * 300)
    (folder / "mixture.toml").write_text(mixture_toml(["x" * 300] * 3))
    with pytest.raises(NetFileError, match=r"x{300}\S*: .+"):
        open_net("mixture")


def test_the_folder_of_a_training_stands_for_its_net(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = tmp_path / "runs" / "blitz"
    run.mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "runs")
    for name in ("blitz", "./blitz", str(run), f"{run}/"):
        with pytest.raises(NetFileError, match=f"{name}: a folder without a net; expected a file, or the folder of a"):
            find_net(name)
        assert not at_hand(name)
    (run / "net.pb.gz").write_bytes(gzip.compress(DATA))
    for name in ("blitz", "./blitz", str(run), f"{run}/"):
        assert find_net(name).resolve() == run / "net.pb.gz"
        assert at_hand(name)
        assert short_name(name) == "blitz"
    opened = open_net(f"{run}:1500", runtime="onnxruntime", threads=1)
    assert opened.name == "blitz:1500 (onnxruntime f32)"
    monkeypatch.chdir(run)
    with pytest.raises(NetFileError, match="no net is called ''"):
        find_net("")


def test_nets_of_trainings_are_told_apart_by_their_folders(tmp_path: Path) -> None:
    for path, name in (
        ("runs/blitz/net.pb.gz", "blitz"),
        ("runs/rise/net.onnx", "rise"),
        ("runs/net", "net"),
        ("runs/att/net/net.pb.gz", "att-net"),
        ("net/net.pb.gz", "net"),
        ("runs/spread/seed-2/net.pb.gz", "spread-seed-2"),
        ("net.pb.gz", "net"),
        ("../net.pb.gz", "net"),
        ("runs/blitz/other.pb.gz", "other"),
        ("net", "net"),
    ):
        assert net_name(Path(path)) == short_name(path) == name
    run = tmp_path / "blitz"
    run.mkdir()
    (run / "net.pb.gz").write_bytes(gzip.compress(DATA))
    assert describe_net(str(run / "net.pb.gz")).name == "blitz"


def test_names_are_listed_without_fetching(folder: Path) -> None:
    (folder / "mine.pb").write_bytes(DATA)
    (folder / "maia-1500.pb.gz").write_bytes(b"")
    kinds = {net.name: (net.kind, net.path) for net in known_nets()}
    assert kinds["material"] == ("built-in", None)
    assert kinds["mine"] == ("folder", folder / "mine.pb")
    assert kinds["maia-1500"] == ("folder", folder / "maia-1500.pb.gz")
    assert kinds["maia-1100"] == ("download", None)
    assert kinds["maia3-5m"] == ("download", None)
    assert kinds["maia2-rapid"] == ("by hand", None)
    assert len(kinds) == 2 + len(public_nets()) + len(shipped_names())


def test_a_net_is_described(folder: Path) -> None:
    (folder / "mine.pb.gz").write_bytes(gzip.compress(DATA))
    found = describe_net("mine")
    assert (found.blocks, found.filters, found.squeeze, found.policy) == (3, 16, 4, "convolution")
    assert (found.value, found.moves_left, found.activation) == ("wdl", True, "mish")
    assert (found.encoding, found.training_steps) == ("LINEAR16", 1234)
    assert found.size == (folder / "mine.pb.gz").stat().st_size
    assert found.sha256 == hashlib.sha256((folder / "mine.pb.gz").read_bytes()).hexdigest()


def test_a_model_file_is_described(folder: Path) -> None:
    (folder / "mine.onnx").write_bytes(to_onnx(parse_lc0(DATA)).SerializeToString())
    found = describe_net("mine")
    assert (found.format, found.value, found.moves_left, found.blocks) == ("onnx", "wdl", True, None)


def test_a_known_net_is_fetched_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    served = tmp_path / "served"
    served.mkdir()
    content = gzip.compress(DATA)
    (served / "maia-1100.pb.gz").write_bytes(content)
    known = replace(public_nets()["maia-1100"], size=len(content), sha256=hashlib.sha256(content).hexdigest())
    monkeypatch.setattr(catalogue, "public_nets", lambda: {"maia-1100": known})
    path = find_net("maia-1100")
    assert path == tmp_path / "cache" / "foible" / "nets" / "maia-1100.pb.gz"
    (served / "maia-1100.pb.gz").unlink()
    assert find_net("maia-1100") == path
    assert next(net for net in known_nets() if net.name == "maia-1100").path == path


def test_a_public_net_in_a_folder_is_described_by_name_and_size(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    public = replace(public_nets()["maia-1100"], size=len(DATA))
    monkeypatch.setattr(catalogue, "public_nets", lambda: {"maia-1100": public, "maia-1200": public})
    monkeypatch.setenv("FOIBLE_NETS", str(tmp_path))
    (tmp_path / "maia-1100.pb").write_bytes(DATA)
    (tmp_path / "maia-1200.pb").write_bytes(DATA + b"other")
    (tmp_path / "mine.pb").write_bytes(DATA)
    own = {net.name: (net.about, net.licence) for net in known_nets() if net.kind == "folder"}
    assert own == {"maia-1100": (public.about, "GPL-3.0"), "maia-1200": ("", ""), "mine": ("", "")}


def test_the_known_nets_are_the_real_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    shared("nets/maia-1100.pb.gz")
    monkeypatch.setenv("FOIBLE_NETS_URL", (ROOT / "nets").as_uri())
    for name in filter(re.compile(r"maia-\d+").fullmatch, public_nets()):
        assert find_net(name).is_file()
    found = describe_net("maia-1900")
    assert (found.blocks, found.filters, found.squeeze, found.training_steps) == (6, 64, 8, 400_000)
    assert found.licence == "GPL-3.0"


def test_the_known_nets_come_from_their_authors(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("FOIBLE_NETS_URL")
    assert public_nets()["maia-1300"].remote.url.endswith("/CSSLab/maia-chess/master/maia_weights/maia-1300.pb.gz")


def test_a_net_that_cannot_be_fetched_is_told_without_error_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FOIBLE_NETS_URL", "http://127.0.0.1:9/maia")
    with pytest.raises(NetFileError) as error:
        find_net("maia-1100")
    assert str(error.value) == (
        "maia-1100 is not on this machine; http://127.0.0.1:9/maia/maia-1100.pb.gz: cannot be fetched:"
        " Connection refused; folders with your own nets go into FOIBLE_NETS"
    )


def test_a_folder_that_is_not_there_is_told_once(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    catalogue._warn_of.cache_clear()
    for _ in range(2):
        known_nets()
    assert [record.getMessage() for record in caplog.records] == [f"FOIBLE_NETS: there is no folder {tmp_path}/absent"]


def test_every_shipped_net_says_what_it_is() -> None:
    assert set(shipped_nets()) == set(shipped_names())
    assert all(net.about and net.licence for net in known_nets() if net.kind == "shipped")


def test_a_net_may_be_named_by_a_path_object(tmp_path: Path) -> None:
    path = tmp_path / "Ü ber.pb.gz"
    path.write_bytes(Path(find_net("master")).read_bytes())
    assert open_net(path).name.startswith("Ü ber")
