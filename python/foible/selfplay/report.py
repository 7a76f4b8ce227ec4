"""The report on a run of self-play: results, lengths of games, and how safe resigning is."""

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Any

from foible.arena.report import commonest_first
from foible.arena.stats import DecisiveRatio, Share, decisive_ratio
from foible.search.speed import Speed
from foible.selfplay.config import SelfplayConfig
from foible.selfplay.record import GameSummary


@dataclass(frozen=True, slots=True)
class Resignations:
    """How often resigning would have been wrong, as games that were played out show."""

    resigned: int
    """The number of games that ended by resignation."""
    false: Share
    """The share of the games played out in which a side was ready to resign and did not lose after all."""
    won: int
    """The number of these games that the side even won."""


@dataclass(frozen=True, slots=True)
class SelfplayReport:
    """The report on all finished games of a run."""

    games: int
    asked: int
    white: int
    draws: int
    black: int
    plies: int
    terminations: dict[str, int]
    """The number of games that ended in each way, the most frequent first."""
    resignations: Resignations | None
    contempt_visits: float | None
    """N_scl of the next games: the constant, or the controller's latest value; `None` without contempt."""
    speed: Speed | None = field(default=None, compare=False)
    """The speed of the call that ended the run, `None` where nothing was played."""

    @property
    def decisive_ratio(self) -> DecisiveRatio:
        return decisive_ratio(self.white + self.black, self.draws)

    @property
    def mean_plies(self) -> float | None:
        return self.plies / self.games if self.games else None

    def to_json(self) -> dict[str, Any]:
        """Plain values."""
        ratio = self.decisive_ratio
        found: dict[str, Any] = {
            "games": self.games,
            "asked": self.asked,
            "white": self.white,
            "draws": self.draws,
            "black": self.black,
            "decisive_ratio": ratio.value,
            "decisive_ratio_95": [ratio.low, ratio.high],
            "mean_plies": self.mean_plies,
            "terminations": self.terminations,
            "contempt_visits": self.contempt_visits,
        }
        if self.resignations:
            one = self.resignations
            found["resignations"] = {
                "resigned": one.resigned,
                "played_out": one.false.n,
                "false": one.false.count,
                "won": one.won,
                "false_share": one.false.value,
                "false_share_95": list(one.false.interval),
            }
        return found

    def with_speed(self) -> dict[str, Any]:
        """`to_json` and the speed, the only part in which two runs of one configuration differ."""
        return {**self.to_json(), "speed": self.speed and self.speed.to_json()}


def report_on(
    games: Collection[GameSummary],
    config: SelfplayConfig,
    contempt_visits: float | None,
    speed: Speed | None = None,
) -> SelfplayReport:
    """The report on finished games of a run. `contempt_visits`: N_scl of the games to come."""
    results = Counter(game.result for game in games)
    return SelfplayReport(
        games=len(games),
        asked=config.games,
        white=results["1-0"],
        draws=results["1/2-1/2"],
        black=results["0-1"],
        plies=sum(game.plies for game in games),
        terminations=commonest_first(Counter(game.termination for game in games)),
        resignations=resignations(games) if config.resignation else None,
        contempt_visits=contempt_visits,
        speed=speed,
    )


def resignations(games: Collection[GameSummary]) -> Resignations:
    """How often a side that was ready to resign would have been wrong, by the games played out."""
    tested = [game for game in games if game.played_out and game.resign_white is not None]
    lost = [game for game in tested if game.result == ("0-1" if game.resign_white else "1-0")]
    drawn = [game for game in tested if not game.decisive]
    saved = len(tested) - len(lost)
    resigned = sum(game.termination == "resignation" for game in games)
    return Resignations(resigned, Share(saved, len(tested)), saved - len(drawn))
