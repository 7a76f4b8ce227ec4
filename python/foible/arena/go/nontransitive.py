"""Players who beat each other in cycles: how often it happens, and who they are (SAI, §6)."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from foible.arena.pairwise import Floats, Pairwise

Bools = NDArray[np.bool_]

SIGNIFICANT = 1.959963984540054
"""z above which a result is no chance, two-sided at 5 %."""
LONGEST = 6


@dataclass(frozen=True, slots=True)
class Cycle:
    """Players each of whom beats the next, the last one the first."""

    players: tuple[str, ...]
    shares: tuple[float, ...]
    """What each won from the next, 0 to 1."""
    z: float
    """The z-score of the least certain of these results."""

    def __str__(self) -> str:
        steps = (f"{name} {100 * share:.0f} %" for name, share in zip(self.players, self.shares, strict=True))
        return f"{' → '.join(steps)} → {self.players[0]}"


@dataclass(frozen=True, slots=True)
class Transitivity:
    """How far "beats" is an order."""

    threshold: float
    """z from which a result counts."""
    met: int
    """Triples of players who all met."""
    triples: int
    """Those with clear results: each beats, or is beaten by, the others."""
    cyclic: int
    """How many of these are cycles, in which each beats one of the others. Without any
    order among the players a quarter would be.
    """
    cycles: tuple[Cycle, ...]
    """The shortest ones, in which no player beats, or is beaten by, another than its neighbours; surest first."""

    @property
    def share(self) -> float | None:
        """The share of non-transitive triples, 0 to 1; `None` where there is no triple."""
        return self.cyclic / self.triples if self.triples else None

    @property
    def summary(self) -> str:
        """The result in one line."""
        clear = f"clear results (z ≥ {self.threshold:.2f})"
        if not self.met:
            return "no three players all met each other"
        if self.share is None:
            return f"no triple has {clear} yet"
        percent = f", {100 * self.share:.1f} %" if self.cyclic else ""
        return (
            f"{'cycles' if self.cycles else 'no cycles'}: {self.cyclic} of {self.triples} triples with {clear}{percent}"
        )

    def to_json(self) -> dict[str, Any]:
        """Plain values."""
        cycles = [{"players": list(c.players), "shares": list(c.shares), "z": c.z} for c in self.cycles]
        counts = {"met": self.met, "triples": self.triples, "cyclic": self.cyclic, "share": self.share}
        return {"threshold": self.threshold, **counts, "cycles": cycles}


def transitivity(results: Pairwise, threshold: float = SIGNIFICANT, longest: int = LONGEST) -> Transitivity:
    """Whether players beat each other in cycles.

    i beats j where z = (share − ½) · 2 √games, the deviation from chance in standard errors, is `threshold` or more.
    Every cycle contains a shortest one, which three players form where all have met; longer ones than `longest` are not
    looked for.
    """
    z = z_values(results)
    beats = z >= threshold
    decided = beats | beats.T
    found = [_cycle(results, z, members) for members in _minimal_cycles(beats, longest)]
    return Transitivity(
        threshold=threshold,
        met=_triangles(results.games > 0) // 6,
        triples=_triangles(decided) // 6,
        cyclic=_triangles(beats) // 3,
        cycles=tuple(sorted(found, key=lambda cycle: (len(cycle.players), -cycle.z, cycle.players))),
    )


def z_values(results: Pairwise) -> Floats:
    """`[N, N]`: how far the share of i against j lies above one half, in standard errors of chance; 0 without games."""
    games = results.games
    excess = results.points - results.points.T
    return np.divide(excess, np.sqrt(games), out=np.zeros_like(games), where=games > 0)


def _triangles(graph: Bools) -> int:
    """Closed walks of three steps."""
    steps = graph.astype(np.int64)
    return int(np.trace(steps @ steps @ steps))


def _cycle(results: Pairwise, z: Floats, members: tuple[int, ...]) -> Cycle:
    steps = list(zip(members, (*members[1:], members[0]), strict=True))
    shares = results.shares
    return Cycle(
        tuple(results.names[i] for i in members),
        tuple(float(shares[i, j]) for i, j in steps),
        min(float(z[i, j]) for i, j in steps),
    )


def _minimal_cycles(beats: Bools, longest: int) -> Iterator[tuple[int, ...]]:
    """Cycles in which only neighbours are linked, each once, from its lowest number on."""
    linked = beats | beats.T
    after = [np.flatnonzero(row).tolist() for row in beats]
    for start in range(len(beats)):
        paths: list[tuple[int, ...]] = [(start, second) for second in after[start] if second > start]
        while paths:
            path = paths.pop()
            for following in after[path[-1]]:
                if following <= start or linked[following, list(path[1:-1])].any():
                    continue
                if beats[following, start]:
                    yield (*path, following)
                elif not linked[following, start] and len(path) + 1 < longest:
                    paths.append((*path, following))
