"""Engines that search as configuration: what judges and models that are engines have in common."""

import msgspec

from foible.engines.pool import EnginePool
from foible.engines.search import go_command
from foible.fields import Names, Positive, PositiveNumber


class EnginesSpec(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="kind"):
    """An external engine and how it searches. Exactly one of `depth` and `nodes` is to be set."""

    command: str | Names
    """The program, or the program and its arguments."""
    options: dict[str, str | int | bool] = {}
    """UCI options. Shallow searches want a small `Hash`: it is cleared before every position."""
    depth: Positive | None = None
    nodes: Positive | None = None
    processes: Positive = 1
    """Positions that are searched at once, each by a process of its own."""
    hang_after: PositiveNumber | None = None
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
