import io
import json
import sys
from pathlib import Path

import pytest

from tests.interfaces.cli.command import Command, write_positions
from tests.shared_data import shared

MIXED_BY_LEGACY_ONLY = "rnbqk2r/ppp2pp1/4pn1p/3p2B1/1bPP4/2N2N2/PP2PPPP/R2QKB1R w KQkq - 0 6"


@pytest.mark.parametrize("table", ["current", "legacy", "engine"])
def test_positions_are_labelled_as_in_the_reference(foible: Command, table: str) -> None:
    file = shared("golden/phases.jsonl")
    ran = foible("phases", file, "--table", table)
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
    (current,), (legacy,) = foible("phases", file).lines, foible("phases", file, "--table", "legacy").lines
    rest = {"id": 1, "majors_and_minors": 14, "sparse_backrank": False}
    assert current == {**rest, "phase": 0, "mixedness": 149}
    assert legacy == {**rest, "phase": 1, "mixedness": 155}


def test_moves_from_the_standard_input_are_played(foible: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = b'{"moves": ["g1f3", "g8f6", "f3g1", "f6g8"]}\n{"fen": "4k3/8/8/8/8/8/8/4K3 w - - 0 1"}\n'
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(lines)))
    assert foible("phases", "-").lines == [
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
    wrong = foible("phases", file, "--table", "lichess")
    assert wrong.code == 2
    assert "legacy" in wrong.err
