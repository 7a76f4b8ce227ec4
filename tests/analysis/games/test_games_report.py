import csv
import dataclasses
import json
import re
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from foible.analysis.games.game_files import GameFiles, read_files
from foible.analysis.games.games_plots import material_plot, repeated_plot
from foible.analysis.games.games_report import COLUMNS, files_json, write
from foible.analysis.games.games_tables import tables_of
from foible.drawing import picture
from tests.analysis.games.pgn_games import game, pgn_of, random_board

FILES = [
    "ends.csv",
    "first_moves.csv",
    "games.csv",
    "games.json",
    "material.csv",
    "material.png",
    "material.svg",
    "measures.csv",
    "openings.csv",
    "repeated.csv",
    "repeated.png",
    "repeated.svg",
    "report.html",
    "results.csv",
]


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> GameFiles:
    folder = tmp_path_factory.mktemp("games")
    one, two = folder / "games.pgn", folder / "_<b> & $co$.pgn"
    one.write_text(pgn_of([random_board(seed) for seed in range(8)]) + game("1. e4 e5 2. Ke3", "1-0"))
    two.write_text(game("1. e4 {[%eval 0.1]} e5 {[%eval 2.1]} 2. Nf3", "1-0", White="<script>") * 2)
    return read_files([one, two])


def test_the_folder_holds_everything_and_the_same_games_give_the_same_files(found: GameFiles, tmp_path: Path) -> None:
    for folder in ("a", "b/c"):
        write(found, tmp_path / folder)
        assert sorted(path.name for path in (tmp_path / folder).iterdir()) == FILES
    for name in FILES:
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b/c" / name).read_bytes()
    assert json.loads((tmp_path / "a/games.json").read_text("utf-8"))["games"] == found.total.summary.games


def test_the_csv_has_a_row_for_each_game(found: GameFiles, tmp_path: Path) -> None:
    write(found, tmp_path)
    with (tmp_path / "games.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert tuple(rows[0]) == COLUMNS
    assert [row["file"] for row in rows] == ["games"] * 8 + ["_<b> & $co$"] * 2
    last = rows[-1]
    assert (last["white"], last["result"], last["plies"], last["repeated_moves"]) == ("<script>", "1-0", "3", "2")
    assert (last["evaluated_plies"], last["swing"], last["large_swings"]) == ("1", "0.1885", "1")


def test_json_has_the_total_at_the_top_and_every_file_below(found: GameFiles) -> None:
    plain = files_json(found)
    first, second = plain["files"]
    for key in ("games", "white", "draws", "black", "unfinished", "skipped"):
        assert plain[key] == first[key] + second[key]
    assert second["repeated"] == {"1": 1.0, "2": 1.0}
    assert second["decisive_ratio"] is None
    assert first["skipped"] == 1


def test_numbers_are_stored_without_noise_and_with_one_error(found: GameFiles, tmp_path: Path) -> None:
    """0.58 times 100 is 57.99999999999999."""
    shares = dataclasses.replace(found.total.summary, repeated=[0.58])
    odd = dataclasses.replace(found, total=dataclasses.replace(found.total, summary=shares))
    write(odd, tmp_path)
    for path in tmp_path.glob("*.csv"):
        head, *lines = path.read_text("utf-8").splitlines()
        assert not {"independent_error", "clusters", "n"} & {column.rpartition(": ")[2] for column in head.split(",")}
        assert not [line for line in lines if re.search(r"\d\.\d{7}", line)], path.name
    assert ",58.0" in (tmp_path / "repeated.csv").read_text("utf-8")


def test_no_two_columns_of_a_table_have_the_same_name(found: GameFiles) -> None:
    """A file may be called as a column is."""
    for table in tables_of(found):
        assert len(set(table.columns)) == len(table.columns), table.name
        assert len(table.records()[0]) == len(table.columns)


def test_the_page_stands_alone_and_escapes_what_comes_from_files(found: GameFiles, tmp_path: Path) -> None:
    write(found, tmp_path)
    page = (tmp_path / "report.html").read_text("utf-8")
    assert page.count("<svg") == 2
    ids = re.findall(r' id="([^"]*)"', page)
    assert len(ids) == len(set(ids)), "of the two drawings"
    assert "_&lt;b&gt; &amp; $co$" in page
    assert "<b>" not in page
    assert "illegal move Ke3" in page
    for table in tables_of(found):
        assert table.title in page


@pytest.mark.parametrize("number", range(2))
def test_plots_have_axes_with_units_and_a_line_with_n_for_each_file(found: GameFiles, number: int) -> None:
    plot = (repeated_plot, material_plot)[number](found.files)
    texts = [
        text.text
        for text in ET.fromstring(picture(plot.canvas, plot.name, "svg")).iter("{http://www.w3.org/2000/svg}text")
    ]
    labels = [("full move", "games repeated up to it (%)"), ("ply", "mean material difference (pawns)")][number]
    assert {*labels, "n = 8 games of games", "n = 2 games of _<b> & $co$"} <= set(texts)


def test_games_that_end_before_the_first_box_have_plots_of_their_phases_too(tmp_path: Path) -> None:
    file = tmp_path / "short.pgn"
    file.write_text(game("1. f3 e5 2. g4 Qh4#", "0-1"))
    write(read_files([file], table="current"), tmp_path / "out")
    assert {"mixedness.svg", "report.html"} <= {path.name for path in (tmp_path / "out").iterdir()}


def test_a_file_may_be_named_in_any_script(found: GameFiles) -> None:
    plot = repeated_plot([dataclasses.replace(found.files[0], name="棋譜")])
    assert "棋譜" in picture(plot.canvas, plot.name, "svg").decode()
    assert picture(plot.canvas, plot.name, "png").startswith(b"\x89PNG")


def test_the_plot_of_repeated_games_draws_the_shares(found: GameFiles) -> None:
    axes = repeated_plot(found.files).canvas.axes[0]
    first, second = (list(line.get_ydata()) for line in axes.get_lines())  # type: ignore[arg-type]
    assert first == [100 * found.files[0].summary.repeated_at(move) for move in range(1, len(first) + 1)]
    assert set(second) == {100.0}
