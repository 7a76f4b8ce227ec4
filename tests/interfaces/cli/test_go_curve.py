"""`foible go curve` from the shell."""

import io
import json
import sys
from pathlib import Path

import pytest

from foible.nets.go.config import GoNetConfig
from foible.nets.go.convert import save_go_net
from foible.training.go.start import random_net
from tests.interfaces.cli.command import Command

SGF = "(;GM[1]FF[4]SZ[3]KM[2.5];B[bb];W[ba])"


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    net, game = tmp_path / "own.txt.gz", tmp_path / "game.sgf"
    save_go_net(random_net(GoNetConfig(size=3, blocks=1, filters=8, value_hidden=8), 1), net)
    game.write_text(SGF)
    return net, game


def test_it_prints_what_nets_say_and_draws_it(foible: Command, files: tuple[Path, Path], tmp_path: Path) -> None:
    net, game = files
    ran = foible("go", "curve", game, "--net", net, "--net", net, "--out", tmp_path / "curve.svg")
    assert ran.code == 0, ran.err
    rows = [[cell.strip() for cell in line.split("│")[1:-1]] for line in ran.out.splitlines() if "│ game" in line]
    found = {(row[1], row[2]): row for row in rows[-2:]}
    assert set(found) == {("alpha", "2"), ("beta", "2")}
    assert all(row[4] == "0.000" and row[3] == row[5] == row[6] for row in found.values())
    assert "own" in (tmp_path / "curve.svg").read_text()
    (last,) = json.loads(foible("go", "curve", game, "--net", net, "--json").out)
    (first,) = json.loads(foible("go", "curve", game, "--net", net, "--json", "--move", 1, "--komi", 8).out)
    assert (last["turn"], last["komi"], first["turn"], first["komi"]) == ("first", 2.5, "second", 8.0)
    assert last["nets"][0]["alpha"] != first["nets"][0]["alpha"]
    assert last["nets"][0]["interval"][0] == 0
    assert last["alpha"] is None


def test_white_gets_the_points_for_handicap_stones_whatever_the_komi(
    foible: Command, files: tuple[Path, Path], tmp_path: Path
) -> None:
    (tmp_path / "handicap.sgf").write_text("(;GM[1]SZ[3]KM[2.5]HA[2]AB[aa][cc])")
    for words, komi in (([], 4.5), (["--komi", 2.5], 4.5), (["--komi", 0], 2.0)):
        ran = foible("go", "curve", tmp_path / "handicap.sgf", "--net", files[0], "--json", *words)
        assert json.loads(ran.out)[0]["komi"] == komi


def test_the_game_may_come_from_the_standard_input(
    foible: Command, files: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    net, game = files
    from_file = json.loads(foible("go", "curve", game, "--net", net, "--json").out)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(SGF.encode())))
    from_input = json.loads(foible("go", "curve", "-", "--net", net, "--json").out)
    assert from_input == [{**from_file[0], "position": "standard input"}]
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO()))
    ran = foible("go", "curve", "-", "--net", net)
    assert (ran.code, ran.out, ran.err.count("\n")) == (2, "", 1)
    assert "no game found" in ran.err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--move", 3], "--move 3: the game has 2 moves"),
        (["--out", "curve.jpg"], "curve.jpg: expected the name of a picture, .svg or .png"),
        (["--komi", 0.3], "komi 0.3: must be a multiple of 0.5"),
        (["--lambda", 11], "lambda = 11"),
        (["--net", "master"], "master is a net for chess; expected one for Go"),
    ],
)
def test_a_mistake_is_one_line(foible: Command, files: tuple[Path, Path], words: list[object], message: str) -> None:
    net, game = files
    ran = foible("go", "curve", game, "--net", net, *words)
    assert (ran.code, ran.out, ran.err.count("\n")) == (2, "", 1)
    assert message in ran.err
