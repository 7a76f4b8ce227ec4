"""The folder of a run from random play, safe against a kill at any instant.

config.toml             the resolved configuration; another one is refused
generations.jsonl       a line for each generation that is over
gen-0000/net.txt.gz     the random net that it begins with
gen-0001/games.jsonl    finished games of self-play by the best net until then, from the first move on
         training.pt    where its training stands, until the generation is over
         net.txt.gz     the net that learnt from them
         matches.jsonl  games of its matches
net.txt.gz              the best net so far  } derived,
curve.svg               how it came about    } written anew each time
run.lock                held by the process that writes

A generation goes on from what of it is there: its games, its net, its matches.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec
import tomli_w

from foible.arena.store import check_unchanged, read_recorded, without_none
from foible.files import write_atomically
from foible.journal import Journal
from foible.selfplay.go.record import GoGame
from foible.selfplay.go.starts import first_games
from foible.training.folder import CONFIG, held
from foible.training.go.config import GoTrainConfig
from foible.training.go.generation import Generation

MAY_CHANGE = ("generations", "threads", "selfplay.concurrency", "panel.patience")
"""Keys that a later process may change: no game and no net depends on them."""


@contextmanager
def opened(folder: Path, config: GoTrainConfig) -> Iterator[Journal[Generation]]:
    """Hold the folder of a run, old or new; gives the generations that are over.

    :raises ConfigError: the folder was made with another configuration or by another command, or another process is at
        work in it.
    :raises GameFileError: the list of generations is damaged.
    """
    with held(folder, "go training"):
        path, now = folder / CONFIG, without_none(msgspec.to_builtins(config))
        if path.exists():
            before = read_recorded(path)
            before.pop("resolved", None)
            check_unchanged(folder, before, {name: one for name, one in now.items() if name != "resolved"}, MAY_CHANGE)
        write_atomically(path, tomli_w.dumps(now))
        with Journal(folder / "generations.jsonl", Generation) as generations:
            yield generations


def generation_folder(folder: Path, number: int) -> Path:
    return folder / f"gen-{number:04}"


def net_path(folder: Path, number: int) -> Path:
    """The net that came of a generation."""
    return generation_folder(folder, number) / "net.txt.gz"


def training_path(folder: Path, number: int) -> Path:
    """Where the training of a generation stands."""
    return generation_folder(folder, number) / "training.pt"


def games_path(folder: Path, number: int) -> Path:
    return generation_folder(folder, number) / "games.jsonl"


def matches_path(folder: Path, number: int) -> Path:
    return generation_folder(folder, number) / "matches.jsonl"


def read_games(folder: Path, number: int, count: int) -> list[GoGame]:
    """The first so many games of a generation. Errors as `Journal`."""
    with Journal(games_path(folder, number), GoGame) as journal:
        return first_games(journal.items, count)
