"""The tree of positions with us to move that a player's games lead to, our candidates there, and the likely replies.

The tree follows the moves that the player has played often enough, by whatever move order, to a limited depth. Our
candidates are the judge's best move and the moves that others tried against the player, unless these lose too much
(opponent-modelling §5.3, §3.1).
"""

from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush
from itertools import count

from foible._core import ChessPosition
from foible.agents.candidates import after_each_move
from foible.agents.expectation import Branch, Judged, LikelyMoves, Moves, Node, grow
from foible.judges.base import Judge, Score
from foible.opponents.base import OpponentModel, predictions
from foible.opponents.opening_table import OpeningTable, position_key


@dataclass(frozen=True, slots=True)
class TreeSettings:
    """The limits of the tree."""

    plies: int = 12
    """The depth of the tree: our moves are considered within the first so many plies (§5.3)."""
    games: int = 5
    """The fewest of the player's games for a move of ours to be a candidate, and for a reply to be followed."""
    spots: int = 200
    """The most positions with us to move; those that came up most often are taken first."""
    epsilon: float = 0.05
    """ε: the win probability that a move of ours may lose against perfect play (§3.1)."""
    width: int = 6
    """The most candidates per position: the judge's best move, then those that came up most."""
    mass: float = 0.95
    replies: int = 8
    """The player's replies: the fewest that together have the probability `mass`, but at most `replies` (§2.2)."""


@dataclass(frozen=True, slots=True)
class OurMove:
    """A move that we may play."""

    move: str
    position: ChessPosition
    """The position after the move."""
    score: Score
    """The judge's score for us of the position after the move."""
    games: int
    """How often the player was to move in that position."""
    weight: float
    """The same with games weighted by recency; 0 where the player's own games are not used for predictions."""
    node: Node
    """The expectation node of the player's likely replies, whose positions are judged for us."""

    @property
    def worth(self) -> float:
        """The judge's win probability for us after the move; V, which goes a ply deeper, is in `Measures`."""
        return self.score.wp

    @property
    def replies(self) -> list[Branch]:
        """The player's likely replies, most probable first; empty where the game is over."""
        return self.node.branches


@dataclass(frozen=True, slots=True)
class Spot:
    """A position with us to move."""

    position: ChessPosition
    reach: float
    """The probability of getting there if we play for it: the product over the player's moves on the way."""
    candidates: list[OurMove]

    @property
    def ply(self) -> int:
        """The number of moves that lead there, on the way on which it was first found."""
        return len(self.position.moves)


async def grow_tree(
    table: OpeningTable,
    model: OpponentModel,
    judge: Judge,
    *,
    white: bool,
    settings: TreeSettings,
    personal: bool = True,
) -> AsyncGenerator[dict[int, Spot], None]:
    """The spots by `position_key`, those that come up most often first. `white`: whether we have White.

    Yields the tree after every few spots, at the end the whole tree; it is the same dictionary each time.

    `personal`: whether the model uses the player's own games; if not, candidates get the weight 0.
    """
    spots: dict[int, Spot] = {}
    met: set[int] = set()
    ties = count()
    waiting: list[tuple[int, int, float, ChessPosition]] = []

    def put_off(games: int, reach: float, position: ChessPosition) -> None:
        if position_key(position) not in met and len(position.moves) < settings.plies:
            met.add(position_key(position))
            heappush(waiting, (-games, next(ties), reach, position))

    start = ChessPosition()
    if white:
        put_off(table.support(start), 1.0, start)
    else:
        probabilities = dict(zip(start.legal_moves, (await predictions(model, [start]))[0].tolist(), strict=True))
        for played in table.played(start):
            if played.games >= settings.games:
                put_off(played.games, probabilities[played.move], start.play(played.move))
    yield spots
    while waiting and len(spots) < settings.spots:
        number = min(_ROUND, settings.spots - len(spots), len(waiting))
        round_ = [heappop(waiting) for _ in range(number)]
        reached = [(position, reach) for *_, reach, position in round_]
        for spot in await _spots(reached, table, model, judge, settings, personal):
            spots[position_key(spot.position)] = spot
            for candidate in spot.candidates:
                games = {played.move: played.games for played in table.played(candidate.position)}
                for reply in candidate.replies:
                    if games.get(reply.move, 0) >= settings.games and reply.node.position.outcome() is None:
                        put_off(games[reply.move], spot.reach * reply.p, reply.node.position)
        yield spots


_ROUND = 16
"""The number of spots that are judged together."""


async def _spots(
    positions: Sequence[tuple[ChessPosition, float]],
    table: OpeningTable,
    model: OpponentModel,
    judge: Judge,
    settings: TreeSettings,
    personal: bool,
) -> list[Spot]:
    judged = await after_each_move(judge, [position for position, _ in positions])
    plan = Moves(LikelyMoves(model, mass=settings.mass, width=settings.replies), Judged(judge))
    spots = []
    for (position, reach), worths in zip(positions, judged, strict=True):
        candidates = []
        for move, score in worths.items():
            then = position.play(move)
            weight = table.weight(then) if personal else 0.0
            candidates.append(OurMove(move, then, score, table.support(then), weight, Node(then, plan, ours=False)))
        best = max(candidates, key=lambda candidate: candidate.worth)
        tried = [
            candidate
            for candidate in sorted(candidates, key=lambda candidate: -candidate.games)
            if candidate.games >= settings.games
            and best.worth - candidate.worth <= settings.epsilon
            and candidate is not best
        ]
        spots.append(Spot(position, reach, [best, *tried[: settings.width - 1]]))
    await grow([candidate.node for spot in spots for candidate in spot.candidates], claim_draws=True)
    return spots
