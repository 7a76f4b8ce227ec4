"""Plays the games of a run from random play, in this process or by the workers of an executor."""

import threading
from collections.abc import Callable
from pathlib import Path

from foible.arena.go.record import GoRecord
from foible.arena.live import LiveFile
from foible.arena.progress import MatchProgress
from foible.runs.journal import Journal
from foible.scale import Executor
from foible.selfplay.go.play import GoSelfplay
from foible.selfplay.go.record import GoSelfplayRecord
from foible.selfplay.progress import SelfplayProgress
from foible.training.go.config import GoTrainConfig
from foible.training.go.games import Contest, Enough, NetFile, Tell, put_in_turn
from foible.training.go.parts import GenerationMatchParts, GenerationSelfplayParts, play_games, play_match


class Crew:
    """Plays games in this process or by workers; the files end with the same bytes either way. Parts that workers have
    left are merged first.
    """

    def __init__(
        self, config: GoTrainConfig, folder: Path, executor: Executor | None = None, *, any_processor: bool = False
    ) -> None:
        """`executor` and `any_processor` as in `go_train`."""
        self._config = config
        self._executor = executor
        self._any_processor = any_processor
        self.live = LiveFile(folder)
        self.stopped = threading.Event()
        self._selfplay: GoSelfplay | None = None

    def stop(self) -> None:
        """End the play; may be called from any thread. Finished games are in the journals."""
        self.stopped.set()
        if self._selfplay:
            self._selfplay.stop()

    def play_games(self, number: int, net: NetFile, journal: Journal[GoSelfplayRecord], tell: Tell) -> None:
        """Play the games of a generation. Unless that is stopped, the journal then holds these games alone, in turn."""
        stage = f"self-play of generation {number}"

        def tell_here(now: SelfplayProgress) -> None:
            self.live.tell(now, stage=stage)
            tell(now)

        parts = GenerationSelfplayParts(self._config, journal, number, net, any_processor=self._any_processor)
        parts.merge_all()
        if self._executor is not None:
            play_games(parts, self._executor, self.live, stage, tell, self.stopped)
        else:
            self._selfplay = parts.plan.whole(journal, tell_here)
            if not self.stopped.is_set():
                self._selfplay.play()
        if not self.stopped.is_set():
            put_in_turn(journal, parts.plan.games)

    def play_match(
        self,
        number: int,
        contest: Contest,
        journal: Journal[GoRecord],
        on_progress: Callable[[MatchProgress[GoRecord]], None],
        enough: Enough | None,
    ) -> list[GoRecord]:
        """Play a match of a generation, as `Contest.play` does. Unless that is stopped, the journal then holds of this
        match the returned games alone, in order.
        """
        stage = f"matches of generation {number}"

        def tell_here(now: MatchProgress[GoRecord]) -> None:
            self.live.tell(now, stage=stage)
            on_progress(now)

        parts = GenerationMatchParts(self._config, journal, contest, any_processor=self._any_processor)
        parts.merge_all()
        if self._executor is not None:
            games = play_match(parts, self._executor, self.live, stage, on_progress, enough, self.stopped)
        else:
            every = range(contest.games)
            games = contest.play(self._config, journal, every, tell_here, enough=enough, stopped=self.stopped)
        if not self.stopped.is_set():
            contest.keep(games, journal)
        return games
