"""Playing what is missing: in blocks that are filed as they end, on one machine or on several."""

from pathlib import Path
from typing import Any

import pytest

from foible.arena.play import play
from foible.arena.store import read_games
from foible.errors import ConfigError, EngineError
from foible.evidence.blocks import Block, block_of
from foible.evidence.kept import filed
from foible.evidence.kinds import EvidenceProgress, Planned, Workplace
from foible.evidence.matches import PresetMatch
from foible.evidence.run import Plan, missing, read_plan, run
from foible.scale import Executor
from tests.evidence.made import block, keep

MATCH = PresetMatch("stt-maia")
PLAN: Plan = {"stt-maia": Planned(games=8, block=4, effort=0.002)}


def silent(now: EvidenceProgress) -> None:
    """Nobody is told."""


def test_what_is_missing_is_played_filed_and_not_played_again(tmp_path: Path) -> None:
    evidence, work = tmp_path / "evidence", tmp_path / "work"
    first = next(run(evidence, PLAN, Workplace(work, silent), seconds=1e9))
    assert (first[0].experiment, list(first[0].units)) == ("stt-maia", [0, 1])
    # Another machine has what is filed, and not the run folder.
    for place, _ in run(evidence, PLAN, Workplace(tmp_path / "elsewhere", silent), seconds=1e9):
        assert list(place.units) == [2, 3]
    (kept,) = filed(evidence / "stt-maia")
    assert [one.first for one in kept.blocks] == [0, 2]
    assert missing(evidence, PLAN) == []
    assert list(run(evidence, PLAN, Workplace(work, silent), seconds=1e9)) == []
    whole = play(MATCH.config(PLAN["stt-maia"]), tmp_path / "whole")
    assert whole is not None
    assert [2 * one.first for one in kept.blocks] == [0, 4]
    blocks = [one for one in kept.blocks if isinstance(one, Block)]
    assert whole.games.n == 2 * kept.units == 8
    assert sum(pair.count("W") for one in blocks for pair in one.results) == whole.to_json()["wdl"][0]
    assert sum(map(sum, (pair for one in blocks for pair in one.plies))) == pytest.approx(whole.mean_plies * 8)


def block_at(work: Path) -> Block:
    """The first block of the plan."""
    (whole,) = missing(work / "none", PLAN)
    done = MATCH.run(whole.planned, whole.units, Workplace(work, silent))
    assert done is not None
    assert isinstance(done.block, Block)
    return done.block


def test_a_block_that_was_stopped_is_gone_on_with(tmp_path: Path) -> None:
    expected = block_at(tmp_path / "at-once")
    play(MATCH.config(PLAN["stt-maia"]), tmp_path / "work" / "stt-maia" / "0000", pairs=range(1))
    found = block_at(tmp_path / "work")
    assert (found.results, found.plies) == (expected.results, expected.plies)
    assert (found.evaluations, found.seconds) == (None, None)
    assert expected.evaluations


def test_others_play_the_same_block(processes: Executor, tmp_path: Path) -> None:
    planned, found = PLAN["stt-maia"], []
    for place in (Workplace(tmp_path / "here", silent), Workplace(tmp_path / "elsewhere", silent, processes)):
        done = MATCH.run(planned, range(2, 4), place)
        assert done is not None
        assert isinstance(done.block, Block)
        found.append(done.block)
    here, elsewhere = found
    assert (elsewhere.results, elsewhere.plies) == (here.results, here.plies)
    assert elsewhere.evaluations == pytest.approx(here.evaluations, rel=0.1)


def without_stockfish(monkeypatch: pytest.MonkeyPatch, elsewhere: Path) -> None:
    monkeypatch.setenv("PATH", str(elsewhere))
    monkeypatch.setattr("foible.engines.programs.GAMES", str(elsewhere))


def test_what_cannot_be_run_is_passed_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    without_stockfish(monkeypatch, tmp_path)
    plan = {"stt-maia-stockfish": Planned(games=8, block=2, effort=0.002, hours=1e-9), **PLAN}
    ran = run(tmp_path / "evidence", plan, Workplace(tmp_path / "work", silent), seconds=1e9)
    found = [(one.experiment, one.units.start, isinstance(place, EngineError)) for one, place in ran]
    assert found == [("stt-maia", 0, False), ("stt-maia-stockfish", 0, True), ("stt-maia", 2, False)]
    # Nothing stands in the way of the same call where there is one.
    assert [one.experiment for one in missing(tmp_path / "evidence", plan)] == ["stt-maia-stockfish"]


def test_the_cheapest_information_comes_first(tmp_path: Path) -> None:
    plan = {name: Planned(games=400, block=4) for name in ("stt-exp", "stt-tree", "hb-tree")}
    keep(tmp_path / "stt-exp", [block(0, "WW DD", seconds=100.0)])
    shared = block(2, "WW DD", seconds=40.0)  # the machine was at other work too
    keep(tmp_path / "stt-tree", [block(0, "WW DD"), shared])
    found = missing(tmp_path, plan)
    assert [one.experiment for one in found] == ["hb-tree", "stt-tree", "stt-exp"]
    assert [(one.units.start, one.filed, one.seconds) for one in found] == [(0, 0, None), (4, 2, 20.0), (2, 1, 100.0)]
    assert [one.cost for one in found] == [0, 5.0 * (4 + 2), 50.0 * (2 + 2)]
    assert [one.hours for one in found] == [None, pytest.approx(196 * 5 / 3600), pytest.approx(198 * 50 / 3600)]
    assert [one.experiment for one in missing(tmp_path, plan, ["stt-exp"])] == ["stt-exp"]


@pytest.mark.parametrize(("slow", "units"), [(10.0, 8), (950.0, 5), (4000.0, 4)])
def test_a_block_is_as_large_as_what_is_filed_unless_that_takes_long(slow: float, units: int, tmp_path: Path) -> None:
    plan = {"stt-tree": Planned(games=400, block=8)}
    keep(tmp_path / "stt-tree", [block(0, "WW DD LL DD", seconds=10.0), block(4, "WW DD LL DD", seconds=slow)])
    (found,) = missing(tmp_path, plan)
    assert found.units == range(8, 8 + units)


def test_before_the_first_block_the_plan_tells_what_it_costs(tmp_path: Path) -> None:
    (found,) = missing(tmp_path, {"stt-exp": Planned(games=40, block=4, hours=2.0)})
    assert found.seconds == pytest.approx(720)
    assert found.hours == pytest.approx(2)


def test_a_gap_between_blocks_is_filled_before_the_end(tmp_path: Path) -> None:
    keep(tmp_path / "stt-tree", [block(0, "WW DD"), block(5, "WW DD")])
    (found,) = missing(tmp_path, {"stt-tree": Planned(games=40, block=10)})
    assert list(found.units) == [2, 3, 4]


def test_of_two_configurations_that_of_the_plan_goes_on(tmp_path: Path) -> None:
    keep(tmp_path / "stt-tree", [block(0, "WW DD")], effort=0.1)
    keep(tmp_path / "stt-tree", [block(0, "WW DD LL LL")], effort=0.5)
    (found,) = missing(tmp_path, {"stt-tree": Planned(games=40, block=10, effort=0.1)})
    assert found.units.start == 2


def test_games_with_other_visits_do_not_count(tmp_path: Path) -> None:
    keep(tmp_path / "stt-tree", [block(0, "WW DD")], effort=0.5)
    (found,) = missing(tmp_path, {"stt-tree": Planned(games=40, block=10, effort=0.1)})
    assert found.units.start == 0


def test_a_plan_gives_every_experiment_the_usual_keys(tmp_path: Path) -> None:
    path = tmp_path / "plan.toml"
    path.write_text(
        "[usual]\neffort = 0.1\ngames = 40\nblock = 20\n[experiments]\nhb-tree = {}\nstt-exp = { games = 8 }\n"
    )
    plan = read_plan(path)
    assert list(plan) == ["hb-tree", "stt-exp"]
    assert plan["hb-tree"] == Planned(games=40, block=20, effort=0.1)
    config = PresetMatch("stt-exp").config(plan["stt-exp"])
    assert (config.games, config.effort, config.judge) == (8, 0.1, None)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("stt-tre = {}", "stt-tree"),
        ("stt-tree = { games = 7 }", "games"),
        ("stt-tree = { game = 8 }", "game"),
        ("stt-tree = { effort = 0 }", "effort"),
    ],
)
def test_a_wrong_plan_is_refused_with_its_place(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "plan.toml"
    path.write_text(f"[usual]\ngames = 40\nblock = 20\n[experiments]\n{text}\n")
    with pytest.raises(ConfigError, match=rf"plan\.toml: experiments.*{said}"):
        read_plan(path)


def test_a_block_tells_its_games_from_the_focal_teams_side(tmp_path: Path) -> None:
    config: dict[str, Any] = {"resolved": {"foible": "0.1.0"}}
    block_at(tmp_path)
    games = sorted(read_games(tmp_path / "stt-maia" / "0000"), key=lambda game: game.number)
    again = block_of(games, {}, config)
    letters = {1.0: "W", 0.5: "D", 0.0: "L"}
    assert "".join(again.results) == "".join(letters[game.focal_score] for game in games)
    assert [game.focal_white for game in games] == [False, True] * 2
