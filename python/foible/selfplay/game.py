"""One game in progress: its start, its random numbers, and the rules by which it ends."""

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import IntEnum
from functools import partial

import numpy as np

from foible._core import ChessPosition, RootSummary
from foible.arena.adjudication import Resignation, has_resigned
from foible.arena.frameworks import OddsSuite
from foible.arena.openings import STANDARD_SUITE, Opening, OpeningSuite, find_openings, read_openings
from foible.arena.record import Result
from foible.errors import ConfigError
from foible.games.chess import claimable_draw
from foible.games.odds import find_odds, random_moves
from foible.search.game_tree import GameTree
from foible.search.params import SearchParams
from foible.selfplay.config import SelfplayOpeningsConfig
from foible.selfplay.record import Finished, GameSummary, Ply


@dataclass(frozen=True, slots=True)
class Rules:
    """The rules by which games end."""

    max_plies: int
    claim_draws: bool
    resignation: Resignation | None


@dataclass(slots=True)
class SelfplayGame:
    """A game in progress."""

    number: int
    opening: Opening
    position: ChessPosition
    contempt_visits: int | None
    played_out: bool
    """Whether the game is one in which nobody may resign."""
    values: list[float | None]
    """The mover's own expected score at each ply; `None` at those of the opening."""
    plies: list[Ply] = field(default_factory=list)
    tree: GameTree | None = None
    """The search tree that is kept from move to move, if any."""
    resign_ply: int | None = None
    resign_white: bool | None = None

    @property
    def ply(self) -> int:
        """The number of plies so far, the opening's included."""
        return len(self.values)

    def play(self, ply: Ply, rules: Rules) -> tuple[Result, str] | None:
        """Make a move; the result and the reason if the game is over."""
        white = self.position.turn == "first"
        self.position = self.position.play(ply.move)
        self.plies.append(ply)
        self.values.append(ply.value)
        outcome = self.position.outcome()
        if outcome is not None:
            return outcome.result, outcome.reason
        if rules.claim_draws and (reason := claimable_draw(self.position)):
            return "1/2-1/2", reason
        if rules.resignation and self.resign_ply is None and has_resigned(self.values, rules.resignation):
            self.resign_ply, self.resign_white = self.ply, white
            if not self.played_out:
                return "0-1" if white else "1-0", "resignation"
        return ("1/2-1/2", "max_plies") if self.ply >= rules.max_plies else None

    def finished(self, result: Result, termination: str, seed: int) -> Finished:
        """The record of the game, now that it is over."""
        summary = GameSummary(
            game=self.number,
            result=result,
            termination=termination,
            plies=self.ply,
            opening=self.opening.name,
            start_fen=self.opening.fen,
            opening_moves=list(self.opening.moves),
            contempt_visits=self.contempt_visits,
            seed=seed,
            played_out=self.played_out,
            resign_ply=self.resign_ply,
            resign_white=self.resign_white,
        )
        return Finished(summary, self.plies)


def searched_ply(
    summary: RootSummary, move: str, *, full: bool, temperature: float, params: SearchParams, white: bool
) -> Ply:
    """The record of a move that was chosen after a search."""
    visited = [candidate for candidate in summary.moves if candidate.n]
    chosen = next(candidate for candidate in summary.moves if candidate.move == move)
    worth = params.draw_score if white else -params.draw_score
    balance = summary.q - worth * summary.d
    """Win minus loss."""
    return Ply(
        move,
        moves=[candidate.move for candidate in visited],
        visits=[candidate.n for candidate in visited],
        nodes=summary.n,
        q=summary.q,
        win=max(0.0, (1 - summary.d + balance) / 2),
        draw=summary.d,
        loss=max(0.0, (1 - summary.d - balance) / 2),
        value=(1 + (chosen.q if chosen.n else summary.q)) / 2,
        full=full,
        temperature=temperature,
    )


class For(IntEnum):
    """The purposes for which random numbers are drawn in a game."""

    PLAYOUT = 0
    CONTEMPT = 1
    SEARCH = 2
    CHOICE = 3


def dice(seed: int, game: int, purpose: For, ply: int = 0) -> np.random.Generator:
    """A random generator that depends on these numbers alone, so that no game depends on another."""
    return np.random.default_rng([seed, game, purpose, ply])


OpeningOf = Callable[[int], Opening]
"""Gives the start of game 0, 1, 2, … of a run; always the same one."""


def make_openings(config: SelfplayOpeningsConfig, seed: int) -> OpeningOf:
    """The starts of games by the configuration. Random choices depend on the run's `seed`.

    Odds are given by Black in games 0, 2, 4, … and by White in the others.

    :raises FoibleError: the book cannot be read, or holds positions that are not the odds asked for.
    """
    book = None
    if config.file:
        book = OpeningSuite(read_openings(find_openings(config.file), plies=config.plies), config.order, seed)
        if number := next((n for n, one in enumerate(book.openings, 1) if one.chess960), None):
            raise ConfigError(f"{config.file}: opening {number} is a start of Chess960; self-play is ordinary chess")
    if not config.odds:
        return partial(_with_random_moves, book or STANDARD_SUITE, config.random_plies, seed)
    suite = OddsSuite(find_odds(config.odds), seed, config.random_plies, book)
    suite.check()
    return lambda game: suite.of_game(game // 2, game % 2 + 1)


def _with_random_moves(book: OpeningSuite, plies: int, seed: int, game: int) -> Opening:
    """The opening of a game from a book, and then random plies, others each time that the opening comes back."""
    opening, lap = book.of_pair(game), game // len(book.openings)
    moves = random_moves(opening.position(), plies, seed, lap)
    return Opening(opening.fen, (*opening.moves, *moves), opening.name)
