import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from foible._core import Bonus, ChessPosition, GoPosition
from foible.agents.base import Decision, Limits, Turn
from foible.agents.gtp_engine import GtpEngine
from foible.agents.search import NetSearch
from foible.errors import ConfigError, EngineError
from foible.nets.evaluator import Material
from foible.search.go import go_params, go_seats
from tests.engines.fake import assert_gone
from tests.interfaces.gtp.fake import Fake
from tests.interfaces.gtp.gnugo import gnugo_command
from tests.interfaces.gtp.process import COMMAND
from tests.playing import choose


class FakeAgents(Fake):
    """Starts agents."""

    def __init__(self, folder: Path, stack: ExitStack) -> None:
        super().__init__(folder)
        self._stack = stack

    def start(self, behaviour: str = "good", *, once: bool = False, **settings: Any) -> GtpEngine:
        return self._stack.enter_context(GtpEngine(self.command(behaviour, once=once), **settings))


@pytest.fixture
def fake(tmp_path: Path) -> Iterator[FakeAgents]:
    with ExitStack() as stack:
        yield FakeAgents(tmp_path, stack)


NO_LIMITS = Limits()


def turn(*moves: str, game: int = 0, limits: Limits = NO_LIMITS, position: GoPosition | None = None) -> Turn:
    position = position or GoPosition(5, moves)
    return Turn(position, game, len(position.moves), seed=0, limits=limits)


def only(decisions: list[Decision]) -> Decision:
    (decision,) = decisions
    return decision


def test_a_decision_names_a_legal_move(fake: FakeAgents) -> None:
    engine = fake.start()
    assert engine.name == "Fake 1.0"
    assert only(choose(engine, [turn("A1")])) == Decision("B1")


def test_an_engine_may_be_named_and_prepared(fake: FakeAgents) -> None:
    engine = fake.start(name="Tester", setup=["setup 1"])
    assert engine.name == "Tester"
    assert fake.told() == ["setup 1"]


def test_the_engine_gets_what_is_new_of_each_game(fake: FakeAgents) -> None:
    engine = fake.start()
    choose(engine, [turn("C3", game=1)])
    choose(engine, [turn("C3", "A1", "D3", game=1)])
    choose(engine, [turn(game=2)])
    assert fake.told("play", "clear_board") == ["clear_board", "play black C3", "play black D3", "clear_board"]


def test_time_is_told_and_nodes_are_refused(fake: FakeAgents) -> None:
    engine = fake.start()
    choose(engine, [turn(limits=Limits(seconds=2.5)), turn(limits=Limits(seconds=0.2))])
    assert fake.told("time_settings") == ["time_settings 0 2 1", "time_settings 0 1 1"]
    with pytest.raises(ConfigError, match=r"Fake 1\.0 cannot obey a limit of nodes: it thinks by seconds"):
        choose(engine, [turn(limits=Limits(nodes=100))])


def test_giving_up_is_a_move_and_no_forfeit(fake: FakeAgents) -> None:
    decision = only(choose(fake.start("resign"), [turn()]))
    assert decision == Decision("resign")


@pytest.mark.parametrize(
    ("behaviour", "reason"),
    [
        ("crash", "exit status 3"),
        ("illegal", "not a legal move: 'A9'"),
        ("nonsense", "hello"),
        ("refuses", "out of ideas"),
    ],
)
def test_a_bad_answer_is_asked_for_again_and_then_forfeits(fake: FakeAgents, behaviour: str, reason: str) -> None:
    decision = only(choose(fake.start(behaviour), [turn()]))
    assert decision.move == ""
    assert reason in decision.info["forfeit"]
    assert len(fake.told("started")) == 2
    assert len(fake.told("genmove")) == 2


def test_a_hung_engine_forfeits_in_time(fake: FakeAgents) -> None:
    engine = fake.start("hang", hang_after=0.3)
    decision = only(choose(engine, [turn()]))
    assert decision.info["forfeit"] == "no answer to `genmove black` within 0.3 s"
    assert len(fake.told("started")) == 2


def test_a_crash_is_survived_by_one_restart(fake: FakeAgents) -> None:
    engine = fake.start("crash", once=True)
    decisions = choose(engine, [turn("C3"), turn("D3", game=1)])
    assert [decision.move for decision in decisions] == ["A1", "A1"]
    assert "exit status 3" in decisions[0].info["restart"]
    assert "restart" not in decisions[1].info
    assert len(fake.told("started")) == 2


def test_the_second_failure_in_a_game_loses_it(fake: FakeAgents) -> None:
    engine = fake.start()
    assert only(choose(engine, [turn()])).info == {}
    for moves, survives in ((("A1", "C3"), True), (("A1", "C3", "B1", "D3"), False)):
        fake.kill()
        decision = only(choose(engine, [turn(*moves)]))
        assert bool(decision.move) == survives
        assert ("restart" if survives else "forfeit") in decision.info
    assert only(choose(engine, [turn(game=1)])).move
    engine.forget(0)
    fake.kill()
    assert "restart" in only(choose(engine, [turn()])).info


def test_a_forfeit_does_not_touch_the_other_games(fake: FakeAgents) -> None:
    engine = fake.start("dislikes white")
    decisions = choose(engine, [turn(), turn("C3", game=1), turn("C3", "D3", game=2)])
    assert [bool(decision.move) for decision in decisions] == [True, False, True]


def test_every_game_stays_with_its_process(fake: FakeAgents) -> None:
    engine = fake.start("slow", processes=2)
    turns = [turn(game=game) for game in range(4)]
    choose(engine, turns)
    choose(engine, list(reversed(turns)))
    asked = [pid for pid, text in fake.lines() if text.startswith("genmove")]
    assert len(set(asked)) == 2
    assert all(asked.count(pid) == 4 for pid in asked)


def test_decisions_answer_the_turns_in_their_order(fake: FakeAgents) -> None:
    engine = fake.start(processes=3)
    lines = [[], ["A1"], ["A1", "B1"], ["C3"], ["A1", "B1", "C1"]]
    decisions = choose(engine, [turn(*moves, game=game) for game, moves in enumerate(lines)])
    assert [decision.move for decision in decisions] == ["A1", "B1", "C1", "A1", "D1"]


def test_closing_ends_the_processes(fake: FakeAgents) -> None:
    engine = fake.start(processes=2)
    choose(engine, [turn(game=0), turn(game=1)])
    engine.close()
    assert_gone([pid for pid, _ in fake.lines()])


@pytest.mark.parametrize(
    ("command", "problem"), [("/nowhere", "cannot be started"), ([sys.executable, "-c", ""], "not a GTP")]
)
def test_what_is_no_engine_is_said_before_the_first_move(command: str | list[str], problem: str) -> None:
    with pytest.raises(EngineError, match=problem):
        GtpEngine(command, name="given")
    with pytest.raises(ConfigError, match="processes: an engine needs at least 1"):
        GtpEngine(command, processes=0)


def test_chess_is_not_its_game(fake: FakeAgents) -> None:
    other = Turn(ChessPosition(), 0, 0, seed=0)
    with pytest.raises(ConfigError, match="plays Go"):
        choose(fake.start(), [other])


def played(black: Any, white: Any, position: GoPosition) -> tuple[GoPosition, str]:
    """The end of a game, and the last move."""
    for ply in range(2 * position.size**2):
        mover = (black, white)[ply % 2]
        decision = only(choose(mover, [turn(position=position)]))
        assert "forfeit" not in decision.info
        assert "restart" not in decision.info
        if decision.move == "resign" or position.play(decision.move).outcome():
            return position, decision.move
        position = position.play(decision.move)
    return position, ""


@pytest.fixture(scope="module")
def gnugo() -> Iterator[GtpEngine]:
    with GtpEngine(gnugo_command()) as engine:
        yield engine


@pytest.mark.parametrize("ours_black", [True, False])
def test_foible_plays_whole_games_against_gnu_go(gnugo: GtpEngine, ours_black: bool) -> None:
    with GtpEngine([*COMMAND, "--visits", "100", "--threads", "1"]) as ours:
        assert ours.name.startswith("foible ")
        position, last = played(*((ours, gnugo) if ours_black else (gnugo, ours)), GoPosition(7, komi=9.5))
        assert position.ply > 12
        assert last in ("pass", "resign")


def test_gnu_go_plays_with_a_handicap_and_from_any_board(gnugo: GtpEngine) -> None:
    params, (ours, theirs) = go_params(size=7), go_seats(Bonus())
    net = NetSearch([Material()], nodes=30, params=params, ours=ours, theirs=theirs)
    handicap = GoPosition(7, komi=2.5, black=["C3", "E5"], to_move="white")
    mixed = GoPosition(7, komi=9.5, black=["A1", "B1", "B2"], white=["A2", "D4"], to_move="black")
    for start in (handicap, mixed):
        position, _ = played(net, gnugo, start)
        assert position.setup == start.setup
        assert position.ply > 6
