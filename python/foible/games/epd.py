"""Lines of EPD and FEN: a position, with a name where the operation `id` gives one."""

import re
from dataclasses import dataclass
from typing import Final

from foible.errors import GameFileError

_COUNTERS: Final = re.compile(r"(?P<hmvc>\d+)\s+(?P<fmvn>\d+)(?=[\s;]|$)")
"""The counters of a FEN."""
_OPERATION: Final = re.compile(r'(?:"[^"]*"|[^;"])+')
"""An operation of an EPD line, in which a semicolon may stand between quotation marks."""


@dataclass(frozen=True, slots=True)
class EpdLine:
    """What a line says."""

    fen: str
    """The position with both counters; it may be no legal one."""
    name: str = ""
    """The operand of the operation `id`."""


def read_epd_line(line: str) -> EpdLine:
    """The position and the name of a line: four fields, then the two counters of a FEN, or operations, of which `hmvc`
    and `fmvn` are the counters.

    >>> read_epd_line('8/8/8/8/8/8/8/K1k5 w - - bm Ka2; fmvn 9; id "corner";')
    EpdLine(fen='8/8/8/8/8/8/8/K1k5 w - - 0 9', name='corner')

    :raises GameFileError: it has fewer than four fields.
    """
    fields = line.split(maxsplit=4)
    if len(fields) < 4:
        raise GameFileError(f"an EPD line has at least four fields, this one has {len(fields)}")
    rest = fields[4] if len(fields) == 5 else ""
    counters, name = {"hmvc": "0", "fmvn": "1"}, ""
    if found := _COUNTERS.match(rest):
        counters, rest = found.groupdict(), rest[found.end() :]
    for operation in _OPERATION.findall(rest):
        key, operand = [*operation.split(maxsplit=1), "", ""][:2]
        if key in counters:
            counters[key] = operand.strip()
        elif key == "id":
            name = operand.strip().strip('"')
    return EpdLine(" ".join([*fields[:4], counters["hmvc"], counters["fmvn"]]), name)
