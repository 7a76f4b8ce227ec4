"""Handicaps, symmetries and scores of Go, and boards without their history."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, strategies as st

from foible._core import Batch, GoPosition, MoveError
from foible.errors import ConfigError
from foible.games.go import (
    SYMMETRIES,
    Rules,
    coordinates,
    fixed_handicap,
    handicap_compensation,
    handicap_start,
    margin_text,
    score_text,
    stones,
    transformed,
    turned,
    vertex_name,
    without_history,
)
from foible.nets.go.evaluator import sources, turn_planes


@st.composite
def positions(draw: st.DrawFn) -> GoPosition:
    size = draw(st.integers(1, 7))
    rules: Rules = draw(st.sampled_from(["chinese", "tromp-taylor"]))
    position = GoPosition(
        size,
        komi=draw(st.integers(-9, 19)) / 2,
        rules=rules,
        black=["A1"] if size > 1 and draw(st.booleans()) else [],
        to_move=draw(st.sampled_from(["black", "white"])),
    )
    for choice in draw(st.lists(st.integers(0, 10**4), max_size=30)):
        if legal := position.legal_moves:
            position = position.play(legal[choice % len(legal)])
    return position


@pytest.mark.parametrize(
    ("size", "number", "vertices"),
    [
        (7, 2, ["C3", "E5"]),
        (7, 4, ["C3", "E5", "C5", "E3"]),
        (8, 3, ["C3", "F6", "C6"]),
        (9, 5, ["C3", "G7", "C7", "G3", "E5"]),
        (12, 2, ["C3", "K10"]),
        (13, 6, ["D4", "K10", "D10", "K4", "D7", "K7"]),
        (19, 7, ["D4", "Q16", "D16", "Q4", "D10", "Q10", "K10"]),
        (19, 8, ["D4", "Q16", "D16", "Q4", "D10", "Q10", "K4", "K16"]),
        (19, 9, ["D4", "Q16", "D16", "Q4", "D10", "Q10", "K4", "K16", "K10"]),
    ],
)
def test_fixed_handicaps_stand_where_gtp_puts_them(size: int, number: int, vertices: list[str]) -> None:
    assert fixed_handicap(size, number) == vertices


@pytest.mark.parametrize("size", range(1, 20))
def test_handicaps_exist_for_the_sizes_and_numbers_of_gtp_and_for_no_others(size: int) -> None:
    most = 0 if size < 7 else 4 if size == 7 or size % 2 == 0 else 9
    for number in range(-1, 12):
        if 2 <= number <= most:
            assert len(set(fixed_handicap(size, number))) == number
        else:
            what = f"handicap {number}: must be from 2 to {most}" if most else "need size 7 or more"
            with pytest.raises(ConfigError, match=what):
                fixed_handicap(size, number)


def test_white_begins_a_handicap_game_and_gets_a_point_for_each_stone() -> None:
    start = handicap_start(19, fixed_handicap(19, 4), komi=0.5)
    assert (start.turn, start.first_mover, start.komi) == ("second", "white", 4.5)
    assert stones(start) == (["D4", "Q4", "D16", "Q16"], [])
    assert handicap_start(19, fixed_handicap(19, 4), komi=0.5, rules="tromp-taylor").komi == 0.5


def test_there_is_no_compensation_for_less_than_two_stones() -> None:
    assert [handicap_compensation("chinese", number) for number in (0, 1, 2, 9)] == [0, 0, 2, 9]


@pytest.mark.parametrize(
    ("komi", "text"), [(0, "B+9"), (8.5, "B+0.5"), (9, "0"), (9.5, "W+0.5"), (-999_999.5, "B+1000008.5")]
)
def test_scores_read_as_in_gtp(komi: float, text: str) -> None:
    assert score_text(GoPosition(3, ["B2"], komi=komi)) == text


def test_margins_read_so_too_whole_or_not() -> None:
    assert [margin_text(one) for one in (3.5, -0.5, 0.0, 12.0, -12)] == ["B+3.5", "W+0.5", "0", "B+12", "W+12"]


@given(positions())
def test_a_board_without_history_has_the_same_stones_and_rules(position: GoPosition) -> None:
    for to_move in ("black", "white"):
        start = without_history(position, to_move)
        assert (start.board, start.komi, start.rules) == (position.board, position.komi, position.rules)
        assert (start.ply, start.first_mover, start.setup) == (0, to_move, stones(position))


@given(st.integers(1, 19))
def test_vertices_and_coordinates_are_each_others_inverse(size: int) -> None:
    for x in range(size):
        for y in range(size):
            assert coordinates(vertex_name(x, y).lower(), size) == (x, y)


@pytest.mark.parametrize("vertex", ["", "I5", "A0", "H1", "A8", "7", "pass", "A١", "A1\n", "A-1"])
def test_a_text_that_is_no_vertex_is_refused(vertex: str) -> None:
    with pytest.raises(MoveError, match="not a vertex from A1 to G7"):
        coordinates(vertex, 7)


def test_symmetries_are_numbered_as_the_nets_number_them() -> None:
    for size in (1, 2, 5, 9, 19):
        points = [vertex_name(x, y) for y in range(size) for x in range(size)] + ["pass"]
        for symmetry in SYMMETRIES:
            table = sources(size)[symmetry]
            assert [turned(points[source], size, symmetry) for source in table] == points


@given(positions())
def test_a_net_sees_a_transformed_position_as_the_turned_planes(position: GoPosition) -> None:
    for symmetry in SYMMETRIES:
        planes = Batch([transformed(position, symmetry)]).planes()
        turn = np.array([symmetry], np.uint8)
        assert np.array_equal(planes, turn_planes(Batch([position]).planes(), turn))


@given(positions())
def test_the_rules_look_the_same_through_every_symmetry(position: GoPosition) -> None:
    size = position.size
    for symmetry in SYMMETRIES:
        seen = transformed(position, symmetry)
        assert (seen.area, seen.komi, seen.rules, seen.turn) == (
            position.area,
            position.komi,
            position.rules,
            position.turn,
        )
        assert Counter(seen.legal_moves) == Counter(turned(move, size, symmetry) for move in position.legal_moves)


def test_the_eight_symmetries_differ_and_make_a_group() -> None:
    board = GoPosition(4, ["B1"])
    seen = [transformed(board, symmetry).moves for symmetry in SYMMETRIES]
    assert sorted(seen) == [["A2"], ["A3"], ["B1"], ["B4"], ["C1"], ["C4"], ["D2"], ["D3"]]
    for first in SYMMETRIES:
        for second in SYMMETRIES:
            assert transformed(transformed(board, first), second).moves in seen


def test_the_pass_stays_and_other_numbers_are_refused() -> None:
    assert turned("PASS", 9, 5) == "pass"
    for symmetry in (-1, 8):
        with pytest.raises(ConfigError, match=f"symmetry {symmetry}: must be from 0 to 7"):
            turned("A1", 9, symmetry)
