"""All constants of the search, named as is usual in the field, and the seats that follow from them; and the settings by
which users change them: `--set`, UCI options, `search = {…}` in configurations.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from math import inf
from numbers import Integral, Real
from types import NoneType
from typing import Any, Final, Literal, Self, get_args

from foible._core import FreezeAfter, Seat
from foible.errors import ConfigError
from foible.mistakes import near
from foible.search.unread_constants import GameName, refuse, unread

FpuStrategy = Literal["reduction", "net", "absolute"]
IntervalAt = Literal["parent", "root"]
ContemptDraw = Literal["sample", "quota"]
ContemptFreezeAt = Literal["implementation", "paper"]


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchParams:
    """The constants by which a search tree grows. Sources: `docs/methods/search.md` and lc0's option list, whose
    defaults these are.
    """

    cpuct: float = 1.745
    """PUCT's exploration constant c at few visits: a higher one tries more moves."""
    cpuct_base: float = 38739.0
    """The number of visits around which c begins to grow logarithmically."""
    cpuct_factor: float = 3.894
    """The growth of c with visits n: c(n) = cpuct + cpuct_factor · ln((n + cpuct_base) / cpuct_base)."""
    fpu: FpuStrategy = "reduction"
    """First-play urgency of unvisited moves: the mean value of the node reduced, or the net's value of it as Leela Zero
    takes it, or an absolute value."""
    fpu_value: float = 0.330
    """The reduction, which is multiplied by the square root of the summed priors of the visited moves; or the absolute
    Q (−1 to 1)."""
    root_cpuct: float | None = None
    """`cpuct` at the root, and so on for the next four constants; as inside the tree when absent."""
    root_cpuct_base: float | None = None
    root_cpuct_factor: float | None = None
    root_fpu: FpuStrategy | None = None
    root_fpu_value: float | None = None
    policy_temperature: float = 1.359
    """Divides the policy logits: above 1 flattens the priors."""
    draw_score: float = 0.0
    """The worth of a draw to the player who moves first in the game (White in chess), −1 to 1."""
    interval: IntervalAt = "parent"
    """In a search with margins: the node whose state fixes the interval of bonus points (SAI, §3.4)."""
    terminal_beta: float = 10.0
    """The steepness of the winrate, by the bonus, where the game is over (SAI, §3.4); inf makes it 0 or 1."""
    two_fold_draws: bool = True
    """Whether a position that repeats inside the tree counts as a draw at once."""
    sticky_endgames: bool = True
    """Whether results proven by the children make a node terminal."""
    moves_left_max_effect: float = 0.0345
    """The most that a shorter win may add to Q; 0 turns the moves-left head off."""
    moves_left_threshold: float = 0.8
    """The moves-left head counts only where `|W − L|` of the node is above this."""
    moves_left_slope: float = 0.0027
    """The change of Q per ply by which the moves left differ from those of the parent."""
    moves_left_constant: float = 0.0
    moves_left_scaled: float = 1.6521
    moves_left_quadratic: float = -0.6521
    contempt_visits: int | None = None
    """Search-contempt: where the other side is to move, thinking ends after so many visits and their distribution is
    played from then on (N_scl of search-contempt §1). 1 is an opponent who plays the top of the policy; absent: off."""
    contempt_temperature: float = 1.0
    """Shares of the opponent's moves are proportional to their visits to the power of one over this."""
    contempt_draw: ContemptDraw = "sample"
    """Whether the shares are sampled, as published, or dealt out evenly."""
    contempt_freeze_at: ContemptFreezeAt = "implementation"
    """Whether the shares hold from the next visit on, as in the published program, or one later, as in the paper."""
    noise_epsilon: float = 0.0
    """Share of Dirichlet noise in the root's priors, 0 to 1."""
    noise_alpha: float = 0.3
    """Concentration of the noise; smaller puts it on fewer moves."""
    batch: int = 1
    """Leaves of one tree per evaluation. 1 is PUCT to the letter; more is faster where few trees grow at once."""
    lanes: int = 1
    """The evaluations of one tree that may be under way at once: 2 overlaps gathering and evaluating where one tree
    grows alone. With several trees in a forest, 2 would make the growth of each depend on the others."""
    cache: int = 200_000
    """Positions in the evaluation cache; results do not depend on it."""
    memory_mb: int = 4096
    """Trees that would outgrow so many MiB stop with an error; the cache is not counted. At most 49 000."""
    seed: int = 0
    """Seed of all random choices of the search."""

    def __post_init__(self) -> None:
        """:raises ConfigError: a value out of range, by name."""
        _check(self)

    def refuse_unread(self, game: GameName, margins: bool = False) -> None:
        """Check that a search of this game reads every constant that has another value than its default. A forest asks
        for this.

        :param margins: whether a seat weighs margins of victory.
        :raises ConfigError: it would not, by name, with what the constant needs.
        """
        values = asdict(self)
        refuse(values, unread(values, _DEFAULTS, game=game, margins=margins))

    def without_unread(self) -> Self:
        """A copy for chess in which the constants that nothing would read have their defaults.

        For programs whose users set constants one after the other, or which turn contempt or noise off for some games.
        """
        idle = unread(asdict(self), _DEFAULTS, game="chess")
        return replace(self, **{name: _DEFAULTS[name][0] for name in idle})


@dataclass(frozen=True, slots=True, kw_only=True)
class MoveChoice:
    """The rule by which a move is chosen from a tree that has grown: the temperature and its schedule, as in lc0."""

    temperature: float = 0.0
    """0 plays the best move; 1 samples moves by their visits."""
    temperature_decay_moves: int = 0
    """The number of moves over which the temperature falls to zero; 0 keeps it constant."""
    temperature_decay_delay: int = 0
    """The number of moves before the temperature begins to fall."""
    temperature_cutoff_move: int = 0
    """The move number from which on `temperature_endgame` holds; 0 for never."""
    temperature_endgame: float = 0.0
    """The lower bound of the falling temperature, and the temperature after the cutoff."""
    temperature_value_cutoff: float = 1.0
    """Moves worse than the most visited one by more than this win probability (0 to 1) are not sampled."""
    temperature_visit_offset: float = 0.0
    """Added to each move's visits before sampling."""

    def __post_init__(self) -> None:
        """:raises ConfigError: a value out of range, by name."""
        _check(self)

    def temperature_at(self, ply: int) -> float:
        """The temperature at a ply of the game, after delay, decay and cutoff (as lc0 schedules it)."""
        move = ply // 2
        if self.temperature_cutoff_move and move + 1 >= self.temperature_cutoff_move:
            return self.temperature_endgame
        temperature = self.temperature
        if temperature and self.temperature_decay_moves:
            left = self.temperature_decay_delay + self.temperature_decay_moves - move
            temperature *= min(1.0, max(0.0, left / self.temperature_decay_moves))
            temperature = max(temperature, self.temperature_endgame)
        return temperature


_POSITIVE = 1e-9
MOST_CONTEMPT_VISITS: Final = 1_000_000_000
ODDS_CONTEMPT_VISITS: Final = 28
"""The `contempt_visits` that the author of search-contempt suggests for queen odds (search-contempt §3)."""
RANGES: Final[dict[str, tuple[float, float]]] = {
    "cpuct": (0, 100),
    "cpuct_base": (1, 1e9),
    "cpuct_factor": (0, 1000),
    "fpu_value": (-100, 100),
    "root_cpuct": (0, 100),
    "root_cpuct_base": (1, 1e9),
    "root_cpuct_factor": (0, 1000),
    "root_fpu_value": (-100, 100),
    "policy_temperature": (0.01, 100),
    "draw_score": (-1, 1),
    "terminal_beta": (0.001, inf),
    "moves_left_max_effect": (0, 1),
    "moves_left_threshold": (0, 1),
    "moves_left_slope": (0, 1),
    "moves_left_constant": (-1, 1),
    "moves_left_scaled": (-2, 2),
    "moves_left_quadratic": (-1, 1),
    "contempt_visits": (1, MOST_CONTEMPT_VISITS),
    # At lower temperatures the weights of many visits would overflow.
    "contempt_temperature": (0.05, 100),
    "noise_epsilon": (0, 1),
    "noise_alpha": (_POSITIVE, 1e7),
    "temperature": (0, 100),
    "temperature_decay_moves": (0, 640),
    "temperature_decay_delay": (0, 100),
    "temperature_cutoff_move": (0, 1000),
    "temperature_endgame": (0, 100),
    "temperature_value_cutoff": (0, 1),
    "temperature_visit_offset": (-1000, 1000),
    "batch": (1, 4096),
    "lanes": (1, 2),
    "cache": (0, 1e8),
    "memory_mb": (1, 49_000),
    "seed": (0, 2**64 - 1),
}
"""The numbers among the constants, with the least and the largest value that each may have."""

CHOICES: Final[dict[str, tuple[str | None, ...]]] = {
    "fpu": get_args(FpuStrategy),
    "root_fpu": (None, *get_args(FpuStrategy)),
    "interval": get_args(IntervalAt),
    "contempt_draw": get_args(ContemptDraw),
    "contempt_freeze_at": get_args(ContemptFreezeAt),
}
"""The constants that are words, with the words that each may be."""


def seats(params: SearchParams) -> tuple[Seat, Seat]:
    """The seats of the side to move at the root and of the other side, for a search with one evaluator.

    Both are the same object without contempt: then a tree may be kept after any move, else after an even number only.
    """
    ordinary = Seat()
    if params.contempt_visits is None:
        return ordinary, ordinary
    freeze = FreezeAfter(
        params.contempt_visits,
        draw=params.contempt_draw,
        temperature=params.contempt_temperature,
        at=params.contempt_freeze_at,
    )
    return ordinary, Seat(freeze)


def _check(constants: SearchParams | MoveChoice) -> None:
    for constant in fields(constants):
        name, value = constant.name, getattr(constants, constant.name)
        kinds = (constant.type, *get_args(constant.type))
        if value is None and NoneType in kinds:
            continue
        if bool in kinds and not isinstance(value, bool):
            raise ConfigError(f"search parameter {name} = {value!r}: expected true or false")
        if name in RANGES:
            low, high = RANGES[name]
            whole = int in kinds
            number = isinstance(value, Integral if whole else Real) and not isinstance(value, bool)
            if not number or not low <= value <= high:
                kind, off = "a whole number, " if whole else "", ", or off" if name == "contempt_visits" else ""
                raise ConfigError(f"search parameter {name} = {value!r}: expected {kind}{low:.12g} to {high:.12g}{off}")
        if name in CHOICES and value not in CHOICES[name]:
            expected = " or ".join(choice for choice in CHOICES[name] if choice)
            raise ConfigError(f"search parameter {name} = {value!r}: expected {expected}")


BEST_MOVE: Final = MoveChoice()
"""No temperature: the best move is played."""

PRESETS: dict[str, SearchParams] = {
    "lc0": SearchParams(),
    "lc0-0.28": SearchParams(moves_left_threshold=0.0),
}
"""Defaults by lc0 version. They differ in the moves-left threshold alone (skill-compatible §1.5)."""

_DEFAULTS: Final[dict[str, tuple[Any, ...]]] = {
    **{one.name: tuple(getattr(preset, one.name) for preset in PRESETS.values()) for one in fields(SearchParams)},
    **{one.name: (one.default,) for one in fields(MoveChoice)},
}
"""The values of each constant that nobody has to have chosen: those of the presets, `lc0`'s first."""


Constant = bool | int | float | str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchSettings:
    """The constants of a search and those of the choice of its move. All their names differ."""

    params: SearchParams = field(default_factory=SearchParams)
    choice: MoveChoice = BEST_MOVE

    def with_settings(self, settings: Mapping[str, str]) -> Self:
        """A copy with some constants changed, whose values are given as text.

        :raises ConfigError: an unknown name, or a value of the wrong kind or out of range.
        """
        values: dict[str, Constant] = {}
        for name, text in settings.items():
            if name not in KINDS:
                raise ConfigError(f"unknown search parameter {name!r}: {near(name, KINDS)}")
            values[name] = _parse(name, KINDS[name], text)
        return self.with_values(values)

    def with_values(self, values: Mapping[str, Constant]) -> Self:
        """A copy with some constants changed.

        :raises ConfigError: a value out of range.
        """
        of_choice: dict[str, Any] = {name: value for name, value in values.items() if name in _OF_CHOICE}
        of_params: dict[str, Any] = {name: value for name, value in values.items() if name not in _OF_CHOICE}
        return replace(self, params=replace(self.params, **of_params), choice=replace(self.choice, **of_choice))

    def refuse_unread(self) -> None:
        """Check that a search of chess reads every constant that has another value than its default.

        :raises ConfigError: it would not, by name, with what the constant needs.
        """
        values = self.values()
        refuse(values, unread(values, _DEFAULTS, game="chess"))

    def values(self) -> dict[str, Constant]:
        """All constants by their names."""
        return {name: getattr(self.choice if name in _OF_CHOICE else self.params, name) for name in KINDS}


KINDS: Final = {one.name: one.type for one in (*fields(SearchParams), *fields(MoveChoice))}
"""The type of every constant."""
_OF_CHOICE: Final = frozenset(one.name for one in fields(MoveChoice))

_BOOLEANS = {
    "true": True,
    "false": False,
    "1": True,
    "0": False,
    "yes": True,
    "no": False,
    "on": True,
    "off": False,
}


def _parse(name: str, kind: Any, text: str) -> Constant:
    kinds, text = (kind, *get_args(kind)), text.strip()
    if NoneType in kinds and text.lower() in ("none", "same", "off"):
        return None
    try:
        if bool in kinds:
            return _BOOLEANS[text.lower()]
        if int in kinds:
            return int(text)
        if float in kinds:
            return float(text)
    except (KeyError, ValueError):
        expected = "true or false" if bool in kinds else "a whole number" if int in kinds else "a number"
        raise ConfigError(f"search parameter {name} = {text!r}: expected {expected}") from None
    return text
