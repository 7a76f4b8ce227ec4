"""`foible match` from the shell."""

import io
import json
import os
import random
import re
import signal
import subprocess
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import chess
import chess.pgn
import pytest

from foible.arena.config import MatchConfig, parse_config, with_changes
from foible.arena.losses import RoleLoss
from foible.arena.open_match import OnProgress
from foible.arena.play import play
from foible.arena.progress import GameLengths, MatchProgress
from foible.arena.record import GameRecord
from foible.arena.report import report_on
from foible.arena.sprt import Sprt
from foible.arena.stats import Tally, tally_pairs
from foible.arena.store import read_games
from foible.arena.tables import render
from foible.interfaces.cli import demo, progress
from foible.interfaces.cli.match import note
from foible.interfaces.cli.output import Console
from foible.interfaces.cli.progress import ProgressLine
from foible.search.batcher import Usage
from foible.search.speed import Speed
from foible.wording import percent
from tests.arena.scripted import random_match
from tests.interfaces.cli.command import PROGRAM, Command
from tests.interrupted import after_a_pair, finished_games, interrupt, killed

SMALL = """
framework = "tag_team"
games = 40
max_plies = 80

[focal]
kind = "tag_team"
senior = { kind = "net_search", net = "material", nodes = 40 }
junior = { kind = "net_policy", net = "material" }

[alter]
kind = "tag_team"
senior = { kind = "net_search", net = "material", nodes = 40, search = { cpuct = 3.0 } }
junior = { kind = "net_policy", net = "material" }
"""

HANDS = """
framework = "hand_brain"
games = 2
max_plies = 10

[focal]
kind = "hand_brain"
brain = { kind = "net_policy", net = "material" }
hand = { kind = "net_policy", net = "material", temperature = 1.0 }

[alter]
kind = "hand_brain"
brain = { kind = "net_search", net = "material", nodes = 4 }
hand = { kind = "net_policy", net = "material", temperature = 1.0 }
"""


@pytest.fixture(autouse=True)
def _no_nets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("FOIBLE_NETS", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def start(folder: Path) -> "subprocess.Popen[str]":
    config = folder.with_suffix(".toml")
    config.write_text(SMALL)
    words = ["match", str(config), "--json", "--out", str(folder)]
    return subprocess.Popen(
        [*PROGRAM, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=dict(os.environ)
    )


def games_in(folder: Path) -> int:
    return finished_games(folder / "games.pgn")


def test_a_killed_match_ends_as_one_that_was_left_alone(foible: Command, config: Path, tmp_path: Path) -> None:
    run = killed(start, games_in, tmp_path, random.Random(1), kills=1)
    last, alone = (foible("match", config, "--json", "--out", folder) for folder in (run, tmp_path / "alone"))
    assert (last.code, alone.code) == (0, 0)
    ended, whole = json.loads(last.out), json.loads(alone.out)
    assert whole["speed"]["nets"]
    assert {**ended, "speed": None} == {**whole, "speed": None}
    assert (run / "results.csv").read_text() == (tmp_path / "alone" / "results.csv").read_text()


@pytest.mark.parametrize("by", [signal.SIGINT, signal.SIGTERM])
def test_ctrl_c_stops_and_the_same_command_goes_on(foible: Command, config: Path, by: int, tmp_path: Path) -> None:
    stopped = interrupt(start, lambda folder: (folder / "games.pgn").exists(), tmp_path, by=by)
    assert stopped.code == 130
    assert not (stopped.folder / "live.json").exists()
    assert "Traceback" not in stopped.err
    assert games_in(stopped.folder) < 40
    again = foible("match", config, "--json", "--out", stopped.folder)
    assert json.loads(again.out)["games"] == 40


def test_a_match_that_was_stopped_is_not_judged_and_names_the_command_that_does(
    foible: Command, config: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config.write_text(f'judge = "material"\nconcurrency = 2\n{SMALL}')

    def interrupted(config: MatchConfig, folder: Path, tell: OnProgress, **others: Any) -> Any:
        return play(config, folder, after_a_pair(tell), **others)

    monkeypatch.setattr("foible.interfaces.cli.match.play", interrupted)
    folder = tmp_path / "run"
    ran = foible("match", config, "--out", folder)
    assert ran.code == 130
    assert f"\nwhat each player's moves lost: foible analyse {folder} --judge material\n" in ran.out
    assert json.loads((folder / "report.json").read_text())["judge"] is None


def test_the_folder_of_a_match_goes_on_with_more_games_whoever_plays_them(
    foible: Command, config: Path, tmp_path: Path
) -> None:
    folder, whole = tmp_path / "run", tmp_path / "whole"
    assert foible("match", config, "--games", 2, "--out", folder).code == 0
    ran = foible("match", folder, "--games", 6, "--on", "processes:1", "--json")
    assert (ran.code, json.loads(ran.out)["games"]) == (0, 6)
    assert foible("match", config, "--games", 6, "--out", whole).code == 0
    for name in ("games.pgn", "results.csv"):
        assert (folder / name).read_bytes() == (whole / name).read_bytes()

    ran = foible("match", folder, "--games", 2, "--json")
    assert (ran.code, json.loads(ran.out)["games"]) == (0, 6)
    assert ran.err == "earlier runs had more games than the 2 asked for: all of them count\n"


def test_a_configuration_that_was_edited_in_the_folder_of_its_match_does_not_go_on(
    foible: Command, config: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "run"
    assert foible("match", config, "--games", 2, "--out", folder).code == 0
    edited = folder / "config.toml"
    edited.write_text(edited.read_text().replace("nodes = 40", "nodes = 10"))
    games = (folder / "games.pgn").read_bytes()
    ran = foible("match", folder, "--games", 4)
    assert (ran.code, ran.err.count("\n"), (folder / "games.pgn").read_bytes()) == (2, 1, games)
    assert f"{edited}: was changed after the run began with it; undo the change, or give it to a new run" in ran.err
    assert foible("match", edited, "--games", 2, "--out", tmp_path / "other").code == 0


@pytest.mark.parametrize("words", [["selfplay"], ["go", "match"], ["train"], ["improve"], ["experts"]], ids="-".join)
def test_the_folder_of_a_match_is_no_other_run(foible: Command, played: Path, words: list[str]) -> None:
    ran = foible(*words, played)
    assert (ran.code, "holds a match run" in ran.err) == (2, True)


def test_before_the_first_pair_is_complete_programs_are_told_so(
    foible: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("foible.interfaces.cli.match.play", lambda *args, **more: None)
    ran = foible("match", "--preset", "demo", "--games", 4, "--out", tmp_path / "run", "--json")
    assert ran.code == 130
    assert json.loads(ran.out) == {"games": 0, "asked": 4}
    assert ran.err == "foible: stopped after 0 of 4 games; the same command continues\n"


def test_the_table_says_what_plays_in_place_of_missing_nets(foible: Command, tmp_path: Path) -> None:
    ran = foible("match", "--preset", "stt-tree", "--games", "2", "--nodes", "2", "--out", str(tmp_path / "run"))
    assert ran.code == 0
    assert "maia-1100 is not on this machine: club:1100 plays in its place" in " ".join(ran.err.split())
    for words in ("win share", "Elo", "Who lost how much", "senior", "junior"):
        assert words in ran.out


def test_losses_that_nobody_knows_are_no_table_but_a_hint(foible: Command, tmp_path: Path) -> None:
    config, folder = tmp_path / "match.toml", tmp_path / "run"
    config.write_text(HANDS)
    ran = foible("match", config, "--out", folder)
    assert ran.code == 0, ran.err
    assert "Who lost how much" not in ran.out
    assert ran.out.splitlines()[-1] == f"what each player's moves lost: foible analyse {folder} --judge master"


def test_odds_are_given_by_the_team_under_test_and_can_be_analysed(foible: Command, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    ran = foible("match", "--preset", "standard", "--odds", "two-knights", "--games", 4, "--nodes", 2, "--out", folder)
    assert ran.code == 0
    assert "search against policy (two-knights odds)" in ran.out
    with (folder / "games.pgn").open() as file:
        games = list(iter(lambda: chess.pgn.read_game(file), None))
    assert len(games) == 4
    for game in games:
        giver = game.headers["White"] == "search"
        board = game.board()
        assert (len(board.pieces(chess.KNIGHT, giver)), len(board.pieces(chess.KNIGHT, not giver))) == (0, 2)
        assert not game.errors
    analysed = foible("analyse", folder, "--judge", "material", "--json")
    assert analysed.code == 0
    assert json.loads(analysed.out)["games"] == 4


def test_the_queen_odds_preset_plays(foible: Command, tmp_path: Path) -> None:
    ran = foible("match", "--preset", "queen-odds", "--games", 2, "--nodes", 2, "--out", tmp_path / "run", "--json")
    report = json.loads(ran.out)
    assert (report["framework"], report["games"], report["focal"]) == ("queen odds", 2, "contempt 28")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--preset", "standard", "--odds", "knigt"), "unknown odds 'knigt': near are knight"),
        (("--preset", "standard", "--odds", ""), "unknown odds ''"),
        (("--preset", "stt-tree", "--odds", "queen"), "odds queen do not fit framework = tag_team"),
        (("--preset", "standard", "--effort", "inf"), "effort = inf: expected a number, at most 1000"),
        ((), "--preset"),
        (("--preset", "nonsense"), "unknown preset"),
        (("none.toml",), "none.toml"),
        (("--preset", "stt-tree", "--games", "0"), "games = 0: expected a whole number, at least 1"),
        (("--preset", "stt-tree", "none.toml"), "either"),
    ],
)
def test_mistakes_are_one_line_and_exit_code_two(foible: Command, arguments: tuple[str, ...], message: str) -> None:
    ran = foible("match", *arguments)
    assert ran.code == 2
    assert message in ran.err
    assert ran.err.count("\n") == 1


@pytest.mark.parametrize("name", ["", 'name = "other"'])
def test_teams_of_one_name_are_told_of(foible: Command, tmp_path: Path, name: str) -> None:
    path = tmp_path / "two.toml"
    path.write_text(f"""
framework = "standard"
games = 2
max_plies = 4
focal = {{ kind = "net_policy", net = "material" }}
[alter]
kind = "net_policy"
net = "material"
{name}
""")
    ran = foible("match", path, "--out", tmp_path / "run")
    assert ran.code == 0
    assert ("both teams are called material" in ran.err) == (not name)


def test_a_match_that_its_test_ends_is_over(foible: Command, tmp_path: Path) -> None:
    path = tmp_path / "my.toml"
    path.write_text(
        """
framework = "standard"
games = 200
max_plies = 30
[focal]
kind = "net_policy"
net = "material"
temperature = 0.3
[alter]
kind = "random"
[resignation]
value = 0.4
moves = 2
"""
    )
    ran = foible("match", path, "--out", tmp_path / "run", "--sprt", "-10", "200", "--live", 4)
    assert ran.code == 0
    assert "Score of material vs random: 0 - " in ran.err
    assert "LOS: " in ran.err
    assert "SPRT: llr -" in ran.err
    assert ran.err.count(" - H0 was accepted") == 1
    assert "H0 accepted: at most -10" in ran.out
    assert "overstate" in ran.out
    assert "stopped after" not in ran.err


def test_live_reports_count_complete_pairs_before_the_first_gap_and_say_no_count_twice(
    foible: Command, config: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    games = sorted(random_match(pairs=4), key=lambda game: game.number)

    def told(finished: list[GameRecord]) -> MatchProgress[GameRecord]:
        return MatchProgress(finished, 8, len(finished), (), (), GameLengths(), Speed(1.0, 100, {}))

    def played(asked: MatchConfig, folder: Path, tell: OnProgress, **settings: object) -> None:
        for finished in (games[1:3], games[:3], games[:3] + games[4:], games):
            tell(told(finished))

    monkeypatch.setattr("foible.interfaces.cli.match.play", played)
    ran = foible("match", config, "--out", tmp_path / "run", "--live", 1)
    assert re.findall(r"^Score of .*\] (\d+)$", ran.err, re.MULTILINE) == ["2", "8"]


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The run of a match of eight games."""
    folder = tmp_path_factory.mktemp("eight") / "run"
    play(with_changes(parse_config(SMALL, "small.toml"), games=8, nodes=2), folder)
    return folder


@pytest.fixture
def eight_games(played: Path) -> list[GameRecord]:
    first, *others = read_games(played)
    return [replace(first, result="1-0"), *others]


def test_the_table_of_a_match_has_its_speed_where_anything_was_played(eight_games: list[GameRecord]) -> None:
    screen = io.StringIO()
    console = Console(file=screen, width=100)
    console.print(render(report_on(eight_games)))
    assert "plies/s" not in screen.getvalue()
    console.print(render(report_on(eight_games, speed=standing(eight_games).speed)))
    assert "47 plies/s, 118 evaluations/s, net busy 93 % (batch 118)" in screen.getvalue()


def standing(games: list[GameRecord], workers: int = 1) -> MatchProgress[GameRecord]:
    speed = Speed(100.0, 4700, {"net": Usage(Counter({118: 100}), 93.0)})
    return MatchProgress(games, 1000, 8, (), (), GameLengths([580, 595]), speed, workers)


@pytest.mark.parametrize(
    ("pairs", "losses", "said", "unsaid"),
    [
        (
            (2, 4, 10, 20, 14),
            (5.0, 8.0),
            ["won 70.0 ± 3.8 %", "5.00 ± 0.50 points", "against 8.00 ± 0.50"],
            "does not show",
        ),
        ((2, 4, 10, 20, 14), (7.0, 8.0), ["won 70.0 ± 3.8 %", "who will move."], "junior"),
        ((0, 0, 0, 0, 50), (5.0, 8.0), ["won 100.0 %", "who will move"], "does not show"),
        ((10, 10, 10, 10, 10), (5.0, 8.0), ["won 50.0 ± 5.1 %", "does not show"], "junior"),
        ((14, 20, 10, 4, 2), (5.0, 8.0), ["won 30.0 ± 3.8 %", "does not show"], "junior"),
    ],
)
def test_the_demo_says_no_more_than_its_errors_allow(
    eight_games: list[GameRecord],
    pairs: tuple[int, ...],
    losses: tuple[float, float],
    said: Sequence[str],
    unsaid: str,
) -> None:
    report = replace(report_on(eight_games), focal="ours", alter="theirs")
    games = Tally((2 * pairs[0] + pairs[1], pairs[1] + 2 * pairs[2] + pairs[3], pairs[3] + 2 * pairs[4]))
    teams = zip((report.focal, report.alter), losses, strict=True)
    roles = tuple(RoleLoss(team, "junior", 500, 500, loss, 0.5, loss) for team, loss in teams)
    lesson = demo._lesson(replace(report, games=games, pairs=Tally(pairs), different=games.n, roles=roles))
    for words in said:
        assert words in lesson
    assert unsaid not in lesson


def test_the_demo_says_after_how_many_moves_its_first_game_ended(eight_games: list[GameRecord]) -> None:
    screen = io.StringIO()
    console = Console(file=screen, width=200)
    for plies in (7, 1):
        first = replace(eight_games[0], moves=eight_games[0].moves[:plies])
        demo._News(ProgressLine("games", console, hidden=True), console)(standing([first]))
    told = [line.split(" (")[0] for line in screen.getvalue().splitlines()]
    assert [line.partition(" won ")[2] for line in told] == ["after 4 moves", "after 1 move"]


def test_the_progress_line_tells_no_error_of_games_that_are_repeated(eight_games: list[GameRecord]) -> None:
    pairs = tally_pairs(eight_games)
    again = [replace(game, pair=game.pair + 4 * lap) for lap in range(3) for game in eight_games]
    assert f"focal {percent(pairs.share)}" in note(standing(again))


def test_a_terminal_of_eighty_columns_shows_the_share_and_its_error(
    eight_games: list[GameRecord], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(progress, "PATIENCE", 0.0)
    games = [replace(game, moves=other.moves) for game, other in zip(eight_games, random_match(pairs=4), strict=True)]
    pairs = tally_pairs(games)
    share = f"focal {percent(pairs.share, pairs.sample_error)}"
    assert "±" in share
    for sprt in (None, Sprt(0, 10)):
        screen = io.StringIO()
        console = Console(file=screen, force_terminal=True, width=80, color_system=None, legacy_windows=False)
        now = standing(games, workers=4)
        line = ProgressLine("games", console)
        line.show("match", 608, now.total, left=3725.0, note=note(now, sprt))
        line.clear()
        assert share in screen.getvalue()


@pytest.mark.parametrize(
    ("workers", "told"),
    [(0, ["47 plies/s", "net busy 93 % (batch 118)"]), (4, ["47 plies/s", "net busy 93 % (batch 118)", "4 workers"])],
)
def test_before_eight_games_the_line_says_how_fast_it_goes(
    eight_games: list[GameRecord], workers: int, told: list[str]
) -> None:
    assert note(standing(eight_games[:6], workers)).split("  ") == told
