import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings, strategies as st

from foible.analysis.puzzles.puzzle import GRADES, Grade, Puzzle
from foible.analysis.puzzles.puzzle_table import COLUMNS, write_table
from foible.analysis.puzzles.training_deck import SOON, Deck, find_decks
from foible.errors import ConfigError, GameFileError
from tests.analysis.puzzles.known import PUZZLES

MORNING = datetime(2026, 3, 2, 8, tzinfo=timezone(timedelta(hours=2)))
DAY = timedelta(days=1)
RATINGS = {"fork": 1400, "mate in one": 900, "skewer": None, "mate in two": 1100}


def known(theme: str) -> Puzzle:
    fen, mistake, line = PUZZLES[theme]
    return Puzzle(fen, mistake, tuple(line.split()), rating=RATINGS[theme], themes=("short", theme.replace(" ", "")))


NAMES = {theme: known(theme).id for theme in PUZZLES}
BY_DIFFICULTY = [NAMES[theme] for theme in ("mate in one", "mate in two", "fork", "skewer")]


def table(folder: Path) -> Path:
    write_table(folder / "puzzles.csv", map(known, PUZZLES))
    return folder / "puzzles.csv"


@contextmanager
def fresh_deck(new_a_day: int = 10) -> Iterator[Deck]:
    with TemporaryDirectory() as folder, Deck(table(Path(folder)), new_a_day=new_a_day) as deck:
        yield deck


def ids(puzzles: list[Puzzle]) -> list[str]:
    return [puzzle.id for puzzle in puzzles]


def test_new_puzzles_come_in_order_of_difficulty_and_so_many_a_day() -> None:
    with fresh_deck(new_a_day=2) as deck:
        assert ids(deck.fresh(MORNING)) == BY_DIFFICULTY[:2]
        deck.answered(BY_DIFFICULTY[0], "good", MORNING)
        assert ids(deck.fresh(MORNING)) == BY_DIFFICULTY[1:2]
        deck.answered(BY_DIFFICULTY[1], "again", MORNING)
        assert deck.fresh(MORNING) == []
        assert ids(deck.fresh(MORNING + DAY)) == BY_DIFFICULTY[2:]


def test_what_was_missed_comes_back_soon_and_what_was_solved_on_another_day() -> None:
    with fresh_deck(new_a_day=2) as deck:
        missed, solved = BY_DIFFICULTY[:2]
        assert deck.answered(missed, "again", MORNING) == MORNING + SOON
        assert deck.answered(solved, "good", MORNING) >= MORNING + DAY
        assert deck.next(MORNING) is None
        assert deck.next_time(MORNING) == MORNING + SOON
        assert ids(deck.due(MORNING + SOON)) == [missed]
        counts = deck.counts(MORNING + SOON)
        assert (counts.puzzles, counts.due, counts.new, counts.learned) == (4, 1, 2, 1)


def test_a_day_begins_at_midnight_of_the_zone() -> None:
    with fresh_deck(new_a_day=1) as deck:
        due = deck.answered(BY_DIFFICULTY[0], "good", MORNING)
        midnight = due.astimezone(MORNING.tzinfo).replace(hour=0, minute=0, second=0, microsecond=0)
        assert deck.due(midnight - timedelta(seconds=1)) == []
        assert ids(deck.due(midnight)) == BY_DIFFICULTY[:1]
        tomorrow = MORNING.replace(hour=0) + DAY
        assert deck.next_time(MORNING) == tomorrow
        assert deck.next(tomorrow - timedelta(seconds=1)) is None
        assert deck.next(tomorrow) is not None


@pytest.mark.parametrize("missed", [False, True])
def test_a_puzzle_that_was_solved_slowly_comes_back_on_a_later_day(missed: bool) -> None:
    with fresh_deck() as deck:
        if missed:
            deck.answered(BY_DIFFICULTY[0], "again", MORNING)
        assert deck.answered(BY_DIFFICULTY[0], "hard", MORNING + SOON) >= MORNING + DAY


def test_a_day_is_told_by_what_was_done_on_it() -> None:
    with fresh_deck() as deck:
        first, second, third, _ = BY_DIFFICULTY
        deck.answered(first, "again", MORNING)
        deck.answered(first, "good", MORNING + SOON)
        deck.answered(second, "hard", MORNING + SOON)
        deck.answered(third, "good", MORNING + DAY)
        day = deck.day(MORNING)
        assert (day.answers, day.solved, day.new) == (3, 2, 2)
        assert deck.day(MORNING + DAY).new == 1


def test_themes_are_counted_the_most_frequent_first() -> None:
    with fresh_deck() as deck:
        deck.answered(NAMES["fork"], "again", MORNING)
        themes = deck.themes(MORNING + SOON)
        assert next(iter(themes)) == "short"
        assert themes["fork"].due == 1
        assert themes["fork"].new == 0
        assert themes["short"].new == 3


STEPS = st.lists(st.tuples(st.sampled_from(GRADES), st.integers(0, 40 * 24 * 60)), max_size=12)
"""Grades, and the minutes after each."""


def solve(deck: Deck, steps: list[tuple[Grade, int]]) -> list[tuple[str, datetime]]:
    """Answer what comes; the puzzles and when they are due again."""
    now, schedule = MORNING, []
    for grade, minutes in steps:
        if (puzzle := deck.next(now)) is not None:
            schedule.append((puzzle.id, deck.answered(puzzle.id, grade, now)))
        now += timedelta(minutes=minutes)
    return schedule


@settings(max_examples=40)
@given(STEPS)
def test_nothing_is_due_at_the_instant_of_its_answer_and_nothing_twice(steps: list[tuple[Grade, int]]) -> None:
    with fresh_deck() as deck:
        now = MORNING
        for grade, minutes in steps:
            due = ids(deck.due(now))
            assert len(set(due)) == len(due)
            assert not {*due} & {*ids(deck.fresh(now))}
            if (puzzle := deck.next(now)) is not None:
                again = deck.answered(puzzle.id, grade, now)
                assert again > now
                assert puzzle not in deck.due(now)
                assert puzzle not in deck.fresh(now)
            now += timedelta(minutes=minutes)


@settings(max_examples=40)
@given(STEPS)
def test_something_comes_when_the_deck_says_and_not_before(steps: list[tuple[Grade, int]]) -> None:
    with fresh_deck(new_a_day=1) as deck:
        solve(deck, steps)
        now = MORNING + timedelta(minutes=sum(minutes for _, minutes in steps))
        when = deck.next_time(now)
        assert when is not None
        assert deck.next(when) is not None
        if when > now:
            assert deck.next(when - timedelta(microseconds=1)) is None


@settings(max_examples=40)
@given(STEPS)
def test_the_same_answers_give_the_same_schedule_also_from_the_journal(steps: list[tuple[Grade, int]]) -> None:
    with TemporaryDirectory() as folder:
        path = table(Path(folder))
        with Deck(path) as deck:
            schedule = solve(deck, steps)
            due = {name: deck.due_at(name) for name in deck.puzzles}
            reviews = deck.reviews
        with Deck(path) as again:
            assert again.reviews == reviews
            assert {name: again.due_at(name) for name in again.puzzles} == due
    with fresh_deck() as other:
        assert solve(other, steps) == schedule


@settings(max_examples=40)
@given(STEPS.filter(bool), st.data())
def test_half_a_line_at_the_end_of_the_journal_costs_nothing_that_was_kept(
    steps: list[tuple[Grade, int]], data: st.DataObject
) -> None:
    with TemporaryDirectory() as folder:
        path = table(Path(folder))
        with Deck(path) as deck:
            solve(deck, steps)
            kept = deck.reviews
        journal = path.with_suffix(".training") / "reviews.jsonl"
        line = journal.read_bytes().splitlines(keepends=True)[-1]
        with journal.open("ab") as stream:
            stream.write(line[: data.draw(st.integers(0, len(line) - 1))])
        with Deck(path) as deck:
            assert deck.reviews == kept
            deck.answered(BY_DIFFICULTY[0], "good", MORNING)
        with Deck(path) as deck:
            assert len(deck.reviews) == len(kept) + 1


KILLED = """
import os, signal, sys
from datetime import UTC, datetime
from pathlib import Path
from foible.analysis.puzzles.training_deck import Deck

deck = Deck(Path(sys.argv[1]))
for name in list(deck.puzzles)[:3]:
    deck.answered(name, "good", datetime(2026, 3, 2, tzinfo=UTC))
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.skipif(os.name == "nt", reason="there is no SIGKILL")
def test_answers_outlive_a_kill(tmp_path: Path) -> None:
    path = table(tmp_path)
    subprocess.run([sys.executable, "-c", KILLED, str(path)], check=False, timeout=120)
    with Deck(path) as deck:
        assert [review.puzzle for review in deck.reviews] == BY_DIFFICULTY[:3]


def test_one_process_trains_with_a_deck(tmp_path: Path) -> None:
    with Deck(table(tmp_path)), pytest.raises(ConfigError, match="another process"):
        Deck(tmp_path / "puzzles.csv")


def test_a_puzzle_that_left_the_table_is_asked_for_no_more(tmp_path: Path) -> None:
    path = table(tmp_path)
    with Deck(path) as deck:
        deck.answered(NAMES["fork"], "again", MORNING)
    write_table(path, [known("skewer")])
    with Deck(path) as deck:
        assert ids(deck.due(MORNING + DAY)) == []
        assert deck.counts(MORNING + DAY).puzzles == 1
        assert deck.next(MORNING + DAY) == deck.puzzles[NAMES["skewer"]]


def test_what_is_no_answer_is_refused() -> None:
    with fresh_deck() as deck:
        with pytest.raises(ConfigError, match="no puzzle 'x'"):
            deck.answered("x", "good", MORNING)
        with pytest.raises(ConfigError, match="zone"):
            deck.answered(BY_DIFFICULTY[0], "good", MORNING.replace(tzinfo=None))
        assert deck.reviews == []


def test_a_damaged_answer_is_told(tmp_path: Path) -> None:
    path = table(tmp_path)
    with Deck(path) as deck:
        deck.answered(BY_DIFFICULTY[0], "good", MORNING)
    journal = path.with_suffix(".training") / "reviews.jsonl"
    journal.write_bytes(journal.read_bytes().replace(b"good", b"hard"))
    with pytest.raises(GameFileError, match="line 1"):
        Deck(path)


def test_an_empty_deck_has_nothing_to_ask(tmp_path: Path) -> None:
    write_table(tmp_path / "puzzles.csv", [])
    with Deck(tmp_path / "puzzles.csv") as deck:
        assert deck.next(MORNING) is None
        assert deck.next_time(MORNING) is None


def test_decks_are_the_tables_below_a_folder(tmp_path: Path) -> None:
    for name in ("jane", "club/2026", ".hidden", "a/b/c/d"):
        (tmp_path / name).mkdir(parents=True)
        table(tmp_path / name)
    (tmp_path / "lichess.csv").write_text(",".join(COLUMNS) + "\n")
    (tmp_path / "results.csv").write_text("game,white,black\n")
    (tmp_path / "picture.csv").write_bytes(b"\x00\xff\n")
    assert list(find_decks(tmp_path)) == ["club/2026", "jane", "lichess.csv"]
    assert find_decks(tmp_path / "nowhere") == {}


def test_times_are_kept_in_utc(tmp_path: Path) -> None:
    with Deck(table(tmp_path)) as deck:
        deck.answered(BY_DIFFICULTY[0], "good", MORNING)
    assert b'"at":"2026-03-02T06:00:00Z"' in (tmp_path / "puzzles.training" / "reviews.jsonl").read_bytes()
    with Deck(tmp_path / "puzzles.csv") as deck:
        assert deck.reviews[0].at == MORNING.astimezone(UTC)
