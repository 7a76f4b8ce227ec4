"""Evidence as it is kept: a folder for each experiment, in it one for each configuration that was run, in it a file for
each block.

    evidence/NAME/IDENTITY/match.toml      the match that was played, as its run folder has it
    evidence/NAME/IDENTITY/measured.toml   or what was measured, and on what
    evidence/NAME/IDENTITY/0020.json       a block: some consecutive units, beginning with number 20
    evidence/NAME/report.json              figures of another command, or of games that were not kept

Blocks of one configuration may come from different machines. A configuration with another net, other visits or another
seed has another identity: their blocks are never counted together.
"""

import hashlib
import itertools
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Final, TypeVar

import msgspec
import tomli_w

from foible.arena.play import MAY_CHANGE
from foible.errors import GameFileError
from foible.evidence.blocks import AnyBlock, Block, Measurement, Report
from foible.runs.files import write_atomically
from foible.toml import read_text, read_toml, without_none

T = TypeVar("T")

KINDS: Final[Mapping[str, type[AnyBlock]]] = {"match.toml": Block, "measured.toml": Measurement}
"""The type of the blocks, by the name of the configuration file beside them."""
REPORT: Final = "report.json"
PLAYED_BY: Final = ("runtime", "precision", "resolved", *MAY_CHANGE)
"""Keys of a run's configuration that say how and where it was played, not what."""
_HASH: Final = re.compile(r"sha256 ([0-9a-f]{64})")


@dataclass(frozen=True, slots=True)
class Filed:
    """What is kept of one experiment in one configuration."""

    config: Mapping[str, Any]
    blocks: Sequence[AnyBlock]
    """In order of their units."""

    @property
    def units(self) -> int:
        """The number of units in all blocks."""
        return sum(len(block.units) for block in self.blocks)

    @property
    def evaluations(self) -> int:
        """Evaluations of all nets; where a block does not tell them, its units are taken to have cost as others did."""
        told = [block for block in self.blocks if block.evaluations is not None]
        units = sum(len(block.units) for block in told)
        counted = sum(sum(block.evaluations.values()) for block in told if block.evaluations)
        return round(counted * self.units / units) if units else 0

    @property
    def seconds(self) -> float | None:
        """The time that a unit took; `None` where no block tells it."""
        told = [(block.seconds, len(block.units)) for block in self.blocks if block.seconds is not None]
        return sum(seconds for seconds, _ in told) / sum(units for _, units in told) if told else None

    @property
    def quickest(self) -> float | None:
        """The time that a unit took in the quickest block: the others may have shared their machine with other work."""
        told = [block.seconds / len(block.units) for block in self.blocks if block.seconds is not None]
        return min(told, default=None)

    @property
    def finished(self) -> datetime:
        """When the last block was finished."""
        return max(block.finished for block in self.blocks)


def identity(config: Mapping[str, Any]) -> str:
    """A name of what a configuration describes: eight hexadecimal digits, the same for any machine."""
    run = {key: value for key, value in config.items() if key not in PLAYED_BY}
    resolved = config["resolved"].items()
    hashes = sorted((name, found[1]) for name, text in resolved if (found := _HASH.search(text)))
    return hashlib.sha256(msgspec.json.encode([run, hashes], order="deterministic")).hexdigest()[:8]


def file_block(folder: Path, config: Mapping[str, Any], block: AnyBlock) -> Path:
    """Keep a block in the folder of its experiment, with its configuration; where it lies.

    :raises OSError: it cannot be written.
    """
    config = without_none(config)
    place = folder / identity(config)
    place.mkdir(parents=True, exist_ok=True)
    described = place / next(name for name, kind in KINDS.items() if isinstance(block, kind))
    if not described.exists():
        write_atomically(described, tomli_w.dumps(config))
    path = place / f"{block.first:04d}.json"
    write_atomically(path, as_lines(block))
    return path


def filed(folder: Path) -> list[Filed]:
    """All that is kept of one experiment, the latest last.

    :raises GameFileError: a file is no block, two blocks hold the same unit, or a configuration is missing.
    :raises ConfigError: a configuration cannot be read.
    """
    found = []
    for place in sorted({path.parent for path in folder.glob("*/[0-9]*.json")}):
        name = next((name for name in KINDS if (place / name).exists()), None)
        if name is None:
            raise GameFileError(f"{place}: neither {' nor '.join(KINDS)} is there to say of what the blocks are")
        blocks = sorted((_read(path, KINDS[name]) for path in place.glob("*.json")), key=lambda block: block.first)
        for one, following in itertools.pairwise(blocks):
            if following.first < one.units.stop:
                raise GameFileError(f"{place}: number {following.first} stands in two blocks; remove one of them")
        described = place / name
        found.append(Filed(read_toml(read_text(described), str(described)), blocks))
    return sorted(found, key=lambda one: one.finished)


def filed_report(folder: Path) -> Report | None:
    """The report that is kept of an experiment, if there is one.

    :raises GameFileError: it is none.
    """
    path = folder / REPORT
    return _read(path, Report) if path.exists() else None


def as_lines(value: msgspec.Struct) -> bytes:
    """JSON with a line for each member: a change is seen where it is."""
    lines = (
        f'  "{name}": {msgspec.json.encode(item).decode()}' for name, item in msgspec.structs.asdict(value).items()
    )
    return ("{\n" + ",\n".join(lines) + "\n}\n").encode()


def _read(path: Path, kind: type[T]) -> T:
    try:
        return msgspec.json.decode(path.read_bytes(), type=kind)
    except msgspec.DecodeError as error:
        raise GameFileError(f"{path}: {error}; expected evidence as `foible papers run` files it") from None
