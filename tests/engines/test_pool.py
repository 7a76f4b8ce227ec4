"""A pool of engines: right answers in order, and none at all rather than a wrong one."""

import errno
import os
import shlex
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from foible._core import ChessPosition
from foible.engines.pool import EnginePool
from foible.engines.process import EngineProcess
from foible.errors import ConfigError, EngineError
from foible.loop import wait
from tests.engines.fake import Fake, assert_gone, find_stockfish


class FakePools(Fake):
    """Starts pools."""

    def __init__(self, folder: Path, stack: ExitStack) -> None:
        super().__init__(folder)
        self._stack = stack

    def start(self, behaviour: str = "good", *, once: bool = False, after: int = 0, **settings: Any) -> EnginePool:
        settings = {"depth": 3} | settings
        return self._stack.enter_context(EnginePool(self.command(behaviour, once=once, after=after), **settings))


@pytest.fixture
def fake(tmp_path: Path) -> Iterator[FakePools]:
    with ExitStack() as stack:
        yield FakePools(tmp_path, stack)


START = ChessPosition()
FIRST_MOVES = [ChessPosition(moves=[move]) for move in START.legal_moves]


def first_by_name(position: ChessPosition) -> str:
    return min(position.legal_moves)


@pytest.mark.parametrize("processes", [1, 3])
def test_answers_come_in_the_order_of_the_positions(fake: FakePools, processes: int) -> None:
    found = wait(fake.start(processes=processes).search(FIRST_MOVES))
    assert [line.move for (line,) in found] == [first_by_name(position) for position in FIRST_MOVES]
    assert all((line.cp, line.mate) == (100, None) for (line,) in found)


def test_the_work_goes_to_whichever_process_is_free(fake: FakePools) -> None:
    """Of two processes one hangs over its first position and is killed for it; the other does the rest."""
    pool = fake.start("hang", once=True, processes=2, hang_after=1)
    wait(pool.search(FIRST_MOVES))
    asked = [pid for pid, text in fake.lines() if text.startswith("go")]
    assert sorted(asked.count(pid) for pid in set(asked))[-1] >= len(FIRST_MOVES) - 2
    assert len(asked) == len(FIRST_MOVES) + 1


def test_no_position_needs_no_answer(fake: FakePools) -> None:
    assert wait(fake.start(processes=2).search([])) == []


def test_every_position_is_a_new_game_with_its_whole_history(fake: FakePools) -> None:
    fen = "4k3/8/8/8/8/8/4P3/4K3 b - - 3 40"
    wait(fake.start(depth=None, nodes=800).search([ChessPosition(fen, ["Kd7", "e4"]), START]))
    assert [text for _, text in fake.lines()][-8:] == [
        "ucinewgame",
        "isready",
        f"position fen {fen} moves e8d7 e2e4",
        "go nodes 800",
        "ucinewgame",
        "isready",
        f"position fen {START.start_fen}",
        "go nodes 800",
    ]


def test_variations_come_best_first_and_never_more_than_there_are_moves(fake: FakePools) -> None:
    pool = fake.start()
    bare = ChessPosition("7k/8/8/8/8/8/8/K7 w - - 0 1")
    (three,), (few,) = wait(pool.search([START], 3)), wait(pool.search([bare], 12))
    assert [(line.move, line.cp) for line in three] == [("a2a3", 100), ("a2a4", 90), ("b1a3", 80)]
    assert [line.move for line in few] == ["a1a2", "a1b1", "a1b2"]
    assert [text for text in fake.told("setoption") if "MultiPV" in text] == ["setoption name MultiPV value 3"]


def test_no_more_variations_are_asked_for_than_the_engine_knows(fake: FakePools) -> None:
    (lines,) = wait(fake.start().search([START], 20))
    assert len(lines) == 12


@pytest.mark.parametrize("behaviour", ["too many", "spaced"])
def test_variations_are_those_that_were_asked_for_however_they_are_written(fake: FakePools, behaviour: str) -> None:
    (lines,) = wait(fake.start(behaviour).search([START], 2))
    assert [(line.move, line.cp) for line in lines] == [("a2a3", 100), ("a2a4", 90)]


def test_a_name_is_short_and_cannot_command_the_terminal(fake: FakePools) -> None:
    assert fake.start("loud").engine == r"\x1b[31mFake" + "!" * 70 + "…"


def test_mates_have_no_centipawns(fake: FakePools) -> None:
    (lines,) = wait(fake.start("mates").search([START], 4))
    assert [(line.wp, line.cp, line.mate) for line in lines] == [
        (0, None, -1),
        (1, None, 1),
        (0, None, -2),
        (1, None, 2),
    ]


@pytest.mark.parametrize(
    ("behaviour", "reason"),
    [
        ("crash", r"engine process died unexpectedly \(exit code: 3\)"),
        ("killed", r"engine process died unexpectedly \(exit code: -9\)"),
        ("illegal", "not a legal move: 'bestmove e2e5'"),
        ("null", "not a legal move: 'bestmove 0000'"),
        ("none", r"not a legal move: 'bestmove \(none\)'"),
        ("nonsense", "not a legal move: 'bestmove hello'"),
        ("illegal pv", "a variation with an illegal move: 'info depth 7 multipv 1 score cp 100 nodes 123 pv e2e5'"),
        ("nan score", "a line that cannot be read: 'info depth 7 multipv 1 score cp nan nodes 123 pv a2a3'"),
        ("no number", "cannot be read: .*score cp nodes"),
        ("mate in zero", "cannot be read: .*score mate 0"),
        ("odd unit", "cannot be read: .*score pawns 3"),
        ("empty wdl", "cannot be read: .*wdl 0 0 0"),
        ("negative wdl", "cannot be read: .*wdl 1200 -100 -100"),
        ("short wdl", "cannot be read: .*wdl nodes"),
        ("no score", "no score"),
    ],
)
def test_a_bad_answer_is_asked_for_once_more_and_never_becomes_a_score(
    fake: FakePools, behaviour: str, reason: str
) -> None:
    fen = START.fen.replace("/", r"\/").replace("-", r"\-")
    with pytest.raises(EngineError, match=rf"^Fake 1\.0 at depth 3: .*{reason}.* \(asked twice\) in {fen}$") as caught:
        wait(fake.start(behaviour).search([START]))
    assert "\n" not in str(caught.value)
    assert len(fake.told("started")) == 2
    assert len(fake.told("go")) == 2


@pytest.mark.parametrize("behaviour", ["hang", "deaf"])
def test_a_hung_engine_is_given_up_in_time(fake: FakePools, behaviour: str) -> None:
    pool = fake.start(behaviour, hang_after=0.3)
    with pytest.raises(EngineError, match=r"no answer within 0\.3 s \(asked twice\) in rnbqkbnr"):
        wait(pool.search([START]))


@pytest.mark.parametrize("behaviour", ["crash", "killed", "hang", "illegal", "illegal pv", "nan score", "no score"])
def test_one_failure_in_the_middle_changes_no_answer(fake: FakePools, behaviour: str, tmp_path: Path) -> None:
    (tmp_path / "good").mkdir()
    with EnginePool(Fake(tmp_path / "good").command(), depth=3) as good:
        expected = wait(good.search(FIRST_MOVES, 3))
    hang_after = 5 if behaviour == "hang" else 200
    assert wait(fake.start(behaviour, once=True, after=5, hang_after=hang_after).search(FIRST_MOVES, 3)) == expected
    assert len(fake.told("started")) == 2


def test_an_engine_that_dies_again_and_again_still_answers_all(fake: FakePools) -> None:
    """Each position has its own second chance."""
    found = wait(fake.start("crash", after=3).search(FIRST_MOVES))
    assert [line.move for (line,) in found] == [first_by_name(position) for position in FIRST_MOVES]
    assert len(fake.told("started")) == 7


def test_after_a_failure_the_pool_still_works(fake: FakePools) -> None:
    pool = fake.start("dislikes black", processes=2)
    with pytest.raises(EngineError, match="exit code: 4"):
        wait(pool.search(FIRST_MOVES))
    assert wait(pool.search([START]))[0][0].cp == 100


@pytest.mark.parametrize("behaviour", ["garbage", "bounds"])
def test_noise_and_bounds_that_refute_nothing_are_passed_over(fake: FakePools, behaviour: str) -> None:
    (line,) = wait(fake.start(behaviour).search([START]))[0]
    assert (line.move, line.cp) == ("a2a3", 100)


def test_a_search_that_is_stopped_once_its_score_is_refuted_gives_the_bound(fake: FakePools) -> None:
    (line,) = wait(fake.start("refutes itself").search([START]))[0]
    assert (line.move, line.cp) == ("a2a3", 300)


def test_what_is_said_after_an_answer_is_not_part_of_the_next(fake: FakePools) -> None:
    found = wait(fake.start("twice").search(FIRST_MOVES))
    assert [(line.move, line.cp) for (line,) in found] == [(first_by_name(p), 100) for p in FIRST_MOVES]


def test_nonsense_does_not_reach_the_terminal(fake: FakePools, capfd: pytest.CaptureFixture[str]) -> None:
    wait(fake.start("garbage").search([START]))
    with pytest.raises(EngineError):
        wait(fake.start("nan score").search([START]))
    assert capfd.readouterr() == ("", "")


def test_an_engine_without_an_option_that_is_needed_says_so(fake: FakePools) -> None:
    pool = fake.start("plain")
    assert wait(pool.search([START]))[0][0].cp == 100
    with pytest.raises(EngineError, match="has no option MultiPV"):
        wait(pool.search([START], 2))
    with pytest.raises(EngineError, match="has no option UCI_Chess960"):
        wait(pool.search([ChessPosition("4k3/8/8/8/8/8/8/5KR1 w G - 0 1", chess960=True)]))


def test_closing_ends_all_processes(fake: FakePools) -> None:
    pool = fake.start(processes=2)
    wait(pool.search(FIRST_MOVES))
    pool.close()
    assert_gone([pid for pid, _ in fake.lines()])


@pytest.mark.parametrize(
    ("settings", "problem"),
    [
        ({"depth": None}, "with no limit; expected depth or nodes"),
        ({"depth": 3, "nodes": 100}, "with both depth and nodes; expected depth or nodes"),
        ({"depth": 0}, "depth = 0: a search needs at least 1"),
        ({"processes": 0}, "processes = 0"),
    ],
)
def test_impossible_settings_are_refused(fake: FakePools, settings: dict[str, Any], problem: str) -> None:
    with pytest.raises(ConfigError, match=problem):
        fake.start(**settings)


def test_a_search_of_no_nodes_is_refused(fake: FakePools) -> None:
    with pytest.raises(ConfigError, match="nodes = 0"):
        wait(fake.start().search([START], nodes=0))


def test_a_process_that_is_closed_while_it_starts_ends(fake: FakePools, monkeypatch: pytest.MonkeyPatch) -> None:
    process = EngineProcess(fake.command(), {})
    monkeypatch.setattr("foible.engines.process.program_path", lambda program: process.close())
    with pytest.raises(EngineError, match="closed"):
        process.start()
    assert process._running is None


def test_an_engine_that_cannot_be_guarded_is_not_started(fake: FakePools, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_more_processes(group: int) -> None:
        raise OSError(errno.EAGAIN, "no more processes")

    monkeypatch.setattr("foible.engines.process.ProcessGuard", no_more_processes)
    with pytest.raises(EngineError, match=r"cannot be started as a UCI engine \(no more processes\)$"):
        fake.start()


def test_a_missing_program_is_named(tmp_path: Path) -> None:
    with pytest.raises(EngineError, match=r"nothing: cannot be started as a UCI engine \(No such file"):
        EnginePool(str(tmp_path / "nothing"), depth=1)
    with pytest.raises(EngineError, match=r"cannot be started as a UCI engine \(embedded null byte\)$"):
        EnginePool("a\0b", depth=1)
    with pytest.raises(EngineError, match=r'; with arguments: command = \["nothing", "--net", "master"\]$'):
        EnginePool("nothing --net master", depth=1)


def test_an_engine_that_ends_at_once_is_named_with_its_arguments_and_its_own_words(fake: FakePools) -> None:
    with pytest.raises(
        EngineError, match=r" stillborn .*: not a UCI engine \(.*exit code: 2\); it wrote: no network: /x"
    ):
        fake.start("stillborn")


def test_an_engine_is_found_where_debian_keeps_games(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("foible.engines.programs.GAMES", str(tmp_path))
    program = tmp_path / "an-engine"
    program.write_text(f"#!/bin/sh\nexec {shlex.join(Fake(tmp_path).command())}\n")
    program.chmod(0o755)
    with EnginePool("an-engine", depth=1) as pool:
        assert len(wait(pool.search(FIRST_MOVES[:1]))) == 1


@pytest.mark.parametrize("limit", [{"depth": 6}, {"nodes": 1500}])
def test_stockfish_gives_a_position_the_same_answer_whatever_came_before(limit: dict[str, Any]) -> None:
    with EnginePool(find_stockfish(), processes=2, **limit) as pool:
        once = wait(pool.search(FIRST_MOVES, 2))
        again = wait(pool.search(FIRST_MOVES[::-1], 2))[::-1]
    assert once == again
    assert len({line.cp for lines in once for line in lines}) > 5


def test_a_script_that_leaves_its_engine_open_ends_and_takes_it_along(tmp_path: Path) -> None:
    fake = Fake(tmp_path)
    script = (
        "from foible._core import ChessPosition\n"
        "from foible.engines.pool import EnginePool\n"
        "from foible.loop import wait\n"
        f"pool = EnginePool({fake.command()!r}, depth=1)\n"
        "wait(pool.search([ChessPosition()]))\n"
    )
    subprocess.run([sys.executable, "-c", script], check=True, timeout=100)
    assert_gone([pid for pid, _ in fake.lines()])


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork processes")
def test_a_forked_process_that_ends_leaves_the_engines_to_its_parent(fake: FakePools) -> None:
    script = (
        "import os, sys\n"
        "from foible._core import ChessPosition\n"
        "from foible.engines.pool import EnginePool\n"
        "from foible.loop import wait\n"
        f"with EnginePool({fake.command()!r}, depth=1) as pool:\n"
        "    wait(pool.search([ChessPosition()]))\n"
        "    child = os.fork()\n"
        "    if not child:\n"
        "        sys.exit()\n"
        "    assert os.waitpid(child, 0)[1] == 0\n"
        "    wait(pool.search([ChessPosition(moves=['e2e4'])]))\n"
    )
    subprocess.run([sys.executable, "-c", script], check=True, timeout=100)
    assert len({pid for pid, _ in fake.lines()}) == 1
