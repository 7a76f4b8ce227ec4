"""`foible go net` from the shell."""

import json
from pathlib import Path

import pytest

from tests.interfaces.cli.command import Command

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
        (("--out", "net.txt", "--size", 20), "'--size': Input should be less than or equal to 19"),
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
