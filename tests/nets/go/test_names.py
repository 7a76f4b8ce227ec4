"""Go nets by the names under which all nets are found."""

import gzip
import hashlib
import json
from pathlib import Path

import pytest

from foible._core import Batch, ChessPosition, GoPosition
from foible.errors import ConfigError, NetFileError
from foible.nets.catalogue import describe_net, find_net, format_of, known_nets, open_net
from foible.nets.chess_formats import LC0
from foible.nets.go.evaluator import GoRuntimeNet
from foible.nets.go.formats import LEELA_ZERO
from foible.nets.paths import net_name
from foible.nets.shelf import NetShelf, Runtimes, at_hand
from tests.interfaces.cli.command import Command
from tests.nets.go.naive import Recipe, lines_of, text_of

TEXT = text_of(lines_of(Recipe(size=7, head="y")))


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of nets that `FOIBLE_NETS` names, and an empty cache."""
    nets = tmp_path / "nets"
    nets.mkdir()
    monkeypatch.setenv("FOIBLE_NETS", str(nets))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return nets


@pytest.fixture
def foible(capsys: pytest.CaptureFixture[str]) -> Command:
    return Command(capsys)


@pytest.mark.parametrize("suffix", [".txt", ".txt.gz"])
def test_go_nets_are_found_by_name_and_by_path(folder: Path, suffix: str) -> None:
    path = folder / f"mine{suffix}"
    path.write_bytes(gzip.compress(TEXT) if suffix == ".txt.gz" else TEXT)
    assert find_net("mine") == find_net(str(path)) == path
    assert ("mine", "folder", path) in [(net.name, net.kind, net.path) for net in known_nets()]
    net = open_net("mine", threads=1)
    assert isinstance(net, GoRuntimeNet)
    assert (net.name, net.size, net.symmetry) == ("mine (openvino f32)", 7, "random")
    assert net.evaluate(Batch([GoPosition(7)])).margins is not None
    assert open_net("mine", runtime="onnxruntime", threads=1).name == "mine (onnxruntime f32)"


def test_other_texts_in_the_folder_are_no_nets(folder: Path) -> None:
    (folder / "notes.txt").write_text("1 apple\n")
    (folder / "empty.txt").write_text("")
    (folder / "damaged.txt.gz").write_bytes(gzip.compress(TEXT)[:5])
    assert not [net for net in known_nets() if net.kind == "folder"]
    with pytest.raises(NetFileError, match="no net is called 'notes'"):
        open_net("notes")


def test_files_without_a_telling_name_are_known_by_their_first_line(tmp_path: Path) -> None:
    """As Leela Zero's nets are published: a hash, gzipped or not."""
    for name, content in (("a5d7", TEXT), ("a5d7.gz", gzip.compress(TEXT)), ("b.bin", TEXT.replace(b"\n", b"\r\n"))):
        (tmp_path / name).write_bytes(content)
        assert format_of(tmp_path / name) is LEELA_ZERO
        assert describe_net(str(tmp_path / name)).format == "leela-zero"
    for name, content in (
        ("x.pb", TEXT),
        ("other", b"12 3\n"),
        ("more.gz", gzip.compress(b"x\n")),
        ("cut.gz", b"\x1f\x8b"),
    ):
        (tmp_path / name).write_bytes(content)
        assert format_of(tmp_path / name) is LC0
    assert format_of(tmp_path / "absent") is LC0


def test_the_folder_of_a_training_stands_for_its_net(tmp_path: Path) -> None:
    run = tmp_path / "runs" / "seven"
    run.mkdir(parents=True)
    (run / "net.txt").write_text("1\n")
    assert not at_hand(str(run))
    (run / "net.txt.gz").write_bytes(gzip.compress(TEXT))
    assert find_net(str(run)) == run / "net.txt.gz"
    assert at_hand(str(run))
    assert net_name(run / "net.txt.gz") == "seven"
    assert open_net(str(run), runtime="onnxruntime", threads=1).name == "seven (onnxruntime f32)"


@pytest.mark.parametrize("head", ["lz", "v", "y", "t"])
def test_a_go_net_is_described(folder: Path, head: str, foible: Command) -> None:
    content = text_of(lines_of(Recipe(size=9, head=head, planes=17)))
    (folder / "mine.txt").write_bytes(content)
    found = describe_net("mine")
    assert (found.name, found.format, found.value, found.board, found.planes) == ("mine", "leela-zero", head, 9, 17)
    assert found.game == "go"
    assert (found.blocks, found.filters, found.size) == (2, 3, len(content))
    assert found.sha256 == hashlib.sha256(content).hexdigest()
    assert json.loads(foible("nets", "show", "mine", "--json").out)["board"] == 9
    assert " leela-zero" in foible("nets", "show", "mine").out


def test_damaged_go_nets_are_one_line(folder: Path, foible: Command) -> None:
    (folder / "mine.txt").write_bytes(TEXT[:3000])
    ran = foible("nets", "show", str(folder / "mine.txt"))
    assert ran.code == 2
    assert ran.err.startswith(f"foible: {folder / 'mine.txt'}: line ")
    assert ran.err.count("\n") == 1


def test_what_a_go_net_cannot_do_is_said_in_one_line(folder: Path, tmp_path: Path) -> None:
    path = folder / "mine.txt"
    path.write_bytes(TEXT)
    with pytest.raises(ConfigError, match=r"mine.txt: a net for Go runs in openvino or onnxruntime, not in torch"):
        open_net("mine", runtime="torch")
    with pytest.raises(ConfigError, match=r"mine.txt:1300: a net for Go plays at no rating"):
        open_net(f"{path}:1300")
    (tmp_path / "mix.toml").write_text('nets = ["mine"]')
    with pytest.raises(ConfigError, match=r"mix.toml: mine is a net for Go; expected one for chess"):
        open_net(str(tmp_path / "mix.toml"))


def test_nets_for_one_game_refuse_positions_of_the_other(folder: Path) -> None:
    (folder / "mine.txt").write_bytes(TEXT)
    shelf = NetShelf(Runtimes("onnxruntime", threads=1))
    with pytest.raises(ConfigError, match=r"^mine is a net for Go on a 7×7 board; expected one for chess$"):
        shelf.evaluator("mine").evaluate(Batch([ChessPosition()]))
    with pytest.raises(ConfigError, match=r"^master is a net for chess; expected one for Go on a 7×7 board$"):
        shelf.evaluator("master").evaluate(Batch([GoPosition(7)]))
    assert shelf.runtime == "onnxruntime"
    assert shelf.resolved()["mine"].startswith("mine (onnxruntime f32), sha256 ")
