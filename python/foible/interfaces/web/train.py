"""What a page asks of puzzles: which decks there are, what is due, whether a move is right."""

import asyncio
from collections.abc import AsyncGenerator
from functools import partial
from typing import Annotated

import msgspec

from foible.analysis.puzzles.puzzle import Puzzle, findings
from foible.analysis.puzzles.solving import Grade, grade, try_move
from foible.analysis.puzzles.training_deck import Deck, local_now
from foible.errors import ConfigError
from foible.interfaces.web.asking import Moves, Number, Question, Reply, ShortText
from foible.interfaces.web.explain import MoveMade
from foible.interfaces.web.shared import Shared

LONGEST_SECONDS = 7 * 86_400
"""The longest time for one puzzle, whose page may have been left open."""
DAY_SECONDS = 86_400


class DeckNames(Reply, frozen=True, kw_only=True):
    """The decks that can be trained with."""

    decks: list[str]
    folder: str
    """Where they are."""


class ListDecks(Question, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="decks"):
    """Which decks there are."""

    async def answer(self, shared: Shared) -> AsyncGenerator[DeckNames, None]:
        yield DeckNames(decks=await asyncio.to_thread(shared.decks.names), folder=str(shared.decks.folder))


class ThemeCounts(Reply, frozen=True, kw_only=True):
    """How the puzzles of a theme stand."""

    theme: str
    """As the lichess table calls it."""
    puzzles: int
    due: int
    new: int
    learned: int


class PuzzleShown(Reply, frozen=True, kw_only=True):
    """A puzzle, without what would give it away."""

    id: str
    before: str
    """FEN before the opponent's move that led to it; that of the puzzle where none is known."""
    setup: str | None
    """The opponent's move before it, UCI."""
    fen: str
    """The FEN of the position to solve."""
    moves: int
    """The moves of the solver."""
    rating: int | None
    new: bool
    """Whether it is shown for the first time."""


class DeckShown(Reply, frozen=True, kw_only=True):
    """How a deck stands, and what to solve now."""

    puzzles: int
    due: int
    new: int
    learned: int
    themes: list[ThemeCounts]
    answers: int
    """Today's answers."""
    solved: int
    """How many of these were right at once."""
    new_today: int
    new_a_day: int
    puzzle: PuzzleShown | None
    """`None` where nothing is left for now."""
    seconds: float | None
    """Until there is something to solve; `None` where there never will be."""


def _shown(deck: Deck, theme: str | None = None) -> DeckShown:
    """`theme`: of what is to be solved."""
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


class ShowDeck(Question, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="deck"):
    """How a deck stands, and what to solve now."""

    deck: ShortText
    theme: ShortText | None = None
    """The theme of the puzzle to solve; `None`: any."""

    async def answer(self, shared: Shared) -> AsyncGenerator[DeckShown, None]:
        """:raises FoibleError: there is no such deck or theme, or the deck cannot be read."""
        yield await asyncio.to_thread(shared.decks.use, self.deck, partial(_shown, theme=self.theme))


class MoveTried(Reply, frozen=True, kw_only=True):
    """What a solver's move is worth."""

    right: bool
    reply: str | None
    """What the opponent plays after a right one, UCI."""
    solved: bool


class TryMove(Question, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="try_move"):
    """Whether a move solves a puzzle, or leads on."""

    deck: ShortText
    puzzle: ShortText
    played: Moves
    """From the position to solve on: the solver's moves and the replies, UCI."""
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


class SolutionShown(Reply, frozen=True, kw_only=True):
    """The solution, and what is known of a puzzle."""

    moves: list[MoveMade]
    themes: list[str]
    findings: list[str]
    """The numbers of its difficulty, in words."""
    source: str
    """The game, and whose mistakes they were."""
    url: str
    """The address of the game, on the web."""


class ShowSolution(Question, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="solution"):
    """The solution of a puzzle, and why it is one."""

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


class PuzzleAnswered(Reply, frozen=True, kw_only=True):
    """An answer is kept."""

    grade: Grade
    days: float
    """Until the puzzle is due again."""
    deck: DeckShown
    """As it stands now."""


class AnswerPuzzle(Question, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="answer_puzzle"):
    """How somebody fared with a puzzle, for the schedule."""

    deck: ShortText
    puzzle: ShortText
    wrong_moves: Number
    shown: bool
    """Whether the solution was shown."""
    seconds: Annotated[float, msgspec.Meta(ge=0, le=LONGEST_SECONDS)]
    """From the first sight of the position to the last move."""
    theme: ShortText | None = None
    """The theme of the next puzzle, as in `ShowDeck`."""

    async def answer(self, shared: Shared) -> AsyncGenerator[PuzzleAnswered, None]:
        """:raises FoibleError: there is no such puzzle, or the answer cannot be kept."""

        def kept(deck: Deck) -> PuzzleAnswered:
            found = grade(
                _puzzle(deck, self.puzzle), wrong_moves=self.wrong_moves, shown=self.shown, seconds=self.seconds
            )
            now = local_now()
            due = deck.answered(self.puzzle, found, now)
            days = (due - now).total_seconds() / DAY_SECONDS
            return PuzzleAnswered(grade=found, days=days, deck=_shown(deck, self.theme))

        yield await asyncio.to_thread(shared.decks.use, self.deck, kept)
