"""The lines worth knowing against a player, best first."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from foible._core import ChessPosition
from foible.analysis.prep.move_measures import Measures
from foible.analysis.prep.repertoire_tree import Candidate, Spot
from foible.judges.base import Judge, scores
from foible.opponents.base import OpponentModel
from foible.opponents.opening_table import OpeningTable, position_key
from foible.opponents.player import local_trust


@dataclass(frozen=True, slots=True)
class Reply:
    """A move of the player."""

    move: str
    """UCI."""
    san: str
    p: float
    """How probable it is."""
    worth: float
    """Win probability for us after it."""
    games: int
    """In which the player played it."""


@dataclass(frozen=True, slots=True)
class Line:
    """Moves that lead to a position in which the player is to move, the last one ours."""

    white: bool
    """We have White."""
    moves: tuple[str, ...]
    """UCI, from the start position."""
    san: tuple[str, ...]
    losses: tuple[float | None, ...]
    """Per move of `moves` the win probability that it gave away, in the judge's view; `None` where that is not known:
    the player's first move as White."""
    measures: Measures
    games: int
    """The player's games that came to that position, by whatever way."""
    reach: float
    """How probable it is to come there if we play for it."""
    trust: float
    """λ: how far the player's own games decide what is expected there (opponent-modelling §3.4)."""
    replies: tuple[Reply, ...]
    """The likely ones, most probable first."""
    strongest: Reply | None
    """The reply that we must know. `None` where the game is over, and where nobody has looked for it yet."""

    @property
    def text(self) -> str:
        """`1.e4 c5 2.Nf3`."""
        return numbered(self.san)

    @property
    def position(self) -> ChessPosition:
        return ChessPosition(None, self.moves)


def numbered(san: Sequence[str]) -> str:
    """Moves from the start position with their numbers."""
    return " ".join(f"{ply // 2 + 1}.{move}" if ply % 2 == 0 else move for ply, move in enumerate(san))


def san_of(moves: Sequence[str]) -> tuple[str, ...]:
    """Moves from the start position, UCI to SAN."""
    position, found = ChessPosition(), []
    for move in moves:
        found.append(position.san(move))
        position = position.play(move)
    return tuple(found)


def best_lines(
    spots: Mapping[int, Spot],
    measured: Mapping[int, Sequence[Measures]],
    table: OpeningTable,
    *,
    white: bool,
    games: int,
    most: int,
) -> tuple[Line, ...]:
    """Ranked by how far the lower end of the interval of E lies above V*: few games give a wide one (§5.4).

    From each position the best move with `games` games behind it; of lines that go on from one another only the best.
    Their strongest replies `with_strongest` finds.
    """
    ranked: list[tuple[Candidate, Measures, Spot]] = []
    for key, spot in spots.items():
        supported = [pair for pair in zip(spot.candidates, measured[key], strict=True) if pair[0].games >= games]
        if supported:
            ranked.append((*max(supported, key=lambda pair: pair[1].surplus), spot))
    ranked.sort(key=lambda entry: -entry[1].surplus)
    kept: list[tuple[Candidate, Measures, Spot]] = []
    for entry in ranked:
        moves = entry[0].position.moves
        if len(kept) < most and not any(_go_on(moves, other.position.moves) for other, _, _ in kept):
            kept.append(entry)
    return tuple(
        Line(
            white=white,
            moves=tuple(candidate.position.moves),
            san=san_of(candidate.position.moves),
            losses=_losses(candidate.position.moves, spots, white=white),
            measures=measures,
            games=candidate.games,
            reach=spot.reach,
            trust=local_trust(candidate.weight),
            replies=_likely_replies(candidate, table),
            strongest=None,
        )
        for candidate, measures, spot in kept
    )


def _likely_replies(candidate: Candidate, table: OpeningTable) -> tuple[Reply, ...]:
    games = _games_by_move(table, candidate.position)
    return tuple(
        Reply(one.move, candidate.position.san(one.move), one.p, one.node.score.wp, games.get(one.move, 0))
        for one in candidate.replies
        if one.node.score
    )


def _games_by_move(table: OpeningTable, position: ChessPosition) -> dict[str, int]:
    return {played.move: played.games for played in table.played(position)}


def _losses(moves: Sequence[str], spots: Mapping[int, Spot], *, white: bool) -> tuple[float | None, ...]:
    """A move of ours loses V* − V there; one of the player's what V* gains on the V before it, at least nothing."""
    position, losses = ChessPosition(), list[float | None]()
    before: float | None = None
    for move in moves:
        if (position.turn == "first") == white:
            spot = spots[position_key(position)]
            worth = next(candidate.worth for candidate in spot.candidates if candidate.move == move)
            if losses and before is not None:
                losses[-1] = max(0.0, spot.best - before)
            losses.append(spot.best - worth)
            before = worth
        else:
            losses.append(None)
        position = position.play(move)
    return tuple(losses)


def _go_on(moves: Sequence[str], others: Sequence[str]) -> bool:
    """Whether one begins with the other."""
    shared = min(len(moves), len(others))
    return moves[:shared] == others[:shared]


async def with_strongest(
    lines: Sequence[Line], table: OpeningTable, model: OpponentModel, judge: Judge
) -> tuple[Line, ...]:
    """The lines with the reply to each that is best for the player: it may be a move that they never found.

    Every legal reply is judged, and the likely ones with them, so that all are compared in one view.
    """
    alive = [line.position for line in lines if line.replies]
    distributions = iter(await model.predict(alive) if alive else [])
    after = [position.play(move) for position in alive for move in position.legal_moves]
    worths = iter([score.wp for score in await scores(judge, after, claim_draws=True)])
    found = []
    for line in lines:
        if not line.replies:
            found.append(line)
            continue
        position = line.position
        games = _games_by_move(table, position)
        legal = zip(position.legal_moves, next(distributions).tolist(), strict=True)
        replies = {move: Reply(move, position.san(move), p, next(worths), games.get(move, 0)) for move, p in legal}
        strongest = min(replies.values(), key=lambda reply: reply.worth)
        found.append(replace(line, replies=tuple(replies[reply.move] for reply in line.replies), strongest=strongest))
    return tuple(found)
