"""What a run tells of itself while its games are in progress, and that nothing else is other for it."""

import os
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import pytest

from foible._core import ChessPosition, GoPosition
from foible.arena.config import convert_config
from foible.arena.go.play import CellProgress, play_matches
from foible.arena.live import LIVE, MOST_GAMES, STALE, Live, LiveChess, LiveFile, LiveGo, Playing, is_live, read_live
from foible.arena.play import play
from foible.arena.progress import GameLengths, MatchProgress
from foible.arena.record import GameRecord
from foible.arena.store import read_games
from foible.nets.evaluator import Material
from foible.search.batcher import Usage
from foible.search.speed import Speed
from tests.analysis.runs import run_folders
from tests.analysis.runs.run_folders import InProgress, Progress, written
from tests.arena.go.test_play import config as go_config
from tests.selfplay.runs import played


def net(evaluations: int, busy: float) -> dict[str, Usage]:
    """A net that evaluated so much in calls of ten."""
    usage = Usage(busy=busy)
    usage.sizes[10] = evaluations // 10
    return {"net": usage}


def tell(live: LiveFile, now: Progress) -> None:
    live.tell(now)
    written(live)


class Immediate:
    """Does at once what it is given."""

    def __init__(self, *_: object, **__: object) -> None:
        pass

    def submit(self, work: Callable[..., None], *arguments: object) -> Future[None]:
        work(*arguments)
        done = Future[None]()
        done.set_result(None)
        return done

    def shutdown(self) -> None:
        pass


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever is told is written."""
    monkeypatch.setattr("foible.arena.live.BETWEEN", 0.0)
    monkeypatch.setattr("foible.arena.match.BETWEEN_NEWS", 0.0)
    monkeypatch.setattr("foible.arena.live.ThreadPoolExecutor", Immediate)


def boards(live: Live) -> list[ChessPosition]:
    games = [game for game in live.games if isinstance(game, LiveChess)]
    return [ChessPosition(game.start, game.moves) for game in games]


@pytest.mark.usefixtures("at_once")
def test_a_match_tells_its_games_in_progress_and_the_work_of_its_nets(tmp_path: Path) -> None:
    seen: list[Live] = []

    def look(now: MatchProgress[GameRecord]) -> None:
        live = read_live(tmp_path / "run")
        assert live is not None
        assert is_live(tmp_path / "run")
        assert (live.done, live.total, live.in_progress) == (len(now.finished), 6, len(now.playing))
        assert [board.moves for board in boards(live)] == [one.game.position.moves for one in now.playing]
        seen.append(live)

    play(convert_config({**run_folders.MATCH, "concurrency": 2}, "match"), tmp_path / "run", look)
    assert {live.in_progress for live in seen} <= {0, 1, 2}
    games = [game for live in seen for game in live.games]
    sides = {str(one.number + 1): (one.white, one.black) for one in read_games(tmp_path / "run")}
    assert games
    assert all(isinstance(game, LiveChess) and (game.white, game.black) == sides[game.game] for game in games)
    nets = [one for live in seen for one in live.nets]
    assert {one.name for one in nets} == {Material().name}
    assert all(0 <= one.busy <= 1 and one.mean_batch >= 1 for one in nets)
    assert seen[-1].rate is not None
    assert seen[-1].process == os.getpid()
    assert not (tmp_path / "run" / LIVE).exists()


def test_no_other_file_of_a_run_is_touched_by_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = convert_config(run_folders.MATCH, "match")
    for name, between in (("told", 0.0), ("silent", float("inf"))):
        monkeypatch.setattr("foible.arena.live.BETWEEN", between)
        monkeypatch.setattr(LiveFile, "_next", between, raising=False)
        play(asked, tmp_path / name)
    files = {name: sorted(path.name for path in (tmp_path / name).iterdir()) for name in ("told", "silent")}
    assert files["told"] == files["silent"]
    same = [name for name in files["told"] if name != "report.json"]  # which tells the speed
    for name in same:
        assert (tmp_path / "told" / name).read_bytes() == (tmp_path / "silent" / name).read_bytes()


@pytest.mark.usefixtures("at_once")
def test_matches_of_go_tell_their_boards(tmp_path: Path) -> None:
    seen: list[LiveGo] = []

    def look(now: CellProgress) -> None:
        live = read_live(tmp_path / "run")
        assert live is not None
        assert (live.done, live.total) == (now.finished, now.total)
        for game, playing in zip(live.games, now.match.playing, strict=True):
            assert isinstance(game, LiveGo)
            assert "\n".join(game.rows) == playing.game.position.board  # type: ignore[union-attr]
            seen.append(game)

    play_matches(go_config(), tmp_path / "run", look)
    assert seen
    assert {game.opening for game in seen} == {2}
    assert {game.black for game in seen} <= {"strong", "greedy", "weak"}
    assert all(game.komi == 2.5 and game.plies >= 2 for game in seen)
    assert not (tmp_path / "run" / LIVE).exists()


@pytest.mark.usefixtures("at_once")
def test_self_play_tells_its_boards(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("foible.selfplay.run.BETWEEN_REPORTS", 0.0)
    seen: list[Live] = []

    def look(self: LiveFile, now: Any, **standing: Any) -> None:
        told(self, now, **standing)
        live = read_live(tmp_path / "run")
        assert live is not None
        seen.append(live)

    told: Callable[..., None] = LiveFile.tell
    monkeypatch.setattr(LiveFile, "tell", look)
    played(tmp_path / "run")
    assert any(boards(live) for live in seen)
    assert not (tmp_path / "run" / LIVE).exists()


@pytest.mark.usefixtures("at_once")
def test_the_work_of_nets_is_that_of_the_last_seconds(tmp_path: Path) -> None:
    def told(seconds: float, evaluations: int, busy: float) -> Any:
        tell(live, Progress(new=1, speed=Speed(seconds, 10, net(evaluations, busy))))
        found = read_live(tmp_path)
        assert found is not None
        return [(one.evaluations_per_second, one.mean_batch, one.busy) for one in found.nets]

    with LiveFile(tmp_path) as live:
        assert told(10, 1000, 5) == [(100, 10, 0.5)]
        assert told(15, 3500, 10) == [(500, 10, 1.0)]
        assert told(21, 3500, 10) == [(pytest.approx(2500 / 11), 10, pytest.approx(5 / 11))]
        assert told(26, 3500, 10) == []
        assert told(2, 100, 1) == [(50, 10, 0.5)]  # the next match of the run has begun


@pytest.mark.usefixtures("at_once")
def test_no_more_boards_are_written_than_are_looked_at(tmp_path: Path) -> None:
    begun = [Playing(str(n), InProgress(ChessPosition(moves=["e2e4"])), "A", "B", 0) for n in range(MOST_GAMES + 5)]
    with LiveFile(tmp_path) as live:
        tell(live, Progress(begun))
        found = read_live(tmp_path)
    assert found is not None
    assert (found.in_progress, len(found.games)) == (MOST_GAMES + 5, MOST_GAMES)
    assert (found.rate, found.plies_per_second, found.seconds_left) == (None, 0.0, 60.0)


def test_it_is_written_about_once_a_second(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = 100.0
    monkeypatch.setattr("foible.arena.live.time.monotonic", lambda: clock)
    with LiveFile(tmp_path) as live:
        tell(live, Progress(new=1))
        first = (tmp_path / LIVE).stat().st_ino
        clock = 100.9
        tell(live, Progress(new=2))
        assert (tmp_path / LIVE).stat().st_ino == first
        clock = 101.0
        tell(live, Progress([Playing("1", InProgress(GoPosition(3, ["B2"])), "A", "B", 0)]))
        found = read_live(tmp_path)
    assert found is not None
    assert isinstance(found.games[0], LiveGo)
    assert (found.games[0].rows, found.games[0].last_move) == (["...", ".X.", "..."], "B2")


def test_a_disk_that_is_slow_keeps_nobody_waiting(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    free = threading.Event()
    replace_file = Path.replace

    def slow(self: Path, target: Path) -> Path:
        assert free.wait(200)
        return replace_file(self, target)

    monkeypatch.setattr(Path, "replace", slow)
    monkeypatch.setattr("foible.arena.live.BETWEEN", 0.0)
    with LiveFile(tmp_path) as live:
        for new in range(3):
            live.tell(Progress(done=new, new=new))
        assert read_live(tmp_path) is None
        free.set()
        written(live)
        first = read_live(tmp_path)
    assert first is not None
    assert first.done == 0, "what comes while a write is under way is left out"


def test_what_a_kill_leaves_and_what_is_damaged_is_not_told(tmp_path: Path) -> None:
    live = LiveFile(tmp_path)
    tell(live, Progress())
    path = tmp_path / LIVE
    whole = path.read_bytes()
    found = read_live(tmp_path)
    assert found is not None
    path.write_bytes(whole[:-1])
    assert read_live(tmp_path) is None
    path.write_bytes(b"\xff")
    assert read_live(tmp_path) is None
    old = time.time() - STALE - 1
    path.write_bytes(msgspec.json.encode(msgspec.structs.replace(found, written=old)))
    assert read_live(tmp_path) is None
    os.utime(path, (old, old))
    assert not is_live(tmp_path)
    live.close()
    live.close()
    assert not is_live(tmp_path)


def test_a_folder_that_takes_nothing_stops_no_match(tmp_path: Path) -> None:
    with LiveFile(tmp_path / "gone") as live:
        tell(live, Progress(new=1))
    assert not (tmp_path / "gone").exists()


def test_the_time_left_is_that_of_the_plies_that_are_missing() -> None:
    lengths, speed = GameLengths({40: 10**6}), Speed(10.0, 100, {})
    now: MatchProgress[Any] = MatchProgress([], 6, new=2, playing=[], under_way=[15, 5], lengths=lengths, speed=speed)
    assert now.seconds_for(4) == pytest.approx((4 * 40 - 20) / 10, rel=1e-3)
    assert now.seconds_left == pytest.approx((6 * 40 - 20) / 10, rel=1e-3)
    assert replace(now, lengths=GameLengths()).seconds_for(4) is None
