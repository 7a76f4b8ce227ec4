"""A run of self-play whose net is open and whose names are resolved."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec

from foible._core import __version__
from foible.agents.spec import with_chosen_nets
from foible.arena.live import LiveFile
from foible.arena.openings import find_openings
from foible.loop import wait
from foible.nets.download import file_sha256
from foible.nets.evaluator import Evaluator
from foible.nets.shelf import PROCESSOR, NetShelf, Runtimes, as_begun, short_name
from foible.runs.interrupt import interruptible
from foible.selfplay.config import SelfplayConfig, to_toml_dict
from foible.selfplay.controller import Controller
from foible.selfplay.game import OddsStarts, Starts, make_starts
from foible.selfplay.record import pgn_record
from foible.selfplay.run import Progress, Selfplay
from foible.selfplay.store import SelfplayStore

MAY_CHANGE = ("games", "concurrency", "threads", PROCESSOR)
"""Keys that a later run in the same folder may change: none changes the course of a game, but for what another
processor rounds otherwise.
"""

OnProgress = Callable[[Progress], None]


@dataclass(frozen=True, slots=True)
class OpenSelfplay:
    """A run that can be played."""

    config: SelfplayConfig
    """With what its names and `auto` came to."""
    evaluator: Evaluator
    starts: Starts | OddsStarts

    def store(self, folder: Path, shard: int) -> SelfplayStore:
        """Its folder, open. `shard`: games in one Parquet file. Errors as `SelfplayStore`."""
        config = self.config
        player = f"{short_name(config.net)} at {config.nodes} nodes"
        versions = "; ".join(f"{name} {what}" for name, what in config.resolved.items())
        return SelfplayStore(
            folder, to_toml_dict(config), shard, lambda game: pgn_record(game, player, versions), MAY_CHANGE
        )

    def controller(self, store: SelfplayStore, path: Sequence[float] | None = None) -> Controller:
        """As `Controller`, for the games of a store."""
        return Controller(self.config, self.config.settings.params, store.summaries, path)

    def play(
        self,
        numbers: Collection[int],
        store: SelfplayStore,
        controller: Controller,
        live: LiveFile,
        on_progress: OnProgress = lambda now: None,
    ) -> None:
        """Play these of its games, less those that are in the store; an interrupt from the keyboard ends that after
        the evaluation under way.

        :param on_progress: told now and then how it stands, as `live` is.
        """

        def tell(now: Progress) -> None:
            live.tell(now, done=len(now.finished), total=now.total, seconds_left=now.seconds_left)
            on_progress(now)

        selfplay = Selfplay(self.config, self.evaluator, self.starts, store, controller, numbers, tell)
        with interruptible(selfplay.stop):
            wait(selfplay.run())


def open_selfplay(config: SelfplayConfig, folder: Path, shelf: NetShelf | None = None) -> OpenSelfplay:
    """A run as it goes on in its folder.

    :param shelf: nets that are open already; it runs them in its own way.
    :raises FoibleError: a net or a book cannot be had.
    """
    config = with_chosen_nets(config)
    shelf = shelf or NetShelf(as_begun(Runtimes(config.runtime, config.precision, config.threads), folder))
    evaluator = shelf.evaluator(config.net)
    starts = make_starts(config.openings, config.seed)
    resolved = {"foible": __version__, **shelf.machine(), **shelf.resolved()}
    if config.openings.file:
        resolved["openings"] = f"sha256 {file_sha256(find_openings(config.openings.file))}"
    config = msgspec.structs.replace(config, runtime=shelf.runtime, precision=shelf.precision, resolved=resolved)
    return OpenSelfplay(config, evaluator, starts)
