"""Gates: the rules by which a mixture chooses one of its nets for each position (phase-experts §1), or what was learned
in place of a rule.
"""

import hashlib
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Final, Literal, Protocol, get_args

import msgspec
import numpy as np
from numpy.typing import NDArray

from foible._core import Batch
from foible.errors import ConfigError
from foible.fields import NonEmpty
from foible.games.phases import PHASES, PhaseTable
from foible.mistakes import brief

TABLES: tuple[PhaseTable, ...] = get_args(PhaseTable)
MOST_SEGMENTS = 5
MOST: Final = 1e9
"""The largest number of a learned gate: no score overflows."""

Phases = NDArray[np.uint8]


class Gate(Protocol):
    """Chooses the net for each position. As text it is the name by which names and hashes of mixtures have it."""

    @property
    def count(self) -> int:
        """The number of nets that it chooses from."""

    @property
    def names(self) -> tuple[str, ...]:
        """What reports call the choices, in order."""

    def phases(self, batch: Batch) -> Phases:
        """`[N]`: the number of the net for each position, from 0; it does not depend on the rest of the batch."""


@dataclass(frozen=True, slots=True)
class TableGate:
    """The three phases of the game, by a table of mixedness scores (phase-experts §1.3)."""

    table: PhaseTable

    @property
    def count(self) -> int:
        return len(PHASES)

    @property
    def names(self) -> tuple[str, ...]:
        return PHASES

    def phases(self, batch: Batch) -> Phases:
        return batch.phases(self.table)

    def __str__(self) -> str:
        return self.table


@dataclass(frozen=True, slots=True)
class MoveGate:
    """Segments of the game by the move counter (phase-experts §1.5)."""

    count: int
    """From 1 to 5."""

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(f"phase {k}" for k in range(self.count))

    def phases(self, batch: Batch) -> Phases:
        return batch.move_phases(self.count)

    def __str__(self) -> str:
        return f"moves-{self.count}"


Feature = Literal["majors_and_minors", "back_ranks", "sparser_back_rank", "mixedness"]
"""The number of queens, rooks, bishops and knights; that of pieces of both sides on their own back ranks; that on the
back rank that has fewer; or the mixedness by the table `current`.
"""
_FEATURES: Final[Mapping[Feature, Callable[[NDArray[np.int32]], NDArray[np.int32]]]] = {
    "majors_and_minors": lambda features: features[:, 0],
    "back_ranks": lambda features: features[:, 1] + features[:, 2],
    "sparser_back_rank": lambda features: np.minimum(features[:, 1], features[:, 2]),
    "mixedness": lambda features: features[:, 3],
}
"""By name, how a feature follows from `Batch.phase_features`, `[N, 4]` → `[N]`."""
FEATURES: Final = tuple(_FEATURES)


def gate_features(batch: Batch, names: Sequence[Feature] = FEATURES) -> NDArray[np.float64]:
    """`[N, F]`: the features of each position."""
    features = batch.phase_features()
    return np.stack([_FEATURES[name](features) for name in names], axis=1).astype(np.float64)


class LearnedGate(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Scores that are linear in features of the position: the net with the highest score is asked.

    With z = (x − mean) / scale for each feature x, the score of net k is w_k0 + Σ_f w_kf z_f. `foible nets gate` learns
    the weights (`training/experts/learned_gate.py`).
    """

    features: NonEmpty[Feature]
    means: list[float]
    """`[F]`."""
    scales: list[Annotated[float, msgspec.Meta(ge=1e-9)]]
    """`[F]`."""
    weights: Annotated[list[list[float]], msgspec.Meta(min_length=1, max_length=256)]
    """`[K, 1 + F]`: for each net the constant w_k0, then the weights of the features."""

    def check(self) -> None:
        """Check that the numbers are finite and not huge, and as many as there are features.

        :raises ConfigError: they are not; says which.
        """
        twice = [name for name, times in Counter(self.features).items() if times > 1]
        if twice:
            raise ConfigError(f"gate.features: {twice[0]} stands there twice")
        rows = {f"weights[{k}]": row for k, row in enumerate(self.weights)}
        for key, numbers in {"means": self.means, "scales": self.scales, **rows}.items():
            expected = len(self.features) + (key in rows)
            if len(numbers) != expected:
                what = "a constant, and one for each feature" if key in rows else "one for each feature"
                raise ConfigError(f"gate.{key}: {len(numbers)} numbers; expected {expected}, {what}")
            if not (np.abs(numbers) <= MOST).all():
                given = brief(str(numbers))
                raise ConfigError(f"gate.{key} = {given}: expected finite numbers, at most {MOST:g} in size")

    @property
    def count(self) -> int:
        return len(self.weights)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(f"expert {k}" for k in range(self.count))

    def phases(self, batch: Batch) -> Phases:
        return self.choose(gate_features(batch, self.features))

    def choose(self, features: NDArray[np.float64]) -> Phases:
        """`[N, F]` → `[N]`: the net with the highest score; of several, the first."""
        z = (features - np.array(self.means)) / np.array(self.scales)
        weights = np.array(self.weights)
        # Not by a matrix product: its last bits depend on the number of rows.
        scores = weights[:, 0] + (z[:, None, :] * weights[:, 1:]).sum(axis=2)
        highest: NDArray[np.intp] = scores.argmax(axis=1)
        return highest.astype(np.uint8)

    def __str__(self) -> str:
        """`learned-` and the beginning of a sha256 over all its numbers."""
        return f"learned-{hashlib.sha256(msgspec.json.encode(self)).hexdigest()[:12]}"


def parse_gate(text: str) -> TableGate | MoveGate:
    """The rule of that name: `current`, `legacy`, `engine`, or `moves-1` to `moves-5`.

    :raises ConfigError: there is no rule of that name.
    """
    rules: list[TableGate | MoveGate] = [*map(TableGate, TABLES), *map(MoveGate, range(1, MOST_SEGMENTS + 1))]
    for gate in rules:
        if str(gate) == text:
            return gate
    raise ConfigError(f"gate = {text!r}: expected {', '.join(TABLES)}, or moves-1 to moves-{MOST_SEGMENTS}")
