"""External engines that speak GTP as players of Go."""

import asyncio
import math
from collections.abc import Awaitable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack

from foible._core import GoPosition
from foible.agents.base import Decision, Limit, Player, Turn, check_limits, go_position
from foible.agents.engine_processes import EngineProcesses, patience
from foible.engines.gtp import GtpBoard, GtpProcess


class GtpEngine(Player):
    """A GTP engine as a player of Go.

    The engine is told board, komi, the stones of the start and all moves, so it knows the history; in a game that it
    knows already, only what is new. Its rules are those that its command line, or `setup`, gives it; they should be
    ours: area scoring and positional superko.

    After a crash, a hang, an illegal or missing move the engine is restarted and asked again, once per game; then the
    decision is a forfeit, with the reason in `info["forfeit"]`. Where the engine gives up, the move is `resign`.
    """

    obeys: frozenset[Limit] = frozenset({"seconds"})

    def __init__(
        self,
        command: str | Sequence[str],
        *,
        setup: Sequence[str] = (),
        processes: int = 1,
        hang_after: float | None = None,
        name: str = "",
    ) -> None:
        """Starts the first process.

        :param command: the program, or the program and its arguments.
        :param setup: GTP commands that are sent to every process at its start, such as `kata-set-rules tromp-taylor`.
        :param processes: the number of processes, and so of turns that are thought about at the same time.
        :param hang_after: seconds after which a move counts as hung; by default ten times the time limit but no less
            than 10 s, and ten minutes without such a limit.
        :param name: by default the name that the engine gives itself.
        :raises ConfigError: `processes` is below 1.
        :raises EngineError: the engine cannot be started, does not speak GTP 2, or refuses a command of its set-up.
        """
        words = [command] if isinstance(command, str) else list(command)
        self._hang_after = hang_after
        self._processes = [GtpProcess(words, setup) for _ in range(processes)]
        boards = [GtpBoard(process) for process in self._processes]
        self._by_game = EngineProcesses(boards)
        self._threads = {board: ThreadPoolExecutor(1, thread_name_prefix="gtp") for board in boards}
        own_name = self._processes[0].start()
        self.name = name or own_name

    async def choose(self, turn: Turn) -> Decision:
        """Each process answers the turns of its games one after the other.

        :raises ConfigError: the turn is not about Go, or limited by nodes: GTP knows only time.
        """
        check_limits(self, turn.limits)
        position, seconds = go_position(turn, self.name), turn.limits.seconds

        def generate(board: GtpBoard) -> Awaitable[Decision]:
            thread = self._threads[board]
            return asyncio.wrap_future(thread.submit(self._decide, board, turn.game, position, seconds))

        return await self._by_game.choose(turn.game, generate)

    def forget(self, game: int) -> None:
        self._by_game.forget(game)

    def close(self) -> None:
        with ExitStack() as each:  # All are closed, even if one of them fails to.
            for thread in self._threads.values():
                each.callback(thread.shutdown)
            for process in self._processes:
                each.callback(process.close)

    def _decide(self, board: GtpBoard, game: int, position: GoPosition, seconds: float | None) -> Decision:
        # The protocol counts whole seconds.
        told = None if seconds is None else max(1, math.floor(seconds))
        return Decision(board.generate(position, game, patience(self._hang_after, seconds), move_seconds=told))
