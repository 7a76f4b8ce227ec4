"""Puzzles that others look for are those that one process finds, whoever finds them and in whatever order."""

import json
import random
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from foible.analysis.puzzles import mining, mining_parts
from foible.analysis.puzzles.mining import LOOKED, MiningJournal, UnsettledPart, mine, settings
from foible.analysis.puzzles.mining_parts import Mining, MiningParts, look_part
from foible.analysis.workers import Workers
from foible.errors import ConfigError, GameFileError, NetFileError
from foible.nets.catalogue import find_net
from foible.nets.shelf import NetShelf, Runtimes
from foible.runs.folder import CONFIG, read_recorded
from foible.runs.journal import JsonLines, RecordFile, read_journal
from foible.scale import Executor, Processes
from foible.scale.parts import parts_of
from tests.analysis.puzzles.known import QUICK, every_game, write_games
from tests.interfaces.cli.command import PROGRAM
from tests.interrupted import worker_and_run_killed
from tests.scale.workers import assert_gone

MINING = Mining(criterion=QUICK, net="material")


@pytest.fixture(autouse=True, scope="module")
def _no_nets_and_small_parts(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("FOIBLE_NETS", raising=False)
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
        for module in (mining, mining_parts):
            patch.setattr(module, "PART", 5)
        yield


@pytest.fixture(scope="module")
def games(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Many of whose positions occur again in later parts."""
    again = "".join(every_game(solved=True)).replace("Doe", "Poe")
    path = tmp_path_factory.mktemp("games") / "games.pgn"
    return write_games(path, *every_game(), *every_game(solved=True), again)


@pytest.fixture(scope="module")
def whole(games: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[Any]]:
    """What one process finds, and its folder."""
    folder = tmp_path_factory.mktemp("whole")
    return folder, found(folder, games)


def found(folder: Path, games: Path, workers: Workers | None = None) -> list[Any]:
    """What is in the journal in the end, but for times."""
    shelf = NetShelf()
    with MINING.tools(shelf) as tools, MiningJournal(folder, settings(tools, shelf.resolved())) as journal:
        if workers is None:
            mine([games], tools, journal)
        else:
            MiningParts([games], MINING, tools, shelf, journal, workers).mine()
        return [(one.games, one.positions, one.dropped, one.puzzles) for one in journal.parts]


def half_looked_at(folder: Path, games: Path) -> tuple[Path, list[Any]]:
    """A folder with a part of others, of the third and the fifth part of the work; and the arguments of that."""
    shelf = NetShelf()
    with MINING.tools(shelf) as tools, MiningJournal(folder, settings(tools, shelf.resolved())) as journal:
        parts = MiningParts([games], MINING, tools, shelf, journal, Workers(Processes(1)))
        plain = msgspec.to_builtins(mining_parts._Ordered(MINING, [str(games)], NetShelf().runtimes))
        asked = [plain, parts._expected, [parts._groups[number] for number in (2, 4)], []]
    part = folder / "parts" / "000003-000005"
    look_part(str(part), *asked)
    return part, asked


def test_others_find_the_same(processes: Executor, games: Path, whole: tuple[Path, list[Any]], tmp_path: Path) -> None:
    folder, here = whole
    assert found(tmp_path, games, Workers(processes)) == here
    assert len(here) > 6
    assert sum(dropped.get("known", 0) for _, _, dropped, _ in here) > 0
    assert {path.name for path in tmp_path.iterdir()} == {path.name for path in folder.iterdir()}


def test_what_others_left_is_gone_on_with_wherever_it_is(
    processes: Executor, games: Path, whole: tuple[Path, list[Any]], tmp_path: Path
) -> None:
    for number, workers in enumerate((None, Workers(processes))):
        folder = tmp_path / str(number)
        part, _ = half_looked_at(folder, games)
        seconds = [looked.seconds for looked in read_journal(part / LOOKED, UnsettledPart)]
        assert found(folder, games, workers) == whole[1]
        assert not part.parent.exists()
        assert not (folder / LOOKED).exists()
        with MiningJournal(folder, read_recorded(folder / CONFIG)) as journal:
            assert [journal.parts[number].seconds for number in (2, 4)] == seconds  # not looked at again


def test_what_waits_for_its_turn_survives_a_stop(games: Path, whole: tuple[Path, list[Any]], tmp_path: Path) -> None:
    folder = tmp_path / "stopped"
    part, _ = half_looked_at(folder, games)
    shelf = NetShelf()
    with MINING.tools(shelf) as tools, MiningJournal(folder, settings(tools, shelf.resolved())) as journal:
        MiningParts([games], MINING, tools, shelf, journal, Workers(Processes(1))).merge(part)
        assert len(read_journal(folder / LOOKED, UnsettledPart)) == 2
        assert journal.parts == []
        assert journal.looked_at > journal.positions
    assert found(folder, games) == whole[1]
    assert not (folder / LOOKED).exists()


def test_a_part_that_comes_twice_has_to_agree(games: Path, tmp_path: Path) -> None:
    folder = tmp_path / "out"
    part, _ = half_looked_at(folder, games)
    shutil.copytree(part, tmp_path / "copy")
    shelf = NetShelf()
    with MINING.tools(shelf) as tools, MiningJournal(folder, settings(tools, shelf.resolved())) as journal:
        parts = MiningParts([games], MINING, tools, shelf, journal, Workers(Processes(1)))
        parts.merge(part)
        shutil.copytree(tmp_path / "copy", part)
        parts.merge(part)
        shutil.copytree(tmp_path / "copy", part)
        with RecordFile(part / LOOKED, JsonLines(UnsettledPart)) as file:
            file.begin()
            file.rewrite([msgspec.structs.replace(one, dropped={"quiet": 77}) for one in file.items])
        with pytest.raises(GameFileError, match=rf"^{folder}/{LOOKED} and {part}/{LOOKED}: not the same puzzles"):
            parts.merge(part)
        assert part.exists()


def test_a_worker_that_would_find_others_refuses(games: Path, tmp_path: Path) -> None:
    part, (plain, expected, groups, _) = half_looked_at(tmp_path / "out", games)
    with pytest.raises(ConfigError, match="all machines share"):
        look_part(str(tmp_path / "none" / "parts" / part.name), plain, expected, groups, [])
    other = {**expected, "criterion": {**expected["criterion"], "nodes": 7}}
    with pytest.raises(ConfigError, match=r"made with criterion\.nodes"):
        look_part(str(part), plain, other, groups, [])
    with pytest.raises(ConfigError, match="other games here"):
        look_part(str(part), plain, expected, [["0" * 16]], [])


def start(folder: Path, games: Path, on: str) -> "subprocess.Popen[str]":
    words = ["puzzles", games, "--net", "material", "--stockfish", "off", "--json", "--out", folder, "--on", on]
    words += ["--runtime", "onnxruntime", "--precision", "f32"]  # else each run measures which is fastest
    return subprocess.Popen([*PROGRAM, *map(str, words)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def test_in_another_folder_a_worker_takes_the_files_that_are_there(
    games: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("here", "there"):
        (tmp_path / name).mkdir()
    shutil.copy(find_net("club"), tmp_path / "here" / "net.pb.gz")
    mining = Mining(criterion=QUICK, net="net.pb.gz")
    plain = msgspec.to_builtins(mining_parts._Ordered(mining, [str(games)], Runtimes(threads=1)))
    (tmp_path / CONFIG).touch()
    asked: tuple[Any, ...] = str(tmp_path / "parts" / "1"), plain, {}, [], []
    monkeypatch.chdir(tmp_path / "here")
    with pytest.raises(ConfigError, match=f"{tmp_path}: made with"):  # it comes after the net is opened
        look_part(*asked)
    monkeypatch.chdir(tmp_path / "there")
    with pytest.raises(NetFileError, match=r"net\.pb\.gz: no such file"):
        look_part(*asked)


def test_killed_at_any_instant_it_goes_on_with_the_same_files(tmp_path: Path) -> None:
    lines = "".join(
        f'[White "Doe {number}"]\n\n1. e4 e5 2. Qh5 Nc6 3. Bc4 {reply} 4. Qxf7# 1-0\n\n'
        for number in range(500)
        for reply in ("Nf6", "d6", "b6")
    )
    games = write_games(tmp_path / "many.pgn", *every_game(), lines, *every_game(solved=True))
    stopped = worker_and_run_killed(
        lambda folder: start(folder, games, "processes:2"), parts_of, tmp_path, random.Random(4)
    )
    assert stopped.code == 130, stopped.err
    assert "the same command continues" in stopped.err
    assert json.loads(stopped.out)["complete"] is False
    folder = stopped.folder
    for out_folder, on in ((folder, "processes:2"), (tmp_path / "whole", "inline")):
        _, err = (process := start(out_folder, games, on)).communicate(timeout=200)
        assert process.returncode == 0, err
    assert_gone(stopped.seen)
    names = {path.name for path in (tmp_path / "whole").iterdir()}
    assert {path.name for path in folder.iterdir()} == names
    for name in names - {"journal.jsonl"}:
        assert (folder / name).read_bytes() == (tmp_path / "whole" / name).read_bytes(), name
