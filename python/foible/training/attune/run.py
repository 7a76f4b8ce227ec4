"""From two nets to one that knows its partner: games, tuning, test. Each stage goes on where it was.

    config.toml     the resolved configuration; another one is refused
    games/          the senior's team against itself: a match
    data.pgn        its games in order, and
    split.json      which are learned from, which choose, which test
    net/            the tuning, and what comes of it: net.pb.gz
    held_out.json   how well the nets foretell games that nobody learned from
    test/           ATT's team against the senior's: a match
    alone/          ATT against the senior: a match
    report.json, report.md
    run.lock        held by the process that writes

A finished stage is read back; what was being written when a process was killed is made again.
"""

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import msgspec

from foible._core import __version__
from foible.arena.config import MatchConfig
from foible.arena.match import Progress as MatchProgress
from foible.arena.play import play
from foible.arena.record import GameRecord
from foible.arena.report import Report as MatchReport
from foible.arena.report import tally_games
from foible.errors import ConfigError, GameFileError, TrainingError
from foible.extras import required
from foible.nets.catalogue import net_sha256
from foible.nets.shelf import NetShelf, Runtimes, as_begun
from foible.runs.files import read_sealed, seal, write_atomically
from foible.training.attune.config import AttuneConfig, to_toml_dict
from foible.training.attune.folder import OnProgress, Progress, Stage, run_folder
from foible.training.attune.games import ATT, JUNIOR, SENIOR, Games, alone_match, collect, data_match, framework_match
from foible.training.attune.move_prediction import Fit, HeldOut, View, fit, held_out, view
from foible.training.attune.report import Report, markdown, share
from foible.training.attune.tune import check_senior, tune

MAY_CHANGE = ("test_games", "alone_games", "threads")
"""Keys that a later run in the same folder may change."""
FEW = 8
"""Games before a share is shown."""


def attune(config: AttuneConfig, folder: Path, on_progress: OnProgress = lambda now: None) -> Report:
    """Make an attuned net, or what is left of it, and report on it.

    An interrupt from the keyboard ends the run as far as it is; the same call continues it.

    :raises ConfigError: torch is not installed, or the folder holds another run.
    :raises TrainingError: the tuning diverges.
    :raises NetFileError: a net is not there, or the senior's cannot be tuned.
    :raises GameFileError: games cannot be read.
    """
    required("torch")
    config = resolved(config)
    with run_folder(folder, to_toml_dict(config), MAY_CHANGE):
        report = _stages(config, folder, on_progress)
        write_atomically(folder / "report.json", json.dumps(report.to_json(), indent=2, allow_nan=False) + "\n")
        write_atomically(folder / "report.md", markdown("Attuned net", report.tables()))
        return report


def attuned_net(config: AttuneConfig, folder: Path, on_progress: OnProgress = lambda now: None) -> Path | None:
    """The file of an attuned net: it is made, or what is left of it, and not tested; `None` where that was interrupted.

    `attune` goes on with its tests in the same folder. Errors as those of `attune`.
    """
    required("torch")
    config = resolved(config)
    with run_folder(folder, to_toml_dict(config), MAY_CHANGE):
        report, games = _made(config, folder, open_shelf(config, folder), on_progress)
    return report.tuned.net if report.tuned and games else None


def _made(config: AttuneConfig, folder: Path, shelf: NetShelf, on_progress: OnProgress) -> tuple[Report, Games | None]:
    """The games and the tuning; the games once the net is whole."""
    match, games = make_games(config, folder, shelf, on_progress)
    report = Report(config, games=match.report if match else None)
    if games is None:
        return report, None
    tuned = tune(config, games, folder / "net", on_progress)
    if tuned is None:
        raise TrainingError(
            f"{folder / 'net'}: the loss is not a number; choose another folder and a lower learning rate"
        )
    report = replace(report, parts=games.parts, tuned=tuned)
    return report, None if tuned.ended == "interrupted" else games


def _stages(config: AttuneConfig, folder: Path, on_progress: OnProgress) -> Report:
    """Those that are finished, up to the one that was interrupted."""
    shelf = open_shelf(config, folder)
    report, games = _made(config, folder, shelf, on_progress)
    if games is None or report.tuned is None:
        return report
    net = report.tuned.net
    fits = kept(folder / "held_out.json", lambda: fits_of(config, games, net, shelf))
    test = finish(framework_match(config, str(net)), folder / "test", shelf, "test", on_progress)
    report = replace(report, fits=fits, test=test.report)
    if not test.finished:
        return report
    alone = finish(alone_match(config, str(net)), folder / "alone", shelf, "alone", on_progress)
    return replace(report, alone=alone.report, finished=alone.finished)


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
    """For all matches of a run."""
    asked = Runtimes(config.runtime, config.precision, config.threads)
    return NetShelf(as_begun(asked, folder / "games", *sorted(folder.glob("**/test"))))


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
