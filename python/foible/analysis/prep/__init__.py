"""Preparation against one player: the openings that they play, and where they err in them.

`prepare` makes a preparation from the player's games; `preparations` does the same and yields its progress.
`prep_pgn` and `prep_page` turn a preparation into files.
"""

from typing import TYPE_CHECKING

from foible.faces import names_from

if TYPE_CHECKING:
    from foible.analysis.prep.holdout_check import HoldOutCheck, hold_out
    from foible.analysis.prep.known_lines import KnownLine, KnownReply
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
    "HoldOutCheck",
    "KnownLine",
    "KnownReply",
    "Measures",
    "PrepSettings",
    "Preparation",
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

_HOMES = {
    "foible.analysis.prep.holdout_check": ["HoldOutCheck", "hold_out"],
    "foible.analysis.prep.known_lines": ["KnownLine", "KnownReply"],
    "foible.analysis.prep.move_measures": ["Measures"],
    "foible.analysis.prep.preparation": [
        "FAIR_PLAY",
        "Preparation",
        "PrepSettings",
        "Side",
        "Step",
        "base_spec",
        "preparations",
        "prepare",
    ],
    "foible.analysis.prep.preparation_files": ["prep_page", "prep_pgn"],
    "foible.analysis.prep.repertoire_tree": ["TreeSettings"],
}

__getattr__, __dir__ = names_from(__name__, _HOMES)
