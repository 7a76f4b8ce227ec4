"""The report on a match, as one value: shares, Elo, colours, terminations, failures of the players, and how much each
member of a team lost by its moves.
"""

import statistics
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from html import escape
from typing import Any, Final

from foible.arena.elo import (
    Elo,
    estimate_elo,
    normalised_elo,
    superiority,
)
from foible.arena.frameworks import Framework, check_is_framework
from foible.arena.losses import OnJudged, RoleLoss, role_losses
from foible.arena.match import FORFEIT
from foible.arena.record import GameRecord
from foible.arena.sprt import Sprt, SprtStanding
from foible.arena.stats import NO_PAIRS, Tally, count_different, is_repetitive, tally_games, tally_pairs
from foible.errors import ConfigError
from foible.mistakes import brief
from foible.nets.evaluator import Evaluator, check_is_evaluator
from foible.search.speed import Speed
from foible.wording import PLUS_MINUS, percent, results


@dataclass(frozen=True, slots=True)
class Failures:
    """The failures of one team."""

    team: str
    restarts: Mapping[str, int]
    """How often an engine crashed, hung or answered nonsense and was started again, by the reason."""
    forfeits: Mapping[str, int]
    """How many games were lost by such a failure, by the reason."""

    def __str__(self) -> str:
        """The counts in words: `3 restarts (2 × no move within 10 s, 1 × null move); 1 game forfeited (null move)`."""
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
    """The failures of the focal team and of the alter team; a team without any is left out."""
    failures_of_teams = []
    for focal in (True, False):
        restarts = Counter(reason for game in games for reason in _restarts(game, focal=focal))
        lost = [game for game in games if game.termination.startswith(FORFEIT) and game.focal_score == 1 - focal]
        forfeits = Counter(game.termination.removeprefix(FORFEIT) for game in lost)
        if restarts or forfeits:
            name = games[0].white if games[0].focal_white == focal else games[0].black
            failures_of_teams.append(Failures(name, commonest_first(restarts), commonest_first(forfeits)))
    return tuple(failures_of_teams)


def _restarts(game: GameRecord, *, focal: bool) -> Iterator[str]:
    """The reason of each restart of an engine of the team."""
    first = game.focal_white == game.starts_white
    for ply, move in enumerate(game.moves, len(game.opening.moves)):
        if "restart" in move.info and (first == (ply % 2 == 0)) == focal:
            yield str(move.info["restart"])


def commonest_first(counts: Mapping[str, int]) -> dict[str, int]:
    """The counts, the most frequent first, and equal ones by name: a report does not tell which game ended first."""
    return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))


def _listed(counts: Mapping[str, int]) -> str:
    if len(counts) == 1:
        return next(iter(counts))
    return ", ".join(f"{count} × {reason}" for reason, count in counts.items())  # a reason may end with a number


def repetition_of(different: int, games: int) -> str | None:
    """How many games are different, and what to do where they are too few for errors; `None` where all are."""
    if different == games:
        return None
    share = f"{different} of {games}"
    return f"{share}, too few for errors: {MORE_STARTS}" if is_repetitive(different, games) else share


MORE_STARTS: Final = (
    "players without chance repeat a game from the same start; pairs begin differently by --openings balanced,"
    ' openings = { file = "balanced" } in the configuration, or framework=standard(suite) in Python'
)
"""What to do where most games of a match are the same."""
VOID_SHARE = 0.005
"""A tag-team run is void when more of its games than this outlast their string or `max_plies`
(skill-compatible §1.1.5).
"""


@dataclass(frozen=True, slots=True)
class MatchReport:
    """A match from the focal team's point of view."""

    focal: str
    alter: str
    framework: str
    games: Tally
    as_white: Tally
    as_black: Tally
    pairs: Tally
    """The pentanomial of the pairs of which both games are finished."""
    terminations: dict[str, int]
    """How many games ended by each termination, the most frequent first."""
    mean_plies: float
    different: int
    """The number of games without those that repeat another move for move."""
    outlasted: int
    """The number of games longer than their string of coins."""
    roles: tuple[RoleLoss, ...]
    judge: str | None
    """The net whose expected scores the losses are computed from; `None`: the players' own scores are used."""
    finished: int
    """The number of finished games. In a match that was stopped, games after the first unfinished pair are not reported
    on."""
    failures: tuple[Failures, ...] = ()
    """The failures of the teams whose engines failed."""
    sprt: SprtStanding | None = None
    """The sequential test of the match, by pairs. Where it has ended the match, share and Elo tend to overstate the
    difference, as they are conditional on that end."""
    speed: Speed | None = field(default=None, compare=False)
    """The speed of the run that ended the match, `None` where nothing was played."""

    @property
    def sample(self) -> Tally:
        """The pairs from which errors and intervals come; none where fewer than half of the games are different."""
        return NO_PAIRS if is_repetitive(self.different, self.games.n) else self.pairs

    @property
    def repetition(self) -> str | None:
        """As `repetition_of` these games."""
        return repetition_of(self.different, self.games.n)

    @property
    def standard_error(self) -> float | None:
        """The standard error of the share, by pairs; `None` where `sample` has fewer than two, or all had one score."""
        return self.sample.sample_error

    @property
    def percent(self) -> str:
        """The share ± its standard error, such as `57.5 ± 2.1 %`; without an error where there is none."""
        return percent(self.games.share, self.standard_error)

    @property
    def independent_error(self) -> float | None:
        """The error that the share would have if all games were independent; `None` where all had the same score, and
        where `sample` is empty.
        """
        return (self.games.standard_error or None) if self.sample.n else None

    @property
    def elo(self) -> Elo | None:
        """Elo with its 95 % interval, by pairs; `None` where `sample` has fewer than two."""
        return estimate_elo(self.sample) if self.sample.n > 1 else None

    @property
    def unfinished_share(self) -> float:
        """The share of games that outlasted their coins, or of those that ended by `max_plies`, whichever is larger."""
        return max(self.outlasted, self.terminations.get("max_plies", 0)) / self.games.n

    @property
    def has_losses(self) -> bool:
        """Whether the loss of any member is known."""
        return any(role.mean is not None for role in self.roles)

    def to_json(self) -> dict[str, Any]:
        """Plain values. Counts of games are in the order W, D, L, of pairs LL … WW; scores and probabilities are 0 to
        1. Errors, Elo and superiority are by pairs, but for `independent_error`.
        """
        return {
            "focal": self.focal,
            "alter": self.alter,
            "framework": self.framework,
            "games": self.games.n,
            "wdl": _wdl(self.games),
            "as_white": _wdl(self.as_white),
            "as_black": _wdl(self.as_black),
            "pentanomial": list(self.pairs.counts),
            "share": self.games.share,
            "standard_error": self.standard_error,
            "independent_error": self.independent_error,
            "elo": asdict(self.elo) if self.elo else None,
            "normalised_elo": normalised_elo(self.sample),
            "superiority": superiority(self.sample),
            "sprt": self.sprt.to_json() if self.sprt else None,
            "terminations": self.terminations,
            "failures": [one.to_json() for one in self.failures],
            "mean_plies": self.mean_plies,
            "different": self.different,
            "repetition": self.repetition,
            "outlasted": self.outlasted,
            "judge": self.judge,
            "roles": [asdict(role) for role in self.roles],
            "finished": self.finished,
        }

    def _repr_html_(self) -> str:
        """For notebooks: the score, Elo with its 95 % interval, and what each member lost."""
        wins, draws, losses = _wdl(self.games)
        rows = [("different games", self.repetition)] if self.repetition else []
        rows += [("score", f"{self.percent} of {self.games.n} games ({results(wins, draws, losses)})")]
        rows += [("Elo [95 %]", str(self.elo))] if self.elo else []
        rows += [
            (f"{role.team}, {role.role}", f"loses {role.loss} percentage points a move")
            for role in self.roles
            if role.mean is not None
        ]
        body = "".join(f"<tr><td>{escape(name)}</td><td>{escape(text)}</td></tr>" for name, text in rows)
        caption = f"<caption>{escape(self.focal)} against {escape(self.alter)}</caption>"
        return f"<table>{caption}{body}</table><p>{PLUS_MINUS}</p>"

    def with_speed(self) -> dict[str, Any]:
        """`to_json` and the speed of the match, the only part in which two runs of one match differ."""
        return {**self.to_json(), "speed": self.speed and self.speed.to_json()}


def report_on(
    records: Sequence[GameRecord],
    framework: Framework | None = None,
    judge: Evaluator | None = None,
    sprt: Sprt | None = None,
    *,
    finished: int | None = None,
    speed: Speed | None = None,
    on_judged: OnJudged = lambda done, total: None,
) -> MatchReport:
    """The report on finished games. The judge, if there is one, evaluates every position of every game.

    `framework`: that of the match; when absent the records name it, but do not tell which games outlasted their coins.

    `sprt`: the sequential test of the match.

    `finished`: the number of finished games, where it is larger than the number of `records`.

    `on_judged`: told how far the judge is.

    :raises ConfigError: there is no finished game, or something else than records of games, a framework or an
        evaluator.
    """
    if framework is not None:
        check_is_framework(framework)
    given = list(records) if isinstance(records, Iterable) else [records]
    if not all(isinstance(record, GameRecord) for record in given):
        raise ConfigError(
            f"{brief(repr(records))}: expected records of games, as Match.play() or read_games(folder) return them"
        )
    if not given:
        raise ConfigError("no finished game to report on")
    if judge is not None:
        check_is_evaluator(judge)
    games = sorted(given, key=lambda record: record.number)
    first = games[0]
    coins = framework.coins if framework else None
    terminations = Counter(record.termination for record in games)
    pairs, different = tally_pairs(games), count_different(games)
    repetitive = is_repetitive(different, len(games))
    roles = role_losses(games, judge, on_judged)
    return MatchReport(
        focal=first.white if first.focal_white else first.black,
        alter=first.black if first.focal_white else first.white,
        framework=framework.name if framework else first.framework,
        games=tally_games(games),
        as_white=tally_games([record for record in games if record.focal_white]),
        as_black=tally_games([record for record in games if not record.focal_white]),
        pairs=pairs,
        terminations=commonest_first(terminations),
        mean_plies=statistics.fmean(record.plies for record in games),
        different=different,
        outlasted=coins.outlasted((record.pair, record.plies) for record in games) if coins else 0,
        roles=tuple(replace(role, standard_error=None) for role in roles) if repetitive else tuple(roles),
        judge=judge.name if judge else None,
        finished=len(games) if finished is None else finished,
        failures=failures(games),
        sprt=sprt.standing(pairs) if sprt else None,
        speed=speed,
    )


def _wdl(tally: Tally) -> list[int]:
    losses, draws, wins = tally.counts
    return [wins, draws, losses]
