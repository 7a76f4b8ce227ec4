"""What is agreed before a game of Go: suicide, stones on the board, who begins, komi."""

import pytest

from foible._core import GoPosition, MoveError, PositionError


def test_chinese_rules_are_the_default_and_forbid_suicide() -> None:
    position = GoPosition(5, black=["A1"], white=["A2", "B2", "C1"])
    assert position.rules == "chinese"
    assert "B1" not in position.legal_moves
    with pytest.raises(MoveError, match="suicide"):
        position.play("B1")


def test_suicide_takes_away_the_whole_chain_and_may_not_be_undone() -> None:
    position = GoPosition(5, rules="tromp-taylor", black=["A1"], white=["A2", "B2", "C1"])
    after = position.play("B1")
    assert after.board == ".....\n.....\n.....\nOO...\n..O.."
    assert after.turn == "second"
    with pytest.raises(MoveError, match="superko"):
        after.play("pass").play("A1")


def test_suicide_of_one_stone_repeats_the_board() -> None:
    position = GoPosition(5, rules="tromp-taylor", white=["A2", "B1"])
    assert "A1" not in position.legal_moves
    with pytest.raises(MoveError, match="superko"):
        position.play("A1")


def test_stones_before_the_first_move_count_and_may_not_come_back() -> None:
    ko = GoPosition(5, black=["B3", "A2", "B1", "C2"], white=["C3", "D2", "C1"], to_move="white")
    assert (ko.turn, ko.ply, ko.moves) == ("second", 0, [])
    assert ko.area == 6 - 3
    taken = ko.play("B2")
    assert "C2" not in taken.legal_moves
    with pytest.raises(MoveError, match="superko"):
        taken.play("C2")


def test_white_may_begin() -> None:
    position = GoPosition(7, ["D4", "C3"], to_move="white")
    assert (position.first_mover, position.turn, position.ply) == ("white", "second", 2)
    assert position.board.count("O") == position.board.count("X") == 1
    assert position.board.split("\n")[3] == "...O..."


def test_the_margin_is_the_area_less_the_komi() -> None:
    position = GoPosition(3, ["B2"], komi=2.5)
    assert (position.area, position.margin) == (9, 6.5)
    assert GoPosition(3, komi=-4).margin == 4


def test_another_komi_leaves_the_game_as_it_is() -> None:
    moves = ["B3", "C3", "A2", "D2", "B1", "C1", "C2", "B2"]
    position = GoPosition(5, moves, komi=9.5, rules="tromp-taylor", white=["E5"])
    other = position.with_komi(-1.5)
    assert (other.komi, position.komi) == (-1.5, 9.5)
    assert other == GoPosition(5, moves, komi=-1.5, rules="tromp-taylor", white=["E5"])
    assert other.legal_moves == position.legal_moves
    assert "C2" not in other.legal_moves
    with pytest.raises(PositionError, match=r"multiple of 0\.5"):
        position.with_komi(0.3)


@pytest.mark.parametrize(
    ("black", "white", "reason"),
    [
        (["A1", "B1", "a1"], [], 'stone "a1": the point has a stone already'),
        (["A1"], ["A1"], 'stone "A1": the point has a stone already'),
        (["A1"], ["A2", "B1"], "a chain on the board has no liberty"),
        (["A2", "B1", "B2"], ["A1"], "a chain on the board has no liberty"),
        (["F1"], [], 'stone "F1": not a vertex from A1 to E5'),
        ([], ["pass"], 'stone "pass": not a vertex from A1 to E5'),
    ],
)
@pytest.mark.parametrize("rules", ["chinese", "tromp-taylor"])
def test_stones_that_cannot_stand_there_are_refused(
    rules: str, black: list[str], white: list[str], reason: str
) -> None:
    with pytest.raises(PositionError, match=reason):
        GoPosition(5, rules=rules, black=black, white=white)  # type: ignore[arg-type]


def test_a_full_board_is_no_start() -> None:
    with pytest.raises(PositionError, match="no liberty"):
        GoPosition(1, black=["A1"])


def test_unknown_rules_and_sides_are_refused() -> None:
    with pytest.raises(PositionError, match='rules "japanese": expected chinese or tromp-taylor'):
        GoPosition(7, rules="japanese")  # type: ignore[arg-type]
    with pytest.raises(PositionError, match='to_move "first": expected black or white'):
        GoPosition(7, to_move="first")  # type: ignore[arg-type]
