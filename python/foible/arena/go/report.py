"""What the matches of a run have shown, as one document."""

from collections.abc import Sequence
from typing import Any

from foible.arena.go.cells import Cell
from foible.arena.go.config import GoMatchConfig, NetPlayer
from foible.arena.go.standings import standings


def to_json(cells: Sequence[Cell], config: GoMatchConfig) -> dict[str, Any]:
    """Plain values: each two players, with `lambda` and `mu` of those that have them, of several the first; and where
    all players stand, `None` of fewer than three.
    """
    rows = []
    for cell in cells:
        player = config.players[cell.focal]
        weights = {"lambda": player.lambdas[0], "mu": player.mus[0]} if isinstance(player, NetPlayer) else {}
        rows.append({**cell.to_json(), **weights})
    found = standings(cells)
    return {"size": config.size, "komi": config.komi, "cells": rows, "standings": found and found.to_json()}
