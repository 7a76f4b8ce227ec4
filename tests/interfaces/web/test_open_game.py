"""Files that are written in a thread."""

import asyncio
import threading
from pathlib import Path

import pytest

from foible.interfaces.web import open_game
from foible.interfaces.web.open_game import KeptFile
from foible.runs.files import write_atomically


@pytest.fixture
def gate(monkeypatch: pytest.MonkeyPatch) -> threading.Event:
    """Writing waits for it; and what is written is noted."""
    gate = threading.Event()

    def waiting(path: Path, content: bytes) -> None:
        gate.wait()
        with path.with_suffix(".log").open("ab") as log:
            log.write(content)
        write_atomically(path, content)

    monkeypatch.setattr(open_game, "write_atomically", waiting)
    return gate


def test_the_newest_is_written_last_and_the_loop_goes_on(tmp_path: Path, gate: threading.Event) -> None:
    async def keeping() -> None:
        file = KeptFile(tmp_path / "game")
        await file.written()
        for content in (b"1", b"2", b"3"):
            file.keep(content)
            await asyncio.sleep(0)
        waiting = [asyncio.ensure_future(file.written()) for _ in range(2)]
        await asyncio.sleep(0)
        assert not any(one.done() for one in waiting)
        gate.set()
        await asyncio.gather(*waiting)
        assert (tmp_path / "game").read_bytes() == b"3"
        file.keep(b"4")
        await file.written()

    asyncio.run(keeping())
    assert (tmp_path / "game").read_bytes() == b"4"
    assert (tmp_path / "game.log").read_bytes() == b"134"  # What nobody can see any more is not written.


def test_who_waits_may_go_away(tmp_path: Path, gate: threading.Event) -> None:
    async def keeping() -> None:
        file = KeptFile(tmp_path / "game")
        file.keep(b"1")
        waiting = asyncio.ensure_future(file.written())
        await asyncio.sleep(0)
        waiting.cancel()
        gate.set()
        await file.written()
        assert (tmp_path / "game").read_bytes() == b"1"

    asyncio.run(keeping())


def test_what_cannot_be_written_is_told_until_it_can(tmp_path: Path) -> None:
    async def keeping() -> None:
        file = KeptFile(tmp_path / "folder" / "game")
        file.keep(b"1")
        await file.written()
        assert "No such file" in file.failure
        (tmp_path / "folder").mkdir()
        file.keep(b"2")
        await file.written()
        assert file.failure == ""

    asyncio.run(keeping())
