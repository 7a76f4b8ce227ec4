"""The run folder of a match while it is played or reported on, whoever plays."""

import json
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from foible.arena.chess_store import ChessStore
from foible.arena.config import to_toml_dict
from foible.arena.live import LiveFile
from foible.arena.match import Decided, complete_pairs
from foible.arena.opened import MAY_CHANGE, Enough, OpenMatch
from foible.arena.parts import Parts
from foible.arena.report import Report, report_on
from foible.arena.sprt import Stop
from foible.runs.files import Closing
from foible.scale.parts import merge_all
from foible.search.speed import Speed


class MatchFolder(Closing):
    """An open run folder. Closing it, or the end of the process, releases its lock."""

    def __init__(self, match: OpenMatch, folder: Path, *, any_processor: bool) -> None:
        """Open or create the folder, and merge the parts that are left in it.

        :param any_processor: whether parts count that were played on a processor of another kind.
        :raises FoibleError: as `ChessStore` and `Parts.merge`.
        """
        self.folder = folder
        self._match = match
        with ExitStack() as held:
            self.store = held.enter_context(ChessStore(folder, to_toml_dict(match.config), MAY_CHANGE))
            self.live = held.enter_context(LiveFile(folder))
            self.parts = Parts(self.store, match.config, any_processor=any_processor)
            merge_all(folder, self.parts.merge)
            self._held = held.pop_all()

    def enough(self, first: int) -> Enough | None:
        """The test that may end the match before all games are played.

        :param first: the pair with which it begins: no sequential test ends the rest of a match.
        """
        test = self._match.config.sprt
        return Stop(test) if test and not first else None

    def report(self, first: int = 0, speed: Speed | None = None) -> Report | None:
        """Put the games in order, those alone that decide the match where there are such, and report on them.

        :param first: the pair with which it begins.
        :param speed: the speed of the games played in this call.
        :return: `None` where no pair of games is finished.
        """
        store, match = self.store, self._match
        games = sorted(store.records, key=lambda game: game.number)
        store.keep(Decided(self.enough(first)).by(games) or games)
        store.write_results()
        reported = complete_pairs(store.records, first)
        if not reported:
            return None
        played = speed if speed and speed.plies else None
        finished = len(store.records)
        report = report_on(reported, match.framework, match.judge, match.config.sprt, finished=finished, speed=played)
        store.write_report({**report.with_speed(), **({} if played else self._recorded_speed())})
        return report

    def _recorded_speed(self) -> dict[str, Any]:
        """The speed in the report of an earlier call, for a call that has nothing left to play."""
        try:
            return {"speed": json.loads((self.folder / "report.json").read_text("utf-8"))["speed"]}
        except (OSError, ValueError, KeyError):
            return {}

    def close(self) -> None:
        self._held.close()
