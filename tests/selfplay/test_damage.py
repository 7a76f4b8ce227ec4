"""Whatever happens to a file of self-play, its games are as they were, or the damage is named."""

from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings

from foible.arena.pgn import read_records
from foible.errors import GameFileError
from foible.selfplay.record import pgn_record
from foible.selfplay.store import SelfplayStore
from tests.damage import Damage, damages, is_found
from tests.selfplay.made_up import finished

FILES = (
    *("journal.jsonl", "games/00000.parquet", "plies/00000.parquet", "games.pgn", "finished.json", "run.json"),
    *("config.toml", "drafts.json"),
)


def store(folder: Path) -> SelfplayStore:
    return SelfplayStore(folder, {"nodes": 16}, 3, lambda game: pgn_record(game, "somebody", ""))


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("selfplay") / "run"
    with store(folder) as open_store:
        open_store.append([finished(game) for game in range(5)])
        open_store.save_drafts({7: finished(7).plies})
        open_store.write_shards()
    return folder


def opened(folder: Path) -> dict[str, Any]:
    """All that the run holds; drafts, which save time alone, count where there are any."""
    with store(folder) as again:
        again.write_shards()
        summaries, drafts = dict(again.summaries), again.drafts or {7: finished(7).plies}
    plies = pl.concat(pl.read_parquet(path) for path in sorted(folder.glob("plies/*.parquet")))
    games = {record.pair: record for record in read_records((folder / "games.pgn").read_bytes())}
    return {"summaries": summaries, "drafts": drafts, "plies": plies.rows(), "games": games}


@settings(max_examples=80, deadline=None)
@given(damage=damages(FILES))
def test_no_damage_makes_other_games(run: Path, tmp_path_factory: pytest.TempPathFactory, damage: Damage) -> None:
    is_found(run, tmp_path_factory.mktemp("damaged") / "run", damage, opened)


@pytest.mark.parametrize("place", [0.1, 0.5, 0.9])
def test_a_damaged_pgn_file_is_made_anew(run: Path, tmp_path: Path, place: float) -> None:
    def flip(content: bytes) -> bytes:
        at = int(place * len(content))
        return content[:at] + bytes([content[at] ^ 1]) + content[at + 1 :]

    before = (run / "games.pgn").read_bytes()
    for name in FILES:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes((run / name).read_bytes())
    (tmp_path / "games.pgn").write_bytes(flip(before))
    store(tmp_path).close()
    assert (tmp_path / "games.pgn").read_bytes() == before


def test_a_damaged_shard_is_given_up_as_the_message_says(run: Path, tmp_path: Path) -> None:
    for name in FILES:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes((run / name).read_bytes())
    (tmp_path / "plies/00000.parquet").write_bytes(b"PAR1")
    gone = "games/00000.parquet, plies/00000.parquet, games.pgn and finished.json"
    with pytest.raises(GameFileError, match=f"plies/00000.parquet: damaged.*; or remove {gone}, and its games are"):
        store(tmp_path)
    for name in gone.replace(" and", ",").split(", "):
        (tmp_path / name).unlink()
    with store(tmp_path) as again:
        assert sorted(again.summaries) == [3, 4]
        again.append([finished(game) for game in range(3)])
    assert opened(tmp_path) == opened(run)
