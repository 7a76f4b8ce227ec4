"""Self-play of Go: komi, branches, and games that depend on nothing but net, seed and number."""

import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass, replace
from pathlib import Path

import msgspec
import numpy as np
import pytest

from foible._core import Batch, GoPosition
from foible.nets.evaluator import Evaluation, Evaluator, Material
from foible.runs.journal import Journal
from foible.selfplay.go.config import Branching, BranchingPhase, GoSelfplayConfig, KomiRule, branch_komi
from foible.selfplay.go.play import GoSelfplay
from foible.selfplay.go.record import GoSelfplayRecord, Id
from foible.selfplay.go.starts import branches, first_games, turn
from foible.selfplay.progress import SelfplayProgress

SIZE = 3
CONFIG = GoSelfplayConfig(
    visits=12,
    random_moves=6,
    concurrency=8,
    komi=KomiRule(official=8.5, official_share=0.2),
    branching=Branching(rate=0.1, most=2),
)


@dataclass(frozen=True)
class SingleValue:
    """The built-in evaluator as a net that knows no margins."""

    name: str = "single value"
    batch_size: int = 64

    def evaluate(self, batch: Batch) -> Evaluation:
        return replace(Material().evaluate(batch), margins=None)


def play(
    path: Path, games: int, config: GoSelfplayConfig = CONFIG, evaluator: Evaluator | None = None, seed: int = 1
) -> dict[Id, GoSelfplayRecord]:
    with Journal(path / "games.jsonl", GoSelfplayRecord) as journal:
        GoSelfplay(config, evaluator or Material(), SIZE, games, seed, journal).play()
        assert len({game.id for game in journal.items}) == len(journal.items) >= games
        return {game.id: game for game in first_games(journal.items, games)}


@pytest.fixture(scope="module")
def games(tmp_path_factory: pytest.TempPathFactory) -> dict[Id, GoSelfplayRecord]:
    return play(tmp_path_factory.mktemp("games"), 120)


def test_games_are_whole_and_by_the_rules(games: dict[Id, GoSelfplayRecord]) -> None:
    assert len(games) == 120
    for game in games.values():
        position = GoPosition(SIZE, game.moves, komi=game.komi)
        assert game.margin == position.margin
        assert position.outcome() is not None or position.ply == 2 * SIZE**2
        for before, ply in zip(game.positions(), game.plies, strict=True):
            assert set(ply.visits) <= set(before.legal_moves)
            assert ply.move in ply.visits
            assert sum(ply.visits.values()) >= CONFIG.visits - 1
            assert 0 <= ply.winrate <= 1
            margins = Material().evaluate(Batch([before])).margins
            assert margins is not None
            assert (ply.alpha, ply.beta) == tuple(margins[0])


def test_the_first_plies_are_drawn_and_the_others_are_best(games: dict[Id, GoSelfplayRecord]) -> None:
    drawn = [ply for game in games.values() for ply in game.plies[: 6 - len(game.inherited)]]
    later = [ply for game in games.values() for ply in game.plies[max(0, 6 - len(game.inherited)) :]]
    assert any(ply.visits[ply.move] < max(ply.visits.values()) for ply in drawn)
    assert all(ply.visits[ply.move] == max(ply.visits.values()) for ply in later)
    assert all(ply.visits[ply.move] > 1 for ply in drawn if max(ply.visits.values()) > 1)


def test_komi_is_what_the_net_thinks_open_or_the_official_one(games: dict[Id, GoSelfplayRecord]) -> None:
    komi = [game.komi for game in games.values() if not game.is_branch]
    assert all(one % 1 == 0.5 for one in komi)
    assert 5 < sum(one == 8.5 for one in komi) < len(komi) / 2
    assert abs(np.median(komi)) < 1.5  # the built-in evaluator thinks the empty board even


def test_branches_start_where_their_parents_were_at_an_even_komi(games: dict[Id, GoSelfplayRecord]) -> None:
    found = [game for game in games.values() if game.is_branch]
    assert len(found) > 10
    assert any(len(game.id) > 2 for game in found)
    for game in found:
        parent = games[game.id[:-1]]
        at = len(game.inherited)
        assert game.inherited == parent.moves[:at]
        assert at > len(parent.inherited)
        ply = parent.plies[at - len(parent.inherited)]
        assert ply.alpha is not None
        assert game.komi == branch_komi(ply.alpha, parent.komi, at % 2 == 0, SIZE**2)
        assert game.id[-1] < 2


def test_every_branch_in_turn_is_played_and_the_depth_is_bounded(
    games: dict[Id, GoSelfplayRecord], tmp_path: Path
) -> None:
    last = max(turn(number, 120) for number in games)
    for game in games.values():
        for start in branches(game, CONFIG.branching, None, 1):
            assert (start.id in games) == (turn(start.id, 120) <= last)
    flat = play(tmp_path, 60, msgspec.structs.replace(CONFIG, branch_depth=1))
    assert {len(number) for number in flat} == {1, 2}


def test_the_branches_are_those_of_the_phase() -> None:
    one, two = Branching(rate=0.1), Branching(form="decided")
    config = GoSelfplayConfig(
        later=(BranchingPhase(generation=9, branching=two), BranchingPhase(generation=5, branching=one))
    )
    assert [config.branching_of(number) for number in (1, 4)] == [config.branching] * 2
    assert [config.branching_of(number) for number in (5, 8, 9, 99)] == [one, one, two, two]


def test_branches_without_end_leave_room_for_new_games(tmp_path: Path) -> None:
    endless = msgspec.structs.replace(CONFIG, branching=Branching(rate=1, most=3))
    found = play(tmp_path, 100, endless)
    assert len(found) == 100
    assert sum(not game.is_branch for game in found.values()) >= 20


def test_a_run_depends_on_net_seed_and_numbers_alone(games: dict[Id, GoSelfplayRecord], tmp_path: Path) -> None:
    for concurrency in (1, 3, 200):
        folder = tmp_path / str(concurrency)
        folder.mkdir()
        assert play(folder, 120, msgspec.structs.replace(CONFIG, concurrency=concurrency)) == games
        assert play(folder, 120) == games  # there is nothing left to play
    assert len(play(folder, 140)) == 140
    other = play(tmp_path, 20, seed=2)
    assert all(games[number] != game for number, game in other.items() if number in games)


def test_a_net_with_one_value_plays_at_the_official_komi_without_branches(tmp_path: Path) -> None:
    found = play(tmp_path, 10, evaluator=SingleValue())
    assert {(game.komi, game.is_branch) for game in found.values()} == {(8.5, False)}
    assert all(ply.alpha is None and ply.beta is None for game in found.values() for ply in game.plies)


def test_a_stopped_run_goes_on(games: dict[Id, GoSelfplayRecord], tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    with Journal(path, GoSelfplayRecord) as journal:
        run = GoSelfplay(CONFIG, Material(), SIZE, 10_000, 1, journal, lambda now: run.stop())
        run.play()
        before = len(journal.items)
        assert before < 10_000
    seen: list[SelfplayProgress] = []
    with Journal(path, GoSelfplayRecord) as journal:
        GoSelfplay(CONFIG, Material(), SIZE, 120, 1, journal, seen.append).play()
        found = {game.id: game for game in first_games(journal.items, 120)}
        assert seen[-1].finished.games == seen[-1].total == len(journal.items)
        assert seen[-1].new == len(journal.items) - before
        assert seen[-1].finished.played == sum(len(game.plies) for game in journal.items)
    assert seen[-1].seconds_left == 0
    assert all(len(now.under_way) == len(now.playing) for now in seen)
    assert found == games


SCRIPT = """
import sys
from pathlib import Path
from tests.selfplay.go.test_play import play
play(Path(sys.argv[1]), 400)
"""


def test_a_killed_run_loses_and_repeats_no_game(tmp_path: Path, games: dict[Id, GoSelfplayRecord]) -> None:
    path = tmp_path / "games.jsonl"
    for size in (1, 40_000):
        process = subprocess.Popen([sys.executable, "-c", SCRIPT, str(tmp_path)], cwd=Path(__file__).parents[3])
        while (not path.exists() or path.stat().st_size < size) and process.poll() is None:
            time.sleep(0.005)
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        before = path.read_bytes()
        kept = before[: before.rfind(b"\n") + 1]
        found = play(tmp_path, 120)
        assert path.read_bytes().startswith(kept)
        assert found == games
