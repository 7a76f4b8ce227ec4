"""`foible eval`, `foible search` and `foible phases` from the shell."""

import io
import json
import math
import re
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from foible import Batch, ChessPosition
from foible.errors import ConfigError
from foible.games.jsonl import read_positions
from foible.nets import open_net
from foible.search.jsonl import search_lines
from foible.search.params import SearchSettings
from tests.interfaces.cli.command import Command, write_positions
from tests.nets import synthetic
from tests.nets.go.naive import Recipe, lines_of, text_of
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


def test_positions_of_chess960_are_taken(foible: Command, tmp_path: Path) -> None:
    told_by_rights, standard = (
        "1r2k1r1/pppppppp/8/8/8/8/PPPPPPPP/1R2K1R1 w GBgb - 0 1",
        "4k3/8/8/8/8/8/8/4K2R w K - 0 1",
    )
    positions = {"fen": told_by_rights}, {"fen": standard, "chess960": True}, {"fen": standard}
    file = write_positions(tmp_path / "positions.jsonl", *positions)
    ran = foible("eval", "--json", "material", file)
    assert ran.code == 0, ran.err
    castling = [{"e1g1", "e1b1", "e1h1"} & set(line["policy"]) for line in ran.lines]
    assert castling == [{"e1g1", "e1b1"}, {"e1h1"}, {"e1g1"}]
    searched = foible("search", "--json", "material", file, "--nodes", 30)
    assert [list(line["moves"]) != [] for line in searched.lines] == [True] * 3


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
    ran = foible("search", "--json", shared("nets/maia-1500.pb.gz"), file, "--nodes", nodes, *words)
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
    together = foible(
        "search", "--json", "material", write_positions(tmp_path / "all.jsonl", *positions), "--nodes", 60
    )
    for position, expected in zip(positions[::7], together.lines[::7], strict=True):
        alone = write_positions(tmp_path / "one.jsonl", position)
        assert foible("search", "--json", "material", alone, "--nodes", 60).lines == [expected]


def test_visits_of_the_moves_sum_to_those_of_the_root(foible: Command, tmp_path: Path) -> None:
    file = write_positions(tmp_path / "p.jsonl", {}, {"moves": ["e2e4", "e7e5"]})
    for result in foible("search", "--json", "material", file, "--nodes", 200, "--set", "batch=8").lines:
        visits = [move["n"] for move in result["moves"].values()]
        assert result["root"]["n"] == 200
        assert sum(visits) == 199
        assert visits == sorted(visits, reverse=True)
        assert next(iter(result["moves"])) == result["best"]
        assert sum(move["p"] for move in result["moves"].values()) == pytest.approx(1, abs=1e-5)
        assert len(result["pv"]) > 1


def test_a_mate_in_one_is_found(foible: Command, tmp_path: Path) -> None:
    file = write_positions(tmp_path / "p.jsonl", {"fen": "6k1/5ppp/8/8/8/8/8/K2R4 w - - 0 1"})
    (result,) = foible("search", "--json", "material", file, "--nodes", 100).lines
    assert result["best"] == "d1d8"
    assert result["moves"]["d1d8"]["proven"] == 1
    assert "proven" not in result["moves"]["a1a2"]
    assert result["pv"] == ["d1d8"]
    assert result["moves"]["d1d8"]["q"] == 1


def test_without_a_legal_move_there_is_no_best_one(foible: Command, tmp_path: Path) -> None:
    file = write_positions(
        tmp_path / "p.jsonl",
        {"moves": ["f2f3", "e7e5", "g2g4", "d8h4"], "id": "mated"},
        {"fen": "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"},
        {"id": "start"},
    )
    mated, stalemated, start = foible(
        "search", "--json", "material", file, "--nodes", 9, "--set", "draw_score=0.25"
    ).lines
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
        return foible("search", "--json", "material", file, "--nodes", 60, *words).lines

    first, second = search(1)
    assert [first, second] == search(1)
    assert [first, second] != search(2)
    assert first != second


def test_presets_are_named(foible: Command, tmp_path: Path) -> None:
    file = write_positions(tmp_path / "p.jsonl", {})
    assert foible("search", "--json", "material", file, "--nodes", 5, "--preset", "lc0-0.28").code == 0
    ran = foible("search", "--json", "material", file, "--nodes", 5, "--preset", "lc1")
    assert ran.code == 2
    assert "lc0-0.28" in ran.err


def test_progress_rises_to_the_number_of_positions() -> None:
    heard: list[float] = []
    lines = read_positions([b"{}"] * 3, "three")
    results = list(search_lines(open_net("material"), lines, SearchSettings(), 100, heard.append))
    assert len(results) == 3
    assert heard == sorted(heard)
    assert 0 < heard[len(heard) // 2] < 3
    assert heard[-1] == pytest.approx(3, abs=0.1)


def test_positions_are_searched_by_a_visit_at_least() -> None:
    with pytest.raises(ConfigError, match="nodes = 0: expected a whole number from 1 on"):
        list(search_lines(open_net("material"), read_positions([b"{}"], "one"), SearchSettings(), 0))


MATED = {"moves": ["f2f3", "e7e5", "g2g4", "d8h4"]}
STALEMATED = {"fen": "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"}


def test_eval_gives_what_the_reference_engine_gives(foible: Command, tmp_path: Path) -> None:
    golden = [json.loads(line) for line in shared("golden/maia_policy.jsonl").read_text().splitlines()]
    golden = [record for record in golden if record["net"] == "maia-1500"]
    positions = [{key: r[key] for key in ("id", "fen", "moves") if key in r} for r in golden]
    file = write_positions(tmp_path / "positions.jsonl", *positions)
    ran = foible("eval", "--json", shared("nets/maia-1500.pb.gz"), file, "--runtime", "openvino")
    assert ran.code == 0
    assert [result["id"] for result in ran.lines] == [record["id"] for record in golden]
    for result, record in zip(ran.lines, golden, strict=True):
        assert result["logits"] == pytest.approx(record["logits"], abs=1e-3)
        weights = {move: math.exp(logit) for move, logit in record["logits"].items()}
        softmax = {move: weight / sum(weights.values()) for move, weight in weights.items()}
        assert result["policy"] == pytest.approx(softmax, abs=1e-4)
        assert result["policy"] == pytest.approx(record["policy"], abs=2e-3)
        assert result["q"] == pytest.approx(record["q_exact"], abs=1e-3)
        assert result["wdl"][1] == pytest.approx(record["d_exact"], abs=1e-3)


def test_lines_come_in_order_over_more_than_one_chunk(foible: Command, tmp_path: Path) -> None:
    openings = [ChessPosition(None, [move]) for move in ChessPosition().legal_moves]
    positions = [ChessPosition(None, [*p.moves, move]) for p in openings for move in p.legal_moves]
    lines = [{"moves": p.moves, "id": {"line": i}, "comment": "x"} for i, p in enumerate(positions)]
    ran = foible("eval", "--json", "material", write_positions(tmp_path / "p.jsonl", *lines))
    wdl = open_net("material").evaluate(Batch(positions)).wdl
    assert [result["id"] for result in ran.lines] == [{"line": i} for i in range(400)]
    assert [result["wdl"] for result in ran.lines] == [pytest.approx(row) for row in wdl.tolist()]


def test_a_line_without_id_has_none_in_its_result(foible: Command, tmp_path: Path) -> None:
    file = write_positions(tmp_path / "p.jsonl", "{}", '{"id": null}', '{"id": 123456789012345678901}')
    first, second, third = foible("eval", "--json", "material", file).lines
    assert "id" not in first
    assert second["id"] is None
    assert third["id"] == 123456789012345678901


def test_moves_are_ranked_by_the_policy(foible: Command, tmp_path: Path) -> None:
    file = write_positions(tmp_path / "p.jsonl", {"moves": ["e2e4", "d7d5"]})
    (result,) = foible("eval", "--json", "material", file).lines
    shares = list(result["policy"].values())
    assert shares == sorted(shares, reverse=True)
    assert next(iter(result["policy"])) == "e4d5"
    assert list(result["logits"]) == list(result["policy"])
    assert sum(shares) == pytest.approx(1, abs=1e-12)


def test_without_a_legal_move_the_result_is_that_of_the_rules(foible: Command, tmp_path: Path) -> None:
    mated, stalemated = foible(
        "eval", "--json", "material", write_positions(tmp_path / "p.jsonl", MATED, STALEMATED)
    ).lines
    assert mated == {"policy": {}, "logits": {}, "wdl": [0, 0, 1], "q": -1}
    assert stalemated == {"policy": {}, "logits": {}, "wdl": [0, 1, 0], "q": 0}


def test_positions_come_from_the_standard_input(foible: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b'\n{"id": 7}\n')))
    assert [result["id"] for result in foible("eval", "--json", "material", "-").lines] == [7]


def test_a_net_for_go_is_one_line_that_says_what_to_use(foible: Command, tmp_path: Path) -> None:
    net, file = tmp_path / "five.txt", write_positions(tmp_path / "p.jsonl", {"id": 1})
    net.write_bytes(text_of(lines_of(Recipe(size=5))))
    ran = foible("eval", "--json", net, file, "--runtime", "onnxruntime")
    use = f"foible go curve GAME.sgf --net {net}"
    assert (ran.code, ran.out) == (2, "")
    assert ran.err == f"foible: {net} is a net for Go, these are positions of chess: {use}\n"


def test_out_holds_what_would_have_been_printed(foible: Command, tmp_path: Path) -> None:
    file, out = write_positions(tmp_path / "p.jsonl", {"id": 1}, MATED), tmp_path / "out.jsonl"
    printed = foible("eval", "--json", "material", file)
    assert foible("eval", "material", file, "--out", out).out == ""
    assert out.read_text() == printed.out
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out.jsonl", "p.jsonl"]


def test_a_byte_order_mark_is_no_mistake(foible: Command, tmp_path: Path) -> None:
    file = tmp_path / "marked.jsonl"
    file.write_bytes(b'\xef\xbb\xbf{"moves": ["e2e4"]}\n')
    assert foible("eval", "--json", "material", str(file)).code == 0


MIXED_BY_LEGACY_ONLY = "rnbqk2r/ppp2pp1/4pn1p/3p2B1/1bPP4/2N2N2/PP2PPPP/R2QKB1R w KQkq - 0 6"


@pytest.mark.parametrize("table", ["current", "legacy", "engine"])
def test_positions_are_labelled_as_in_the_reference(foible: Command, table: str) -> None:
    file = shared("golden/phases.jsonl")
    ran = foible("phases", "--json", file, "--table", table)
    assert ran.code == 0
    assert ran.lines == [
        {
            "id": record["id"],
            "phase": record[f"phase_{table}"],
            "mixedness": record[f"mixedness_{table}"],
            "majors_and_minors": record["majors_minors"],
            "sparse_backrank": record["backrank_sparse"],
        }
        for record in map(json.loads, file.read_text().splitlines())
    ]


def test_the_table_decides_and_is_current_where_none_is_named(foible: Command, tmp_path: Path) -> None:
    file = write_positions(tmp_path / "p.jsonl", {"fen": MIXED_BY_LEGACY_ONLY, "id": 1})
    (current,), (legacy,) = (
        foible("phases", "--json", file).lines,
        foible("phases", "--json", file, "--table", "legacy").lines,
    )
    rest = {"id": 1, "majors_and_minors": 14, "sparse_backrank": False}
    assert current == {**rest, "phase": 0, "mixedness": 149}
    assert legacy == {**rest, "phase": 1, "mixedness": 155}


def test_moves_from_the_standard_input_are_played(foible: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = b'{"moves": ["g1f3", "g8f6", "f3g1", "f6g8"]}\n{"fen": "4k3/8/8/8/8/8/8/4K3 w - - 0 1"}\n'
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(lines)))
    assert foible("phases", "--json", "-").lines == [
        {"phase": 0, "mixedness": 0, "majors_and_minors": 14, "sparse_backrank": False},
        {"phase": 2, "mixedness": 32, "majors_and_minors": 0, "sparse_backrank": True},
    ]


def test_a_broken_line_is_named_and_leaves_no_file(foible: Command, tmp_path: Path) -> None:
    file, out = write_positions(tmp_path / "p.jsonl", "{}", '{"moves": ["e2e5"]}'), tmp_path / "out.jsonl"
    ran = foible("phases", file, "--out", out)
    assert ran.code == 2
    assert "line 2" in ran.err
    assert "e2e5" in ran.err
    assert not out.exists()
    wrong = foible("phases", "--json", file, "--table", "lichess")
    assert wrong.code == 2
    assert "legacy" in wrong.err


def test_startpos_stands_for_the_start_position_wherever_a_fen_may_stand(foible: Command, tmp_path: Path) -> None:
    lines = tmp_path / "lines.jsonl"
    lines.write_text('{}\n{"fen": "startpos"}\n')
    plain, named = foible("eval", "--json", "material", lines).out.splitlines()
    assert plain == named
    games = tmp_path / "games.pgn"
    games.write_text('[Result "1-0"]\n\n1. e4 e5 1-0\n\n[Result "0-1"]\n\n1. e4 c5 0-1\n')
    for words in (("openings", games), ("perft", "--depth", 1), ("explain", "--judge", "material")):
        arguments = ("startpos",) if words[0] == "explain" else ("--fen", "startpos")
        ran = foible(*words, *arguments, "--json")
        assert ran.code == 0, ran.err


def test_openings_count_the_games_that_they_leave_out(foible: Command, tmp_path: Path) -> None:
    (games := tmp_path / "games.pgn").write_text("1. e4 1-0\n\n1. e4 *\n\n1. e4 Ke7 1-0\n")
    found = json.loads(foible("openings", games, "--json").out)
    assert (found["all_games"], found["left_out"]) == (1, {"unfinished": 1, "chess960": 0, "unreadable": 1})


def test_eval_tells_the_plies_left_where_the_net_does(foible: Command, tmp_path: Path) -> None:
    net, lines = tmp_path / "net.pb.gz", tmp_path / "lines.jsonl"
    net.write_bytes(synthetic.synthesise(synthetic.Recipe(moves_left=True)).data)
    lines.write_text("{}\n")
    assert json.loads(foible("eval", "--json", net, lines).out)["moves_left"] >= 0
    assert "moves_left" not in json.loads(foible("eval", "--json", "material", lines).out)


def test_tables_show_the_best_moves_and_say_how_many_more_there_are(foible: Command, tmp_path: Path) -> None:
    mate = {"fen": "6k1/5ppp/8/8/8/8/8/K2R4 w - - 0 1", "id": "mate"}
    file = write_positions(tmp_path / "p.jsonl", {}, mate, MATED)
    searched = foible("search", "material", file, "--nodes", 100).out
    assert "position 2, id mate\n" in searched
    assert re.search(r"│ d1d8 +│ +\d+ │ \+1\.000 │ +\d+\.\d % │ +win │", searched)
    assert "10 more moves with --json" in searched
    assert searched.endswith("value −1.000, draw 0.0 %, 0 visits; no legal move\n")
    evaluated = foible("eval", "material", file).out
    assert len(re.findall(r"^│ ", evaluated, re.MULTILINE)) == 20
    assert re.search(r"win \d+\.\d %, draw \d+\.\d %, loss \d+\.\d %; value [+−]?0\.\d{3}; 10 more moves", evaluated)
    phases = foible("phases", file).out
    assert re.search(r"│ position 2, id mate │ endgame", phases)


def test_a_move_that_was_not_visited_has_no_value_in_the_table(foible: Command, tmp_path: Path) -> None:
    file = write_positions(tmp_path / "p.jsonl", {})
    rows = re.findall(r"│ +(\d+) │ +(\S+) │ +\d+\.\d % │", foible("search", "material", file, "--nodes", 4).out)
    assert {visits == "0" for visits, _ in rows} == {True, False}
    assert all((value == "–") == (visits == "0") for visits, value in rows)


def test_numbers_of_single_precision_have_no_more_digits_than_they_need(foible: Command, tmp_path: Path) -> None:
    file = write_positions(tmp_path / "p.jsonl", {})
    assert '"p":0.05}' in foible("search", "material", file, "--nodes", 2, "--json").out
    said = foible("eval", "club", file, "--json").lines[0]
    numbers = [*said["logits"].values(), *said["wdl"]]
    assert numbers == [float(str(np.float32(number))) for number in numbers]
