import csv
import json
from dataclasses import replace
from itertools import islice
from pathlib import Path

import pytest

from foible.analysis.puzzles import UNTRIED, read_table, write_table
from tests.interfaces.cli.command import Command
from tests.shared_data import shared

pytestmark = pytest.mark.usefixtures("nets_opened_once")


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "some.csv"
    with shared("data/puzzles/lichess_puzzles.csv").open() as whole:
        path.write_text("".join(islice(whole, 161)))
    return path


@pytest.fixture
def _nets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FOIBLE_NETS", str(shared("nets")))


@pytest.mark.usefixtures("_nets")
def test_ratings_are_predicted_and_compared(foible: Command, table: Path, tmp_path: Path) -> None:
    ran = foible("puzzle-ratings", table, "--out", tmp_path / "ratings.jsonl")
    assert ran.code == 0, ran.err
    assert "Spearman" in ran.out
    assert "number of the solver's moves" in ran.out
    lines = [json.loads(line) for line in (tmp_path / "ratings.jsonl").read_text().splitlines()]
    rows = list(csv.DictReader(table.read_text().splitlines()))
    assert [(line["id"], line["known"]) for line in lines] == [(r["PuzzleId"], int(r["Rating"])) for r in rows]
    assert all(0 <= p <= 1 for line in lines for each in line["found"].values() for p in each)
    assert [len(line["found"]["maia-1100"]) for line in lines] == [len(r["Moves"].split()) // 2 for r in rows]


@pytest.mark.usefixtures("_nets")
def test_ratings_that_were_predicted_are_not_compared(foible: Command, table: Path, tmp_path: Path) -> None:
    write_table(tmp_path / "ours.csv", (replace(puzzle, reception=UNTRIED) for puzzle in read_table(table)))
    ran = foible("puzzle-ratings", tmp_path / "ours.csv")
    assert ran.code == 0, ran.err
    assert "no comparison" in ran.out
    assert "Spearman" not in ran.out
    assert foible("puzzle-ratings", tmp_path / "ours.csv", "--fit").code == 2


@pytest.mark.usefixtures("_nets")
def test_a_fit_tells_its_weights(foible: Command, table: Path) -> None:
    own, fitted = (json.loads(foible("puzzle-ratings", table, "--json", *words).out) for words in ((), ("--fit",)))
    assert own["weights"].keys() == fitted["weights"].keys()
    assert own["weights"] != fitted["weights"]
    assert own["check"]["puzzles"] == fitted["check"]["puzzles"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("FEN,Rating\n", "no column Moves"),
        ("PuzzleId,FEN,Moves\n", "no puzzle in it"),
        ("FEN,Moves\n8/8/7P/8/8/5k2/r7/6K1 w - - 0 1,h6h8\n", "bad.csv, line 2"),
    ],
)
@pytest.mark.usefixtures("_nets")
def test_bad_tables_are_one_line(foible: Command, tmp_path: Path, content: str, message: str) -> None:
    (tmp_path / "bad.csv").write_text(content)
    ran = foible("puzzle-ratings", tmp_path / "bad.csv")
    assert (ran.code, ran.err.count("\n")) == (2, 1)
    assert message in ran.err


@pytest.mark.usefixtures("_nets")
def test_few_ratings_are_no_fit(foible: Command, tmp_path: Path) -> None:
    (tmp_path / "few.csv").write_text("FEN,Moves,Rating\n8/8/7P/8/8/5k2/r7/6K1 w - - 0 1,h6h7,900\n")
    ran = foible("puzzle-ratings", tmp_path / "few.csv", "--fit")
    assert (ran.code, ran.err.count("\n")) == (2, 1)
    assert "--fit needs more" in ran.err


def test_without_the_maias_club_rates_and_it_is_said(
    foible: Command, table: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("FOIBLE_NETS", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    ran = foible("puzzle-ratings", table)
    assert ran.code == 0
    assert ran.err == (
        "rated by club:1100, club:1500, club:1900: better by foible nets get maia-1100 maia-1500 maia-1900\n"
    )
    assert "−log p of all moves, club:1500" in ran.out
