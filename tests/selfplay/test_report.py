"""Counts of results and of resignations, against counting by hand."""

import pytest

from foible.arena.record import Result
from foible.selfplay.config import ResignationConfig, SelfplayConfig
from foible.selfplay.record import GameSummary
from foible.selfplay.report import report_on, resignations
from tests.selfplay.made_up import summary

PLAYED_OUT: list[tuple[bool | None, Result]] = [
    (True, "0-1"),  # White was ready to resign and lost: right
    (True, "0-1"),
    (False, "1-0"),  # Black, right
    (True, "1/2-1/2"),  # wrong: a draw
    (False, "1/2-1/2"),  # wrong: a draw
    (False, "0-1"),  # wrong: Black even won
    (None, "1-0"),  # nobody was ready
    (None, "1/2-1/2"),
]


def games() -> list[GameSummary]:
    tested = [
        summary(game, result, played_out=True, resign_white=white, resign_ply=None if white is None else 30)
        for game, (white, result) in enumerate(PLAYED_OUT)
    ]
    resigned = summary(8, "1-0", resign_white=False, resign_ply=2, termination="resignation")
    return [*tested, resigned, summary(9, "0-1"), summary(10)]


def test_wrong_resignations_are_counted_in_the_games_played_out() -> None:
    found = resignations(games())
    assert found.resigned == 1
    assert (found.false.count, found.false.n) == (3, 6)
    assert found.won == 1


def test_the_report_counts_every_game_once() -> None:
    found = report_on(games(), SelfplayConfig(games=20, resignation=ResignationConfig()), None)
    assert (found.white, found.draws, found.black) == (3, 4, 4)
    assert found.decisive_ratio.value == pytest.approx(7 / 4)
    assert found.terminations == {"checkmate": 6, "stalemate": 4, "resignation": 1}
    low, high = found.decisive_ratio.low, found.decisive_ratio.high
    assert low is not None
    assert high is not None
    assert low < 7 / 4 < high
    said = found.to_json()
    assert said["games"] == 11
    assert said["asked"] == 20
    assert said["resignations"]["false_share"] == 0.5


def test_the_report_does_not_tell_in_which_order_games_ended() -> None:
    ended = [summary(0, "1-0"), summary(1), summary(2, termination="max_plies"), summary(3, "0-1")]
    reports = [report_on(order, SelfplayConfig(), None).to_json() for order in (ended, ended[::-1])]
    assert [list(report["terminations"]) for report in reports] == [["checkmate", "max_plies", "stalemate"]] * 2


def test_without_draws_the_ratio_has_a_lower_bound_alone() -> None:
    found = report_on([summary(0, "1-0"), summary(1, "0-1")], SelfplayConfig(), None)
    assert found.decisive_ratio.value is None
    assert found.decisive_ratio.high is None
    assert found.decisive_ratio.low is not None
    assert found.decisive_ratio.low > 0.4
    assert "resignations" not in found.to_json()
