"""The run folder: nothing lost, nothing half, nobody else's."""

import csv
import json
import subprocess
import sys
from pathlib import Path

import pytest

from foible.arena.pgn import read_records
from foible.arena.record import GameRecord
from foible.arena.store import ChessStore
from foible.errors import ConfigError, GameFileError
from tests.arena.scripted import random_match

CONFIG = {"match": {"pairs": 3, "seed": 9, "limit": None}, "focal": {"name": "TREE"}}


@pytest.fixture(scope="module")
def records() -> list[GameRecord]:
    return random_match(pairs=3)


def test_games_are_there_again_when_the_folder_is_opened_again(tmp_path: Path, records: list[GameRecord]) -> None:
    with ChessStore(tmp_path / "new" / "run", CONFIG) as store:
        assert store.records == []
        store.append(records[:2])
        store.append([])
        store.append(records[2:])
    with ChessStore(tmp_path / "new" / "run", CONFIG) as store:
        assert store.records == records


def test_a_torn_tail_is_cut_off_wherever_it_was_torn(tmp_path: Path, records: list[GameRecord]) -> None:
    with ChessStore(tmp_path, CONFIG) as store:
        store.append(records[:3])
    path = tmp_path / "games.pgn"
    whole = path.read_bytes()
    ends = [i + 2 for i in range(len(whole)) if whole[i : i + 2] == b"\n\n"][1::2]
    for cut in {*range(0, len(whole), 97), *(end + i for end in ends for i in (-2, -1, 0, 1))}:
        path.write_bytes(whole[:cut])
        (tmp_path / "finished.json").unlink()  # which is written behind the games
        kept = sum(end <= cut for end in ends)
        with ChessStore(tmp_path, CONFIG) as store:
            assert store.records == records[:kept]
            store.append(records[kept:3])
        assert path.read_bytes() == whole


def test_zeros_behind_the_games_are_cut_off_too(tmp_path: Path, records: list[GameRecord]) -> None:
    with ChessStore(tmp_path, CONFIG) as store:
        store.append(records)
    with (tmp_path / "games.pgn").open("ab") as stream:
        stream.write(b"\0" * 100)
    with ChessStore(tmp_path, CONFIG) as store:
        assert store.records == records


def test_a_run_without_games_takes_a_corrected_configuration(tmp_path: Path) -> None:
    ChessStore(tmp_path, {"match": {"pairs": 3}}).close()
    ChessStore(tmp_path, CONFIG).close()
    assert "seed = 9" in (tmp_path / "config.toml").read_text()


def test_another_configuration_is_refused_and_the_key_named(tmp_path: Path, records: list[GameRecord]) -> None:
    with ChessStore(tmp_path, CONFIG) as store:
        store.append(records)
    before = (tmp_path / "config.toml").read_text()
    other = {"match": {"pairs": 3, "seed": 10}, "focal": {"name": "TREE"}}
    with pytest.raises(ConfigError, match=r"match\.seed = 9 \(now 10\)"):
        ChessStore(tmp_path, other)
    with pytest.raises(ConfigError, match=r'made with focal\.name = "TREE" \(now absent\); choose'):
        ChessStore(tmp_path, {"match": CONFIG["match"]})
    with pytest.raises(ConfigError, match=r"made with no focal\.visits \(now 800\); choose"):
        ChessStore(tmp_path, CONFIG | {"focal": {"name": "TREE", "visits": 800}})
    assert (tmp_path / "config.toml").read_text() == before


def test_what_may_change_is_taken_over(tmp_path: Path, records: list[GameRecord]) -> None:
    with ChessStore(tmp_path, CONFIG, ["match.pairs"]) as store:
        store.append(records)
    longer = {"match": {"pairs": 30, "seed": 9}, "focal": {"name": "TREE"}}
    with ChessStore(tmp_path, longer, ["match.pairs"]) as store:
        assert store.records == records
    with pytest.raises(ConfigError, match=r"match\.pairs = 30"):
        ChessStore(tmp_path, CONFIG)


def test_games_without_a_configuration_are_not_taken_for_a_run(tmp_path: Path) -> None:
    (tmp_path / "games.pgn").write_text("1. e4 *")
    with pytest.raises(ConfigError, match=r"games\.pgn without config\.toml"):
        ChessStore(tmp_path, CONFIG)


def test_a_broken_configuration_is_named(tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_text("a = [")
    with pytest.raises(ConfigError, match=r"config\.toml: not a configuration"):
        ChessStore(tmp_path, CONFIG)


def test_foreign_or_repeated_games_are_refused(tmp_path: Path, records: list[GameRecord]) -> None:
    with ChessStore(tmp_path, CONFIG) as store:
        store.append(records[:1])
        store.append(records[:1])
    with pytest.raises(GameFileError, match="twice"):
        ChessStore(tmp_path, CONFIG)
    (tmp_path / "games.pgn").write_text('[Event "x"]\n\n1. e4 *\n\n')
    with pytest.raises(GameFileError, match=r"games\.pgn, game 1: no tag"):
        ChessStore(tmp_path, CONFIG)


def test_two_processes_cannot_write_one_run(tmp_path: Path) -> None:
    with ChessStore(tmp_path, CONFIG):
        with pytest.raises(ConfigError, match="another process"):
            ChessStore(tmp_path, CONFIG)
        code = (
            "import sys, pathlib; from foible.arena.store import ChessStore\n"
            f"ChessStore(pathlib.Path({str(tmp_path)!r}), {CONFIG!r})"
        )
        other = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
        assert "another process" in other.stderr
    ChessStore(tmp_path, CONFIG).close()


def test_a_refused_folder_is_not_left_locked(tmp_path: Path, records: list[GameRecord]) -> None:
    with ChessStore(tmp_path, CONFIG) as store:
        store.append(records)
    with pytest.raises(ConfigError):
        ChessStore(tmp_path, {})
    ChessStore(tmp_path, CONFIG).close()


def test_results_are_a_table_of_the_games(tmp_path: Path, records: list[GameRecord]) -> None:
    with ChessStore(tmp_path, CONFIG) as store:
        store.append(records[::-1])
        store.write_results()
        store.write_report({"share": 0.5})
    with (tmp_path / "results.csv").open() as stream:
        rows = list(csv.DictReader(stream))
    assert [(int(r["pair"]), int(r["game_in_pair"])) for r in rows] == [
        (record.pair, record.game_in_pair) for record in records
    ]
    assert [float(r["focal_score"]) for r in rows] == [record.focal_score for record in records]
    assert json.loads((tmp_path / "report.json").read_text()) == {"share": 0.5}


def test_appended_games_are_on_the_disk_at_once(tmp_path: Path, records: list[GameRecord]) -> None:
    with ChessStore(tmp_path, CONFIG) as store:
        store.append(records[:1])
        assert read_records((tmp_path / "games.pgn").read_bytes()) == records[:1]
