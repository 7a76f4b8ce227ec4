"""How runs are cut into units, and how the parts that these leave are taken."""

from collections.abc import Generator, Sequence
from pathlib import Path

import pytest

from foible.errors import ConfigError
from foible.runs.folder import CONFIG, LOCK, lock
from foible.scale import Unit, parts
from foible.scale.parts import PROCESSOR, Parts, Work, check_same, merge_all, parts_of, run_of, taken, unit_size


def test_units_are_whole_pairs_four_for_each_worker() -> None:
    assert unit_size(16, 2, most=200) == 2
    assert unit_size(1000, 2, most=200) == 126
    assert unit_size(1, 8, most=200) == 2
    assert unit_size(10**6, 4, most=200) == 200


def test_what_does_not_belong_together_is_cut_anywhere() -> None:
    assert unit_size(16, 2, most=8, multiple_of=1) == 2
    assert unit_size(17, 2, most=8, multiple_of=1) == 3
    assert unit_size(1, 8, most=8, multiple_of=1) == 1
    assert unit_size(1000, 2, most=8, multiple_of=1) == 8


class Noted(Parts):
    """A run of numbers, each of which is noted in its part. An odd one can be noted once the even ones are."""

    noun, largest_unit = "numbers", 2

    def __init__(self, folder: Path, last: int) -> None:
        super().__init__(folder, ())
        self.there: list[int] = []
        self._last = last

    def missing(self) -> list[int]:
        left = [number for number in range(self._last + 1) if number not in self.there]
        return [number for number in left if number % 2 == 0] or left

    def work(self, numbers: list[int], workers: int) -> Work:
        return note, (" ".join(map(str, numbers)), workers)

    def take(self, part: Path) -> None:
        self.there += map(int, (part / "numbers").read_text().split())


def note(folder: str, numbers: str, workers: int) -> None:
    Path(folder).mkdir(parents=True)
    (Path(folder) / "numbers").write_text(numbers)


class Here:
    """An executor that plays in this process."""

    workers = 3

    def __init__(self) -> None:
        self.names: list[str] = []

    def run(self, units: Sequence[Unit]) -> Generator[list[Unit], None, None]:
        for unit in units:
            self.names.append(unit.name)
            unit.work(str(unit.folder), *unit.arguments)
            yield [unit]


def test_units_are_all_that_is_to_be_done_in_order(tmp_path: Path) -> None:
    units = Noted(tmp_path, 7).units([0, 1, 4, 6, 7], 2, workers=3)
    assert [unit.name for unit in units] == ["numbers 1 to 2", "numbers 5 to 7", "numbers 8 to 8"]
    assert [unit.arguments for unit in units] == [("0 1", 3), ("4 6", 3), ("7", 3)]
    assert [unit.folder.name for unit in units] == ["000001-000002", "000005-000007", "000008-000008"]
    assert {unit.folder.parent for unit in units} == {tmp_path / "parts"}
    assert Noted(tmp_path, 7).units([3], 2, 3, "cell A, numbers")[0].name == "cell A, numbers 4 to 4"


def test_what_depends_on_other_parts_is_ordered_once_these_are_merged(tmp_path: Path) -> None:
    run, executor = Noted(tmp_path, 4), Here()
    assert run.play(executor)
    assert run.there == [0, 2, 4, 1, 3]
    assert executor.names == [f"numbers {n} to {n}" for n in (1, 3, 5, 2, 4)]
    assert list(tmp_path.iterdir()) == []
    assert run.play(executor)
    assert len(executor.names) == 5


def test_a_run_is_stopped_before_a_unit_and_before_a_round(tmp_path: Path) -> None:
    run, looks = Noted(tmp_path, 4), [False, False, True]
    assert not run.play(Here(), lambda: looks.pop(0))
    assert run.there == [0, 2]
    executor = Here()
    assert not run.play(executor, lambda: True)
    assert executor.names == []


def test_parts_of_an_earlier_process_are_merged_first(tmp_path: Path) -> None:
    note(str(tmp_path / "parts" / "000001-000003"), "0 2", 3)
    run, executor = Noted(tmp_path, 2), Here()
    assert run.play(executor)
    assert (run.there, executor.names) == ([0, 2, 1], ["numbers 2 to 2"])
    run.merge(tmp_path / "parts" / "000001-000003")  # a worker found nothing to do, and made no part
    assert run.there == [0, 2, 1]


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


def test_only_another_processor_is_taken_with_any_processor(tmp_path: Path) -> None:
    ours = {"seed": 1, "resolved": {"processor": "this one"}}
    theirs = {"seed": 1, "resolved": {"processor": "another"}}
    check_same(ours, theirs, tmp_path, [PROCESSOR])
    with pytest.raises(ConfigError, match=r'made with resolved\.processor = "another" .*; --any-processor takes'):
        check_same(ours, theirs, tmp_path, [])
    for allowed in ([], [PROCESSOR]):
        with pytest.raises(
            ConfigError, match=r"made with seed = 2 \(now 1\); workers need the settings, .* of the run"
        ):
            check_same(ours, {**theirs, "seed": 2}, tmp_path, allowed)
