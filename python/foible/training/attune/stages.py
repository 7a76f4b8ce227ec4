"""The parts of which runs are made; each goes on where it was."""

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

import msgspec

from foible._core import __version__
from foible.arena.config import MatchConfig, recorded_runtime
from foible.arena.match import Progress as MatchProgress
from foible.arena.play import play
from foible.arena.record import GameRecord
from foible.arena.report import Report as MatchReport
from foible.arena.report import tally_games
from foible.errors import ConfigError, GameFileError
from foible.nets.catalogue import net_sha256
from foible.nets.shelf import NetShelf, Runtimes
from foible.runs.files import read_sealed, seal, write_atomically
from foible.training.attune.config import AttuneConfig
from foible.training.attune.games import Games, collect
from foible.training.attune.matches import ATT, JUNIOR, SENIOR, data_match
from foible.training.attune.move_prediction import Fit, HeldOut, View, fit, held_out, view
from foible.training.attune.progress import OnProgress, Progress, Stage
from foible.training.attune.report import share
from foible.training.attune.tune import check_senior

FEW = 8
"""Games before a share is shown."""


@dataclass(frozen=True, slots=True)
class Played:
    """A match, as far as it was played."""

    report: MatchReport | None
    """`None` without a game."""
    finished: bool


def resolved(config: AttuneConfig) -> AttuneConfig:
    """With what the names of nets stand for.

    :raises NetFileError: a net is not there, or the senior's cannot be tuned.
    """
    check_senior(config.senior)
    nets = {net: f"sha256 {net_sha256(net)}" for net in (config.senior, config.junior)}
    return msgspec.structs.replace(config, resolved={"foible": __version__, **nets})


def open_shelf(config: AttuneConfig, folder: Path) -> NetShelf:
    """For all matches of a run; where `auto` was asked for, with the runtime that the run began with."""
    runtime = config.runtime
    for match in (folder / "games", *sorted(folder.glob("**/test"))):
        if runtime == "auto":
            runtime = recorded_runtime(match)
    return NetShelf(Runtimes(runtime, config.precision, config.threads))


def make_games(
    config: AttuneConfig, folder: Path, shelf: NetShelf, on_progress: OnProgress
) -> tuple[Played | None, Games | None]:
    """Play what is missing of the games to learn from, unless they lie elsewhere; no games until all are played."""
    if config.data is not None:
        return None, collect(config, Path(config.data), folder)
    match = finish(data_match(config), folder / "games", shelf, "games", on_progress)
    return match, collect(config, folder / "games", folder) if match.finished else None


def finish(config: MatchConfig, folder: Path, shelf: NetShelf, stage: Stage, on_progress: OnProgress) -> Played:
    """Play a match, or what is left of it."""

    def show(now: MatchProgress[GameRecord]) -> None:
        tally = tally_games(now.finished)
        known = f"  {share(tally)}" if stage != "games" and tally.n >= FEW else ""
        on_progress(Progress(stage, len(now.finished), now.total, f"{now.plies / now.seconds:.0f} plies/s{known}"))

    report = play(config, folder, show, shelf=shelf)
    return Played(report, report is not None and report.games.n >= 2 * config.pairs)


class Yardstick:
    """Games that nobody learned from, and what senior and junior say of them."""

    def __init__(self, config: AttuneConfig, games: Games, shelf: NetShelf) -> None:
        self._shelf = shelf
        self._games: HeldOut = held_out(games.test, config.seed)
        self._junior: View = view(shelf.evaluator(config.junior), self._games)
        self.senior = self.fit(config.senior)
        self.junior = fit(self._junior, self._junior, self._games)

    def fit(self, net: str) -> Fit:
        """How well a net foretells these games."""
        return fit(view(self._shelf.evaluator(net), self._games), self._junior, self._games)


def kept(path: Path, measure: Callable[[], dict[str, Fit]]) -> dict[str, Fit]:
    """What was measured, or is measured now and kept in a file.

    :raises ConfigError: the file is damaged.
    """
    if path.exists():
        try:
            return read_sealed(path.read_bytes(), msgspec.json.Decoder(dict[str, Fit]).decode)
        except GameFileError as error:
            raise ConfigError(f"{path}: {error}; remove it, and the same command makes it anew") from None
    fits = measure()
    write_atomically(path, seal(json.dumps({net: asdict(one) for net, one in fits.items()}, indent=2).encode()))
    return fits


def fits_of(config: AttuneConfig, games: Games, attuned: Path, shelf: NetShelf) -> dict[str, Fit]:
    """Senior, junior and the attuned net beside the held-out games."""
    yardstick = Yardstick(config, games, shelf)
    return {SENIOR: yardstick.senior, JUNIOR: yardstick.junior, ATT: yardstick.fit(str(attuned))}
