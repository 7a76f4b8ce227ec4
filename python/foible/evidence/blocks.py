"""Evidence as it is kept: a folder for each experiment, in it one for each configuration that was played, in it a file
for each block of games.

    evidence/NAME/IDENTITY/match.toml   the match that was played, as its run folder has it
    evidence/NAME/IDENTITY/0020.json    a block: the games of some consecutive pairs, beginning with pair 20
    evidence/NAME/report.json           figures of another command, or of games that were not kept

Blocks of one configuration may come from different machines. A configuration with another net, other visits or another
seed has another identity: their games are never counted together.
"""

import hashlib
import itertools
import re
import tomllib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any, Final, TypeVar

import msgspec

from foible.arena.play import MAY_CHANGE
from foible.arena.record import GameRecord
from foible.errors import GameFileError
from foible.runs.configuration import CONFIG
from foible.runs.files import write_atomically

T = TypeVar("T")

MATCH: Final = "match.toml"
REPORT: Final = "report.json"
_LETTERS: Final = {1.0: "W", 0.5: "D", 0.0: "L"}
SCORES: Final = {letter: score for score, letter in _LETTERS.items()}
_PLAYED_BY: Final = ("runtime", "precision", "resolved", *MAY_CHANGE)
"""Keys of a run's configuration that say how and where it was played, not what."""
_HASH: Final = re.compile(r"sha256 ([0-9a-f]{64})")


class Block(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The games of some consecutive pairs of a match."""

    first: int
    """The number of its first pair."""
    results: list[str]
    """Of each pair what the focal team did as Black, then as White: W, D or L."""
    plies: list[tuple[int, int]]
    """How long these games were."""
    terminations: dict[str, int]
    evaluations: dict[str, int] | None
    """By net; `None` where more than one process played the block."""
    seconds: float | None
    played_by: dict[str, str]
    """Versions of foible and of the runtimes, the processor, nets with their hashes."""
    finished: datetime

    @property
    def pairs(self) -> range:
        return range(self.first, self.first + len(self.results))


class Report(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Figures that no block gives: those of other commands, and of matches of which the games were not kept."""

    command: str
    figures: dict[str, tuple[float, float | None, int]]
    """By their quantity: value, standard error (`None` where it is not known), and of how many."""
    of: str
    """Of what the numbers are: `games`, `seeds`, `positions`."""
    note: str = ""
    """What is to be known of them: visits, nets, whether it was stopped."""
    played_by: dict[str, str] = {}
    finished: date | None = None


@dataclass(frozen=True, slots=True)
class Filed:
    """What is kept of one experiment in one configuration."""

    config: Mapping[str, Any]
    blocks: Sequence[Block]
    """In order of their pairs."""

    @property
    def games(self) -> int:
        return 2 * sum(len(block.results) for block in self.blocks)

    @property
    def evaluations(self) -> int:
        """Of all nets, as far as blocks tell it: those of the others are taken to have cost as much a game."""
        told = [block for block in self.blocks if block.evaluations is not None]
        games = 2 * sum(len(block.results) for block in told)
        counted = sum(sum(block.evaluations.values()) for block in told if block.evaluations)
        return round(counted * self.games / games) if games else 0

    @property
    def finished(self) -> datetime:
        """When its last block was."""
        return max(block.finished for block in self.blocks)


def block_of(records: Sequence[GameRecord], report: Mapping[str, Any], config: Mapping[str, Any]) -> Block:
    """The block of a finished part of a match.

    :param records: its games, in order and in whole pairs.
    :param report: `report.json` of its run folder.
    :param config: `config.toml` of its run folder.
    """
    pairs = list(zip(records[::2], records[1::2], strict=True))
    speed = report.get("speed") or {}
    whole = speed.get("plies") == sum(len(record.moves) for record in records)
    nets = {name: use["evaluations"] for name, use in speed.get("nets", {}).items()}
    return Block(
        first=records[0].pair,
        results=[_LETTERS[a.focal_score] + _LETTERS[b.focal_score] for a, b in pairs],
        plies=[(a.plies, b.plies) for a, b in pairs],
        terminations=dict(Counter(record.termination for record in records).most_common()),
        evaluations=nets if whole else None,
        seconds=speed.get("seconds") if whole else None,
        played_by=dict(config["resolved"]),
        finished=datetime.now(UTC).replace(microsecond=0),
    )


def identity(config: Mapping[str, Any]) -> str:
    """Of the match that a run's configuration describes: eight hexadecimal digits, the same for any machine."""
    match = {key: value for key, value in config.items() if key not in _PLAYED_BY}
    hashes = sorted((name, found[1]) for name, text in config["resolved"].items() if (found := _HASH.search(text)))
    return hashlib.sha256(msgspec.json.encode([match, hashes], order="deterministic")).hexdigest()[:8]


def file_block(folder: Path, run: Path, block: Block) -> Path:
    """Keep a block: in the folder of its experiment, with the configuration of its run folder; where it lies.

    :raises OSError: it cannot be written.
    """
    text = (run / CONFIG).read_text("utf-8")
    place = folder / identity(tomllib.loads(text))
    place.mkdir(parents=True, exist_ok=True)
    if not (place / MATCH).exists():
        write_atomically(place / MATCH, text)
    path = place / f"{block.first:04d}.json"
    write_atomically(path, _json(block))
    return path


def filed(folder: Path) -> list[Filed]:
    """All that is kept of one experiment, the latest last.

    :raises GameFileError: a file is no block, or two blocks hold the same pair.
    """
    found = []
    for place in sorted(path.parent for path in folder.glob(f"*/{MATCH}")):
        config = tomllib.loads((place / MATCH).read_text("utf-8"))
        blocks = [_read(path, Block) for path in sorted(place.glob("*.json"))]
        blocks.sort(key=lambda block: block.first)
        for one, following in itertools.pairwise(blocks):
            if following.first < one.pairs.stop:
                raise GameFileError(f"{place}: pair {following.first} stands in two blocks; remove one of them")
        if blocks:
            found.append(Filed(config, blocks))
    return sorted(found, key=lambda one: one.finished)


def filed_report(folder: Path) -> Report | None:
    """The report that is kept of an experiment, if there is one.

    :raises GameFileError: it is none.
    """
    path = folder / REPORT
    return _read(path, Report) if path.exists() else None


def file_report(folder: Path, report: Report) -> Path:
    """Keep a report, in the place of an earlier one; where it lies."""
    folder.mkdir(parents=True, exist_ok=True)
    write_atomically(folder / REPORT, _json(report))
    return folder / REPORT


def _json(value: msgspec.Struct) -> bytes:
    """A line for each member: a change is seen where it is."""
    lines = (
        f'  "{name}": {msgspec.json.encode(item).decode()}' for name, item in msgspec.structs.asdict(value).items()
    )
    return ("{\n" + ",\n".join(lines) + "\n}\n").encode()


def _read(path: Path, kind: type[T]) -> T:
    try:
        return msgspec.json.decode(path.read_bytes(), type=kind)
    except msgspec.DecodeError as error:
        raise GameFileError(f"{path}: {error}; expected evidence as `foible papers run` files it") from None
