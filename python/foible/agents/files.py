"""The files that a description stands on beside its nets: the programs of engines, games, books."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from foible.engines.stockfish import program_path
from foible.nets.download import file_sha256

FILE_KEYS = ("command", "file", "book", "options")
"""The keys that name a file. Of a command only the program counts: what follows it may be a log."""


def file_hashes(description: msgspec.Struct) -> dict[str, str]:
    """The hash of every such file by the name that the description gives it, at any depth.

    What is not a file here is left out: it is for those who open it to complain.
    """
    return {name: f"sha256 {file_sha256(path)}" for name, path in sorted(_files("", msgspec.to_builtins(description)))}


def _files(key: str, value: Any) -> Iterator[tuple[str, Path]]:
    match value:
        case dict():
            for inner, within in value.items():
                yield from _files(key if key == "options" else inner, within)
        case [program, *_] if key == "command":
            yield from _files(key, program)
        case list():
            for item in value:
                yield from _files(key, item)
        case str() if key in FILE_KEYS:
            path = Path((program_path(value) if key == "command" else None) or value).expanduser()
            if path.is_file():
                yield value, path
