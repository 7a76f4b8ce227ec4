"""The lines of other match programs."""

from dataclasses import replace

import pytest

from foible.arena.record import GameRecord
from foible.arena.sprt import Sprt
from foible.arena.tables import cutechess_lines
from tests.arena.scripted import random_match

GAME = random_match(pairs=1)[1]


def games(wins: int, draws: int, losses: int) -> list[GameRecord]:
    """Of a focal team that is White in the second game of each pair."""
    found = []
    for number, score in enumerate([1.0] * wins + [0.5] * draws + [0.0] * losses):
        pair, second = divmod(number, 2)
        white, black = ("focal", "alter") if second else ("alter", "focal")
        result = {0.5: "1/2-1/2", float(second): "1-0"}.get(score, "0-1")
        places = {"pair": pair, "game_in_pair": second + 1, "focal_white": bool(second)}
        found.append(replace(GAME, white=white, black=black, result=result, **places))  # type: ignore[arg-type]
    return found


def test_score_and_elo_are_those_of_cutechess() -> None:
    assert cutechess_lines(games(12, 20, 5)) == [
        "Score of focal vs alter: 12 - 5 - 20  [0.595] 37",
        "...      Elo difference: 66.5 +/- 76.8, LOS: 95.5 %, DrawRatio: 54.1 %",
    ]


@pytest.mark.parametrize(("counts", "elo"), [((4, 0, 0), "inf +/- nan"), ((0, 0, 4), "-inf +/- nan")])
def test_without_a_loss_or_a_win_there_is_no_number(counts: tuple[int, int, int], elo: str) -> None:
    assert f"Elo difference: {elo}," in cutechess_lines(games(*counts))[1]


def test_the_verdict_of_a_test_is_told_with_it() -> None:
    assert "H1 was accepted" in cutechess_lines(games(200, 0, 20), Sprt(0, 50))[2]
    assert "accepted" not in cutechess_lines(games(12, 20, 6), Sprt(0, 50))[2]


def test_without_a_complete_pair_there_is_nothing_to_say() -> None:
    assert cutechess_lines([]) == []
