"""`foible go match` from the shell."""

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.interfaces.cli.command import PROGRAM, Command

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
def config(tmp_path: Path) -> Path:
    path = tmp_path / "m.toml"
    path.write_text(TEXT)
    return path


def test_the_table_and_the_figure_tell_of_every_two_players(foible: Command, config: Path, tmp_path: Path) -> None:
    ran = foible("go", "match", config, "--out", tmp_path / "run")
    assert ran.code == 0, ran.err
    for words in ("Go on 3×3, komi 2.5", "win share", "margin of victory", "greedy", "Elo as if one more game"):
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


def test_errors_that_pairs_do_not_tell_are_not_shown(foible: Command, config: Path, tmp_path: Path) -> None:
    words = ("go", "match", config, "--out", tmp_path / "run", "--games", 2)
    ran = foible(*words)
    assert ran.code == 0, ran.err
    table, standings = ran.out.split("all players")
    assert "±" not in table
    assert "±" in standings
    for cell in json.loads(foible(*words, "--json").out)["cells"]:
        assert cell["share"]["error"] is cell["margin"]["error"] is None


def test_what_became_of_cycles_is_always_said_and_of_forfeits_where_there_are_some(
    foible: Command, config: Path, tmp_path: Path
) -> None:
    ran = foible("go", "match", config, "--out", tmp_path / "a", "--games", 2)
    assert "no three players all met each other" in ran.out
    assert "forfeited" not in ran.out
    engine = Path(__file__).resolve().parents[2] / "arena" / "go" / "engine.py"
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
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "Traceback" not in err
    assert "of 800 games to go; the same command continues" in " ".join(err.split())
    before = games.read_bytes()
    assert 0 < len(before.splitlines()) < 800
    assert before.endswith(b"\n")


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
