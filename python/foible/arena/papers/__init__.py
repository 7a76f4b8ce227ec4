"""The experiments of the papers, each as one match: `foible match --preset NAME`.

Designing Skill-Compatible AI, When Suboptimal Minimax is Better, and Search-contempt. What else the papers show of the
same games, `foible analyse` and `foible papers` read from them. Seniors have the papers' visits, 1500; maia-1900 plays
LEELA, which is no published file. Where a Maia is not on this machine, nets that come with foible play in its place.
"""

from collections.abc import Mapping

from foible.arena.papers.experiment import Experiment, Published, Quantity
from foible.arena.papers.play_the_man import PLAY_THE_MAN
from foible.arena.papers.search_contempt import SEARCH_CONTEMPT
from foible.arena.papers.skill_compatible import SKILL_COMPATIBLE

__all__ = ["EXPERIMENTS", "Experiment", "Published", "Quantity"]

EXPERIMENTS: Mapping[str, Experiment] = {**SKILL_COMPATIBLE, **PLAY_THE_MAN, **SEARCH_CONTEMPT}
