"""How an index is made, kept, made anew, and what a process that was killed leaves."""

import lzma
import os
from pathlib import Path

import pytest
from filelock import FileLock

from foible._core import ChessPosition
from foible.analysis.openings import Indexing, OpeningIndex, index_building, indexing, open_index
from foible.errors import ConfigError, GameFileError
from tests.analysis.games.pgn_games import game

GAMES = "".join(game("1. e4 e5 2. Nf3 Nc6", result) for result in ("1-0", "0-1", "1/2-1/2") * 200)


@pytest.fixture(autouse=True)
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache" / "foible" / "openings"


@pytest.fixture
def games(tmp_path: Path) -> Path:
    path = tmp_path / "games.pgn"
    path.write_text(GAMES)
    return path


def test_it_tells_how_far_it_is_and_then_comes_at_once(games: Path) -> None:
    *steps, index = indexing([games])
    assert isinstance(index, OpeningIndex)
    parts = [step.part for step in steps if isinstance(step, Indexing)]
    assert len(parts) == len(steps) > 2
    assert parts == sorted(parts)
    assert 0 <= parts[0] <= parts[-1] < 1
    (again,) = indexing([games])
    assert isinstance(again, OpeningIndex)
    assert again.look_up(ChessPosition()) == index.look_up(ChessPosition())
    assert index.look_up(ChessPosition()).games == 600


def test_packed_files_and_several_are_one_index(tmp_path: Path, games: Path) -> None:
    packed = tmp_path / "more.pgn.xz"
    packed.write_bytes(lzma.compress(GAMES.encode()))
    assert open_index([games, packed]).look_up(ChessPosition()).games == 1200
    assert open_index([packed, games, games]).description.games == 1200


def test_rows_that_were_put_aside_are_gathered(games: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(index_building, "_CHUNK", 100)
    index = open_index([games])
    assert [one.games for one in index.look_up(ChessPosition(None, ["e4", "e5"])).moves] == [600]


def test_files_that_changed_are_read_anew_in_place_of_the_old(kept: Path, games: Path) -> None:
    open_index([games])
    games.write_text(GAMES + game("1. d4 d5", "1-0") * 2)
    assert open_index([games]).look_up(ChessPosition()).games == 602
    os.utime(games, ns=(0, 0))
    assert isinstance(next(iter(indexing([games]))), Indexing)
    assert len([one for one in kept.iterdir() if one.is_dir()]) == 1


def test_a_draft_of_a_process_that_was_killed_is_begun_anew(kept: Path, games: Path) -> None:
    open_index([games])
    (folder,) = (one for one in kept.iterdir() if one.is_dir())
    folder.rename(folder.with_suffix(".new"))
    spool = folder.with_suffix(".new") / "spool"
    spool.mkdir()
    (spool / "000009.parquet").write_bytes(b"cut o")
    assert open_index([games]).look_up(ChessPosition()).games == 600
    assert not spool.exists()


def test_stopping_leaves_nothing(kept: Path, games: Path) -> None:
    steps = indexing([games])
    assert isinstance(next(steps), Indexing)
    steps.close()
    assert not [one for one in kept.iterdir() if one.is_dir()]


def test_another_process_that_makes_the_same_is_waited_for(kept: Path, games: Path) -> None:
    open_index([games])
    (folder,) = (one for one in kept.iterdir() if one.is_dir())
    away = folder.rename(kept / "away")
    with FileLock(folder.with_suffix(".lock")):
        steps = indexing([games])
        first = next(steps)
        assert isinstance(first, Indexing)
        assert "waiting for another process" in first.what
        away.rename(folder)
    (index,) = steps
    assert isinstance(index, OpeningIndex)


def test_games_are_indexed_without_a_cache(tmp_path: Path, games: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kept = open_index([games]).description
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    (tmp_path / "file").write_text("in its place")
    news: list[Indexing] = []
    assert open_index([games], news.append).description == kept
    assert news
    assert open_index([games], lambda _: pytest.fail("read twice")).description == kept
    assert (tmp_path / "file").read_text() == "in its place"


def test_names_of_files_may_be_anything(tmp_path: Path) -> None:
    odd = tmp_path / os.fsdecode(b"games \xff\n.pgn")
    odd.write_text(GAMES)
    assert open_index([odd]).description.games == 600
    (again,) = indexing([odd])
    assert isinstance(again, OpeningIndex)


def test_what_does_not_count_is_told(tmp_path: Path) -> None:
    path = tmp_path / "mixed.pgn"
    start = "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9"
    mixed = (
        game("1. e4", "1-0"),
        game("1. e4"),
        game("1. e4 Ke7 2. Ke8", "1-0"),
        game("9. e4", "1-0", Variant="Chess960", FEN=start, SetUp="1"),
    )
    path.write_text("".join(mixed))
    found = open_index([path]).description
    assert (found.games, found.unfinished, found.variants, found.skipped) == (1, 1, 1, 1)
    assert found.error is not None
    assert "Ke7" in found.error


def test_what_is_no_file_of_games_is_told(kept: Path, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="expected PGN files"):
        open_index([])
    with pytest.raises(GameFileError, match=r"none\.pgn: no such file"):
        open_index([tmp_path / "none.pgn"])
    os.mkfifo(tmp_path / "pipe.pgn")
    (tmp_path / "link.pgn").symlink_to("pipe.pgn")
    for no_file in (tmp_path / "pipe.pgn", tmp_path / "link.pgn", tmp_path):
        with pytest.raises(GameFileError, match="no file; expected PGN files"):
            open_index([no_file])
    text = tmp_path / "text.pgn"
    text.write_text(game("1. e4"))
    with pytest.raises(GameFileError, match=r"text\.pgn: no game that can be used; none has a result"):
        open_index([text])
    assert not [one for one in kept.iterdir() if one.is_dir()]
