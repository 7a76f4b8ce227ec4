"""`foible go runs` and `foible go curve` from the shell."""

import io
import json
import sys
from pathlib import Path

import pytest

from foible.nets.go.modules import save_go_net
from foible.nets.go.net import GoNetConfig
from foible.training.go.folder import net_path
from foible.training.go.trainer import random_net
from tests.analysis.go.learnt_runs import generation, write_learnt, write_panel
from tests.interfaces.cli.command import Command
from tests.interfaces.cli.test_errors import check_complaint


@pytest.fixture
def runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A run with alpha and Elo, one of nets with a single value, one on another board, one that has just begun."""
    monkeypatch.chdir(tmp_path)
    known = {"alpha": 8.25, "beta": 0.5, "elo": 120.0, "elo_standard_error": 30.0}
    write_learnt(tmp_path / "margin", [generation(0, alpha=-1.0, beta=0.125), generation(1, **known), generation(2)])
    write_learnt(tmp_path / "single", [generation(0), generation(1)])
    write_learnt(tmp_path / "small", [generation(0)], size=5)
    write_learnt(tmp_path / "begun", [])
    scores = {net_path(tmp_path / "margin", 1): (0.5, 0.0625), net_path(tmp_path / "single", 1): (-0.25, 0.125)}
    write_panel(tmp_path / "panel", scores)
    return tmp_path


def rows(out: str) -> dict[str, list[str]]:
    """The cells of a table, by their first."""
    lines = [[cell.strip() for cell in line.strip("│┃").split("│")] for line in out.splitlines() if line[0] in "│"]
    return {first: rest for first, *rest in lines}


def test_runs_stand_side_by_side(foible: Command, runs: Path) -> None:
    ran = foible("go", "runs", "margin", "single", "--out", "curves.svg")
    assert ran.code == 0, ran.err
    assert rows(ran.out) == {
        "margin": ["2", "20", "–", "–", "120 ± 30 (generation 1)", "–", "0:00:06"],
        "single": ["1", "10", "–", "–", "–", "–", "0:00:04"],
    }
    for words in ("training runs of Go on 7×7", "9 ± 1 from", "no Elo: single", "picture: curves.svg"):
        assert words in ran.out
    assert ">margin<" in (runs / "curves.svg").read_text()


def test_an_elo_below_zero_has_the_sign_of_alpha_and_one_that_rounds_to_zero_none(foible: Command, runs: Path) -> None:
    write_learnt(runs / "even", [generation(0, elo=-0.4, elo_standard_error=30.0)])
    write_learnt(runs / "below", [generation(0, elo=-40.0, elo_standard_error=30.0)])
    shown = rows(foible("go", "runs", "even", "below").out)
    assert (shown["even"][4], shown["below"][4]) == ("0 ± 30", "−40 ± 30")


def test_a_panel_puts_them_on_one_scale(foible: Command, runs: Path) -> None:
    ran = foible("go", "runs", "margin", "single", "--panel", "panel", "--by", "games", "--out", "curves.png")
    assert ran.code == 0, ran.err
    found = rows(ran.out)
    assert found["margin"][4] == "0.500 ± 0.062 (generation 1)"
    assert found["single"][4] == "−0.250 ± 0.125"
    assert (runs / "curves.png").read_bytes().startswith(b"\x89PNG")


def test_shares_are_told_in_percent(foible: Command, runs: Path) -> None:
    write_learnt(
        runs / "own", [generation(0, panel=0.25), generation(1, alpha=9.0, panel=0.5, panel_standard_error=0.0625)]
    )
    assert rows(foible("go", "runs", "own").out)["own"][4:6] == ["50.0 ± 6.2 %", "1"]


def test_what_no_run_has_is_no_column(foible: Command, runs: Path) -> None:
    ran = foible("go", "runs", "single")
    assert "Elo" not in ran.out
    write_learnt(runs / "large", [generation(0, alpha=7.0, beta=0.5)], size=9)
    ran = foible("go", "runs", "large")
    assert rows(ran.out) == {"large": ["0", "0", "+7.00", "0.500", "0:00:02"]}


def test_programs_get_json(foible: Command, runs: Path) -> None:
    ran = foible("go", "runs", "margin", "--panel", "panel", "--json", "--out", "curves.svg")
    found = json.loads(ran.out)
    assert (found["size"], found["known_value"], found["measure"]) == (7, 9, "panel score")
    assert found["scale"] == {"even": -0.25, "ceiling": 1.5}
    assert [point["strength"] for point in found["runs"][0]["points"]] == [None, 0.5, None]
    assert (runs / "curves.svg").exists()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["margin", "small"], "runs on different boards do not compare: margin is on 7×7, small is on 5×5"),
        (["margin", "margin/"], "margin stands there twice"),
        (["margin", "begun"], "begun: no generation of this run is over yet"),
        (["panel"], "panel: expected the folder of a run of foible go train"),
        (["none"], "none: no such folder"),
        (["margin", "--panel", "none"], "none: holds no panel.json"),
        (["margin", "--panel", "single"], "single: holds no panel.json"),
        (["small", "--panel", "panel"], "panel: holds no score, with lambda 0, of a net of these runs"),
        (["margin", "--out", "curves.jpg"], "curves.jpg: expected the name of a picture, .svg or .png"),
        (["margin", "--out", "none/curves.svg"], "none/curves.svg: there is no folder none"),
        (["single", "--out", "curves.svg"], "nothing to draw: these runs have no alpha, no Elo and no panel"),
        (["margin", "--by", "days"], "'days' is not one of"),
        ([], "Missing argument 'RUN...'"),
    ],
)
def test_a_mistake_about_runs_is_one_line(foible: Command, runs: Path, words: list[str], message: str) -> None:
    ran = foible("go", "runs", *words)
    assert (ran.code, ran.out, ran.err.count("\n")) == (2, "", 1)
    assert message in ran.err
    assert not list(runs.glob("curves.*"))


def test_runs_are_only_read(foible: Command, runs: Path) -> None:
    def files() -> dict[Path, bytes]:
        return {path: path.read_bytes() for path in runs.rglob("*") if path.is_file()}

    before = files()
    assert foible("go", "runs", "margin", "single", "--panel", "panel").code == 0
    assert files() == before


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


def test_moves_are_counted_from_the_first_whoever_played_them(
    foible: Command, files: tuple[Path, Path], tmp_path: Path
) -> None:
    net, other = files[0], tmp_path / "other.sgf"
    other.write_text("(;GM[1]SZ[3]KM[2.5];B[aa];B[cc];W[bb];AB[ca];B[ac])")
    begins = (
        (0, "first", ""),
        (1, "second", "B[aa]"),
        (2, "second", "B[aa];B[cc]"),
        (3, "first", "B[aa];B[cc];W[bb];AB[ca]"),
    )
    for moves, turn, before in begins:
        (found,) = json.loads(foible("go", "curve", other, "--net", net, "--json", "--move", moves).out)
        same = tmp_path / f"{moves}.sgf"
        same.write_text(f"(;GM[1]SZ[3]KM[2.5];{before})")
        (alone,) = json.loads(foible("go", "curve", same, "--net", net, "--json").out)
        assert (found["turn"], found["nets"]) == (turn, alone["nets"])
    check_complaint(foible("go", "curve", other, "--net", net, "--move", 5), "--move 5: the game has 4 moves")
    other.write_text("(;GM[1]SZ[3]KM[2.5];AB[aa]AW[bb]PL[W];W[ac])")
    (problem,) = json.loads(foible("go", "curve", other, "--net", net, "--json", "--move", 0).out)
    assert problem["turn"] == "second"


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
        (["--out", "none/curve.svg", "--net", "none.txt.gz"], "none/curve.svg: there is no folder none"),
        (["--komi", 0.3], "komi 0.3: must be a multiple of 0.5"),
        (["--lambda", 11], "lambda = 11"),
        (["--net", "master"], "master is no net for Go; expected one, such as go-7x7"),
    ],
)
def test_a_mistake_is_one_line(foible: Command, files: tuple[Path, Path], words: list[object], message: str) -> None:
    net, game = files
    ran = foible("go", "curve", game, "--net", net, *words)
    assert (ran.code, ran.out, ran.err.count("\n")) == (2, "", 1)
    assert message in ran.err
