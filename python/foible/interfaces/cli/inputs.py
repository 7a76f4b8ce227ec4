"""Files and settings as the command line names them."""

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from foible.errors import ConfigError, GameFileError

STDIN = "-"


@contextmanager
def open_lines(file: str) -> Iterator[tuple[BinaryIO, str, int | None]]:
    """A binary file, what errors call it, and its number of lines where that can be known.

    :raises GameFileError: it is missing.
    :raises OSError: it cannot be opened.
    """
    if file == STDIN:
        yield sys.stdin.buffer, "standard input", None
        return
    if not Path(file).exists():
        raise GameFileError(f"{file}: no such file")
    with Path(file).open("rb") as stream:
        total = None
        if stream.seekable():
            total = sum(bool(line.strip()) for line in stream)
            stream.seek(0)
        yield stream, file, total


def settings(pairs: Sequence[str]) -> dict[str, str]:
    """`KEY=VALUE` each.

    :raises ConfigError: a pair without `=`.
    """
    for pair in pairs:
        if "=" not in pair:
            raise ConfigError(f"--set {pair}: expected KEY=VALUE, e.g. cpuct=2.5")
    return {key.strip(): value for key, _, value in (pair.partition("=") for pair in pairs)}
