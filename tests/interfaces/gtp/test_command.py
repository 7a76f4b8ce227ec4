"""The command line of the engine: its options, and what is wrong with them."""

from pathlib import Path
from typing import Any

import pytest

from foible.interfaces.cli import gtp, run
from foible.interfaces.gtp import Settings
from tests.nets.synthetic import Recipe, synthesise


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch) -> list[Settings]:
    """What engines were to be started with."""
    found: list[Settings] = []
    monkeypatch.setattr(gtp, "serve", found.append)
    return found


def settings_of(served: list[Settings], words: str) -> Settings:
    assert run(["gtp", *words.split()]) == 0
    return served.pop()


def test_without_options_all_settings_are_as_they_come(served: list[Settings]) -> None:
    assert settings_of(served, "--seed 1") == Settings(seed=1)


@pytest.mark.parametrize(
    ("words", "changes"),
    [
        ("--net best.txt.gz", {"net": "best.txt.gz"}),
        ("--weights a.txt", {"net": "a.txt"}),
        ("-w a.txt", {"net": "a.txt"}),
        ("--visits 17", {"visits": 17}),
        ("-v 18", {"visits": 18}),
        ("--playouts 5", {"playouts": 5}),
        ("-p 6", {"playouts": 6}),
        ("--lambda 0.5,0.3,0,0", {"lambda_": (0.5, 0.3, 0.0, 0.0)}),
        ("--mu 0.1", {"mu": (0.1,)}),
        ("--komi 3.5", {"komi": 3.5}),
        ("--rules tromp-taylor", {"rules": "tromp-taylor"}),
        ("--resignpct 7.5", {"resign": 7.5}),
        ("-r 0", {"resign": 0.0}),
        ("--dumbpass", {"dumb_pass": True}),
        ("-d", {"dumb_pass": True}),
        ("--randomcnt 3", {"random_moves": 3}),
        ("-m 4", {"random_moves": 4}),
        ("--randomtemp 0.8", {"random_temperature": 0.8}),
        ("--randomvisits 2", {"random_visits": 2}),
        ("--noise", {"noise": True}),
        ("-n", {"noise": True}),
        ("--noise-value 0.02", {"noise_alpha": 0.02}),
        ("--puct 0.7", {"cpuct": 0.7}),
        ("--fpu_reduction 0.2", {"fpu_reduction": 0.2}),
        ("--fpu_zero", {"fpu_zero": True}),
        ("--batch 1", {"batch": 1}),
        ("--symmetry average", {"symmetry": "average"}),
        ("--symmetry 7", {"symmetry": 7}),
        ("--pondering", {"pondering": True}),
        ("--lagbuffer 20", {"lag": 20}),
        ("-b 0", {"lag": 0}),
        ("--threads 3", {"threads": 3}),
        ("--precision bf16", {"precision": "bf16"}),
        ("-s 4", {"seed": 4}),
    ],
)
def test_an_option_changes_its_setting_and_no_other(
    served: list[Settings], words: str, changes: dict[str, Any]
) -> None:
    assert settings_of(served, f"--seed 1 {words}") == Settings(**{"seed": 1, **changes})


def test_many_options_go_together(served: list[Settings]) -> None:
    words = "-v 17 -p 5 --lambda 0.5,0.3 --mu 0.1 --komi 3.5 -r 0 -m 3 --randomtemp 0.8 -n -d -s 4 --puct 0.7 -b 20"
    assert settings_of(served, words) == Settings(
        visits=17,
        playouts=5,
        lambda_=(0.5, 0.3),
        mu=(0.1,),
        komi=3.5,
        resign=0,
        random_moves=3,
        random_temperature=0.8,
        noise=True,
        dumb_pass=True,
        seed=4,
        cpuct=0.7,
        lag=20,
    )


def test_each_start_has_a_seed_of_its_own(served: list[Settings]) -> None:
    assert len({settings_of(served, "").seed for _ in range(4)}) > 1


@pytest.mark.parametrize(
    ("words", "parts"),
    [
        ("--net nonet", ("nonet",)),
        ("--net chess.pb.gz", ("chess.pb.gz", "for Go")),
        ("--lambda a", ("--lambda 'a'", "1 to 4 numbers")),
        ("--mu 1,2,3,4,5", ("mu", "1 to 4 numbers")),
        ("--lambda 99", ("-10 to 10",)),
        ("--symmetry 9", ("--symmetry 9", "0 to 7")),
        ("--visits -1", ("--visits -1: expected 0 to",)),
        ("--resignpct 500", ("--resignpct 500: expected 0 to 100",)),
        ("-r nan", ("--resignpct nan",)),
        ("--randomtemp 0", ("--randomtemp 0: expected 0.01 to 100",)),
        ("--noise-value 0", ("--noise-value 0: expected 1e-06 to 100",)),
        ("-b 3001", ("--lagbuffer 3001",)),
        ("-m -1", ("--randomcnt -1",)),
        ("--komi 6.2", ("6.2", "0.5")),
        ("--rules japanese", ("japanese",)),
        ("game.sgf", ("game.sgf",)),
    ],
)
def test_a_wrong_option_is_named_in_one_line(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    words: str,
    parts: tuple[str, ...],
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("FOIBLE_NETS", raising=False)
    Path("chess.pb.gz").write_bytes(synthesise(Recipe(filters=4, blocks=1)).data)
    assert run(["gtp", *words.split()]) == 2
    output, error = capsys.readouterr()
    assert output == ""
    assert error.startswith("foible: ")
    assert error.count("\n") == 1
    assert all(part in error for part in parts)


def test_every_setting_with_a_range_has_an_option(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["gtp", "--help"]) == 0
    shown = capsys.readouterr().out
    assert all(option in shown for option in gtp.OPTIONS.values())
