"""The ways to pair two teams: standard chess, odds chess and where its games start, tag team, hand and brain."""

from collections.abc import Container, Iterator
from dataclasses import dataclass
from typing import Protocol

import chess

from foible.arena.bitstrings import Bitstrings
from foible.arena.openings import STANDARD_SUITE, Opening, OpeningSuite
from foible.errors import ConfigError, PositionError
from foible.games.odds import Odds, giver_of, mirrored, odds_fen, random_moves
from foible.mistakes import check_object


@dataclass(frozen=True, slots=True)
class OddsSuite:
    """Each game gets a start of its own: the odds position or one of a book, then random moves.

    The two games of a pair differ in who gives: the focal team gives as Black in the first, as White in the second.
    Every position of a book is played once before any comes back, with its colours swapped where the other side gives.
    """

    odds: Odds
    seed: int = 0
    random_plies: int = 0
    """The number of random plies, so that deterministic players do not play one game over and over."""
    book: OpeningSuite | None = None

    def of_game(self, pair: int, game_in_pair: int) -> Opening:
        """The start of a game; the same suite always gives the same one.

        :raises PositionError: in a book's position neither side gives the odds.
        """
        giver = chess.WHITE if game_in_pair == 2 else chess.BLACK
        if self.book is None:
            start = Opening(odds_fen(self.odds, giver))
            lap = pair
        else:
            game = 2 * pair + game_in_pair - 1
            start = self._giving(self.book.of_pair(game), giver)
            lap = game // len(self.book.openings)
        moves = random_moves(start.position(), self.random_plies, self.seed, lap)
        return Opening(start.fen, (*start.moves, *moves), start.name)

    def _giving(self, opening: Opening, giver: chess.Color) -> Opening:
        """The opening, with its colours swapped where otherwise the wrong side would give the odds."""
        position = opening.position()
        if giver_of(position, self.odds) == giver:
            return opening
        return Opening(mirrored(position), (), opening.name)

    def check(self) -> None:
        """Check that every position of the book gives these odds.

        :raises PositionError: one does not; says which.
        """
        for number, opening in enumerate(self.book.openings if self.book else (), 1):
            if opening.chess960:
                raise PositionError(f"opening {number} is a start of Chess960; odds are given in ordinary chess")
            try:
                giver_of(opening.position(), self.odds)
            except PositionError as error:
                raise PositionError(f"opening {number}: {error}") from None


@dataclass(frozen=True, slots=True)
class PlannedGame:
    """A game to be played."""

    pair: int
    game_in_pair: int
    """1 or 2."""
    opening: Opening

    @property
    def number(self) -> int:
        """0, 1, 2, … through the match: the number by which agents identify the game."""
        return 2 * self.pair + self.game_in_pair - 1

    @property
    def focal_white(self) -> bool:
        return self.game_in_pair == 2


class Starts(Protocol):
    """Where games start."""

    def of_game(self, pair: int, game_in_pair: int) -> Opening:
        """The start of a game of pair 0, 1, 2, …; in game 1 the focal team is Black, in game 2 White."""


@dataclass(frozen=True, slots=True)
class Framework:
    """What the games of a match have in common.

    In all frameworks pair k is two games with the colours swapped: in the first the alter team is White, in the second
    the focal team, the one under test (skill-compatible §1.2).
    """

    name: str
    openings: Starts = STANDARD_SUITE
    coins: Bitstrings | None = None

    def schedule(self, pairs: int, finished: Container[int] = ()) -> Iterator[PlannedGame]:
        """The games of pairs 0, 1, 2, … in order, less those that are finished.

        :raises ConfigError: there are fewer bitstrings than pairs.
        """
        if self.coins and pairs > len(self.coins.strings):
            raise ConfigError(f"{pairs} pairs need as many bitstrings, there are {len(self.coins.strings)}")
        for number in range(2 * pairs):
            if number not in finished:
                pair, game_in_pair = number // 2, number % 2 + 1
                yield PlannedGame(pair, game_in_pair, self.openings.of_game(pair, game_in_pair))

    def bits(self, pair: int, plies: int) -> str:
        """The coins of the first `plies` plies of a pair's games; empty where none are thrown."""
        return self.coins.of_pair(pair, plies) if self.coins else ""


def check_is_framework(found: object) -> None:
    """:raises ConfigError: something else than a framework, such as the name of one."""
    check_object(found, Framework, "a framework, such as standard() or tag_team(coins)")


def standard(openings: OpeningSuite = STANDARD_SUITE) -> Framework:
    """Ordinary chess: both games of a pair start from the pair's opening.

    :raises ConfigError: `openings` is no suite of them.
    """
    check_object(openings, OpeningSuite, "openings, such as OpeningSuite(read_openings(find_openings('balanced')))")
    return Framework("standard", openings)


def odds_chess(starts: OddsSuite) -> Framework:
    """The focal team gives the odds in both games of a pair, first as Black, then as White."""
    return Framework(f"{starts.odds.name} odds", starts)


def tag_team(coins: Bitstrings) -> Framework:
    """Both games of a pair start from the standard position and follow the pair's string of coins.

    :raises ConfigError: `coins` are not those of a match.
    """
    check_object(coins, Bitstrings, "the coins of a match, such as Bitstrings.generate(seed)")
    return Framework("tag_team", coins=coins)


def hand_brain() -> Framework:
    """Both games of a pair start from the standard position; what differs is what the hands draw."""
    return Framework("hand_brain")
