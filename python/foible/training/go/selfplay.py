"""The self-play of a generation."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import msgspec
import numpy as np

from foible.nets.evaluator import Evaluator
from foible.nets.go.evaluator import GoRuntimeNet
from foible.runs.journal import Journal
from foible.selfplay.go.config import GoSelfplayConfig
from foible.selfplay.go.play import GoSelfplay, Progress, starts_of
from foible.selfplay.go.record import GoGame
from foible.selfplay.go.starts import Given, Start, Starts, first_games
from foible.training.go.config import GoTrainConfig

Tell = Callable[[Progress], None]


@dataclass(frozen=True, slots=True)
class GenerationPlay:
    """The self-play of a generation by the best net so far."""

    config: GoSelfplayConfig
    """The configuration, with the branching of this generation."""
    net: Evaluator
    size: int
    games: int
    """The number of games in the generation, branches included."""
    seed: int

    @classmethod
    def of(cls, config: GoTrainConfig, number: int, net: GoRuntimeNet) -> "GenerationPlay":
        """`number`: the number of the generation."""
        branching = config.selfplay.branching_of(number)
        return cls(
            msgspec.structs.replace(config.selfplay, branching=branching),
            net.seen("random", number),
            config.size,
            config.protocol.games,
            int(np.random.default_rng([config.seed, number]).integers(2**63)),
        )

    def starts(self, finished: Sequence[GoGame]) -> Starts:
        """The starts of the games that are left to play."""
        return starts_of(self.config, self.net, self.size, self.games, self.seed, finished)

    def whole(self, journal: Journal[GoGame], tell: Tell) -> GoSelfplay:
        """The self-play of all games that are left, in this process."""
        return GoSelfplay(self.config, self.net, self.size, self.games, self.seed, journal, tell)

    def part(self, starts: Sequence[Start], journal: Journal[GoGame], tell: Tell) -> GoSelfplay:
        """The self-play of the games with these starts, except those in the journal."""
        known = {game.id for game in journal.items}
        given = Given(start for start in starts if start.id not in known)
        return GoSelfplay(self.config, self.net, self.size, len(starts), self.seed, journal, tell, given)


def put_in_turn(journal: Journal[GoGame], games: int) -> None:
    """Leave in the journal only the games that a generation of so many consists of, in turn. Which other games were
    played, and when each ended, depends on how many were under way at once.
    """
    own = first_games(journal.items, games)
    if own != journal.items:
        journal.rewrite(own)
