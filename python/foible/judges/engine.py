"""An external engine as a judge."""

import asyncio
from collections.abc import Mapping, Sequence
from functools import cached_property

from foible._core import ChessPosition
from foible.engines.pool import EnginePool, EnginesSpec, open_engines
from foible.engines.search import Variation
from foible.errors import EngineError
from foible.judges.base import Score
from foible.nets.shelf import NetShelf

MEMORY = 200_000
"""The number of scores that a judge caches at most; the cache is emptied before it would outgrow this."""

DRAFTS = (1_000, 10_000)
"""The nodes of the faster judges in `drafts`: with Stockfish 15.1 the first takes some 3 ms a position, the second four
times as long.
"""


class UciJudgeSpec(EnginesSpec, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="uci"):
    """An external engine's value at a depth or in so many nodes."""

    wdl: bool = False
    """Take the engine's own W + D/2 for the win probability, in place of a curve over its centipawns."""

    def build(self, _shelf: NetShelf) -> "UciJudge":
        """The judge; raises as `Spec.build`."""
        return UciJudge(open_engines(self), wdl=self.wdl)


class UciJudge:
    """The value that a UCI engine finds at a depth or in so many nodes (opponent-modelling §1.4).

    An engine that fails is restarted and asked once more; an invalid answer never becomes a score.
    """

    def __init__(self, engines: EnginePool, *, wdl: bool = False, nodes: int | None = None) -> None:
        """`engines`: belong to the judge from now on; `close` also closes them.

        `nodes`: the limit of a search, in place of that of `engines`.

        `wdl`: take the engine's own W + D/2 for the win probability, which holds for games between engines; for people
        it is far too steep. Otherwise the win probability is 1 / (1 + exp(−0.004 cp)) (§1.5).
        """
        self.name = f"{engines.engine} at {nodes:,} nodes" if nodes else engines.name
        self.engines = engines
        """The engine processes that search the positions."""
        self._wdl = wdl
        self._nodes = nodes
        self._known: dict[int, Score] = {}
        self._asked: dict[int, asyncio.Future[None]] = {}
        """By position that is being searched, the end of that search, with or without a score."""

    @cached_property
    def drafts(self) -> "list[UciJudge]":
        """Judges with the same engines that answer sooner but err more, the fastest first; none below a limit of depth,
        whose time is not known.
        """
        limit = self._nodes or self.engines.nodes
        sizes = [nodes for nodes in DRAFTS if limit is not None and nodes < limit]
        return [UciJudge(self.engines, wdl=self._wdl, nodes=nodes) for nodes in sizes]

    async def judge(self, positions: Sequence[ChessPosition]) -> list[Score]:
        """One score for each position. A position is searched only once and then cached, as games share openings.

        :raises EngineError: a position went wrong twice; names engine and position, and says what happened.
        """
        asked = {position.key: position for position in positions}
        by_key = {key: self._known[key] for key in asked if key in self._known}
        new = {key: asked[key] for key in asked if key not in by_key and key not in self._asked}
        by_key |= await self._search(new)
        for key, position in asked.items():
            if key not in by_key:
                by_key[key] = await self._score_by_others(key, position)
        return [by_key[position.key] for position in positions]

    async def _score_by_others(self, key: int, position: ChessPosition) -> Score:
        """The score of a position that another call is searching. Where that fails, one of those who wait searches."""
        while (known := self._known.get(key)) is None:
            if key not in self._asked:
                return (await self._search({key: position}))[key]
            await asyncio.shield(self._asked[key])
        return known

    async def _search(self, positions: Mapping[int, ChessPosition]) -> dict[int, Score]:
        """Scores by a search of the engine. Calls that ask about one of the positions meanwhile wait for its answer."""
        if not positions:
            return {}
        ended = asyncio.get_running_loop().create_future()
        self._asked |= dict.fromkeys(positions, ended)
        try:
            lines = await self.engines.search(list(positions.values()), nodes=self._nodes)
            by_key = {key: self._score(best[0]) for key, best in zip(positions, lines, strict=True)}
            if len(self._known) + len(by_key) > MEMORY:
                self._known.clear()
            self._known |= by_key
            return by_key
        finally:
            for key in positions:
                del self._asked[key]
            ended.set_result(None)

    def close(self) -> None:
        self.engines.close()

    def _score(self, line: Variation) -> Score:
        if self._wdl and not line.wdl and line.mate is None:
            raise EngineError(f"{self.engines.engine} reports no WDL, by which its values are to be told (wdl = true)")
        wp = line.wp if self._wdl else line.human_wp
        return Score(wp, line.cp, line.mate, line.move)
