"""Mining puzzles: many positions looked at cheaply, few thoroughly (search-contempt §5).

What has been looked at and what was found is kept, so that a job can be stopped at any instant.

    about.json       the settings that the puzzles depend on
    journal.jsonl    one line per part of the work, with its checksum; only ever appended to
    finished.json    how many parts that are
    lock             held by the process that writes

A part is some games and all puzzles found in them. Its line is on the disk before the next part is begun; what a kill
leaves of an unfinished line is cut off when the folder is opened again, and that part is done again.
"""

import json
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, Final

import msgspec

from foible.analysis.puzzles import difficulty
from foible.analysis.puzzles.mining_sources import SourceGame, concerns, read_games
from foible.analysis.puzzles.mining_stages import (
    REASONS,
    Found,
    Memory,
    Tools,
    beside_mistakes,
    checked,
    once,
    position_key,
    positions_of,
    solved,
    unique_at_n,
)
from foible.analysis.puzzles.puzzle import Puzzle
from foible.analysis.puzzles.themes import themes_of
from foible.errors import ConfigError
from foible.nets.evaluator import Evaluator
from foible.opponents.game_tags import name_key
from foible.runs.files import Closing, write_atomically
from foible.runs.folder import lock
from foible.runs.journal import JsonLines, RecordFile
from foible.search.params import SearchParams

SEARCH: Final = SearchParams(policy_temperature=2.0, moves_left_threshold=0.0)
"""Constants of the looks. Flat priors: people's nets give a surprising move little, and it is such moves that count."""
PART: Final = 2048
"""Positions that are worked on together."""


class Part(msgspec.Struct, frozen=True):
    """A part of the work."""

    games: list[str]
    """Keys of the games that it has finished."""
    positions: int
    """Looked at."""
    seconds: float
    """Time that it took."""
    dropped: dict[str, int]
    """By reason how many positions were no puzzle; the keys of `mining_stages.REASONS`."""
    puzzles: list[Puzzle]


class Journal(Closing):
    """An open folder of puzzles. Closing it, or the end of the process, releases its lock."""

    def __init__(self, folder: Path, about: Mapping[str, Any]) -> None:
        """`about`: the settings; plain values.

        :raises ConfigError: the folder was made with other settings, or another process writes there.
        :raises GameFileError: its journal cannot be read.
        """
        folder.mkdir(parents=True, exist_ok=True)
        self.folder = folder
        with ExitStack() as held:
            held.callback(lock(folder / "lock").release)
            self._settle(dict(about))
            self._parts = held.enter_context(RecordFile(folder / "journal.jsonl", JsonLines(Part)))
            self._parts.begin()
            self._held = held.pop_all()
        self.done = {game for part in self.parts for game in part.games}

    @property
    def parts(self) -> list[Part]:
        """All that are done, in order."""
        return self._parts.items

    @property
    def puzzles(self) -> list[Puzzle]:
        """All that were found, in the order of the games."""
        return [puzzle for part in self.parts for puzzle in part.puzzles]

    @property
    def positions(self) -> int:
        return sum(part.positions for part in self.parts)

    @property
    def seconds(self) -> float:
        return sum(part.seconds for part in self.parts)

    @property
    def dropped(self) -> Counter[str]:
        return sum((Counter(part.dropped) for part in self.parts), Counter())

    def append(self, part: Part) -> None:
        """Keep a part; it is on the disk when this returns."""
        self._parts.append([part])
        self.done.update(part.games)

    def close(self) -> None:
        self._held.close()

    def _settle(self, about: dict[str, Any]) -> None:
        path = self.folder / "about.json"
        now = json.loads(json.dumps(about))
        if not path.exists():
            write_atomically(path, json.dumps(now, indent=2) + "\n")
            return
        try:
            before = json.loads(path.read_text("utf-8"))
        except ValueError:
            raise ConfigError(f"{path}: not JSON; choose another folder") from None
        if not isinstance(before, dict):
            raise ConfigError(f"{path}: not the settings of puzzles; choose another folder")
        changed = [f"{key} = {before.get(key)!r} (now {now.get(key)!r})" for key in now if before.get(key) != now[key]]
        if changed:
            raise ConfigError(f"{self.folder}: made with {', '.join(changed[:3])}; choose another folder")


def mine(files: Sequence[Path], tools: Tools, journal: Journal, progress: Callable[[], None] = lambda: None) -> None:
    """Look at every game that the journal does not know yet. `progress` is called after each part.

    What is found depends on the games and their order alone, not on where a job was stopped.
    """
    for _ in parts_of_work(files, tools, journal, PART):
        progress()


def parts_of_work(files: Sequence[Path], tools: Tools, journal: Journal, size: int) -> Iterator[Part]:
    """The same for those who want to do something else between the parts, or to stop there: each, once it is kept.

    `size`: positions of a part. Small parts tell sooner how it goes, large ones are looked at faster.
    """
    memory = Memory({key for puzzle in journal.puzzles for key in positions_of(puzzle)})
    for games in _games_together(files, journal, name_key(tools.player or ""), size):
        part = mine_part(games, tools, memory)
        journal.append(part)
        yield part


def settings(tools: Tools, nets: Mapping[str, str]) -> dict[str, Any]:
    """What the puzzles depend on, for `Journal`. `nets`: as `NetShelf.resolved` tells them."""
    return {
        "criterion": asdict(tools.criterion),
        "nets": dict(nets),
        "engine": tools.engines.name if tools.engines else None,
        "player": " ".join(name_key(tools.player)) if tools.player is not None else None,
    }


def mine_part(games: Sequence[SourceGame], tools: Tools, memory: Memory) -> Part:
    """The puzzles of some games; the memory learns from them."""
    start = time.monotonic()
    positions = sum(len(game.moves) + 1 for game in games)
    candidates = [candidate for game in games for candidate in game.candidates()]
    dropped = Counter(forced=positions - len(candidates))
    kept = unique_at_n(candidates, tools, dropped, memory)
    kept = beside_mistakes(kept, tools, dropped)
    kept = once(kept, dropped, memory)
    kept = checked(kept, tools, dropped)
    kept = solved(kept, tools, dropped)
    puzzles = []
    for puzzle in map(_puzzle, kept):
        if position_key(puzzle.position) in memory.covered:
            dropped["known"] += 1
        else:
            memory.covered.update(positions_of(puzzle))
            puzzles.append(puzzle)
    puzzles = _rated(puzzles, tools.human)
    reasons = {reason: dropped[reason] for reason in REASONS if dropped[reason]}
    return Part([game.key for game in games], positions, round(time.monotonic() - start, 3), reasons, puzzles)


def _games_together(
    files: Sequence[Path], journal: Journal, player: tuple[str, ...], size: int
) -> Iterator[list[SourceGame]]:
    part: dict[str, SourceGame] = {}
    positions = 0
    for game in read_games(files):
        key = game.key
        if key in journal.done or key in part or not concerns(game, player):
            continue
        part[key] = game
        positions += len(game.moves) + 1
        if positions >= size:
            yield list(part.values())
            part, positions = {}, 0
    if part:
        yield list(part.values())


def _puzzle(found: Found) -> Puzzle:
    candidate, game = found.candidate, found.candidate.game
    names = f"{game.white or '?'} – {game.black or '?'}, " if game.moves else ""
    where = f", ply {candidate.ply + 1}" if game.moves else ""
    mistakes = f"; {found.mistakes}" if found.mistakes else ""
    puzzle = Puzzle(
        fen=candidate.position.fen if candidate.before is None else candidate.before.fen,
        setup=candidate.setup,
        solution=found.solution,
        source=f"{names}{game.name}{where}{mistakes}",
        game_url=f"{game.url}#{candidate.ply}" if game.url else "",
        opening=game.opening,
        before=round(found.shallow, 4),
        after=round(found.deep.wp, 4),
        margin=round(found.margin, 4),
    )
    return replace(puzzle, themes=themes_of(puzzle))


def _rated(puzzles: Sequence[Puzzle], human: Mapping[str, Evaluator]) -> list[Puzzle]:
    if not human or not puzzles:
        return list(puzzles)
    chances = difficulty.chances(human, puzzles)
    values = [difficulty.features(puzzle, one) for puzzle, one in zip(puzzles, chances, strict=True)]
    return [
        replace(puzzle, rating=rating, found={net: tuple(round(p, 4) for p in each) for net, each in one.items()})
        for puzzle, one, rating in zip(puzzles, chances, difficulty.ratings(values), strict=True)
    ]
