"""Preparation against one player: where they err in the openings that they play.

`prepare` makes one from the player's games, and `preparations` tells meanwhile how far it is. Its files are made by
`prep_pgn` and `prep_page`.
"""

from foible.analysis.prep.holdout_check import HoldOut, hold_out
from foible.analysis.prep.known_lines import Line, Reply
from foible.analysis.prep.move_measures import Measures
from foible.analysis.prep.preparation import (
    FAIR_PLAY,
    Preparation,
    PrepSettings,
    Side,
    Step,
    base_spec,
    preparations,
    prepare,
)
from foible.analysis.prep.preparation_files import prep_page, prep_pgn
from foible.analysis.prep.repertoire_tree import TreeSettings

__all__ = [
    "FAIR_PLAY",
    "HoldOut",
    "Line",
    "Measures",
    "PrepSettings",
    "Preparation",
    "Reply",
    "Side",
    "Step",
    "TreeSettings",
    "base_spec",
    "hold_out",
    "prep_page",
    "prep_pgn",
    "preparations",
    "prepare",
]
