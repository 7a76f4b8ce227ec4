"""Expert iteration as configuration: a net learns what its own search finds, round by round."""

from typing import Annotated, Literal

import msgspec

from foible.arena.openings import BALANCED
from foible.errors import ConfigError
from foible.fields import Names, Positive, Share, SummableSeed
from foible.nets.choices import Precision, Runtime, Threads
from foible.toml import AnyPath, checked, read_text, read_toml_for
from foible.training.config import Recipe
from foible.training.data.config import HoldOut


class RoundMatch(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The match of a round's net against the last one's, both as searchers with the same visits."""

    games: Annotated[int, msgspec.Meta(ge=0, multiple_of=2)] = 100
    """An even number, in pairs with changed colours; 0 for no match."""
    nodes: Positive = 100
    openings: str = BALANCED


class ImproveConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A run of `foible improve`. In each round the net's search labels positions, and the net goes on learning from
    them.
    """

    net: str
    """The net that the first round begins with: a name or a path."""
    sources: Names
    """The sources of the positions to search: PGN and EPD files, folders of matches, self-play and labels."""
    rounds: Positive = 3
    positions: Positive = 20_000
    """The number of positions to search in each round, drawn anew each time."""
    nodes: Annotated[int, msgspec.Meta(ge=2)] = 100
    """Visits of each search; a single visit would be the root's alone and prefer no move."""
    window: Positive = 3
    """The number of latest rounds whose labels are learnt from."""
    teacher: Share = 1.0
    """The teacher's share of the policy target; the rest is the move that was played, as in `foible train`."""
    eval_share: Share = 1.0
    """The share of the search's value in the value target; the rest is the result of the game."""
    hold_out: HoldOut = HoldOut()
    seed: SummableSeed = 1
    """The seed of the first round; each later round has the next number."""
    training: Recipe = Recipe()
    match: RoundMatch = RoundMatch()
    runtime: Runtime | Literal["auto"] = "auto"
    precision: Precision | Literal["auto"] = "auto"
    threads: Threads | None = None
    resolved: dict[str, str] = {}
    """Added by the run itself and written into its folder: versions, the hash of the first net."""

    def check(self) -> None:
        """Check that the values go together.

        :raises ConfigError: they do not; says which.
        """
        self.training.check()
        if self.training.seed != Recipe().seed:
            raise ConfigError("training.seed: expected no seed there; `seed` is that of all rounds")


def read_config(path: AnyPath) -> ImproveConfig:
    """Read the configuration of rounds of improvement from a TOML file.

    :raises ConfigError: not TOML, an unknown key, a wrong type or value; says where.
    """
    return parse_config(read_text(path), str(path))


def parse_config(text: str, source: str) -> ImproveConfig:
    """As `read_config`; `source` is named in errors."""
    return checked(read_toml_for("foible improve", text, source), ImproveConfig, source)
