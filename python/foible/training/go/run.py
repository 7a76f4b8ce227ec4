"""From random play to a net that knows the game: generations of self-play and learning (SAI, §5)."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

import msgspec
import torch

from foible._core import __version__
from foible.arena.go.panel import nets_in
from foible.arena.go.record import GoRecord
from foible.arena.progress import MatchProgress
from foible.errors import ConfigError
from foible.nets.catalogue import find_net
from foible.nets.choices import default_threads
from foible.nets.download import file_sha256
from foible.nets.go.evaluator import empty_board
from foible.nets.go.modules import load_go_net, save_go_net
from foible.nets.graph_workers import has_bf16, without_bf16
from foible.nets.shelf import this_machine
from foible.runs.files import write_atomically
from foible.runs.interrupt import interruptible
from foible.runs.journal import Journal
from foible.scale import Executor
from foible.selfplay.go.record import GoSelfplayRecord
from foible.selfplay.go.starts import first_games
from foible.selfplay.progress import SelfplayProgress
from foible.toml import AnyPath, convert, expand, values_of
from foible.training.go.config import SHA256, Gated, GoTrainConfig
from foible.training.go.crew import Crew
from foible.training.go.curve import curve_svg
from foible.training.go.folder import games_path, generation_folder, net_path, opened, training_path
from foible.training.go.games import NetFile, open_playing
from foible.training.go.generation import Generation, ended, of_games
from foible.training.go.matches import Contests, elo
from foible.training.go.promotion import Always, Promotion, PromotionGate
from foible.training.go.samples import Lessons
from foible.training.go.trainer import GoTrainer, random_net

Stage = Literal["games", "training", "matches"]

PICTURE_SECONDS: Final = 30.0
"""The least time between two pictures of a run that goes on: drawing takes a second, longer than a small generation."""


@dataclass(frozen=True, slots=True)
class GoTrainProgress:
    """The progress of a run."""

    generation: int
    stage: Stage
    done: int
    total: int
    left: float | None = None
    """Seconds to the end of the stage, where more is known than the rate of `done`: games side by side end late."""
    workers: int = 1
    """The number of processes that play."""


@dataclass(frozen=True, slots=True)
class Listener:
    """The functions to call with the progress of a run."""

    progress: Callable[[GoTrainProgress], None] = lambda progress: None
    generation: Callable[[Generation], None] = lambda generation: None
    """Called with each generation when it ends, and at first with those that had ended before."""


def go_train(
    config: GoTrainConfig,
    folder: AnyPath,
    listener: Listener = Listener(),
    *,
    executor: Executor | None = None,
    any_processor: bool = False,
) -> list[Generation]:
    """Run all generations, or what is left of them; returns those that are over.

    An interrupt from the keyboard ends the run as soon as it can; the same call continues it.

    :param executor: its workers play the games of self-play and of matches, in parts that are merged here; this process
        does when absent. The folder ends with the same bytes either way, except for the times in `generations.jsonl`.
        Nets are trained in this process.
    :param any_processor: whether to take parts that were played on another kind of processor than this machine's.
    :raises ConfigError: the configuration cannot be played, or the folder holds another run; nothing is written then.
    :raises GameFileError: files of the folder are damaged.
    :raises NetFileError: a net of the folder is damaged, or a net of the panel cannot be found or fetched.
    :raises WorkerError: the executor's workers are lost again and again.
    """
    config = convert(
        values_of(config, GoTrainConfig, "foible.training.go.read_config('go.toml')"), GoTrainConfig, "GoTrainConfig"
    )
    config, folder = resolved(config), expand(folder)
    with opened(folder, config) as generations:
        crew = Crew(config, folder, executor, any_processor=any_processor)
        run = GoRun(config, folder, generations, listener, crew)
        with interruptible(run.stop), crew.live:
            run.run()
        return generations.items


class GoRun:
    """A run in an open folder."""

    def __init__(
        self,
        config: GoTrainConfig,
        folder: Path,
        generations: Journal[Generation],
        listener: Listener,
        crew: Crew | None = None,
    ) -> None:
        """`config`: the configuration from `resolved`. `crew`: plays the games; in this process when absent."""
        self._config = config
        self._folder = folder
        self._generations = generations
        self._listener = listener
        self._crew = crew or Crew(config, folder)
        self._drawn = time.monotonic()
        self._contests = Contests(config, folder, self._crew, self._tell_match)
        self._lessons = Lessons(config, folder)
        protocol = config.protocol
        self._promotion: Promotion = (
            PromotionGate(config, protocol, folder, self._contests.beats_best)
            if isinstance(protocol, Gated)
            else Always(config, folder)
        )
        torch.set_num_threads(config.threads or default_threads())

    def stop(self) -> None:
        """End the run as soon as it can be continued."""
        self._crew.stop()

    def run(self) -> None:
        """Run until all generations are over, the run is stopped, or nothing more is learnt."""
        for generation in self._generations.items:
            training_path(self._folder, generation.number).unlink(missing_ok=True)  # a kill may have left the file
            self._listener.generation(generation)
        if self._generations.items:
            self._write_net(self._generations.items[-1].best)
        while not self._is_over() and (found := self._next()) is not None:
            self._generations.append([found])
            training_path(self._folder, found.number).unlink(missing_ok=True)
            self._write_net(found.best)
            if time.monotonic() - self._drawn >= PICTURE_SECONDS:
                self._draw()
            self._listener.generation(found)
        if self._generations.items:
            self._draw()

    def _is_over(self) -> bool:
        """Whether the run has all its generations, or learns nothing more."""
        generations = self._generations.items
        return len(generations) > self._config.generations or ended(self._config, generations) is not None

    def _next(self) -> Generation | None:
        """The next generation; `None` where the run was stopped in it."""
        number = len(self._generations.items)
        return self._generation(number) if number else self._begin()

    def _write_net(self, best: int) -> None:
        write_atomically(self._folder / "net.txt.gz", net_path(self._folder, best).read_bytes())

    def _draw(self) -> None:
        write_atomically(self._folder / "curve.svg", curve_svg(self._generations.items, self._config.size))
        self._drawn = time.monotonic()

    def _begin(self) -> Generation | None:
        """Make generation 0, the random net; `None` where the run was stopped."""
        begin = time.monotonic()
        path = net_path(self._folder, 0)
        path.parent.mkdir(exist_ok=True)
        if not path.exists():
            save_go_net(random_net(self._config.net, self._config.seed), path)
        return self._judged(Generation(number=0, best=0), begin)

    def _generation(self, number: int) -> Generation | None:
        """Run one more generation; `None` where the run was stopped in it."""
        begin = time.monotonic()
        generation_folder(self._folder, number).mkdir(exist_ok=True)
        best = self._generations.items[-1].best
        games, rate = self._play(number, best)
        if self._crew.stopped.is_set():
            return None
        promoted: bool | None = net_path(self._folder, number).exists()
        if not promoted:
            promoted = self._promotion.learn(number, best, self._lessons, self._tell_steps(number))
        if promoted is None:
            return None
        generation = of_games(number, number if promoted else best, games)
        generation = msgspec.structs.replace(
            generation, games_per_second=rate, candidates=self._contests.candidates(number)
        )
        return self._judged(generation, begin)

    def _judged(self, generation: Generation, begin: float) -> Generation | None:
        """The generation, completed with the best net's losses on held-out games, its judgement of the empty board, and
        its strength; `None` where the run was stopped.
        """
        number, best = generation.number, generation.best
        if best == number:
            matches, panel = self._contests.against_earlier(number), self._contests.against_panel(number)
            if matches is None or panel is None:
                return None
            generation = msgspec.structs.replace(
                generation, matches=matches, panel=panel.value, panel_standard_error=panel.standard_error
            )
        net = net_path(self._folder, best)
        alpha, beta = empty_board(open_playing(self._config, net, "f32"), self._config.size) or (None, None)
        losses = None
        if number:
            losses = GoTrainer(load_go_net(net), self._config.training).measure(self._lessons.held_out(number))
        value, error = elo([*self._generations.items, generation]).get(best, (None, None))
        return msgspec.structs.replace(
            generation,
            alpha=alpha,
            beta=beta,
            policy=losses and losses.policy,
            value=losses and losses.value,
            elo=value,
            elo_standard_error=error,
            seconds=time.monotonic() - begin,
        )

    def _play(self, number: int, best: int) -> tuple[list[GoSelfplayRecord], float | None]:
        """Play the games of a generation by the best net; returns them, and the games per second in this process."""
        wanted, rate = self._config.protocol.games, None

        def tell(now: SelfplayProgress) -> None:
            nonlocal rate
            rate = now.speed.per_second(now.new) if now.new else None
            done, left = now.finished.games, now.seconds_left
            self._listener.progress(GoTrainProgress(number, "games", done, now.total, left, now.workers))

        with Journal(games_path(self._folder, number), GoSelfplayRecord) as journal:
            if not net_path(self._folder, number).exists():
                with self._crew.live:  # no game is in progress while a net learns
                    self._crew.play_games(number, NetFile.of(self._folder, best), journal, tell)
            return first_games(journal.items, wanted), rate

    def _tell_steps(self, number: int) -> Callable[[int], bool]:
        """A function that tells of training steps and says whether to stop."""
        steps = self._config.training.steps

        def tell(done: int) -> bool:
            self._listener.progress(GoTrainProgress(number, "training", done, steps))
            return self._crew.stopped.is_set()

        return tell

    def _tell_match(self, number: int, now: MatchProgress[GoRecord]) -> None:
        done, left = len(now.finished), now.seconds_left
        self._listener.progress(GoTrainProgress(number, "matches", done, now.total, left, now.workers))


def resolved(config: GoTrainConfig) -> GoTrainConfig:
    """The configuration with what a run finds out before anything is written: the version of foible, the machine, and
    the nets of the panel.

    Copies of a net in the panel count as one opponent.

    :raises ConfigError: values do not go together, at the official komi one side could not win, this machine does not
        have the precision, a folder of the panel has no net, or a net of the panel is not for this board.
    :raises NetFileError: a net of the panel is not there, or cannot be used.
    """
    config.check()
    official, board = config.selfplay.komi.official, config.size**2
    if abs(official) >= board:
        raise ConfigError(
            f"selfplay.komi.official = {official:g}: one side could not win; expected less than {board} either way"
        )
    if config.precision == "bf16" and not has_bf16():
        raise ConfigError(f"precision: {without_bf16()}; f32 works everywhere")
    found: dict[str, str] = {}
    """The paths of the panel's nets by their hashes."""
    for place in config.panel.nets if config.panel else ():
        for net in nets_in(place):
            path = find_net(net)
            open_playing(config, path)
            found.setdefault(file_sha256(path), str(path))
    panel = {path: f"{SHA256}{digest}" for digest, path in found.items()}
    return msgspec.structs.replace(config, resolved={"foible": __version__, **this_machine(), **panel})
