"""The setup of a game that a page asks for, and the game that is made from it with players of the cast."""

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
"""The part of the person: the only player of their side, the junior of a senior, the hand of a brain, or the brain."""
HELPERS: dict[Part, Role] = {"junior": "partner", "hand": "brain", "brain": "hand"}
"""The role of the player beside the person, by the person's part."""


class TimeControl(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The time control: the clock of each side."""

    seconds: Annotated[float, msgspec.Meta(ge=1, le=86_400)]
    increment: Annotated[float, msgspec.Meta(ge=0, le=600)] = 0.0
    """The seconds added after each move."""


class Setup(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The setup of a game: opponent, helper, colour, start, clock and the like."""

    opponent: ShortText
    """The opponent's name in the cast."""
    opponent_rating: Rating = 1500
    part: Part = "alone"
    helper: ShortText = ""
    """The name in the cast of the player beside the person; empty where there is none."""
    own_rating: Rating = 1500
    """The person's rating: for helpers that model players of a rating, and for comparisons with them in reviews."""
    colour: Colour = "white"
    """The person's colour."""
    line: Line = Line()
    """The position in which the game starts, with the moves before it."""
    odds: ShortText = ""
    """The name of the odds that the opponent gives; empty for none."""
    clock: TimeControl | None = None
    human_times: bool = False
    """Whether the opponent takes as much time for its moves as a person would."""
    to_the_end: bool = False
    """Whether the opponent never resigns, and neither offers nor accepts draws."""

    def game(self, cast: Cast, *, number: int = 0, seed: int = 0) -> GameSetup:
        """The game that the setup describes.

        :raises FoibleError: there is no such player, or it has no human pace, or there is no such start.
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
