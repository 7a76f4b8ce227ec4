"""An opponent who walks into a trap, in a PGN and on a lichess of this machine."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.analysis.prep.synthetic import OTHERS, TRAP, write_pgn
from tests.opponents.sites.fake_sites import FakeLichess, lichess_game, milliseconds, running

DAY = 86_400_000


def pgn_of(folder: Path, games: int = 60) -> str:
    return write_pgn(folder / "games.pgn", games).read_text("utf-8")


@contextmanager
def fake_lichess(cache: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeLichess]:
    """30 games as Black, a third of them in the trap; fetched games are kept in `cache`."""
    for variable in ("LICHESS_TOKEN", "FOIBLE_CONTACT", "http_proxy", "all_proxy"):
        monkeypatch.delenv(variable, raising=False)
    site, lines = FakeLichess(), (TRAP, *OTHERS)
    first = milliseconds(2021, 1, 1)
    site.games = [lichess_game(n, first + n * DAY, white=False, moves=lines[n % 3]) for n in range(30)]
    monkeypatch.setenv("FOIBLE_LICHESS_URL", site.url)
    monkeypatch.setenv("XDG_CACHE_HOME", str(cache))
    with running(site):
        yield site
