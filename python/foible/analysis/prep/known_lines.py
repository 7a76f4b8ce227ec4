"""The lines worth knowing against a player, best first."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from foible._core import ChessPosition
from foible.analysis.prep.move_measures import Measures
from foible.analysis.prep.repertoire_tree import OurMove, Spot
from foible.games.pgn import score_sheet
from foible.judges.base import Judge, scores
from foible.opponents.base import OpponentModel, predictions
from foible.opponents.opening_table import KAPPA, OpeningTable, local_trust, position_key
from foible.wording import mark


@dataclass(frozen=True, slots=True)
class KnownReply:
    """A move of the player."""

    move: str
    """The move in UCI."""
    san: str
    p: float
    """The probability that the player chooses it."""
    value: float
    """Our win probability after it."""
    games: int
    """The number of games in which the player played it."""
    loss: float | None
    """The win probability that it gives away compared with the best reply; `None` until all replies are judged."""


@dataclass(frozen=True, slots=True)
class KnownLine:
    """A line that ends with a move of ours, so that the player is to move, with what is known of that position."""

    white: bool
    """Whether we have White."""
    moves: tuple[str, ...]
    """The moves in UCI, from the start position."""
    san: tuple[str, ...]
    losses: tuple[float | None, ...]
    """For each of `moves`, the win probability that it gave away compared with the best move, by the judge; `None` for
    the player's moves until all replies are judged."""
    measures: Measures
    games: int
    """The number of the player's games that reached the final position, by whatever move order."""
    reach: float
    """The probability that the game gets there if we play for it."""
    trust: float
    """λ: the weight of the player's own games, against the base model, in the prediction (opponent-modelling §3.4)."""
    replies: tuple[KnownReply, ...]
    """The player's likely replies, most probable first."""
    strongest: KnownReply | None
    """The reply that we must know. `None` where the game is over, and until all replies are judged."""

    @property
    def text(self) -> str:
        """The moves in SAN with numbers: `1.e4 c5 2.Nf3`."""
        return " ".join(score_sheet(self.san))

    @property
    def position(self) -> ChessPosition:
        """The position after the last move, in which the player is to move."""
        return ChessPosition(None, self.moves)

    @property
    def mistake(self) -> KnownReply | None:
        """The likeliest reply that loses so much that it is marked.

        `None` where no likely one does, and until all replies are judged.
        """
        return next((reply for reply in self.replies if mark(reply.loss or 0.0)), None)


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
    kappa: float = KAPPA,
) -> tuple[KnownLine, ...]:
    """The best lines, ranked by how far the lower end of E's interval, wide where games are few, lies above V* (§5.4).

    Each position contributes its best move among those with at least `games` games behind them; where one line
    continues another, only the better of the two is kept. The losses of the player's moves and the strongest replies
    are left to `with_every_reply`. `kappa`: κ of the player's model.
    """
    ranked: list[tuple[OurMove, Measures, Spot]] = []
    for key, spot in spots.items():
        supported = [pair for pair in zip(spot.candidates, measured[key], strict=True) if pair[0].games >= games]
        if supported:
            ranked.append((*max(supported, key=lambda pair: pair[1].surplus), spot))
    ranked.sort(key=lambda entry: -entry[1].surplus)
    kept: list[tuple[OurMove, Measures, Spot]] = []
    for entry in ranked:
        moves = entry[0].position.moves
        if len(kept) < most and not any(_go_on(moves, other.position.moves) for other, _, _ in kept):
            kept.append(entry)
    return tuple(
        KnownLine(
            white=white,
            moves=tuple(candidate.position.moves),
            san=san_of(candidate.position.moves),
            losses=_losses(candidate.position.moves, spots, measured, white=white),
            measures=measures,
            games=candidate.games,
            reach=spot.reach,
            trust=local_trust(candidate.weight, kappa),
            replies=_likely_replies(candidate, table),
            strongest=None,
        )
        for candidate, measures, spot in kept
    )


def _likely_replies(candidate: OurMove, table: OpeningTable) -> tuple[KnownReply, ...]:
    games = _games_by_move(table, candidate.position)
    return tuple(
        KnownReply(one.move, candidate.position.san(one.move), one.p, one.node.score.wp, games.get(one.move, 0), None)
        for one in candidate.replies
        if one.node.score
    )


def _games_by_move(table: OpeningTable, position: ChessPosition) -> dict[str, int]:
    return {played.move: played.games for played in table.played(position)}


def _losses(
    moves: Sequence[str], spots: Mapping[int, Spot], measured: Mapping[int, Sequence[Measures]], *, white: bool
) -> tuple[float | None, ...]:
    """The losses of our moves, V* − V; `None` for the player's."""
    position, losses = ChessPosition(), list[float | None]()
    for move in moves:
        loss = None
        if (position.turn == "first") == white:
            key = position_key(position)
            ours = [candidate.move for candidate in spots[key].candidates]
            loss = measured[key][ours.index(move)].price
        losses.append(loss)
        position = position.play(move)
    return tuple(losses)


def _go_on(moves: Sequence[str], others: Sequence[str]) -> bool:
    """Whether one of the two lines is the beginning of the other."""
    shared = min(len(moves), len(others))
    return moves[:shared] == others[:shared]


async def with_every_reply(
    lines: Sequence[KnownLine], table: OpeningTable, model: OpponentModel, judge: Judge
) -> tuple[KnownLine, ...]:
    """The lines, completed with the losses of the player's moves and the strongest reply, perhaps one never played.

    Wherever the player is to move, every legal move is judged, and the losses are relative to the best of them. The
    judge's value of the position before the move would not do: the two may be inconsistent, so that even the best move
    would look like a mistake, or none would.
    """
    ends = {line.moves: line.position for line in lines if line.replies}
    on_the_way = {moves: ChessPosition(None, moves) for line in lines for moves in _turns_of_the_player(line)}
    worths = await _worths_after({**on_the_way, **ends}, judge)
    distributions = dict(zip(ends, await predictions(model, list(ends.values())) if ends else (), strict=True))
    completed = []
    for line in lines:
        losses, replies = _all_losses(line, worths), dict[str, KnownReply]()
        if line.replies:
            position, games = ends[line.moves], _games_by_move(table, ends[line.moves])
            after, best = worths[line.moves], min(worths[line.moves].values())
            for move, p in zip(position.legal_moves, distributions[line.moves].tolist(), strict=True):
                worth = after[move]
                replies[move] = KnownReply(move, position.san(move), p, worth, games.get(move, 0), worth - best)
        likely = tuple(replies[reply.move] for reply in line.replies)
        strongest = min(replies.values(), key=lambda reply: reply.value, default=None)
        completed.append(replace(line, losses=losses, replies=likely, strongest=strongest))
    return tuple(completed)


_Moves = tuple[str, ...]
"""The moves that lead to a position."""


def _turns_of_the_player(line: KnownLine) -> list[_Moves]:
    return [line.moves[:ply] for ply in range(int(line.white), len(line.moves), 2)]


def _all_losses(line: KnownLine, worths: Mapping[_Moves, Mapping[str, float]]) -> tuple[float | None, ...]:
    losses = list(line.losses)
    for moves in _turns_of_the_player(line):
        after, played = worths[moves], line.moves[len(moves)]
        losses[len(moves)] = after[played] - min(after.values())
    return tuple(losses)


async def _worths_after(positions: Mapping[_Moves, ChessPosition], judge: Judge) -> dict[_Moves, dict[str, float]]:
    """For every position, which has the player to move, our win probability after each legal move."""
    after = [(key, move, position.play(move)) for key, position in positions.items() for move in position.legal_moves]
    judged = await scores(judge, [position for _, _, position in after], claim_draws=True)
    found: dict[_Moves, dict[str, float]] = {key: {} for key in positions}
    for (key, move, _), score in zip(after, judged, strict=True):
        found[key][move] = score.wp
    return found
