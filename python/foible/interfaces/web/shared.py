"""What all pages share: the nets that are open, who can be played, the judge, the folders that are shown, and the
openings of games.
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

from foible.agents.workshop import Workshop
from foible.analysis.openings import Indexing, OpeningIndex, indexing
from foible.errors import FoibleError
from foible.interfaces.web.cast import Cast, nearest_known, read_cast
from foible.interfaces.web.decks import Decks
from foible.interfaces.web.games import Games
from foible.interfaces.web.go_trees import GoTrees
from foible.interfaces.web.prepared import PreparedOpponents
from foible.judges.base import Judge
from foible.judges.spec import STEADY, JudgeSpec, parse_judge, usual_judge
from foible.nets.choices import HIGHEST, LOWEST
from foible.nets.shelf import NetShelf, Runtimes
from foible.opponents.base import OpponentModel
from foible.opponents.spec import ModelSpec, parse_model

PATIENCE: Final = 1.0
"""Seconds that the end of the server waits for the thread; what it leaves then, the next one begins anew."""


class OpeningGames:
    """The index of some PGN files, the games whose openings this server shows, on its way or there: made in a thread of
    its own as soon as the server begins.
    """

    def __init__(self, files: Sequence[Path]) -> None:
        self.files = tuple(files)
        self.state: Indexing | OpeningIndex | str = Indexing("looking for the index", 0, 0.0)
        """How far it is; the index; or, in a line, why there is none."""
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._read, name="foible-openings", daemon=True)

    def begin(self) -> None:
        """Make the index, where there are files; or find it."""
        if self.files:
            self._thread.start()

    def close(self) -> None:
        """Stop making it."""
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
        except Exception:  # a mistake of ours is told, not left in a thread that nobody looks at
            traceback.print_exc(file=sys.stderr)
            self.state = "this went wrong in foible itself; the terminal of foible web says how"
        finally:
            steps.close()


T = TypeVar("T")

RATINGS = tuple(range(LOWEST, HIGHEST + 1, 200))
"""Ratings for which pages show who would play what: all that the models know, in steps that a person sees."""

PREPARED = "opponents"
"""The folder, beside the games, with the games of those who are prepared against."""


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
    """What the pages of `foible web` share, by its options.

    :raises FoibleError: the judge or the players are none, or the judge that was named cannot be had.
    """
    judging, shelf = parse_judge(judge) if judge else usual_judge(STEADY), NetShelf(runtimes)
    cast = read_cast(players)
    if judge:
        judging.build(shelf).close()
    decks = Decks(puzzles, new_a_day=new_a_day)
    return Shared(shelf, judging, cast=cast, runs=runs, games=games, decks=decks, openings=openings)


class Shared:
    """One server's nets, models and judge: each is opened once, when somebody first needs it.

    Any number of pages use it at a time: their evaluations, and those of the players of all games, share the nets'
    batches.
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
        """`runs`: the folder whose run folders are shown. `games`: where games of people are kept, and of opponents.
        `openings`: PGN files with the games whose openings are shown.
        """
        self.workshop = Workshop(shelf)
        self.cast, self.runs, self.decks = cast, runs, decks
        self.games = Games(games, cast, shelf)
        self.openings = OpeningGames(openings)
        self.go_trees = GoTrees()
        self.prepared = PreparedOpponents(games / PREPARED, cast)
        self._judge = judge
        self._made: dict[Hashable, tuple[Hashable, asyncio.Task[Any]]] = {}
        """By key the version, and the task whose result is kept."""
        self._one_at_a_time = asyncio.Lock()

    async def warm(self) -> None:
        """Open what the first question is likely to need, so that nobody waits for it."""
        self.openings.begin()
        with contextlib.suppress(FoibleError):  # whoever asks is told
            for rating in RATINGS:
                await self.model(rating)
            await self.judge()

    async def judge(self) -> Judge:
        """Who judges positions."""
        return await self.once("judge", lambda: self.workshop.judge(self._judge))

    async def model(self, rating: int) -> OpponentModel:
        """How players of a rating play."""
        return await self.opponent_model(parse_model(str(nearest_known(rating))))

    async def opponent_model(self, spec: ModelSpec) -> OpponentModel:
        """A model of players."""
        return await self.once(("model", msgspec.json.encode(spec)), lambda: spec.build(self.workshop.shelf))

    async def once(self, key: Hashable, make: Callable[[], T], *, version: Hashable = None) -> T:
        """The result of `make`, which is called for the first who asks by this key; all later ones get the same.

        Such calls are made in a thread, one at a time. A failure is not kept: the next who asks tries again.

        :param version: where it differs from that of the kept result, `make` is called again. Who has the former
            result may go on using it.
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
        """End engines and give back memory."""
        self.openings.close()
        self.decks.close()
        for _, task in self._made.values():
            if task.done() and not task.cancelled() and not task.exception():
                close = getattr(task.result(), "close", None)
                if close is not None:
                    close()
