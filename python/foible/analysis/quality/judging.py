"""What every position of a set of games is worth, in the eyes of one judge; kept from one time to the next."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Self

import polars as pl

from foible._core import ChessPosition
from foible.agents.spec import with_chosen_nets
from foible.analysis.answers import Answers, Row, folder_name, identity
from foible.analysis.quality.analysed_games import Game, Games
from foible.judges.base import Judge, Score, exact_score
from foible.judges.spec import QUICK, JudgeSpec, SearchJudgeSpec, usual_judge
from foible.loop import wait
from foible.nets.shelf import BorrowedShelf, NetShelf

DEFAULT_NODES = 100
"""Visits of a run's own judge. The paper's judge has 1500 (skill-compatible §5.1)."""

COLUMNS = {"wp": pl.Float64(), "cp": pl.Int32(), "mate": pl.Int32()}
"""The value of the side to move, as `Score`."""

HYPOTHETICAL = ("brain", "u_sampled", "u_argmax")
"""Moves of a hand-and-brain record beside the played one (skill-compatible §5.6)."""


@dataclass(frozen=True, slots=True)
class Progress:
    """Where a long job stands."""

    job: str
    done: int
    total: int


OnProgress = Callable[[Progress], None]


def silent(_now: Progress) -> None:
    """Nobody watches."""


class Judging:
    """A judge with the memory of what it has judged. Closing it closes the judge."""

    def __init__(self, judge: Judge, answers: Answers, *, claim_draws: bool = False) -> None:
        """`claim_draws`: a draw that could be claimed counts as one, as in the games."""
        self.name = judge.name
        self.folder = answers.folder.parent
        self._judge = judge
        self._answers = answers
        self._claim_draws = claim_draws

    @classmethod
    def open(cls, spec: JudgeSpec, shelf: NetShelf, folder: Path, *, claim_draws: bool = False) -> Self:
        """Judge with the answers kept in a folder of the judge's own below `folder`.

        :raises FoibleError: the judge cannot be had, or another process is using it there.
        """
        spec, taken = with_chosen_nets(spec), BorrowedShelf(shelf)
        judge = spec.build(taken)
        try:
            about = {"judge": judge.name, **identity(spec, taken.resolved())}
            answers = Answers(folder / folder_name(judge.name, about) / "scores", COLUMNS, about)
        except BaseException:
            judge.close()
            raise
        return cls(judge, answers, claim_draws=claim_draws)

    def judge(self, positions: Callable[[], Iterable[ChessPosition]], on_progress: OnProgress = silent) -> int:
        """Judge those positions that were not judged before; how many they were.

        `positions` gives them anew at each call: they are counted first.
        """
        return self._answers.fill(positions, self._ask, lambda *count: on_progress(Progress("judging", *count)))

    def score(self, position: ChessPosition) -> Score:
        """For the side to move; exact where the game is over.

        :raises KeyError: the position was not judged.
        """
        exact = exact_score(position, claim_draws=self._claim_draws)
        return exact if exact is not None else Score(*self._answers[position])

    def close(self) -> None:
        self._answers.close()
        self._judge.close()

    def _ask(self, positions: Sequence[ChessPosition]) -> list[Row]:
        return [(score.wp, score.cp, score.mate) for score in wait(self._judge.judge(positions))]


def positions_to_judge(games: Iterable[Game]) -> Iterator[ChessPosition]:
    """Every position of the games, and those to which the hypothetical moves of hand and brain lead."""
    for game in games:
        last = len(game.moves)
        for index, position in enumerate(game.positions()):
            if index < last or not game.exact_end:
                yield position
            if index < last:
                info = game.moves[index].info
                yield from (position.play(str(info[key])) for key in HYPOTHETICAL if info.get(key))


def default_judge(games: Games) -> JudgeSpec:
    """The net that the run names as its judge, which then searches; else the usual judge."""
    net = games.config and games.config.judge
    return SearchJudgeSpec(net=net, nodes=DEFAULT_NODES) if net else usual_judge(QUICK)
