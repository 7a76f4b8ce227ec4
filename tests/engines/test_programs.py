"""No engine outlives whoever started it, however that ended."""

import asyncio
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import chess.engine
import pytest

import foible
from foible.agents.base import Limits, Turn
from foible.agents.uci_engine import UciEngine
from foible.engines.gtp import GtpProcess
from foible.engines.process import _Protocol
from foible.engines.programs import program_path
from foible.errors import EngineError
from foible.loop import wait

LISTENS_TO_NOBODY = """
import os, signal, sys, time
from pathlib import Path
signal.signal(signal.SIGTERM, signal.SIG_IGN)
signal.signal(signal.SIGHUP, signal.SIG_IGN)
for line in sys.stdin:
    word = line.split()[0]
    if word == "uci":
        print("id name deaf\\nuciok", flush=True)
    elif word == "isready":
        print("readyok", flush=True)
    elif word == "go":
        Path(sys.argv[1]).write_text(str(os.getpid()))
        while True:
            {rest}
"""

ASKS = """
import sys
import numpy as np
import foible
from foible.agents.uci_engine import UciEngine
agent = UciEngine(sys.executable, sys.argv[1:], nodes=5)
turn = foible.Turn(foible.ChessPosition(), 0, 0, seed=0)
foible.wait(agent.choose(turn))
"""


def test_a_program_may_lie_in_the_home_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    assert program_path("~/engine.exe") is None
    (tmp_path / "engine.exe").touch(mode=0o700)
    assert program_path("~/engine.exe") == str(tmp_path / "engine.exe")


def wait_for(condition: object, what: str, seconds: float = 60) -> None:
    assert callable(condition)
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, what
        time.sleep(0.02)


def runs(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc to look at processes")
@pytest.mark.parametrize("rest", ["time.sleep(1)", "pass"], ids=["hung", "busy"])
@pytest.mark.parametrize("end", [signal.SIGTERM, signal.SIGKILL])
def test_an_engine_that_listens_to_nobody_ends_with_its_owner(tmp_path: Path, rest: str, end: signal.Signals) -> None:
    script, told = tmp_path / "engine.py", tmp_path / "pid"
    script.write_text(LISTENS_TO_NOBODY.format(rest=rest))
    owner = subprocess.Popen([sys.executable, "-c", ASKS, str(script), str(told)])
    try:
        wait_for(lambda: told.exists() and told.read_text(), "the engine was never asked")
        engine = int(told.read_text())
        assert runs(engine)
        owner.send_signal(end)
        owner.wait(60)
        wait_for(lambda: not runs(engine), "the engine lives on")
    finally:
        owner.kill()
        owner.wait()


def test_an_engine_that_is_never_ready_is_told_of_with_a_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("foible.engines.process.START_SECONDS", 2.0)
    script = tmp_path / "engine.py"
    script.write_text(
        "import sys\nfor line in sys.stdin:\n    if line == 'uci\\n':\n        print('uciok', flush=True)\n"
    )
    with pytest.raises(EngineError, match="no answer to `isready` within 2 s"):
        UciEngine(sys.executable, [str(script)], nodes=5)


def test_a_go_engine_ends_with_its_guard(tmp_path: Path) -> None:
    process = GtpProcess([sys.executable, "-c", "import time; time.sleep(1000)"])
    process._launch()
    assert process._process is not None
    pid = process._process.pid
    process.kill()
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


def test_an_engine_answers_on_whichever_event_loop_it_is_asked() -> None:
    stockfish = Path("/usr/games/stockfish")
    if not stockfish.exists():
        pytest.skip("needs Stockfish in /usr/games")
    turn = Turn(foible.ChessPosition(), 0, 0, seed=0, limits=Limits(nodes=50))
    with UciEngine(stockfish) as agent:
        answers = [wait(agent.choose(turn)), asyncio.run(agent.choose(turn)), asyncio.run(agent.choose(turn))]
    assert all(answer.move in turn.position.legal_moves for answer in answers)


def test_an_answer_that_comes_after_its_question_was_cancelled_is_passed_over() -> None:
    class Ping(chess.engine.BaseCommand[None]):
        def line_received(self, line: str) -> None:
            self.result.set_result(None)

    async def ping_cancelled() -> None:
        protocol = _Protocol()
        command = Ping(protocol)
        protocol.command, command.state = command, chess.engine.CommandState.ACTIVE
        command.result.cancel()
        protocol.pipe_data_received(1, b"readyok\n")

    asyncio.run(ping_cancelled())


def test_what_an_engine_writes_without_an_end_of_line_takes_no_memory() -> None:
    async def sizes() -> list[int]:
        protocol = _Protocol()
        for stream in protocol.buffer:
            for _ in range(9):
                protocol.pipe_data_received(stream, b"x" * (1 << 19))
        return [len(waiting) for waiting in protocol.buffer.values()]

    assert max(wait(sizes())) <= 1 << 20


def test_lines_are_handed_on_one_by_one_without_all_that_waits_behind_them(monkeypatch: pytest.MonkeyPatch) -> None:
    """python-chess copies what waits behind each line: an engine that floods would keep the loop from all others."""
    seen: list[bytes] = []
    monkeypatch.setattr(chess.engine.UciProtocol, "pipe_data_received", lambda self, fd, data: seen.append(data))

    async def listen() -> bytearray:
        protocol = _Protocol()
        for data in (b"\n\nid name A\nuci", b"ok\n\ninfo"):
            protocol.pipe_data_received(1, data)
        return protocol.buffer[1]

    assert bytes(wait(listen())) == b"info"
    assert seen == [b"id name A\n", b"uciok\n"]
