"""The cells of a sweep played by this process: side by side, so that together their games fill the batches of the nets.
They advance alike, and none waits for another.

Cells with programs, or with moves that are timed, are played one after the other: each has the machine to itself, and
only its own engines run. Where there are such, or too many cells, a sweep advances in rounds.
"""

import threading
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Final

from foible.agents.named_files import runs_programs
from foible.arena.game_slots import GameSlots
from foible.arena.live import LiveFile, ProgressOfSeveral
from foible.arena.open_match import OpenMatch, games_at_once, open_match, resolved_match
from foible.arena.play import MatchFolder
from foible.arena.progress import MatchProgress
from foible.arena.record import GameRecord
from foible.arena.report import MatchReport
from foible.arena.sweep.config import Cell, place_of
from foible.arena.sweep.progress import OnProgress, OnReports, Round, TimeLeft
from foible.arena.sweep.results import Result
from foible.loop import together, wait
from foible.nets.shelf import NetShelf
from foible.runs.interrupt import interruptible
from foible.search.speed import Speed

AT_ONCE: Final = 100
"""The most cells that are played side by side: each keeps files open, and a thread that writes."""


class SideBySide:
    """The cells of a sweep; each is open while it is played."""

    def __init__(self, cells: Sequence[Cell], folder: Path, shelf: NetShelf, *, any_processor: bool) -> None:
        """:raises FoibleError: as `play`."""
        self._cells, self._folder, self._shelf, self._any_processor = cells, folder, shelf, any_processor
        self._results: list[Result] = []
        self._finished: list[int] = []
        """The finished games of each cell, those of unfinished pairs included."""
        for cell in cells:
            place = place_of(cell, folder)
            match = resolved_match(cell.config, place, shelf)
            with MatchFolder(match, place, any_processor=any_processor) as run:
                self._results.append(Result(cell, run.report()))
                self._finished.append(len(run.store.records))

    def reports(self) -> list[MatchReport | None]:
        """What is known of each cell."""
        return [result.report for result in self._results]

    def play(self, rounds: Sequence[Round], on_reports: OnReports, on_progress: OnProgress) -> None:
        """Play what is left of all cells.

        :param on_reports: told of cells that have come to the end of a round, or so far where all go on without rounds.
        """
        stopped = threading.Event()
        turns: Sequence[Round] = rounds
        looks: list[int] = []
        if len(self._at_once(rounds[-1])) == 1:  # nothing has to wait for its turn
            turns, looks = rounds[-1:], [2 * sum(pairs for _, pairs in due) for due in rounds[:-1]]
        with interruptible(stopped.set), LiveFile(self._folder) as live:
            progress = _Progress(self._cells, self._results, self._finished, live, on_progress)
            for due in turns:
                for cells in self._at_once(due):
                    if stopped.is_set():
                        return
                    reports = self._play(cells, looks, progress, on_reports, stopped)
                    for index, report in reports.items():
                        self._results[index] = Result(self._cells[index], report)
                    on_reports(reports)

    def _at_once(self, due: Round) -> list[Round]:
        """What is to be played of a round, divided into cells that go on side by side."""
        results = self._results
        left = [(i, pairs) for i, pairs in due if results[i].games < 2 * pairs and not results[i].over]
        alone = [one for one in left if _needs_the_machine(self._cells[one[0]])]
        shared = [one for one in left if one not in alone]
        groups = [shared[first : first + AT_ONCE] for first in range(0, len(shared), AT_ONCE)]
        return [*groups, *([one] for one in alone)]

    def _play(
        self,
        cells: Round,
        looks: list[int],
        progress: "_Progress",
        on_reports: OnReports,
        stopped: threading.Event,
    ) -> Mapping[int, MatchReport | None]:
        """Play cells side by side up to so many of their pairs, unless all are stopped; their reports.

        :param looks: the numbers of finished games at which to report in between.
        """
        with ExitStack() as held:
            ready: list[OpenMatch] = []
            runs: list[MatchFolder] = []
            for index, _ in cells:
                cell = self._cells[index]
                place = place_of(cell, self._folder)
                opened = held.enter_context(open_match(cell.config, place, self._shelf))
                ready.append(opened)
                runs.append(held.enter_context(MatchFolder(opened, place, any_processor=self._any_processor)))
            slots = _slots(ready)
            progress.begin()

            def tell(index: int, now: MatchProgress[GameRecord]) -> None:
                progress.tell(index, now)
                if looks and progress.games >= looks[0]:
                    del looks[0]
                    on_reports({index: run.known() for (index, _), run in zip(cells, runs, strict=True)})

            matches = [
                opened.match(
                    range(2 * pairs),
                    run.store,
                    concurrency=slots,
                    on_progress=partial(tell, index),
                    enough=run.enough(0),
                    stopped=stopped,
                )
                for (index, pairs), opened, run in zip(cells, ready, runs, strict=True)
            ]
            wait(together(match.run() for match in matches))
            speeds = [match.speed for match in matches]
            if len(cells) > 1:  # what the nets did is known of all of them together alone
                speeds = [Speed(speed.seconds, speed.plies, {}) for speed in speeds]
            played = zip(cells, runs, speeds, strict=True)
            return {index: run.report(speed=speed) for (index, _), run, speed in played}


def _needs_the_machine(cell: Cell) -> bool:
    config = cell.config
    return bool(config.seconds or config.clock) or runs_programs(config)


def _slots(matches: Sequence[OpenMatch]) -> GameSlots:
    """Room for as many games in progress at once as fill the nets of all matches; for one match as many as it wants."""
    if len(matches) == 1:
        return GameSlots(matches[0].concurrency)
    nets = {id(net): net for match in matches for net in match.nets}
    configs = [match.config for match in matches]
    visits = max(config.most_visits for config in configs)
    return GameSlots(configs[0].concurrency or games_at_once(nets.values(), visits))


class _Progress:
    """The progress of a sweep whose cells this process plays."""

    def __init__(
        self,
        cells: Sequence[Cell],
        results: Sequence[Result],
        finished: Sequence[int],
        live: LiveFile,
        on_progress: OnProgress,
    ) -> None:
        """`results`: those of the cells, kept up to date by whoever plays them. `finished`: their games by now."""
        self._results, self._live, self._on_progress = results, live, on_progress
        self._finished = list(finished)
        self._time_left = TimeLeft(cells, self._finished)
        self._latest: dict[int, MatchProgress[GameRecord]] = {}

    @property
    def games(self) -> int:
        """The finished games of all cells."""
        return sum(self._finished)

    def begin(self) -> None:
        """Other cells are played from now on."""
        self._latest = {}

    def tell(self, index: int, now: MatchProgress[GameRecord]) -> None:
        """One of the cells that are played has come so far."""
        self._latest[index] = now
        self._finished[index] = len(now.finished)
        latest = self._latest.values()
        speed = Speed(now.speed.seconds, sum(match.speed.plies for match in latest), now.speed.nets)
        sweep = self._time_left.progress(self._finished, [result.over for result in self._results], speed=speed)
        playing = [game for match in latest for game in match.playing]
        new = sum(match.new for match in latest)
        self._live.tell(ProgressOfSeveral(sweep.finished, sweep.total, sweep.left, new, speed, playing))
        self._on_progress(sweep)
