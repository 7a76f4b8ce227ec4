"""`foible uci` on the command line: what is wrong with it is said before the first word of UCI."""

from pathlib import Path

import pytest

from foible.interfaces.uci.program import main
from foible.nets.mixture_file import mixture_toml
from tests.interfaces.cli.command import run_process
from tests.nets.synthetic import Recipe, synthesise

CONFIG = '[[personality]]\nname = "mine"\noptions = { CPuct = "2.5" }\n'


def test_a_file_of_personalities_is_offered_to_the_gui(tmp_path: Path) -> None:
    path = tmp_path / "p.toml"
    path.write_text(CONFIG)
    ran = run_process("uci", "--config", path, stdin="uci\nposition startpos\ngo nodes 2\n")
    assert ran.code == 0
    assert "option name Personality type combo default auto var auto var none var mine" in ran.out.splitlines()
    assert "info string personality mine (for any game)" in ran.out.splitlines()


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        (CONFIG.replace("CPuct", "CPutt"), ("p.toml", "personality mine", "CPutt")),
        (CONFIG + "[player]\n", ("p.toml", "player")),
        ("\x00", ("p.toml", "TOML")),
        (None, ("p.toml", "no such file")),
    ],
)
def test_a_bad_file_ends_in_one_line_before_uci_begins(
    tmp_path: Path, text: str | None, parts: tuple[str, ...]
) -> None:
    path = tmp_path / "p.toml"
    if text is not None:
        path.write_text(text)
    ran = run_process("uci", "--config", path, stdin="uci\nquit\n")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith("foible: ")
    assert ran.err.count("\n") == 1
    assert all(part in ran.err for part in parts)


@pytest.mark.parametrize(
    "net", ["nonet", "p.jsonl", "cut.pb.gz", "/nowhere.onnx", "maia-1900", "damaged.toml", "two.toml", "nested.toml"]
)
def test_a_net_that_cannot_be_had_ends_in_one_line_before_uci_begins(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, net: str
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("FOIBLE_NETS", raising=False)
    monkeypatch.setenv("FOIBLE_NETS_URL", (tmp_path / "none").as_uri())
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    Path("p.jsonl").write_text('{"game": 1}\n')
    data = synthesise(Recipe(filters=4, blocks=1)).data
    Path("cut.pb.gz").write_bytes(data[: len(data) // 2])
    for name, nets in (("damaged", ["cut.pb.gz"]), ("two", ["master", "club"]), ("nested", ["two.toml"])):
        Path(f"{name}.toml").write_text(mixture_toml(nets))
    ran = run_process("uci", "--net", net, stdin="uci\nposition startpos\ngo nodes 2\n")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith("foible: ")
    assert ran.err.count("\n") == 1
    assert ("cut.pb.gz" if net == "damaged.toml" else net) in ran.err


def test_the_program_of_its_own_takes_the_options_of_the_command(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.argv", ["foible-uci", "--config", "/nowhere.toml"])
    with pytest.raises(SystemExit) as left:
        main()
    assert left.value.code == 2
    assert "/nowhere.toml" in capsys.readouterr().err
