"""`foible go train` and `foible go net` from the shell."""

import json
import signal
import subprocess
import time
from pathlib import Path

import msgspec
import pytest

from foible.interfaces.cli.go.training import show_line
from foible.interfaces.cli.output import Console
from foible.training.go.config import Gated, GoTrainConfig, PanelConfig, Ungated
from foible.training.go.generation import Candidates, Generation
from tests.interfaces.cli.command import PROGRAM, Command
from tests.training.go.test_run import TEXT


@pytest.fixture
def config(tmp_path: Path) -> Path:
    path = tmp_path / "tiny.toml"
    path.write_text(TEXT)
    return path


def test_it_shows_a_line_for_each_generation(foible: Command, config: Path, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    ran = foible("go", "train", config, "--out", folder, "--generations", 1)
    assert ran.code == 0, ran.err
    header, zero, one, last = ran.out.splitlines()
    assert header.split() == [
        "gen",
        "games",
        "branches",
        "plies",
        "komi",
        "policy",
        "value",
        "alpha",
        "beta",
        "games/s",
        "time",
    ]
    assert (zero.split()[0], one.split()[0], one.split()[1]) == ("0", "1", "20")
    assert len(header) == len(zero) == len(one)
    assert last == f"nets, games and curve.svg: {folder}"
    config.unlink()
    again = foible("go", "train", folder, "--generations", 2, "--json")
    generations = json.loads(again.out)
    assert [generation["number"] for generation in generations] == [0, 1, 2]
    assert foible("nets", "show", folder).code == 0
    assert foible("nets", "show", folder / "gen-0002").code == 0


def shown(config: GoTrainConfig, one: Generation, width: int) -> list[str]:
    screen = Console(width=width, force_terminal=True, highlight=False, soft_wrap=True)
    with screen.capture() as captured:
        show_line(screen, config, one)
    return captured.get().splitlines()


def test_a_narrow_terminal_does_without_some_columns() -> None:
    header, line = shown(GoTrainConfig(generations=1), Generation(number=0, best=0, alpha=-12.5, beta=0.25), 80)
    assert max(len(header), len(line)) <= 80
    assert header.split() == ["gen", "games", "komi", "value", "alpha", "beta", "Elo", "games/s", "time"]


def test_a_gated_run_with_a_panel_fits_a_narrow_terminal() -> None:
    one = Generation(
        number=0,
        best=0,
        games=10_240,
        candidates=Candidates(12, 400, 400),
        komi=(-10.5, 2.5),
        alpha=-12.5,
        beta=0.25,
        panel=0.45,
        panel_standard_error=0.112,
        elo=1234.0,
        elo_standard_error=100.0,
        seconds=40_000.0,
    )
    gated = GoTrainConfig(generations=1, protocol=Gated(), panel=PanelConfig(nets=["a"]))
    header, line = shown(gated, one, 80)
    assert len(header) == len(line) <= 80
    assert header.split() == ["gen", "games", "komi", "won", "alpha", "beta", "panel", "time"]
    header, line = shown(msgspec.structs.replace(gated, protocol=Ungated()), one, 80)
    assert len(header) == len(line) <= 80
    assert header.split() == ["gen", "games", "komi", "value", "alpha", "beta", "panel", "time"]
    header, line = shown(msgspec.structs.replace(gated, panel=None), one, 80)
    assert len(header) == len(line) <= 80
    assert header.split() == ["gen", "games", "komi", "value", "won", "alpha", "beta", "Elo", "time"]
    header, line = shown(gated, one, 200)
    assert len(header) == len(line)


def test_the_table_shows_the_gate_and_the_panel_of_runs_that_have_them() -> None:
    config = GoTrainConfig(generations=1, protocol=Gated(), panel=PanelConfig(nets=["a"]))
    one = Generation(number=0, best=0, candidates=Candidates(3, 40, 23), panel=0.5, panel_standard_error=0.031)
    header, line = shown(config, one, 200)
    assert header.split()[7:12] == ["tries", "won", "alpha", "beta", "panel"]
    assert "     3   57.5 %" in line
    assert "50.0 ± 3.1 %" in line


def test_mistakes_are_one_line(foible: Command, config: Path, tmp_path: Path) -> None:
    for words, message in (
        ([tmp_path / "missing.toml"], "missing.toml: no such file"),
        ([config, "--generations", 0], "--generations"),
        ([config, "--out", config], "is a file; expected a folder"),
    ):
        ran = foible("go", "train", *words)
        assert (ran.code, ran.out, ran.err.count("\n")) == (2, "", 1)
        assert message in ran.err


def test_a_mistake_in_the_panel_can_be_mended(foible: Command, config: Path, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    for net, code in (("nonet", 2), ("go-5x5", 2), (folder / "gen-0000", 2)):
        config.write_text(f'{TEXT}\n[panel]\nnets = ["{net}"]\n')
        ran = foible("go", "train", config, "--out", folder)
        assert (ran.code, ran.err.count("\n")) == (code, 1), ran.err
        assert not folder.exists()
    config.write_text(TEXT)
    assert foible("go", "train", config, "--out", folder, "--generations", 1).code == 0


def test_ctrl_c_says_how_to_go_on(config: Path, tmp_path: Path) -> None:
    config.write_text(TEXT.replace("generations = 2", "generations = 100000"))
    folder = tmp_path / "run"
    command = [*PROGRAM, "go", "train", str(config), "--out", str(folder)]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    while not (folder / "gen-0001" / "games.jsonl").exists() and process.poll() is None:
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=300)
    assert process.returncode == 130
    assert "stopped; the same command continues" in err
    assert out.splitlines()[0].split()[0] == "gen"


SMALL = ("--size", 3, "--blocks", 1, "--filters", 4)


def test_it_makes_a_net_that_foible_opens(foible: Command, tmp_path: Path) -> None:
    out = tmp_path / "random.txt.gz"
    ran = foible("go", "net", *SMALL, "--head", "v", "--planes", 17, "--out", out)
    assert (ran.code, ran.out) == (0, f"{out}\n")
    facts = json.loads(foible("nets", "show", out, "--json").out)
    shape = [facts[key] for key in ("board", "blocks", "filters", "value", "planes")]
    assert shape == [3, 1, 4, "v", 17]
    again = foible("go", "net", *SMALL, "--out", out)
    assert (again.code, again.err) == (2, f"foible: {out} is there already; choose another name\n")


def test_a_seed_gives_one_net(foible: Command, tmp_path: Path) -> None:
    nets = [tmp_path / f"{name}.txt" for name in "abc"]
    for net, seed in zip(nets, (1, 1, 2), strict=True):
        assert foible("go", "net", *SMALL, "--seed", seed, "--out", net).code == 0
    first, same, other = (net.read_bytes() for net in nets)
    assert first == same != other


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--out", "net.onnx"), "net.onnx: a net for Go is written as .txt.gz or .txt"),
        (("--out", "net.txt", "--size", 20), "'--size': expected at most 19"),
        (("--out", "net.txt", "--head", "x"), "'x' is not one of"),
        ((), "'--out'"),
    ],
)
def test_a_mistake_is_one_line(
    foible: Command, words: tuple[object, ...], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    ran = foible("go", "net", *words)
    assert (ran.code, ran.out, ran.err.count("\n")) == (2, "", 1)
    assert message in ran.err
    assert not list(tmp_path.iterdir())
