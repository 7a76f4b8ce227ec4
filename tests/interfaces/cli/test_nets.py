import hashlib
import json
import re
import shutil
from pathlib import Path

import pytest

from foible.nets import find_net
from tests.interfaces.cli.command import Command, run_process
from tests.nets.attention_nets import AttentionRecipe, attention_net


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    shutil.copyfile(find_net("master"), tmp_path / "mine.pb.gz")
    monkeypatch.setenv("FOIBLE_NETS", str(tmp_path))
    return tmp_path


def test_list_names_what_is_there_and_what_can_be_fetched(foible: Command, folder: Path) -> None:
    nets = {net["name"]: net for net in json.loads(foible("nets", "list", "--json").out)}
    assert nets["material"]["kind"] == "built-in"
    assert nets["mine"] == {"name": "mine", "kind": "folder", "path": str(folder / "mine.pb.gz")}
    assert nets["club"]["kind"] == nets["master-experts"]["kind"] == "shipped"
    assert nets["maia-1100"]["kind"] == "download"
    table = foible("nets", "list").out
    for name, net in nets.items():
        assert f" {name} " in table
        assert net["path"] is None or net["path"] in table


def test_show_describes_a_net(foible: Command, folder: Path) -> None:
    facts = json.loads(foible("nets", "show", "mine", "--json").out)
    content = (folder / "mine.pb.gz").read_bytes()
    assert facts["sha256"] == hashlib.sha256(content).hexdigest()
    assert (facts["size"], facts["blocks"], facts["filters"]) == (len(content), 6, 64)
    table = foible("nets", "show", "mine").out
    assert facts["sha256"] in table
    assert f"{len(content):,} bytes" in table


def test_show_says_in_words_what_a_net_for_go_tells(foible: Command) -> None:
    assert re.search(r"│ value +│ alpha and beta \(head y\) +│", foible("nets", "show", "go-5x5").out)
    assert json.loads(foible("nets", "show", "go-5x5", "--json").out)["value"] == "y"


def test_get_prints_where_a_net_lies(foible: Command, folder: Path) -> None:
    assert foible("nets", "get", "mine").out == f"{folder / 'mine.pb.gz'}\n"
    assert json.loads(foible("nets", "get", "mine", "--json").out) == {"mine": str(folder / "mine.pb.gz")}


def test_a_net_at_a_rating_is_exported_for_lc0(foible: Command, tmp_path: Path) -> None:
    out = tmp_path / "out.pb.gz"
    assert foible("nets", "export", "club:1300", out).out == f"{out}\n"
    written, whole = (json.loads(foible("nets", "show", net, "--json").out) for net in (out, "club"))
    for key in ("blocks", "filters", "squeeze", "policy", "value", "encoding"):
        assert written[key] == whole[key]
    assert written["sha256"] != whole["sha256"]
    before = out.read_bytes()
    ran = foible("nets", "export", "club:1400", out)
    assert (ran.code, ran.err) == (2, f"foible: {out} is there already; choose another name\n")
    assert out.read_bytes() == before
    ran = foible("nets", "export", "club:900", tmp_path / "other.pb")
    assert (ran.code, ran.err) == (2, "foible: club:900: club plays at ratings from 1000 to 2000, such as club:1300\n")


def test_a_folder_of_nets_that_is_not_there_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FOIBLE_NETS", str(tmp_path / "typo"))
    ran = run_process("nets", "list")
    assert (ran.code, ran.err) == (0, f"FOIBLE_NETS: there is no folder {tmp_path / 'typo'}\n")
    assert " maia-1100 " in ran.out


def test_show_marks_the_default_heads_and_those_in_use(foible: Command, tmp_path: Path) -> None:
    path = tmp_path / "several.pb"
    path.write_bytes(attention_net(AttentionRecipe(positions=2, policies=(3, 4), values=(1, 2))))
    rows = dict(re.findall(r"│ (\S[^│]*?) +│ (\S[^│]*?) +│", foible("nets", "show", f"{path}:optimistic").out))
    assert rows["policies"] == "vanilla (default), optimistic"
    assert rows["values"] == "winner (default), q"
    assert rows["heads"] == "optimistic+winner"
    assert (rows["encoders"], rows["width"], rows["attention heads"]) == ("2", "8", "2")
    assert (rows["ffn activation"], rows["smolgen activation"]) == ("relu_2", "swish")
    assert (rows["input"], rows["encoding"]) == ("lc0", "FLOAT32")
    ran = foible("nets", "show", f"{path}:soft")
    assert (ran.code, ran.err) == (2, f"foible: {path}: has no policy head 'soft'; it has vanilla, optimistic\n")
