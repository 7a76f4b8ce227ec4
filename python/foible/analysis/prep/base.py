"""How players of one's level play: the nets at hand that come nearest to a player (opponent-modelling §5.2)."""

import re
from collections.abc import Sequence

import numpy as np

from foible.nets.catalogue import known_nets
from foible.nets.shelf import NetShelf
from foible.opponents.estimate import LevelEstimate
from foible.opponents.levels import CLUB_LEVELS
from foible.opponents.player_games import PlayerGame
from foible.opponents.spec import EstimateModelSpec, ModelSpec, RatingModelSpec, build_estimate

_LEVEL = re.compile(r"maia-(\d{4})")

SAMPLE = 200
"""Games that tell the level of a player without ratings: the last ones."""


def levels_at_hand() -> dict[str, str]:
    """The Maias on this machine by their level."""
    named = [(_LEVEL.fullmatch(net.name), net) for net in known_nets() if net.path]
    return {match[1]: net.name for match, net in named if match}


def base_spec(rating: float | None, games: Sequence[PlayerGame], shelf: NetShelf) -> ModelSpec:
    """Between the two levels nearest to a rating; without one, to the level that the player's moves speak for.

    Where there is no Maia, the net that comes with foible plays at the rating.
    """
    nets = dict[str, str | list[str]](levels_at_hand())
    if rating is None:
        rating = level_of_moves(games, build_estimate(EstimateModelSpec(nets=nets), shelf))
    known = [int(level) for level in nets] or CLUB_LEVELS
    return RatingModelSpec(rating=round(min(max(rating, min(known)), max(known))), nets=nets)


def level_of_moves(games: Sequence[PlayerGame], estimate: LevelEstimate) -> float:
    """The posterior mean of the level over a player's last games, of each the plies that are kept (§4)."""
    seen = np.zeros(len(estimate.levels))
    for white in (True, False):
        ends = [game.position for game in games[-SAMPLE:] if game.white == white]
        if ends:
            seen += np.sum(estimate.evidence(ends, "first" if white else "second"), axis=0)
    return estimate.posterior(seen).mean
