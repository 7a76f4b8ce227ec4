"""The configuration of labelling: which positions, by which teacher; and how a teacher is written on a command line."""

from typing import Literal

import msgspec

from foible.errors import ConfigError
from foible.fields import Names, Positive, Seed
from foible.judges.spec import as_table, net_and_nodes
from foible.nets.choices import Precision, Runtime, Threads
from foible.toml import inline
from foible.training.labels.teachers import (
    EngineTeacherSpec,
    LevelsTeacherSpec,
    NetsTeacherSpec,
    SearchTeacherSpec,
)

AnyTeacherSpec = NetsTeacherSpec | LevelsTeacherSpec | SearchTeacherSpec | EngineTeacherSpec

LEVELS = "levels"
FORMS = (
    "nets (maia-1500, or maia-1500+maia-1600 for their mean), the Maias at the mover's rating (levels), a net that"
    " searches (master@100), or an engine (uci:stockfish:depth=8)"
)


class LabelConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The configuration of a run of `foible label`."""

    sources: Names
    """PGN and EPD files, plain or packed; folders of matches, self-play and labels."""
    teacher: AnyTeacherSpec
    positions: Positive | None = None
    """The number of positions to label, drawn at random from all; all when absent."""
    seed: Seed = 1
    """The seed of the random choice of positions."""
    runtime: Runtime | Literal["auto"] = "auto"
    precision: Precision | Literal["auto"] = "auto"
    threads: Threads | None = None
    resolved: dict[str, str] = {}
    """Added by the run itself and written into its folder: versions, the machine, hashes of the games and the nets."""


def parse_teacher(text: str) -> AnyTeacherSpec:
    """Read a teacher as the command line names it: one of `FORMS`, or an inline table of TOML.

    >>> parse_teacher("master@100")
    SearchTeacherSpec(net='master', nodes=100)

    :raises ConfigError: the text names no teacher; says what would be right.
    """
    text = text.strip()
    source = f"teacher {text!r}"
    if text == LEVELS:
        return LevelsTeacherSpec()
    table = as_table(text, source)
    if table.startswith("{"):
        spec: AnyTeacherSpec = inline(table, AnyTeacherSpec, source)
        return spec
    net, nodes = net_and_nodes(text, source, FORMS)
    if nodes == 1:
        raise ConfigError(f"{source}: a search of one visit prefers no move; expected {net}@2 or more, or {net}")
    if nodes:
        return SearchTeacherSpec(net=net, nodes=nodes)
    nets = net.split("+")
    if not all(nets):
        raise ConfigError(f"{source}: expected {FORMS}")
    return NetsTeacherSpec(nets=nets)
