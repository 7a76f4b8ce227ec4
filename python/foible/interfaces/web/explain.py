"""Questions on positions and games: what players of each rating would play, and what moves and positions are worth."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import replace
from typing import Annotated

import msgspec

from foible._core import ChessPosition
from foible.analysis.explain import Explanation, explanations, sentence, verdict
from foible.errors import GameFileError, PositionError
from foible.games.chess import positions_along
from foible.games.pgn import read_game_text
from foible.interfaces.web.protocol import MOST_PLIES, Line, PageQuestion, PageReply, Rating
from foible.interfaces.web.shared import RATINGS, Shared
from foible.judges.base import scores
from foible.loop import together
from foible.opponents.base import predictions

BARS = 6
"""The number of moves with a bar of their own; all others share one."""
JUDGED_AT_ONCE = 8
"""The number of positions of a game that are judged for one reply."""
LARGEST_GAME = 200_000
"""The most characters of a pasted game."""


class MoveMade(PageReply, frozen=True, kw_only=True):
    """A move of a game."""

    uci: str
    san: str
    fen: str
    """The FEN of the position after it."""


class Game(PageReply, frozen=True, kw_only=True):
    """A game, or a position without moves."""

    start: str
    """The FEN of the start."""
    white: str
    black: str
    result: str
    moves: list[MoveMade]
    games: int
    """The number of games that were pasted: this is the first of them."""


class ReadGame(PageQuestion, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="read_game"):
    """Read what somebody pasted: a game as PGN, its moves alone in SAN or UCI, or a FEN."""

    text: Annotated[str, msgspec.Meta(max_length=LARGEST_GAME)]

    async def answer(self, shared: Shared) -> AsyncGenerator[Game, None]:
        """:raises FoibleError: the text is none of these; says what is wrong."""
        yield await asyncio.to_thread(_shown, self.text)


def _shown(text: str) -> Game:
    game = read_game_text(text)
    if len(game.moves) > MOST_PLIES:
        raise GameFileError(f"a game of {len(game.moves)} plies; expected at most {MOST_PLIES}")
    if game.start.chess960:
        raise GameFileError("this is Chess960, which is not explained here; expected a game from the usual start")
    position, made = game.start, []
    for move in game.moves:
        san, position = position.san(move), position.play(move)
        made.append(MoveMade(uci=move, san=san, fen=position.fen))
    white, black = (game.tags.get(side, "") for side in ("White", "Black"))
    return Game(start=game.start.fen, white=white, black=black, result=game.result, moves=made, games=game.games)


class Bar(PageReply, frozen=True, kw_only=True):
    """A move, and the share of the players of each rating who play it."""

    uci: str
    san: str
    shares: list[float]
    """One share for each of the ratings of `BarsOf`, 0 to 1."""


class BarsOf(PageReply, frozen=True, kw_only=True):
    """The shares of players of each rating who play each of the most popular moves, and all other moves together."""

    ratings: list[int]
    models: list[str]
    """The name of the model for each rating; it says so where the model's nearest level is another one."""
    bars: list[Bar]
    rest: list[float]


class Bars(PageQuestion, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="bars"):
    """Predict what players of each rating would play in a position."""

    line: Line

    async def answer(self, shared: Shared) -> AsyncGenerator[BarsOf, None]:
        """:raises PositionError: the game is over there."""
        position = _going_on(self.line)
        models = [await shared.model(rating) for rating in RATINGS]
        found = [shares for (shares,) in await together(predictions(model, [position]) for model in models)]
        moves = position.legal_moves
        ranked = sorted(range(len(moves)), key=lambda move: -max(shares[move] for shares in found))
        yield BarsOf(
            ratings=list(RATINGS),
            models=[model.name for model in models],
            bars=[
                Bar(uci=moves[move], san=position.san(moves[move]), shares=[float(shares[move]) for shares in found])
                for move in ranked[:BARS]
            ],
            rest=[float(sum(shares[move] for move in ranked[BARS:])) for shares in found],
        )


def _going_on(line: Line) -> ChessPosition:
    position = line.position
    if position.outcome() is not None:
        raise PositionError("the game is over here: there are no moves to look at")
    return position


class ReplyShown(PageReply, frozen=True, kw_only=True):
    """A possible reply of the opponent."""

    uci: str
    san: str
    p: float
    """The share of players like this opponent who play it, 0 to 1."""
    loss: float
    """The win probability that the reply gives away, at least 0."""


class CandidateShown(PageReply, frozen=True, kw_only=True):
    """One of our moves, with our win probabilities, 0 to 1; see `foible.agents.candidates.Candidate`."""

    uci: str
    san: str
    expected: float
    safe: float
    price: float
    gain: float
    trap_probability: float
    affordable: bool
    """Whether the move costs little enough to be tried."""
    pawns: float | None
    mate: int | None
    """The number of moves to mate, positive where we mate."""
    sentence: str
    replies: list[ReplyShown]


class Explained(PageReply, frozen=True, kw_only=True):
    """What our moves in a position are worth: each reply is better than the one before, the last one is complete."""

    fen: str
    judge: str
    opponent: str
    complete: bool
    verdict: str
    soundest: list[str]
    """The moves that are as good as the best, in UCI."""
    candidates: list[CandidateShown]
    """The move to try first."""


class Explain(PageQuestion, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="explain"):
    """Explain what our moves in a position are worth against players of a rating."""

    line: Line
    rating: Rating

    async def answer(self, shared: Shared) -> AsyncGenerator[Explained, None]:
        """:raises PositionError: the game is over there."""
        position = _going_on(self.line)
        model, judge = await shared.model(self.rating), await shared.judge()
        async with aclosing(explanations(position, model, judge)) as steps:
            async for explanation in steps:
                yield _explained(explanation, f"{self.rating}s")


def _explained(explanation: Explanation, players: str) -> Explained:
    position = explanation.position
    return Explained(
        fen=position.fen,
        judge=explanation.judge,
        opponent=explanation.opponent,
        complete=explanation.complete,
        verdict=verdict(replace(explanation, opponent=players)),
        soundest=[candidate.move for candidate in explanation.soundest],
        candidates=[
            CandidateShown(
                uci=candidate.move,
                san=position.san(candidate.move),
                expected=candidate.expected,
                safe=candidate.safe,
                price=candidate.price,
                gain=candidate.gain,
                trap_probability=candidate.trap_probability,
                affordable=candidate in explanation.affordable,
                pawns=None if candidate.score.cp is None else candidate.score.cp / 100,
                mate=candidate.score.mate,
                sentence=sentence(explanation, candidate, players),
                replies=[
                    ReplyShown(
                        uci=reply.move,
                        san=position.play(candidate.move).san(reply.move),
                        p=reply.p,
                        loss=reply.loss,
                    )
                    for reply in candidate.replies
                ],
            )
            for candidate in explanation.candidates
        ],
    )


class Judged(PageReply, frozen=True, kw_only=True):
    """The values of some consecutive positions of a game."""

    judge: str
    first: int
    """The ply of the first of the positions; 0 is the start."""
    white: list[float]
    """White's win probability, 0 to 1, at each ply from `first` on."""


class Judge(PageQuestion, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="judge"):
    """Judge each position of a game, from the start on."""

    line: Line

    async def answer(self, shared: Shared) -> AsyncGenerator[Judged, None]:
        """Each reply has the next few positions, so that the first come soon."""
        positions = positions_along(ChessPosition(self.line.start), self.line.moves)
        judge = await shared.judge()
        for first in range(0, len(positions), JUDGED_AT_ONCE):
            some = positions[first : first + JUDGED_AT_ONCE]
            found = await scores(judge, some)
            white = [s.wp if p.turn == "first" else 1 - s.wp for p, s in zip(some, found, strict=True)]
            yield Judged(judge=judge.name, first=first, white=white)
