import errno
import os
from collections.abc import Sequence
from pathlib import Path

import msgspec
import polars as pl
import pytest

from foible._core import ChessPosition
from foible.agents.spec import NetSearchSpec, UciSpec
from foible.analysis import answers
from foible.analysis.answers import Answers, Row, folder_name, identity
from foible.errors import ConfigError, GameFileError
from foible.fields import FileName
from foible.nets.shelf import BorrowedShelf, NetShelf

COLUMNS = {"legal": pl.Int32(), "name": pl.String()}
START = ChessPosition()
POSITIONS = [START, *(START.play(move) for move in START.legal_moves)]


class Counter:
    """Answers with the number of legal moves; remembers what it was asked."""

    def __init__(self) -> None:
        self.asked: list[ChessPosition] = []

    def __call__(self, positions: Sequence[ChessPosition]) -> list[Row]:
        self.asked += positions
        return [(len(position.legal_moves), None if position == START else position.fen) for position in positions]


def open_(folder: Path) -> Answers:
    return Answers(folder, COLUMNS, {"what": "legal moves"})


def test_each_position_is_asked_once_also_by_a_later_process(tmp_path: Path) -> None:
    first, second = Counter(), Counter()
    with open_(tmp_path) as found:
        assert found.fill(lambda: POSITIONS[:8] * 3, first) == 8
        assert found.fill(lambda: POSITIONS[:8], first) == 0
    with open_(tmp_path) as found:
        assert found.fill(lambda: POSITIONS, second) == len(POSITIONS) - 8
        assert found[START] == (20, None)
        assert [found[position][1] for position in POSITIONS[1:]] == [position.fen for position in POSITIONS[1:]]
    assert first.asked + second.asked == POSITIONS


def test_a_part_of_others_is_taken_and_has_to_agree(tmp_path: Path) -> None:
    part = tmp_path / "parts" / "000001-000008"
    for asked in (POSITIONS[:8], POSITIONS[4:8]):  # the second time as after a kill that came before it was removed
        with open_(part) as found:
            found.fill(lambda asked=asked: asked, Counter())  # type: ignore[misc]
        with open_(tmp_path) as found:
            assert found.fill(lambda: POSITIONS[:10], later := Counter()) == len(later.asked)
            assert len(found) == 10
        assert not part.parent.exists()
    with open_(part) as found:
        found.fill(lambda: POSITIONS[:2], lambda asked: [(1, None) for _ in asked])
    with open_(tmp_path) as found, pytest.raises(GameFileError, match=rf"^{tmp_path} and {part}: not the same answer"):
        found.fill(lambda: POSITIONS, Counter())
    assert part.exists()


def test_a_full_disk_costs_nothing_of_a_part(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    part = tmp_path / "parts" / "000001-000008"
    with open_(part) as found:
        found.fill(lambda: POSITIONS[:8], Counter())

    def full(path: Path, _data: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path))

    with open_(tmp_path) as found:
        with monkeypatch.context() as disk:
            disk.setattr(answers, "write_atomically", full)
            with pytest.raises(OSError, match="No space left"):
                found.fill(lambda: POSITIONS[:8], Counter())
        assert found.fill(lambda: POSITIONS[:8], later := Counter()) == len(later.asked) == 0


def test_finished_games_are_not_asked_about(tmp_path: Path) -> None:
    mate = ChessPosition(None, ["f3", "e5", "g4", "Qh4"])
    with open_(tmp_path) as found:
        assert found.fill(lambda: [mate], Counter()) == 0


def test_progress_runs_from_nothing_to_all(tmp_path: Path) -> None:
    news: list[tuple[int, int]] = []
    with open_(tmp_path) as found:
        found.fill(lambda: POSITIONS, Counter(), lambda done, total: news.append((done, total)))
    assert news[0] == (0, len(POSITIONS))
    assert news[-1] == (len(POSITIONS), len(POSITIONS))


def test_parts_that_were_finished_before_an_error_stay(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(answers, "FIRST", 4)
    monkeypatch.setattr(answers, "SMALLEST", 4)
    monkeypatch.setattr(answers, "PART_SECONDS", 0)
    counter = Counter()

    def fails_at_the_third_part(positions: Sequence[ChessPosition]) -> list[Row]:
        if len(counter.asked) == 8:
            raise KeyboardInterrupt
        return counter(positions)

    with open_(tmp_path) as found, pytest.raises(KeyboardInterrupt):
        found.fill(lambda: POSITIONS, fails_at_the_third_part)
    with open_(tmp_path) as found:
        assert len(found) == 8


def test_the_draft_of_a_killed_process_does_not_count(tmp_path: Path) -> None:
    with open_(tmp_path) as found:
        found.fill(lambda: POSITIONS[:2], Counter())
    whole = (tmp_path / "part-000000.parquet").read_bytes()
    (tmp_path / ".part-000001.parquet.new").write_bytes(whole[: len(whole) // 2])
    with open_(tmp_path) as found:
        assert len(found) == 2
        assert found.fill(lambda: POSITIONS, Counter()) == len(POSITIONS) - 2
    assert sorted(file.name for file in tmp_path.glob("*part*")) == ["part-000000.parquet", "part-000001.parquet"]


@pytest.mark.parametrize("content", [b"", b"PAR1 and no more", b"PAR1" * 100])
def test_a_damaged_part_is_named(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "part-000000.parquet").write_bytes(content)
    with pytest.raises(GameFileError, match=r"part-000000\.parquet: cannot be read"):
        open_(tmp_path)


def test_a_part_with_other_columns_is_named(tmp_path: Path) -> None:
    pl.DataFrame({"key": [1], "wp": [0.5]}).write_parquet(tmp_path / "part-000000.parquet")
    with pytest.raises(GameFileError, match=r"part-000000\.parquet: holds key, wp"):
        open_(tmp_path)


def test_one_process_at_a_time(tmp_path: Path) -> None:
    with open_(tmp_path), pytest.raises(ConfigError, match="another process"):
        open_(tmp_path)
    open_(tmp_path).close()


def test_parts_grow_with_the_speed_of_the_answers_but_not_by_leaps() -> None:
    assert answers._next_size(100, seconds=1e-9) == 200
    assert answers._next_size(100, seconds=answers.PART_SECONDS) == 100
    assert answers._next_size(100, seconds=10 * answers.PART_SECONDS) == answers.SMALLEST
    assert answers._next_size(answers.LARGEST, seconds=0) == answers.LARGEST


def test_what_changes_no_answer_does_not_count() -> None:
    one = identity(UciSpec(command="sf", depth=3, name="A", processes=4, hang_after=3.0), {})
    assert one == identity(UciSpec(command="sf", depth=3, name="B"), {})
    assert one != identity(UciSpec(command="sf", depth=4), {})


def test_another_program_of_the_same_name_is_another_engine(tmp_path: Path) -> None:
    engine, found = tmp_path / "engine", []
    for text in ("#!/bin/sh\n", "#!/bin/sh\nexit\n"):
        engine.write_text(text)
        engine.chmod(0o755)
        found.append(identity(UciSpec(command=[str(engine), "--quiet"], depth=1), {})["files"])
    assert found[0].keys() == found[1].keys() == {str(engine)}
    assert found[0] != found[1]


class Prepared(msgspec.Struct):
    """A player made from a file of games."""

    file: FileName


def test_other_games_in_a_file_make_another_player(tmp_path: Path) -> None:
    path, found = tmp_path / "player.pgn", []
    for text in ("1. e4 *", "1. d4 *"):
        path.write_text(text)
        found.append(identity(Prepared(str(path)), {}))
    assert found[0] != found[1]


def test_nets_count_with_what_runs_them_and_only_those_that_were_taken() -> None:
    shelf = NetShelf()
    evaluator = shelf.evaluator("material")
    taken = BorrowedShelf(shelf)
    assert taken.resolved() == {}
    assert taken.evaluator(["material"]) is evaluator
    assert taken.resolved() == shelf.resolved() == {"material": evaluator.name}
    about = identity(NetSearchSpec(net="material"), taken.resolved())
    assert about["nets"] == {"material": evaluator.name}


@pytest.mark.parametrize(
    ("name", "start"),
    [("maia-1900 at 100 nodes", "maia-1900-at-100-nodes-"), ("../ä/..", "unnamed-"), ("x" * 200, "x" * 60 + "-")],
)
def test_folders_have_plain_names(name: str, start: str) -> None:
    folder = folder_name(name, {"a": 1})
    assert folder.startswith(start)
    assert len(folder) == len(start) + 8
    assert folder != folder_name(name, {"a": 2})
