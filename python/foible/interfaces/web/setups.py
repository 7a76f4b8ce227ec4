"""What a page wants to play, and the game that it makes of who is in the cast."""

from typing import Annotated, Literal

import msgspec

from foible.agents.spec import HandBrainSpec, HumanSpec, TagTeamSpec, TeamSpec
from foible.arena.adjudication import Manners
from foible.arena.line_up import Role
from foible.arena.session import Colour
from foible.arena.setup import GameSetup
from foible.errors import ConfigError
from foible.interfaces.web.asking import Line, Rating, ShortText
from foible.interfaces.web.cast import Cast

Part = Literal["alone", "junior", "hand", "brain"]
"""What the person is: a player; beside a senior; the hand of a brain; the brain of a hand."""
HELPERS: dict[Part, Role] = {"junior": "partner", "hand": "brain", "brain": "hand"}
"""Who plays beside the person."""


class TimeControl(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A clock for each side."""

    seconds: Annotated[float, msgspec.Meta(ge=1, le=86_400)]
    increment: Annotated[float, msgspec.Meta(ge=0, le=600)] = 0.0
    """Seconds that a move brings."""


class Setup(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What somebody wants to play."""

    opponent: ShortText
    """By its name in the cast."""
    opponent_rating: Rating = 1500
    part: Part = "alone"
    helper: ShortText = ""
    """Who plays beside the person, by its name in the cast; empty where nobody does."""
    own_rating: Rating = 1500
    """The person's, for helpers that know how players of a rating play, and for what such players would have played."""
    colour: Colour = "white"
    """The person's."""
    line: Line = Line()
    """Where the game starts."""
    odds: ShortText = ""
    """What the opponent starts without, by name; empty for nothing."""
    clock: TimeControl | None = None
    human_times: bool = False
    """Whether the opponent takes a person's time for its moves."""
    to_the_end: bool = False
    """Whether the opponent neither gives up nor offers or takes a draw."""

    def game(self, cast: Cast, *, number: int = 0, seed: int = 0) -> GameSetup:
        """The game.

        :raises FoibleError: nobody plays by such a name or at a person's pace, or there is no such start.
        """
        opponent = cast.find(self.opponent, "opponent")
        if self.human_times and not opponent.human:
            raise ConfigError(f"human_times: {self.opponent} does not play as people do; expected false")
        return GameSetup(
            opponent=opponent.spec(self.opponent_rating),
            own=self._own_side(cast),
            colour=self.colour,
            fen=self.line.start,
            moves=tuple(self.line.position.moves),
            odds=self.odds or None,
            manners=None if self.to_the_end else Manners(),
            pace=opponent.pace(self.opponent_rating) if self.human_times else None,
            game=number,
            seed=seed,
        )

    def _own_side(self, cast: Cast) -> TeamSpec:
        if self.part == "alone":
            return HumanSpec()
        helper = cast.find(self.helper, HELPERS[self.part]).helper(self.own_rating)
        match self.part:
            case "junior":
                return TagTeamSpec(senior=helper, junior=HumanSpec())
            case "hand":
                return HandBrainSpec(brain=helper, hand=HumanSpec())
            case "brain":
                return HandBrainSpec(brain=HumanSpec(), hand=helper)
