"""The questions by which a page has a deck of puzzles made from games. A deck is made even if its page is closed."""

import time
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from dataclasses import dataclass
from typing import Annotated

import msgspec

from foible.analysis.puzzles.criterion import Criterion, Looks
from foible.analysis.puzzles.difficulty import human_nets
from foible.analysis.puzzles.mining import SEARCH
from foible.analysis.puzzles.mining_stages import Tools
from foible.errors import ConfigError, FoibleError
from foible.interfaces.web.protocol import PageQuestion, PageReply, ShortText
from foible.interfaces.web.shared import Shared
from foible.judges.engine import UciJudge
from foible.nets.choices import MASTER
from foible.nets.evaluator import Evaluator
from foible.nets.shelf import BorrowedShelf, NetShelf

LARGEST_GAMES = 900_000
"""The most characters of the games from which a deck is made."""


class DeckMade(PageReply, frozen=True, kw_only=True):
    """The progress of making a deck; see `foible.analysis.puzzles.Making`."""

    name: str
    """The name of the deck."""
    positions: int
    total: int
    games: int
    games_given: int
    left_out: int
    puzzles: int
    done: bool
    seconds: float
    """The seconds since the making began."""
    confirmed_by: str
    """The engine that confirms puzzles; empty where there is none."""


class MakeDeck(PageQuestion, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="make_deck"):
    """Find puzzles in games, and make a deck of them. It is answered once that has begun; `WatchMaking` follows it."""

    name: ShortText
    """The name of the deck."""
    pgn: Annotated[str, msgspec.Meta(max_length=LARGEST_GAMES)]
    player: ShortText = ""
    """The player from whose mistakes puzzles are made; all players' where it is empty."""

    async def answer(self, shared: Shared) -> AsyncGenerator[DeckMade, None]:
        """:raises FoibleError: there is no game, nobody of this name, such a deck already, or one is being made."""
        making = shared.decks.begin(self._steps(shared))
        async with aclosing(making.steps()) as steps:
            try:
                first = await anext(steps, None)
            except FoibleError:  # a question that comes later must not get this error
                await shared.decks.stop_making()
                raise
        if first is None:
            raise ConfigError("the making of this deck was stopped before it began")
        yield first

    async def _steps(self, shared: Shared) -> AsyncGenerator[DeckMade, None]:
        began = time.monotonic()
        judge = await shared.judge()
        engines = judge.engines if isinstance(judge, UciJudge) else None
        nets = await shared.once("nets for puzzles", lambda: _nets(shared.builder.shelf))
        tools = Tools(Looks(nets.judge, SEARCH), Criterion(), engines, nets.human, self.player.strip() or None)
        async with aclosing(shared.decks.make(self.name.strip(), self.pgn, tools, nets.resolved)) as steps:
            async for step in steps:
                yield DeckMade(
                    name=self.name.strip(),
                    positions=step.positions,
                    total=step.total,
                    games=step.games,
                    games_given=step.games_given,
                    left_out=step.left_out,
                    puzzles=step.puzzles,
                    done=step.done,
                    seconds=time.monotonic() - began,
                    confirmed_by=engines.name if engines else "",
                )


class WatchMaking(PageQuestion, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="watch_making"):
    """Follow the making of the current or last deck, until it is done or stopped."""

    async def answer(self, shared: Shared) -> AsyncGenerator[DeckMade, None]:
        """No reply where no deck has been made.

        :raises FoibleError: the making failed.
        """
        if shared.decks.making is not None:
            async with aclosing(shared.decks.making.steps()) as steps:
                async for step in steps:
                    yield step


class MakingStopped(PageReply, frozen=True, kw_only=True):
    """The confirmation that no deck is being made any more."""


class StopMaking(PageQuestion, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="stop_making"):
    """Stop making a deck and discard it; one that is done is kept, but `WatchMaking` no longer reports it."""

    async def answer(self, shared: Shared) -> AsyncGenerator[MakingStopped, None]:
        await shared.decks.stop_making()
        yield MakingStopped()


@dataclass(frozen=True)
class _Nets:
    judge: Evaluator
    human: Mapping[str, Evaluator]
    resolved: Mapping[str, str]


def _nets(shelf: NetShelf) -> _Nets:
    borrowed = BorrowedShelf(shelf)
    return _Nets(borrowed.evaluator(MASTER), human_nets(borrowed), borrowed.resolved())
