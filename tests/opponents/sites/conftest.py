"""What tests of the sites share: the servers, a clock of their own, and an empty cache."""

import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from foible.opponents.sites import SystemClock
from tests.opponents.sites.fake_sites import FakeChessCom, FakeLichess, milliseconds, running


@dataclass
class FakeClock:
    """Nobody waits; what would have been waited for is noted."""

    time: float = milliseconds(2024, 5, 20) / 1000
    waits: list[float] = field(default_factory=list)

    def wait(self, stopped: threading.Event, seconds: float) -> bool:
        self.waits.append(seconds)
        self.time += seconds
        return stopped.is_set()

    @property
    def clock(self) -> SystemClock:
        return SystemClock(now=lambda: self.time, wait=self.wait)


@pytest.fixture
def time() -> FakeClock:
    return FakeClock()


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the games are kept. No token, no contact, no proxy, and no site that is not a fake."""
    for variable in ("LICHESS_TOKEN", "FOIBLE_CONTACT", "http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(variable, raising=False)
    for variable in ("FOIBLE_LICHESS_URL", "FOIBLE_CHESSCOM_URL"):
        monkeypatch.setenv(variable, "http://127.0.0.1:9")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache" / "foible" / "games"


@pytest.fixture
def lichess(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeLichess]:
    site = FakeLichess()
    monkeypatch.setenv("FOIBLE_LICHESS_URL", site.url)
    with running(site):
        yield site


@pytest.fixture
def chesscom(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeChessCom]:
    site = FakeChessCom()
    monkeypatch.setenv("FOIBLE_CHESSCOM_URL", site.url)
    with running(site):
        yield site
