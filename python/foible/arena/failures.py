"""What went wrong with the players of a match: engines that had to be started again, and games lost by that."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from foible.arena.record import FORFEIT, GameRecord


@dataclass(frozen=True, slots=True)
class Failures:
    """The failures of one team."""

    team: str
    restarts: Mapping[str, int]
    """How often an engine crashed, hung or answered nonsense, was started again and went on, by what it did."""
    forfeits: Mapping[str, int]
    """Games that were lost so, by the reason."""

    def __str__(self) -> str:
        """`3 restarts (no move within 10 s 2, null move 1); 1 game forfeited (null move 1)`."""
        parts = [("restart{s}", self.restarts), ("game{s} forfeited", self.forfeits)]
        said = [
            f"{sum(counts.values())} {what.format(s='s' * (sum(counts.values()) != 1))} ({_listed(counts)})"
            for what, counts in parts
            if counts
        ]
        return "; ".join(said)

    def to_json(self) -> dict[str, Any]:
        """Plain values."""
        return {"team": self.team, "restarts": dict(self.restarts), "forfeits": dict(self.forfeits)}


def failures(games: Sequence[GameRecord]) -> tuple[Failures, ...]:
    """The failures of the focal team and of the alter team, where anything went wrong."""
    found = []
    for focal in (True, False):
        restarts = Counter(reason for game in games for reason in _restarts(game, focal=focal))
        lost = [game for game in games if game.termination.startswith(FORFEIT) and game.focal_score == 1 - focal]
        forfeits = Counter(game.termination.removeprefix(FORFEIT) for game in lost)
        if restarts or forfeits:
            name = games[0].white if games[0].focal_white == focal else games[0].black
            found.append(Failures(name, _sorted(restarts), _sorted(forfeits)))
    return tuple(found)


def _restarts(game: GameRecord, *, focal: bool) -> Iterator[str]:
    """Why an engine of the team was started again, for each time."""
    first = game.focal_white == game.starts_white
    for ply, move in enumerate(game.moves, len(game.opening.moves)):
        if "restart" in move.info and (first == (ply % 2 == 0)) == focal:
            yield str(move.info["restart"])


def _sorted(counts: Mapping[str, int]) -> dict[str, int]:
    """The most frequent first."""
    return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))


def _listed(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{reason} {count}" for reason, count in counts.items())
