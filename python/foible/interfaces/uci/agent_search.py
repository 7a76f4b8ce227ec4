"""Thinking with a player: one thread lets it choose, another keeps the clock."""

import threading
import time
from typing import Final

import numpy as np

from foible.agents.base import Agent, Decision, Limits, Turn
from foible.interfaces.uci.go_command import Call
from foible.interfaces.uci.pace import HaltedError
from foible.interfaces.uci.personality import SoloSpec, runs_engines
from foible.interfaces.uci.players import Players
from foible.interfaces.uci.protocol import Send, described
from foible.interfaces.uci.report import centipawns
from foible.interfaces.uci.search_thread import Thought
from foible.loop import wait

_SHARE: Final = 0.8
"""Of the time left, what a player that follows a time limit is given."""
_PATIENCE: Final = 1.0
"""Seconds after the answer in which engines are to end their thoughts, before they are ended. Nets never hang."""


class AgentSearch:
    """The choice of a player for one call."""

    def __init__(
        self, call: Call, players: Players, spec: SoloSpec, send: Send, *, seed: int, otherwise: Thought
    ) -> None:
        """`otherwise`: who thinks when the player cannot."""
        self._call, self._task = call, call.task
        self._players, self._spec, self._send, self._seed = players, spec, send, seed
        self._otherwise = otherwise
        self._decision: Decision | None = None
        self._failure: Exception | None = None
        self._done = False
        self._visits = 0
        self._chooser: threading.Thread | None = None

    def think(self) -> tuple[str | None, str | None]:
        """The player's move; the favourite of the engine's net when the answer is due before that is known."""
        task = self._task
        if len(task.moves) == 1:
            return task.moves[0], None
        favourites = self._players.favourites(task.position, task.settings, self._send)
        self._chooser = threading.Thread(target=self._choose, name="choose", daemon=True)
        self._chooser.start()
        self._call.wait_or_due(lambda: self._done)
        decision, failure = self._decision, self._failure
        if failure is not None:
            self._send(f"info string the engine's own search plays: {described(failure)}")
            return self._otherwise.think()
        if decision is not None and decision.move in task.moves:
            self._report(decision)
            return decision.move, None
        move = next(move for move in favourites if move in task.moves)
        excuse = "the time was too short for more" if decision is None else _excuse(decision)
        self._send(f"info string {move} is what the net likes at first sight: {excuse}")
        return move, None

    def rest(self) -> None:
        if self._chooser is not None:
            self._chooser.join(_PATIENCE if runs_engines(self._spec) else None)
            if self._chooser.is_alive():
                self._players.abandon()
                self._chooser.join()
        self._otherwise.rest()

    def _choose(self) -> None:
        task, players = self._task, self._players
        try:
            players.pace.begin(self._call)
            agent = players.at(self._spec, task.settings, self._send)
            rng = np.random.default_rng(self._seed)
            limits = self._limits(agent)
            turn = Turn(task.position, players.game, len(task.game.moves), rng, limits)
            self._decision = wait(agent.choose(turn))
        except HaltedError:
            pass
        except Exception as error:  # for the other thread to report
            self._failure = error
        self._visits = players.pace.end(finished=self._decision is not None)
        self._done = True
        self._call.notify()

    def _limits(self, agent: Agent) -> Limits:
        """Those that the player obeys; the others think as they are told, and their judges keep the pace."""
        clock = None if self._call.endless else self._call.deadline
        seconds = None if clock is None else max(1e-3, _SHARE * (clock - time.monotonic()))
        nodes = self._task.max_nodes if "nodes" in agent.obeys else None
        return Limits(nodes, seconds if "seconds" in agent.obeys else None)

    def _report(self, decision: Decision) -> None:
        milliseconds = 1000 * (time.monotonic() - self._task.started)
        words = [f"info depth 1 time {milliseconds:.0f} nodes {max(1, self._visits)}"]
        if decision.value is not None:
            words.append(f"score cp {centipawns(2 * decision.value - 1)}")
        self._send(" ".join([*words, f"pv {decision.move}"]))
        if "trap_probability" in decision.info:
            info = decision.info
            self._send(
                f"info string expects {info['expected']:.1%} against the model, {info['safe']:.1%} against the best "
                f"reply; the reply falls into a trap with {info['trap_probability']:.0%}"
            )


def _excuse(decision: Decision) -> str:
    """Why a choice is not played."""
    forfeit = decision.info.get("forfeit")
    return f"the player gave up ({forfeit})" if forfeit else f"searchmoves leave out {decision.move}"
