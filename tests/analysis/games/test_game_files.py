import os
from pathlib import Path

import pytest

from foible.analysis.games.game_files import ALL, read_files
from foible.errors import GameFileError
from tests.analysis.games.pgn_games import game

ONE = game("1. e4 e5", "1-0")
BROKEN = game("1. e4 e5 2. Ke3", "1-0")


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)
    return path


def test_several_files_are_taken_alone_and_together(tmp_path: Path) -> None:
    paths = [write(tmp_path / "a.pgn", ONE), write(tmp_path / "b.PGN", ONE + game("1. d4", "1/2-1/2"))]
    found = read_files(paths)
    assert [one.name for one in found.sets] == ["a", "b", ALL]
    assert [one.summary.games for one in found.sets] == [1, 2, 3]
    assert [one.summary.repeated_at(1) for one in found.sets] == [0.0, 0.0, pytest.approx(2 / 3)]
    assert found.total.summary.decisive_ratio.value == 2.0


def test_one_file_is_its_own_total(tmp_path: Path) -> None:
    found = read_files([write(tmp_path / "a.pgn", ONE)])
    assert found.sets == (found.total,)


def test_files_of_the_same_name_are_told_apart(tmp_path: Path) -> None:
    paths = [write(tmp_path / folder / "a.pgn", ONE) for folder in ("x", "y")]
    assert [one.name for one in read_files([*paths, paths[0]]).files] == [
        f"{number}: {path}" for number, path in enumerate([*paths, paths[0]], 1)
    ]


def test_a_file_name_that_is_no_text_is_shown_as_well_as_it_can_be(tmp_path: Path) -> None:
    path = Path(os.fsdecode(os.fsencode(tmp_path) + b"/J\xf6rg.pgn"))
    path.write_text(ONE)
    (found,) = read_files([path]).files
    assert (found.name, found.file) == ("J\ufffdrg", f"{tmp_path}/J\ufffdrg.pgn")


def test_games_that_cannot_be_read_are_counted_with_their_reasons(tmp_path: Path) -> None:
    found = read_files([write(tmp_path / "a.pgn", BROKEN + ONE), write(tmp_path / "b.pgn", ONE)])
    assert [one.skipped for one in found.sets] == [1, 0, 1]
    assert "illegal move Ke3" in found.files[0].reasons[0]
    assert found.files[0].games[0].number == 2


@pytest.mark.parametrize("text", ["", "\n\n", BROKEN, "hello world"])
def test_a_file_without_a_game_is_an_error(tmp_path: Path, text: str) -> None:
    path = write(tmp_path / "a.pgn", text)
    with pytest.raises(GameFileError, match=r"a\.pgn: no game that can be read"):
        read_files([path])


def test_progress_counts_the_games_of_all_files(tmp_path: Path) -> None:
    path = write(tmp_path / "a.pgn", ONE * 3)
    seen: list[int] = []
    read_files([path, path], on_game=seen.append)
    assert seen == [1, 2, 3, 4, 5, 6]
