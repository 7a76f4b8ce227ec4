"""Players of Go from their configuration."""

from foible._core import Batch, GoPosition, Seat
from foible.agents.base import Agent
from foible.agents.engines import GtpEngine
from foible.agents.go import GoSearch
from foible.agents.search import NetSearch
from foible.arena.go.config import GoMatchConfig, NetPlayer
from foible.arena.go.openings import Openings
from foible.errors import ConfigError
from foible.nets.evaluator import Evaluator
from foible.nets.shelf import NetShelf
from foible.search.go import go_seats


class Players:
    """Builds the players of a match. Those that use the same net share one evaluator."""

    def __init__(self, config: GoMatchConfig, shelf: NetShelf) -> None:
        """Opens all nets and starts all programs once, so that nothing is played where one is not as it should be.

        :raises NetFileError: there is no such net.
        :raises ConfigError: a net is not for this game, or does not judge margins as its player needs it.
        :raises EngineError: a program cannot be started, or does not speak GTP.
        """
        self._config = config
        self._shelf = shelf
        empty = Batch([GoPosition(config.size, komi=config.komi)])
        self._margins = {net: shelf.evaluator(net).evaluate(empty).margins is not None for net in config.nets}
        for name in config.players:
            self.build(name).close()

    def build(self, name: str) -> Agent:
        """The player of a name, new."""
        player = self._config.players[name]
        if not isinstance(player, NetPlayer):
            return GtpEngine(
                player.words,
                setup=player.setup,
                processes=player.processes,
                hang_after=player.hang_after,
                name=name,
            )
        ours, theirs = self._seats(name, player)
        params = player.params(self._config.size, self._config.seed)
        evaluator = self._shelf.evaluator(player.net)
        search = NetSearch if player.dumb_pass else GoSearch
        return search([evaluator], nodes=player.visits, params=params, ours=ours, theirs=theirs, name=name)

    def openings(self) -> Openings:
        """Those of every two players."""
        config = self._config
        return Openings(
            config.openings.plies, size=config.size, komi=config.komi, seed=config.seed, evaluator=self._book()
        )

    def _book(self) -> Evaluator | None:
        net = self._config.openings.net
        return self._shelf.evaluator(net) if net else None

    def _seats(self, name: str, player: NetPlayer) -> tuple[Seat, Seat]:
        if self._margins[player.net]:
            return go_seats(*player.bonuses)
        if any((*player.lambdas, *player.mus)):
            raise ConfigError(
                f"players.{name}: {player.net} judges wins alone, not margins; expected lambda = 0 and mu = 0"
            )
        both = Seat()
        return both, both
