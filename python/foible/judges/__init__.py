"""Judges: what a position is worth, said by a net, a search or an engine. They know nothing of players.

`parse_judge` makes what commands take as `--judge` into a description, which builds the judge.
"""

from typing import TYPE_CHECKING

from foible.faces import names_from

if TYPE_CHECKING:
    from foible.judges.base import Judge, Score, exact_score, scores, verdicts
    from foible.judges.engine import UciJudge, UciJudgeSpec
    from foible.judges.net import NetJudge, NetJudgeSpec, SearchJudge, SearchJudgeSpec
    from foible.judges.spec import JudgeSpec, parse_judge, usual_judge
    from foible.judges.units import CpFormula, Pawns, centipawns, clipped_loss, raw_loss

__all__ = [
    "CpFormula",
    "Judge",
    "JudgeSpec",
    "NetJudge",
    "NetJudgeSpec",
    "Pawns",
    "Score",
    "SearchJudge",
    "SearchJudgeSpec",
    "UciJudge",
    "UciJudgeSpec",
    "centipawns",
    "clipped_loss",
    "exact_score",
    "parse_judge",
    "raw_loss",
    "scores",
    "usual_judge",
    "verdicts",
]

_HOMES = {
    "foible.judges.base": ["Judge", "Score", "exact_score", "scores", "verdicts"],
    "foible.judges.engine": ["UciJudge", "UciJudgeSpec"],
    "foible.judges.net": ["NetJudge", "NetJudgeSpec", "SearchJudge", "SearchJudgeSpec"],
    "foible.judges.spec": ["JudgeSpec", "parse_judge", "usual_judge"],
    "foible.judges.units": ["CpFormula", "Pawns", "centipawns", "clipped_loss", "raw_loss"],
}

__getattr__, __dir__ = names_from(__name__, _HOMES)
