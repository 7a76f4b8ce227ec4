"""Playing matches elsewhere: the workers of an executor play their units; this process merges them and tells how they
stand.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from foible.arena.chess_store import ChessStore
from foible.arena.folder import MatchFolder
from foible.arena.live import Live
from foible.arena.match import Decided, Progress
from foible.arena.opened import OnProgress
from foible.arena.parts import LIKENESS, MOST_GAMES, together
from foible.arena.pgn import PgnForm
from foible.arena.record import GameRecord
from foible.arena.report import Report
from foible.arena.watched import Standing, Watched
from foible.scale import Executor, Unit
from foible.scale.parts import merge_all, play_units, unit_size
from foible.search.batcher import Usage
from foible.search.speed import Speed


def play_elsewhere(
    run: MatchFolder, numbers: Collection[int], executor: Executor, on_progress: OnProgress, first: int = 0
) -> Speed:
    """As `OpenMatch.play`, with the workers of an executor as players; afterwards the games are in the run's folder.

    :param first: the pair with which it begins, as in `MatchFolder.enough`.
    :raises FoibleError: as `Executor.run` and `Parts.merge`.
    """
    match = Elsewhere(run, numbers, executor.workers, first)
    missing = match.missing(numbers)
    size = unit_size(len(missing), executor.workers, MOST_GAMES)
    units = run.parts.units(missing, size, executor.workers)
    play_matches([match], units, executor, lambda: on_progress(match.look()))
    return match.speed


def play_matches(
    matches: "Sequence[Elsewhere]", units: Sequence[Unit], executor: Executor, look: Callable[[], None]
) -> None:
    """Have units of several matches played at the same time, and merged as they end.

    An interrupt from the keyboard ends that; what is finished is in the run folders then.

    :param units: in order; none for what is there already.
    :param look: called again and again; it looks at the matches that are not over.
    :raises FoibleError: as `Executor.run` and `Parts.merge`.
    """
    by_folder = {match.run.folder.absolute(): match for match in matches}

    def over() -> bool:
        look()
        return all(match.over for match in matches)

    play_units(units, executor, lambda part: by_folder[part.parent.parent].merge(part), over)
    for match in matches:
        merge_all(match.run.folder, match.merge)


class Elsewhere:
    """The state of a match that other processes play."""

    def __init__(self, run: MatchFolder, numbers: Collection[int], workers: int, first: int = 0) -> None:
        """`numbers`: the games that it ends with. `workers`: who play. `first`: as in `MatchFolder.enough`."""
        self.run = run
        self._numbers, self._workers, self._first = numbers, workers, first
        self._decided = Decided(run.enough(first))
        watched = Watched(run.folder, ChessStore.GAMES, PgnForm(), LIKENESS)
        self._standing = Standing(watched, lambda: run.store.records, len(numbers), run.live)
        self._usage: dict[str, Usage] | None = {}
        self.over = self._is_over(run.store.records)
        """Whether it was decided, or complete, at the last look."""

    def missing(self, numbers: Collection[int]) -> list[int]:
        """Which of the given games are still to be played, in order; none where the match is over."""
        there = {game.number for game in self.run.store.records}
        return [] if self.over else sorted(set(numbers) - there)

    def merge(self, part: Path) -> None:
        """As `Parts.merge`."""
        found = self.run.parts.merge(part)
        self._usage = None if found is None or self._usage is None else together(self._usage, found)

    def look(self) -> Progress[GameRecord]:
        """Find out how the match stands; written to `live.json` in its folder as well."""
        now = self._standing.now()
        self.over = self._is_over(now.finished)
        return now

    @property
    def lives(self) -> Mapping[str, Live]:
        """The reports of the parts at the last look, by the names of the parts."""
        return self._standing.lives

    @property
    def speed(self) -> Speed:
        """The speed from the making of this object to the last look. How busy a net is
        is the mean over the workers; where one of them was killed, nothing is known of nets.
        """
        nets = {name: Usage(one.sizes, one.busy / self._workers) for name, one in (self._usage or {}).items()}
        return replace(self._standing.speed, nets=nets)

    def report(self) -> Report | None:
        """As `MatchFolder.report`."""
        return self.run.report(self._first, self.speed)

    def _is_over(self, finished: Sequence[GameRecord]) -> bool:
        """Whether the match is over: decided by its games, those in parts included, or complete with all
        games merged.
        """
        if self._decided.by(finished) is not None:
            return True
        return {game.number for game in self.run.store.records}.issuperset(self._numbers)
