import json
from pathlib import Path
from typing import Any

import pytest

from foible import ChessPosition
from foible.games.jsonl import read_positions
from foible.nets import open_net
from foible.search.jsonl import search_lines
from foible.search.params import SearchParams
from tests.interfaces.cli.command import Command, write_positions
from tests.shared_data import shared

SETTINGS = {
    "base": ["policy_temperature=1"],
    "alt": [
        "cpuct=3",
        "cpuct_base=5000",
        "cpuct_factor=2",
        "fpu_value=0.2",
        "root_cpuct=2.5",
        "root_cpuct_base=20000",
        "root_cpuct_factor=1",
        "root_fpu=absolute",
        "root_fpu_value=0.5",
        "policy_temperature=1.359",
        "draw_score=-0.15",
    ],
}
SETUPS = [("base", 1), ("base", 2), ("base", 10), ("alt", 10)]


@pytest.mark.parametrize(("setup", "nodes"), SETUPS)
def test_search_visits_what_the_reference_engine_visits(
    foible: Command, tmp_path: Path, setup: str, nodes: int
) -> None:
    records = [json.loads(line) for line in shared("golden/lc0_search.jsonl").read_text().splitlines()]
    unclear = {(record["cfg"], record["id"]) for record in records if tied(record)}
    golden = [
        record
        for record in records
        if (record["cfg"], record["nodes"]) == (setup, nodes) and (setup, record["id"]) not in unclear
    ]
    positions = [{key: r[key] for key in ("id", "fen", "moves") if key in r} for r in golden]
    file = write_positions(tmp_path / "positions.jsonl", *positions)
    words = [word for pair in SETTINGS[setup] for word in ("--set", pair)]
    ran = foible("search", shared("nets/maia-1500.pb.gz"), file, "--nodes", nodes, *words)
    assert ran.code == 0
    assert len(golden) >= 25
    for result, record in zip(ran.lines, golden, strict=True):
        assert result["id"] == record["id"]
        assert {move: of["n"] for move, of in result["moves"].items() if of["n"]} == record["N"]
        assert result["best"] == record["best"]
        assert result["pv"][0] == record["best"]
        assert result["root"]["n"] == nodes
        assert result["root"]["q"] == pytest.approx(record["root"]["q"], abs=1e-4)
        assert result["root"]["d"] == pytest.approx(record["root"]["d"], abs=1e-4)
        for move, q in record["Q"].items():
            assert result["moves"][move]["q"] == pytest.approx(q, abs=1e-4)
        for move, p in record.get("P", {}).items():
            assert result["moves"][move]["p"] == pytest.approx(p, abs=2e-3)


def tied(record: dict[str, Any]) -> bool:
    """The two most likely moves have the same prior: the engine rounds priors, and orders equal ones at will."""
    priors = sorted(record.get("P", {}).values(), reverse=True)
    return len(priors) > 1 and priors[0] == priors[1]


def test_results_do_not_depend_on_what_else_is_searched(foible: Command, tmp_path: Path) -> None:
    positions = [{"moves": [move], "id": move} for move in ChessPosition().legal_moves]
    together = foible("search", "material", write_positions(tmp_path / "all.jsonl", *positions), "--nodes", 60)
    for position, expected in zip(positions[::7], together.lines[::7], strict=True):
        alone = write_positions(tmp_path / "one.jsonl", position)
        assert foible("search", "material", alone, "--nodes", 60).lines == [expected]


def test_visits_of_the_moves_sum_to_those_of_the_root(foible: Command, tmp_path: Path) -> None:
    file = write_positions(tmp_path / "p.jsonl", {}, {"moves": ["e2e4", "e7e5"]})
    for result in foible("search", "material", file, "--nodes", 200, "--set", "batch=8").lines:
        visits = [move["n"] for move in result["moves"].values()]
        assert result["root"]["n"] == 200
        assert sum(visits) == 199
        assert visits == sorted(visits, reverse=True)
        assert next(iter(result["moves"])) == result["best"]
        assert sum(move["p"] for move in result["moves"].values()) == pytest.approx(1, abs=1e-5)
        assert len(result["pv"]) > 1


def test_a_mate_in_one_is_found(foible: Command, tmp_path: Path) -> None:
    file = write_positions(tmp_path / "p.jsonl", {"fen": "6k1/5ppp/8/8/8/8/8/K2R4 w - - 0 1"})
    (result,) = foible("search", "material", file, "--nodes", 100).lines
    assert result["best"] == "d1d8"
    assert result["pv"] == ["d1d8"]
    assert result["moves"]["d1d8"]["q"] == 1


def test_without_a_legal_move_there_is_no_best_one(foible: Command, tmp_path: Path) -> None:
    file = write_positions(
        tmp_path / "p.jsonl",
        {"moves": ["f2f3", "e7e5", "g2g4", "d8h4"], "id": "mated"},
        {"fen": "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"},
        {"id": "start"},
    )
    mated, stalemated, start = foible("search", "material", file, "--nodes", 9, "--set", "draw_score=0.25").lines
    assert mated == {
        "id": "mated",
        "best": None,
        "root": {"n": 0, "q": -1, "d": 0},
        "moves": {},
        "pv": [],
    }
    assert stalemated["root"] == {"n": 0, "q": -0.25, "d": 1}
    assert start["root"]["n"] == 9


def test_the_seed_decides_what_chance_decides(foible: Command, tmp_path: Path) -> None:
    file = write_positions(tmp_path / "p.jsonl", {}, {})

    def search(seed: int) -> list[Any]:
        words = ("--set", "noise_epsilon=0.5", "--set", "temperature=1", "--set", f"seed={seed}")
        return foible("search", "material", file, "--nodes", 60, *words).lines

    first, second = search(1)
    assert [first, second] == search(1)
    assert [first, second] != search(2)
    assert first != second


def test_presets_are_named(foible: Command, tmp_path: Path) -> None:
    file = write_positions(tmp_path / "p.jsonl", {})
    assert foible("search", "material", file, "--nodes", 5, "--preset", "lc0-0.28").code == 0
    ran = foible("search", "material", file, "--nodes", 5, "--preset", "lc1")
    assert ran.code == 2
    assert "lc0-0.28" in ran.err


def test_progress_rises_to_the_number_of_positions() -> None:
    heard: list[float] = []
    lines = read_positions([b"{}"] * 3, "three")
    results = list(search_lines(open_net("material"), lines, SearchParams(), 100, heard.append))
    assert len(results) == 3
    assert heard == sorted(heard)
    assert 0 < heard[len(heard) // 2] < 3
    assert heard[-1] == pytest.approx(3, abs=0.1)
