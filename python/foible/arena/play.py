"""Playing a match from its configuration to its report, as `foible match` does, for use in notebooks.

A match is played by this process, or by the workers of an executor: then they play its units, and this process merges
those into the run folder and reports their progress.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

from foible.agents.base import Agent, Limits, check_is_agent
from foible.agents.teams import TagTeam
from foible.arena.chess import ChessReferee, ChessRules
from foible.arena.config import MatchConfig, convert_config
from foible.arena.frameworks import Framework, check_is_framework, standard
from foible.arena.live import Live, LiveFile
from foible.arena.losses import OnJudged
from foible.arena.match import AGENTS_OWN, Decided, Match, complete_pairs
from foible.arena.open_match import MAY_CHANGE, Enough, OnProgress, OpenMatch, open_match
from foible.arena.parts import CHESS_GAMES, MatchParts, check_untimed
from foible.arena.parts_progress import PartsProgress, PartsReader
from foible.arena.progress import MatchProgress
from foible.arena.record import GameRecord
from foible.arena.report import MatchReport, report_on
from foible.arena.sprt import Stop
from foible.arena.store import ChessStore
from foible.errors import ConfigError
from foible.mistakes import check_at_least
from foible.nets.shelf import NetShelf
from foible.runs.files import Closing
from foible.runs.folder import check_folder
from foible.scale import Executor
from foible.search.speed import Speed, recorded_speed
from foible.toml import AnyPath, to_toml_dict, values_of

__all__ = ["MAY_CHANGE", "MatchByWorkers", "MatchFolder", "chess_match", "play", "play_by_workers"]


def play(
    config: MatchConfig,
    folder: AnyPath,
    on_progress: Callable[[MatchProgress[GameRecord]], None] = lambda now: None,
    *,
    on_judged: OnJudged = lambda done, total: None,
    shelf: NetShelf | None = None,
    pairs: range | None = None,
    executor: Executor | None = None,
    any_processor: bool = False,
) -> MatchReport | None:
    """Play the match, or what is left of it, and report on it; `None` where no pair of games is finished.

    Of a match that was stopped the report is on its longest beginning that is complete (`complete_pairs`), and the
    judge is not asked; of one that its sequential test has ended, on the games that decided it.

    `on_judged`: told how far the judge is, when all games are finished.
    `shelf`: nets that are open already; it runs them in its own way.
    `pairs`: those that are finished when this returns, all of the match's when absent; of none of them nothing is
    played. Where they do not begin with the first this is a part of the match, in a folder of its own, which no
    sequential test ends.
    `executor`: who plays, in parts that are merged here; when absent this process does. The folder ends with the same
    bytes, but for the speed in its report.
    `any_processor`: whether parts count that were played on a processor of another kind than this machine's.

    :raises ConfigError: the configuration has a wrong value; the folder is a file, or holds another match or a run of
        another kind; or others are to play moves that are timed.
    :raises WorkerError: the executor's workers are lost again and again.
    """
    config = convert_config(values_of(config, MatchConfig, "foible.read_preset('stt-tree')"), "MatchConfig")
    folder = check_folder(folder, "match")
    if executor is not None:
        check_untimed(config)
    with (
        open_match(config, folder, shelf) as match,
        MatchFolder(match, folder, any_processor=any_processor) as run,
    ):
        part, speed = range(match.config.pairs) if pairs is None else pairs, None
        games = range(2 * part.start, 2 * part.stop)
        if games and executor is not None:
            speed = play_by_workers(run, games, executor, on_progress, part.start)
        elif games:
            _, speed = match.play(games, run.store, run.live, on_progress, run.enough(part.start))
        return run.report(part.start, speed, stop=part.stop, on_judged=on_judged)


def chess_match(
    focal: Agent,
    alter: Agent,
    *,
    games: int = 100,
    framework: Framework | None = None,
    seed: int = 0,
    limits: Limits = AGENTS_OWN,
    concurrency: int = 64,
) -> Match[GameRecord]:
    """A match of two players or teams, for scripts, which `play` it, and notebooks, which `await` its `run`.

    Without chance in the players or in the openings of the framework all pairs are alike;
    `standard(OpeningSuite(read_openings(find_openings("balanced"))))` of `foible.arena` begins them differently.

    :param games: rounded up to pairs, in which the colours are swapped.
    :param framework: ordinary chess from the start position when absent.
    :param limits: of every move; the agents' own where not set.
    :raises ConfigError: a number that is out of range, something else than a player or a framework, or a tag team that
        goes by other coins than the framework.
    """
    check_is_agent(focal, alter)
    check_at_least("games", games, 1)
    framework = framework or standard()
    check_is_framework(framework)
    for team in (focal, alter):
        if framework.coins is not None and isinstance(team, TagTeam) and team.coins != framework.coins:
            raise ConfigError(f"{team.name}: a tag team with other coins than the match; expected the same")
    rules = ChessRules(pairs=-(-games // 2), seed=seed)
    referee = ChessReferee(framework, rules, focal.name, alter.name)
    return Match(focal, alter, referee, concurrency=concurrency, limits=limits)


class MatchFolder(Closing):
    """An open run folder. Closing it, or the end of the process, releases its lock."""

    def __init__(self, match: OpenMatch, folder: Path, *, any_processor: bool) -> None:
        """Open or create the folder, and merge the parts that are left in it.

        :param any_processor: whether parts count that were played on a processor of another kind.
        :raises FoibleError: as `ChessStore` and `Parts.merge`.
        """
        self.folder = folder
        self._match, self._any_processor = match, any_processor
        with ExitStack() as held:
            self.store = held.enter_context(ChessStore(folder, to_toml_dict(match.config), MAY_CHANGE))
            self.live = held.enter_context(LiveFile(folder))
            self.parts().merge_all()
            self._held = held.pop_all()

    def parts(self, numbers: Collection[int] = ()) -> MatchParts:
        """The parts in which workers play the games of these numbers."""
        return MatchParts(self.store, self._match.config, numbers, any_processor=self._any_processor)

    def enough(self, first: int) -> Enough | None:
        """The test that may end the match before all games are played.

        :param first: the pair with which it begins: no sequential test ends the rest of a match.
        """
        test = self._match.config.sprt
        return Stop(test) if test and not first else None

    def report(
        self,
        first: int = 0,
        speed: Speed | None = None,
        *,
        stop: int | None = None,
        on_judged: OnJudged = lambda done, total: None,
    ) -> MatchReport | None:
        """Put the games in order, those alone that decide the match where there are such, and report on them.

        The judge is asked once all games are finished, or decide the match: it takes long, and what it says of fewer
        games is not kept.

        :param first: the pair with which it begins.
        :param speed: the speed of the games played in this call.
        :param stop: the pair before which it ends; absent: that of the match.
        :param on_judged: told how far the judge is.
        :return: `None` where no pair of games is finished.
        """
        store, match = self.store, self._match
        games = sorted(store.records, key=lambda game: game.number)
        decisive = Decided(self.enough(first)).by(games)
        store.keep(decisive or games)
        store.write_results()
        reported = complete_pairs(store.records, first)
        if not reported:
            return None
        played = speed if speed and speed.plies else None
        complete = decisive is not None or len(reported) >= 2 * ((match.config.pairs if stop is None else stop) - first)
        report = report_on(
            reported,
            match.framework,
            match.judge if complete else None,
            match.config.sprt,
            finished=len(store.records),
            speed=played,
            on_judged=on_judged,
        )
        earlier = {} if played else {"speed": recorded_speed(self.folder / "report.json")}
        store.write_report({**report.with_speed(), **earlier})
        return report

    def known(self) -> MatchReport | None:
        """What the finished games tell while others are being played, without the judge; nothing is written.

        :return: `None` where no pair of games is finished.
        """
        match, records = self._match, list(self.store.records)
        pairs = complete_pairs(records)
        return report_on(pairs, match.framework, sprt=match.config.sprt, finished=len(records)) if pairs else None

    def close(self) -> None:
        self._held.close()


def play_by_workers(
    run: MatchFolder, numbers: Collection[int], executor: Executor, on_progress: OnProgress, first: int = 0
) -> Speed:
    """As `OpenMatch.play`, with the workers of an executor as players; afterwards the games are in the run's folder.

    :param first: the pair with which it begins, as in `MatchFolder.enough`.
    :raises FoibleError: as `Executor.run` and `Parts.merge`.
    """
    match = MatchByWorkers(run, numbers, executor.workers, first)

    def over() -> bool:
        on_progress(match.look())
        return match.over

    match.parts.play(executor, over)
    return match.speed


class MatchByWorkers:
    """A match that the workers of an executor play."""

    def __init__(self, run: MatchFolder, numbers: Collection[int], workers: int, first: int = 0) -> None:
        """`numbers`: the games that it ends with. `workers`: who play. `first`: as in `MatchFolder.enough`."""
        self.run, self.parts = run, run.parts(numbers)
        self._workers, self._first = workers, first
        self._decided = Decided(run.enough(first))
        reader = PartsReader(run.folder, CHESS_GAMES)
        self._progress = PartsProgress(reader, lambda: run.store.records, len(numbers), run.live)
        self.over = self._is_over(run.store.records)
        """Whether it was decided, or complete, at the last look."""

    def missing(self) -> list[int]:
        """The games that are still to be played, in order; none where the match is over."""
        return [] if self.over else self.parts.missing()

    def look(self) -> MatchProgress[GameRecord]:
        """The progress now; it is also written to `live.json` in the folder of the match."""
        now = self._progress.now()
        self.over = self._is_over(now.finished)
        return now

    @property
    def lives(self) -> Mapping[str, Live]:
        """The reports of the parts at the last look, by the names of the parts."""
        return self._progress.lives

    @property
    def speed(self) -> Speed:
        """The speed from the making of this object to the last look. How busy a net is
        is the mean over the workers; where one of them was killed, nothing is known of nets.
        """
        return replace(self._progress.speed, nets=self.parts.merged_work.nets(self._workers))

    def report(self) -> MatchReport | None:
        """As `MatchFolder.report`."""
        return self.run.report(self._first, self.speed)

    def _is_over(self, finished: Sequence[GameRecord]) -> bool:
        """Whether the match is over: decided by its games, those in parts included, or complete with all
        games merged.
        """
        return self._decided.by(finished) is not None or not self.parts.missing()
