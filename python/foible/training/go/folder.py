"""The folder of a run from random play, safe against a kill at any instant.

run.json                marks the folder as that of such a run
config.toml             the resolved configuration; another one is refused
generations.jsonl       a line for each generation that is over, with its checksum
finished.json           how many lines those are; the same in the folder of each generation for its games
gen-0000/net.txt.gz     the random net that the run begins with
gen-0001/games.jsonl    finished games of self-play by the best net until then, from the first move on; in turn at the
                        end
         training.pt    the state of its training, until the generation is over
         net.txt.gz     the net that learnt from the games
         matches.jsonl  games of its matches, each match in order at its end
         parts          games that workers play, until they are merged (`foible.scale.parts`)
net.txt.gz              the best net so far         } derived, written anew
curve.svg               a picture of the run so far } after each generation
run.lock                held by the process that writes

An interrupted generation goes on from the games, the training, the net and the matches that are there.
"""

import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import msgspec
import tomli_w

from foible.errors import ConfigError
from foible.runs.folder import CONFIG, RunFolder, check_unchanged
from foible.runs.journal import Journal
from foible.selfplay.go.record import GoSelfplayRecord
from foible.selfplay.go.starts import first_games
from foible.toml import without_none
from foible.training.go.config import GoTrainConfig, read_config
from foible.training.go.generation import Generation

MAY_CHANGE = ("generations", "threads", "selfplay.concurrency", "panel.patience")
"""Keys that a later process may change: no game and no net depends on them."""
GENERATIONS: Final = "generations.jsonl"
GAMES: Final = "games.jsonl"
MATCHES: Final = "matches.jsonl"


@contextmanager
def opened(folder: Path, config: GoTrainConfig) -> Iterator[Journal[Generation]]:
    """Hold the folder of a run, old or new; gives the journal of the generations that are over.

    `config`: the configuration from `run.resolved`.

    :raises ConfigError: the folder was made with another configuration, other nets in its panel, or by another command;
        or has generations without a configuration; or another process is at work in it.
    :raises GameFileError: the list of generations is damaged.
    """
    with RunFolder(folder, "go training") as run:
        path = folder / CONFIG
        run.expect_config(GENERATIONS)
        if path.exists():
            before = read_config(path)  # what a record of an earlier version lacks has its default
            check_unchanged(folder, _asked(before), _asked(config), MAY_CHANGE)
            _check_panel(folder, before.panel_nets, config.panel_nets)
        run.freeze(msgspec.to_builtins(config))
        with Journal(folder / GENERATIONS, Generation) as generations:
            yield generations


def _asked(config: GoTrainConfig) -> dict[str, Any]:
    """The configuration without `resolved`, as it is read back from TOML."""
    asked = msgspec.to_builtins(msgspec.structs.replace(config, resolved={}))
    return tomllib.loads(tomli_w.dumps(without_none(asked)))


def _check_panel(folder: Path, before: dict[str, str], now: dict[str, str]) -> None:
    """Make sure that a panel still has the same nets, wherever they lie: shares against other nets could not be
    compared.

    `before`, `now`: hashes by path; `before` is empty in records of earlier versions.

    :raises ConfigError: the panel has other nets; names the first three.
    """
    gone = {net for net, digest in before.items() if digest not in now.values()}
    new = {net for net, digest in now.items() if digest not in before.values()}
    said = [f"{net} is gone" for net in gone - new]
    said += [f"{net} is new" for net in new - gone]
    said += [f"{net} has changed" for net in gone & new]
    if before and said:
        named = ", ".join(sorted(said)[:3])
        raise ConfigError(f"{folder}: made with other nets in its panel: {named}; choose another folder")


def generation_folder(folder: Path, number: int) -> Path:
    return folder / f"gen-{number:04}"


def net_path(folder: Path, number: int) -> Path:
    """The file of the net of a generation."""
    return generation_folder(folder, number) / "net.txt.gz"


def training_path(folder: Path, number: int) -> Path:
    """The file with the state of a generation's training."""
    return generation_folder(folder, number) / "training.pt"


def games_path(folder: Path, number: int) -> Path:
    return generation_folder(folder, number) / GAMES


def matches_path(folder: Path, number: int) -> Path:
    return generation_folder(folder, number) / MATCHES


def read_games(folder: Path, number: int, count: int) -> list[GoSelfplayRecord]:
    """The first `count` games of a generation, in turn. Errors as `Journal`."""
    with Journal(games_path(folder, number), GoSelfplayRecord) as journal:
        return first_games(journal.items, count)
