"""Table 5: what counts as a plausible engine, and what the table shows."""

from dataclasses import replace

import pytest

from foible.arena.frameworks import Framework
from foible.arena.record import GameRecord
from foible.arena.report import MatchReport, report_on
from foible.training.attune.config import AttuneConfig, FrameworkName
from foible.training.attune.move_prediction import Fit
from foible.training.attune.viability import LEAST, WORSE, ViabilityCell, ViabilityGrid
from tests.training.attune.made_up import records

SENIOR = Fit(policy_loss=2.0, top1=0.5, with_junior=0.4, with_senior=0.8, value_error=0.1)


def report(wins: int, losses: int) -> MatchReport:
    """Of a match with so many won and lost games."""
    games: list[GameRecord] = []
    for number in range(wins + losses):
        focal_white, won = number % 2 == 1, number < wins
        game = replace(records()[0], pair=number // 2, game_in_pair=1 + number % 2, focal_white=focal_white)
        opening = replace(game.opening, fen=f"4k3/8/8/8/8/8/8/4K3 w - - 0 {number + 1}")
        games.append(replace(game, opening=opening, result="1-0" if won == focal_white else "0-1"))
    return report_on(games, Framework("tag_team"))


def grid(*cells: ViabilityCell, framework: FrameworkName = "stt") -> ViabilityGrid:
    return ViabilityGrid(
        AttuneConfig(framework=framework, senior="a", junior="b"), {"SENIOR": SENIOR, "JUNIOR": SENIOR}, cells
    )


def cell(worse: float, wins: int, losses: int) -> ViabilityCell:
    fit = replace(SENIOR, policy_loss=SENIOR.policy_loss + worse)
    return ViabilityCell(1e-5, 1000, fit, report(wins, losses), finished=True)


@pytest.mark.parametrize(
    ("worse", "wins", "plausible"),
    [
        (-0.5, 50, True),
        (WORSE - 0.01, 50, True),
        (WORSE + 0.01, 50, False),
        (WORSE + 0.01, 29, False),
        (-0.5, 29, None),
        (-0.5, 0, False),
    ],
)
def test_an_engine_must_both_predict_and_win(worse: float, wins: int, plausible: bool | None) -> None:
    one = cell(worse, wins, 100 - wins)
    assert grid(one).is_plausible(one) is plausible


def test_a_hand_and_brain_engine_must_win_more_since_its_junior_does() -> None:
    assert LEAST["hb"] > LEAST["stt"]
    one = cell(0.0, 340, 660)
    assert grid(one).is_plausible(one)
    assert grid(one, framework="hb").is_plausible(one) is False


def test_an_engine_as_junior_has_no_place_in_the_tables() -> None:
    with_engine = replace(grid(cell(0.0, 50, 50)), team={"SENIOR": SENIOR})
    assert "junior" not in with_engine.to_json()
    assert [row[0] for row in with_engine.tables()[-1].rows] == ["SENIOR", "rate 1e-05, 1000 games"]


def test_two_games_do_not_tell_what_a_hundred_do() -> None:
    few, many = cell(0.0, 1, 1), cell(0.0, 60, 40)
    found = grid(few, replace(many, games=10))
    assert [found.is_plausible(one) for one in found.cells] == [None, True]
    [marks], _ = (table.rows for table in found.tables())
    assert [str(mark)[0] for mark in marks[1:]] == ["✓", "?"]


def test_games_that_are_repeated_do_not_tell_what_different_ones_do() -> None:
    one = cell(0.0, 60, 40)
    assert one.test is not None
    again = replace(one, test=replace(one.test, different=2))
    assert [grid(each).is_plausible(each) for each in (one, again)] == [True, None]


def test_what_is_not_finished_is_not_judged_and_what_diverged_has_failed() -> None:
    running, diverged = (
        replace(cell(0.0, 50, 50), finished=False),
        ViabilityCell(1.0, 1000, finished=True, diverged=True),
    )
    both = grid(running, diverged)
    assert both.is_plausible(running) is None
    assert both.is_plausible(diverged) is False
    assert not both.finished
    assert [one["plausible"] for one in both.to_json()["cells"]] == [None, False]


def test_the_table_has_a_row_for_each_rate_and_a_column_for_each_number_of_games() -> None:
    good, bad, running = cell(-0.25, 60, 40), cell(0.5, 0, 10), cell(0.0, 5, 5)
    cells = (
        replace(good, lr=1e-5, games=1000),
        replace(bad, lr=1e-3, games=1000),
        replace(running, lr=1e-5, games=100, finished=False),
        ViabilityCell(1e-3, 100, finished=True, diverged=True),
    )
    table, fits = grid(*cells).tables()
    assert table.columns == ("learning rate", "100 games", "1000 games")
    assert table.rows == (
        ("0.001", "✗ diverged", "✗ +0.500, 0.0 %"),
        ("1e-05", "… 0.000, 50.0 ± 22.4 %", "✓ −0.250, 60.0 ± 7.0 %"),
    )
    assert [row[0] for row in fits.rows][:3] == ["SENIOR", "JUNIOR", "rate 1e-05, 1000 games"]
