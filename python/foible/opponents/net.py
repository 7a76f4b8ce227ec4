"""Human-like nets as models of a player, such as Maia: the levels at which there are nets, and ratings between them."""

from bisect import bisect_right
from collections.abc import Collection, Mapping, Sequence
from itertools import pairwise
from typing import Annotated

import msgspec

from foible._core import Batch, ChessPosition
from foible.errors import ConfigError
from foible.fields import AnyNet
from foible.nets.choices import CLUB, HIGHEST, LOWEST
from foible.nets.evaluator import Evaluator, check_is_evaluator, softmax
from foible.nets.named_nets import club_at, club_level, public_nets, split_rating
from foible.nets.shelf import NetShelf, at_hand, short_name
from foible.opponents.base import Distribution, Spec
from foible.search.scheduler import evaluate_batch

Rating = Annotated[float, msgspec.Meta(ge=0, le=5000)]
Level = Annotated[str, msgspec.Meta(pattern=r"^[0-9]{1,4}$", description="a level in rating points, written in quotes")]
Nets = dict[Level, AnyNet]
"""The net of each level, in a configuration."""

MAIA_LEVELS: Mapping[int, str] = {level: f"maia-{level}" for level in range(1100, 2000, 100)}
"""The nine nets of McIlroy-Young et al. (2020), by level: net N was trained on lichess players rated N to N + 99."""
CLUB_LEVELS: Mapping[int, str] = {level: club_at(level) for level in range(LOWEST, HIGHEST + 1, 100)}
"""The net that comes with foible, at round ratings."""


def nets_by_level(nets: Nets, default: Mapping[int, str]) -> Mapping[int, str] | Mapping[int, str | list[str]]:
    """The nets of a configuration by level; the default where it has none."""
    return {int(level): net for level, net in nets.items()} if nets else default


def default_levels() -> Mapping[int, str]:
    """The default nets by level: Maia where all nine are on this machine, else the net that comes with foible."""
    return MAIA_LEVELS if all(map(at_hand, MAIA_LEVELS.values())) else CLUB_LEVELS


def default_levels_at(rating: float) -> Mapping[int, str]:
    """The default nets that together play at a rating: the nearest Maia nets, where it lies within their levels and
    they are on this machine; else the net that comes with foible, which can play at any rating within its range.
    """
    maias = {level: MAIA_LEVELS[level] for level in weights_of_rating(MAIA_LEVELS, rating)}
    between = min(MAIA_LEVELS) <= rating <= max(MAIA_LEVELS)
    return maias if between and all(map(at_hand, maias.values())) else {club_level(rating): club_at(rating)}


def level_of_net(net: str) -> int | None:
    """The level at which a net is known to play, by its name."""
    name, ratings = split_rating(net)
    public = public_nets().get(name)
    if ratings and (name == CLUB or (public and public.rated)):
        return ratings.own
    return next((level for level, maia in MAIA_LEVELS.items() if maia == name), None)


def weights_of_rating(levels: Collection[int], rating: float) -> dict[int, float]:
    """The levels between which a rating lies, each with its weight: linear in the distance, one level where it hits.

    A rating outside the levels counts as the nearest level. The weights are for probabilities, not for their
    logarithms: some players rated 1550 play like those of 1500 and some like those of 1600, so the moves of both stay
    possible, and the log-loss is never worse than the weighted mean of both log-losses (Jensen). When each net from
    1200 to 1800 was predicted from its two neighbours on 100 club games, the linear rule was also slightly nearer: its
    mean KL divergence was 0.071 to 0.093 nats, that of the geometric rule 0.072 to 0.094.
    """
    ordered = sorted(levels)
    rating = min(max(rating, ordered[0]), ordered[-1])
    above = min(bisect_right(ordered, rating), len(ordered) - 1)
    high, low = ordered[above], ordered[max(above - 1, 0)]
    share = (rating - low) / (high - low) if high > low else 0.0
    return {level: weight for level, weight in ((low, 1 - share), (high, share)) if weight > 0}


class NetModelSpec(Spec, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="net"):
    """A net's policy, for instance Maia's at a level."""

    net: AnyNet
    """A net, or several of which the first that is on this machine is taken."""
    temperature: Annotated[float, msgspec.Meta(gt=0, le=100)] = 1.0

    def build(self, shelf: NetShelf) -> "NetModel":
        return net_model(self.net, shelf, self.temperature, self.name)

    @property
    def level(self) -> float | None:
        return level_of_net(short_name(self.net))


def net_model(net: str | list[str], shelf: NetShelf, temperature: float = 1.0, name: str = "") -> "NetModel":
    """A model from a net that is given by name; `name` is the name of the model, by default that of the net."""
    return NetModel(shelf.evaluator(net), temperature=temperature, name=name or short_name(net))


class NetModel:
    """The policy of a net (opponent-modelling §2.1, item a)."""

    def __init__(self, evaluator: Evaluator, *, temperature: float = 1.0, name: str = "") -> None:
        """`temperature`: divides the logits; 1 is the net's own policy.

        :raises ConfigError: `evaluator` is none, or the temperature is not above 0.
        """
        check_is_evaluator(evaluator)
        if not temperature > 0:
            raise ConfigError(f"temperature = {temperature:g}; a net as a model needs one above 0")
        self.name = name or evaluator.name
        self._evaluator = evaluator
        self._temperature = temperature

    async def predict(self, positions: Sequence[ChessPosition]) -> list[Distribution]:
        if not positions:
            return []
        batch = Batch(positions)
        logits = (await evaluate_batch(self._evaluator, batch)).logits
        return [softmax(logits[i:j], self._temperature) for i, j in pairwise(batch.offsets)]

    def close(self) -> None:
        """The evaluator belongs to the caller."""
