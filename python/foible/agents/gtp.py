"""External Go engines that speak GTP."""

import math
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Final

from foible._core import GoPosition
from foible.agents.base import Decision, Limits, Player, Turn
from foible.engines.gtp import GtpProcess
from foible.engines.gtp_board import GtpBoard
from foible.errors import ConfigError, EngineError

HANG_SECONDS: Final = 600.0
"""What a move may take where no time limit says otherwise."""


class GtpEngine(Player):
    """A GTP engine as a player of Go.

    The engine is told board, komi, the stones of the start and all moves, so it knows the history; of a game that it
    knows already, what is new. Its rules are those that its command line, or `setup`, gives it: scoring by area and
    positional superko are ours.

    After a crash, a hang, an illegal or missing move the engine is restarted and asked again, once per game; then the
    decision is a forfeit, with the reason in `info["forfeit"]`. An engine that gives up decides on `resign`.
    """

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
        :param setup: GTP commands that every process begins with, such as `kata-set-rules tromp-taylor`.
        :param processes: how many turns are thought about at the same time, each by a process of its own.
        :param hang_after: seconds after which a move counts as hung; by default ten times the time limit but no less
            than 10 s, and ten minutes without such a limit.
        :param name: by default the name that the engine gives itself.
        :raises ConfigError: no process.
        :raises EngineError: it cannot be started, does not speak GTP 2, or refuses a command of its set-up.
        """
        if processes < 1:
            raise ConfigError(f"processes = {processes}; an engine needs at least 1")
        words = [command] if isinstance(command, str) else list(command)
        self._hang_after = hang_after
        self._processes = [GtpProcess(words, setup) for _ in range(processes)]
        own_name = self._processes[0].start()
        self.name = name or own_name
        self._boards = [GtpBoard(process) for process in self._processes]
        self._restarted: set[int] = set()
        self._board_of_game: dict[int, GtpBoard] = {}
        self._pool = ThreadPoolExecutor(processes, thread_name_prefix="gtp")

    def choose(self, turns: Sequence[Turn]) -> list[Decision]:
        """Each process answers the turns of its games one after the other.

        :raises EngineError: a turn is not about Go.
        :raises ConfigError: a turn is limited by nodes: GTP knows only time.
        """
        work: dict[GtpBoard, list[int]] = {}
        for index, turn in enumerate(turns):
            work.setdefault(self._board(turn.game), []).append(index)
        questions = [(_position(turn, self.name), self._seconds(turn.limits)) for turn in turns]
        decisions: dict[int, Decision] = {}

        def answer(board: GtpBoard, indices: list[int]) -> None:
            for index in indices:
                decisions[index] = self._decide(board, turns[index].game, *questions[index])

        for future in [self._pool.submit(answer, board, indices) for board, indices in work.items()]:
            future.result()
        return [decisions[index] for index in range(len(turns))]

    def forget(self, game: int) -> None:
        self._restarted.discard(game)
        self._board_of_game.pop(game, None)

    def close(self) -> None:
        for process in self._processes:
            process.close()
        self._pool.shutdown()

    def _board(self, game: int) -> GtpBoard:
        """That of a game: the same for all its moves, at first the one with the fewest games."""
        if game not in self._board_of_game:
            busy = list(self._board_of_game.values())
            self._board_of_game[game] = min(self._boards, key=busy.count)
        return self._board_of_game[game]

    def _seconds(self, limits: Limits) -> float | None:
        if limits.nodes is not None:
            raise ConfigError(f"{self.name}: GTP has no limit by nodes; expected one by time, or none")
        return limits.seconds

    def _decide(self, board: GtpBoard, game: int, position: GoPosition, seconds: float | None) -> Decision:
        hang_after = self._hang_after or (HANG_SECONDS if seconds is None else max(10.0, 10.0 * seconds))
        # The protocol counts whole seconds.
        told = None if seconds is None else max(1, math.floor(seconds))
        restart: dict[str, str] = {}
        while True:
            try:
                return Decision(board.generate(position, game, hang_after, move_seconds=told), info=restart)
            except EngineError as error:
                if game in self._restarted:
                    return Decision("", info={"forfeit": str(error)})
                self._restarted.add(game)
                restart = {"restart": str(error)}


def _position(turn: Turn, name: str) -> GoPosition:
    if not isinstance(turn.position, GoPosition):
        raise EngineError(f"{name} plays Go, not this game ({type(turn.position).__name__})")
    return turn.position
