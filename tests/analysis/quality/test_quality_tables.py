"""That the tables show the statistics in their places, with the paper's signs."""

from pathlib import Path

import polars as pl
import pytest

from foible.analysis.estimates import Estimate, mean
from foible.analysis.quality import quality_tables
from foible.analysis.quality.analysed_games import read_games
from foible.analysis.quality.hypothetical_moves import agreement_matrix, induced_losses
from foible.analysis.quality.move_losses import losses, tag_team_losses, team_losses
from foible.analysis.quality.partners import (
    exceedance,
    hand_losses,
    interactions,
    loss_by_win_probability,
    tag_team_effects,
)
from foible.analysis.quality.plies_table import INDUCED, table_of
from foible.analysis.report_page import Table
from foible.judges.base import Score, exact_score
from foible.judges.net import NetJudge
from foible.loop import wait
from foible.nets.shelf import NetShelf
from tests.analysis.quality.runs import random_run, run_of

TEAMS = ("F", "A")


def plies_of(run: Path) -> pl.DataFrame:
    judge = NetJudge(NetShelf().evaluator("material"))

    def score(position: object) -> Score:
        return exact_score(position) or wait(judge.judge([position]))[0]  # type: ignore[arg-type, list-item]

    return table_of(read_games(run).games, score)


@pytest.fixture(scope="module")
def tag_team(tmp_path_factory: pytest.TempPathFactory) -> pl.DataFrame:
    return plies_of(random_run(tmp_path_factory.mktemp("dice") / "run", games=8))


@pytest.fixture(scope="module")
def hands(tmp_path_factory: pytest.TempPathFactory) -> pl.DataFrame:
    return plies_of(run_of("hand_brain", tmp_path_factory.mktemp("hands") / "run", games=4))


def cell(table: Table, row: str, column: str) -> object:
    [found] = [line for line in table.rows if line[0] == row]
    return found[table.columns.index(column)]


def test_losses_of_members_and_their_differences(tag_team: pl.DataFrame) -> None:
    table = quality_tables.tag_team_table(tag_team_losses(tag_team), tag_team_losses(tag_team, "loss_raw"), *TEAMS)
    mine = tag_team.filter(pl.col("focal") & ~pl.col("senior"))
    junior = cell(table, "F: junior", "loss")
    assert isinstance(junior, Estimate)
    assert junior.value == pytest.approx(mine["loss"].mean())
    assert cell(table, "F: junior", "moves") == mine.height
    raw = cell(table, "F: junior", "gains counted")
    assert isinstance(raw, Estimate)
    assert raw.value == pytest.approx(mine["loss_raw"].mean())
    values = {row[0]: row[1].value or 0.0 for row in table.rows if isinstance(row[1], Estimate)}
    assert values["Δ seniors"] == pytest.approx(values["A: senior"] - values["F: senior"])
    assert values["Δ teams"] == pytest.approx(values["Δ seniors"] + values["Δ juniors"])


def test_sides_without_seniors(hands: pl.DataFrame) -> None:
    table = quality_tables.teams_table(team_losses(hands), team_losses(hands, "loss_raw"), *TEAMS)
    assert [row[0] for row in table.rows] == ["A", "F", "Δ"]
    assert cell(table, "A", "loss") == mean(losses(hands, focal=False))


def test_helping_has_the_sign_of_the_paper_and_stands_beside_the_definition(tag_team: pl.DataFrame) -> None:
    effects = tag_team_effects(tag_team)
    table = quality_tables.effects_table(effects, *TEAMS)
    printed = cell(table, "helping, junior between: −I(J_par, 0)", "F")
    raw = cell(table, "  I(J_par, 0)", "F")
    assert isinstance(printed, Estimate)
    assert isinstance(raw, Estimate)
    assert raw.value is not None
    assert printed.value == -raw.value
    assert cell(table, "tricking: I(J_opp, ∅)", "A") == effects.alter.tricking.difference
    difference = cell(table, "tricking: I(J_opp, ∅)", "difference")
    assert isinstance(difference, Estimate)
    assert effects.focal.tricking.difference.value is not None
    assert effects.alter.tricking.difference.value is not None
    assert difference.value == pytest.approx(
        effects.focal.tricking.difference.value - effects.alter.tricking.difference.value
    )


def test_hands_and_brains_in_both_forms(hands: pl.DataFrame) -> None:
    argmax, sampled = (
        [hand_losses(hands, focal=team, unforced=form) for team in (False, True)] for form in ("argmax", "sampled")
    )
    table = quality_tables.hand_losses_table(argmax, sampled, *TEAMS)
    by_what = {row[0]: row for row in table.rows}
    assert len(by_what) == len(table.rows)
    true, likeliest, savings = (row[3] for row in table.rows[:3])
    for estimate in (true, likeliest, savings):
        assert isinstance(estimate, Estimate)
        assert estimate.value is not None
    assert savings.value == pytest.approx(likeliest.value - true.value)  # type: ignore[union-attr, operator]
    met = [[interactions(hands, focal=team, unforced=form) for team in (False, True)] for form in ("sampled", "argmax")]
    both = quality_tables.interactions_table(met[0], met[1], *TEAMS)
    shares = [row[2].value for row in both.rows if row[1] == "drawn" and str(row[0]).endswith(": F")]  # type: ignore[union-attr]
    assert sum(shares) == pytest.approx(100)  # type: ignore[arg-type]


def test_induced_losses_stand_under_the_senior_that_induces_them() -> None:
    rows = [(0, 0, 0, False, 1.0, 4.0), (0, 0, 1, True, 2.0, 8.0), (1, 1, 0, False, 3.0, None)]
    boards = pl.DataFrame(rows, schema=INDUCED, orient="row")
    table = quality_tables.induced_table(induced_losses(boards), *TEAMS, every=5)
    assert [c.value for c in table.rows[0][1:4]] == [2.0, 4.0, 3.0]  # type: ignore[union-attr]
    assert [c.value for c in table.rows[1][1:4]] == [2.0, 8.0, 6.0]  # type: ignore[union-attr]
    assert table.columns[1:3] == ("senior of A", "senior of F")
    assert "one ply in 5" in table.note


def test_the_numbers_of_the_figures(tag_team: pl.DataFrame) -> None:
    found = quality_tables.exceedance_table(exceedance(tag_team, focal=False), exceedance(tag_team, focal=True), *TEAMS)
    assert [row[0] for row in found.rows[:5]] == [f"≥ {t}: A" for t in (1, 2, 5, 10, 20)]
    bins = quality_tables.bins_table(loss_by_win_probability(tag_team), *TEAMS)
    assert [row[0] for row in bins.rows][::9] == ["0 … 10 %", "90 … 100 %"]
    juniors = tag_team.filter(~pl.col("senior")).height
    assert sum(row[4] for row in bins.rows if isinstance(row[4], int)) == juniors
    choices = pl.DataFrame({"pair": [0, 0, 1], "A": ["e2e4", "d2d4", "c2c4"], "B": ["e2e4", "e2e4", None]})
    matrix = quality_tables.agreement_table(agreement_matrix(choices))
    assert cell(matrix, "A", "B").value == 50  # type: ignore[attr-defined]
    assert "3 positions" in matrix.note


def test_one_win_probability_in_terms_of_the_other() -> None:
    estimates = Estimate(9, 3, 2.0, 0.1, 0.1), Estimate(9, 3, 1.2, 0.1, 0.1)
    table = quality_tables.modes_table(
        [("A", *estimates), ("F", Estimate(9, 3, 0.0, None, None), estimates[1])], "compat-2019"
    )
    assert [row[3] for row in table.rows] == [pytest.approx(0.6), None]
