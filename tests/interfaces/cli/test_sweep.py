"""`foible sweep` from the shell."""

import json
import random
import subprocess
from pathlib import Path

import pytest

from foible.arena.pgn import finished_bytes, read_records
from foible.arena.record import GameRecord
from tests.engines.fake import Fake
from tests.interfaces.cli.command import PROGRAM, Command
from tests.interrupted import finished_games, interrupt, killed

TEXT = """
[match]
framework = "odds"
odds = "rook"
games = 12
max_plies = 40
concurrency = 3
[grid]
nodes = [10, 30]
contempt_visits = ["off", 3]
players = [{ kind = "net_search", net = "material" }]
opponents = [{ kind = "random" }]
"""


@pytest.fixture
def config(tmp_path: Path) -> Path:
    path = tmp_path / "s.toml"
    path.write_text(TEXT)
    return path


def start(config: Path, folder: Path) -> "subprocess.Popen[str]":
    words = [*PROGRAM, "sweep", str(config), "--out", str(folder), "--json"]
    return subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def games_in(folder: Path) -> dict[str, list[GameRecord]]:
    """The finished games of each cell."""
    found = {}
    for path in folder.glob("cells/*/games.pgn"):
        data = path.read_bytes()
        found[path.parent.name] = sorted(read_records(data[: finished_bytes(data)]), key=lambda game: game.number)
    return found


def count(folder: Path) -> int:
    return sum(map(finished_games, folder.glob("cells/*/games.pgn")))


def test_a_killed_sweep_ends_as_one_that_was_left_alone(foible: Command, config: Path, tmp_path: Path) -> None:
    folder = killed(lambda folder: start(config, folder), count, tmp_path, random.Random(3), kills=1)
    ended, alone = (foible("sweep", config, "--out", out, "--json") for out in (folder, tmp_path / "alone"))
    assert (ended.code, alone.code) == (0, 0)
    assert json.loads(ended.out) == json.loads(alone.out)
    assert games_in(folder) == games_in(tmp_path / "alone")
    assert count(tmp_path / "alone") == 4 * 12


def test_ctrl_c_stops_and_the_same_command_goes_on(foible: Command, config: Path, tmp_path: Path) -> None:
    stopped = interrupt(lambda folder: start(config, folder), lambda folder: count(folder) >= 4, tmp_path)
    assert stopped.code == 130
    assert "Traceback" not in stopped.err
    if stopped.out:
        assert "the same command continues" in stopped.err
        # Each cell reports the pairs of games before the first gap.
        assert sum(cell["games"] for cell in json.loads(stopped.out)["cells"]) <= count(stopped.folder) < 48
    assert (stopped.folder / "sweep.csv").exists()
    again = foible("sweep", config, "--out", stopped.folder, "--json")
    assert {cell["games"] for cell in json.loads(again.out)["cells"]} == {12}


def test_the_table_and_the_figure_tell_of_every_cell(foible: Command, config: Path, tmp_path: Path) -> None:
    ran = foible("sweep", config, "--out", tmp_path / "run", "--games", 2)
    assert ran.code == 0
    for words in ("rook odds", "material, contempt 3", "different", "win share", "Elo"):
        assert words in ran.out
    figure = (tmp_path / "run" / "sweep.svg").read_text()
    for words in ("rook odds", "against random", "n = 2 games", "material, contempt 3", "visits per move", "(%)"):
        assert words in figure
    assert (tmp_path / "run" / "sweep.png").read_bytes().startswith(b"\x89PNG")


def test_a_tournament_speaks_of_no_figure(foible: Command, tmp_path: Path) -> None:
    path = tmp_path / "t.toml"
    path.write_text(
        '[match]\nframework = "standard"\ngames = 2\nmax_plies = 10\n'
        '[grid]\nplayers = [{ kind = "random", name = "A" }, { kind = "random", name = "B" }]\n'
    )
    assert foible("sweep", path, "--out", tmp_path / "t").out.endswith(f"\ntable and games: {tmp_path / 't'}\n")


def test_names_are_taken_as_they_are(foible: Command, config: Path, tmp_path: Path) -> None:
    """Neither as a formula in the figure nor as a style on the terminal."""
    name = "_a $x^{_b$ [/red]"
    config.write_text(TEXT.replace('kind = "net_search"', f'name = "{name}", kind = "net_search"'))
    ran = foible("sweep", config, "--out", tmp_path / "run [bold]", "--games", 2)
    assert ran.code == 0, ran.err
    assert name in ran.out
    assert f"games: {tmp_path / 'run [bold]'}" in ran.out
    assert f"> {name}, contempt 3<" in (tmp_path / "run [bold]" / "sweep.svg").read_text()


def test_fewer_games_than_were_played_are_told_of(foible: Command, config: Path, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    assert "earlier runs" not in foible("sweep", config, "--out", folder, "--games", 4).err
    ran = foible("sweep", config, "--out", folder, "--games", 2, "--json")
    assert {cell["games"] for cell in json.loads(ran.out)["cells"]} == {4}
    assert "earlier runs had more games than the 2 asked for: all of them count" in ran.err


def test_an_engine_that_is_not_there_loses_no_games(foible: Command, config: Path, tmp_path: Path) -> None:
    engine = 'kind = "uci", name = "weak", command = "nosuchengine", nodes = 1'
    config.write_text(TEXT.replace('kind = "random"', engine))
    ran = foible("sweep", config, "--out", tmp_path / "run")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith("foible: nosuchengine: cannot be started as a UCI engine")
    assert ran.err.count("\n") == 1


def test_what_failed_is_told_for_each_player_over_all_its_games(foible: Command, config: Path, tmp_path: Path) -> None:
    command = json.dumps(Fake(tmp_path).command("crash"))
    config.write_text(f"""
[match]
framework = "standard"
games = 2
max_plies = 4
[grid]
players = [
    {{ kind = "random" }},
    {{ kind = "uci", name = "bad", command = {command}, nodes = 1 }},
    {{ kind = "net_policy", net = "material" }},
]
""")
    reason = "engine process died unexpectedly (exit code: 3)"
    ran = foible("sweep", config, "--out", tmp_path / "run")
    assert f"failures of bad: 4 games forfeited ({reason})\n" in ran.out
    assert ran.out.count("failures of") == 1
    lost = {"team": "bad", "restarts": {}, "forfeits": {reason: 2}}
    cells = json.loads(foible("sweep", config, "--out", tmp_path / "run", "--json").out)["cells"]
    assert [cell["failures"] for cell in cells] == [
        [lost] * ("bad" in (cell["player"], cell["opponent"])) for cell in cells
    ]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("rook", "rok", "unknown odds 'rok': near is rook"),
        ("nodes = [10, 30]", "nodes = [0]", "grid.nodes[0] = 0: expected a whole number, at least 1"),
        ("[match]", "[match", "not TOML"),
        (
            'net = "material"',
            'net = "material", search = { cpukt = 1 }',
            "unknown search parameter 'cpukt': near is cpuct",
        ),
        ('net = "material"', 'net = "nothing"', "no net is called 'nothing'"),
        ("max_plies", "openings = { file = 'none.epd' }\nmax_plies", "none.epd"),
    ],
)
def test_mistakes_are_one_line_and_exit_code_two(
    foible: Command, config: Path, tmp_path: Path, old: str, new: str, message: str
) -> None:
    config.write_text(TEXT.replace(old, new))
    ran = foible("sweep", config, "--out", tmp_path / "run")
    assert ran.code == 2
    assert message in ran.err
    assert ran.err.count("\n") == 1
    assert not (tmp_path / "run" / "sweep.csv").exists()


def test_players_whose_games_are_repeated_are_named_below_the_table(foible: Command, tmp_path: Path) -> None:
    config = tmp_path / "s.toml"
    config.write_text(
        """
        [match]
        framework = "standard"
        games = 6
        max_plies = 20
        [grid]
        nodes = [10]
        players = [{ kind = "net_search", net = "material", name = "search" }]
        opponents = [{ kind = "net_policy", net = "material", name = "policy" }]
        """
    )
    ran = foible("sweep", config, "--out", tmp_path / "swept")
    assert ran.code == 0, ran.err
    assert "\nsearch at 10 nodes against policy: 2 of 6, too few for errors: " in ran.out
