"""Who scored what against whom in games that any program has played and written as PGN."""

from collections import defaultdict, deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from foible.arena.standings import Standings, standings_of
from foible.arena.stats import Tally
from foible.games.pgn import WHITE_POINTS, PgnGame


@dataclass(frozen=True, slots=True)
class Encounter:
    """All games between two players, seen by the first one."""

    games: Tally
    """Its scores, game by game."""
    pairs: Tally
    """Its scores in pairs of games with colours swapped; games without a counterpart are missing."""

    @property
    def in_pairs(self) -> bool:
        """Whether every game has its counterpart."""
        return 2 * self.pairs.n == self.games.n

    @property
    def scores(self) -> Tally:
        """The tally that tells how sure the result is: that of the pairs, as their games are alike, or of the games."""
        return self.pairs if self.in_pairs else self.games


@dataclass(frozen=True, slots=True)
class Encounters:
    """The results of PGN games."""

    met: Mapping[tuple[str, str], Encounter]
    """By (first, second) player, in the order in which they met; the first had White in their first game."""
    left_out: int
    """The number of games that tell nothing: they have no result, or their players have the same name or none."""

    @property
    def standings(self) -> Standings | None:
        """Where all players stand; `None` where fewer than three players played."""
        return standings_of({two: (encounter.games, encounter.scores) for two, encounter in self.met.items()})


class _Played(NamedTuple):
    """A game between two players."""

    first_is_white: bool
    score: float
    """The first player's, 0 to 1."""
    round: str
    start: str | None


def encounters(games: Iterable[PgnGame]) -> Encounters:
    """Count who scored what against whom.

    Two games between the same players are a pair where colours are swapped and both have the same starting position and
    the same round, of which only what stands before a dot counts: match programs number pairs so. Where rounds join no
    games of two players, as when each game has its own, they do not count, and games are paired in their order.
    """
    played: dict[tuple[str, str], list[_Played]] = defaultdict(list)
    left_out = 0
    for game in games:
        white, black = (game.tags.get(tag, "?") for tag in ("White", "Black"))
        if game.result == "*" or white == black:
            left_out += 1
            continue
        first_is_white = (black, white) not in played
        points = WHITE_POINTS[game.result]
        number = game.tags.get("Round", "?").partition(".")[0]
        played[(white, black) if first_is_white else (black, white)].append(
            _Played(first_is_white, points if first_is_white else 1 - points, number, game.start_fen)
        )
    return Encounters({two: _encounter(found) for two, found in played.items()}, left_out)


def _encounter(played: Sequence[_Played]) -> Encounter:
    pairs = _pairs(played) or _pairs([game._replace(round="?") for game in played])
    counts = (sum(game.score == score for game in played) for score in (1.0, 0.5, 0.0))
    return Encounter(Tally.of_games(*counts), Tally.of_pairs(pairs))


def _pairs(played: Sequence[_Played]) -> list[tuple[float, float]]:
    """The scores of the first player in pairs of games."""
    waiting: dict[tuple[bool, str, str | None], deque[float]] = defaultdict(deque)
    pairs = []
    for game in played:
        counterparts = waiting[not game.first_is_white, game.round, game.start]
        if counterparts:
            pairs.append((counterparts.popleft(), game.score))
        else:
            waiting[game.first_is_white, game.round, game.start].append(game.score)
    return pairs
