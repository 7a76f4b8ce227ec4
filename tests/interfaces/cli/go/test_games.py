"""`foible go games` from the shell."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from foible._core import Batch
from foible.games.sgf import read_sgf
from foible.interfaces.cli import output
from foible.nets.evaluator import Evaluation, Material
from foible.runs.journal import Journal
from foible.selfplay.go.config import Branching, GoSelfplayConfig, KomiRule
from foible.selfplay.go.play import GoSelfplay
from foible.selfplay.go.record import GoSelfplayRecord
from tests.analysis.go.made_up_run import BLACK_HAS_ALL, WHITE_HAS_ALL, made_up, write_run
from tests.interfaces.cli.command import Command

GAMES = [
    made_up((0,), BLACK_HAS_ALL),
    made_up((0, 0), "pass pass", after="B2", komi=9.0, fair=9.0),
    made_up((1,), WHITE_HAS_ALL, komi=-8.5),
]


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """Two generations that are over, and one under way; the second net was not promoted."""
    return write_run(tmp_path / "run", {1: GAMES, 2: GAMES[:1], 3: []}, best=(0, 1, 1))


class SingleValue(Material):
    """A net that knows no margins."""

    def evaluate(self, batch: Batch) -> Evaluation:
        return replace(super().evaluate(batch), margins=None)


def rows(text: str) -> list[list[str]]:
    return [[cell.strip() for cell in line.split("│")[1:-1]] for line in text.splitlines() if "│" in line]


def test_it_prints_a_line_for_each_generation(foible: Command, run: Path) -> None:
    ran = foible("go", "games", run)
    assert ran.code == 0, ran.err
    first, second, third = rows(ran.out)
    shares = ["50.0 ± 33.3 %", "66.7 ± 22.2 %", "0.0 %"]
    assert first == ["1", "3", "1", "3.3", "0.0 ± 8.5", "9.0 ± 0.0", *shares]
    assert second == ["2", "1", "0", "3.0", "8.5 ± 0.0", "–", "100.0 %", "100.0 %", "0.0 %"]
    assert third == ["3", "0", "0", *["–"] * 6]
    assert "generation 3 is under way: 0 of 100 games so far" in ran.out
    assert "generation 2 is under way" not in ran.out


def test_json_has_histograms_and_calibration(foible: Command, run: Path) -> None:
    found = json.loads(foible("go", "games", run, "--generations", "1-2", "--json").out)
    first, second = found["generations"]
    assert (first["generation"], first["finished"], first["half_point"]["share"]) == (1, True, pytest.approx(2 / 3))
    assert first["branch_ply"]["histogram"] == [[1, 1]]
    assert second["branches"] == 0
    by_komi = {one["komi"]: one["positions"] for one in found["calibration"]["by_komi"]["net"]}
    assert by_komi == {-8.5: 4, 8.5: 6, 9.0: 2}


@pytest.mark.parametrize(
    ("text", "numbers"), [("2", [2]), ("1-2", [1, 2]), ("2-", [2, 3]), ("0-1", [1]), ("003", [3]), ("0-999", [1, 2, 3])]
)
def test_generations_are_chosen(foible: Command, run: Path, text: str, numbers: list[int]) -> None:
    ran = foible("go", "games", run, "--generations", text)
    assert [int(row[0]) for row in rows(ran.out)] == numbers


def test_it_draws_and_writes_records(foible: Command, run: Path, tmp_path: Path) -> None:
    ran = foible("go", "games", run, "--out", tmp_path / "games.png", "--sgf", tmp_path / "sgf")
    assert ran.code == 0, ran.err
    assert ran.err == ""
    assert (tmp_path / "games.png").read_bytes().startswith(b"\x89PNG")
    assert f"4 SGF files: {tmp_path / 'sgf'}" in ran.out
    files = sorted(str(path.relative_to(tmp_path / "sgf")) for path in tmp_path.glob("sgf/*/*"))
    assert files == [f"gen-000{name}.sgf" for name in ("1/0000-0", "1/0000", "1/0001", "2/0000")]
    (branch,) = read_sgf(tmp_path / "sgf" / "gen-0001" / "0000-0.sgf")
    assert (branch.result, branch.black) == ("0", "gen-0000")


def test_one_game_is_shown_move_by_move(foible: Command, run: Path, tmp_path: Path) -> None:
    words = ("go", "games", run, "--game", "1/0-0")
    ran = foible(*words, "--out", tmp_path / "game.svg", "--sgf", tmp_path / "sgf")
    assert ran.code == 0, ran.err
    assert ran.out.startswith("generation 1, game 0-0: drawn; from move 2 on its own\n")
    assert rows(ran.out) == [
        ["1", "Black B2", "8.5", "+0.50", "1.000", "62.2 %", "75.0 %", "6 of 8"],
        ["2", "White pass", "9", "0.00", "1.000", "50.0 %", "75.0 %", "6 of 8"],
        ["3", "Black pass", "9", "0.00", "1.000", "50.0 %", "75.0 %", "6 of 8"],
    ]
    assert "the board at the end" in (tmp_path / "game.svg").read_text()
    assert [path.name for path in tmp_path.glob("sgf/*/*")] == ["0000-0.sgf"]
    found = json.loads(foible(*words, "--json").out)
    assert (found["game"], found["komi"], found["margin"], found["inherited"]) == ("0-0", 9, 0, 1)
    assert [one["komi"] for one in found["moves"]] == [8.5, 9, 9]


@pytest.mark.parametrize("evaluator", [Material(), SingleValue()])
def test_games_that_were_really_played_are_read(foible: Command, tmp_path: Path, evaluator: Material) -> None:
    run = write_run(tmp_path / "run", {1: []}, wanted=30)
    config = GoSelfplayConfig(
        visits=6, concurrency=8, komi=KomiRule(rounding="integer", official=9.0), branching=Branching(rate=0.1)
    )
    with Journal(run / "gen-0001" / "games.jsonl", GoSelfplayRecord) as journal:
        GoSelfplay(config, evaluator, 3, 30, 1, journal).play()
    ran = foible("go", "games", run, "--json", "--sgf", tmp_path / "sgf")
    (one,) = json.loads(ran.out)["generations"]
    assert one["games"] == len(list(tmp_path.glob("sgf/gen-0001/*.sgf"))) == 30
    assert one["half_point"]["share"] == 0
    shares = dict(one["margin"]["histogram"])
    assert one["won_by_black"]["share"] == pytest.approx(
        sum(games * (1 if margin > 0 else 0.5 if margin == 0 else 0) for margin, games in shares.items()) / 30
    )
    knows_margins = not isinstance(evaluator, SingleValue)
    assert (one["branches"] > 0) == knows_margins
    shown = foible("go", "games", run, "--game", "1/0", "--out", tmp_path / "game.svg")
    assert shown.code == (0 if knows_margins else 2), shown.err
    if not knows_margins:
        assert "there is no margin to draw" in shown.err
        assert all(row[3:6] == ["–"] * 3 for row in rows(foible("go", "games", run, "--game", "1/0").out))


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--generations", "4"), "--generations 4: {run} has no games of it; there are 1 to 3"),
        (("--generations", "2-1"), "--generations 2-1: expected a number, or a range like 5-10"),
        (("--generations", "last"), "--generations last: expected a number, or a range like 5-10"),
        (("--generations", ""), "expected a number"),
        (("--game", "1/7"), "--game 1/7: generation 1 has no game 7"),
        (("--game", "8/0"), "--game 8/0: {run} has no games of generation 8"),
        (("--game", "0-0"), "--game 0-0: expected GENERATION/GAME, as 12/21"),
        (("--game", "1/0", "--generations", "1"), "give it without --generations"),
        (("--out", "games.pdf"), "games.pdf: expected the name of a picture, .svg or .png"),
        (("--sgf", "{run}"), "{run} holds a go training run; choose another folder"),
        (("--sgf", "{run}/config.toml"), "config.toml is a file; expected a folder"),
        (("--generations", "3", "--out", "{run}/missing/games.svg"), "missing/games.svg"),
    ],
)
def test_mistakes_are_one_line(foible: Command, run: Path, words: tuple[str, ...], message: str) -> None:
    ran = foible("go", "games", run, *(word.format(run=run) for word in words))
    assert (ran.code, ran.out, ran.err.count("\n")) == (2, "", 1)
    assert message.format(run=run) in ran.err


def test_damaged_and_empty_runs_are_one_line(foible: Command, run: Path, tmp_path: Path) -> None:
    empty = write_run(tmp_path / "empty", {})
    (run / "gen-0001" / "games.jsonl").write_text("{}\n")
    for folder, message in (
        (tmp_path / "missing", "no such folder"),
        (tmp_path, "expected the folder of a run of foible go train"),
        (empty, "no generation has games yet"),
        (run, "games.jsonl, line 1: cannot be read"),
    ):
        ran = foible("go", "games", folder)
        assert (ran.code, ran.out, ran.err.count("\n")) == (2, "", 1)
        assert message in ran.err


def test_eighty_columns_are_enough(foible: Command, run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(output, "UNLIMITED", 80)
    for words in ([], ["--game", "1/0-0"]):
        tables = [line for line in foible("go", "games", run, *words).out.splitlines() if line[:1] in "┏┃┡│└"]
        assert max(map(len, tables)) <= 80
