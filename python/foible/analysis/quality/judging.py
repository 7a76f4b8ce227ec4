"""One judge's evaluations of every position of a set of games, cached on disk between runs of the analysis."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import msgspec
import polars as pl

from foible._core import ChessPosition
from foible.agents.named_files import with_chosen_nets
from foible.analysis.answers import Answers, Row, folder_name, identity
from foible.analysis.answers_by_workers import Errand, answer_part, gather
from foible.analysis.quality.analysed_games import AnalysedGame, AnalysedGames
from foible.analysis.workers import Workers
from foible.judges.base import Judge, Score, exact_score, verdicts
from foible.judges.spec import QUICK, JudgeSpec, SearchJudgeSpec, UciJudgeSpec, usual_judge
from foible.loop import wait
from foible.nets.shelf import BorrowedShelf, NetShelf, Runtimes
from foible.scale import Kept

DEFAULT_NODES = 100
"""Visits per search when a run's own judge net is used. The paper's judge has 1500 (skill-compatible §5.1)."""

COLUMNS = {"wp": pl.Float64(), "cp": pl.Int32(), "mate": pl.Int32(), "best": pl.String()}
"""The columns of an answer: the value for the side to move, and the best move, as in `Score`."""

HYPOTHETICAL = ("brain", "u_sampled", "u_argmax")
"""The keys of a hand-and-brain move's info that hold moves other than the played one (skill-compatible §5.6)."""


@dataclass(frozen=True, slots=True)
class AnalysisProgress:
    """The progress of a long job."""

    job: str
    done: int
    total: int


OnProgress = Callable[[AnalysisProgress], None]


def silent(_now: AnalysisProgress) -> None:
    """Ignore reports of progress."""


class Judging:
    """A judge with a cache of the positions it has judged. Closing it closes the judge."""

    def __init__(
        self,
        judge: Judge,
        answers: Answers,
        *,
        claim_draws: bool = False,
        others: tuple[Errand, Workers] | None = None,
    ) -> None:
        """`claim_draws`: count a position as drawn where a draw could be claimed, as in the games. `others`: what
        workers need to open the judge, and the workers, which judge in place of this process.
        """
        self.name = judge.name
        self.folder = answers.folder.parent
        self._judge = judge
        self._answers = answers
        self._claim_draws = claim_draws
        self._others = others

    @classmethod
    def open(
        cls,
        spec: JudgeSpec,
        shelf: NetShelf,
        folder: Path,
        *,
        claim_draws: bool = False,
        workers: Workers | None = None,
    ) -> Self:
        """Open a judge whose answers are kept in a folder of its own below `folder`.

        `workers`: the workers that judge; when absent this process does.

        :raises FoibleError: the judge cannot be had, or another process is using it there.
        """
        spec, taken = with_chosen_nets(spec), BorrowedShelf(shelf)
        judge = spec.build(taken)
        try:
            about = _about(judge, spec, taken)
            others = (_errand(spec, about, taken, workers), workers) if workers else None
            answers = Answers(folder / folder_name(judge.name, about) / "verdicts", COLUMNS, about)
        except BaseException:
            judge.close()
            raise
        return cls(judge, answers, claim_draws=claim_draws, others=others)

    def judge(self, positions: Callable[[], Iterable[ChessPosition]], on_progress: OnProgress = silent) -> int:
        """Judge the positions that were not judged before, and return their number.

        `positions` must yield all positions anew at each call, since a first pass counts them.
        """

        def tell(done: int, total: int) -> None:
            on_progress(AnalysisProgress("judging", done, total))

        if self._others:
            return gather(self._answers, positions(), *self._others, tell)
        return self._answers.fill(positions, lambda asked: _judged(self._judge, asked), tell)

    def score(self, position: ChessPosition) -> Score:
        """The value of a position for the side to move; exact where the game is over.

        :raises KeyError: the position was not judged.
        """
        exact = exact_score(position, claim_draws=self._claim_draws)
        return exact if exact is not None else Score(*self._answers[position])

    def close(self) -> None:
        self._answers.close()
        self._judge.close()


def _judged(judge: Judge, positions: Sequence[ChessPosition]) -> list[Row]:
    return [(score.wp, score.cp, score.mate, score.best) for score in wait(verdicts(judge, positions))]


def _about(judge: Judge, spec: JudgeSpec, shelf: NetShelf) -> dict[str, Any]:
    """What a judge's answers depend on. `shelf`: the shelf from which the judge took its nets."""
    return {"judge": judge.name, **identity(spec, shelf.resolved())}


class _Judge(msgspec.Struct, frozen=True):
    """The settings with which a worker opens the judge."""

    spec: JudgeSpec
    runtimes: Runtimes


def _errand(spec: JudgeSpec, about: dict[str, Any], shelf: NetShelf, workers: Workers) -> Errand:
    """What a worker needs to open the judge; an engine's processes are divided among the workers."""
    if isinstance(spec, UciJudgeSpec):
        spec = msgspec.structs.replace(spec, processes=workers.share(spec.processes))
    plain = msgspec.to_builtins(_Judge(spec, workers.runtimes(shelf)))
    return Errand(judge_part, plain, {**about, "resolved": shelf.machine()})


def judge_part(
    folder: str,
    plain: Any,
    expected: dict[str, Any],
    positions: list[tuple[str, bool, list[str]]],
    may_change: list[str],
) -> None:
    """Judge a unit of positions in a worker process, as `answer_part` does; `plain` is a `_Judge` as plain values."""
    judge, about = _open_in_worker(plain)
    answer_part(folder, COLUMNS, lambda asked: _judged(judge, asked), about, expected, positions, may_change)


@Kept
def _open_in_worker(plain: Any) -> tuple[Judge, dict[str, Any]]:
    """A worker's judge, with what its answers depend on. Its engines end with the process."""
    ordered = msgspec.convert(plain, _Judge)
    shelf = NetShelf(ordered.runtimes)
    judge = ordered.spec.build(shelf)
    return judge, {**_about(judge, ordered.spec, shelf), "resolved": shelf.machine()}


def positions_to_judge(games: Iterable[AnalysedGame]) -> Iterator[ChessPosition]:
    """Every position of the games, and the positions that the unplayed moves of hand and brain lead to."""
    for game in games:
        last = len(game.moves)
        for index, position in enumerate(game.positions()):
            if index < last or not game.exact_end:
                yield position
            if index < last:
                info = game.moves[index].info
                yield from (position.play(str(info[key])) for key in HYPOTHETICAL if info.get(key))


def default_judge(games: AnalysedGames) -> JudgeSpec:
    """A search with the net that the run names as its judge; without such a net, the usual judge."""
    net = games.config and games.config.judge
    return SearchJudgeSpec(net=net, nodes=DEFAULT_NODES) if net else usual_judge(QUICK)
