"""The players of personalities: built when they are needed, and kept from move to move."""

from functools import partial

from foible._core import Batch, ChessPosition
from foible.agents.base import Agent
from foible.agents.workshop import Workshop
from foible.errors import FoibleError
from foible.interfaces.uci.options import Settings
from foible.interfaces.uci.pace import Pace, PacedShelf, paced
from foible.interfaces.uci.personality import SoloSpec
from foible.interfaces.uci.protocol import Send, described
from foible.nets import Evaluator
from foible.nets.catalogue import MATERIAL
from foible.nets.shelf import Runtimes


class Players:
    """One player at a time, with the nets that it uses. Used by one call at a time."""

    def __init__(self) -> None:
        self.pace = Pace()
        self.game = 0
        """The number of the game being played."""
        self._net: Evaluator | None = None
        """The last net of the engine that could be opened."""
        self._shelf: tuple[Runtimes, PacedShelf] | None = None
        self._agent: tuple[object, Agent] | None = None
        self._broken: tuple[object, FoibleError] | None = None
        """What could not be built is not tried again and again."""

    def at(self, spec: SoloSpec, settings: Settings, send: Send) -> Agent:
        """The player, which is named when it is built: the name of an exploiting one says which model it plays against.

        :raises FoibleError: a net, an engine or a file of the description is missing or broken.
        """
        runtimes = _runtimes(settings)
        key = spec, runtimes
        if self._broken is not None and self._broken[0] == key:
            raise self._broken[1]
        if self._agent is None or self._agent[0] != key:
            self._close_agent()
            try:
                agent = Workshop(self._nets(runtimes), judges=partial(paced, pace=self.pace)).build(spec)
            except FoibleError as error:
                self._broken = key, error
                raise
            self._agent = key, agent
            send(f"info string player: {agent.name}")
        return self._agent[1]

    def favourites(self, position: ChessPosition, settings: Settings, send: Send) -> list[str]:
        """The legal moves as the engine's net likes them at first sight, the likeliest first."""
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
        """A new game begins."""
        if self._agent is not None:
            self._agent[1].forget(self.game)
        self.game += 1

    def abandon(self) -> None:
        """The player hangs: its engines are ended, by which its choice fails, and the next move builds it anew.

        Called while another thread waits for that choice.
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
