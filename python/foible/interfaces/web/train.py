"""What a page asks of puzzles: which decks there are, what is due, whether a move is right, a deck of one's games."""

import asyncio
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated

import msgspec

from foible.analysis.puzzles.criterion import Criterion, Looks
from foible.analysis.puzzles.difficulty import human_nets
from foible.analysis.puzzles.mining import SEARCH
from foible.analysis.puzzles.mining_stages import Tools
from foible.analysis.puzzles.puzzle import Puzzle, findings
from foible.analysis.puzzles.solving import Grade, grade, try_move
from foible.analysis.puzzles.training_deck import Deck
from foible.errors import ConfigError
from foible.interfaces.web.asking import Question, Reply
from foible.interfaces.web.explain import MoveMade
from foible.interfaces.web.house import House
from foible.interfaces.web.values import Moves, Number, ShortText
from foible.judges.engine import UciJudge
from foible.nets.evaluator import Evaluator
from foible.nets.named_nets import MASTER
from foible.nets.shelf import BorrowedShelf, NetShelf

LARGEST_GAMES = 900_000
"""Characters of the games that a deck is made of."""
LONGEST_SECONDS = 7 * 86_400
"""Of one puzzle, whose page may have been left open."""
DAY_SECONDS = 86_400


class DeckNames(Reply, frozen=True, kw_only=True):
    """The decks that can be trained with."""

    decks: list[str]
    folder: str
    """Where they are."""


class ListDecks(Question, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="decks"):
    """Which decks there are."""

    async def answer(self, house: House) -> AsyncGenerator[DeckNames, None]:
        yield DeckNames(decks=await asyncio.to_thread(house.decks.names), folder=str(house.decks.folder))


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
    """That move, UCI."""
    fen: str
    """Of the position to solve."""
    moves: int
    """Of the solver."""
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
    """Of today."""
    solved: int
    """Of these, those that were right at once."""
    new_today: int
    new_a_day: int
    puzzle: PuzzleShown | None
    """`None` where nothing is left for now."""
    seconds: float | None
    """Until there is something to solve; `None` where there never will be."""


def _shown(deck: Deck) -> DeckShown:
    now = _now()
    counts, day, when = deck.counts(now), deck.day(now), deck.next_time(now)
    puzzle = deck.next(now)
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
        moves=(len(puzzle.solution) + 1) // 2,
        rating=puzzle.rating,
        new=new,
    )


def _now() -> datetime:
    """In the zone of this machine, whose days are those of its person."""
    return datetime.now().astimezone()


class ShowDeck(Question, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="deck"):
    """How a deck stands, and what to solve now."""

    deck: ShortText

    async def answer(self, house: House) -> AsyncGenerator[DeckShown, None]:
        """:raises FoibleError: there is no such deck, or it cannot be read."""
        yield await asyncio.to_thread(house.decks.use, self.deck, _shown)


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

    async def answer(self, house: House) -> AsyncGenerator[MoveTried, None]:
        """:raises FoibleError: there is no such puzzle, or the move is not legal there."""

        def tried(deck: Deck) -> MoveTried:
            verdict = try_move(_puzzle(deck, self.puzzle), self.played, self.move)
            return MoveTried(right=verdict.right, reply=verdict.reply, solved=verdict.solved)

        yield await asyncio.to_thread(house.decks.use, self.deck, tried)


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
    """Of the game, on the web."""


class ShowSolution(Question, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="solution"):
    """The solution of a puzzle, and why it is one."""

    deck: ShortText
    puzzle: ShortText

    async def answer(self, house: House) -> AsyncGenerator[SolutionShown, None]:
        """:raises FoibleError: there is no such puzzle."""
        yield await asyncio.to_thread(house.decks.use, self.deck, lambda deck: _solution(_puzzle(deck, self.puzzle)))


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

    async def answer(self, house: House) -> AsyncGenerator[PuzzleAnswered, None]:
        """:raises FoibleError: there is no such puzzle, or the answer cannot be kept."""

        def kept(deck: Deck) -> PuzzleAnswered:
            found = grade(
                _puzzle(deck, self.puzzle), wrong_moves=self.wrong_moves, shown=self.shown, seconds=self.seconds
            )
            now = _now()
            due = deck.answered(self.puzzle, found, now)
            return PuzzleAnswered(grade=found, days=(due - now).total_seconds() / DAY_SECONDS, deck=_shown(deck))

        yield await asyncio.to_thread(house.decks.use, self.deck, kept)


class DeckMade(Reply, frozen=True, kw_only=True):
    """How far a deck of somebody's games is; see `foible.analysis.puzzles.Making`."""

    positions: int
    total: int
    games: int
    games_given: int
    left_out: int
    puzzles: int
    done: bool
    confirmed_by: str
    """The engine that confirms puzzles; empty where there is none."""


class MakeDeck(Question, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="make_deck"):
    """Find the puzzles of some games, and make a deck of them."""

    name: ShortText
    """Of the deck."""
    pgn: Annotated[str, msgspec.Meta(max_length=LARGEST_GAMES)]
    player: ShortText = ""
    """Whose mistakes are wanted; everybody's where it is empty."""

    async def answer(self, house: House) -> AsyncGenerator[DeckMade, None]:
        """:raises FoibleError: there is no game, nobody of this name, or such a deck already."""
        judge = await house.judge()
        engines = judge.engines if isinstance(judge, UciJudge) else None
        nets = await house.once("nets for puzzles", lambda: _nets(house.workshop.shelf))
        tools = Tools(Looks(nets.judge, SEARCH), Criterion(), engines, nets.human, self.player.strip() or None)
        async with aclosing(house.decks.make(self.name.strip(), self.pgn, tools, nets.resolved)) as steps:
            async for step in steps:
                yield DeckMade(
                    positions=step.positions,
                    total=step.total,
                    games=step.games,
                    games_given=step.games_given,
                    left_out=step.left_out,
                    puzzles=step.puzzles,
                    done=step.done,
                    confirmed_by=engines.name if engines else "",
                )


@dataclass(frozen=True)
class _Nets:
    judge: Evaluator
    human: Mapping[str, Evaluator]
    resolved: Mapping[str, str]


def _nets(shelf: NetShelf) -> _Nets:
    borrowed = BorrowedShelf(shelf)
    return _Nets(borrowed.evaluator(MASTER), human_nets(borrowed), borrowed.resolved())
