"""The run folder: whatever instant a kill falls on, finished games are there once."""

import shutil
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given, settings, strategies as st

from foible.arena.pgn import read_records
from foible.arena.record import GameRecord
from foible.errors import ConfigError, GameFileError
from foible.selfplay.record import Finished, pgn_record
from foible.selfplay.store import SelfplayStore
from tests.selfplay.made_up import finished
from tests.selfplay.runs import tables


def to_pgn(game: Finished) -> GameRecord:
    return pgn_record(game, "somebody", "")


def store(folder: Path, nodes: int = 16) -> SelfplayStore:
    return SelfplayStore(folder, {"nodes": nodes}, 3, to_pgn)


def in_pgn(folder: Path) -> list[int]:
    return [record.pair for record in read_records((folder / "games.pgn").read_bytes())]


def test_games_leave_the_journal_when_their_shard_is_complete(tmp_path: Path) -> None:
    with store(tmp_path) as open_store:
        for games in ((1, 4), (0, 7), (2, 5)):
            open_store.append([finished(game) for game in games])
        assert sorted(path.name for path in (tmp_path / "games").iterdir()) == ["00000.parquet"]
        assert (tmp_path / "journal.jsonl").read_bytes().count(b"\n") == 3
        open_store.write_shards()
    rows, plies = tables(tmp_path)
    assert rows["game"].to_list() == [0, 1, 2, 4, 5, 7]
    assert plies["game"].to_list() == [game for game in (0, 1, 2, 4, 5, 7) for _ in range(2)]
    assert plies.row(0, named=True) | {"visits": [9, 6], "move": "e2e4"} == plies.row(0, named=True)
    assert in_pgn(tmp_path) == [1, 4, 0, 7, 2, 5]
    with store(tmp_path) as again:
        assert sorted(again.summaries) == [0, 1, 2, 4, 5, 7]
        assert again.summaries[4] == finished(4).summary
        again.append([finished(3)])
    assert tables(tmp_path)[0]["game"].to_list() == [0, 1, 2, 3, 4, 5, 7]


@pytest.fixture(scope="module")
def half_written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("half")
    with store(folder) as open_store:
        open_store.append([finished(game) for game in (0, 1, 4)])
    return folder


@settings(max_examples=40, deadline=None)
@given(lost_journal=st.integers(0, 900), lost_pgn=st.integers(0, 1600))
def test_what_was_cut_off_while_it_was_written_is_no_game(
    half_written: Path, tmp_path_factory: pytest.TempPathFactory, lost_journal: int, lost_pgn: int
) -> None:
    """A kill while the journal is written leaves no PGN of those games; one while the PGN is leaves the journal."""
    folder = tmp_path_factory.mktemp("cut") / "run"
    shutil.copytree(half_written, folder)
    journal, pgn = (folder / name for name in ("journal.jsonl", "games.pgn"))
    (folder / "finished.json").unlink()  # which is written behind them
    before = journal.read_bytes()
    kept = before[: max(0, len(before) - lost_journal)]
    journal.write_bytes(kept)
    whole = kept.count(b"\n")
    first = pgn.read_bytes().split(b"[Event ")[1 : 1 + whole]
    text = b"".join(b"[Event " + game for game in first)
    pgn.write_bytes(text[: max(0, len(text) - lost_pgn)])
    with store(folder) as again:
        assert sorted(again.summaries) == [0, 1, 4][:whole]
        again.append([finished(game) for game in [0, 1, 4][whole:]])
    assert sorted(in_pgn(folder)) == [0, 1, 4]
    assert journal.read_bytes() == before


def test_a_kill_between_a_shard_and_the_journal_counts_no_game_twice(tmp_path: Path) -> None:
    with store(tmp_path) as open_store:
        open_store.append([finished(0), finished(1)])
        before = (tmp_path / "journal.jsonl").read_bytes()
        open_store.append([finished(2)])
    (tmp_path / "journal.jsonl").write_bytes(before)
    with store(tmp_path) as again:
        assert sorted(again.summaries) == [0, 1, 2]
        again.append([finished(3)])
        again.write_shards()
    assert tables(tmp_path)[0]["game"].to_list() == [0, 1, 2, 3]
    assert in_pgn(tmp_path) == [0, 1, 2, 3]


class KilledError(Exception):
    """In place of a kill."""


@pytest.mark.parametrize("at", ["_shards.write", "_journal.rewrite"])
def test_what_a_kill_kept_from_leaving_the_journal_leaves_it_when_the_run_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, at: str
) -> None:
    def killed(*_: object, **__: object) -> None:
        raise KilledError

    with store(tmp_path / "alone") as alone:
        alone.append([finished(game) for game in (0, 1, 2)])
    folder = tmp_path / "killed"
    with store(folder) as open_store:
        owner, name = at.split(".")
        monkeypatch.setattr(getattr(open_store, owner), name, killed)
        with pytest.raises(KilledError):
            open_store.append([finished(game) for game in (0, 1, 2)])
    store(folder).close()
    for left in ("journal.jsonl", "finished.json", "games.pgn", "games/00000.parquet", "plies/00000.parquet"):
        assert (folder / left).read_bytes() == (tmp_path / "alone" / left).read_bytes(), left


def test_half_a_shard_is_written_anew_when_the_run_goes_on(tmp_path: Path) -> None:
    for games in ((0,), (2,), (1,)):
        with store(tmp_path) as open_store:
            open_store.append([finished(game) for game in games])
            open_store.write_shards()
    assert tables(tmp_path)[0]["game"].to_list() == [0, 1, 2]
    assert pl.read_parquet(tmp_path / "games/00000.parquet").height == 3


def test_what_cannot_be_read_is_named(tmp_path: Path) -> None:
    with store(tmp_path) as open_store:
        open_store.append([finished(game) for game in (0, 1, 2, 3)])
    shard, journal = tmp_path / "games/00000.parquet", tmp_path / "journal.jsonl"
    for path, content, message in (
        (journal, b"{}\n", "line 1"),
        (journal, b"", r"journal\.jsonl: is empty, 1 of 1 finished records"),
        (shard, b"PAR1", "00000.parquet"),
        (tmp_path / "drafts.json", b"[", r"drafts\.json.* remove it"),
        (tmp_path / "finished.json", b"{", r"finished\.json.* remove it"),
    ):
        before = path.read_bytes() if path.exists() else None
        path.write_bytes(content)
        with pytest.raises(GameFileError, match=message) as error:
            store(tmp_path)
        assert "\n" not in str(error.value)
        path.unlink() if before is None else path.write_bytes(before)
    with pytest.raises(ConfigError, match="nodes = 16"):
        store(tmp_path, nodes=17)
    store(tmp_path).close()


def test_games_in_progress_are_not_those_of_another_configuration(tmp_path: Path) -> None:
    drafts = {5: finished(5).plies}
    store(tmp_path).close()
    with store(tmp_path, nodes=17) as other:
        other.save_drafts(drafts)
    with pytest.raises(ConfigError, match="nodes = 17"):
        store(tmp_path)
    with store(tmp_path, nodes=17) as again:
        assert again.drafts == drafts


def test_a_game_of_which_only_the_journal_knows_is_not_taken_from_it_by_another_configuration(tmp_path: Path) -> None:
    with store(tmp_path) as open_store:
        open_store.append([finished(0)])
    (tmp_path / "games.pgn").write_bytes(b"")
    with pytest.raises(ConfigError, match="nodes = 16"):
        store(tmp_path, nodes=17)
    with store(tmp_path) as again:
        assert list(again.summaries) == [0]
    assert in_pgn(tmp_path) == [0]


def test_two_processes_do_not_write_one_folder(tmp_path: Path) -> None:
    with store(tmp_path), pytest.raises(ConfigError, match="another process"):
        store(tmp_path)


def test_games_that_were_taken_out_of_the_pgn_file_come_back(tmp_path: Path) -> None:
    with store(tmp_path) as open_store:
        open_store.append([finished(game) for game in (0, 1, 2, 3)])
    pgn = tmp_path / "games.pgn"
    before = pgn.read_bytes()
    half = before.index(b"[Event ", before.index(b'[Pair "0"]'))
    for content, order in (
        (None, [0, 1, 2, 3]),
        (b"", [0, 1, 2, 3]),
        (before[:half], [0, 1, 2, 3]),
        (before[half:], [1, 2, 3, 0]),
    ):
        pgn.unlink() if content is None else pgn.write_bytes(content)
        store(tmp_path).close()
        assert in_pgn(tmp_path) == order
        assert sorted(pgn.read_bytes().split(b"[Event ")) == sorted(before.split(b"[Event "))


def test_a_shard_whose_moves_are_gone_is_named(tmp_path: Path) -> None:
    with store(tmp_path) as open_store:
        open_store.append([finished(game) for game in (0, 1, 2)])
    plies = tmp_path / "plies/00000.parquet"
    content = plies.read_bytes()
    plies.unlink()
    with pytest.raises(GameFileError, match=r"plies/00000\.parquet: is missing") as error:
        store(tmp_path)
    assert "\n" not in str(error.value)
    plies.write_bytes(b"PAR1")
    with pytest.raises(GameFileError, match=r"plies/00000\.parquet: damaged"):
        store(tmp_path)
    plies.write_bytes(content)
    for name in ("games.pgn", "finished.json"):  # as in a run of an earlier version that has lost its PGN file
        (tmp_path / name).unlink()
    plies.write_bytes(b"PAR1")
    with pytest.raises(GameFileError, match=r"plies/00000\.parquet: cannot be read"):
        store(tmp_path)
    (tmp_path / "finished.json").unlink()
    pl.read_parquet(content).filter(pl.col("game") != 1).write_parquet(plies)
    with pytest.raises(GameFileError, match=r"plies/00000\.parquet: has no move of game 2"):
        store(tmp_path)


def test_finished_games_are_not_those_of_another_configuration_when_their_pgn_is_gone(tmp_path: Path) -> None:
    with store(tmp_path) as open_store:
        open_store.append([finished(game) for game in (0, 1, 2)])
    (tmp_path / "games.pgn").write_bytes(b"")
    with pytest.raises(ConfigError, match="nodes = 16"):
        store(tmp_path, nodes=17)
