"""The resources that all pages share: open nets, models and the judge, the cast, the games, the folders that are shown,
and the index of openings.
"""

import asyncio
import contextlib
import sys
import threading
import traceback
from collections.abc import Callable, Hashable, Sequence
from pathlib import Path
from typing import Any, Final, TypeVar, cast

import msgspec

from foible.agents.player_builder import PlayerBuilder
from foible.analysis.openings import Indexing, OpeningIndex, indexing
from foible.errors import FoibleError
from foible.interfaces.web.cast import Cast, nearest_known, read_cast
from foible.interfaces.web.decks import Decks
from foible.interfaces.web.games import ServedGames
from foible.interfaces.web.go_trees import GoTrees
from foible.interfaces.web.prepared import PreparedOpponents
from foible.judges.base import Judge
from foible.judges.spec import STEADY, JudgeSpec, parse_judge, usual_judge
from foible.nets.choices import HIGHEST, LOWEST
from foible.nets.shelf import NetShelf, Runtimes
from foible.opponents.base import OpponentModel
from foible.opponents.spec import ModelSpec, parse_model

PATIENCE: Final = 1.0
"""Seconds that the server waits for the indexing thread when it ends; an index left unfinished is begun anew later."""


class OpeningGames:
    """The index of openings of some PGN files. It is made in a thread, which starts when the server does; until then
    `state` tells the progress.
    """

    def __init__(self, files: Sequence[Path]) -> None:
        self.files = tuple(files)
        self.state: Indexing | OpeningIndex | str = Indexing("looking for the index", 0, 0.0)
        """The progress of indexing; then the index; or one line that says why there is none."""
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._read, name="foible-openings", daemon=True)

    def begin(self) -> None:
        """Start the thread that finds or makes the index, where there are files."""
        if self.files:
            self._thread.start()

    def close(self) -> None:
        """Stop making the index."""
        self._ended.set()
        if self._thread.is_alive():
            self._thread.join(PATIENCE)

    def _read(self) -> None:
        steps = indexing(self.files)
        try:
            for step in steps:
                self.state = step
                if self._ended.is_set():
                    return
        except (FoibleError, OSError) as error:
            self.state = " ".join(str(error).split())
        except Exception:  # a bug in foible is reported, as nobody watches this thread
            traceback.print_exc(file=sys.stderr)
            self.state = "this went wrong in foible itself; the terminal of foible web says how"
        finally:
            steps.close()


T = TypeVar("T")

RATINGS = tuple(range(LOWEST, HIGHEST + 1, 200))
"""The ratings for which pages show what players would play: the range of the models, in steps that differ visibly."""

PREPARED = "opponents"
"""The name of the folder, in that of the games, with the prepared opponents and their games."""


def open_shared(
    *,
    runtimes: Runtimes,
    judge: str | None,
    players: Sequence[Path],
    runs: Path,
    games: Path,
    puzzles: Path,
    new_a_day: int,
    openings: Sequence[Path],
) -> "Shared":
    """Open what the pages of `foible web` share, by the options of that command.

    :raises FoibleError: the judge or the players are not valid, or the judge that was named cannot be started.
    """
    judging, shelf = parse_judge(judge) if judge else usual_judge(STEADY), NetShelf(runtimes)
    cast = read_cast(players)
    if judge:
        judging.build(shelf).close()
    decks = Decks(puzzles, new_a_day=new_a_day)
    return Shared(shelf, judging, cast=cast, runs=runs, games=games, decks=decks, openings=openings)


class Shared:
    """The nets, models and the judge of a server, each opened once, when it is first needed; and what else pages share.

    Any number of pages may use them at a time: their evaluations, and those of the players of all games, share the
    nets' batches.
    """

    def __init__(
        self,
        shelf: NetShelf,
        judge: JudgeSpec,
        *,
        cast: Cast,
        runs: Path,
        games: Path,
        decks: Decks,
        openings: Sequence[Path] = (),
    ) -> None:
        """`runs`: the folder whose run folders are shown. `games`: the folder for the games that people play, and for
        prepared opponents. `openings`: PGN files with the games whose openings are shown.
        """
        self.builder = PlayerBuilder(shelf)
        self.cast, self.runs, self.decks = cast, runs, decks
        self.games = ServedGames(games, cast, shelf)
        self.openings = OpeningGames(openings)
        self.go_trees = GoTrees()
        self.prepared = PreparedOpponents(games / PREPARED, cast)
        self._judge = judge
        self._made: dict[Hashable, tuple[Hashable, asyncio.Task[Any]]] = {}
        """The version, and the task whose result is kept, by key; see `once`."""
        self._one_at_a_time = asyncio.Lock()

    async def warm(self) -> None:
        """Open in advance what the first questions are likely to need."""
        self.openings.begin()
        with contextlib.suppress(FoibleError):  # a question that needs it gets the error
            for rating in RATINGS:
                await self.model(rating)
            await self.judge()

    async def judge(self) -> Judge:
        """The judge of positions."""
        return await self.once("judge", lambda: self.builder.judge(self._judge))

    async def model(self, rating: int) -> OpponentModel:
        """The model of how players of a rating play."""
        return await self.opponent_model(parse_model(str(nearest_known(rating))))

    async def opponent_model(self, spec: ModelSpec) -> OpponentModel:
        """The opponent model that a description asks for."""
        return await self.once(("model", msgspec.json.encode(spec)), lambda: spec.build(self.builder.shelf))

    async def once(self, key: Hashable, make: Callable[[], T], *, version: Hashable = None) -> T:
        """The result of `make`, which is called the first time that a key is asked for; later calls get the same.

        `make` is called in a thread, one at a time. A failure is not kept: the next call tries again.

        :param version: where it differs from that of the kept result, `make` is called again. The former result may
            still be used by those who have it.
        """
        known, task = self._made.get(key, (None, None))
        if task is None or known != version:
            task = asyncio.ensure_future(self._make(make))
            self._made[key] = version, task
            task.add_done_callback(lambda done: self._forget_failure(key, done))
        return cast(T, await asyncio.shield(task))

    def _forget_failure(self, key: Hashable, done: asyncio.Task[Any]) -> None:
        _, task = self._made.get(key, (None, None))
        if (done.cancelled() or done.exception()) and task is done:
            del self._made[key]

    async def _make(self, make: Callable[[], T]) -> T:
        async with self._one_at_a_time:
            return await asyncio.to_thread(make)

    def close(self) -> None:
        """Stop engines, and release locks and memory."""
        self.openings.close()
        self.decks.close()
        for _, task in self._made.values():
            if task.done() and not task.cancelled() and not task.exception():
                close = getattr(task.result(), "close", None)
                if close is not None:
                    close()
