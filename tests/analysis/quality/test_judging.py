from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec
import pytest

from foible._core import ChessPosition
from foible.analysis.answers import Answers
from foible.analysis.quality.analysed_games import AnalysedGame, AnalysedGames, read_games
from foible.analysis.quality.judging import COLUMNS, Judging, default_judge, judge_part, positions_to_judge
from foible.arena.record import MoveRecord
from foible.errors import ConfigError, NetFileError
from foible.judges.base import Score
from foible.judges.spec import QUICK, SearchJudgeSpec, parse_judge, usual_judge
from foible.nets.shelf import NetShelf, Runtimes
from tests.analysis.quality.runs import random_run, run_of, with_and_without_net


@dataclass
class Mobility:
    """Judges by the number of legal moves."""

    name: str = "mobility"
    asked: list[ChessPosition] = field(default_factory=list)

    async def judge(self, positions: Sequence[ChessPosition]) -> list[Score]:
        self.asked += positions
        return [Score(len(position.legal_moves) / 100, cp=len(position.legal_moves)) for position in positions]

    def close(self) -> None:
        self.name = "closed"


def judging(folder: Path, judge: Mobility, *, claim_draws: bool = False) -> Judging:
    return Judging(judge, Answers(folder / "scores", COLUMNS, {}), claim_draws=claim_draws)


def test_every_position_of_the_games_is_judged_once(tmp_path: Path) -> None:
    games = read_games(random_run(tmp_path / "run", games=4)).games
    judge = Mobility()
    judged = judging(tmp_path, judge)
    expected = {position.key for game in games for position in game.positions() if position.outcome() is None}
    assert judged.judge(lambda: positions_to_judge(games)) == len(expected)
    assert {position.key for position in judge.asked} == expected
    assert len(judge.asked) == len(expected)
    assert judged.judge(lambda: positions_to_judge(games)) == 0
    assert judged.score(games[0].start) == Score(0.2, cp=20)
    judged.close()
    assert judge.name == "closed"


def test_games_that_are_over_have_their_exact_worth(tmp_path: Path) -> None:
    mate = ChessPosition(None, ["f3", "e5", "g4", "Qh4"])
    repeated = ChessPosition(None, ["Nf3", "Nf6", "Ng1", "Ng8"] * 2)
    judged = judging(tmp_path, Mobility(), claim_draws=True)
    assert judged.score(mate) == Score(0.0, mate=0)
    assert judged.score(repeated) == Score(0.5)
    with pytest.raises(KeyError):
        judging(tmp_path / "other", Mobility()).score(repeated)


def test_the_moves_that_a_hand_did_not_make_are_judged_too() -> None:
    info = {"brain": "d2d4", "u_sampled": "c2c4", "u_argmax": "e2e4"}
    game = AnalysedGame(0, 0, ChessPosition(), (MoveRecord("e2e4", "hand", None, info),), True, None, False)
    positions = [position.moves for position in positions_to_judge([game])]
    assert positions == [[], ["d2d4"], ["c2c4"], ["e2e4"], ["e2e4"]]


def test_the_last_position_of_a_game_that_the_rules_ended_is_not_judged() -> None:
    game = AnalysedGame(0, 0, ChessPosition(), (MoveRecord("e2e4"),), True, 0.5, exact_end=True)
    assert [position.moves for position in positions_to_judge([game])] == [[]]


def test_another_net_or_more_visits_are_another_judge(tmp_path: Path) -> None:
    folders = set()
    for text in ("material", "material@5", "material@6", "material@5"):
        judged = Judging.open(parse_judge(text), NetShelf(), tmp_path)
        folders.add(judged.folder)
        judged.close()
    assert len(folders) == 3


def test_without_a_judge_it_is_the_run_s_or_the_usual_one(tmp_path: Path) -> None:
    judged = run_of("tag_team", tmp_path / "b", games=2, max_plies=4, judge="material")
    assert default_judge(read_games(judged)) == SearchJudgeSpec(net="material", nodes=100)
    assert default_judge(read_games(random_run(tmp_path / "c", games=2))) == usual_judge(QUICK)
    assert default_judge(AnalysedGames(Path("games.pgn"), "A", "B", ())) == usual_judge(QUICK)


def test_in_another_folder_a_worker_takes_the_files_that_are_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here, there = with_and_without_net(tmp_path)
    plain = msgspec.to_builtins({"spec": SearchJudgeSpec(net="net.pb.gz", nodes=1), "runtimes": Runtimes(threads=1)})
    asked: tuple[Any, ...] = str(tmp_path / "parts" / "1"), plain, {}, [], []
    monkeypatch.chdir(here)
    with pytest.raises(ConfigError, match="is not there for all workers"):  # it comes after the net is opened
        judge_part(*asked)
    monkeypatch.chdir(there)
    with pytest.raises(NetFileError, match=r"net\.pb\.gz: no such file"):
        judge_part(*asked)
