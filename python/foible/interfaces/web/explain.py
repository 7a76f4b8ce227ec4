"""What a page asks of positions and games: who would play what, what moves are worth, and where a game turned."""

import asyncio
from collections.abc import AsyncGenerator
from dataclasses import replace
from typing import Annotated

import msgspec

from foible._core import ChessPosition
from foible.analysis.explain import Explanation, explanations, fall, sentence, verdict
from foible.errors import GameFileError, PositionError
from foible.games.chess import positions_along
from foible.games.game_text import read_game_text
from foible.interfaces.web.asking import MOST_PLIES, Line, Question, Rating, Reply
from foible.interfaces.web.shared import RATINGS, Shared
from foible.judges.base import scores
from foible.loop import together

BARS = 6
"""Moves that are shown; the others are one bar."""
JUDGED_AT_ONCE = 8
"""Positions of a game: so many are judged before the page hears of them."""
LARGEST_GAME = 200_000
"""Characters of a game that is pasted."""


class MoveMade(Reply, frozen=True, kw_only=True):
    """A move of a game."""

    uci: str
    san: str
    fen: str
    """The FEN of the position after it."""


class Game(Reply, frozen=True, kw_only=True):
    """A game, or a position without moves."""

    start: str
    """FEN."""
    white: str
    black: str
    result: str
    moves: list[MoveMade]
    games: int
    """Games that were pasted: this is the first of them."""


class ReadGame(Question, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="read_game"):
    """What somebody pasted: a PGN of one game, its moves alone in SAN or UCI, or a FEN."""

    text: Annotated[str, msgspec.Meta(max_length=LARGEST_GAME)]

    async def answer(self, shared: Shared) -> AsyncGenerator[Game, None]:
        """:raises FoibleError: it is none of these; says what is wrong."""
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


class Bar(Reply, frozen=True, kw_only=True):
    """A move, and what share of the players of each rating play it."""

    uci: str
    san: str
    shares: list[float]
    """One for each rating of `Bars`, 0 to 1."""


class BarsOf(Reply, frozen=True, kw_only=True):
    """Who would play what: the moves that some of these players play most, and the rest together."""

    ratings: list[int]
    models: list[str]
    """What foretells the moves of each; where the nearest level that it knows is another, it says so."""
    bars: list[Bar]
    rest: list[float]


class Bars(Question, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="bars"):
    """Who would play what in a position."""

    line: Line

    async def answer(self, shared: Shared) -> AsyncGenerator[BarsOf, None]:
        """:raises PositionError: the game is over there."""
        position = _going_on(self.line)
        models = [await shared.model(rating) for rating in RATINGS]
        found = [shares for (shares,) in await together(model.predict([position]) for model in models)]
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


class ReplyShown(Reply, frozen=True, kw_only=True):
    """What the opponent may reply."""

    uci: str
    san: str
    share: float
    """The share of the players like this opponent, 0 to 1."""
    lost: float
    """Win probability that it gives away; negative where the move before was worse than it looked."""


class CandidateShown(Reply, frozen=True, kw_only=True):
    """One of our moves. Win probabilities, ours, 0 to 1; see `foible.agents.candidates.Candidate`."""

    uci: str
    san: str
    expected: float
    safe: float
    price: float
    gain: float
    trap: float
    affordable: bool
    """Whether it costs little enough to be tried."""
    pawns: float | None
    mate: int | None
    """Moves to mate, ours positive."""
    sentence: str
    replies: list[ReplyShown]


class Explained(Reply, frozen=True, kw_only=True):
    """What our moves are worth here: a draft, and then others that are better."""

    fen: str
    judge: str
    opponent: str
    complete: bool
    verdict: str
    soundest: list[str]
    """UCI: those that are as good as the best."""
    candidates: list[CandidateShown]
    """The move to try first."""


class Explain(Question, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="explain"):
    """What our moves in a position are worth against players of a rating."""

    line: Line
    rating: Rating

    async def answer(self, shared: Shared) -> AsyncGenerator[Explained, None]:
        """:raises PositionError: the game is over there."""
        position = _going_on(self.line)
        model, judge = await shared.model(self.rating), await shared.judge()
        async for found in explanations(position, model, judge):
            yield _explained(found, f"{self.rating}s")


def _explained(found: Explanation, players: str) -> Explained:
    position = found.position
    return Explained(
        fen=position.fen,
        judge=found.judge,
        opponent=found.opponent,
        complete=found.complete,
        verdict=verdict(replace(found, opponent=players)),
        soundest=[candidate.move for candidate in found.soundest],
        candidates=[
            CandidateShown(
                uci=candidate.move,
                san=position.san(candidate.move),
                expected=candidate.expected,
                safe=candidate.safe,
                price=candidate.price,
                gain=candidate.gain,
                trap=candidate.trap_probability,
                affordable=candidate in found.affordable,
                pawns=None if candidate.score.cp is None else candidate.score.cp / 100,
                mate=candidate.score.mate,
                sentence=sentence(found, candidate, players),
                replies=[
                    ReplyShown(
                        uci=reply.move,
                        san=position.play(candidate.move).san(reply.move),
                        share=reply.p,
                        lost=fall(reply, candidate),
                    )
                    for reply in candidate.replies
                ],
            )
            for candidate in found.candidates
        ],
    )


class Judged(Reply, frozen=True, kw_only=True):
    """What some positions of a game are worth."""

    judge: str
    first: int
    """Ply of the first of them: 0 is the start."""
    white: list[float]
    """Win probability of White, 0 to 1, one for each ply from `first` on."""


class Judge(Question, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="judge"):
    """What each position of a game is worth, from the start on."""

    line: Line

    async def answer(self, shared: Shared) -> AsyncGenerator[Judged, None]:
        """As many at a time as are soon known."""
        positions = positions_along(ChessPosition(self.line.start), self.line.moves)
        judge = await shared.judge()
        for first in range(0, len(positions), JUDGED_AT_ONCE):
            some = positions[first : first + JUDGED_AT_ONCE]
            found = await scores(judge, some)
            white = [s.wp if p.turn == "first" else 1 - s.wp for p, s in zip(some, found, strict=True)]
            yield Judged(judge=judge.name, first=first, white=white)
