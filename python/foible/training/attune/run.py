"""From the nets of two partners to an attuned net: games, tuning, tests. Each stage goes on where it was interrupted.

    config.toml     the resolved configuration; another one is refused
    games/          the senior's team against itself: a match
    data.pgn        the games of that match in order
    split.json      the part of each game: training, validation or test
    net/            the run folder of the tuning, with its net, net.pb.gz
    held_out.json   how well the nets predict the held-out games
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
from foible.arena.play import play
from foible.arena.progress import MatchProgress
from foible.arena.record import GameRecord
from foible.arena.report import MatchReport
from foible.arena.stats import sample_of, tally_games
from foible.errors import ConfigError, GameFileError, TrainingError
from foible.extras import required
from foible.nets.catalogue import net_sha256
from foible.nets.shelf import NetShelf, Runtimes, as_begun
from foible.runs.files import read_sealed, seal, write_atomically
from foible.toml import AnyPath, convert, expand, to_toml_dict, values_of
from foible.training.attune.config import AttuneConfig
from foible.training.attune.folder import AttuneProgress, OnProgress, Stage, run_folder
from foible.training.attune.games import (
    ATT,
    JUNIOR,
    SENIOR,
    TrainingGames,
    alone_match,
    collect,
    data_match,
    framework_match,
)
from foible.training.attune.move_prediction import Fit, HeldOut, NetView, fit, held_out, view
from foible.training.attune.report import AttuneReport, markdown
from foible.training.attune.tune import check_senior, tune
from foible.wording import percent

MAY_CHANGE = ("test_games", "alone_games", "threads")
"""Keys that a later run in the same folder may change."""
FEW = 8
"""The least number of games for a share to be shown."""


def attune(config: AttuneConfig, folder: AnyPath, on_progress: OnProgress = lambda now: None) -> AttuneReport:
    """Make an attuned net and test it, or do what is left of that, and report on it.

    An interrupt from the keyboard ends the run where it is; the same call continues it.

    :raises ConfigError: torch is not installed, or the folder holds another run.
    :raises TrainingError: the tuning diverges.
    :raises NetFileError: a net is not there, or the senior's cannot be tuned.
    :raises GameFileError: games cannot be read.
    """
    required("torch")
    config, folder = resolved(as_given(config)), expand(folder)
    with run_folder(folder, to_toml_dict(config), MAY_CHANGE):
        report = _stages(config, folder, on_progress)
        write_atomically(folder / "report.json", json.dumps(report.to_json(), indent=2, allow_nan=False) + "\n")
        write_atomically(folder / "report.md", markdown("Attuned net", report.tables()))
        return report


def attuned_net(config: AttuneConfig, folder: AnyPath, on_progress: OnProgress = lambda now: None) -> Path | None:
    """Make an attuned net without its tests, or do what is left of that; returns its file, `None` after an interrupt.

    `attune` goes on with the tests in the same folder. Errors as those of `attune`.
    """
    required("torch")
    config, folder = resolved(as_given(config)), expand(folder)
    with run_folder(folder, to_toml_dict(config), MAY_CHANGE):
        report, games = _made(config, folder, open_shelf(config, folder), on_progress)
    return report.tuned.net if report.tuned and games else None


def _made(
    config: AttuneConfig, folder: Path, shelf: NetShelf, on_progress: OnProgress
) -> tuple[AttuneReport, TrainingGames | None]:
    """Play the games and tune the net; returns the report so far, and the games once the tuning is finished."""
    match, games = make_games(config, folder, shelf, on_progress)
    report = AttuneReport(config, games=match.report if match else None)
    if games is None:
        return report, None
    tuned = tune(config, games, folder / "net", on_progress)
    if tuned is None:
        raise TrainingError(
            f"{folder / 'net'}: the loss is not a number; choose another folder and a lower learning rate"
        )
    report = replace(report, parts=games.parts, tuned=tuned)
    return report, None if tuned.ended == "interrupted" else games


def _stages(config: AttuneConfig, folder: Path, on_progress: OnProgress) -> AttuneReport:
    """Run all stages, up to one that is interrupted; returns the report so far."""
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
class PlayedMatch:
    """The result of a match, as far as it was played."""

    report: MatchReport | None
    """The report on the finished games; `None` where there are none."""
    finished: bool


def as_given(config: AttuneConfig) -> AttuneConfig:
    """The configuration that a caller gives.

    :raises ConfigError: it is none, or a value is out of range.
    """
    example = "AttuneConfig(framework='stt', senior='master', junior='maia-1100')"
    found: AttuneConfig = convert(values_of(config, AttuneConfig, example), AttuneConfig, "AttuneConfig")
    return found


def resolved(config: AttuneConfig) -> AttuneConfig:
    """The configuration with the version of foible and the hashes of its nets.

    :raises NetFileError: a net is not there, or the senior's cannot be tuned.
    """
    check_senior(config.senior)
    nets = {net: f"sha256 {net_sha256(net)}" for net in (config.senior, config.junior) if isinstance(net, str)}
    return msgspec.structs.replace(config, resolved={"foible": __version__, **nets})


def open_shelf(config: AttuneConfig, folder: Path) -> NetShelf:
    """The nets for all matches of a run, with the runtime and precision with which it began."""
    asked = Runtimes(config.runtime, config.precision, config.threads)
    return NetShelf(as_begun(asked, folder / "games", *sorted(folder.glob("**/test"))))


def make_games(
    config: AttuneConfig, folder: Path, shelf: NetShelf, on_progress: OnProgress
) -> tuple[PlayedMatch | None, TrainingGames | None]:
    """Play the games to learn from, or those that are missing, unless the configuration names another match for them.

    Returns the match that was played, if any, and the games: `None` until there are all.
    """
    if config.data is not None:
        return None, collect(config, Path(config.data), folder)
    match = finish(data_match(config), folder / "games", shelf, "games", on_progress)
    return match, collect(config, folder / "games", folder) if match.finished else None


def finish(config: MatchConfig, folder: Path, shelf: NetShelf, stage: Stage, on_progress: OnProgress) -> PlayedMatch:
    """Play a match, or what is left of it."""

    def show(now: MatchProgress[GameRecord]) -> None:
        tally, error = tally_games(now.finished), sample_of(now.finished).sample_error
        known = f"  {percent(tally.share, error)}" if stage != "games" and tally.n >= FEW else ""
        rate = now.speed.per_second(now.speed.plies)
        note = f"{rate:.0f} plies/s{known}"
        on_progress(AttuneProgress(stage, len(now.finished), now.total, note, left=now.seconds_left))

    report = play(config, folder, show, shelf=shelf)
    return PlayedMatch(report, report is not None and report.games.n >= 2 * config.pairs)


class Yardstick:
    """Measures how well nets predict the held-out games, in comparison with senior and junior."""

    def __init__(self, config: AttuneConfig, games: TrainingGames, shelf: NetShelf) -> None:
        self._shelf = shelf
        self._games: HeldOut = held_out(games.test, config.seed)
        self._junior: NetView | None = None
        if isinstance(config.junior, str):
            self._junior = view(shelf.evaluator(config.junior), self._games)
        self.team = {SENIOR: self.fit(config.senior)}
        """How well senior and junior predict the held-out games; without an engine as junior."""
        if self._junior is not None:
            self.team[JUNIOR] = fit(self._junior, self._junior, self._games)

    def fit(self, net: str) -> Fit:
        """How well a net predicts the held-out games."""
        return fit(view(self._shelf.evaluator(net), self._games), self._junior, self._games)


def kept(path: Path, measure: Callable[[], dict[str, Fit]]) -> dict[str, Fit]:
    """Read measurements from a file; where there is none, measure now and write it.

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


def fits_of(config: AttuneConfig, games: TrainingGames, attuned: Path, shelf: NetShelf) -> dict[str, Fit]:
    """How well the nets of senior, junior and ATT predict the held-out games."""
    yardstick = Yardstick(config, games, shelf)
    return {**yardstick.team, ATT: yardstick.fit(str(attuned))}
