"""`foible papers`."""

import json
import re
from pathlib import Path

import pytest

from tests.interfaces.cli.command import Command


@pytest.fixture
def evidence(tmp_path: Path) -> Path:
    folder = tmp_path / "evidence"
    folder.mkdir()
    (folder / "plan.toml").write_text(
        "[usual]\neffort = 0.002\ngames = 4\nblock = 4\n[experiments]\nstt-maia = {}\nhb-maia = {}\n"
    )
    return folder


def test_claims_are_played_shown_and_written(foible: Command, evidence: Path, tmp_path: Path) -> None:
    todo = foible("papers", "run", "--plan", "--json", "--evidence", evidence)
    assert [one["experiment"] for one in json.loads(todo.out)] == ["stt-maia", "hb-maia"]

    ran = foible("papers", "run", "stt-maia", "--evidence", evidence, "--work", tmp_path / "work")
    assert ran.code == 0, ran.err
    assert "stt-maia: pairs 0 to 1 filed in" in ran.err

    rows = {
        row["claim"]["name"]: row for row in json.loads(foible("papers", "table", "--json", "--evidence", evidence).out)
    }
    assert rows["stt-maia"]["ours"]["n"] == 4
    assert rows["hb-maia"]["verdict"] == "not run"
    summary = foible("papers", "table", "--evidence", evidence).out
    assert re.search(r"skill-compatible, table 1 +│ +1? │ +│ +1? │ +│ +12 │ +1 │", summary)
    table = foible("papers", "table", "skill-compatible, table 1", "--evidence", evidence).out
    assert "the junior alone" in table
    assert "4 games; " in table
    assert "0.002 of the visits" in table

    page = tmp_path / "page.md"
    page.write_text("<!-- evidence: skill-compatible, table 1 -->\n<!-- end of evidence -->\n")
    assert foible("papers", "write", tmp_path, "--evidence", evidence).out.strip() == str(page)
    assert "0.002 of the visits" in page.read_text()


def test_one_table_is_shown_by_its_words(foible: Command, evidence: Path) -> None:
    shown = foible("papers", "table", "skill-compatible", "table 2", "--json", "--evidence", evidence)
    assert {row["claim"]["source"] for row in json.loads(shown.out)} == {"skill-compatible, table 2"}
    none = foible("papers", "table", "table 77", "--evidence", evidence)
    assert none.code == 2
    assert "skill-compatible, table 2" in none.err


def test_without_a_subcommand_it_is_the_table_with_its_options(foible: Command, evidence: Path) -> None:
    for options in ((), ("--json",)):
        short = foible("papers", "--evidence", evidence, *options)
        assert short.code == 0, short.err
        assert short.out == foible("papers", "table", "--evidence", evidence, *options).out
    assert "Without a subcommand" in foible("papers", "--help").out


def test_hours_are_known_beforehand(foible: Command, evidence: Path) -> None:
    (evidence / "plan.toml").write_text(
        "[usual]\ngames = 400\nblock = 40\n[experiments]\nstt-maia = { hours = 3 }\ngo-7x7-visits = {}\n"
    )
    shown = foible("papers", "run", "--plan", "--evidence", evidence).out
    assert "2 experiments, 3 hours, and 1 of unknown cost" in shown
    todo = json.loads(foible("papers", "run", "--plan", "--json", "--evidence", evidence).out)
    assert {one["experiment"]: one["hours"] for one in todo} == {"go-7x7-visits": None, "stt-maia": 3}


def test_what_cannot_be_run_is_said_and_the_rest_is_run(
    foible: Command, evidence: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr("foible.engines.programs.GAMES", str(tmp_path))
    (evidence / "plan.toml").write_text(
        "[usual]\neffort = 0.002\ngames = 4\nblock = 4\n[experiments]\nstt-maia-stockfish = {}\nstt-maia = {}\n"
    )
    ran = foible("papers", "run", "--evidence", evidence, "--work", tmp_path / "work")
    said = ran.err.splitlines()
    assert ran.code == 0
    assert said[0].startswith("stt-maia-stockfish: passed over: stockfish: cannot be started as a UCI engine")
    assert said[1].startswith("stt-maia: pairs 0 to 1 filed in")
    assert said[2:] == ["passed over: stt-maia-stockfish"]

    alone = foible("papers", "run", "--evidence", evidence, "--work", tmp_path / "work")
    assert alone.code == 2
    assert alone.err.splitlines()[-1] == "foible: nothing could be run; passed over: stt-maia-stockfish"


def test_a_block_that_was_stopped_is_told_and_is_not_taken_for_the_end(
    foible: Command, evidence: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("foible.evidence.run._run", lambda block, workplace: None)
    ran = foible("papers", "run", "--evidence", evidence, "--work", tmp_path / "work")
    assert ran.code == 130
    assert ran.err == "foible: stopped in pairs 0 to 1 of stt-maia; the same command continues\n"


def test_no_block_is_begun_when_the_time_is_over(foible: Command, evidence: Path, tmp_path: Path) -> None:
    ran = foible("papers", "run", "--hours", 0, "--evidence", evidence, "--work", tmp_path / "work")
    assert ran.code == 0
    assert not (tmp_path / "work").exists()


def test_mistakes_get_a_line_that_says_what_would_be_right(foible: Command, evidence: Path, tmp_path: Path) -> None:
    missing = foible("papers", "table", "--evidence", tmp_path / "none")
    assert missing.code == 2
    assert "expected the folder `evidence`" in missing.err
    unknown = foible("papers", "run", "stt-mai", "--evidence", evidence)
    assert unknown.code == 2
    assert "stt-maia" in unknown.err
    assert foible("papers", "write", tmp_path / "none", "--evidence", evidence).code == 2
