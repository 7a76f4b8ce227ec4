"""Mining puzzles: many positions looked at cheaply, few thoroughly (search-contempt §5).

All finished work is kept on the disk, so that a job can be stopped at any instant.

    run.json, run.lock, config.toml   as in every run; the configuration holds what the puzzles depend on
    journal.jsonl    one line per part of the work, with its checksum; only ever appended to
    looked.jsonl     parts that workers have finished out of order and that wait for earlier ones; removed at the end
    finished.json    how many lines these files have

A part is some games and all puzzles found in them. Its line is on the disk before the next part is begun; if the
process is killed, an unfinished line is cut off when the folder is opened again, and that part is done again. Puzzles
that earlier parts have found already are removed from a part only at the end, so parts can be looked at in any order.
"""

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
    Memory,
    Prospect,
    Tools,
    beside_mistakes,
    checked,
    position_key,
    positions_of,
    solved,
    unique_at_n,
    without_known,
)
from foible.analysis.puzzles.puzzle import Puzzle
from foible.analysis.puzzles.themes import themes_of
from foible.errors import GameFileError
from foible.nets.evaluator import Evaluator
from foible.opponents.game_tags import name_key
from foible.runs.files import Closing
from foible.runs.folder import RunFolder
from foible.runs.journal import JsonLines, RecordFile, read_journal
from foible.scale.parts import merge_all, taken
from foible.search.params import SearchParams

SEARCH: Final = SearchParams(policy_temperature=2.0, moves_left_threshold=0.0)
"""Parameters of the searches. Priors are flattened: puzzles turn on surprising moves, to which nets give little."""
JOURNAL, LOOKED = "journal.jsonl", "looked.jsonl"
PART: Final = 2048
"""The number of positions in a part of the work."""


class MinedPart(msgspec.Struct, frozen=True):
    """A finished part of the work."""

    games: list[str]
    """The keys of the games in it."""
    positions: int
    """The number of positions looked at."""
    seconds: float
    """The time that it took."""
    dropped: dict[str, int]
    """The number of positions that were not puzzles, by reason, a key of `mining_stages.REASONS`."""
    puzzles: list[Puzzle]


class UnsettledPosition(msgspec.Struct, frozen=True):
    """A position that may be a new puzzle, unless it occurs in one found earlier."""

    key: str
    """The key of the position, by `mining_stages.position_key`."""
    reason: str = ""
    """Why it is no puzzle, regardless of those found earlier; empty if it is one."""
    puzzle: Puzzle | None = None


class UnsettledPart(msgspec.Struct, frozen=True):
    """A part that was looked at, before it is known which of its positions earlier parts hold. The fields are those of
    `MinedPart`.
    """

    games: list[str]
    positions: int
    seconds: float
    dropped: dict[str, int]
    seen: list[UnsettledPosition]

    def settled(self, covered: set[str]) -> MinedPart:
        """The finished part, without puzzles that earlier parts have covered; adds those that it keeps to `covered`."""
        new = [position for position in self.seen if position.key not in covered]
        dropped = Counter(self.dropped)
        dropped["known"] += len(self.seen) - len(new)
        puzzles = []
        for position in new:
            if position.puzzle is None:
                dropped[position.reason] += 1
            elif position_key(position.puzzle.position) in covered:
                dropped["known"] += 1
            else:
                covered.update(positions_of(position.puzzle))
                puzzles.append(position.puzzle)
        reasons = {reason: dropped[reason] for reason in REASONS if dropped[reason]}
        return MinedPart(self.games, self.positions, self.seconds, reasons, puzzles)


class MiningJournal(Closing):
    """An open folder of puzzles. Closing it, or the end of the process, releases its lock."""

    def __init__(self, folder: Path, about: Mapping[str, Any]) -> None:
        """`about`: what the puzzles depend on, by `settings`.

        :raises ConfigError: the folder was made with other settings, holds another run, or is another process's.
        :raises GameFileError: the journal cannot be read.
        """
        self.folder = folder
        with ExitStack() as held:
            run = held.enter_context(RunFolder(folder, "puzzles"))
            run.expect_config(JOURNAL)
            run.settle(about, (), begun=True)
            self._parts = held.enter_context(RecordFile(folder / JOURNAL, JsonLines(MinedPart)))
            self._parts.begin()
            self._waiting = held.enter_context(RecordFile(folder / LOOKED, JsonLines(UnsettledPart)))
            if self._waiting.path.exists():
                self._waiting.begin()
            self._held = held.pop_all()
        self.done = {game for part in self.parts for game in part.games}

    @property
    def parts(self) -> list[MinedPart]:
        """The finished parts, in order."""
        return self._parts.items

    @property
    def puzzles(self) -> list[Puzzle]:
        """All puzzles found, in the order of the games."""
        return [puzzle for part in self.parts for puzzle in part.puzzles]

    @property
    def positions(self) -> int:
        """The number of positions looked at in the finished parts."""
        return sum(part.positions for part in self.parts)

    @property
    def looked_at(self) -> int:
        """The number of positions looked at, including parts that wait for earlier ones."""
        waiting = (part for part in self._waiting.items if not self.done.issuperset(part.games))
        return self.positions + sum(part.positions for part in waiting)

    @property
    def seconds(self) -> float:
        """The time that the finished parts took, added up."""
        return sum(part.seconds for part in self.parts)

    @property
    def dropped(self) -> Counter[str]:
        """The number of positions that were no puzzles, by the keys of `mining_stages.REASONS`."""
        return sum((Counter(part.dropped) for part in self.parts), Counter())

    def append(self, part: MinedPart) -> None:
        """Keep a part; it is on the disk when this returns."""
        self._parts.append([part])
        self.done.update(part.games)

    @property
    def waiting(self) -> dict[tuple[str, ...], UnsettledPart]:
        """The parts that workers have looked at and that wait for earlier ones, by their games."""
        return {tuple(looked.games): looked for looked in self._waiting.items}

    def take(self, part: Path) -> None:
        """Add the results in a worker's folder that are not known yet.

        :raises GameFileError: the folder is damaged, or other results are known for the same games.
        :raises OSError: the results cannot be written.
        """
        there, new = self.waiting, list[UnsettledPart]()
        for looked in read_journal(part / LOOKED, UnsettledPart):
            before = there.get(tuple(looked.games))
            if before is None:
                new.append(looked)
            elif (before.dropped, before.seen) != (looked.dropped, looked.seen):
                files = f"{self._waiting.path} and {part / LOOKED}"
                raise GameFileError(f"{files}: not the same puzzles in the same games; remove one of them")
        if not self._waiting.path.exists():
            self._waiting.begin()
        self._waiting.append(new)

    def merge(self, part: Path) -> None:
        """`take` the results in a worker's folder, and remove the folder.

        :raises ConfigError: another process is still at work in it.
        """
        with taken(part):
            self.take(part)

    def end(self) -> None:
        """Remove the file of waiting parts, when all are done."""
        if self._waiting.path.exists():
            self._waiting.rewrite([])
            self._waiting.close()
            self._waiting.path.unlink()

    def close(self) -> None:
        self._held.close()


def mine(
    files: Sequence[Path], tools: Tools, journal: MiningJournal, progress: Callable[[], None] = lambda: None
) -> None:
    """Look for puzzles in every game that the journal does not have yet. `progress` is called after each part.

    The puzzles found depend on the games and their order alone, not on where a job was stopped.
    """
    merge_all(journal.folder, journal.merge)
    for _ in parts_of_work(files, tools, journal, PART):
        progress()
    journal.end()


def parts_of_work(files: Sequence[Path], tools: Tools, journal: MiningJournal, size: int) -> Iterator[MinedPart]:
    """Do the work of `mine`, yielding each part once it is stored, so that the caller can act or stop in between.

    `size`: positions in a part. With small parts progress shows sooner, with large ones the work is faster.
    """
    memory, waiting = Memory(covered_by(journal)), journal.waiting
    for games in games_together(files, journal, tools.player, size):
        looked = waiting.get(tuple(game.key for game in games)) or look_at(games, tools, memory)
        part = looked.settled(memory.covered)
        journal.append(part)
        yield part


def covered_by(journal: MiningJournal) -> set[str]:
    """The keys of the positions in the puzzles found so far."""
    return {key for puzzle in journal.puzzles for key in positions_of(puzzle)}


def settings(tools: Tools, nets: Mapping[str, str]) -> dict[str, Any]:
    """The settings that the puzzles depend on, for `MiningJournal`. `nets`: from `NetShelf.resolved`."""
    return {
        "criterion": asdict(tools.criterion),
        "nets": dict(nets),
        "engine": tools.engines.name if tools.engines else None,
        "player": " ".join(name_key(tools.player)) if tools.player is not None else None,
    }


def look_at(games: Sequence[SourceGame], tools: Tools, memory: Memory) -> UnsettledPart:
    """Look for puzzles in some games, passing over only those positions that `memory` has as covered already."""
    start = time.monotonic()
    positions = sum(len(game.moves) + 1 for game in games)
    candidates = [candidate for game in games for candidate in game.candidates()]
    dropped = Counter(forced=positions - len(candidates))
    prospects = unique_at_n(candidates, tools, dropped, memory)
    prospects = beside_mistakes(prospects, tools, dropped)
    prospects = without_known(prospects, dropped, memory)
    reasons: dict[str, str] = {}
    solutions = solved(checked(prospects, tools, reasons), tools, reasons)
    puzzles = _rated(list(map(_puzzle, solutions)), tools.human)
    by_key = {prospect.key: puzzle for prospect, puzzle in zip(solutions, puzzles, strict=True)}
    seen = [
        UnsettledPosition(prospect.key, reasons.get(prospect.key, ""), by_key.get(prospect.key))
        for prospect in prospects
    ]
    return UnsettledPart(
        [game.key for game in games], positions, round(time.monotonic() - start, 3), dict(dropped), seen
    )


def games_together(
    files: Sequence[Path], journal: MiningJournal, name: str | None, size: int
) -> Iterator[list[SourceGame]]:
    """The games that the journal does not have yet, in parts of whole games with at least `size` positions.

    `name`: the player whose games alone are wanted; everybody's when `None`.
    """
    player, met = name_key(name or ""), set(journal.done)
    part: dict[str, SourceGame] = {}
    positions = 0
    for game in read_games(files):
        key = game.key
        if key in met or not concerns(game, player):
            continue
        met.add(key)
        part[key] = game
        positions += len(game.moves) + 1
        if positions >= size:
            yield list(part.values())
            part, positions = {}, 0
    if part:
        yield list(part.values())


NAMED_BEFORE: Final = 20
"""From this move number on puzzles have no opening, as in the public table."""


def _puzzle(prospect: Prospect) -> Puzzle:
    candidate, game = prospect.candidate, prospect.candidate.game
    names = f"{game.white or '?'} – {game.black or '?'}, " if game.moves else ""
    where = f", ply {candidate.ply + 1}" if game.moves else ""
    mistakes = f"; {prospect.mistakes}" if prospect.mistakes else ""
    fen = candidate.position.fen if candidate.before is None else candidate.before.fen
    puzzle = Puzzle(
        fen=fen,
        setup=candidate.setup,
        solution=prospect.solution,
        source=f"{names}{game.name}{where}{mistakes}",
        game_url=f"{game.url}#{candidate.ply}" if game.url else "",
        opening=game.opening if int(fen.split()[5]) < NAMED_BEFORE else "",
        before=round(prospect.shallow, 4),
        after=round(prospect.deep.wp, 4),
        margin=round(prospect.margin, 4),
    )
    return replace(puzzle, themes=themes_of(puzzle))


def _rated(puzzles: Sequence[Puzzle], human: Mapping[str, Evaluator]) -> list[Puzzle]:
    if not human or not puzzles:
        return list(puzzles)
    chances = difficulty.chances(human, puzzles)
    values = [difficulty.features(puzzle, chance) for puzzle, chance in zip(puzzles, chances, strict=True)]
    return [
        replace(puzzle, rating=rating, found={net: tuple(round(p, 4) for p in each) for net, each in chance.items()})
        for puzzle, chance, rating in zip(puzzles, chances, difficulty.ratings(values), strict=True)
    ]
