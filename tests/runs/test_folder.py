"""A run folder says what it holds, and has one writer."""

from pathlib import Path

import pytest

from foible.errors import ConfigError
from foible.runs.folder import (
    CONFIG,
    RunFolder,
    check_folder,
    declare,
    kind_of_run,
    lock,
    named_run,
    read_recorded,
    write_config,
)


def test_a_lock_is_held_once_until_it_is_closed(tmp_path: Path) -> None:
    handle = lock(tmp_path / "lock")
    with pytest.raises(ConfigError, match="another process is at work here"):
        lock(tmp_path / "lock")
    handle.release()
    lock(tmp_path / "lock").release()


def test_a_folder_of_an_earlier_version_is_known_by_what_is_in_it(tmp_path: Path) -> None:
    names = ("file", "match", "selfplay", "attuned", "sweep")
    file, match, selfplay, attuned, cells = (tmp_path / name for name in names)
    file.write_text("")
    for folder, key in ((match, "focal"), (selfplay, "net"), (attuned, "senior")):
        folder.mkdir()
        (folder / "config.toml").write_text(f'{key} = "x"')
    (cells / "cells").mkdir(parents=True)
    for path in (file, file / "below"):
        with pytest.raises(ConfigError, match=f"^{file} is a file; expected a folder$"):
            check_folder(path)
    kinds = ((match, "a match"), (selfplay, "a self-play"), (attuned, "an attune"), (cells, "a sweep"))
    for folder, kind in kinds:
        with pytest.raises(ConfigError, match=f"^{folder} holds {kind} run; choose another folder$"):
            check_folder(folder)
    check_folder(selfplay, "self-play")
    check_folder(tmp_path)
    check_folder(tmp_path / "new" / "folder")


def test_a_run_says_its_own_kind(tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_text('focal = "x"')
    assert kind_of_run(tmp_path) == "match"
    declare(tmp_path, "sweep")
    assert kind_of_run(tmp_path) == "sweep"
    with pytest.raises(ConfigError, match="holds a sweep run; choose another folder"):
        RunFolder(tmp_path, "match")


def test_a_configuration_that_lost_its_checksum_is_damaged(tmp_path: Path) -> None:
    with RunFolder(tmp_path, "self-play") as run:
        run.freeze({"net": "material"})
    path = tmp_path / CONFIG
    whole = path.read_bytes()
    way_on = r"put back a copy of config\.toml, or choose another folder"
    for left, how in ((b"", "it is empty"), (whole[:6], "its checksum is gone"), (whole[:-3], "its checksum is gone")):
        path.write_bytes(left)
        for read in (lambda: read_recorded(path), lambda: named_run(tmp_path, None, "self-play")):
            with pytest.raises(ConfigError, match=rf"^{path}: damaged: {how}; {way_on}$"):
                read()
    path.unlink()
    (tmp_path / "games").write_text("some")
    with (
        RunFolder(tmp_path, "self-play") as run,
        pytest.raises(ConfigError, match=rf"holds games without config\.toml; {way_on}$"),
    ):
        run.expect_config("games")


def test_an_edited_configuration_is_for_a_new_run_alone(tmp_path: Path) -> None:
    with RunFolder(tmp_path / "old", "match") as run:
        run.freeze({"games": 2})
    path = tmp_path / "old" / CONFIG
    path.write_text(path.read_text().replace("2", "4", 1))
    with pytest.raises(ConfigError, match=rf"^{path}: was changed after the run began with it; .*--out$"):
        named_run(tmp_path / "old", None, "match")
    assert named_run(tmp_path / "old", tmp_path / "new", "match") == (path, tmp_path / "new")


@pytest.mark.parametrize("text", ["{", '{"kind": "tournament"}', '{"kind":"match","checksum":"00000000"}', "[]"])
def test_a_kind_that_cannot_be_read_or_is_unknown_is_named(tmp_path: Path, text: str) -> None:
    (tmp_path / "run.json").write_text(text)
    with pytest.raises(ConfigError, match=r"run\.json: .*; (remove it|choose another folder)"):
        check_folder(tmp_path, "match")


def test_a_folder_that_never_got_a_configuration_is_removed_again(tmp_path: Path) -> None:
    with RunFolder(tmp_path / "new" / "run", "match") as run:
        assert run.path.exists()
    assert not list(tmp_path.iterdir())
    with RunFolder(tmp_path / "new" / "run", "match") as run:
        run.freeze({"seed": 1, "limit": None})
    assert {path.name for path in run.path.iterdir()} == {"run.json", "config.toml", "run.lock"}
    assert kind_of_run(run.path) == "match"


def test_what_went_wrong_is_told_even_where_a_lock_that_is_held_cannot_be_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unlink(path: Path, *, missing_ok: bool = False) -> None:
        raise PermissionError(13, "used by another process", str(path))  # as on Windows

    monkeypatch.setattr(Path, "unlink", unlink)
    with pytest.raises(ConfigError, match=r"^no such net$"), RunFolder(tmp_path / "run", "match"):
        raise ConfigError("no such net")
    RunFolder(tmp_path / "run", "match").close()


def test_what_is_not_set_is_not_written_in_tables_of_lists_neither(tmp_path: Path) -> None:
    players = [{"kind": "a", "name": None}, {"kind": "b", "search": {"cpuct": 1.5, "seed": None}}]
    write_config(tmp_path, {"games": 2, "judge": None, "players": players, "levels": (1100, 1900)})
    assert read_recorded(tmp_path / CONFIG) == {
        "games": 2,
        "players": [{"kind": "a"}, {"kind": "b", "search": {"cpuct": 1.5}}],
        "levels": [1100, 1900],
    }
