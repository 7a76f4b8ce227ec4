import math
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from foible._core import ChessPosition, GoPosition
from foible.agents.base import Decision, Limits, Turn
from foible.agents.player_builder import PlayerBuilder
from foible.agents.uci_engine import UciEngine, UciSpec
from foible.engines import process
from foible.errors import ConfigError, EngineError
from foible.nets.shelf import NetShelf
from tests.engines.fake import Fake, assert_gone, find_stockfish
from tests.playing import choose


class FakeAgents(Fake):
    """Starts agents."""

    def __init__(self, folder: Path, stack: ExitStack) -> None:
        super().__init__(folder)
        self._stack = stack

    def start(
        self, behaviour: str = "good", *, once: bool = False, nodes: int | None = 1, **settings: Any
    ) -> UciEngine:
        program, *args = self.command(behaviour, once=once)
        return self._stack.enter_context(UciEngine(program, args, nodes=nodes, **settings))


@pytest.fixture
def fake(tmp_path: Path) -> Iterator[FakeAgents]:
    with ExitStack() as stack:
        yield FakeAgents(tmp_path, stack)


NO_LIMITS = Limits()


def turn(*moves: str, game: int = 0, limits: Limits = NO_LIMITS, position: ChessPosition | None = None) -> Turn:
    position = position or ChessPosition(moves=moves)
    return Turn(position, game, len(position.moves), seed=0, limits=limits)


def only(decisions: list[Decision]) -> Decision:
    (decision,) = decisions
    return decision


def test_a_decision_names_a_legal_move_and_what_was_found(fake: FakeAgents) -> None:
    decision = only(choose(fake.start(), [turn("e4")]))
    assert decision.move in ChessPosition(moves=["e4"]).legal_moves
    assert decision.value == pytest.approx(1 / (1 + math.exp(-0.4)))
    expected = {"score": 100, "depth": 7, "nodes": 123, "pv": decision.move}
    assert decision.info == expected


def test_the_engine_gets_the_start_position_and_all_moves(fake: FakeAgents) -> None:
    fen = "4k3/8/8/8/8/8/4P3/4K3 b - - 3 40"
    engine = fake.start()
    choose(engine, [turn("e4", "e5", "Nf3"), turn(position=ChessPosition(fen, ["Kd7", "e4"]), game=1)])
    assert fake.told("position") == [
        "position startpos moves e2e4 e7e5 g1f3",
        f"position fen {fen} moves e8d7 e2e4",
    ]


def test_the_limits_of_a_turn_replace_those_of_the_engine(fake: FakeAgents) -> None:
    engine = fake.start(nodes=None, depth=5)
    choose(engine, [turn(), turn(limits=Limits(nodes=800)), turn(limits=Limits(seconds=0.25))])
    assert fake.told("go") == ["go depth 5", "go nodes 800", "go movetime 250"]


def test_the_effort_of_a_match_leaves_an_engine_its_nodes(fake: FakeAgents) -> None:
    with PlayerBuilder(NetShelf(), effort=0.1).build(UciSpec(command=fake.command(), nodes=50)) as engine:
        choose(engine, [turn()])
    assert fake.told("go") == ["go nodes 50"]


def test_without_any_limit_there_is_no_move(fake: FakeAgents) -> None:
    with pytest.raises(ConfigError, match="needs a limit"):
        choose(fake.start(nodes=None), [turn()])


def test_a_new_game_is_announced_and_a_running_one_is_not(fake: FakeAgents) -> None:
    engine = fake.start()
    for game in (0, 0, 1, 1):
        choose(engine, [turn(game=game)])
    assert len(fake.told("ucinewgame")) == 2
    engine.forget(1)
    choose(engine, [turn(game=1)])
    assert len(fake.told("ucinewgame")) == 3


def test_an_engine_that_plays_several_games_at_once_begins_each_move_anew(fake: FakeAgents) -> None:
    engine = fake.start()
    engine.shared = True
    for game in (0, 0, 1):
        choose(engine, [turn(game=game)])
    assert len(fake.told("ucinewgame")) == 3


def test_options_are_set_and_wdl_is_asked_for(fake: FakeAgents) -> None:
    fake.start(options={"hash": 64})
    assert {text.lower() for text in fake.told("setoption")} == {
        "setoption name hash value 64",
        "setoption name uci_showwdl value true",
    }


def test_an_unknown_option_is_refused_with_the_names_near_it(fake: FakeAgents) -> None:
    with pytest.raises(EngineError, match="no option 'SkillLevel'; near: Skill Level"):
        fake.start(options={"SkillLevel": 3})
    with pytest.raises(EngineError, match="no option 'Q'; it has Hash, MultiPV, Skill Level"):
        fake.start(options={"Q": 3})


@pytest.mark.parametrize(("value", "problem"), [("many", "expected integer"), (5000, "at most 1024")])
def test_an_impossible_option_value_is_refused(fake: FakeAgents, value: object, problem: str) -> None:
    with pytest.raises(EngineError, match=problem):
        fake.start(options={"Hash": value})


@pytest.mark.parametrize(
    ("behaviour", "reason"),
    [
        ("crash", "exit code: 3"),
        ("illegal", "e2e5"),
        ("null", "null move"),
        ("none", "no move"),
        ("nonsense", "hello"),
    ],
)
def test_a_bad_answer_is_asked_for_again_and_then_forfeits(fake: FakeAgents, behaviour: str, reason: str) -> None:
    decision = only(choose(fake.start(behaviour), [turn()]))
    assert decision.move == ""
    assert reason in decision.info["forfeit"]
    assert len(fake.told("started")) == 2
    assert len(fake.told("go")) == 2


def test_a_hung_engine_forfeits_in_time(fake: FakeAgents) -> None:
    engine = fake.start("hang", hang_after=0.3)
    decision = only(choose(engine, [turn()]))
    assert decision.info["forfeit"] == "no move within 0.3 s"
    assert len(fake.told("started")) == 2


def test_a_crash_is_survived_by_one_restart(fake: FakeAgents) -> None:
    engine = fake.start("crash", once=True)
    decisions = choose(engine, [turn(), turn("e4", game=1)])
    assert all(decision.move for decision in decisions)
    assert "exit code: 3" in decisions[0].info["restart"]
    assert "restart" not in decisions[1].info
    assert len(fake.told("started")) == 2


def test_the_second_failure_in_a_game_loses_it(fake: FakeAgents) -> None:
    engine = fake.start()
    assert "restart" not in only(choose(engine, [turn()])).info
    for line, survives in ((("e4", "e5"), True), (("e4", "e5", "d4", "d5"), False)):
        fake.kill()
        decision = only(choose(engine, [turn(*line)]))
        assert bool(decision.move) == survives
        assert ("restart" if survives else "forfeit") in decision.info
    assert only(choose(engine, [turn(game=1)])).move


def test_an_engine_that_died_between_moves_is_restarted(fake: FakeAgents) -> None:
    engine = fake.start()
    choose(engine, [turn()])
    fake.kill()
    assert only(choose(engine, [turn("e4", "e5")])).move
    assert len(fake.told("started")) == 2


def test_a_forfeit_does_not_touch_the_other_games(fake: FakeAgents) -> None:
    engine = fake.start("dislikes black")
    decisions = choose(engine, [turn(), turn("e4", game=1), turn("e4", "e5", game=2)])
    assert [bool(decision.move) for decision in decisions] == [True, False, True]


def test_garbage_between_the_lines_is_passed_over(fake: FakeAgents) -> None:
    assert only(choose(fake.start("garbage"), [turn()])).move


def test_every_game_stays_with_its_process(fake: FakeAgents) -> None:
    engine = fake.start("slow", processes=2)
    turns = [turn(game=game) for game in range(4)]
    choose(engine, turns)
    choose(engine, list(reversed(turns)))
    asked = [pid for pid, text in fake.lines() if text.startswith("go")]
    assert len(set(asked)) == 2
    assert all(asked.count(pid) == 4 for pid in asked)
    games = [pid for pid, text in fake.lines() if text == "ucinewgame"]
    assert len(games) == 6  # the last game of the first round is the first of the second, on both


def test_decisions_answer_the_turns_in_their_order(fake: FakeAgents) -> None:
    engine = fake.start(processes=3)
    lines = [[], ["e4"], ["e4", "e5"], ["d4"], ["d4", "d5"], ["a3"], ["a3", "a6"]]
    turns = [turn(*moves, game=game) for game, moves in enumerate(lines)]
    for asked, decision in zip(turns, choose(engine, turns), strict=True):
        assert decision.move in asked.position.legal_moves


def test_closing_ends_the_processes(fake: FakeAgents) -> None:
    engine = fake.start(processes=2)
    choose(engine, [turn(game=0), turn(game=1)])
    engine.close()
    assert_gone([pid for pid, _ in fake.lines()])


def test_a_missing_program_is_named(tmp_path: Path) -> None:
    with pytest.raises(EngineError, match=r"nothing: cannot be started as a UCI engine \(No such file"):
        UciEngine(tmp_path / "nothing", nodes=1)


def test_a_missing_program_is_told_of_before_the_first_move_even_if_it_was_given_a_name(tmp_path: Path) -> None:
    with pytest.raises(EngineError, match="none: cannot be started"):
        UciEngine(tmp_path / "none", nodes=1, name="Stockfish")


def test_a_program_that_ends_at_once_is_no_engine() -> None:
    with pytest.raises(EngineError, match="not a UCI engine"):
        UciEngine(sys.executable, ["-c", ""], nodes=1)


def test_a_program_that_says_nothing_is_no_engine(fake: FakeAgents, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, "START_SECONDS", 0.3)
    with pytest.raises(EngineError, match=r"no answer to `uci` within 0\.3 s"):
        fake.start("silent")


def test_go_is_not_its_game(fake: FakeAgents) -> None:
    other = Turn(GoPosition(), 0, 0, seed=0)
    with pytest.raises(ConfigError, match="plays chess"):
        choose(fake.start(), [other])


@pytest.fixture(scope="module")
def stockfish() -> Iterator[Callable[..., Decision]]:
    with UciEngine(find_stockfish(), options={"Hash": 16}, nodes=5000) as engine:
        yield lambda position: only(choose(engine, [turn(position=position)]))


def test_stockfish_mates_in_one(stockfish: Callable[..., Decision]) -> None:
    decision = stockfish(ChessPosition("6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1"))
    assert (decision.move, decision.value, decision.info["score"]) == ("a1a8", 1.0, "#1")


def test_stockfish_sees_a_repetition_in_the_history(stockfish: Callable[..., Decision]) -> None:
    """A queen down, Black is glad of the third occurrence, which the position alone does not show."""
    start = "rnb1kbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
    decision = stockfish(ChessPosition(start, ["Nf3", "Nf6", "Ng1", "Ng8", "Nf3", "Nf6", "Ng1"]))
    assert (decision.move, decision.info["score"]) == ("f6g8", 0)


def test_stockfish_plays_chess960(stockfish: Callable[..., Decision]) -> None:
    position = ChessPosition("4k3/pppppppp/8/8/8/8/PPPPPPPP/5KR1 w G - 0 1", chess960=True)
    assert "f1g1" in position.legal_moves
    for _ in range(8):
        position = position.play(stockfish(position).move)


def test_stockfish_plays_both_sides_of_a_game(stockfish: Callable[..., Decision]) -> None:
    position = ChessPosition()
    for _ in range(12):
        decision = stockfish(position)
        assert decision.value is not None
        assert 0.2 < decision.value < 0.8
        position = position.play(decision.move)
