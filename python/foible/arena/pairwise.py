"""The results of a set of players against each other: Elo ratings estimated from them, and the cycles in which players
beat each other, how often they occur and who is in them (SAI, §6).
"""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from foible.arena.stats import Z95
from foible.errors import ConfigError
from foible.mistakes import near
from foible.wording import percent

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

SCALE = 400 / math.log(10)
"""Elo per unit of log-odds."""
STEPS = 100
"""The most steps of Newton's method that the ratings take."""
LONGEST = 6
"""The most players of a cycle that is looked for."""


@dataclass(frozen=True, slots=True)
class Pairwise:
    """The points that each of N players won from each of the others."""

    names: tuple[str, ...]
    points: Floats
    """`[N, N]`: entry i, j is the number of points that i won from j; a draw gives half a point to both."""
    tosses: Floats | float = 1.0
    """`[N, N]`: the number of tosses of a coin whose mean varies as little as one game: 1 where games are never drawn
    and do not depend on each other, more where many are drawn."""

    @property
    def games(self) -> Floats:
        """`[N, N]`: the number of games between i and j."""
        return self.points + self.points.T

    @property
    def shares(self) -> Floats:
        """`[N, N]`: the share of the points that i won from j, 0 to 1; NaN where they did not meet."""
        games = self.games
        return np.divide(self.points, games, out=np.full_like(games, np.nan), where=games > 0)


def pairwise_of(results: Mapping[tuple[str, str], tuple[float, int]]) -> Pairwise:
    """The table of results, from a mapping of (first, second) player to the first one's points and the number
    of games.
    """
    names = tuple(dict.fromkeys(name for two in results for name in two))
    index = {name: i for i, name in enumerate(names)}
    points = np.zeros((len(names), len(names)))
    for (first, second), (won, games) in results.items():
        points[index[first], index[second]] += won
        points[index[second], index[first]] += games - won
    return Pairwise(names, points)


@dataclass(frozen=True, slots=True)
class EloRatings:
    """Elo ratings of N players. The zero of the scale is the mean of all, or the rating of one of them."""

    names: tuple[str, ...]
    elo: Floats
    """`[N]`: the rating of each player."""
    standard_errors: Floats
    """`[N]`: the standard error of each player's difference to the zero of the scale."""


def ratings(results: Pairwise, draws: float = 0.0, *, zero: str | None = None) -> EloRatings:
    """Elo by maximum likelihood, P(i beats j) = 1 / (1 + 10^((Rⱼ − Rᵢ) / 400)) (SAI, §6).

    A draw is half a win and half a loss. Elo knows one dimension: where players beat each other in cycles it is a poor
    summary (`transitivity`).

    `draws`: the number of drawn games added between any two players who met. With 0 there are ratings only where a
    chain of wins, or draws, leads from everybody to everybody else; with 1 they are finite wherever games link all
    players.

    `zero`: the player whose rating is 0; when absent, the mean of all ratings is 0.

    :raises ConfigError: the ratings are not finite: names two players without a chain of wins between them; or `zero`
        is no player.
    """
    if zero is not None and zero not in results.names:
        raise ConfigError(f"zero: there is no player {zero!r}; {near(zero, results.names)}")
    points = results.points + np.where(results.games > 0, draws / 2, 0.0)
    _check_reach(results.names, points)
    games, won = points + points.T, points.sum(axis=1)
    strength = np.zeros(len(results.names))
    for _ in range(STEPS):
        expected = 1 / (1 + np.exp(strength[None, :] - strength[:, None]))
        gradient = won - (games * expected).sum(axis=1)
        step = np.linalg.pinv(_information(games, expected), hermitian=True) @ gradient
        # Newton's steps may overshoot where somebody won nearly all games.
        strength = strength + step * min(1.0, 2.0 / max(np.abs(step).max(), 1e-300))
        if np.abs(step).max() < 1e-10:
            break
    expected = 1 / (1 + np.exp(strength[None, :] - strength[:, None]))
    # To take draws as half a win does not bias the ratings, but by this likelihood results vary as tosses of a coin do.
    # The sandwich estimate is from how much they really vary.
    inverse = np.linalg.pinv(_information(games, expected), hermitian=True)
    covariance = inverse @ _information(games / results.tosses, expected) @ inverse
    variance = np.diag(covariance)
    if zero is None:
        return EloRatings(results.names, SCALE * (strength - strength.mean()), SCALE * np.sqrt(variance))
    i = results.names.index(zero)
    variance = np.maximum(variance + variance[i] - 2 * covariance[i], 0.0)
    return EloRatings(results.names, SCALE * (strength - strength[i]), SCALE * np.sqrt(variance))


def _information(games: Floats, expected: Floats) -> Floats:
    """`[N, N]`: the Fisher information of the strengths in log-odds; singular, since shifting all strengths changes
    nothing.
    """
    weights = games * expected * (1 - expected)
    found: Floats = np.diag(weights.sum(axis=1)) - weights
    return found


def _check_reach(names: tuple[str, ...], points: Floats) -> None:
    """Check that everybody won points from everybody else, directly or through others (Ford, 1957)."""
    reach = np.eye(len(names), dtype=bool) | (points > 0)
    for _ in range(max(len(names), 2).bit_length()):
        reach = reach @ reach
    if not reach.all():
        i, j = np.argwhere(~reach)[0]
        raise ConfigError(
            f"no Elo: no chain of wins leads from {names[i]} to {names[j]}, so that their distance is endless"
        )


@dataclass(frozen=True, slots=True)
class Cycle:
    """Players each of whom beats the next, the last one the first."""

    players: tuple[str, ...]
    shares: tuple[float, ...]
    """What each won from the next, 0 to 1."""
    z: float
    """The z-score of the least certain of these results."""

    def __str__(self) -> str:
        steps = (f"{name} {percent(share, digits=0)}" for name, share in zip(self.players, self.shares, strict=True))
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
        share = f", {percent(self.share)}" if self.cyclic else ""
        return (
            f"{'cycles' if self.cycles else 'no cycles'}: {self.cyclic} of {self.triples} triples with {clear}{share}"
        )

    def to_json(self) -> dict[str, Any]:
        """Plain values."""
        cycles = [{"players": list(c.players), "shares": list(c.shares), "z": c.z} for c in self.cycles]
        counts = {"met": self.met, "triples": self.triples, "cyclic": self.cyclic, "share": self.share}
        return {"threshold": self.threshold, **counts, "cycles": cycles}


def transitivity(results: Pairwise, threshold: float = Z95, longest: int = LONGEST) -> Transitivity:
    """Whether players beat each other in cycles.

    i beats j where z, the deviation of the share from ½ in standard errors (`z_values`), is `threshold` or more.
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
    """`[N, N]`: how far the share of i against j lies above one half, in standard errors, (share − ½) · 2 √n for games
    that are worth n tosses of a coin; 0 without games.
    """
    games = results.games
    excess = results.points - results.points.T
    z: Floats = np.divide(excess, np.sqrt(games), out=np.zeros_like(games), where=games > 0) * np.sqrt(results.tosses)
    return z


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
