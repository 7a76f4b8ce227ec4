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
from dataclasses import replace
from pathlib import Path

from foible.errors import TrainingError
from foible.nets.modules import torch_or_explain
from foible.runs.files import write_atomically
from foible.training.attune.config import AttuneConfig, to_toml_dict
from foible.training.attune.folder import run_folder
from foible.training.attune.matches import alone_match, framework_match
from foible.training.attune.progress import OnProgress
from foible.training.attune.report import Report, markdown
from foible.training.attune.stages import finish, fits_of, kept, make_games, open_shelf, resolved
from foible.training.attune.tune import tune

MAY_CHANGE = ("test_games", "alone_games", "threads")
"""Keys that a later run in the same folder may change."""


def attune(config: AttuneConfig, folder: Path, on_progress: OnProgress = lambda now: None) -> Report:
    """Make an attuned net, or what is left of it, and report on it.

    An interrupt from the keyboard ends the run as far as it is; the same call continues it.

    :raises ConfigError: torch is not installed, or the folder holds another run.
    :raises TrainingError: the tuning diverges.
    :raises NetFileError: a net is not there, or the senior's cannot be tuned.
    :raises GameFileError: games cannot be read.
    """
    torch_or_explain()
    config = resolved(config)
    with run_folder(folder, to_toml_dict(config), MAY_CHANGE):
        report = _stages(config, folder, on_progress)
        write_atomically(folder / "report.json", json.dumps(report.to_json(), indent=2, allow_nan=False) + "\n")
        write_atomically(folder / "report.md", markdown("Attuned net", report.tables()))
        return report


def _stages(config: AttuneConfig, folder: Path, on_progress: OnProgress) -> Report:
    """Those that are finished, up to the one that was interrupted."""
    shelf = open_shelf(config, folder)
    match, games = make_games(config, folder, shelf, on_progress)
    report = Report(config, games=match.report if match else None)
    if games is None:
        return report
    tuned = tune(config, games, folder / "net", on_progress)
    if tuned is None:
        raise TrainingError(
            f"{folder / 'net'}: the loss is not a number; choose another folder and a lower learning rate"
        )
    report = replace(report, parts=games.parts, tuned=tuned)
    if tuned.ended == "interrupted":
        return report
    fits = kept(folder / "held_out.json", lambda: fits_of(config, games, tuned.net, shelf))
    test = finish(framework_match(config, str(tuned.net)), folder / "test", shelf, "test", on_progress)
    report = replace(report, fits=fits, test=test.report)
    if not test.finished:
        return report
    alone = finish(alone_match(config, str(tuned.net)), folder / "alone", shelf, "alone", on_progress)
    return replace(report, alone=alone.report, finished=alone.finished)
