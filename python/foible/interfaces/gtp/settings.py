"""The settings that decide how the engine plays."""

import secrets
from dataclasses import dataclass, field, replace
from typing import Final, Literal

from foible._core import Bonus
from foible.errors import ConfigError
from foible.games.go import Rules, usual_komi
from foible.nets.choices import Precision, default_threads
from foible.nets.go.evaluator import Symmetry
from foible.search.go import CPUCT, FPU_REDUCTION, go_bonuses, go_params
from foible.search.params import SearchParams

NOISE_SHARE: Final = 0.25
"""The share of Dirichlet noise in the root's priors, where there is noise (SAI, §5.1)."""


def fresh_seed() -> int:
    """A random seed, a new one at each call."""
    return secrets.randbits(32)


class SettingError(ConfigError):
    """A setting is out of range; the message calls it by its field in `Settings`."""

    def __init__(self, field: str, value: float, expected: str) -> None:
        super().__init__(f"{field} = {value}: expected {expected}")
        self.field, self._value, self._expected = field, value, expected

    def named(self, option: str) -> ConfigError:
        """The same error, with the message calling the setting by the name of an option."""
        return ConfigError(f"{option} {str(self._value).removesuffix('.0')}: expected {self._expected}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """All settings of the engine."""

    net: str = "material"
    """The net's name or path, as `foible.nets.open_net` takes it."""
    threads: int = field(default_factory=default_threads)
    precision: Precision | Literal["auto"] = "f32"
    symmetry: Symmetry = "random"
    """The symmetry of the board through which the net sees positions."""
    visits: int = 1600
    """Visits of the root, including those kept from the previous move; 0: no such limit."""
    playouts: int = 0
    """New visits for a move; 0: no such limit."""
    lambda_: tuple[float, ...] = (0.0,)
    """How much margins of victory count: one to four numbers, for `SIDES`. Two are for both players alike, the third of
    three is for the opponent."""
    mu: tuple[float, ...] = (0.0,)
    komi: float | None = None
    """The agreed komi; `None`: 9.5 on 7×7, else 7.5."""
    rules: Rules = "chinese"
    resign: float = 5.0
    """The winrate in percent below which the engine resigns; 0: never."""
    lag: int = 100
    """Centiseconds that each move loses on the way to the controller and back."""
    memory_mb: int = 1024
    pondering: bool = False
    """Whether to search on while the opponent thinks."""
    random_moves: int = 0
    """Plies at the start of the game whose moves are drawn at random by their visits."""
    random_temperature: float = 1.0
    random_visits: int = 1
    """Only moves with more visits than this are drawn."""
    noise: bool = False
    """Dirichlet noise in the root's priors."""
    noise_alpha: float = 0.03
    """The concentration of the noise on a 19×19 board; raised on smaller boards so that the sum stays the same."""
    dumb_pass: bool = False
    """Pass as the search says, whatever the score."""
    cpuct: float = CPUCT
    fpu_reduction: float = FPU_REDUCTION
    fpu_zero: bool = False
    """Whether unvisited moves are valued as an even game, as in AlphaGo Zero."""
    batch: int = 8
    """Leaves of the tree per evaluation; 1 is PUCT to the letter."""
    seed: int = field(default_factory=fresh_seed)
    """The seed of all that is left to chance."""

    def __post_init__(self) -> None:
        """
        :raises SettingError: a value out of range.
        :raises FoibleError: `lambda_` or `mu` is wrong, as in `bonuses`.
        """
        for name, (low, high) in RANGES.items():
            value = getattr(self, name)
            if not low <= value <= high:
                raise SettingError(name, value, f"{low} to {high}")
        self.bonuses()

    def komi_on(self, size: int) -> float:
        """The agreed komi on a board of this size."""
        return usual_komi(size) if self.komi is None else self.komi

    def bonuses(self) -> tuple[Bonus, Bonus | None]:
        """How we weigh margins, and how the opponent does where that differs, else `None` (SAI, §3.6).

        :raises FoibleError: a number outside −10 to 10, or not one to four numbers.
        """
        return go_bonuses(self.lambda_, self.mu)

    @property
    def plain(self) -> bool:
        """Whether nothing but winning counts."""
        return not any((*self.lambda_, *self.mu))

    def params(self, size: int) -> SearchParams:
        """The constants of the search on a board of this size."""
        params = go_params(
            cpuct=self.cpuct,
            first_play="agz" if self.fpu_zero else "lz",
            fpu_reduction=self.fpu_reduction,
            noise_epsilon=NOISE_SHARE if self.noise else 0.0,
            noise_alpha=self.noise_alpha,
            size=size,
            batch=self.batch,
            seed=self.seed,
        )
        return replace(params, memory_mb=self.memory_mb)


RANGES: Final[dict[str, tuple[float, float]]] = {
    "threads": (1, 1024),
    "visits": (0, 1_000_000_000),
    "playouts": (0, 1_000_000_000),
    "resign": (0, 100),
    "lag": (0, 3000),
    "memory_mb": (1, 40_000),
    "random_moves": (0, 1_000_000),
    "random_temperature": (0.01, 100),
    "random_visits": (0, 1_000_000_000),
    "noise_alpha": (1e-6, 100),
    "cpuct": (0, 50),
    "fpu_reduction": (0, 10),
    "batch": (1, 4096),
    "seed": (0, 2**64 - 1),
}
