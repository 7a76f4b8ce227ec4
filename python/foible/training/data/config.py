"""What to train on, as configuration."""

from typing import Annotated, Literal

import msgspec

from foible.errors import ConfigError
from foible.fields import Names, NonNegative, NonNegativeNumber, Positive, PositiveShare, Share, ShareBelowOne
from foible.nets.encoding import PLANES, Encoding, PhaseTable
from foible.training.data.filters import Filters

ValueTarget = Literal["result", "evals", "released"]
"""`result`: how the game ended. `evals`: what was thought of the position, in the `[%eval …]` comments of a PGN file or
by the search of self-play; the result where there is none. `released`: as the published code of ATT, where a draw is a
loss for both (skill-compatible §4.1).
"""

Held = NonNegative | ShareBelowOne
"""A whole number of games, or a share of them."""


class HoldOut(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Games that are not trained on, chosen by a hash of their moves.

    The same game is always on the same side, whatever file it is in. A share does not depend on other games at all; a
    number takes the games with the most extreme hashes, so that with more sources some of the old ones return to
    training.
    """

    validation: Held = 0.02
    """For the choice of the checkpoint."""
    test: Held = 0.02
    """For the figures that are reported."""


class DataConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Where samples come from and what they teach."""

    sources: Names
    """PGN files, plain or packed; folders of self-play. Of equal games the first counts: name sources with evaluations
    first.
    """
    filters: Filters = Filters()
    hold_out: HoldOut = HoldOut()
    games: Positive | None = None
    """Train on at most so many games, chosen by their hash: a smaller number takes a part of a larger one's."""
    value_target: ValueTarget = "result"
    eval_share: Share = 1.0
    """With `evals`: the weight of the evaluation; the rest is the result's."""
    encoding: Encoding = "lc0"
    rating_plane: bool = False
    """Write the rating of the side to move into plane 110, which lc0 leaves empty."""
    phase_table: PhaseTable = "current"
    """Tells opening, middlegame and endgame apart."""
    move_phases: Annotated[int, msgspec.Meta(ge=1, le=5)] | None = None
    """So many phases by the move counter instead (phase-experts §1.5)."""
    phase_weights: list[NonNegativeNumber] | None = None
    """Weight of the samples of each phase; 1 when absent (weighted regime: phase-experts §4.4)."""
    thin: PositiveShare = 1.0
    """Share of the samples that a pass takes, others each time (1/32 in skill-compatible §4.1)."""

    @property
    def phases(self) -> int:
        """How many phases there are."""
        return 3 if self.move_phases is None else self.move_phases

    @property
    def planes(self) -> int:
        return PLANES[self.encoding]

    def check(self) -> None:
        """:raises ConfigError: values that do not go together."""
        self.filters.check(self.phases)
        if self.rating_plane and self.encoding != "lc0":
            raise ConfigError(f'rating_plane needs encoding = "lc0", found "{self.encoding}"')
        if self.filters.who is not None and self.value_target == "evals":
            raise ConfigError('filters.who: games of a team have no evaluations; expected value_target = "result"')
        if self.phase_weights is not None and len(self.phase_weights) != self.phases:
            raise ConfigError(f"phase_weights has {len(self.phase_weights)} weights; expected {self.phases}")
        if self.phase_weights is not None and not any(self.phase_weights):
            raise ConfigError("phase_weights are all 0; expected one above")
        held = (self.hold_out.validation, self.hold_out.test)
        if sum(share for share in held if isinstance(share, float)) >= 1:
            raise ConfigError(f"hold_out takes all games: validation = {held[0]}, test = {held[1]}")
