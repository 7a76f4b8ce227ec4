"""`foible label` from the shell."""

import json
from pathlib import Path

import polars as pl
import pytest

from tests.interfaces.cli.command import Command
from tests.selfplay.runs import snapshot

GAMES = Path(__file__).parents[3] / "examples" / "games.pgn"


def test_positions_are_labelled_once_and_the_result_is_read_back(foible: Command, tmp_path: Path) -> None:
    words = ("label", GAMES, "--teacher", "club:1300", "--positions", 60, "--out", tmp_path / "labels")
    ran = foible(*words)
    assert ran.code == 0, ran.err
    for word in ("club:1300", "60, ", "first choice played", "bytes a position"):
        assert word in ran.out
    again = foible(*words, "--json")
    assert again.code == 0, again.err
    found = json.loads(again.out)
    assert (found["labelled"], found["wanted"]) == (60, 60)
    assert found.items() <= json.loads((tmp_path / "labels/report.json").read_text()).items()
    assert pl.read_parquet(tmp_path / "labels/plies/*.parquet")["full"].sum() == 60


def test_processes_label_the_same(foible: Command, tmp_path: Path) -> None:
    folders = [tmp_path / "alone", tmp_path / "together"]
    for folder, where in zip(folders, ("inline", "processes:2"), strict=True):
        ran = foible("label", GAMES, "--teacher", "material@3", "--positions", 1500, "--out", folder, "--on", where)
        assert ran.code == 0, ran.err
        assert "1500, " in ran.out
    alone, together = map(snapshot, folders)
    assert alone == together


def test_games_that_cannot_be_read_are_counted_and_positions_of_an_epd_file_are_labelled(
    foible: Command, tmp_path: Path
) -> None:
    pgn, epd = tmp_path / "two.pgn", tmp_path / "one.epd"
    pgn.write_text('[Result "1-0"]\n\n1. e4 e5 2. Qh5 Nc6 1-0\n\n[Result "0-1"]\n\n1. e5 0-1\n')
    epd.write_text("4k3/8/8/8/8/8/4P3/4K3 b - -\n")
    ran = foible("label", pgn, epd, "--teacher", "club:1300", "--out", tmp_path / "labels")
    assert ran.code == 0, ran.err
    assert "two.pgn: 1 games, 4 positions, 1 skipped" in ran.err.replace("\n", "")
    assert "5, 5 of them different" in ran.out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--teacher", "nobody"), "nobody"),
        (("--teacher", "master@1"), "master@2 or more"),
        (("--teacher", "uci:nowhere:depth=1"), "nowhere"),
        (("--teacher", "levels:"), "levels:"),
    ],
)
def test_a_teacher_who_is_not_there_is_said_in_one_line(
    foible: Command, tmp_path: Path, words: tuple[str, ...], message: str
) -> None:
    ran = foible("label", GAMES, *words, "--out", tmp_path / "labels")
    assert ran.code == 2
    assert message in ran.err
    assert ran.err.count("\n") == 1
    assert not (tmp_path / "labels").exists()


def test_other_labels_are_not_written_over(foible: Command, tmp_path: Path) -> None:
    out = ("--positions", 20, "--out", tmp_path / "labels")
    assert foible("label", GAMES, "--teacher", "club", *out).code == 0
    ran = foible("label", GAMES, "--teacher", "master", *out)
    assert ran.code == 2
    assert "teacher" in ran.err
