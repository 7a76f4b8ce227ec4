"""Documents are written from the evidence, and those of this repository are as it says."""

import json
import re
from pathlib import Path

import pytest

from foible.errors import ConfigError
from foible.evidence.claims import all_claims
from foible.evidence.documents import ALL, in_words, write, written
from foible.evidence.figures import Figure
from foible.evidence.run import read_plan
from foible.evidence.verdicts import Row, standing
from tests.evidence.made import block, keep

ROOT = Path(__file__).parents[2]
PAGE = "Before.\n\n<!-- evidence: {} -->\nold\n<!-- end of evidence -->\n\nAfter.\n"
SOURCE = "skill-compatible, table 1"


def test_the_documents_show_what_the_evidence_says() -> None:
    rows = standing(ROOT / "evidence", read_plan(ROOT / "evidence" / "plan.toml"))
    for path in (ROOT / "docs").glob("*.md"):
        text = path.read_text("utf-8")
        assert written(text, rows, path.name) == text, "`foible papers write docs` writes it anew"


def test_every_claim_stands_in_the_documents_once() -> None:
    texts = (path.read_text("utf-8") for path in (ROOT / "docs").glob("*.md"))
    shown = [found[1] for text in texts for found in re.finditer(r"<!-- evidence: ([^>]+) -->", text)]
    assert sorted(shown) == sorted({ALL, *(claim.source for claim in all_claims())})


FIGURE = re.compile(r"(?<![\d.])−?\d+(?:\.\d+)? ± \d+(?:\.\d+)?")


@pytest.mark.parametrize("page", ["docs/results.md", "python/foible/nets/shipped/README.md"])
def test_what_the_papers_page_tells_of_an_experiment_is_told_nowhere_else(page: str) -> None:
    """A figure by itself says little: among a thousand figures of two or three digits the same ones come up by chance
    (45.1 ± 0.9 % is a win probability on one page and a share of moves on another), and units stand in the heads of
    tables. So a figure is told twice where the section that holds it also names the experiment, by its name or by the
    file of its configuration, as every section that tells of one does.
    """
    told = figures_of_experiments((ROOT / "docs" / "papers.md").read_text("utf-8"))
    twice = figures_told_twice((ROOT / page).read_text("utf-8"), told)
    assert twice == [], f"{page}: docs/papers.md tells these, from what is kept; link to it instead"


def test_a_figure_beside_the_name_of_its_experiment_is_found_and_a_figure_alone_is_not() -> None:
    told = {"stt-exp": {"66.5 ± 0.5"}, "benchmarks/experts.toml": {"5.891 ± 0.057"}}
    page = "## Matches\n`foible match --preset stt-exp`: 66.5 ± 0.5.\n"
    assert figures_told_twice(page, told) == ["Matches: 66.5 ± 0.5 (stt-exp)"]
    page = "# Losses\n`foible experts benchmarks/experts.toml`\n| 5.891 ± 0.057 | 66.5 ± 0.5 |\n"
    assert figures_told_twice(page, told) == ["Losses: 5.891 ± 0.057 (benchmarks/experts.toml)"]
    assert figures_told_twice("## Other\n66.5 ± 0.5 %\n## Matches\n`stt-exp`: 166.5 ± 0.5\n", told) == []


def test_figures_are_known_by_the_names_and_the_configurations_of_their_experiments() -> None:
    told = figures_of_experiments((ROOT / "docs" / "papers.md").read_text("utf-8"))
    assert told.keys() >= {"stt-exp", "antimaia", "experts-losses", "benchmarks/experts.toml", "examples/go/match.toml"}
    assert told["benchmarks/experts.toml"] >= told["experts-losses"]


def figures_of_experiments(papers: str) -> dict[str, set[str]]:
    """The figures in the tables, by the names of the experiments that they are of and by the files that these run."""
    told: dict[str, set[str]] = {}
    for row in re.findall(r"^\|.*", papers, re.MULTILINE):
        command = row.split("|")[2]
        named = [name for name in re.findall(r"[\w.-]+", command) if (ROOT / "evidence" / name).is_dir()]
        reports = [path for name in named if (path := ROOT / "evidence" / name / "report.json").exists()]
        commands = [command, *(json.loads(path.read_text("utf-8"))["command"] for path in reports)]
        for key in [*named, *re.findall(r"\S+\.toml", " ".join(commands).replace("`", " "))]:
            told.setdefault(key, set()).update(FIGURE.findall(row))
    return told


def figures_told_twice(page: str, told: dict[str, set[str]]) -> list[str]:
    """The figures that stand in a section beside the name of their experiment."""
    found = []
    for section in re.split(r"^#+ ", page, flags=re.MULTILINE):
        shown = set(FIGURE.findall(section))
        words = set(re.findall(r"[\w./-]+", section))
        title = section.split("\n", 1)[0]
        found += [f"{title}: {figure} ({key})" for key in words & told.keys() for figure in shown & told[key]]
    return sorted(found)


def test_a_table_is_written_between_its_marks_and_nothing_else_is_touched(tmp_path: Path) -> None:
    keep(tmp_path / "evidence" / "stt-exp", [block(0, "WW WD LL WW WL")], effort=0.1)
    rows = standing(tmp_path / "evidence", {})
    text = written(PAGE.format(SOURCE), rows, "page")
    assert text.startswith(f"Before.\n\n<!-- evidence: {SOURCE} -->\n\n| claim |")
    assert text.endswith("|\n\n<!-- end of evidence -->\n\nAfter.\n")
    (line,) = (line for line in text.splitlines() if "`foible match --preset stt-exp`" in line)
    assert "| 66.5 ± 0.5 % | 65.0 ± 18.7 % (10 games; 100 evaluations; 1 min; 0.1 of the visits) |" in line
    assert "| −0.1 | undecided, p 0.468" in line
    assert written(text, rows, "page") == text


def test_all_tables_are_counted_by_verdict(tmp_path: Path) -> None:
    keep(tmp_path / "evidence" / "stt-exp", [block(0, "WW WD LL WW WL")])
    text = written(PAGE.format(ALL), standing(tmp_path / "evidence", {}), "page")
    lines = text.splitlines()
    assert "| table | confirmed | refuted | undecided | measured | not run | out of reach | agree | differ |" in lines
    assert "| skill-compatible, table 1 |  |  | 1 |  | 12 | 1 | 1 |  |" in lines
    assert any(line.startswith("| all |  |  | 1 |  | ") for line in lines)


@pytest.mark.parametrize(
    ("value", "error", "words"),
    [
        (2.778, 0.0, "2.778 ± 0 nats"),
        (52.448, 0.05, "52.45 ± 0.05 nats"),
        (76.08, 1.8, "76.1 ± 1.8 nats"),
        (2.97, 0.0012, "2.970 ± 0.001 nats"),
        (25.0, None, "25 nats"),
    ],
)
def test_a_figure_has_the_digits_that_its_error_leaves(value: float, error: float | None, words: str) -> None:
    assert in_words(Figure(value, error, 2, "seeds"), "nats") == words


def test_only_documents_that_change_are_written(tmp_path: Path) -> None:
    page, other = tmp_path / "page.md", tmp_path / "other.md"
    page.write_text(PAGE.format(SOURCE))
    other.write_text("nothing\n")
    rows = standing(tmp_path, {})
    assert write(tmp_path, rows) == [page]
    assert write(tmp_path, rows) == []


def test_an_unknown_table_is_refused_with_those_that_there_are(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"page: evidence of 'table 77'.*skill-compatible, table 1"):
        written(PAGE.format("table 77"), standing(tmp_path, {}), "page")


def rows_of(folder: Path, source: str = SOURCE) -> list[Row]:
    plan = read_plan(folder / "plan.toml") if (folder / "plan.toml").exists() else {}
    return [row for row in standing(folder, plan) if row.claim.source == source]


def test_the_readme_says_what_exp_wins_and_what_it_costs() -> None:
    (exp,) = (row.ours for row in rows_of(ROOT / "evidence") if row.claim.evidence == "stt-exp")
    assert exp is not None
    assert exp.standard_error is not None
    leela, plies = evaluations_and_plies("stt-leela")
    each = leela / 2 / plies  # of LEELA's two teams, a ply of the game
    both, plies = evaluations_and_plies("stt-exp")
    times = {8: "eight", 9: "nine", 10: "ten"}[round((both - each * plies) / (each * plies))]
    readme = " ".join((ROOT / "README.md").read_text("utf-8").split())
    assert f"takes {exp.value:.0f} ± {exp.standard_error:.0f} % of the points" in readme
    assert f"evaluates some {times} times as many positions a move" in readme


def evaluations_and_plies(experiment: str) -> tuple[int, int]:
    """Of all games that are filed."""
    blocks = [json.loads(path.read_text("utf-8")) for path in (ROOT / "evidence" / experiment).glob("*/*.json")]
    evaluations = sum(sum(block["evaluations"].values()) for block in blocks)
    return evaluations, sum(sum(pair) for block in blocks for pair in block["plies"])
