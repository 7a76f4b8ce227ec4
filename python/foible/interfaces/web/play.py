"""Questions on a game: watch it, move, resign and the like, and export it."""

from collections.abc import AsyncGenerator
from typing import Literal

from foible._core import ChessPosition
from foible.agents.base import Decision
from foible.agents.human import allowed_moves, movable_pieces
from foible.arena.session import Colour, GameSession
from foible.interfaces.web.cast import Setup
from foible.interfaces.web.games import GameId
from foible.interfaces.web.open_game import OpenGame
from foible.interfaces.web.protocol import Number, PageQuestion, PageReply, ShortText
from foible.interfaces.web.shared import Shared


class MoveShown(PageReply, frozen=True, kw_only=True):
    """A move of a game, with who chose it and why."""

    uci: str
    san: str
    fen: str
    """The FEN of the position after it."""
    by: Literal["you", "helper", "opponent", ""]
    """Who made the move; empty for a move that the game started with."""
    named: str
    """The type of piece that the brain named: P, N, B, R, Q or K; empty where there is no brain."""
    wish: str
    """The move, in SAN, that the brain would have made; empty where it named a type alone."""
    value: float | None
    """The win probability that its player expected, 0 to 1."""


class GameView(PageReply, frozen=True, kw_only=True):
    """The state of a game."""

    start: str
    """The FEN of the start."""
    moves: list[MoveShown]
    ply: int
    white: str
    black: str
    you: Colour
    setup: Setup
    to_move: Colour
    wanted: Literal["move", "piece", ""]
    """What the person is asked for; empty while others think, and after the end."""
    named: str
    """The type of piece that the person must move; empty where any may move."""
    choices: list[str]
    """The valid answers: moves in UCI, or types of pieces."""
    result: str
    termination: str
    """How the game ended; empty while it goes on."""
    draw_offered: bool
    """Whether the opponent offers a draw."""
    failure: str
    """Why the game does not go on, or cannot be saved; empty where all is well."""
    seconds: dict[Colour, float] | None
    """The seconds on the clocks of White and Black; null for a game without clocks."""
    running: Colour | None


class WatchGame(PageQuestion, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="watch_game"):
    """Watch a game: its state now, and whenever it changes. The game goes on only while somebody watches it."""

    id: GameId

    async def answer(self, shared: Shared) -> AsyncGenerator[GameView, None]:
        """:raises ConfigError: there is no such game."""
        async with shared.games.use(self.id) as game:
            game.play_on()
            async for _ in game.changes():
                yield view_of(game)


def view_of(game: OpenGame) -> GameView:
    """The state of a game, as the page shows it."""
    session, setup = game.session, game.setup
    question, ending = session.question, session.ending
    moves = _moves(session, setup)
    choices: list[str] = []
    if question is not None:
        choices = movable_pieces(session.position) if question.wanted == "piece" else list(allowed_moves(question))
    return GameView(
        start=session.position.start_fen,
        moves=moves,
        ply=session.ply,
        white=session.teams["white"].name,
        black=session.teams["black"].name,
        you=setup.colour,
        setup=setup,
        to_move=session.to_move,
        wanted=question.wanted if question else "",
        named=question.named if question else "",
        choices=choices,
        result=ending.result if ending else "*",
        termination=ending.termination if ending else "",
        draw_offered=ending is None and session.draw_offer not in (None, setup.colour),
        failure=game.failure,
        seconds=None if game.clocks is None else game.clocks.left,
        running=None if game.clocks is None else game.clocks.running,
    )


def _moves(session: GameSession, setup: Setup) -> list[MoveShown]:
    position = ChessPosition(session.position.start_fen)
    begun = len(session.position.moves) - len(session.decisions)
    decisions: list[Decision | None] = [*([None] * begun), *session.decisions]
    shown = []
    for move, decision in zip(session.position.moves, decisions, strict=True):
        after = position.play(move)
        info = decision.info if decision else {}
        shown.append(
            MoveShown(
                uci=move,
                san=position.san(move),
                fen=after.fen,
                by=_by(decision, ours=(position.turn == "first") == (setup.colour == "white")),
                named=str(info.get("named", "")),
                wish=position.san(str(info["brain"])) if info.get("brain") else "",
                value=decision.value if decision else None,
            )
        )
        position = after
    return shown


def _by(decision: Decision | None, *, ours: bool) -> Literal["you", "helper", "opponent", ""]:
    if decision is None:
        return ""
    if not ours:
        return "opponent"
    return "you" if decision.info.get("person") == "move" else "helper"


class Accepted(PageReply, frozen=True, kw_only=True):
    """The confirmation that an action in a game is done."""

    ply: int
    """The ply of the game now."""


class AnswerGame(PageQuestion, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="answer_game"):
    """Give the person's move, or the type of piece that they name as a brain."""

    id: GameId
    ply: Number
    """The ply at which it was asked: an answer for an earlier ply is refused."""
    text: ShortText

    async def answer(self, shared: Shared) -> AsyncGenerator[Accepted, None]:
        """:raises FoibleError: it is not a valid answer to what is asked."""
        async with shared.games.use(self.id) as game:
            await game.answer(self.ply, self.text)
            yield Accepted(ply=game.session.ply)


class TakeBack(PageQuestion, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="take_back"):
    """Take back the person's last move, and all moves after it."""

    id: GameId

    async def answer(self, shared: Shared) -> AsyncGenerator[Accepted, None]:
        """:raises ConfigError: there is no move to take back."""
        async with shared.games.use(self.id) as game:
            await game.take_back()
            yield Accepted(ply=game.session.ply)


class Resign(PageQuestion, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="resign"):
    """Resign the game."""

    id: GameId

    async def answer(self, shared: Shared) -> AsyncGenerator[Accepted, None]:
        """:raises MoveError: the game is over."""
        async with shared.games.use(self.id) as game:
            await game.resign()
            yield Accepted(ply=game.session.ply)


class DrawAnswered(PageReply, frozen=True, kw_only=True):
    """The result of accepting or offering a draw."""

    drawn: bool
    """Whether the game is drawn; else the opponent plays on."""


class Draw(PageQuestion, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="draw"):
    """Accept the draw that is offered, or else offer one."""

    id: GameId

    async def answer(self, shared: Shared) -> AsyncGenerator[DrawAnswered, None]:
        """:raises MoveError: the game is over, it is not your turn, or the opponent accepts no draws."""
        async with shared.games.use(self.id) as game:
            yield DrawAnswered(drawn=await game.draw())


class DeclineDraw(PageQuestion, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="decline_draw"):
    """Decline the draw that is offered, and play on."""

    id: GameId

    async def answer(self, shared: Shared) -> AsyncGenerator[Accepted, None]:
        """:raises MoveError: no draw is offered."""
        async with shared.games.use(self.id) as game:
            await game.decline_draw()
            yield Accepted(ply=game.session.ply)


class GameText(PageReply, frozen=True, kw_only=True):
    """A game as PGN."""

    pgn: str


class GamePgn(PageQuestion, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="game_pgn"):
    """Export the game as PGN, with comments on who chose each move and what they judged."""

    id: GameId

    async def answer(self, shared: Shared) -> AsyncGenerator[GameText, None]:
        """:raises ConfigError: there is no such game."""
        async with shared.games.use(self.id) as game:
            yield GameText(pgn=game.session.pgn())
