"""Reading the self-play of a run that may be under way."""

from pathlib import Path

import pytest

from foible.analysis.go.selfplay_run import read_run
from foible.errors import ConfigError, GameFileError
from tests.analysis.go.made_up_run import BLACK_HAS_ALL, lines, made_up, write_run

GAMES = [made_up((number,), BLACK_HAS_ALL) for number in range(3)]


def test_a_generation_consists_of_its_first_games_in_turn(tmp_path: Path) -> None:
    branch = made_up((0, 0), "pass pass", after="B2")
    run = read_run(write_run(tmp_path, {1: [GAMES[2], branch, *GAMES[1::-1]]}, wanted=3))
    assert [game.id for game in run.games(1)] == [(0,), (0, 0), (1,)]


def test_generations_are_those_with_games_and_the_last_may_be_under_way(tmp_path: Path) -> None:
    run = read_run(write_run(tmp_path, {1: GAMES, 2: GAMES, 3: []}, best=(0, 1, 2)))
    assert run.numbers == (1, 2, 3)
    assert set(run.finished) == {0, 1, 2}
    assert run.games(3) == []


def test_the_net_that_played_is_the_best_of_the_generation_before(tmp_path: Path) -> None:
    run = read_run(write_run(tmp_path, {1: GAMES}, best=(0, 0, 2)))
    assert [run.net(number) for number in (1, 2, 3, 5)] == ["gen-0000", "gen-0000", "gen-0002", ""]


def test_a_line_that_is_being_written_does_not_count_and_nothing_is_touched(tmp_path: Path) -> None:
    write_run(tmp_path, {1: GAMES})
    path = tmp_path / "gen-0001" / "games.jsonl"
    half = path.read_bytes() + lines(GAMES[:1])[:40]
    path.write_bytes(half)
    assert len(read_run(tmp_path).games(1)) == 3
    assert path.read_bytes() == half


def test_a_run_whose_first_net_is_not_there_yet_has_no_games(tmp_path: Path) -> None:
    write_run(tmp_path, {})
    (tmp_path / "generations.jsonl").unlink()
    assert (read_run(tmp_path).numbers, read_run(tmp_path).finished) == ((), {})


@pytest.mark.parametrize("damage", [b"{}\n", b"\xff\xfe\n", b'{"id":[3],"size":"3"}\n', b'{"id":"\xff"}\n'])
def test_damage_is_told_with_its_line(tmp_path: Path, damage: bytes) -> None:
    write_run(tmp_path, {1: GAMES})
    with (tmp_path / "gen-0001" / "games.jsonl").open("ab") as stream:
        stream.write(damage)
    with pytest.raises(GameFileError, match=r"games\.jsonl, line 4: cannot be read"):
        read_run(tmp_path).games(1)
    (tmp_path / "generations.jsonl").write_bytes(damage)
    with pytest.raises(GameFileError, match=r"generations\.jsonl, line 1: cannot be read"):
        read_run(tmp_path)


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        (b'"size":3', b'"size":5', "line 2: a game on a board of size 5; the run's is 3"),
        (b'"id":[1]', b'"id":[]', "line 2: a game without a number"),
    ],
)
def test_games_of_another_run_are_refused(tmp_path: Path, before: bytes, after: bytes, message: str) -> None:
    write_run(tmp_path, {1: GAMES})
    path = tmp_path / "gen-0001" / "games.jsonl"
    first, second, third = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(first + second.replace(before, after) + third)
    with pytest.raises(GameFileError, match=message):
        read_run(tmp_path).games(1)


def test_only_folders_of_trainings_are_read(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="expected the folder of a run of foible go train"):
        read_run(tmp_path)
    with pytest.raises(ConfigError, match="missing: no such folder"):
        read_run(tmp_path / "missing")
