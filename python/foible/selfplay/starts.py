"""Where the games start."""

from dataclasses import dataclass

from foible.arena.odds import OddsSuite
from foible.arena.openings import STANDARD_SUITE, Opening, OpeningSuite, find_openings, read_openings
from foible.games.odds import find_odds, random_moves
from foible.selfplay.config import OpeningsConfig


@dataclass(frozen=True, slots=True)
class Starts:
    """A book or the standard position, and random moves from there."""

    book: OpeningSuite = STANDARD_SUITE
    random_plies: int = 0
    seed: int = 0

    def of_game(self, game: int) -> Opening:
        """The start of game 0, 1, 2, …; always the same one."""
        opening, lap = self.book.of_pair(game), game // len(self.book.openings)
        moves = random_moves(opening.position(), self.random_plies, self.seed, lap)
        return Opening(opening.fen, (*opening.moves, *moves), opening.name)


@dataclass(frozen=True, slots=True)
class OddsStarts:
    """Odds, given by Black in even games and by White in odd ones."""

    suite: OddsSuite

    def of_game(self, game: int) -> Opening:
        """The start of game 0, 1, 2, …; always the same one."""
        return self.suite.of_game(game // 2, game % 2 + 1)


def make_starts(config: OpeningsConfig, seed: int) -> Starts | OddsStarts:
    """What is drawn depends on the run's `seed`.

    :raises FoibleError: the book cannot be read, or holds positions that are not the odds asked for.
    """
    book = None
    if config.file:
        book = OpeningSuite(read_openings(find_openings(config.file)), config.order, seed)
    if not config.odds:
        return Starts(book or STANDARD_SUITE, config.random_plies, seed)
    suite = OddsSuite(find_odds(config.odds), seed, config.random_plies, book)
    suite.check()
    return OddsStarts(suite)
