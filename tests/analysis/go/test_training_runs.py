"""Folders of training runs, whole, under way and damaged."""

from pathlib import Path

import pytest

from foible.analysis.go.training_runs import distinct_names, read_run, read_runs
from foible.errors import ConfigError, GameFileError
from tests.analysis.go.learnt_runs import generation, write_learnt
from tests.analysis.go.made_up_run import BLACK_HAS_ALL, lines, made_up, write_run


def test_runs_are_read_in_order_with_what_is_over(tmp_path: Path) -> None:
    first = write_learnt(tmp_path / "b", [generation(0), generation(1, alpha=2.0)])
    second = write_learnt(tmp_path / "a", [generation(0)])
    one, two = read_runs([first, second])
    assert (one.name, one.folder, one.config.size) == ("b", first, 7)
    assert [each.alpha for each in one.generations] == [None, 2.0]
    assert two.name == "a"


def test_a_line_that_is_being_written_does_not_count(tmp_path: Path) -> None:
    run = write_learnt(tmp_path / "run", [generation(0)])
    with (run / "generations.jsonl").open("a") as file:
        file.write('{"number": 1, "be')
    before = (run / "generations.jsonl").read_bytes()
    assert len(read_runs([run])[0].generations) == 1
    assert (run / "generations.jsonl").read_bytes() == before
    assert not (run / "run.lock").exists()


def test_a_run_may_be_the_folder_where_one_stands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(write_learnt(tmp_path / "here", [generation(0)]))
    assert read_runs([Path()])[0].name == "here"


@pytest.mark.parametrize(
    ("paths", "names"),
    [
        (["/runs/one", "/runs/two"], ["one", "two"]),
        (["/a/run", "/b/run", "/b/other"], ["a/run", "b/run", "other"]),
        (["/x/a/run", "/y/a/run", "/y/b/run"], ["x/a/run", "y/a/run", "b/run"]),
        (["/run", "/a/run"], ["/run", "a/run"]),
    ],
)
def test_names_are_as_long_as_it_takes_to_tell_them_apart(paths: list[str], names: list[str]) -> None:
    assert distinct_names([Path(path) for path in paths]) == names


def test_a_run_does_not_stand_beside_itself(tmp_path: Path) -> None:
    run = write_learnt(tmp_path / "run", [generation(0)])
    with pytest.raises(ConfigError, match="run stands there twice"):
        read_runs([run, tmp_path / "x" / ".." / "run"])


def test_runs_on_different_boards_do_not_compare(tmp_path: Path) -> None:
    runs = [write_learnt(tmp_path / f"on-{size}", [generation(0)], size=size) for size in (5, 7)]
    with pytest.raises(ConfigError, match="do not compare: on-5 is on 5×5, on-7 is on 7×7"):
        read_runs(runs)


@pytest.mark.parametrize("generations", [None, b"", b'{"number": 0, "be'])
def test_a_run_without_a_finished_generation_is_refused(tmp_path: Path, generations: bytes | None) -> None:
    run = write_learnt(tmp_path / "run", [])
    (run / "generations.jsonl").unlink()
    if generations is not None:
        (run / "generations.jsonl").write_bytes(generations)
    with pytest.raises(ConfigError, match="run: no generation of this run is over yet"):
        read_runs([run])


def test_what_is_no_run_is_refused(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "file").touch()
    (tmp_path / "match").mkdir()
    (tmp_path / "match" / "config.toml").write_text("[players.a]\n")
    for name in ("empty", "file", "match"):
        with pytest.raises(ConfigError, match=f"{name}: expected the folder of a run of foible go train"):
            read_runs([tmp_path / name])
    with pytest.raises(ConfigError, match="none: no such folder"):
        read_runs([tmp_path / "none"])


def test_damage_is_named_with_its_place(tmp_path: Path) -> None:
    run = write_learnt(tmp_path / "run", [generation(0)])
    (run / "generations.jsonl").write_text('{"number": 0, "best": 0}\n{"number": "one"}\n')
    with pytest.raises(GameFileError, match=r"generations\.jsonl, line 2: cannot be read"):
        read_runs([run])
    (run / "config.toml").write_text("generations = 9\nfoo = 1\n")
    with pytest.raises(ConfigError, match="unknown key foo"):
        read_runs([run])


def test_a_home_folder_may_be_written_short(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    write_learnt(tmp_path / "run", [generation(0)])
    assert read_runs([Path("~/run")])[0].folder == tmp_path / "run"


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
