"""How runs are cut into units, and how the parts that these leave are taken."""

from pathlib import Path

import pytest

from foible.errors import ConfigError
from foible.runs.folder import CONFIG, LOCK, lock
from foible.scale import parts
from foible.scale.parts import merge_all, parts_of, run_of, taken, unit_size, units_of
from tests.scale.work import note


def test_units_are_whole_pairs_four_for_each_worker() -> None:
    assert unit_size(16, 2, most=200) == 2
    assert unit_size(1000, 2, most=200) == 126
    assert unit_size(1, 8, most=200) == 2
    assert unit_size(10**6, 4, most=200) == 200


def test_what_does_not_belong_together_is_cut_anywhere() -> None:
    assert unit_size(16, 2, most=8, together=1) == 2
    assert unit_size(17, 2, most=8, together=1) == 3
    assert unit_size(1, 8, most=8, together=1) == 1
    assert unit_size(1000, 2, most=8, together=1) == 8


def test_units_are_all_that_is_to_be_done_in_order(tmp_path: Path) -> None:
    units = list(units_of(tmp_path, "games", [0, 1, 4, 6, 7], 2, note, lambda numbers: (numbers,)))
    assert [unit.name for unit in units] == ["games 1 to 2", "games 5 to 7", "games 8 to 8"]
    assert [unit.arguments for unit in units] == [([0, 1],), ([4, 6],), ([7],)]
    assert [unit.folder.name for unit in units] == ["000001-000002", "000005-000007", "000008-000008"]
    assert {unit.folder.parent for unit in units} == {tmp_path / "parts"}


def test_a_part_is_removed_when_all_of_it_was_taken(tmp_path: Path) -> None:
    first, second = (tmp_path / "parts" / name for name in ("000001-000002", "000003-000004"))
    for part in (second, first):
        part.mkdir(parents=True)
    assert parts_of(tmp_path) == [first, second]
    with pytest.raises(LookupError), taken(first):
        raise LookupError
    assert parts_of(tmp_path) == [first, second]
    for part in (first, second):
        with taken(part):
            assert part.exists()
    # Their folder stays for a worker that begins with another one at this instant.
    assert list((tmp_path / "parts").iterdir()) == []
    merge_all(tmp_path, lambda part: pytest.fail(f"{part} is no part"))
    assert list(tmp_path.iterdir()) == []


def test_a_part_that_was_being_removed_at_a_kill_is_no_part(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = (tmp_path / "parts" / name for name in ("000001-000002", "000003-000004"))
    for part in (first, second):
        part.mkdir(parents=True)
        (part / "games").touch()

    def killed(path: Path, **_: bool) -> None:
        (path / "games").unlink(missing_ok=True)
        raise KeyboardInterrupt

    removed: list[Path] = []
    with monkeypatch.context() as patch:
        patch.setattr("shutil.rmtree", lambda path, **how: killed(path) if path.exists() else None)
        with pytest.raises(KeyboardInterrupt), taken(first):
            pass
    assert parts_of(tmp_path) == [second]

    def merge(part: Path) -> None:
        with taken(part):
            removed.append(part)

    merge_all(tmp_path, merge)
    assert removed == [second]
    assert list(tmp_path.iterdir()) == []


def test_what_a_kill_left_of_merged_parts_is_removed(tmp_path: Path) -> None:
    (tmp_path / "parts" / "merged").mkdir(parents=True)
    (tmp_path / "parts" / "merged" / "games").touch()
    merge_all(tmp_path, lambda part: pytest.fail(f"{part} is no part"))
    assert list(tmp_path.iterdir()) == []
    merge_all(tmp_path, lambda part: pytest.fail(f"{part} is no part"))


def test_a_part_that_is_being_written_is_not_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parts, "PATIENCE", 0.01)
    part = tmp_path / "parts" / "000001-000002"
    part.mkdir(parents=True)
    held = lock(part / LOCK)
    with pytest.raises(ConfigError, match="another process is at work here"), taken(part):
        pytest.fail("it was taken")
    held.release()


def test_a_part_knows_its_run(tmp_path: Path) -> None:
    part = tmp_path / "parts" / "000001-000002"
    with pytest.raises(ConfigError, match=rf"^{tmp_path}: is not there for all workers"):
        run_of(part)
    (tmp_path / CONFIG).touch()
    assert run_of(part) == tmp_path
