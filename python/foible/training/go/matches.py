"""Matches of a run: of its nets with each other, and with its panel (SAI, §5.2, §6); and Elo from them."""

import math
import threading
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import numpy as np

from foible._core import Bonus
from foible.agents.go import GoSearch
from foible.arena.go.openings import Openings
from foible.arena.go.promotion import decided
from foible.arena.go.record import GoRecord
from foible.arena.go.referee import GoReferee, GoRules
from foible.arena.go.stats import Mean, statistics
from foible.arena.match import Match, Progress, decisive_games, first_games
from foible.arena.pairwise import pairwise, ratings
from foible.errors import ConfigError
from foible.nets.catalogue import open_net
from foible.nets.choices import Precision, default_threads
from foible.nets.download import file_sha256
from foible.nets.go.evaluator import GoRuntimeNet
from foible.nets.paths import stem
from foible.runs.journal import Journal
from foible.search.go import go_params, go_seats
from foible.training.go.config import Gated, GoTrainConfig
from foible.training.go.folder import matches_path, net_path
from foible.training.go.generation import Against, Candidates, Generation

Enough = Callable[[Sequence[GoRecord]], bool]

LINK = 1.0
"""Games that are added as drawn between each two nets that met, so that one that lost all has an Elo, too."""


class Contest:
    """Matches of one net, whose games are kept in a file."""

    def __init__(
        self,
        path: Path,
        *,
        visits: int,
        opening_plies: int,
        komi: float,
        seed: int,
        stopped: threading.Event,
        on_progress: Callable[[Progress[GoRecord]], None],
    ) -> None:
        self._path = path
        self._visits = visits
        self._opening_plies = opening_plies
        self._komi = komi
        self._seed = seed
        self._stopped = stopped
        self._on_progress = on_progress

    def play(
        self,
        net: tuple[str, GoRuntimeNet],
        opponent: tuple[str, GoRuntimeNet],
        games: int,
        enough: Enough | None = None,
    ) -> list[GoRecord]:
        """The games of a net against another, each with its name; without a bonus, as panels have it (SAI, §3.5, §6).

        Fewer than asked for where the first ones are enough, or the run was stopped.
        """
        size = net[1].size
        openings = Openings(self._opening_plies, size=size, komi=self._komi, seed=self._seed, evaluator=opponent[1])
        rules = GoRules(games=games, size=size, komi=self._komi, seed=self._seed)
        with Journal(self._path, GoRecord) as journal, self._player(*net) as one, self._player(*opponent) as other:
            return Match(
                one,
                other,
                GoReferee(rules, openings, one.name, other.name),
                finished=[game for game in journal.items if (game.focal, game.opponent) == (net[0], opponent[0])],
                on_finished=lambda game: journal.append([game]),
                on_progress=self._on_progress,
                enough=enough,
                stopped=self._stopped,
            ).play()

    def _player(self, name: str, net: GoRuntimeNet) -> GoSearch:
        ours, theirs = go_seats(Bonus() if net.judges_margins else None)
        return GoSearch([net], nodes=self._visits, params=go_params(size=net.size), ours=ours, theirs=theirs, name=name)


def elo(generations: Iterable[Generation]) -> dict[int, tuple[float, float]]:
    """By generation, Elo above the random net and its standard error, from all matches; of nets that games link to it.

    Nets are known to beat each other in cycles (SAI, §6): take it for a rough guide.
    """
    linked, results = {0}, {}
    for one in generations:
        for match in one.matches:
            if match.opponent in linked:
                linked.add(one.number)
                results[str(one.number), str(match.opponent)] = (match.points, match.games)
    if not results:
        return {}
    found = ratings(pairwise(results), LINK, zero="0")
    return {
        int(name): (float(value), float(error))
        for name, value, error in zip(found.names, found.elo, found.errors, strict=True)
    }


class Contests:
    """All of a run. `None` in place of a result: the run was stopped."""

    def __init__(
        self,
        config: GoTrainConfig,
        folder: Path,
        stopped: threading.Event,
        on_progress: Callable[[int, Progress[GoRecord]], None],
    ) -> None:
        """`config`: as `resolved` makes it.

        `on_progress`: told of the generation whose matches are played, and where a match stands.
        """
        self._config = config
        self._folder = folder
        self._stopped = stopped
        self._on_progress = on_progress

    def against_earlier(self, number: int) -> list[Against] | None:
        """A generation's net against those of `strength.ages` before it."""
        strength = self._config.strength
        if not strength.games:
            return []
        opponents = sorted({number - age for age in strength.ages if age <= number}, reverse=True)
        contest = self._contest(number, strength.visits, strength.opening_plies)
        net, found = self._own(number), []
        for opponent in opponents:
            games = contest.play(net, self._own(opponent), strength.games)
            found.append(Against(opponent, len(games), _points(games)))
        return None if self._stopped.is_set() else found

    def against_panel(self, number: int) -> Mean | None:
        """A generation's net against all nets of the panel: as `panel_share`."""
        panel = self._config.panel
        if panel is None:
            return panel_share([])
        contest = self._contest(number, panel.visits, panel.opening_plies)
        net, opponents = self._own(number), map(Path, self._config.panel_nets)
        matches = [contest.play(net, self._other(path), panel.games) for path in opponents]
        return None if self._stopped.is_set() else panel_share(matches)

    def beats_best(self, candidate: Path, number: int, best: int) -> bool | None:
        """Whether a candidate of a generation is promoted."""
        contest = self._contest(number, self._config.selfplay.visits, self._config.strength.opening_plies)
        games = contest.play(self._other(candidate), self._own(best), self._gated.match_games, self._is_decided)
        return None if self._stopped.is_set() else self._promoted(games)

    @property
    def _gated(self) -> Gated:
        assert isinstance(self._config.protocol, Gated)
        return self._config.protocol

    def _promoted(self, games: Sequence[GoRecord]) -> bool | None:
        """Whether a candidate is, by its first games; `None` where they do not say yet."""
        return decided(_points(games), len(games), self._gated.match_games, self._gated.threshold)

    def _is_decided(self, games: Sequence[GoRecord]) -> bool:
        return self._promoted(games) is not None

    def candidates(self, number: int) -> Candidates | None:
        """Those of a generation so far; `None` where none has played."""
        with Journal(matches_path(self._folder, number), GoRecord) as journal:
            games = [game for game in journal.items if game.focal.startswith("candidate-")]
        if not games:
            return None
        last = first_games([game for game in games if game.focal == games[-1].focal])
        decisive = decisive_games(last, self._is_decided) or last
        return Candidates(len({game.focal for game in games}), len(decisive), _points(decisive))

    def _own(self, number: int) -> tuple[str, GoRuntimeNet]:
        return f"gen-{number:04}", open_playing(self._config, net_path(self._folder, number))

    def _other(self, path: Path) -> tuple[str, GoRuntimeNet]:
        """Games know it by its hash, too: a candidate may be trained again, another net may take a name."""
        return f"{stem(path)}-{file_sha256(path)[:8]}", open_playing(self._config, path)

    def _contest(self, number: int, visits: int, opening_plies: int) -> Contest:
        return Contest(
            matches_path(self._folder, number),
            visits=visits,
            opening_plies=opening_plies,
            komi=self._config.selfplay.komi.official,
            seed=int(np.random.default_rng([self._config.seed, number]).integers(2**31)),
            stopped=self._stopped,
            on_progress=lambda now: self._on_progress(number, now),
        )


def panel_share(matches: Sequence[Sequence[GoRecord]]) -> Mean:
    """The mean over the nets of a panel of the share that was won against each, 0 to 1; the games of each are given.

    The panel is fixed, so that only the games vary, each match by itself: the error of the mean of K shares is
    √(Σ eₖ²) / K. Where all pairs of a match ended alike, as against a far weaker net, eₖ = 0. There is no error where
    all pairs of all matches did, or a match has fewer than two pairs.
    """
    shares = [statistics(games).share for games in matches]
    values = [share.value for share in shares if share.value is not None]
    if not values:
        return Mean(0, None, None)
    errors = [share.error or 0.0 for share in shares]
    known = any(errors) and all(len({game.pair for game in games}) > 1 for games in matches)
    error = math.hypot(*errors) / len(values) if known else None
    return Mean(sum(map(len, matches)), math.fsum(values) / len(values), error)


def open_playing(config: GoTrainConfig, path: Path, precision: Precision | None = None) -> GoRuntimeNet:
    """A net as the run's nets play.

    :raises ConfigError: it is for another game or board.
    :raises NetFileError: it cannot be used.
    """
    net = open_net(str(path), precision=precision or config.precision, threads=config.threads or default_threads())
    if not isinstance(net, GoRuntimeNet) or net.size != config.size:
        board = f"{net.size}×{net.size}" if isinstance(net, GoRuntimeNet) else "chess"
        raise ConfigError(f"{path} is a net for {board}; expected one for Go on {config.size}×{config.size}")
    return net


def _points(games: Sequence[GoRecord]) -> float:
    return sum(game.focal_score for game in games)
