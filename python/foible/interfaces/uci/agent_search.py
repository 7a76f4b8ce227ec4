"""Answering `go` by the choice of a personality's player: one thread lets it choose, another keeps the clock.

Players are built when they are needed, and kept from move to move.
"""

import threading
import time
from collections.abc import Iterator
from functools import partial
from typing import Final

from foible._core import Batch, ChessPosition
from foible.agents.base import Agent, Decision, Limits, Turn
from foible.agents.named_files import runs_programs
from foible.agents.player_builder import PlayerBuilder
from foible.errors import FoibleError
from foible.interfaces.standard_output import described
from foible.interfaces.uci.go_command import Call, MoveFinder
from foible.interfaces.uci.options import Settings
from foible.interfaces.uci.pace import HaltedError, PacedShelf, SearchPace, paced
from foible.interfaces.uci.personalities import SoloSpec
from foible.interfaces.uci.protocol import Send
from foible.interfaces.uci.tree import centipawns
from foible.loop import wait
from foible.nets import Evaluator
from foible.nets.choices import MATERIAL
from foible.nets.shelf import Runtimes
from foible.wording import percent

_SHARE: Final = 0.8
"""The share of the time left that is given to a player that obeys time limits."""
_FINER: Final = 10
"""How many times as many visits each next round of a call without a clock gives to a position; the first gives one."""
_PATIENCE: Final = 1.0
"""Seconds that engines have after the answer to stop thinking, before they are ended. Nets never hang."""


class Players:
    """One player at a time, with the nets that it uses. Used by one call at a time."""

    def __init__(self) -> None:
        self.pace = SearchPace()
        self.game = 0
        """The number of the game being played."""
        self._net: Evaluator | None = None
        """The last net of the engine that could be opened."""
        self._shelf: tuple[Runtimes, PacedShelf] | None = None
        self._agent: tuple[object, Agent] | None = None
        self._broken: tuple[object, FoibleError] | None = None
        """The player that could not be built, and why, so that it is not tried again at every move."""

    def at(self, spec: SoloSpec, settings: Settings, send: Send) -> Agent:
        """The player of a description. When it is built, the GUI is told its name, which may include an opponent model.

        :raises FoibleError: a net, an engine or a file of the description is missing or broken.
        """
        runtimes = _runtimes(settings)
        key = spec, runtimes
        if self._broken is not None and self._broken[0] == key:
            raise self._broken[1]
        if self._agent is None or self._agent[0] != key:
            self._close_agent()
            try:
                agent = PlayerBuilder(self._nets(runtimes), judges=partial(paced, pace=self.pace)).build(spec)
            except FoibleError as error:
                self._broken = key, error
                raise
            self._agent = key, agent
            send(f"info string player: {agent.name}")
        return self._agent[1]

    def favourites(self, position: ChessPosition, settings: Settings, send: Send) -> list[str]:
        """The legal moves by the policy of the engine's net, the likeliest first."""
        nets = self._nets(_runtimes(settings))
        try:
            evaluator = self._net = nets.patient(settings.net)
        except FoibleError as error:
            evaluator = self._net or nets.patient(MATERIAL)
            send(f"info string {described(error)}; {evaluator.name} stands in")
        batch = Batch([position])
        logits = evaluator.evaluate(batch).logits
        return [move for _, move in sorted(zip(-logits, batch.moves()[0], strict=True))]

    def forget(self) -> None:
        """Let the player forget the game, as a new one begins."""
        if self._agent is not None:
            self._agent[1].forget(self.game)
        self.game += 1

    def abandon(self) -> None:
        """End the player, which the next move then builds anew. Where it hangs, the choice that another thread waits
        for fails as its engines end.
        """
        self._close_agent()

    def close(self) -> None:
        self._close_agent()

    def _nets(self, runtimes: Runtimes) -> PacedShelf:
        if self._shelf is None or self._shelf[0] != runtimes:
            self._shelf = runtimes, PacedShelf(runtimes, self.pace)
        return self._shelf[1]

    def _close_agent(self) -> None:
        if self._agent is not None:
            self._agent[1].close()
        self._agent = None


def _runtimes(settings: Settings) -> Runtimes:
    return Runtimes(settings.backend, settings.precision, settings.threads)


class AgentSearch:
    """Finds the move for one call by letting a player choose it."""

    def __init__(
        self, call: Call, players: Players, spec: SoloSpec, send: Send, *, seed: int, otherwise: MoveFinder
    ) -> None:
        """`otherwise`: what finds the move when the player fails."""
        self._call, self._task = call, call.task
        self._players, self._spec, self._send, self._seed = players, spec, send, seed
        self._otherwise = otherwise
        self._found: tuple[Decision, int] | None = None
        """The latest choice, and the visits that the judge had planned for it."""
        self._told: tuple[Decision, int] | None = None
        """The latest choice that was reported."""
        self._failure: BaseException | None = None
        self._done = False
        self._chooser: threading.Thread | None = None

    def think(self) -> tuple[str | None, str | None]:
        """The player's move; where the answer is due before it is known, the likeliest move by the engine's net."""
        task = self._task
        if len(task.moves) == 1:
            return task.moves[0], None
        favourites = self._players.favourites(task.position, task.settings, self._send)
        self._chooser = threading.Thread(target=self._choose, name="choose", daemon=True)
        self._chooser.start()
        reported = self._reported()
        if self._failure is not None:
            who = "the engine's own search plays" if reported is None else f"{reported.move} was chosen before"
            self._send(f"info string {who}: {described(self._failure)}")
        if reported is None and self._failure is not None:
            return self._otherwise.think()
        if reported is not None and reported.move in task.moves:
            return reported.move, None
        move = next(move for move in favourites if move in task.moves)
        excuse = "the time was too short for more" if reported is None else _excuse(reported)
        self._send(f"info string {move} is what the net likes at first sight: {excuse}")
        return move, None

    def _reported(self) -> Decision | None:
        """The player's last choice when it is done or the answer is due; each choice is reported as it comes."""
        while True:
            self._call.wait_or_due(lambda: self._done or self._found is not self._told)
            done, found = self._done or self._call.due(), self._found
            if found is not None and found is not self._told:
                self._report(*found)
            self._told = found
            if done:
                return None if found is None else found[0]

    def rest(self) -> None:
        if self._chooser is not None:
            self._chooser.join(_PATIENCE if runs_programs(self._spec) else None)
            if self._chooser.is_alive():
                self._players.abandon()
                self._chooser.join()
        self._otherwise.rest()

    def _choose(self) -> None:
        players = self._players
        try:
            players.pace.begin(self._call)
            agent = players.at(self._spec, self._task.settings, self._send)
            for decision in self._rounds(agent):
                self._found = decision, players.pace.end_round()
                self._call.notify()
        except HaltedError:
            pass
        except BaseException as error:  # for the other thread to report
            self._failure = error
            if not isinstance(error, Exception):  # a panic of the Rust core, after which no tree can be trusted
                players.abandon()
        players.pace.end()
        self._done = True
        self._call.notify()

    def _rounds(self, agent: Agent) -> Iterator[Decision]:
        """The player's choice. Where no clock runs a coarse one comes first, and ever finer ones follow: `stop` may
        come at any time, and people who analyse want to see something.
        """
        task, pace = self._task, self._players.pace
        cap = 1 if self._call.endless else None
        while True:
            pace.begin_round(cap)
            turn = Turn(task.position, self._players.game, len(task.game.moves), self._seed, self._limits(agent))
            yield wait(agent.choose(turn))
            if cap is None or not pace.may_exceed(cap):
                return
            cap *= _FINER

    def _limits(self, agent: Agent) -> Limits:
        """The limits that the player obeys. Without any, its description counts, and its judge keeps to the pace."""
        clock = None if self._call.endless else self._call.deadline
        seconds = None if clock is None else max(1e-3, _SHARE * (clock - time.monotonic()))
        nodes = self._task.max_nodes if "nodes" in agent.obeys else None
        moves = self._task.searchmoves if "moves" in agent.obeys else ()
        return Limits(nodes, seconds if "seconds" in agent.obeys else None, moves=moves or None)

    def _report(self, decision: Decision, visits: int) -> None:
        milliseconds = 1000 * (time.monotonic() - self._task.started)
        words = [f"info depth 1 time {milliseconds:.0f} nodes {max(1, visits)}"]
        if "mate" in decision.info:
            words.append(f"score mate {decision.info['mate']}")
        elif decision.value is not None:
            words.append(f"score cp {centipawns(2 * decision.value - 1)}")
        self._send(" ".join([*words, f"pv {decision.move}"]))
        if "trap_probability" in decision.info:
            info = decision.info
            self._send(
                f"info string expects {percent(info['expected'])} against the model, {percent(info['safe'])} against "
                f"the best reply; the reply falls into a trap with {percent(info['trap_probability'], digits=0)}"
            )


def _excuse(decision: Decision) -> str:
    """Why the player's choice is not played."""
    forfeit = decision.info.get("forfeit")
    return f"the player gave up ({forfeit})" if forfeit else f"searchmoves leave out {decision.move}"
