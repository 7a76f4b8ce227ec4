"""Mining puzzles: many positions looked at cheaply, few thoroughly (search-contempt §5)."""

import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

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
from foible.analysis.puzzles.puzzle_journal import Journal, Part
from foible.analysis.puzzles.themes import themes_of
from foible.nets.evaluator import Evaluator
from foible.opponents.game_tags import name_key
from foible.search.params import SearchParams

SEARCH: Final = SearchParams(policy_temperature=2.0, moves_left_threshold=0.0)
"""Constants of the looks. Flat priors: people's nets give a surprising move little, and it is such moves that count."""

PART: Final = 2048
"""Positions that are worked on together."""


def mine(files: Sequence[Path], tools: Tools, journal: Journal, progress: Callable[[], None] = lambda: None) -> None:
    """Look at every game that the journal does not know yet. `progress` is called after each part.

    What is found depends on the games and their order alone, not on where a job was stopped.
    """
    memory = Memory({key for puzzle in journal.puzzles for key in positions_of(puzzle)})
    for games in _parts(files, journal, name_key(tools.player or "")):
        journal.append(mine_part(games, tools, memory))
        progress()


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


def _parts(files: Sequence[Path], journal: Journal, player: tuple[str, ...]) -> Iterator[list[SourceGame]]:
    part: dict[str, SourceGame] = {}
    positions = 0
    for game in read_games(files):
        key = game.key
        if key in journal.done or key in part or not concerns(game, player):
            continue
        part[key] = game
        positions += len(game.moves) + 1
        if positions >= PART:
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
