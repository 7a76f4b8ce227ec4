"""Questions on puzzles: list the decks, show what is due, try moves, and record answers."""

import asyncio
from collections.abc import AsyncGenerator
from functools import partial
from typing import Annotated

import msgspec

from foible.analysis.puzzles.puzzle import Grade, Puzzle, findings, grade, try_move
from foible.analysis.puzzles.training_deck import Deck, local_now
from foible.errors import ConfigError
from foible.interfaces.web.explain import MoveMade
from foible.interfaces.web.protocol import Moves, Number, PageQuestion, PageReply, ShortText
from foible.interfaces.web.shared import Shared

LONGEST_SECONDS = 7 * 86_400
"""The longest time for one puzzle, whose page may have been left open."""
DAY_SECONDS = 86_400


class DeckNames(PageReply, frozen=True, kw_only=True):
    """The names of the decks."""

    decks: list[str]
    folder: str
    """The folder of the decks."""


class ListDecks(PageQuestion, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="decks"):
    """List the decks."""

    async def answer(self, shared: Shared) -> AsyncGenerator[DeckNames, None]:
        yield DeckNames(decks=await asyncio.to_thread(shared.decks.names), folder=str(shared.decks.folder))


class ThemeCounts(PageReply, frozen=True, kw_only=True):
    """How many puzzles of a theme there are, and how many of them are due, new or learned."""

    theme: str
    """The name of the theme, as in lichess's table of puzzles."""
    puzzles: int
    due: int
    new: int
    learned: int


class PuzzleShown(PageReply, frozen=True, kw_only=True):
    """A puzzle to solve, without anything that would give it away."""

    id: str
    before: str
    """The FEN before the opponent's move that led to the puzzle; the puzzle's own where that move is not known."""
    setup: str | None
    """The opponent's move that led to the puzzle, in UCI."""
    fen: str
    """The FEN of the position to solve."""
    moves: int
    """The number of moves that the solver has to find."""
    rating: int | None
    new: bool
    """Whether the puzzle is shown for the first time."""


class DeckShown(PageReply, frozen=True, kw_only=True):
    """The state of a deck, and the puzzle to solve now."""

    puzzles: int
    due: int
    new: int
    learned: int
    themes: list[ThemeCounts]
    answers: int
    """The number of answers today."""
    solved: int
    """The number of today's answers that were right at once."""
    new_today: int
    new_a_day: int
    puzzle: PuzzleShown | None
    """`None` where nothing is left for now."""
    seconds: float | None
    """The seconds until there is a puzzle to solve; `None` where there never will be."""


def _shown(deck: Deck, theme: str | None = None) -> DeckShown:
    """The state of a deck now. `theme`: that of the puzzle to solve; any when absent."""
    now = local_now()
    counts, day, when = deck.counts(now), deck.day(now), deck.next_time(now, theme)
    puzzle = deck.next(now, theme)
    return DeckShown(
        puzzles=counts.puzzles,
        due=counts.due,
        new=counts.new,
        learned=counts.learned,
        themes=[
            ThemeCounts(theme=theme, puzzles=some.puzzles, due=some.due, new=some.new, learned=some.learned)
            for theme, some in deck.themes(now).items()
        ],
        answers=day.answers,
        solved=day.solved,
        new_today=day.new,
        new_a_day=deck.new_a_day,
        puzzle=None if puzzle is None else _to_solve(puzzle, new=deck.due_at(puzzle.id) is None),
        seconds=None if when is None else (when - now).total_seconds(),
    )


def _to_solve(puzzle: Puzzle, *, new: bool) -> PuzzleShown:
    return PuzzleShown(
        id=puzzle.id,
        before=puzzle.fen,
        setup=puzzle.setup,
        fen=puzzle.position.fen,
        moves=puzzle.solver_moves,
        rating=puzzle.rating,
        new=new,
    )


class ShowDeck(PageQuestion, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="deck"):
    """Show the state of a deck, and the puzzle to solve now."""

    deck: ShortText
    theme: ShortText | None = None
    """The theme of the puzzle to solve; `None`: any."""

    async def answer(self, shared: Shared) -> AsyncGenerator[DeckShown, None]:
        """:raises FoibleError: there is no such deck or theme, or the deck cannot be read."""
        yield await asyncio.to_thread(shared.decks.use, self.deck, partial(_shown, theme=self.theme))


class MoveTried(PageReply, frozen=True, kw_only=True):
    """Whether a solver's move is right."""

    right: bool
    reply: str | None
    """The opponent's reply to a right move, in UCI, if there is one."""
    solved: bool


class TryMove(PageQuestion, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="try_move"):
    """Try a move in a puzzle: it is right where it solves the puzzle, or is the next step."""

    deck: ShortText
    puzzle: ShortText
    played: Moves
    """The solver's moves and the replies so far, in UCI, from the position to solve."""
    move: ShortText

    async def answer(self, shared: Shared) -> AsyncGenerator[MoveTried, None]:
        """:raises FoibleError: there is no such puzzle, or the move is not legal there."""

        def tried(deck: Deck) -> MoveTried:
            verdict = try_move(_puzzle(deck, self.puzzle), self.played, self.move)
            return MoveTried(right=verdict.right, reply=verdict.reply, solved=verdict.solved)

        yield await asyncio.to_thread(shared.decks.use, self.deck, tried)


def _puzzle(deck: Deck, name: str) -> Puzzle:
    try:
        return deck.puzzles[name]
    except KeyError:
        raise ConfigError(f"there is no puzzle {name!r} in this deck") from None


class SolutionShown(PageReply, frozen=True, kw_only=True):
    """The solution of a puzzle, and what is known of the puzzle."""

    moves: list[MoveMade]
    themes: list[str]
    findings: list[str]
    """The measures of the puzzle's difficulty, in words."""
    source: str
    """The game that the puzzle is from, and the player who erred."""
    url: str
    """The web address of the game; empty where there is none."""


class ShowSolution(PageQuestion, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="solution"):
    """Show the solution of a puzzle, and the findings on it."""

    deck: ShortText
    puzzle: ShortText

    async def answer(self, shared: Shared) -> AsyncGenerator[SolutionShown, None]:
        """:raises FoibleError: there is no such puzzle."""
        yield await asyncio.to_thread(shared.decks.use, self.deck, lambda deck: _solution(_puzzle(deck, self.puzzle)))


def _solution(puzzle: Puzzle) -> SolutionShown:
    position, made = puzzle.position, []
    for move in puzzle.solution:
        san, position = position.san(move), position.play(move)
        made.append(MoveMade(uci=move, san=san, fen=position.fen))
    return SolutionShown(
        moves=made,
        themes=list(puzzle.themes),
        findings=findings(puzzle),
        source=puzzle.source,
        url=puzzle.game_url if puzzle.game_url.startswith(("https://", "http://")) else "",
    )


class PuzzleAnswered(PageReply, frozen=True, kw_only=True):
    """The confirmation that an answer is recorded."""

    grade: Grade
    days: float
    """The days until the puzzle is due again."""
    deck: DeckShown
    """The state of the deck after the answer."""


class AnswerPuzzle(PageQuestion, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="answer_puzzle"):
    """Record how well somebody solved a puzzle, and schedule its repetition."""

    deck: ShortText
    puzzle: ShortText
    wrong_moves: Number
    shown: bool
    """Whether the solution was shown."""
    seconds: Annotated[float, msgspec.Meta(ge=0, le=LONGEST_SECONDS)]
    """The seconds from the first sight of the position to the last move."""
    theme: ShortText | None = None
    """The theme of the next puzzle, as in `ShowDeck`."""

    async def answer(self, shared: Shared) -> AsyncGenerator[PuzzleAnswered, None]:
        """:raises FoibleError: there is no such puzzle or theme, or the answer cannot be recorded."""

        def kept(deck: Deck) -> PuzzleAnswered:
            deck.of_theme(self.theme)  # an unknown theme is an error before the answer is recorded, not after it
            graded = grade(
                _puzzle(deck, self.puzzle), wrong_moves=self.wrong_moves, shown=self.shown, seconds=self.seconds
            )
            now = local_now()
            due = deck.answered(self.puzzle, graded, now)
            days = (due - now).total_seconds() / DAY_SECONDS
            return PuzzleAnswered(grade=graded, days=days, deck=_shown(deck, self.theme))

        yield await asyncio.to_thread(shared.decks.use, self.deck, kept)
