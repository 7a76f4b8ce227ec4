"""What the five papers claim, what was played or measured for each claim, and what that says.

`claims` are the papers' figures; `plan` is what is to be played for them; `blocks` are the games that were, as numbers
in a folder that is kept; `standing` joins the three.
"""

from foible.evidence.claims import Claim, all_claims
from foible.evidence.plan import Plan, read_plan
from foible.evidence.standing import Row, standing

__all__ = ["Claim", "Plan", "Row", "all_claims", "read_plan", "standing"]
