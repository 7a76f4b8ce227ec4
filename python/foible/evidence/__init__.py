"""What the five papers claim, what was played or measured for each claim, and what that says.

`claims` are the papers' figures; `experiments` is what can be run for them, each of a kind (`kinds`); a plan (`run`) is
how much of it is to be run; `blocks` are what came of it, as numbers in a folder that is kept (`kept`); `standing`
joins them.
"""

from foible.evidence.claims import Claim, all_claims
from foible.evidence.run import Plan, read_plan
from foible.evidence.verdicts import Row, standing

__all__ = ["Claim", "Plan", "Row", "all_claims", "read_plan", "standing"]
