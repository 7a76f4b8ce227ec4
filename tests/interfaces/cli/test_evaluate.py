import io
import json
import math
import sys
from pathlib import Path

import pytest

from foible import Batch, ChessPosition
from foible.nets import open_net
from tests.interfaces.cli.command import Command, write_positions
from tests.nets.go.naive import Recipe, lines_of, text_of
from tests.shared_data import shared

MATED = {"moves": ["f2f3", "e7e5", "g2g4", "d8h4"]}
STALEMATED = {"fen": "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"}


def test_eval_gives_what_the_reference_engine_gives(foible: Command, tmp_path: Path) -> None:
    golden = [json.loads(line) for line in shared("golden/maia_policy.jsonl").read_text().splitlines()]
    golden = [record for record in golden if record["net"] == "maia-1500"]
    positions = [{key: r[key] for key in ("id", "fen", "moves") if key in r} for r in golden]
    file = write_positions(tmp_path / "positions.jsonl", *positions)
    ran = foible("eval", shared("nets/maia-1500.pb.gz"), file, "--runtime", "openvino")
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
    ran = foible("eval", "material", write_positions(tmp_path / "p.jsonl", *lines))
    wdl = open_net("material").evaluate(Batch(positions)).wdl
    assert [result["id"] for result in ran.lines] == [{"line": i} for i in range(400)]
    assert [result["wdl"] for result in ran.lines] == [pytest.approx(row) for row in wdl.tolist()]


def test_a_line_without_id_has_none_in_its_result(foible: Command, tmp_path: Path) -> None:
    file = write_positions(tmp_path / "p.jsonl", "{}", '{"id": null}', '{"id": 123456789012345678901}')
    first, second, third = foible("eval", "material", file).lines
    assert "id" not in first
    assert second["id"] is None
    assert third["id"] == 123456789012345678901


def test_moves_are_ranked_by_the_policy(foible: Command, tmp_path: Path) -> None:
    file = write_positions(tmp_path / "p.jsonl", {"moves": ["e2e4", "d7d5"]})
    (result,) = foible("eval", "material", file).lines
    shares = list(result["policy"].values())
    assert shares == sorted(shares, reverse=True)
    assert next(iter(result["policy"])) == "e4d5"
    assert list(result["logits"]) == list(result["policy"])
    assert sum(shares) == pytest.approx(1, abs=1e-12)


def test_without_a_legal_move_the_result_is_that_of_the_rules(foible: Command, tmp_path: Path) -> None:
    mated, stalemated = foible("eval", "material", write_positions(tmp_path / "p.jsonl", MATED, STALEMATED)).lines
    assert mated == {"policy": {}, "logits": {}, "wdl": [0, 0, 1], "q": -1}
    assert stalemated == {"policy": {}, "logits": {}, "wdl": [0, 1, 0], "q": 0}


def test_positions_come_from_the_standard_input(foible: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b'\n{"id": 7}\n')))
    assert [result["id"] for result in foible("eval", "material", "-").lines] == [7]


def test_a_net_for_go_is_one_line_that_says_what_to_use(foible: Command, tmp_path: Path) -> None:
    net, file = tmp_path / "five.txt", write_positions(tmp_path / "p.jsonl", {"id": 1})
    net.write_bytes(text_of(lines_of(Recipe(size=5))))
    ran = foible("eval", net, file, "--runtime", "onnxruntime")
    use = f"foible go curve GAME.sgf --net {net}"
    assert (ran.code, ran.out) == (2, "")
    assert ran.err == f"foible: {net} is a net for Go, these are positions of chess: {use}\n"


def test_out_holds_what_would_have_been_printed(foible: Command, tmp_path: Path) -> None:
    file, out = write_positions(tmp_path / "p.jsonl", {"id": 1}, MATED), tmp_path / "out.jsonl"
    printed = foible("eval", "material", file)
    assert foible("eval", "material", file, "--out", out).out == ""
    assert out.read_text() == printed.out
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out.jsonl", "p.jsonl"]


def test_a_byte_order_mark_is_no_mistake(foible: Command, tmp_path: Path) -> None:
    file = tmp_path / "marked.jsonl"
    file.write_bytes(b'\xef\xbb\xbf{"moves": ["e2e4"]}\n')
    assert foible("eval", "material", str(file)).code == 0
