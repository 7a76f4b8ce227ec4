"""`foible go match` and `foible go panel` from the shell."""

import gzip
import json
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from foible.wording import PLUS_MINUS
from tests.interfaces.cli.command import PROGRAM, Command
from tests.nets.go.naive import Recipe, lines_of, text_of

TEXT = """
focal = ["plain", "greedy"]
opponents = ["weak"]
games = 6
size = 3
komi = 2.5
concurrency = 3
openings = { plies = 1 }
[players]
plain = { kind = "net", net = "material", visits = 12 }
greedy = { kind = "net", net = "material", visits = 12, lambda = 1.0 }
weak = { kind = "net", net = "material", visits = 2 }
"""


@pytest.fixture
def drawn() -> None:
    """For a test that looks at the figures."""


@pytest.fixture(autouse=True)
def _undrawn(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Figures take longer than the games."""
    if "drawn" not in request.fixturenames:
        monkeypatch.setattr("foible.drawing.KINDS", ())


@pytest.fixture
def config(tmp_path: Path) -> Path:
    path = tmp_path / "m.toml"
    path.write_text(TEXT)
    return path


@pytest.mark.usefixtures("drawn")
def test_the_table_and_the_figure_tell_of_every_two_players(foible: Command, config: Path, tmp_path: Path) -> None:
    ran = foible("go", "match", config, "--out", tmp_path / "run")
    assert ran.code == 0, ran.err
    for words in ("Go on 3×3, komi 2.5", "win share", "margin of victory", "greedy", "as if one more game"):
        assert words in ran.out
    assert f"games, report and figures: {tmp_path / 'run'}" in ran.out
    assert (tmp_path / "run" / "lambda.svg").exists()
    assert len(list((tmp_path / "run" / "sgf").rglob("*.sgf"))) == 12


def test_json_is_the_report_with_standings(foible: Command, config: Path, tmp_path: Path) -> None:
    ran = foible("go", "match", config, "--out", tmp_path / "run", "--games", 3, "--json")
    found = json.loads(ran.out)
    assert [(cell["player"], cell["games"], cell["lambda"]) for cell in found["cells"]] == [
        ("plain", 3, 0.0),
        ("greedy", 3, 1.0),
    ]
    assert set(found["standings"]["elo"]) == {"plain", "greedy", "weak"}
    assert found["standings"]["transitivity"]["cycles"] == []
    assert json.loads((tmp_path / "run" / "report.json").read_text()) == found
    assert all(list(cell)[-1] == "speed" and cell["speed"]["plies"] > 0 for cell in found["cells"])
    assert all(cell["speed"]["nets"] for cell in found["cells"])
    again = json.loads(foible("go", "match", config, "--out", tmp_path / "run", "--games", 3, "--json").out)
    assert [cell["speed"] for cell in again["cells"]] == [None, None]
    assert json.loads((tmp_path / "run" / "report.json").read_text()) == found


def test_errors_that_pairs_do_not_tell_are_not_shown(foible: Command, config: Path, tmp_path: Path) -> None:
    words = ("go", "match", config, "--out", tmp_path / "run", "--games", 2)
    ran = foible(*words)
    assert ran.code == 0, ran.err
    table, standings = ran.out.split("All players")
    assert "±" not in table.replace(PLUS_MINUS, "")
    assert "±" in standings
    for cell in json.loads(foible(*words, "--json").out)["cells"]:
        assert cell["share"]["standard_error"] is cell["margin"]["standard_error"] is None


def test_what_became_of_cycles_is_always_said_and_of_forfeits_where_there_are_some(
    foible: Command, config: Path, tmp_path: Path
) -> None:
    ran = foible("go", "match", config, "--out", tmp_path / "a", "--games", 2)
    assert "no three players all met each other" in ran.out
    assert "forfeited" not in ran.out
    engine = Path(__file__).resolve().parents[3] / "arena" / "go" / "engine.py"
    command = json.dumps([sys.executable, "-S", str(engine), "Z99"])
    errs = f'errs = {{ kind = "gtp", command = {command} }}\nweak ='
    config.write_text(TEXT.replace("weak =", errs).replace('["weak"]', '["weak", "errs", "plain"]'))
    ran = foible("go", "match", config, "--out", tmp_path / "b", "--games", 2)
    assert ran.code == 0, ran.err
    assert "errs forfeited 4 of 4 games; first reason: " in ran.out
    assert "Z99" in ran.out
    assert "no triple has clear results (z ≥ 1.96) yet" in ran.out


def test_ctrl_c_stops_and_the_same_command_goes_on(config: Path, tmp_path: Path) -> None:
    words = [*PROGRAM, "go", "match", str(config), "--out", str(tmp_path / "run"), "--games", "400"]
    games = tmp_path / "run" / "games.jsonl"
    process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    while process.poll() is None and not (games.exists() and games.stat().st_size):
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=300)
    assert process.returncode == 130
    assert "Traceback" not in err
    told = re.search(r"stopped after (\d+) of 800 games; the same command continues", " ".join(err.split()))
    assert told
    before = games.read_bytes()
    assert 0 < len(before.splitlines()) < 800
    assert before.endswith(b"\n")
    assert int(told[1]) <= len(before.splitlines()), "those of complete pairs"


def test_the_file_s_name_is_that_of_the_run(
    foible: Command, config: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert foible("go", "match", config, "--games", 1).code == 0
    assert (tmp_path / "runs" / "m" / "games.jsonl").exists()


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('"weak"]', '"strong"]', "m.toml: opponents: there is no player 'strong'"),
        ("lambda = 1.0", "lamda = 1.0", "m.toml: players.greedy: unknown key lamda: near is lambda"),
        ('net = "material", visits = 2 ', 'net = "nothing"', "no net is called 'nothing'"),
        ("komi = 2.5", "komi = 2.25", "m.toml: komi 2.25: must be a multiple of 0.5"),
    ],
)
def test_mistakes_are_one_line_and_exit_code_two(
    foible: Command, config: Path, tmp_path: Path, old: str, new: str, message: str
) -> None:
    assert old in TEXT
    config.write_text(TEXT.replace(old, new))
    ran = foible("go", "match", config, "--out", tmp_path / "run")
    assert (ran.code, ran.out) == (2, "")
    assert message in ran.err
    assert ran.err.count("\n") == 1
    assert not (tmp_path / "run").exists()


def test_the_folder_of_another_match_is_refused(foible: Command, config: Path, tmp_path: Path) -> None:
    assert foible("go", "match", config, "--out", tmp_path / "run", "--games", 1).code == 0
    config.write_text(TEXT.replace("visits = 2 ", "visits = 3 "))
    ran = foible("go", "match", config, "--out", tmp_path / "run", "--games", 1)
    assert ran.code == 2
    assert "made with players.weak.visits = 2 (now 3); choose another folder" in " ".join(ran.err.split())
    assert foible("match", "--preset", "stt-tree", "--out", tmp_path / "run").err.endswith(
        "holds a go match run; choose another folder\n"
    )


SMALL = ("--games", 4, "--size", 3, "--komi", 2.5, "--visits", 6, "--plies", 2, "--threads", 1)
OTHERS = ("c1", "c2", "c3")
PANEL = ("p1", "p2")


@pytest.fixture
def nets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for seed, name in enumerate((*OTHERS, *(f"panel/{name}" for name in PANEL))):
        path = tmp_path / f"{name}.txt"
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(text_of(lines_of(Recipe(size=3, head="y", seed=seed))))
    return tmp_path


def run_panel(foible: Command, *words: object) -> dict[str, Any]:
    ran = foible("go", "panel", *words, "--panel", "panel", "--out", "run", *SMALL, "--json")
    assert ran.code == 0, ran.err
    found: dict[str, object] = json.loads(ran.out)
    return found


@pytest.mark.usefixtures("drawn")
def test_a_panel_is_calibrated_once_and_measures_further_nets(foible: Command, nets: Path) -> None:
    first = run_panel(foible, "c1.txt", "c2.txt", "panel/p1.txt", "--calibrate")
    scale = first["scale"]
    assert isinstance(scale, dict)
    assert scale["panel"] == list(PANEL)
    assert sum(score["value"] for score in scale["scores"].values()) == pytest.approx(0, abs=1e-9)
    kept = (nets / "run" / "calibration.json").read_bytes()
    second = run_panel(foible, "c3.txt", "c1.txt")
    assert (nets / "run" / "calibration.json").read_bytes() == kept
    assert isinstance(second["scale"], dict)
    assert second["scale"]["weights"] == scale["weights"]
    assert second["scale"]["scores"]["c1"] == scale["scores"]["c1"]
    assert set(second["scale"]["scores"]) == {"c1", "c2", "c3"}
    assert json.loads((nets / "run" / "panel.json").read_text()) == second
    assert (nets / "run" / "panel.svg").exists()
    # 2 + 2 for two candidates, 1 for the net that is in the panel, 2 for the last: cells of four games.
    assert len((nets / "run" / "games.jsonl").read_bytes().splitlines()) == 7 * 4


def test_each_lambda_is_a_candidate_of_its_own(foible: Command, nets: Path) -> None:
    found = run_panel(foible, "c1.txt", "--lambda", 0, "--lambda", 0.5)
    assert found["scale"] is None
    assert set(found["shares"]) == {"c1", "c1, lambda 0.5"}


def test_everybody_may_play_everybody(foible: Command, nets: Path) -> None:
    found = run_panel(foible, "c1.txt", "c2.txt", "--everybody")
    assert isinstance(found["standings"], dict)
    assert set(found["standings"]["elo"]) == {"c1", "c2", *PANEL}
    assert len((nets / "run" / "games.jsonl").read_bytes().splitlines()) == 6 * 4


def test_the_table_says_what_the_numbers_mean(foible: Command, nets: Path) -> None:
    words = ("go", "panel", "c1.txt", "c2.txt", "--panel", "panel/p1.txt", "--panel", "panel/p2.txt", "--out", "run")
    ran = foible(*words, *SMALL)
    assert ran.code == 0, ran.err
    assert "win shares against the panel" in ran.out
    assert "no scale yet" in ran.out
    ran = foible(*words, *SMALL, "--calibrate")
    assert "0: the average of 2 nets" in ran.out
    assert "no scale yet" not in ran.out


def test_a_net_of_the_same_name_leaves_the_games_that_were_played(foible: Command, nets: Path) -> None:
    run_panel(foible, "c1.txt")
    games = (nets / "run" / "games.jsonl").read_bytes()
    (nets / "other").mkdir()
    (nets / "other" / "c1.txt").write_bytes((nets / "c3.txt").read_bytes())
    found = run_panel(foible, "c1.txt", "other/c1.txt")
    assert set(found["shares"]) == {"c1", "other/c1.txt"}
    again = (nets / "run" / "games.jsonl").read_bytes()
    assert again.startswith(games)
    assert len(again.splitlines()) == 2 * len(games.splitlines())


def test_the_generations_of_a_training_make_a_panel(foible: Command, nets: Path) -> None:
    for number, name in enumerate(PANEL):
        folder = nets / "train" / f"gen-{number:04}"
        folder.mkdir(parents=True)
        (folder / "net.txt.gz").write_bytes(gzip.compress((nets / "panel" / f"{name}.txt").read_bytes()))
    shutil.copy(nets / "train" / "gen-0001" / "net.txt.gz", nets / "train")
    ran = foible("go", "panel", "c1.txt", "--panel", "train", "--out", "run", *SMALL, "--json")
    assert ran.code == 0, ran.err
    assert json.loads(ran.out)["panel"] == ["train-gen-0000", "train-gen-0001"]


def test_a_scale_is_not_made_twice(foible: Command, nets: Path) -> None:
    run_panel(foible, "c1.txt", "c2.txt", "--calibrate")
    kept = (nets / "run" / "calibration.json").read_bytes()
    ran = foible("go", "panel", "c3.txt", "c1.txt", "--panel", "panel", "--out", "run", *SMALL, "--calibrate")
    assert (ran.code, ran.out) == (2, "")
    assert "run/calibration.json: a scale is made once" in ran.err
    assert ran.err.count("\n") == 1
    assert (nets / "run" / "calibration.json").read_bytes() == kept
    assert "c3.txt" not in (nets / "run" / "config.toml").read_text()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("none.txt",), "none.txt: no such file"),
        (("c1.txt", "--size", 5), "is a net for Go on a 3×3 board; expected one for Go on a 5×5 board"),
        (("c1.txt", "c1.txt"), "candidates: c1.txt stands there twice"),
        (("c1.txt", "--calibration", "no.json"), "no.json: no such file"),
        (("c1.txt", "--calibration", "no.json", "--calibrate"), "give one of them"),
        (("c1.txt", "--calibrate"), "two nets or more that play with lambda = 0, found 1 net"),
        (("c1.txt", "c2.txt", "--lambda", 0.5, "--calibrate"), "that play with lambda = 0, found 0 nets"),
        (("c1.txt", "--komi", 2.25), "komi 2.25: must be a multiple of 0.5"),
        (("c1.txt", "--lambda", 20), "c1, lambda 20: lambda = 20: expected"),
    ],
)
def test_mistakes_about_panels_are_one_line_and_exit_code_two(
    foible: Command, nets: Path, words: tuple[object, ...], message: str
) -> None:
    ran = foible("go", "panel", "--panel", "panel", "--out", "run", *SMALL, *words)
    assert (ran.code, ran.out) == (2, "")
    assert message in ran.err
    assert ran.err.count("\n") == 1
    assert not (nets / "run").exists()
