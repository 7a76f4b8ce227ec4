"""Whatever happens to a file of a match, its games are as they were, or the damage is named."""

from pathlib import Path

import pytest
from hypothesis import given, settings

from foible.arena.record import GameRecord
from foible.arena.store import ChessStore, read_games
from foible.errors import GameFileError
from tests.arena.scripted import random_match
from tests.damage import Damage, damages, is_found

CONFIG = {"seed": 9, "focal": {"kind": "random", "visits": 800}}
FILES = ("games.pgn", "finished.json", "run.json", "config.toml")


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("match") / "run"
    with ChessStore(folder, CONFIG) as store:
        store.append(random_match(pairs=2))
    return folder


def opened(folder: Path) -> list[GameRecord]:
    with ChessStore(folder, CONFIG) as store:
        return store.records


@settings(max_examples=120, deadline=None)
@given(damage=damages(FILES))
def test_no_damage_makes_other_games(run: Path, tmp_path_factory: pytest.TempPathFactory, damage: Damage) -> None:
    is_found(run, tmp_path_factory.mktemp("damaged") / "run", damage, opened)


def test_lost_games_are_named_with_the_way_on(run: Path, tmp_path: Path) -> None:
    for content in (None, b"", (run / "games.pgn").read_bytes()[:-1]):
        folder = tmp_path / str(content is None) / str(content == b"")
        folder.mkdir(parents=True)
        for name in FILES:
            (folder / name).write_bytes((run / name).read_bytes())
        if content is None:
            (folder / "games.pgn").unlink()
        else:
            (folder / "games.pgn").write_bytes(content)
        for look in (opened, read_games):
            with pytest.raises(
                GameFileError, match=r"games\.pgn: is .* finished records are gone; put back a copy of it; or"
            ):
                look(folder)
        (folder / "finished.json").unlink()  # what it says
        assert opened(folder) == opened(run)[: 3 if content else 0]


def test_a_run_of_an_earlier_version_goes_on(run: Path, tmp_path: Path) -> None:
    text = [line for line in (run / "games.pgn").read_text().splitlines(keepends=True) if "[Checksum" not in line]
    (tmp_path / "games.pgn").write_text("".join(text))
    (tmp_path / "config.toml").write_bytes((run / "config.toml").read_bytes())
    assert opened(tmp_path) == opened(run)
    assert opened(tmp_path) == opened(run)
