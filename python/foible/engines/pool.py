"""Searching many positions with several processes of an engine, with a valid answer for every position."""

import asyncio
import contextlib
from collections.abc import Mapping, Sequence

import msgspec

from foible._core import ChessPosition
from foible.engines.process import HANG_SECONDS, EngineProcess, Option, engine_loop
from foible.engines.search import Variation, go_command
from foible.errors import ConfigError, EngineError
from foible.fields import EngineOptions, Positive, Program, Seconds
from foible.loop import together
from foible.runs.files import Closing


class EnginePool(Closing):
    """Processes of one engine that search positions to a fixed depth or number of nodes. The same position always gets
    the same answer, whatever was asked before it.

    For that, every search is a new game to the engine. With Stockfish 15.1 clearing the hash table takes 1.5 ms at 16
    MB and 10 ms at 64 MB, and neighbouring positions no longer help each other; both together cost some 20 % of a
    search of depth 10. So shallow searches should have a small `Hash`. With an option for more than one thread, answers
    are not repeatable any more.
    """

    def __init__(
        self,
        command: str | Sequence[str],
        *,
        options: Mapping[str, Option] | None = None,
        depth: int | None = None,
        nodes: int | None = None,
        processes: int = 1,
        hang_after: float | None = None,
        name: str = "",
    ) -> None:
        """Starts the first process.

        :param command: the program, or the program and its arguments.
        :param depth: in plies; this or `nodes` is the limit of every search.
        :param hang_after: seconds after which a search counts as hung, by default ten minutes.
        :param name: by default the name that the engine gives itself, and the limit.
        :raises ConfigError: not exactly one limit, or no process.
        :raises EngineError: the engine cannot be started, does not speak UCI, or does not know an option.
        """
        if processes < 1:
            raise ConfigError(f"processes = {processes}; an engine needs at least 1")
        self._go = go_command(depth=depth, nodes=nodes)
        self.nodes = nodes
        """The limit of every search in nodes; `None` where the limit is a depth."""
        self._hang_after = hang_after or HANG_SECONDS
        words = [command] if isinstance(command, str) else command
        self._processes = [EngineProcess(words, options or {}) for _ in range(processes)]
        self.engine = self._processes[0].start()
        """The name that the engine gives itself."""
        self.name = name or (f"{self.engine} at depth {depth}" if depth else f"{self.engine} at {nodes:,} nodes")
        self._free: asyncio.Queue[EngineProcess] = asyncio.Queue()
        for process in self._processes:
            self._free.put_nowait(process)

    async def search(
        self, positions: Sequence[ChessPosition], multipv: int = 1, *, nodes: int | None = None
    ) -> list[list[Variation]]:
        """For each position its best moves, at most `multipv`, best first. In none of them may the game be over.

        `nodes`: a limit for these searches, in place of the pool's own.

        An engine that died, hung or gave an invalid answer is restarted and asked once more.

        :raises ConfigError: `nodes` is below 1.
        :raises EngineError: a position went wrong twice; names engine and position, and says what happened.
        """
        go = go_command(depth=None, nodes=nodes) if nodes is not None else self._go
        return await engine_loop().run(together(self._search(position, multipv, go) for position in positions))

    def close(self) -> None:
        for process in self._processes:
            process.close()

    async def _search(self, position: ChessPosition, multipv: int, go: str) -> list[Variation]:
        """Search one position with the process that is free first."""
        process = await self._free.get()
        try:
            with contextlib.suppress(EngineError):
                return await process.analyse(position, go, multipv, self._hang_after)
            return await process.analyse(position, go, multipv, self._hang_after)
        except EngineError as error:
            raise EngineError(f"{self.name}: {error} (asked twice) in {position.fen}") from None
        finally:
            self._free.put_nowait(process)


class EnginesSpec(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="kind"):
    """An external engine and how it searches. Exactly one of `depth` and `nodes` is to be set."""

    command: Program
    """The program, or the program and its arguments."""
    options: EngineOptions = {}
    """UCI options. Shallow searches should have a small `Hash`, because it is cleared before every position."""
    depth: Positive | None = None
    nodes: Positive | None = None
    processes: Positive = 1
    """The number of processes, and so of positions that are searched at the same time."""
    hang_after: Seconds | None = None
    """Seconds after which a search counts as hung; 600 when absent."""

    def __post_init__(self) -> None:
        go_command(depth=self.depth, nodes=self.nodes)


def open_engines(spec: EnginesSpec) -> EnginePool:
    """Start the processes of a UCI engine as a pool, which the caller closes.

    :raises EngineError: the engine cannot be started, does not speak UCI, or does not know an option.
    """
    return EnginePool(
        spec.command,
        options=spec.options,
        depth=spec.depth,
        nodes=spec.nodes,
        processes=spec.processes,
        hang_after=spec.hang_after,
    )
