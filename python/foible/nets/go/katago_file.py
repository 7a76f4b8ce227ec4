"""Nets of KataGo (`.bin.gz`, `.bin`): foible reads the head of such a file to describe the net, but does not run it.

The format, according to the program's loader: the head consists of words separated by white space, namely a name, the
version, the number of input planes and the number of inputs for the whole board; from version 13 on, seven factors;
from version 15 on, the version of the metadata encoder, 0 without one, and seven reserved words; then a word with
`trunk` in it, the number of blocks and the number of channels. Weights follow after `@BIN@`. Nets with a metadata
encoder learnt from human games, and take ranks, time controls and dates as inputs.
"""

import gzip
import re
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from foible.errors import NetFileError
from foible.nets.file_reading import check_is_no_stand_in, first_bytes

REASON: Final = "a net of KataGo, whose planes and heads foible does not know"
INSTEAD: Final = "expected weights of Leela Zero or SAI (.txt.gz)"
_HEAD: Final = 4096
"""The number of bytes to read: enough to hold all words before the first weights."""
_WORDS: Final = re.compile(
    rb"\s*(\S+)\s+(\d{1,4})\s+(\d{1,6})\s+(\d{1,6})\s+"
    rb"(?:(?:[-+.e\d]+\s+){7}(?:(\d{1,4})\s+(?:\d+\s+){7})?)?"
    rb"\S*trunk\S*\s+(\d{1,6})\s+(\d{1,6})\s"
)


@dataclass(frozen=True, slots=True)
class KataGoHead:
    """The head of a KataGo file."""

    name: str
    """The name that its training run gave it."""
    version: int
    """The version of the format, which also determines the meaning of the net's outputs."""
    planes: int
    numbers: int
    """The number of inputs for the whole board, which are not planes."""
    blocks: int
    channels: int
    metadata: bool
    """Whether the net has a metadata encoder, which tells it who plays; such nets learnt from human games."""

    @property
    def notes(self) -> tuple[str, ...]:
        """Lines about the net for its user: its version and inputs, and how to play with it in KataGo."""
        option = "-human-model FILE -config gtp_human5k_example.cfg" if self.metadata else "-model FILE"
        told = (
            "learnt from games of people; humanSLProfile says whose: rank_20k to rank_9d, proyear_1800 to proyear_2023"
        )
        known = f"{self.name}, version {self.version}, {self.planes} planes and {self.numbers} numbers"
        return known, *([told] if self.metadata else []), f"KataGo plays with it: katago gtp {option}"


def read_katago(path: Path) -> KataGoHead:
    """Read the head of a KataGo file.

    :raises NetFileError: the file cannot be read, or is no net of KataGo; the message does not name the file.
    """
    try:
        data = first_bytes(path, _HEAD)
    except (EOFError, gzip.BadGzipFile, zlib.error):
        raise NetFileError("cut off or damaged: not gzip to the end of its first weights") from None
    except OSError as error:
        raise NetFileError(f"cannot be read: {error.strerror or error}") from None
    check_is_no_stand_in(data)
    found = _WORDS.match(data)
    if found is None:
        raise NetFileError("not a net of KataGo; expected its name, its version and its sizes at the beginning")
    name, *numbers = found.groups()
    version, planes, others, metadata, blocks, channels = (int(number or 0) for number in numbers)
    return KataGoHead(name.decode("latin-1"), version, planes, others, blocks, channels, metadata > 0)
