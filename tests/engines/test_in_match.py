"""Engines that are killed, hang or speak nonsense in mid-match: every game ends with a reason, and the run goes on."""

import os
import signal
from collections import Counter
from pathlib import Path

import pytest

from foible.agents.policy import RandomMover
from foible.agents.uci_engine import UciEngine
from foible.arena.chess import ChessRules
from foible.arena.progress import MatchProgress
from foible.arena.record import GameRecord
from foible.arena.report import report_on
from foible.arena.store import ChessStore
from tests.arena.scripted import match
from tests.engines.fake import Fake, find_stockfish

PAIRS, PLIES = 3, 12


def play(folder: Path, command: list[str], *, games: int | None = None, hang_after: float = 200) -> list[GameRecord]:
    """The match of an engine against a random mover, or what is left of it; stopped after so many new games."""

    def stop(progress: MatchProgress[GameRecord]) -> None:
        if games is not None and progress.new >= games:
            running.stop()

    program, *arguments = command
    rules = ChessRules(PAIRS, seed=3, max_plies=PLIES)
    with (
        UciEngine(program, arguments, nodes=1, hang_after=hang_after) as engine,
        ChessStore(folder, {"seed": 3}) as store,
    ):
        running = match(engine, RandomMover(), rules, store=store, on_progress=stop, concurrency=2)
        return running.play()


def stored(folder: Path) -> list[GameRecord]:
    with ChessStore(folder, {"seed": 3}) as store:
        return sorted(store.records, key=lambda record: record.number)


BEHAVIOURS = ["crash", "killed", "hang", "illegal", "nonsense", "none"]


@pytest.mark.parametrize("behaviour", BEHAVIOURS)
def test_one_failure_costs_no_game(tmp_path: Path, behaviour: str) -> None:
    for folder in ("good", "bad"):
        (tmp_path / folder).mkdir()
    expected = play(tmp_path / "good" / "run", Fake(tmp_path / "good").command())
    fake = Fake(tmp_path / "bad")
    hang_after = 5 if behaviour == "hang" else 200
    found = play(tmp_path / "bad" / "run", fake.command(behaviour, once=True, after=10), hang_after=hang_after)
    assert [(game.moves_uci, game.termination) for game in found] == [
        (game.moves_uci, game.termination) for game in expected
    ]
    assert {game.termination for game in found} == {"max_plies"}
    assert sum("restart" in move.info for game in found for move in game.moves) == 1
    (failed,) = report_on(found).failures
    assert (failed.team, sum(failed.restarts.values()), failed.forfeits) == ("Fake 1.0", 1, {})
    assert len(fake.told("started")) == 2
    assert stored(tmp_path / "bad" / "run") == found


@pytest.mark.parametrize(
    ("behaviour", "reason"),
    [
        ("crash", "engine process died unexpectedly (exit code: 3)"),
        ("killed", "engine process died unexpectedly (exit code: -9)"),
        ("hang", "no move within 2 s"),
        ("nonsense", "not a move: 'hello'"),
        ("illegal", "illegal move 'e2e5'"),
        ("null", "null move"),
    ],
)
def test_an_engine_that_keeps_failing_forfeits_and_the_run_goes_on(tmp_path: Path, behaviour: str, reason: str) -> None:
    """Every process answers three times: some games reach their end, the others are lost with the reason."""
    folder, command = tmp_path / "run", Fake(tmp_path).command(behaviour, after=3)
    hang_after = 2 if behaviour == "hang" else 200
    first = play(folder, command, games=2, hang_after=hang_after)
    assert 2 <= len(first) < 2 * PAIRS
    assert stored(folder) == first
    found = play(folder, command, hang_after=hang_after)
    assert [game.number for game in found] == list(range(2 * PAIRS))
    assert found[: len(first)] == first
    assert stored(folder) == found
    ends = Counter(game.termination.partition(":")[0] for game in found)
    assert ends == {"forfeit": PAIRS, "max_plies": PAIRS}
    for game in found:
        if game.termination.startswith("forfeit"):
            assert reason in game.termination
            assert game.focal_score == 0
    (failed,) = report_on(found).failures
    assert sum(failed.forfeits.values()) == PAIRS
    assert failed.forfeits == {reason: PAIRS}
    assert f"{PAIRS} games forfeited" in str(failed)


@pytest.mark.parametrize("behaviour", ["garbage", "nan score", "illegal pv", "empty wdl", "no score", "twice"])
def test_nonsense_beside_a_good_move_loses_nothing(
    tmp_path: Path, behaviour: str, capfd: pytest.CaptureFixture[str]
) -> None:
    for game in play(tmp_path / "run", Fake(tmp_path).command(behaviour)):
        assert game.termination == "max_plies"
        assert all(move.value is None or 0 <= move.value <= 1 for move in game.moves)
    assert capfd.readouterr() == ("", "")


def test_stockfish_killed_in_mid_match_is_started_again(tmp_path: Path) -> None:
    """A shell writes down its process number, then becomes Stockfish."""
    pids = tmp_path / "pids"
    command = ["/bin/sh", "-c", f"echo $$ >> '{pids}'; exec '{find_stockfish()}'"]
    program, *arguments = command
    killed: list[str] = []

    def kill(progress: MatchProgress[GameRecord]) -> None:
        running = pids.read_text().split()[-1]
        if progress.new > len(killed) and running not in killed and len(killed) < 2:
            killed.append(running)
            os.kill(int(running), signal.SIGKILL)

    rules = ChessRules(2 * PAIRS, seed=3, max_plies=PLIES)
    with (
        UciEngine(program, arguments, nodes=500, hang_after=200) as engine,
        ChessStore(tmp_path / "run", {"seed": 3}) as store,
    ):
        found = match(engine, RandomMover(), rules, store=store, on_progress=kill, concurrency=2).play()
    assert len(found) == 4 * PAIRS
    restarts = [str(move.info["restart"]) for game in found for move in game.moves if "restart" in move.info]
    forfeits = [game.termination for game in found if game.termination not in ("max_plies", "checkmate")]
    assert all("exit code: -9" in text or "dead" in text for text in restarts)
    assert all(termination.startswith("forfeit: ") for termination in forfeits)
    # An engine that dies twice in a game forfeits it, which may be all that tells of both deaths.
    started_again = len(pids.read_text().split()) - 1
    assert 1 <= started_again <= len(restarts) + 2 * len(forfeits)
    assert stored(tmp_path / "run") == found
