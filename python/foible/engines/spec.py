"""Engines that search as configuration: what judges and models that are engines have in common."""

from typing import Annotated

import msgspec

from foible.engines.pool import EnginePool
from foible.engines.search import go_command

Positive = Annotated[int, msgspec.Meta(ge=1)]


class EnginesSpec(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="kind"):
    """An external engine and how it searches. Exactly one of `depth` and `nodes` is to be set."""

    command: str | Annotated[list[str], msgspec.Meta(min_length=1)]
    """The program, or the program and its arguments."""
    options: dict[str, str | int | bool] = {}
    """UCI options. Shallow searches want a small `Hash`: it is cleared before every position."""
    depth: Positive | None = None
    nodes: Positive | None = None
    processes: Positive = 1
    """Positions that are searched at once, each by a process of its own."""
    hang_after: Annotated[float, msgspec.Meta(gt=0)] | None = None
    """Seconds after which a search counts as hung; 600 when absent."""

    def __post_init__(self) -> None:
        go_command(depth=self.depth, nodes=self.nodes)


def open_engines(spec: EnginesSpec) -> EnginePool:
    """:raises EngineError: the engine cannot be started, does not speak UCI, or does not know an option."""
    return EnginePool(
        spec.command,
        options=spec.options,
        depth=spec.depth,
        nodes=spec.nodes,
        processes=spec.processes,
        hang_after=spec.hang_after,
    )
