"""Which constants of a search are read only where another one is on, or in one game only.

A value that nothing would read is refused: whoever sweeps it would compare a search with itself.
"""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

from foible.errors import ConfigError

GameName = Literal["chess", "go"]


@dataclass(frozen=True, slots=True)
class Need:
    """What must hold for a constant to be read."""

    what: str
    """In words that say what would be right."""
    met: Callable[[Mapping[str, Any]], bool]
    """By the values of all constants, and by `game` and `margins`."""


def _samples(values: Mapping[str, Any]) -> bool:
    """Whether any move is chosen with a temperature."""
    ends = values["temperature_cutoff_move"] > 0 and values["temperature_endgame"] > 0
    return bool(ends or values["temperature"] > 0)


def _root_factor(values: Mapping[str, Any]) -> float:
    own = values["root_cpuct_factor"]
    return float(values["cpuct_factor"] if own is None else own)


def _reads_base(values: Mapping[str, Any]) -> bool:
    """Whether `cpuct_base` is read: below the root, or at it where the root has no base of its own."""
    return bool(values["cpuct_factor"] > 0 or (_root_factor(values) > 0 and values["root_cpuct_base"] is None))


_CHESS: Final = Need("a game of chess", lambda values: values["game"] == "chess")
_MARGINS: Final = Need("a search of Go with margins", lambda values: bool(values["margins"]))
_CONTEMPT: Final = Need("contempt_visits", lambda values: values["contempt_visits"] is not None)
_NOISE: Final = Need("noise_epsilon above 0", lambda values: values["noise_epsilon"] > 0)
_MOVES_LEFT: Final = Need("moves_left_max_effect above 0", lambda values: values["moves_left_max_effect"] > 0)
_TEMPERATURE: Final = Need("temperature above 0", lambda values: values["temperature"] > 0)
_SAMPLES: Final = Need("temperature above 0", _samples)

NEEDS: Final[dict[str, Need]] = {
    "cpuct_base": Need("cpuct_factor above 0", _reads_base),
    "root_cpuct_base": Need("root_cpuct_factor above 0", lambda values: _root_factor(values) > 0),
    "interval": _MARGINS,
    "terminal_beta": _MARGINS,
    "two_fold_draws": _CHESS,
    "moves_left_threshold": _MOVES_LEFT,
    "moves_left_slope": _MOVES_LEFT,
    "moves_left_constant": _MOVES_LEFT,
    "moves_left_scaled": _MOVES_LEFT,
    "moves_left_quadratic": _MOVES_LEFT,
    "contempt_temperature": _CONTEMPT,
    "contempt_draw": _CONTEMPT,
    "contempt_freeze_at": _CONTEMPT,
    "noise_alpha": _NOISE,
    "temperature_decay_moves": _TEMPERATURE,
    "temperature_decay_delay": Need(
        "temperature and temperature_decay_moves above 0",
        lambda values: values["temperature"] > 0 and values["temperature_decay_moves"] > 0,
    ),
    "temperature_cutoff_move": Need(
        "temperature or temperature_endgame above 0",
        lambda values: values["temperature"] > 0 or values["temperature_endgame"] > 0,
    ),
    "temperature_endgame": Need(
        "temperature_cutoff_move, or temperature and temperature_decay_moves above 0",
        lambda values: (
            values["temperature_cutoff_move"] > 0
            or (values["temperature"] > 0 and values["temperature_decay_moves"] > 0)
        ),
    ),
    "temperature_value_cutoff": _SAMPLES,
    "temperature_visit_offset": _SAMPLES,
}
"""The constants that are not always read, as far as the constants alone tell."""
GO_ONLY: Final = frozenset(name for name, need in NEEDS.items() if need is _MARGINS)
"""The constants that no search of chess reads."""


def unread(
    values: Mapping[str, Any], defaults: Mapping[str, Collection[Any]], *, game: GameName, margins: bool = False
) -> dict[str, Need]:
    """The constants whose value nothing would read, with what they need. Default values need nothing.

    :param defaults: for each constant, the values that count as defaults.
    :param margins: whether a seat weighs margins of victory.
    """
    given = {**values, "game": game, "margins": margins}
    return {
        name: need
        for name, need in NEEDS.items()
        if name in values and values[name] not in defaults[name] and not need.met(given)
    }


def refuse(values: Mapping[str, Any], idle: Mapping[str, Need]) -> None:
    """:raises ConfigError: there is a constant that nothing would read; names the first."""
    for name, need in idle.items():
        raise ConfigError(
            f"search parameter {name} = {values[name]!r} would have no effect: it needs {need.what}; without that, "
            f"leave {name} out"
        )
