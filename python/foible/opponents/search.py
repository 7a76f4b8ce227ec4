"""A shallow search as the model of a player: the opponent whom search-contempt expects (search-contempt §1)."""

from collections.abc import Sequence
from typing import Annotated

import msgspec
import numpy as np

from foible._core import ChessPosition
from foible.errors import ConfigError
from foible.fields import AnyNet, Positive
from foible.mistakes import check_at_least
from foible.nets.shelf import NetShelf, short_name
from foible.opponents.base import Distribution, Spec, normalised
from foible.search.params import ODDS_CONTEMPT_VISITS, PRESETS
from foible.search.trees import Trees


class SearchModelSpec(Spec, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="net_search"):
    """A net that thinks for so many visits, and then plays a move by the share that it has of them."""

    net: AnyNet
    """A net, or several of which the first that is on this machine is taken."""
    visits: Positive = ODDS_CONTEMPT_VISITS
    """N_scl: the visits of all moves together."""
    temperature: Annotated[float, msgspec.Meta(ge=0.05, le=100)] = 1.0
    """Moves are played in proportion to their visits to the power of one over this (`contempt_temperature`)."""

    def build(self, shelf: NetShelf) -> "SearchModel":
        trees = Trees([shelf.evaluator(self.net)], PRESETS["lc0"])
        warm = "" if self.temperature == 1 else f", T = {self.temperature:g}"
        name = self.name or f"{short_name(self.net)} after {self.visits} visits{warm}"
        return SearchModel(trees, self.visits, temperature=self.temperature, name=name)


class SearchModel:
    """p(m) ∝ N(m)^(1/T), by the visits N of the moves after a search: what a frozen node of search-contempt deals.

    A move without a visit has probability zero, so that as a prediction of people's moves the model needs a floor.
    """

    def __init__(self, trees: Trees, visits: int, *, temperature: float = 1.0, name: str = "") -> None:
        """`trees`: they search; `visits`: N_scl, the visits of all moves together, from 1; `temperature`: T, above 0.

        :raises ConfigError: visits or temperature are out of range.
        """
        check_at_least("visits", visits, 1)
        if not temperature > 0:
            raise ConfigError(f"temperature = {temperature:g}; a search as a model needs one above 0")
        self.name = name or f"{trees.evaluators[0].name} after {visits} visits"
        self._trees, self._visits, self._temperature = trees, visits, temperature

    async def predict(self, positions: Sequence[ChessPosition]) -> list[Distribution]:
        # A search's first visit is that of the root itself, and belongs to no move.
        summaries = await self._trees.searches(positions, self._visits + 1)
        return [
            self._shares({move.move: move.n for move in summary.moves}, position.legal_moves)
            for position, summary in zip(positions, summaries, strict=True)
        ]

    def _shares(self, visits: dict[str, int], legal: list[str]) -> Distribution:
        counts = np.array([visits.get(move, 0) for move in legal], np.float64)
        return normalised((counts / counts.max()) ** (1 / self._temperature))

    def close(self) -> None:
        """The evaluator belongs to the caller."""
