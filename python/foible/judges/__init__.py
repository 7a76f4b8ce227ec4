"""Judges: what a position is worth, said by a net, a search or an engine. They know nothing of players.

`parse_judge` makes what commands take as `--judge` into a description, which builds the judge.
"""

from typing import TYPE_CHECKING

from foible.faces import face

if TYPE_CHECKING:
    from foible.judges.base import (
        Judge as Judge,
        Score as Score,
        exact_score as exact_score,
        scores as scores,
        verdicts as verdicts,
    )
    from foible.judges.engine import UciJudge as UciJudge, UciJudgeSpec as UciJudgeSpec
    from foible.judges.net import (
        NetJudge as NetJudge,
        NetJudgeSpec as NetJudgeSpec,
        SearchJudge as SearchJudge,
        SearchJudgeSpec as SearchJudgeSpec,
    )
    from foible.judges.spec import JudgeSpec as JudgeSpec, parse_judge as parse_judge, usual_judge as usual_judge
    from foible.judges.units import (
        CpFormula as CpFormula,
        Pawns as Pawns,
        centipawns as centipawns,
        clipped_loss as clipped_loss,
        raw_loss as raw_loss,
    )

__getattr__, __dir__ = face(__name__)
