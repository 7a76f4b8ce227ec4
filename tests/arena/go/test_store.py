"""The run folder: nothing lost, nothing half, nobody else's."""

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import msgspec
import pytest

from foible.arena.go.record import GoRecord
from foible.arena.go.store import GoStore
from foible.errors import ConfigError, FoibleError, GameFileError
from foible.games.sgf import read_sgf
from foible.runs.folder import slug
from foible.runs.journal import Journal
from tests.arena.go.players import Wanderer, played

CONFIG: dict[str, Any] = {
    "size": 3,
    "games": 4,
    "players": {"a": {"visits": 8}, "b": {"visits": 8, "mu": 0.5}},
    "resolved": {"foible": "1", "net": "sha256 1"},
}


@pytest.fixture(scope="module")
def records() -> list[GoRecord]:
    return played(Wanderer("a"), Wanderer("b"), 5)


def test_games_are_there_again_when_the_folder_is_opened_again(tmp_path: Path, records: list[GoRecord]) -> None:
    with GoStore(tmp_path / "new" / "run", CONFIG) as store:
        assert store.records == []
        store.append(records[:2])
        store.append([])
        store.append(records[2:])
    with GoStore(tmp_path / "new" / "run", CONFIG) as store:
        assert store.records == records == store.of("a", "b")
        assert store.of("b", "a") == []


def test_a_torn_tail_is_cut_off_wherever_it_was_torn(tmp_path: Path, records: list[GoRecord]) -> None:
    with GoStore(tmp_path, CONFIG) as store:
        store.append(records)
    path = tmp_path / GoStore.GAMES
    whole = path.read_bytes()
    ends = [i + 1 for i, byte in enumerate(whole) if byte == ord("\n")]
    for cut in {
        *range(1, len(whole), 211),
        *(end + i for end in ends for i in (-2, -1, 0, 1) if end + i <= len(whole)),
    }:
        path.write_bytes(whole[:cut])
        (tmp_path / "finished.json").unlink()  # which is written behind the games
        kept = sum(end <= cut for end in ends)
        with GoStore(tmp_path, CONFIG) as store:
            assert store.records == records[:kept]
            store.append(records[kept:])
        assert path.read_bytes() == whole


def test_every_game_is_an_sgf_file_too(tmp_path: Path, records: list[GoRecord]) -> None:
    with GoStore(tmp_path, CONFIG) as store:
        store.append(records)
    files = sorted((tmp_path / "sgf" / "a-against-b").iterdir())
    assert [file.name for file in files] == [f"{number:04}.sgf" for number in range(5)]
    content = files[2].read_bytes()
    for file, record in zip(files, records, strict=True):
        (game,) = read_sgf(file)
        assert game.position == record.position()
        assert (game.black, game.white, game.result) == (record.black, record.white, record.result)
    for left in (None, b"", content[:-3]):
        files[2].unlink() if left is None else files[2].write_bytes(left)
        GoStore(tmp_path, CONFIG).close()
        assert files[2].read_bytes() == content


def test_a_run_without_games_takes_a_corrected_configuration(tmp_path: Path) -> None:
    GoStore(tmp_path, {"size": 5}).close()
    GoStore(tmp_path, CONFIG).close()
    assert "size = 3" in (tmp_path / "config.toml").read_text()


def test_another_configuration_is_refused_and_the_key_named(tmp_path: Path, records: list[GoRecord]) -> None:
    with GoStore(tmp_path, CONFIG) as store:
        store.append(records)
    before = (tmp_path / "config.toml").read_text()
    for change, message in (
        ({"size": 5}, r"made with size = 3 \(now 5\); choose another folder"),
        ({"players": {"a": {"visits": 9}}}, r"players\.a\.visits = 8 \(now 9\)"),
        ({"players": {"b": {"visits": 8}}}, r"players\.b\.mu = 0\.5 \(now absent\)"),
        ({"resolved": {"foible": "1", "net": "sha256 2"}}, r'resolved\.net = "sha256 1" \(now "sha256 2"\)'),
        ({"games": 8}, r"games = 4 \(now 8\)"),
    ):
        with pytest.raises(ConfigError, match=message):
            GoStore(tmp_path, CONFIG | change)
    assert (tmp_path / "config.toml").read_text() == before


def test_players_may_come_and_stay_for_good(tmp_path: Path, records: list[GoRecord]) -> None:
    with GoStore(tmp_path, CONFIG, ["games"]) as store:
        store.append(records)
    further = {"players": {"c": {"visits": 1}}, "resolved": {"foible": "1", "other": "sha256 3"}, "games": 9}
    with GoStore(tmp_path, CONFIG | further, ["games"]) as store:
        assert store.records == records
    GoStore(tmp_path, CONFIG, ["games"]).close()
    with pytest.raises(ConfigError, match=r"players\.c\.visits = 1 \(now 2\)"):
        GoStore(tmp_path, CONFIG | {"players": {"c": {"visits": 2}}}, ["games"])
    with pytest.raises(ConfigError, match=r"resolved\.other"):
        GoStore(tmp_path, CONFIG | {"resolved": {"foible": "1", "other": "sha256 4"}}, ["games"])


def test_games_without_a_configuration_are_not_taken_for_a_run(tmp_path: Path) -> None:
    (tmp_path / GoStore.GAMES).write_text("{}\n")
    with pytest.raises(ConfigError, match=r"games\.jsonl without config\.toml"):
        GoStore(tmp_path, CONFIG)


def test_foreign_or_repeated_games_are_refused(tmp_path: Path, records: list[GoRecord]) -> None:
    with GoStore(tmp_path, CONFIG) as store:
        store.append(records[:1])
        store.append(records[:1])
    with pytest.raises(GameFileError, match="twice"):
        GoStore(tmp_path, CONFIG)
    (tmp_path / GoStore.GAMES).write_text('{"focal": 1}\n')
    with pytest.raises(GameFileError, match=r"games\.jsonl, line 1"):
        GoStore(tmp_path, CONFIG)
    (tmp_path / GoStore.GAMES).write_text("")
    (tmp_path / "finished.json").unlink()
    GoStore(tmp_path, CONFIG).close()


def test_a_folder_whose_games_cannot_be_replayed_is_let_go(tmp_path: Path, records: list[GoRecord]) -> None:
    with GoStore(tmp_path, CONFIG) as store:
        store.append(records[:1])
    with Journal(tmp_path / GoStore.GAMES, GoRecord) as journal:
        journal.append([msgspec.structs.replace(records[1], moves=("A1", "A1"))])
    for _ in range(2):
        with pytest.raises(FoibleError, match="A1"):
            GoStore(tmp_path, CONFIG)


def test_two_processes_cannot_write_one_run(tmp_path: Path) -> None:
    with GoStore(tmp_path, CONFIG), pytest.raises(ConfigError, match="another process"):
        GoStore(tmp_path, CONFIG)
    GoStore(tmp_path, CONFIG).close()


def test_a_game_is_on_the_disk_when_the_process_is_killed(tmp_path: Path, records: list[GoRecord]) -> None:
    code = (
        "import os, pathlib, signal\n"
        "from foible.arena.go.store import GoStore\n"
        "from tests.arena.go.players import Wanderer, played\n"
        f"store = GoStore(pathlib.Path({str(tmp_path)!r}), {CONFIG!r})\n"
        "store.append(played(Wanderer('a'), Wanderer('b'), 5))\n"
        "os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    root = Path(__file__).resolve().parents[3]
    done = subprocess.run([sys.executable, "-c", code], cwd=root, env={**os.environ}, check=False)
    assert done.returncode == -signal.SIGKILL
    with GoStore(tmp_path, CONFIG) as store:
        assert store.records == records


def test_names_of_files_keep_letters_of_all_scripts() -> None:
    assert slug("Gen 40, lambda 0.5") == "gen-40-lambda-0.5"
    assert slug("../棋") == "棋"
    assert slug("///") == "unnamed"
