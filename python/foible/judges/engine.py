"""An external engine as a judge."""

from collections.abc import Sequence

from foible._core import ChessPosition
from foible.engines.pool import EnginePool
from foible.engines.search import Line
from foible.judges.base import Score

MEMORY = 200_000
"""Scores that are kept."""


class UciJudge:
    """The value that a UCI engine finds at a depth or in so many nodes (opponent-modelling §1.4).

    An engine that fails is restarted and asked once more; a bad answer never becomes a score.
    """

    def __init__(self, engines: EnginePool, *, wdl: bool = False) -> None:
        """`engines`: the judge's own from now on; closed with it.

        `wdl`: take the engine's own W + D/2 for the win probability, which holds between engines: for people it is far
        too steep. Otherwise it is 1 / (1 + exp(−0.004 cp)) (§1.5).
        """
        self.name = engines.name
        self._engines = engines
        self._wdl = wdl
        self._known: dict[int, Score] = {}

    def judge(self, positions: Sequence[ChessPosition]) -> list[Score]:
        """Each position is searched once: games share their openings.

        :raises EngineError: a position went wrong twice; names engine and position, and says what happened.
        """
        keys = [position.key for position in positions]
        new = {key: position for key, position in zip(keys, positions, strict=True) if key not in self._known}
        if len(self._known) + len(new) > MEMORY:
            self._known.clear()
            new = dict(zip(keys, positions, strict=True))
        found = self._engines.search(list(new.values())) if new else []
        self._known |= {key: self._score(lines[0]) for key, lines in zip(new, found, strict=True)}
        return [self._known[key] for key in keys]

    def close(self) -> None:
        self._engines.close()

    def _score(self, line: Line) -> Score:
        wp = line.wp if self._wdl else line.human_wp
        return Score(wp, line.cp, line.mate)
