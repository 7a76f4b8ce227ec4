"""An engine as a judge: its scores are the engine's, and only those."""

import asyncio
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, cast

import msgspec
import pytest

from foible._core import ChessPosition
from foible.engines.pool import EnginePool
from foible.engines.search import Variation, win_probability
from foible.errors import ConfigError, EngineError
from foible.judges.base import Score
from foible.judges.engine import UciJudge
from foible.judges.spec import JudgeSpec, UciJudgeSpec
from foible.loop import wait
from foible.nets.shelf import NetShelf
from tests.engines.fake import Fake, assert_gone, find_stockfish

START = ChessPosition()


def judge_of(command: str | list[str], **settings: Any) -> UciJudge:
    return UciJudge(EnginePool(command, **({"depth": 3} | settings)))


def test_a_score_is_the_engine_s_with_its_win_probability(tmp_path: Path) -> None:
    judge = judge_of(Fake(tmp_path).command())
    assert wait(judge.judge([START])) == [Score(win_probability(100), 100)]
    assert judge.name == "Fake 1.0 at depth 3"
    judge.close()


@pytest.mark.parametrize("behaviour", ["crash", "killed", "hang", "nan score", "illegal pv", "illegal"])
def test_an_engine_that_fails_once_is_asked_again_and_twice_is_reported(tmp_path: Path, behaviour: str) -> None:
    (tmp_path / "once").mkdir()
    once = judge_of(Fake(tmp_path / "once").command(behaviour, once=True), hang_after=5)
    assert wait(once.judge([START])) == [Score(win_probability(100), 100)]
    once.close()
    always = judge_of(Fake(tmp_path).command(behaviour), hang_after=0.3)
    with pytest.raises(EngineError, match=r"^Fake 1\.0 at depth 3: [^\n]+ \(asked twice\) in rnbqkbnr[^\n]+$"):
        wait(always.judge([START]))
    always.close()


def test_a_position_is_searched_once(tmp_path: Path) -> None:
    fake = Fake(tmp_path)
    judge = judge_of(fake.command())
    other = ChessPosition(moves=["e4"])
    first = wait(judge.judge([START, other, START]))
    assert wait(judge.judge([other, START])) == [first[1], first[0]]
    assert len([text for _, text in fake.lines() if text.startswith("go")]) == 2
    judge.close()


class Failing:
    """Engines whose searches fail so often before one succeeds."""

    engine = name = "failing"
    nodes = None

    def __init__(self, failures: int) -> None:
        self.searches, self._failures = 0, failures

    async def search(self, positions: Sequence[ChessPosition], **_: object) -> list[list[Variation]]:
        self.searches += 1
        fails = self.searches <= self._failures
        await asyncio.sleep(0.01)
        if fails:
            raise EngineError("gone")
        return [[Variation("e2e4", 0.6, 100, None)] for _ in positions]


def test_games_that_waited_for_a_search_that_failed_share_the_next_one() -> None:
    async def asked(failures: int) -> tuple[int, list[Any]]:
        engines = Failing(failures)
        judge = UciJudge(cast(EnginePool, engines))
        async with asyncio.timeout(200):
            answers = await asyncio.gather(*(judge.judge([START]) for _ in range(4)), return_exceptions=True)
        return engines.searches, [answer[0].cp if isinstance(answer, list) else str(answer) for answer in answers]

    assert wait(asked(1)) == (2, ["gone", 100, 100, 100])
    assert wait(asked(9)) == (4, ["gone"] * 4)


def test_drafts_ask_the_same_engine_for_less(tmp_path: Path) -> None:
    fake = Fake(tmp_path)
    judge = UciJudge(EnginePool(fake.command(), nodes=5000))
    (draft,) = judge.drafts
    (score,) = wait(draft.judge([START]))
    assert (score, score.best) == (Score(win_probability(100), 100), "a2a3")
    assert draft.drafts == []
    wait(judge.judge([START]))
    judge.close()
    assert [draft.name, judge.name] == ["Fake 1.0 at 1,000 nodes", "Fake 1.0 at 5,000 nodes"]
    assert fake.told("go") == ["go nodes 1000", "go nodes 5000"]
    assert len({pid for pid, _ in fake.lines()}) == 1


def test_closing_ends_the_engine(tmp_path: Path) -> None:
    fake = Fake(tmp_path)
    judge = judge_of(fake.command(), processes=2)
    wait(judge.judge([START, ChessPosition(moves=["e4"])]))
    judge.close()
    assert_gone([pid for pid, _ in fake.lines()])


def test_a_judge_is_built_from_its_description(tmp_path: Path) -> None:
    fake = Fake(tmp_path)
    raw = {"kind": "uci", "command": fake.command(), "options": {"Hash": 4}, "nodes": 900, "processes": 2}
    judge = msgspec.convert(raw, JudgeSpec).build(NetShelf())
    assert judge.name == "Fake 1.0 at 900 nodes"
    positions = [ChessPosition(moves=[move]) for move in ("e4", "d4", "c4")]
    assert len(wait(judge.judge(positions))) == 3
    judge.close()
    assert fake.told("go") == ["go nodes 900"] * 3
    assert "setoption name Hash value 4" in fake.told("setoption")


@pytest.mark.parametrize("limits", [{}, {"depth": 10, "nodes": 10}])
def test_a_description_names_exactly_one_limit(limits: dict[str, Any]) -> None:
    with pytest.raises(ConfigError, match="expected depth or nodes"):
        UciJudgeSpec(command="engine", **limits)
    with pytest.raises(msgspec.ValidationError, match="expected depth or nodes"):
        msgspec.convert({"kind": "uci", "command": "engine", **limits}, JudgeSpec)


def test_a_description_comes_back_from_plain_values() -> None:
    spec = UciJudgeSpec(command="engine", depth=10, options={"Hash": 1})
    assert msgspec.convert(msgspec.to_builtins(spec), JudgeSpec) == spec


@pytest.fixture(scope="module")
def stockfish() -> Iterator[UciJudge]:
    judge = judge_of(find_stockfish(), depth=8)
    yield judge
    judge.close()


def test_stockfish_sees_mates_for_and_against_the_side_to_move(stockfish: UciJudge) -> None:
    mates = ChessPosition("6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1")
    mated = ChessPosition("7k/8/6K1/8/8/8/8/R7 b - - 0 1")
    assert wait(stockfish.judge([mates, mated])) == [Score(1.0, mate=1), Score(0.0, mate=-1)]


def test_the_win_probability_is_that_of_centipawns_or_on_request_the_engine_s_own(stockfish: UciJudge) -> None:
    """Between engines the start position is drawn nine times in ten: W + D/2 is near one half."""
    (human,) = wait(stockfish.judge([START]))
    assert human.cp is not None
    assert human.wp == pytest.approx(win_probability(human.cp))
    own = UciJudge(EnginePool(find_stockfish(), depth=8), wdl=True)
    try:
        (engine,) = wait(own.judge([START]))
    finally:
        own.close()
    assert engine.cp == human.cp
    assert 0.5 < engine.wp < human.wp


def test_values_by_wdl_are_refused_of_an_engine_that_reports_none(tmp_path: Path) -> None:
    judge = UciJudge(EnginePool(Fake(tmp_path).command(), depth=1), wdl=True)
    try:
        with pytest.raises(EngineError, match=r"reports no WDL.*wdl = true"):
            wait(judge.judge([START]))
    finally:
        judge.close()


def test_a_limit_of_depth_has_no_drafts(tmp_path: Path) -> None:
    command = Fake(tmp_path).command()
    limits = ((4, None, 0), (None, 5000, 1), (None, 100_000, 2))
    for depth, nodes, count in limits:
        judge = UciJudge(EnginePool(command, depth=depth, nodes=nodes))
        assert len(judge.drafts) == count
        judge.close()


def test_stockfish_knows_the_history(stockfish: UciJudge) -> None:
    """A queen down, Black is glad of the third occurrence, which the position alone does not show."""
    start = "rnb1kbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
    repeating = ChessPosition(start, ["Nf3", "Nf6", "Ng1", "Ng8", "Nf3", "Nf6", "Ng1"])
    known, unknown = wait(stockfish.judge([repeating, ChessPosition(repeating.fen)]))
    assert (known.wp, known.cp) == (0.5, 0)
    assert unknown.wp < 0.1


def test_stockfish_judges_chess960(stockfish: UciJudge) -> None:
    position = ChessPosition("4k3/pppppppp/8/8/8/8/PPPPPPPP/5KR1 w G - 0 1", chess960=True)
    (score,) = wait(stockfish.judge([position]))
    assert score.cp is not None
