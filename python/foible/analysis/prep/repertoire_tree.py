"""The positions of our repertoire that a player's games lead to, our moves there, and how the player goes on.

The tree follows what the player played often enough, by whatever order of moves, up to some plies; of our own moves
those that others tried against them and the judge's best, as far as they are safe (opponent-modelling §5.3, §3.1).
"""

from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush
from itertools import count

from foible._core import ChessPosition
from foible.agents.candidates import after_each_move
from foible.agents.expectation import Branch, Judged, LikelyMoves, Moves, Node, grow
from foible.judges.base import Judge, Score
from foible.opponents.base import OpponentModel
from foible.opponents.opening_table import OpeningTable, position_key


@dataclass(frozen=True, slots=True)
class TreeSettings:
    """What is looked at."""

    plies: int = 12
    """How deep our moves go (§5.3)."""
    games: int = 5
    """A position must have come up so often with the player to move."""
    spots: int = 200
    """Positions with us to move, those that came up most."""
    epsilon: float = 0.05
    """ε: win probability that a move of ours may lose against perfect play (§3.1)."""
    width: int = 6
    """Our moves per position: the judge's best, then those that came up most."""
    mass: float = 0.95
    replies: int = 8
    """Replies: the fewest whose probability reaches `mass`, but at most so many (§2.2)."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A move of ours."""

    move: str
    position: ChessPosition
    """After it."""
    score: Score
    """The judge's, for us, of the position after it."""
    games: int
    """How often the player was to move in that position."""
    weight: float
    """The same with each game by its recency; 0 where the own games are not used."""
    node: Node
    """How it goes on: the player's likely moves, whose positions are judged for us."""

    @property
    def worth(self) -> float:
        """V: win probability for us against any reply."""
        return self.score.wp

    @property
    def replies(self) -> list[Branch]:
        """The player's likely moves, most probable first. None where the game is over."""
        return self.node.branches


@dataclass(frozen=True, slots=True)
class Spot:
    """A position with us to move."""

    position: ChessPosition
    reach: float
    """How probable the player's moves on the way are together, if we steer there."""
    best: float
    """V*: the highest V of all legal moves."""
    candidates: list[Candidate]

    @property
    def ply(self) -> int:
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
    """The spots by `position_key`, those that come up most first. `white`: we have White.

    Yields the tree as it grows, some spots at a time, at the end the whole of it: the same dictionary again and again.

    `personal`: the model holds the player's own games; otherwise they weigh nothing beside it.
    """
    spots: dict[int, Spot] = {}
    seen: set[int] = set()
    ties = count()
    waiting: list[tuple[int, int, float, ChessPosition]] = []

    def put_off(games: int, reach: float, position: ChessPosition) -> None:
        if position_key(position) not in seen and len(position.moves) < settings.plies:
            seen.add(position_key(position))
            heappush(waiting, (-games, next(ties), reach, position))

    start = ChessPosition()
    if white:
        put_off(table.support(start), 1.0, start)
    else:
        probabilities = dict(zip(start.legal_moves, (await model.predict([start]))[0].tolist(), strict=True))
        for played in table.played(start):
            if played.games >= settings.games:
                put_off(played.games, probabilities[played.move], start.play(played.move))
    yield spots
    while waiting and len(spots) < settings.spots:
        number = min(_ROUND, settings.spots - len(spots), len(waiting))
        round_ = [heappop(waiting) for _ in range(number)]
        found = [(position, reach) for *_, reach, position in round_]
        for spot in await _spots(found, table, model, judge, settings, personal):
            spots[position_key(spot.position)] = spot
            for candidate in spot.candidates:
                games = {played.move: played.games for played in table.played(candidate.position)}
                for reply in candidate.replies:
                    if games.get(reply.move, 0) >= settings.games and reply.node.position.outcome() is None:
                        put_off(games[reply.move], spot.reach * reply.p, reply.node.position)
        yield spots


_ROUND = 16
"""Spots that are judged together."""


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
            candidates.append(Candidate(move, then, score, table.support(then), weight, Node(then, plan, ours=False)))
        best = max(candidates, key=lambda candidate: candidate.worth)
        tried = [
            candidate
            for candidate in sorted(candidates, key=lambda candidate: -candidate.games)
            if candidate.games >= settings.games
            and best.worth - candidate.worth <= settings.epsilon
            and candidate is not best
        ]
        spots.append(Spot(position, reach, best.worth, [best, *tried[: settings.width - 1]]))
    await grow([candidate.node for spot in spots for candidate in spot.candidates], claim_draws=True)
    return spots
