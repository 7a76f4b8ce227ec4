from pathlib import Path

import pytest

from foible.analysis.puzzles.puzzle import Puzzle
from foible.analysis.puzzles.puzzle_journal import Journal, Part
from foible.errors import ConfigError, GameFileError

ABOUT = {"criterion": {"delta": 0.15}, "player": None}
PUZZLE = Puzzle(
    fen="8/8/7P/8/8/5k2/r7/6K1 w - - 0 1",
    setup=None,
    solution=("h6h7",),
    rating=1234,
    themes=("promotion",),
    before=0.5,
    after=0.9,
    found={"maia-1100": (0.25,)},
)
PARTS = [
    Part(["a", "b"], 100, 2.0, {"quiet": 99}, [PUZZLE]),
    Part(["c"], 50, 1.0, {"quiet": 48, "won": 2}, []),
]


def test_what_is_kept_is_there_again(tmp_path: Path) -> None:
    with Journal(tmp_path / "out", ABOUT) as journal:
        for part in PARTS:
            journal.append(part)
    with Journal(tmp_path / "out", ABOUT) as journal:
        assert journal.parts == PARTS
        assert journal.done == {"a", "b", "c"}
        assert journal.puzzles == [PUZZLE]
        assert (journal.positions, journal.seconds) == (150, 3.0)
        assert journal.dropped == {"quiet": 147, "won": 2}


def test_an_unfinished_line_is_cut_off_wherever_the_kill_came(tmp_path: Path) -> None:
    with Journal(tmp_path, ABOUT) as journal:
        for part in PARTS:
            journal.append(part)
    path = tmp_path / "journal.jsonl"
    data = path.read_bytes()
    first = data.index(b"\n") + 1
    for length in range(first, len(data), 7):
        path.write_bytes(data[:length])
        (tmp_path / "finished.json").unlink()  # which is written behind the last line
        with Journal(tmp_path, ABOUT) as journal:
            assert journal.parts == PARTS[:1]
            journal.append(PARTS[1])
        assert path.read_bytes() == data


def test_other_settings_need_another_folder(tmp_path: Path) -> None:
    Journal(tmp_path, ABOUT).close()
    with pytest.raises(ConfigError, match=r"player = None \(now 'Doe'\); choose another folder"):
        Journal(tmp_path, ABOUT | {"player": "Doe"})


def test_a_folder_of_something_else_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "about.json").write_text("[1]")
    with pytest.raises(ConfigError, match=r"about\.json: not the settings of puzzles"):
        Journal(tmp_path, ABOUT)


def test_two_processes_do_not_share_a_folder(tmp_path: Path) -> None:
    with Journal(tmp_path, ABOUT), pytest.raises(ConfigError, match="another process"):
        Journal(tmp_path, ABOUT)
    Journal(tmp_path, ABOUT).close()


def test_a_damaged_line_is_named(tmp_path: Path) -> None:
    Journal(tmp_path, ABOUT).close()
    (tmp_path / "journal.jsonl").write_text('{"games": 3}\n')
    with pytest.raises(GameFileError, match=r"journal\.jsonl, line 1"):
        Journal(tmp_path, ABOUT)
    (tmp_path / "journal.jsonl").unlink()
    Journal(tmp_path, ABOUT).close()
