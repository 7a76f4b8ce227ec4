"""Playing matches elsewhere: their units go to the workers of an executor, and here it is seen how they stand."""

import time
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Generic

from foible.arena.chess_store import ChessStore
from foible.arena.folder import MatchFolder
from foible.arena.live import Live, read_live
from foible.arena.match import Decided, Progress
from foible.arena.opened import OnProgress
from foible.arena.parts import MOST_GAMES, G
from foible.arena.pgn import PgnForm
from foible.arena.record import GameRecord
from foible.arena.report import Report
from foible.errors import GameFileError
from foible.runs.follow import FollowedFile
from foible.runs.journal import Form
from foible.scale import Executor, Unit
from foible.scale.parts import merge_all, parts_of, play_units, unit_size
from foible.search.batcher import Usage
from foible.search.speed import Speed


def play_elsewhere(
    run: MatchFolder, numbers: Collection[int], executor: Executor, on_progress: OnProgress, first: int = 0
) -> Speed:
    """As `OpenMatch.play`, by the workers of an executor; the games are in the run's folder then.

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
    parts = {match.run.folder.absolute(): match.run.parts for match in matches}

    def over() -> bool:
        look()
        return all(match.over for match in matches)

    play_units(units, executor, lambda part: parts[part.parent.parent].merge(part), over)
    for match in matches:
        merge_all(match.run.folder, match.run.parts.merge)


class Elsewhere:
    """A match that others play, as it stands."""

    def __init__(self, run: MatchFolder, numbers: Collection[int], workers: int, first: int = 0) -> None:
        """`numbers`: the games that it ends with. `workers`: who play. `first`: as in `MatchFolder.enough`."""
        self.run = run
        self.lives: Mapping[str, Live] = {}
        """What its parts told of themselves at the last look, by their names."""
        self._speed = Speed(0.0, 0, {})
        """Without nets, of which no more is known here than what merged parts tell."""
        self._numbers, self._workers, self._first = numbers, workers, first
        self._decided = Decided(run.enough(first))
        self._before = {game.number for game in run.store.records}
        self._begun = time.monotonic()
        self._watched = Watched(run.folder, ChessStore.GAMES, PgnForm())
        self.over = self._is_over(run.store.records)
        """Whether it was decided, or complete, at the last look."""

    def missing(self, numbers: Collection[int]) -> list[int]:
        """Those of some of its games that are to be played, in order; none where it is over."""
        there = {game.number for game in self.run.store.records}
        return [] if self.over else sorted(set(numbers) - there)

    def look(self) -> Progress[GameRecord]:
        """How it stands by now; told in its folder as well while somebody is at work."""
        in_parts, self.lives = self._watched.look()
        records = self.run.store.records
        there = {game.number for game in records}
        finished = [*records, *(game for number, game in in_parts.items() if number not in there)]
        new = [game for game in finished if game.number not in self._before]
        self._speed = Speed(time.monotonic() - self._begun, sum(game.plies for game in new), {})
        self.over = self._is_over(finished)
        total = len(self._numbers)
        now = Progress(finished, total, len(new), (), 0, self._speed, workers=len(self.lives))
        if self.lives:
            self.run.live.tell_parts(self.lives, done=len(finished), total=total, seconds_left=now.seconds_left)
        return now

    @property
    def speed(self) -> Speed:
        """As of the last look, since this was made. A net is busy where it is so for all workers."""
        nets = {name: Usage(one.sizes, one.busy / self._workers) for name, one in self.run.parts.usage.items()}
        return replace(self._speed, nets=nets)

    def report(self) -> Report | None:
        """As `MatchFolder.report`."""
        return self.run.report(self._first, self.speed)

    def _is_over(self, finished: Sequence[GameRecord]) -> bool:
        """Games in parts may decide it; it is complete when none is left there."""
        if self._decided.by(finished) is not None:
            return True
        return {game.number for game in self.run.store.records}.issuperset(self._numbers)


class Watched(Generic[G]):
    """What goes on in the parts of a run of games."""

    def __init__(self, folder: Path, records: str, form: Form[G]) -> None:
        """`records`: the name of the file with the games of a part."""
        self._folder, self._records, self._form = folder, records, form
        self._parts: dict[Path, FollowedFile[G]] = {}

    def look(self) -> tuple[dict[int, G], dict[str, Live]]:
        """The games that are finished in parts, by number, and what the parts tell of themselves, by their names."""
        parts = parts_of(self._folder)
        self._parts = {part: self._parts.get(part) or self._followed(part) for part in parts}
        games: dict[int, G] = {}
        for part in self._parts.values():
            with suppress(GameFileError, OSError):  # told when it is merged
                games |= {game.number: game for game in part.read()}
        return games, {part.name: live for part in parts if (live := read_live(part)) is not None}

    def _followed(self, part: Path) -> FollowedFile[G]:
        return FollowedFile(part / self._records, self._form)
