"""Play what is missing of the planned experiments, block by block, and file each as it ends."""

import json
import time
import tomllib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from foible.arena.chess_store import read_games
from foible.arena.match import Progress, complete_pairs
from foible.arena.play import play
from foible.arena.record import GameRecord
from foible.evidence.blocks import Block, Filed, block_of, file_block, filed
from foible.evidence.plan import Plan, Planned
from foible.runs.configuration import CONFIG

OnProgress = Callable[[str, Progress[GameRecord]], None]


@dataclass(frozen=True, slots=True)
class Missing:
    """The next block of an experiment."""

    experiment: str
    planned: Planned
    pairs: range
    seconds: float | None
    """What its blocks took so far, one with the other; `None` where that is not known."""
    filed: int
    """Blocks so far."""

    @property
    def cost(self) -> float:
        """Seconds for as much news as a first block brings: later blocks narrow an error less.

        Unknown costs come first, to become known.
        """
        return (self.seconds or 0.0) * (self.filed + 1)


def missing(folder: Path, plan: Plan, names: Sequence[str] = ()) -> list[Missing]:
    """The next block of every planned experiment that is not whole, the cheapest information first.

    :param names: of these alone.
    """
    found = [_next(name, planned, folder / name) for name, planned in plan.items() if not names or name in names]
    return sorted((one for one in found if one is not None), key=lambda one: one.cost)


def _next(name: str, planned: Planned, folder: Path) -> Missing | None:
    kept = [one for one in filed(folder) if _same_plan(one, planned)]
    blocks = kept[-1].blocks if kept else ()
    there = {pair for block in blocks for pair in block.pairs}
    absent = (pair for pair in range(planned.games // 2) if pair not in there)
    first = next(absent, None)
    if first is None:
        return None
    end = min(
        first + planned.block // 2, planned.games // 2, min((p for p in there if p > first), default=planned.games)
    )
    seconds = [block.seconds / len(block.results) for block in blocks if block.seconds is not None]
    mean = sum(seconds) / len(seconds) * (end - first) if seconds else None
    return Missing(name, planned, range(first, end), mean, len(blocks))


def _same_plan(kept: Filed, planned: Planned) -> bool:
    return bool(kept.config.get("effort", 1.0) == planned.effort)


def run(
    folder: Path, plan: Plan, work: Path, names: Sequence[str] = (), *, seconds: float, on_progress: OnProgress
) -> Iterator[tuple[Missing, Path]]:
    """Play and file one block after the other: each with the place where it was filed.

    An interrupt from the keyboard ends it after the current move. What was played of a block stays in its run folder,
    and the same call goes on with it.

    :param folder: of the evidence.
    :param work: where the blocks' run folders are made.
    :param names: of these experiments alone.
    :param seconds: no block is begun when so many have gone by.
    :raises FoibleError: a player cannot be had.
    """
    begun, done = time.monotonic(), set[tuple[str, int]]()
    while time.monotonic() - begun < seconds:
        waiting = [one for one in missing(folder, plan, names) if (one.experiment, one.pairs.start) not in done]
        if not waiting:
            return
        done.add((waiting[0].experiment, waiting[0].pairs.start))
        block = play_block(waiting[0], work, on_progress)
        if block is None:
            return
        found, place = block
        yield waiting[0], file_block(folder / waiting[0].experiment, place, found)


def play_block(block: Missing, work: Path, on_progress: OnProgress) -> tuple[Block, Path] | None:
    """Play a block, or what is left of it, in a run folder of its own; with that folder.

    :return: `None` where it was stopped.
    """
    place = work / block.experiment / f"{block.pairs.start:04d}"
    config = block.planned.config(block.experiment)
    play(config, place, lambda now: on_progress(block.experiment, now), pairs=block.pairs)
    games = complete_pairs(read_games(place), block.pairs.start)
    if len(games) < 2 * len(block.pairs):
        return None
    report = json.loads((place / "report.json").read_text("utf-8"))
    return block_of(games, report, tomllib.loads((place / CONFIG).read_text("utf-8"))), place
