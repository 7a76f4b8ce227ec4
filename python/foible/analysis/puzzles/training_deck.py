"""Training with a deck of puzzles, scheduled by FSRS, the algorithm that Anki and others use.

The deck is a table of puzzles. Beside it is a folder with the same stem, `puzzles.training` beside `puzzles.csv`:

    reviews.jsonl    one line for each answer, with its checksum; only ever appended to
    finished.json    the number of lines
    lock             held by the process that trains

The schedule is computed from these lines alone: nothing else is kept, and the same answers give the same schedule.
Callers give the times, with their time zone; a day is a day of that zone.
"""

import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from itertools import islice
from pathlib import Path
from typing import Annotated, Final

import msgspec
from fsrs import Card, Rating, Scheduler, State

from foible.analysis.puzzles.puzzle import Grade, Puzzle
from foible.analysis.puzzles.puzzle_table import TABLE, is_table, read_table
from foible.errors import ConfigError, GameFileError
from foible.mistakes import near
from foible.runs.files import Closing
from foible.runs.folder import lock
from foible.runs.journal import Journal, read_journal

NEW_A_DAY: Final = 10
"""The most new puzzles shown on one day. A puzzle that is solved every time comes back four times in a year."""
MOST: Final = 20_000
"""The most puzzles in a deck."""
DEPTH: Final = 3
"""The number of levels of subfolders that are searched for decks."""

SOON: Final = timedelta(minutes=10)
"""The time after which a missed puzzle comes back. A solved one is not shown again on the same day: it was understood,
not learned by heart, and so needs no second learning step as vocabulary does.
"""
MISSED: Final = Scheduler(learning_steps=(SOON,), relearning_steps=(SOON,), enable_fuzzing=False)
"""FSRS-6 with its published weights; schedules so that 90 % of the puzzles are solved when they are due."""
SOLVED: Final = Scheduler(learning_steps=(), relearning_steps=(), enable_fuzzing=False)
"""The same for puzzles that were solved: FSRS would repeat a step after *hard*."""
RATINGS: Final[Mapping[Grade, Rating]] = {"again": Rating.Again, "hard": Rating.Hard, "good": Rating.Good}


def local_now() -> datetime:
    """Now, in the time zone of this machine: a day of training is a day of its user."""
    return datetime.now().astimezone()


class Review(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An attempt at a puzzle, with its grade and time."""

    puzzle: str
    """The puzzle's id."""
    grade: Grade
    at: Annotated[datetime, msgspec.Meta(tz=True)]


@dataclass(frozen=True, slots=True)
class Counts:
    """The learning state of some puzzles of a deck, as counts."""

    puzzles: int
    due: int
    new: int
    """Puzzles never attempted."""
    learned: int
    """Puzzles solved at the last attempt and due after a day or more."""


@dataclass(frozen=True, slots=True)
class Day:
    """The training of one day."""

    answers: int
    solved: int
    """Answers that were right at the first try."""
    new: int
    """Puzzles that were attempted for the first time."""


class Deck(Closing):
    """An open deck. Closing it, or the end of the process, releases its lock."""

    def __init__(self, table: Path, *, new_a_day: int = NEW_A_DAY) -> None:
        """`table`: the file of the puzzles, as for `read_puzzles`.

        :raises GameFileError: the table or the journal cannot be read.
        :raises ConfigError: another process trains with this deck, or `new_a_day` is negative.
        :raises OSError: the folder beside the table cannot be written.
        """
        if new_a_day < 0:
            raise ConfigError(f"new_a_day = {new_a_day}: expected at least 0")
        self.new_a_day = new_a_day
        self.puzzles = {puzzle.id: puzzle for puzzle in sorted(read_puzzles(table), key=_difficulty)}
        """The puzzles by id, the easiest first."""
        folder = table.with_suffix(".training")
        folder.mkdir(exist_ok=True)
        with ExitStack() as held:
            held.callback(lock(folder / "lock").release)
            self._journal = held.enter_context(Journal(folder / "reviews.jsonl", Review))
            self._held = held.pop_all()
        self._cards: dict[str, Card] = {}
        for review in self._journal.items:
            self._schedule(review)

    @property
    def reviews(self) -> list[Review]:
        """All answers, in order."""
        return self._journal.items

    def of_theme(self, theme: str | None) -> Mapping[str, Puzzle]:
        """The puzzles of a theme, by id; all puzzles for `None`.

        :raises ConfigError: no puzzle has this theme; the message gives the nearest ones.
        """
        if theme is None:
            return self.puzzles
        found = {name: puzzle for name, puzzle in self.puzzles.items() if theme in puzzle.themes}
        if not found:
            known = sorted({theme for puzzle in self.puzzles.values() for theme in puzzle.themes})
            expected = near(theme, known) if known else "the puzzles of this deck have no themes"
            raise ConfigError(f"theme = {theme!r}: {expected}")
        return found

    def due(self, now: datetime, theme: str | None = None) -> list[Puzzle]:
        """The puzzles that were attempted before and are due again, the longest overdue first.

        `theme`: as in `of_theme`, with its errors; likewise in the methods below.
        """
        puzzles = self.of_theme(theme)
        waiting = [(card.due, name) for name, card in self._known(puzzles) if _is_due(card, now)]
        return [puzzles[name] for _, name in sorted(waiting)]

    def fresh(self, now: datetime, theme: str | None = None) -> list[Puzzle]:
        """The new puzzles that may be shown today, the easiest first."""
        left = max(0, self.new_a_day - self.day(now).new)
        new = (puzzle for name, puzzle in self.of_theme(theme).items() if name not in self._cards)
        return list(islice(new, left))

    def next(self, now: datetime, theme: str | None = None) -> Puzzle | None:
        """The puzzle to solve now: one that is due, else a new one."""
        return next(iter([*self.due(now, theme), *self.fresh(now, theme)]), None)

    def next_time(self, now: datetime, theme: str | None = None) -> datetime | None:
        """The first time from now on at which there is a puzzle to solve, in the zone of `now`; `None` for never."""
        if self.next(now, theme) is not None:
            return now
        puzzles = self.of_theme(theme)
        times = [_from(card, now) for _, card in self._known(puzzles)]
        if self.new_a_day and any(name not in self._cards for name in puzzles):
            times.append(_midnight(now.date() + timedelta(days=1), now))
        return min(times, default=None)

    def due_at(self, puzzle: str) -> datetime | None:
        """The time at which a puzzle, given by its id, is due; `None` where it is new."""
        card = self._cards.get(puzzle)
        return card.due if card else None

    def answered(self, puzzle: str, grade: Grade, now: datetime) -> datetime:
        """Store an answer, and return when its puzzle is due again. The answer is on the disk when this returns.

        :raises ConfigError: there is no puzzle of this id, or `now` has no zone.
        :raises OSError: the answer cannot be written, and then does not count.
        """
        if puzzle not in self.puzzles:
            raise ConfigError(f"there is no puzzle {puzzle!r} in this deck")
        if now.tzinfo is None:
            raise ConfigError(f"now = {now}: expected a time with its zone")
        review = Review(puzzle, grade, now.astimezone(UTC))
        self._journal.append([review])
        return self._schedule(review).due

    def counts(self, now: datetime) -> Counts:
        """The counts over the whole deck."""
        return self._counted(self.puzzles, now)

    def themes(self, now: datetime) -> dict[str, Counts]:
        """The counts by theme, the most frequent theme first."""
        by_theme: dict[str, list[str]] = {}
        for name, puzzle in self.puzzles.items():
            for theme in puzzle.themes:
                by_theme.setdefault(theme, []).append(name)
        ranked = sorted(by_theme.items(), key=lambda item: (-len(item[1]), item[0]))
        return {theme: self._counted(names, now) for theme, names in ranked}

    def day(self, now: datetime) -> Day:
        """The training on the day of `now`."""
        today, seen, new = [], set(), 0
        for review in self.reviews:
            if review.at.astimezone(now.tzinfo).date() == now.date():
                today.append(review)
                new += review.puzzle not in seen
            seen.add(review.puzzle)
        return Day(len(today), sum(review.grade != "again" for review in today), new)

    def close(self) -> None:
        self._held.close()

    def _known(self, puzzles: Mapping[str, Puzzle]) -> Iterator[tuple[str, Card]]:
        """The cards of those of the puzzles that were attempted before, with their ids."""
        return ((name, card) for name, card in self._cards.items() if name in puzzles)

    def _schedule(self, review: Review) -> Card:
        card = self._cards.get(review.puzzle) or Card(card_id=0, due=review.at)
        scheduler = MISSED if review.grade == "again" else SOLVED
        card, _ = scheduler.review_card(card, RATINGS[review.grade], review.at.astimezone(UTC))
        self._cards[review.puzzle] = card
        return card

    def _counted(self, names: Iterable[str], now: datetime) -> Counts:
        total = list(names)
        cards = [self._cards[name] for name in total if name in self._cards]
        return Counts(
            puzzles=len(total),
            due=sum(_is_due(card, now) for card in cards),
            new=len(total) - len(cards),
            learned=sum(card.state == State.Review for card in cards),
        )


def _difficulty(puzzle: Puzzle) -> tuple[float, int]:
    """Sort key by rating; unrated puzzles come last, by length, the best plain guess (docs/puzzles.md)."""
    return puzzle.rating if puzzle.rating is not None else float("inf"), len(puzzle.solution)


def _from(card: Card, now: datetime) -> datetime:
    """The time from which on a card is due. Cards past the learning steps are due from midnight on, so that they are
    also due for somebody who trains a little earlier in the day than before.
    """
    due = card.due.astimezone(now.tzinfo)
    return _midnight(due.date(), now) if card.state == State.Review else due


def _is_due(card: Card, now: datetime) -> bool:
    return _from(card, now) <= now


def _midnight(day: date, now: datetime) -> datetime:
    return datetime.combine(day, time(), now.tzinfo)


def read_puzzles(table: Path) -> list[Puzzle]:
    """The puzzles of a table, which has the columns of the lichess table. Beside a table that `foible puzzles` wrote is
    its journal, which adds what the table lacks: whose mistakes the puzzles are, and the probabilities of the nets.

    :raises GameFileError: the table or the journal cannot be read, or there are more than `MOST` puzzles.
    """
    from foible.analysis.puzzles.mining import MinedPart  # noqa: PLC0415  training needs no nets and engines, mining does

    puzzles = list(islice(read_table(table), MOST + 1))
    if len(puzzles) > MOST:
        raise GameFileError(f"{table}: more than {MOST:,} puzzles; a deck is for training, take a part of them")
    parts = read_journal(table.with_name("journal.jsonl"), MinedPart) if table.name == TABLE else []
    known = {puzzle.id: puzzle for part in parts for puzzle in part.puzzles}
    first: dict[str, Puzzle] = {}
    for puzzle in puzzles:
        first.setdefault(puzzle.id, known.get(puzzle.id, puzzle))
    return list(first.values())


def find_decks(folder: Path) -> dict[str, Path]:
    """The tables of puzzles in a folder and in those below it, by the names of their decks, in alphabetical order.

    A deck has the name of the folder of its `puzzles.csv`, or of its own file. Hidden files and folders are ignored.
    """
    decks = {}
    for place, folders, files in os.walk(folder):
        here = Path(place)
        depth = len(here.relative_to(folder).parts)
        folders[:] = [] if depth >= DEPTH else [name for name in folders if not name.startswith(".")]
        for name in files:
            if name.endswith(".csv") and not name.startswith(".") and _is_deck(here / name):
                titled = here if name == TABLE and depth else here / name
                decks[titled.relative_to(folder).as_posix()] = here / name
    return dict(sorted(decks.items()))


def _is_deck(table: Path) -> bool:
    try:
        return is_table(table)
    except (GameFileError, OSError):
        return False
