"""Where the games of an odds match start: the team under test gives the odds, with White and with Black in turn."""

from dataclasses import dataclass

import chess

from foible.arena.openings import Opening, OpeningSuite
from foible.errors import PositionError
from foible.games.odds import Odds, giver_of, mirrored, odds_fen, random_moves


@dataclass(frozen=True, slots=True)
class OddsSuite:
    """Each game gets a start of its own: the odds position or one of a book, then random moves.

    The two games of a pair differ in who gives: the focal team gives as Black in the first, as White in the second.
    Every position of a book is played once before any comes back, with its colours swapped where the other side gives.
    """

    odds: Odds
    seed: int = 0
    random_plies: int = 0
    """So that players without chance of their own do not play one game over and over."""
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
        """The opening with the colours as they must be."""
        position = opening.position()
        if giver_of(position, self.odds) == giver:
            return opening
        return Opening(mirrored(position), (), opening.name)

    def check(self) -> None:
        """:raises PositionError: a position of the book is no such odds; says which."""
        for number, opening in enumerate(self.book.openings if self.book else (), 1):
            try:
                giver_of(opening.position(), self.odds)
            except PositionError as error:
                raise PositionError(f"opening {number}: {error}") from None
