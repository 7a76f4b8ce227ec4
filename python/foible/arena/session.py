"""One game that goes on by turns, of people and of agents: whoever drives it, a terminal or a server, shows the
questions and brings the answers.

Moves can be taken back; the game can be given up, put away as plain values and gone on with elsewhere.
"""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final, Literal

import msgspec

from foible._core import ChessPosition
from foible.agents.base import RESIGN, Agent, Decision, Turn, decision_of
from foible.agents.human import Question, RemotePerson
from foible.agents.teams import Coins
from foible.arena.adjudication import Manners
from foible.arena.chess import end_by_rule, loss
from foible.arena.match import forfeit
from foible.arena.openings import STANDARD, Opening
from foible.arena.pgn import to_plain_pgn
from foible.arena.record import GameRecord, MoveRecord, Result, plain
from foible.errors import ConfigError, MoveError

Colour = Literal["white", "black"]

EVENT: Final = "foible play"
"""The PGN tag `Event` of games with people; matches have their framework there."""
RESIGNED: Final = "resignation"
AGREED: Final = "agreement"
UNFINISHED: Final = "unterminated"
"""The termination of an unfinished game, as PGN spells it."""


@dataclass(frozen=True, slots=True)
class Ending:
    """How a game ended."""

    result: Result
    termination: str
    """The rule, `resignation`, `agreement`, or `forfeit: why`."""


class SavedGame(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Where a game stands, as plain values that `msgspec.json` writes and reads. Without decisions it is a new one."""

    game: int = 0
    """The number by which agents identify the game; agents that play several games at a time need a number for each."""
    seed: int = 0
    opening: Opening = STANDARD
    decisions: tuple[Decision, ...] = ()
    """One for each ply after the opening's."""
    ending: Ending | None = None
    """`None` while it goes on."""
    date: str = "????.??.??"
    """When it began, as PGN writes it."""


class GameSession:
    """A game in progress. All its coroutines are to be awaited on one event loop.

    Each ply has a generator of its own, made of the seed, the game and the ply: agents that keep nothing between moves
    answer the same moves alike after a take-back. Three repetitions, and fifty moves without progress, are a draw.
    """

    def __init__(
        self,
        white: Agent,
        black: Agent,
        saved: SavedGame | None = None,
        *,
        person: RemotePerson | None = None,
        coins: Coins | None = None,
        manners: Mapping[Colour, Manners] | None = None,
    ) -> None:
        """The teams belong to the caller, who closes them.

        :param saved: where the game stands; a new one by default.
        :param person: where the people in the teams are asked; absent where there are none.
        :param coins: those of tag teams, for the record.
        :param manners: the rules by which sides resign, offer draws and take them; sides without play on.
        :raises MoveError: a saved move is not legal.
        """
        self._begun = saved or SavedGame()
        self.teams: dict[Colour, Agent] = {"white": white, "black": black}
        self.position: ChessPosition = self._begun.opening.position()
        """As it stands."""
        self.decisions: list[Decision] = []
        """One for each ply after the opening's; with moves in UCI, and of the info what a record keeps."""
        self.ending: Ending | None = None
        """`None` while the game goes on."""
        self.draw_offer: Colour | None = None
        """The side that offers a draw, until a person answers it or answers what is asked."""
        self._manners = manners or {}
        self._person = person or RemotePerson()
        self._coins = coins
        self._thinking: asyncio.Task[Decision] | None = None
        self._obsolete: set[asyncio.Task[Decision]] = set()
        """Thoughts about positions that were taken back, which may not have ended yet."""
        self._stale = False
        """Whether the agents may remember moves that were taken back."""
        self._end_by_rule()
        for decision in self._begun.decisions:
            self._apply(decision)
        self.ending = self._begun.ending or self.ending

    @property
    def to_move(self) -> Colour:
        """The side to move."""
        return "white" if self.position.turn == "first" else "black"

    @property
    def ply(self) -> int:
        """Plies played, the opening's included."""
        return len(self._begun.opening.moves) + len(self.decisions)

    @property
    def question(self) -> Question | None:
        """The question that a person is asked now; `None` when nobody is asked."""
        return self._person.question

    @property
    def saved(self) -> SavedGame:
        """Where the game stands. A session made of it, with the same teams, goes on from there."""
        return msgspec.structs.replace(self._begun, decisions=tuple(self.decisions), ending=self.ending)

    async def advance(self, on_move: Callable[[Decision], None] = lambda decision: None) -> Question | None:
        """Let the agents play until a person is asked, or the game is over: then `None`.

        Where moves are taken back meanwhile it goes on from there. Where it is cancelled the agents think on, and the
        next call waits for them.

        :param on_move: called after every move, when `position` is the new one.
        :raises MoveError: an agent's move is not legal. Other errors are the agents'. The next call asks them again.
        """
        while self.ending is None:
            if self.question is not None:
                return self.question
            if self._thinking is None:
                self._thinking = asyncio.ensure_future(self._think())
            thinking, asked = self._thinking, asyncio.ensure_future(self._person.asked())
            try:
                await asyncio.wait({thinking, asked}, return_when=asyncio.FIRST_COMPLETED)
            finally:
                asked.cancel()
            if thinking is self._thinking and thinking.done():
                self._thinking = None
                if self._apply(thinking.result()):
                    on_move(self.decisions[-1])
        return None

    async def reply(self, text: str) -> None:
        """Answer the question; `advance` then goes on.

        :raises MoveError: the text is no answer to it, or nothing is asked. The question stands.
        """
        self._person.reply(text)

    async def resign(self, colour: Colour) -> None:
        """Let a side give up, whoever is to move.

        :raises MoveError: the game is over.
        """
        self.lose(colour, RESIGNED)

    def lose(self, colour: Colour, why: str) -> None:
        """End the game: a side has lost it otherwise than by its moves, on time for instance.

        :param why: as the record says it.
        :raises MoveError: the game is over.
        """
        if self.ending is not None:
            raise MoveError(f"{colour} cannot lose by {why}: the game is over ({self.ending.termination})")
        self._drop_thoughts()
        self.ending = Ending(loss(colour == "white"), why)

    async def draw(self) -> bool:
        """Let the person who is asked take the draw that is offered, or else offer one; whether the game is drawn now.

        :raises MoveError: the game is over, nobody is asked, or the other side answers no offers.
        """
        if self.ending is not None:
            raise MoveError(f"draw: the game is over ({self.ending.termination})")
        if self.question is None:
            raise MoveError("draw: it is offered and taken when you are asked")
        other = other_side(self.to_move)
        if self.draw_offer != other:
            if other not in self._manners:
                raise MoveError(f"draw: {self.teams[other].name} takes none, and plays on")
            if not self._manners[other].takes_draw(self._values()):
                return False
        self._drop_thoughts()
        self.ending = Ending("1/2-1/2", AGREED)
        return True

    async def decline_draw(self) -> None:
        """Decline the draw that the opponent offers.

        :raises MoveError: none is offered.
        """
        if self.draw_offer is None or self.ending is not None:
            raise MoveError("no draw is offered")
        self.draw_offer = None

    async def take_back(self, plies: int) -> None:
        """Go back by so many plies, also after the end of the game. Searches begin anew there.

        :raises MoveError: so many were not played.
        """
        if not 1 <= plies <= len(self.decisions):
            raise MoveError(
                f"{plies} plies cannot be taken back: expected 1 to {len(self.decisions)}, the plies played"
            )
        self._drop_thoughts()
        self._stale = True
        del self.decisions[-plies:]
        opening = self._begun.opening
        moves = [*opening.moves, *(decision.move for decision in self.decisions)]
        self.position = ChessPosition(opening.fen, moves, chess960=opening.chess960)
        self.ending = self.draw_offer = None

    @property
    def plies_to_last_answer(self) -> int | None:
        """How many plies to take back so that the person who answered last is asked again; `None` where nobody was."""
        answered = (plies for plies, decision in enumerate(reversed(self.decisions), 1) if decision.info.get("person"))
        return next(answered, None)

    async def close(self) -> None:
        """End what is being thought, and let the teams forget the game. `saved` still tells where it stands."""
        self._drop_thoughts()
        await self._settle()

    def record(self) -> GameRecord:
        """The finished game, as the record of a match has it; White counts as the focal team.

        :raises ConfigError: it is not finished.
        """
        if self.ending is None:
            raise ConfigError("a game that goes on has no record; expected a finished one")
        pair, second = divmod(self._begun.game, 2)
        return GameRecord(
            pair=pair,
            game_in_pair=second + 1,
            framework=EVENT,
            white=self.teams["white"].name,
            black=self.teams["black"].name,
            focal_white=True,
            opening=self._begun.opening,
            moves=self._moves(),
            result=self.ending.result,
            termination=self.ending.termination,
            seed=self._begun.seed,
            bits=self._bits(),
        )

    def pgn(self) -> str:
        """The game as PGN, finished or not. Comments say of every move who made it, and what it was worth to them."""
        result, termination = (
            ("*", UNFINISHED) if self.ending is None else (self.ending.result, self.ending.termination)
        )
        tags = {
            "Event": EVENT,
            "Site": "?",
            "Date": self._begun.date,
            "Round": "-",
            "White": self.teams["white"].name,
            "Black": self.teams["black"].name,
            "Result": result,
            "Termination": termination,
            "PlyCount": str(self.ply),
            "Seed": str(self._begun.seed),
            "Bits": self._bits(),
        }
        return to_plain_pgn(tags, self._begun.opening, self._moves(), result)

    def _moves(self) -> tuple[MoveRecord, ...]:
        return tuple(MoveRecord.of_decision(decision.move, decision) for decision in self.decisions)

    def _bits(self) -> str:
        """The coins of the plies played, opening included; empty where none are tossed."""
        if self._coins is None:
            return ""
        return "".join(str(int(self._coins.senior_moves(self._begun.game, ply))) for ply in range(self.ply))

    async def _think(self) -> Decision:
        """The decision of the team to move."""
        begun, ply = self._begun, self.ply
        turn = Turn(self.position, begun.game, ply, (begun.seed, begun.game, ply))
        team, manners = self.teams[self.to_move], self._manners.get(self.to_move)
        if self._stale:
            await self._settle()
        decision = await decision_of(team, turn)
        gives_up = manners is not None and manners.resigns([*self._values(), decision.value])
        return Decision(RESIGN) if gives_up else decision

    def _values(self) -> list[float | None]:
        """Per ply, the mover's own expected score; none for the opening's."""
        return [*[None] * len(self._begun.opening.moves), *(decision.value for decision in self.decisions)]

    def _drop_thoughts(self) -> None:
        """Stop all thinking about the current position, and withdraw the question."""
        if self._thinking is not None:
            self._thinking.cancel()
            self._obsolete.add(self._thinking)
            self._thinking = None
            self._stale = True
        self._person.withdraw()

    async def _settle(self) -> None:
        """Wait until obsolete thoughts have ended, and let the teams forget what they know of the game."""
        await asyncio.gather(*self._obsolete, return_exceptions=True)
        self._obsolete.clear()
        for team in self.teams.values():
            team.forget(self._begun.game)
        self._stale = False

    def _apply(self, decision: Decision) -> bool:
        """Apply a decision to the game; whether it was a move, not a resignation or forfeit."""
        white = self.position.turn == "first"
        if decision.move == RESIGN:
            self.ending = Ending(loss(white), RESIGNED)
        elif decision.ends_game:
            self.ending = Ending(loss(white), forfeit(decision))
        else:
            try:
                self.position = self.position.play(decision.move)
            except MoveError as error:
                name = self.teams[self.to_move].name
                raise MoveError(f"ply {self.ply}: {name} answered with an illegal move: {error}") from None
            self.decisions.append(_plain(decision, self.position.moves[-1]))
            self._end_by_rule()
            self._offer_draw("white" if white else "black")
        return not decision.ends_game

    def _offer_draw(self, mover: Colour) -> None:
        """Let the side that moved offer a draw; a person who moved has answered the offer that stood."""
        manners = self._manners.get(mover)
        if manners is not None and manners.offers_draw(self._values(), self.position):
            self.draw_offer = mover
        elif self.decisions[-1].info.get("person"):
            self.draw_offer = None

    def _end_by_rule(self) -> None:
        end = end_by_rule(self.position, claim_draws=True)
        self.ending = Ending(*end) if end else None


def other_side(colour: Colour) -> Colour:
    """The other colour."""
    return "black" if colour == "white" else "white"


def _plain(decision: Decision, move: str) -> Decision:
    """The decision as plain values that survive a round trip through JSON."""
    policy = decision.policy and {move: float(p) for move, p in decision.policy.items()}
    value = None if decision.value is None else float(decision.value)
    return Decision(move, value, policy, plain(decision.info))
