"""Matches of a run: of its nets with each other, and with its panel (SAI, §5.2, §6); and Elo from them."""

import math
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import msgspec
import numpy as np

from foible.arena.go.record import GoRecord
from foible.arena.go.report import Mean, statistics
from foible.arena.match import decisive_games, first_games
from foible.arena.pairwise import pairwise_of, ratings
from foible.arena.progress import MatchProgress
from foible.nets.paths import stem
from foible.runs.journal import Journal
from foible.training.go.config import Gated, GoTrainConfig, PanelConfig, Strength
from foible.training.go.crew import Crew
from foible.training.go.folder import matches_path
from foible.training.go.games import Contest, Enough, NetFile
from foible.training.go.generation import Against, Candidates, Generation
from foible.training.go.promotion import decided

LINK = 1.0
"""Games that are added as draws between each two nets that met, so that a net that lost all its games has an Elo, too.
"""


def elo(generations: Iterable[Generation]) -> dict[int, tuple[float, float]]:
    """Elo above the random net and its standard error by generation, from all matches, for nets that games link to the
    random one.

    Nets are known to beat each other in cycles (SAI, §6): take this Elo for a rough guide.
    """
    linked, results = {0}, {}
    for generation in generations:
        for match in generation.matches:
            if match.opponent in linked:
                linked.add(generation.number)
                results[str(generation.number), str(match.opponent)] = (match.points, match.games)
    if not results:
        return {}
    elos = ratings(pairwise_of(results), LINK, zero="0")
    return {
        int(name): (float(value), float(error))
        for name, value, error in zip(elos.names, elos.elo, elos.standard_errors, strict=True)
    }


class Contests:
    """Plays the matches of a run. A result of `None` means that the run was stopped."""

    def __init__(
        self,
        config: GoTrainConfig,
        folder: Path,
        crew: Crew,
        on_progress: Callable[[int, MatchProgress[GoRecord]], None],
    ) -> None:
        """`config`: the configuration from `run.resolved`.

        `on_progress`: called with the number of the generation whose match is played, and the progress of the match.
        """
        self._config = config
        self._folder = folder
        self._crew = crew
        self._on_progress = on_progress

    def against_earlier(self, number: int) -> list[Against] | None:
        """Play a generation's net against the nets that are older by each of `strength.ages`."""
        strength = self._config.strength
        if not strength.games:
            return []
        opponents = sorted({number - age for age in strength.ages if age <= number}, reverse=True)
        net, found = NetFile.of(self._folder, number), []
        for opponent in opponents:
            contest = self._contest(number, net, NetFile.of(self._folder, opponent), strength.games, strength)
            games = self._play(number, contest)
            found.append(Against(opponent, len(games), _points(games)))
        return None if self._crew.stopped.is_set() else found

    def against_panel(self, number: int) -> Mean | None:
        """Play a generation's net against all nets of the panel; returns the `panel_share`."""
        panel = self._config.panel
        if panel is None:
            return panel_share([])
        net, opponents = NetFile.of(self._folder, number), map(_other, map(Path, self._config.panel_nets))
        contests = [self._contest(number, net, opponent, panel.games, panel) for opponent in opponents]
        matches = [self._play(number, contest) for contest in contests]
        return None if self._crew.stopped.is_set() else panel_share(matches)

    def beats_best(self, candidate: Path, number: int, best: int) -> bool | None:
        """Play a candidate of a generation against the best net; returns whether it is promoted."""
        how = msgspec.structs.replace(self._config.strength, visits=self._config.selfplay.visits)
        contest = self._contest(number, _other(candidate), NetFile.of(self._folder, best), self._gated.match_games, how)
        games = self._play(number, contest, self._is_decided)
        return None if self._crew.stopped.is_set() else self._promoted(games)

    @property
    def _gated(self) -> Gated:
        assert isinstance(self._config.protocol, Gated)
        return self._config.protocol

    def _promoted(self, games: Sequence[GoRecord]) -> bool | None:
        """Whether a candidate is promoted, by the first games of its match; `None` while they do not decide that."""
        return decided(_points(games), len(games), self._gated.match_games, self._gated.threshold)

    def _is_decided(self, games: Sequence[GoRecord]) -> bool:
        return self._promoted(games) is not None

    def candidates(self, number: int) -> Candidates | None:
        """The candidates of a generation so far; `None` where none has played."""
        with Journal(matches_path(self._folder, number), GoRecord) as journal:
            games = [game for game in journal.items if game.focal.startswith("candidate-")]
        if not games:
            return None
        last = first_games([game for game in games if game.focal == games[-1].focal])
        decisive = decisive_games(last, self._is_decided) or last
        return Candidates(len({game.focal for game in games}), len(decisive), _points(decisive))

    def _contest(
        self, number: int, net: NetFile, opponent: NetFile, games: int, how: Strength | PanelConfig
    ) -> Contest:
        """A match of a generation. `number`: the number of the generation. `how`: gives the visits and the openings."""
        return Contest(
            net=net,
            opponent=opponent,
            games=games,
            visits=how.visits,
            opening_plies=how.opening_plies,
            komi=self._config.selfplay.komi.official,
            seed=int(np.random.default_rng([self._config.seed, number]).integers(2**31)),
        )

    def _play(self, number: int, contest: Contest, enough: Enough | None = None) -> list[GoRecord]:
        """Play a match of a generation."""
        with Journal(matches_path(self._folder, number), GoRecord) as journal:
            return self._crew.play_match(number, contest, journal, lambda now: self._on_progress(number, now), enough)


def _other(path: Path) -> NetFile:
    """The file of a candidate or of a net of the panel. Its name in games includes its hash: a candidate may be trained
    again, and another net may take the same name.
    """
    net = NetFile.at(path, stem(path))
    return msgspec.structs.replace(net, name=f"{net.name}-{net.sha256[:8]}")


def panel_share(matches: Sequence[Sequence[GoRecord]]) -> Mean:
    """The mean share that a net won against the nets of a panel, 0 to 1. `matches`: the games against each of them.

    The panel is fixed, so that only the games vary, independently in each match: the error of the mean of K shares with
    errors eₖ is √(Σ eₖ²) / K. Where all pairs of a match ended alike, as against a far weaker net, eₖ = 0. The error is
    `None` where that holds for all matches, or where a match has fewer than two pairs.
    """
    shares = [statistics(games).share for games in matches]
    values = [share.value for share in shares if share.value is not None]
    if not values:
        return Mean(0, None, None)
    errors = [share.standard_error or 0.0 for share in shares]
    known = any(errors) and all(len({game.pair for game in games}) > 1 for games in matches)
    error = math.hypot(*errors) / len(values) if known else None
    return Mean(sum(map(len, matches)), math.fsum(values) / len(values), error)


def _points(games: Sequence[GoRecord]) -> float:
    return sum(game.focal_score for game in games)
