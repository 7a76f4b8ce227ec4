"""A sweep whose cells workers play at the same time ends with the bytes of one that one process plays."""

import json
import os
import random
import subprocess
import time
from collections.abc import Generator, Iterator, Mapping, Sequence
from pathlib import Path

import msgspec
import pytest

from foible.arena.live import LIVE, Live, LiveFile, is_live, read_live
from foible.arena.store import ChessStore, read_games
from foible.arena.sweep.config import Cell, parse_sweep, place_of
from foible.arena.sweep.progress import SweepProgress
from foible.arena.sweep.run import sweep
from foible.errors import ConfigError
from foible.scale import Executor, Unit
from foible.scale.parts import PARTS, parts_of
from foible.scale.units import do
from tests.arena.test_parts import IDLE, assert_same
from tests.interfaces.cli.command import PROGRAM
from tests.interrupted import finished_games, interrupt, killed

KILLS = int(os.environ.get("FOIBLE_KILLS", "1"))
"""Random instants at which whole sweeps are killed."""

TEXT = """
[match]
framework = "odds"
odds = "queen"
games = 16
max_plies = 24
seed = 2
[grid]
nodes = [2, 6]
contempt_visits = ["off", 1]
players = [{ kind = "net_search", net = "material" }]
opponents = [{ kind = "net_policy", net = "material", temperature = 1.0 }]
"""
CELLS = parse_sweep(TEXT, "s.toml")

TESTED = """
[match]
framework = "standard"
games = 80
max_plies = 30
resignation = { value = 0.4, moves = 2 }
sprt = { elo0 = 0, elo1 = 100 }
[grid]
players = [{ kind = "net_policy", net = "material", temperature = 0.3 }]
opponents = [{ kind = "random" }, { kind = "net_policy", net = "material", temperature = 1.0, name = "hot" }]
"""


FIGURES = ("sweep.svg", "sweep.png")
"""They take longer than the games, and tell only what the tables tell."""


@pytest.fixture(scope="module", autouse=True)
def _undrawn() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("foible.arena.sweep.run.draw", lambda results, folder: None)
        yield


class Here:
    """An executor that plays unit after unit in this process, and tells of them."""

    def __init__(self, workers: int) -> None:
        self.workers = workers
        self.runs = 0
        self.played: list[Unit] = []
        self.idle: list[Unit] = []
        """Those of which nothing was played."""

    def run(self, units: Sequence[Unit]) -> Generator[list[Unit], None, None]:
        self.runs += 1
        for unit in units:
            assert do(unit.order) is None
            (self.played if unit.folder.exists() else self.idle).append(unit)
            yield [unit]


def games_of(unit: Unit) -> list[int]:
    return list(unit.arguments[1])


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Played here."""
    folder = tmp_path_factory.mktemp("alone") / "run"
    sweep(CELLS, folder)
    return folder


def assert_same_sweep(folder: Path, expected: Path, cells: Sequence[Cell] = CELLS) -> None:
    found, wanted = ({path.name for path in run.iterdir()} - set(FIGURES) for run in (folder, expected))
    assert found == wanted
    for name in filter(lambda name: (expected / name).is_file(), wanted):
        assert (folder / name).read_bytes() == (expected / name).read_bytes(), name
    for cell in cells:
        assert_same(place_of(cell, folder), place_of(cell, expected))


def test_processes_play_the_same_bytes_and_tell_how_it_goes(processes: Executor, alone: Path, tmp_path: Path) -> None:
    folder, seen = tmp_path / "run", list[tuple[SweepProgress, Live | None]]()
    results = sweep(CELLS, folder, lambda now: seen.append((now, read_live(folder))), executor=processes)
    assert [result.games for result in results] == [16] * 4
    assert_same_sweep(folder, alone)
    last = seen[-1][0]
    assert (last.finished, last.total, last.left) == (64, 64, 0)
    assert last.rate > 0
    counts = [now.finished for now, _ in seen]
    assert counts == sorted(counts)
    assert all(now.workers <= 2 for now, _ in seen)
    told = [live for _, live in seen if live]
    assert {worker.part.split("/")[0] for live in told for worker in live.workers} <= {cell.folder for cell in CELLS}
    assert os.getpid() not in {worker.process for live in told for worker in live.workers}
    assert {live.total for live in told} == {64}
    assert not is_live(folder)
    again = Here(2)
    sweep(CELLS, folder, executor=again)
    assert not again.played
    assert_same_sweep(folder, alone)


def test_units_of_all_cells_are_ordered_at_once_round_by_round(alone: Path, tmp_path: Path) -> None:
    here, folder = Here(3), tmp_path / "run"
    sweep(CELLS, folder, executor=here)
    assert_same_sweep(folder, alone)
    assert here.runs == 1
    cells = [place_of(cell, folder) for cell in CELLS]
    order = [cells.index(unit.folder.parent.parent) for unit in here.played]
    rounds = [min(2, max(games_of(unit)) // 4) for unit in here.played]
    places = list(zip(rounds, order, strict=True))
    assert places == sorted(places)
    assert set(places) == {(turn, cell) for turn in range(3) for cell in range(4)}
    assert {unit.name for unit in here.played} >= {
        f"{CELLS[0].folder}, games 1 to 4",
        f"{CELLS[3].folder}, games 1 to 4",
    }
    for cell in cells:
        games = [game for unit in here.played if unit.folder.parent.parent == cell for game in games_of(unit)]
        assert games == list(range(16))


def test_units_of_costly_cells_have_fewer_games(tmp_path: Path) -> None:
    here = Here(1)
    cells = parse_sweep(TEXT.replace("[2, 6]", "[1, 20]").replace('["off", 1]', '["off"]'), "s.toml")
    sweep(cells, tmp_path, executor=here)
    sizes = [
        {len(games_of(unit)) for unit in here.played if unit.folder.parent.parent == place_of(cell, tmp_path)}
        for cell in cells
    ]
    assert sizes == [{4, 8}, {4, 6, 2}]


def test_tables_are_written_as_cells_advance(tmp_path: Path) -> None:
    told: list[tuple[int, list[int]]] = []

    def look(now: SweepProgress) -> None:
        if (tmp_path / "sweep.json").exists():
            rows = json.loads((tmp_path / "sweep.json").read_text())["cells"]
            told.append((now.finished, [row["games"] for row in rows]))

    sweep(CELLS, tmp_path, look, executor=Here(1))
    assert told[0] == (4, [4, 0, 0, 0])
    assert (16, [4, 4, 4, 4]) in told
    assert (24, [8, 8, 4, 4]) in told
    assert told[-1] == (64, [16] * 4)


class StoppedError(Exception):
    pass


@pytest.mark.parametrize("after", [3, 22])
def test_a_stopped_sweep_has_similar_numbers_everywhere_and_goes_on(after: int, alone: Path, tmp_path: Path) -> None:
    def stop(now: SweepProgress) -> None:
        if now.finished >= after:
            raise StoppedError

    with pytest.raises(StoppedError):
        sweep(CELLS, tmp_path, stop, executor=Here(2))
    reached = [len(read_games(place_of(cell, tmp_path))) for cell in CELLS]
    assert sum(reached) >= after
    assert max(reached) <= max(4, 2 * min(reached))
    sweep(CELLS, tmp_path)
    assert_same_sweep(tmp_path, alone)


def test_a_sweep_goes_on_elsewhere_than_it_began(processes: Executor, alone: Path, tmp_path: Path) -> None:
    few = parse_sweep(TEXT, "s.toml", games=6)
    for first, then in ((None, processes), (processes, None)):
        folder = tmp_path / ("here-first" if first is None else "there-first")
        sweep(few, folder, executor=first)
        sweep(CELLS, folder, executor=then)
        assert_same_sweep(folder, alone)


@pytest.mark.parametrize("elsewhere", [True, False])
def test_parts_that_a_killed_sweep_left_are_merged_first(elsewhere: bool, alone: Path, tmp_path: Path) -> None:
    class Leaves(Here):
        def run(self, units: Sequence[Unit]) -> Generator[list[Unit], None, None]:
            for unit in units[:6]:
                do(unit.order)
            yield []
            raise StoppedError

    with pytest.raises(StoppedError):
        sweep(CELLS, tmp_path, executor=Leaves(2))
    left = [part for cell in CELLS for part in parts_of(place_of(cell, tmp_path))]
    assert len(left) == 6
    (tmp_path / LIVE).touch()
    counts: list[int] = []
    here = Here(2)
    sweep(CELLS, tmp_path, lambda now: counts.append(now.finished), executor=here if elsewhere else None)
    assert counts[0] >= 22
    assert not {unit.folder for unit in here.played} & set(left)
    assert_same_sweep(tmp_path, alone)


def test_a_cell_that_its_test_has_decided_plays_no_more_units(processes: Executor, tmp_path: Path) -> None:
    cells, here = parse_sweep(TESTED, "s.toml"), Here(4)
    results = sweep(cells, tmp_path / "alone")
    assert results[0].over
    assert results[0].games < results[1].games < 80
    assert sweep(cells, tmp_path / "here", executor=here) == results
    decided = place_of(cells[0], tmp_path / "here")
    assert any(unit.folder.parent.parent == decided for unit in here.idle)
    assert sweep(cells, tmp_path / "there", executor=processes) == results
    for folder in ("here", "there"):
        assert_same_sweep(tmp_path / folder, tmp_path / "alone", cells)


class NextBegun(Here):
    """As `Here`, with a worker that has begun the following unit meanwhile."""

    def run(self, units: Sequence[Unit]) -> Generator[list[Unit], None, None]:
        for unit, following in zip(units, [*units[1:], None], strict=True):
            assert do(unit.order) is None
            if following is not None:
                following.folder.mkdir(parents=True, exist_ok=True)
                (following.folder / LIVE).write_bytes(msgspec.json.encode(BEGUN))
            yield [unit]


BEGUN = msgspec.structs.replace(IDLE, written=time.time(), total=2, in_progress=2)


def test_workers_of_a_cell_that_its_test_has_decided_are_told_no_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[set[str]] = []

    def note(_file: LiveFile, parts: Mapping[str, Live], **_: object) -> None:
        told.append({part.split("/")[0] for part in parts if "/" in part})

    monkeypatch.setattr(LiveFile, "tell_parts", note)
    cells = parse_sweep(TESTED, "s.toml")
    results = sweep(cells, tmp_path, executor=NextBegun(4))
    assert results[0].games < results[1].games
    decided, other = (cell.folder for cell in cells)
    assert {decided} in told
    assert {other} in told[max(at for at, cells_told in enumerate(told) if decided in cells_told) :]


def test_timed_moves_are_refused_before_anything_is_written(tmp_path: Path) -> None:
    text = TEXT.replace("nodes = [2, 6]", "").replace('["off", 1]', "[1]").replace("seed = 2", 'clock = "10+1"')
    cells = parse_sweep(text, "s.toml")
    with pytest.raises(ConfigError, match=r"^clock: moves are timed"):
        sweep(cells, tmp_path / "run", executor=Here(2))
    assert not (tmp_path / "run").exists()


def test_another_match_is_refused_before_a_game_is_played(tmp_path: Path) -> None:
    sweep(CELLS[-1:], tmp_path, executor=Here(2))
    other, here = parse_sweep(TEXT.replace("seed = 2", "seed = 3"), "s.toml"), Here(2)
    with pytest.raises(ConfigError, match="seed = 2 \\(now 3\\)"):
        sweep(other, tmp_path, executor=here)
    assert not here.runs


def start(folder: Path, games: int = 16) -> "subprocess.Popen[str]":
    config = folder.with_suffix(".toml")
    config.write_text(TEXT)
    words = ["sweep", str(config), "--json", "--games", str(games), "--out", str(folder), "--on", "processes:2"]
    return subprocess.Popen([*PROGRAM, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def workers(folder: Path) -> list[int]:
    parts = folder.glob(f"cells/*/{PARTS}/*-*")
    return [live.process for part in parts if (live := read_live(part))]


def finished(folder: Path) -> int:
    places = (place for cell in folder.glob("cells/*") for place in (*parts_of(cell), cell))
    return sum(finished_games(place / ChessStore.GAMES) for place in places)


def test_a_sweep_killed_at_any_instant_goes_on(alone: Path, tmp_path: Path) -> None:
    dice = random.Random(8)
    for kill in range(KILLS):
        folder = killed(start, finished, tmp_path / f"kill-{kill}", dice, kills=1, late=0.3)
        process = start(folder)
        _, err = process.communicate(timeout=200)
        assert process.returncode == 0, err
        assert_same_sweep(folder, alone)


def test_ctrl_c_keeps_what_is_finished_and_ends_the_workers(tmp_path: Path) -> None:
    games = 40
    stopped = interrupt(lambda folder: start(folder, games), workers, tmp_path)
    assert stopped.code == 130
    assert "the same command continues" in stopped.err
    assert "Traceback" not in stopped.err
    assert len(json.loads(stopped.out)["cells"]) == 4
    assert not any(Path(f"/proc/{one}").exists() for one in stopped.seen)
    assert not list(stopped.folder.glob(f"cells/*/{PARTS}"))
    for folder in (stopped.folder, tmp_path / "alone"):
        sweep(parse_sweep(TEXT, "s.toml", games), folder)
    assert_same_sweep(stopped.folder, tmp_path / "alone")
