"""`foible drill`: training with a deck of puzzles, on the terminal."""

import time
from collections.abc import Callable, Mapping
from datetime import timedelta
from pathlib import Path
from typing import Annotated, Final

import typer

from foible._core import ChessPosition
from foible.agents.base import Turn
from foible.agents.human import Question, read_move
from foible.analysis.explain import board_text
from foible.analysis.game_review import numbered
from foible.analysis.puzzles.puzzle import Grade, Puzzle, findings, grade, try_move
from foible.analysis.puzzles.puzzle_table import TABLE
from foible.analysis.puzzles.training_deck import NEW_A_DAY, Deck, find_decks, local_now
from foible.errors import ConfigError, MoveError
from foible.games.chess import positions_along
from foible.interfaces.cli import INTERRUPTED
from foible.interfaces.cli.output import examples, print_table, say
from foible.interfaces.cli.terminal_game import Hangup, Terminal
from foible.mistakes import near
from foible.wording import counted

DRILL_EXAMPLES = examples(
    "foible drill                                  (which decks there are)",
    "foible drill jane",
    "foible drill jane --theme fork",
    "foible drill lichess_puzzles.csv --new-a-day 20",
)
HELP: Final = """\
a move     as SAN (Nf3, exd5, O-O, e8=Q) or UCI (g1f3, e1g1, e7e8q)
board      show the board
solution   show the solution; the puzzle comes again soon
themes     how many puzzles of each theme there are
quit       stop; every answer is kept (also Ctrl-D)
help       this list"""
_WORDS: Final[Mapping[Grade, str]] = {"good": "Solved.", "hard": "Solved, slowly.", "again": "Missed."}


def drill(
    deck: Annotated[
        str | None,
        typer.Argument(
            help=f"A deck below --puzzles by its name, a folder with {TABLE}, or a table in the columns of the lichess "
            "puzzles.",
            show_default="tells which there are",
        ),
    ] = None,
    theme: Annotated[str | None, typer.Option(help="Puzzles of this theme alone.", show_default="any")] = None,
    puzzles: Annotated[Path, typer.Option(help="Folder below which decks are looked for.")] = Path("runs"),
    new_a_day: Annotated[
        int | None,
        typer.Option(min=0, help="Puzzles of the deck that are new on one day.", show_default=str(NEW_A_DAY)),
    ] = None,
) -> None:
    """Train with puzzles on the terminal: what is due, then what is new.

    Moves are typed as SAN (Nf3) or UCI (g1f3); `help` lists the other words. Lines may also come through a pipe. The
    deck and its schedule are those of the page Train of `foible web`: either may be used, not both at the same time.
    """
    if deck is None:
        if theme is not None or new_a_day is not None:
            raise ConfigError("--theme and --new-a-day: expected a deck with them; foible drill lists the decks")
        return _list_decks(puzzles)
    with Deck(_table(deck, puzzles), new_a_day=NEW_A_DAY if new_a_day is None else new_a_day) as opened:
        opened.of_theme(theme)  # an unknown theme is reported before anything else
        session = _Session(opened, theme)
        interrupted = False
        try:
            session.run()
        except Hangup:
            pass
        except KeyboardInterrupt:
            interrupted = True
        session.say_today()
    if interrupted:
        raise typer.Exit(INTERRUPTED)
    return None


def _list_decks(folder: Path) -> None:
    names = list(find_decks(folder)) if folder.is_dir() else []
    if not names:
        raise ConfigError(
            f"{folder}: no deck of puzzles below it; foible puzzles makes one, and foible web from your games"
        )
    for name in names:
        say(name)


def _table(deck: str, folder: Path) -> Path:
    """:raises ConfigError: there is no such deck."""
    known = find_decks(folder) if folder.is_dir() else {}
    path = Path(deck)
    if deck in known:
        return known[deck]
    if path.is_file():
        return path
    if (path / TABLE).is_file():
        return path / TABLE
    expected = near(deck, known) if known else f"there is none below {folder}"
    raise ConfigError(f"{deck}: no table of puzzles, no folder with {TABLE}, no deck; {expected}")


class _Attempt:
    """A puzzle that somebody tries to solve."""

    def __init__(self, puzzle: Puzzle) -> None:
        self._puzzle = puzzle
        self._played: list[str] = []
        self.wrong_moves = 0
        self.shown = False
        """Whether the solution was asked for."""
        self._solved = False

    @property
    def over(self) -> bool:
        return self.shown or self._solved

    @property
    def position(self) -> ChessPosition:
        """The position before the solver's next move."""
        return positions_along(self._puzzle.position, self._played)[-1]

    def show(self) -> None:
        """Give up, and count the solution as shown."""
        self.shown = True

    def move(self, text: str) -> str:
        """Try a move; returns what to say to the solver.

        :raises MoveError: the text is no legal move.
        """
        position = self.position
        turn = Turn(position, 0, position.ply, seed=0)
        move = read_move(Question(turn), text)
        verdict = try_move(self._puzzle, self._played, move)
        if not verdict.right:
            self.wrong_moves += 1
            return f"{position.san(move)} is not it: try again, or `solution`."
        self._solved = verdict.solved
        if verdict.reply is None:
            return f"{numbered(position, move)} is right."
        self._played += [move, verdict.reply]
        return f"{numbered(position, move)} is right; {numbered(position.play(move), verdict.reply)} is the reply."


class _Session(Terminal):
    """A person who solves puzzles of a deck, one after the other."""

    def __init__(self, deck: Deck, theme: str | None) -> None:
        super().__init__()
        self._deck, self._theme = deck, theme

    def run(self) -> None:
        """Pose puzzles until nothing is left for now.

        :raises Hangup: the input ended, or somebody typed `quit`.
        """
        self.say(f"{counted(len(self._deck.puzzles), 'puzzle')} in the deck. `help` lists what can be typed.\n")
        while (puzzle := self._deck.next(local_now(), self._theme)) is not None:
            self._solve(puzzle)
        when = self._deck.next_time(local_now(), self._theme)
        self.say("That is all for now." + (f" The next puzzle comes {_in_words(when - local_now())}." if when else ""))

    def say_today(self) -> None:
        """Say what was done today, and what is left."""
        now = local_now()
        day, counts = self._deck.day(now), self._deck.counts(now)
        new = min(counts.new, max(0, self._deck.new_a_day - day.new))
        self.say(f"Today: {day.answers} answered, {day.solved} right at once; left: {counts.due} due, {new} new.")

    def _solve(self, puzzle: Puzzle) -> None:
        """Pose one puzzle, until it is solved or given up and the answer is kept."""
        began = time.monotonic()
        self._pose(puzzle)
        attempt = _Attempt(puzzle)
        while not attempt.over:
            text = self.read("your move: ")
            try:
                if act := self._words(attempt).get(text.lower()):
                    act()
                elif text:
                    self.say(attempt.move(text))
            except MoveError as error:
                self.say(f"{error}")
        seconds = time.monotonic() - began
        graded = grade(puzzle, wrong_moves=attempt.wrong_moves, shown=attempt.shown, seconds=seconds)
        due = self._deck.answered(puzzle.id, graded, local_now())
        self.say(f"{_WORDS[graded]} It comes again {_in_words(due - local_now())}.", *_why(puzzle), "")

    def _pose(self, puzzle: Puzzle) -> None:
        """Show the position and the task, without anything that gives the solution away."""
        moves = puzzle.solver_moves
        rating = "" if puzzle.rating is None else f" Difficulty {puzzle.rating}."
        seen = "New to you." if self._deck.due_at(puzzle.id) is None else "You have met it before."
        self._show(puzzle.position)
        if puzzle.setup is not None:  # without it nobody sees whether a pawn may be taken en passant
            self.say(f"The last move: {numbered(ChessPosition(puzzle.fen), puzzle.setup)}.")
        self.say(f"Find the {'move' if moves == 1 else f'{moves} moves'}.{rating} {seen}")

    def _words(self, attempt: "_Attempt") -> Mapping[str, Callable[[], None]]:
        return {
            "help": lambda: self.say(HELP),
            "board": lambda: self._show(attempt.position),
            "solution": attempt.show,
            "themes": self._list_themes,
            "quit": self._hang_up,
        }

    def _show(self, position: ChessPosition) -> None:
        self.say(board_text(position))

    def _list_themes(self) -> None:
        rows = [(name, some.puzzles, some.due, some.new) for name, some in self._deck.themes(local_now()).items()]
        print_table("Themes", ("theme", "puzzles", "due", "new"), rows)

    def _hang_up(self) -> None:
        raise Hangup


def _why(puzzle: Puzzle) -> list[str]:
    """The solution in one line, and what is known of the puzzle in another."""
    words, position = [], puzzle.position
    for ply, move in enumerate(puzzle.solution):
        # A move of Black's needs a number only where it is the first.
        words.append(position.san(move) if ply and position.turn == "second" else numbered(position, move))
        position = position.play(move)
    known = [", ".join(puzzle.themes), *findings(puzzle), puzzle.source, puzzle.game_url]
    return [" ".join(words), "; ".join(filter(None, known))]


def _in_words(wait: timedelta) -> str:
    """How long it is until then, such as `in 10 minutes` or `in 2 days`."""
    minutes = max(1, round(wait.total_seconds() / 60))
    units = (("day", 24 * 60), ("hour", 60), ("minute", 1))
    unit, length = next((unit, length) for unit, length in units if minutes >= length)
    return f"in {counted(round(minutes / length), unit)}"
