"""Ending games early: resignation and draws by agreement, on the players' own expected scores.

As cutechess does it (phase-experts §7.1). A move for which its player gave no value breaks the run of moves.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from foible.errors import ConfigError


@dataclass(frozen=True, slots=True)
class Resignation:
    """A side that thinks itself lost for `moves` own moves on end loses. One-sided."""

    value: float = 0.0664
    """Own expected score at or below which a side counts itself lost (−600 cp in §7.1)."""
    moves: int = 5

    def __post_init__(self) -> None:
        _check("resignation", value=(self.value, 0, 1), moves=(self.moves, 1, 1000))


@dataclass(frozen=True, slots=True)
class DrawAgreement:
    """The game is drawn when both sides have thought it level for `moves` moves each."""

    margin: float = 0.0325
    """Largest distance of the expected score from ½ that counts as level (20 cp in §7.1)."""
    moves: int = 4
    from_move: int = 30
    """Full moves of the game before which it is not drawn."""

    def __post_init__(self) -> None:
        _check(
            "draw_agreement",
            margin=(self.margin, 0, 0.5),
            moves=(self.moves, 1, 1000),
            from_move=(self.from_move, 0, 100_000),
        )


def _check(section: str, **ranges: tuple[float, float, float]) -> None:
    for name, (value, low, high) in ranges.items():
        if not low <= value <= high:
            raise ConfigError(f"{section}.{name} = {value}: expected {low} to {high}")


def has_resigned(values: Sequence[float | None], rule: Resignation) -> bool:
    """Whether the player of the last ply gives up. `values`: per ply, the mover's own expected score."""
    own = values[::-1][: 2 * rule.moves : 2]
    return len(own) == rule.moves and all(v is not None and v <= rule.value for v in own)


def is_agreed_draw(values: Sequence[float | None], rule: DrawAgreement) -> bool:
    """Whether the last `2 * moves` plies were level, late enough in the game."""
    last = values[-2 * rule.moves :]
    level = all(v is not None and abs(v - 0.5) <= rule.margin for v in last)
    return level and len(last) == 2 * rule.moves and len(values) >= 2 * rule.from_move
