"""Preparation against one player: the openings that they play, and where they err in them.

`prepare` makes a preparation from the player's games; `preparations` does the same and yields its progress.
`prep_pgn` and `prep_page` turn a preparation into files.
"""

from typing import TYPE_CHECKING

from foible.faces import face

if TYPE_CHECKING:
    from foible.analysis.prep.holdout_check import HoldOutCheck as HoldOutCheck, hold_out as hold_out
    from foible.analysis.prep.known_lines import KnownLine as KnownLine, KnownReply as KnownReply
    from foible.analysis.prep.move_measures import Measures as Measures
    from foible.analysis.prep.preparation import (
        FAIR_PLAY as FAIR_PLAY,
        Preparation as Preparation,
        PrepSettings as PrepSettings,
        Side as Side,
        Step as Step,
        base_spec as base_spec,
        preparations as preparations,
        prepare as prepare,
    )
    from foible.analysis.prep.preparation_files import prep_page as prep_page, prep_pgn as prep_pgn
    from foible.analysis.prep.repertoire_tree import TreeSettings as TreeSettings

__getattr__, __dir__ = face(__name__)
