"""One game in progress, and how it ends."""

from dataclasses import dataclass, field

from foible._core import ChessPosition, RootSummary
from foible.arena.adjudication import Resignation, has_resigned
from foible.arena.openings import Opening
from foible.arena.record import Result
from foible.games.claims import claimable_draw
from foible.search.params import SearchParams
from foible.search.trees import GameTree
from foible.selfplay.record import Finished, Ply, Summary


@dataclass(frozen=True, slots=True)
class Rules:
    """When games end."""

    max_plies: int
    claim_draws: bool
    resignation: Resignation | None


@dataclass(slots=True)
class Game:
    """A game in progress."""

    number: int
    opening: Opening
    position: ChessPosition
    contempt_visits: int | None
    played_out: bool
    """Nobody may resign."""
    values: list[float | None]
    """Per ply, the mover's own expected score; none for the opening's."""
    plies: list[Ply] = field(default_factory=list)
    tree: GameTree | None = None
    """Kept from the last move."""
    resign_ply: int | None = None
    resign_white: bool | None = None

    @property
    def ply(self) -> int:
        """Plies so far, the opening's included."""
        return len(self.values)

    def play(self, ply: Ply, rules: Rules) -> tuple[Result, str] | None:
        """Make a move; the result and the reason if the game is over."""
        white = self.position.turn == "first"
        self.position = self.position.play(ply.move)
        self.plies.append(ply)
        self.values.append(ply.value)
        outcome = self.position.outcome()
        if outcome is not None:
            return outcome.result, outcome.reason
        if rules.claim_draws and (reason := claimable_draw(self.position)):
            return "1/2-1/2", reason
        if rules.resignation and self.resign_ply is None and has_resigned(self.values, rules.resignation):
            self.resign_ply, self.resign_white = self.ply, white
            if not self.played_out:
                return "0-1" if white else "1-0", "resignation"
        return ("1/2-1/2", "max_plies") if self.ply >= rules.max_plies else None

    def finished(self, result: Result, termination: str, seed: int) -> Finished:
        """The record of the game, now that it is over."""
        summary = Summary(
            game=self.number,
            result=result,
            termination=termination,
            plies=self.ply,
            opening=self.opening.name,
            start_fen=self.opening.fen,
            opening_moves=list(self.opening.moves),
            contempt_visits=self.contempt_visits,
            seed=seed,
            played_out=self.played_out,
            resign_ply=self.resign_ply,
            resign_white=self.resign_white,
        )
        return Finished(summary, self.plies)


def searched_ply(
    found: RootSummary, move: str, *, full: bool, temperature: float, params: SearchParams, white: bool
) -> Ply:
    """A move that was chosen from what a search found."""
    visited = [one for one in found.moves if one.n]
    chosen = next(one for one in found.moves if one.move == move)
    worth = params.draw_score if white else -params.draw_score
    balance = found.q - worth * found.d
    """Win minus loss."""
    return Ply(
        move,
        moves=[one.move for one in visited],
        visits=[one.n for one in visited],
        nodes=found.n,
        q=found.q,
        win=max(0.0, (1 - found.d + balance) / 2),
        draw=found.d,
        loss=max(0.0, (1 - found.d - balance) / 2),
        value=(1 + (chosen.q if chosen.n else found.q)) / 2,
        full=full,
        temperature=temperature,
    )
