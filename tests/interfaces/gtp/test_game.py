"""The game that a controller tells: moves out of turn, handicaps, and back again."""

from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from foible._core import GoPosition
from foible.errors import MoveError
from foible.games.go import Colour, turn_of
from foible.interfaces.gtp.game import GtpGame
from tests.interfaces.gtp.talk import Talk

COLOURS: list[Colour] = ["black", "white"]


@given(st.lists(st.tuples(st.sampled_from(COLOURS), st.integers(0, 100)), max_size=40))
def test_undo_leads_back_through_everything_that_was_played(tried: list[tuple[Colour, int]]) -> None:
    game = GtpGame.new(3, 1.5, "chinese")
    earlier = []
    for colour, number in tried:
        legal = game.at_move(colour).legal_moves
        earlier.append(game)
        game = game.play(colour, legal[number % len(legal)], f"remark {number}")
        assert game.position.ply == len(game.stretches[-1].remarks)
        assert game.plies == len(earlier)
    for before in reversed(earlier):
        back = game.undo()
        assert back == before
        game = before
    assert game.undo() is None


@given(st.lists(st.integers(0, 100), max_size=40))
def test_in_turn_the_whole_history_is_kept(numbers: list[int]) -> None:
    game, position = GtpGame.new(4, 0.5, "tromp-taylor"), GoPosition(4, komi=0.5, rules="tromp-taylor")
    for number in numbers:
        legal = position.legal_moves
        if not legal:
            break
        move = legal[number % len(legal)]
        game, position = game.play(turn_of(position), move), position.play(move)
    assert game.position == position
    assert len(game.stretches) == 1


def test_a_second_move_of_the_same_side_begins_anew_with_the_stones_that_stand() -> None:
    talk = Talk()
    talk.all("play b C3", "play b D3", "play b C4", "play w E3")
    assert talk("move_history") == "white E3\nblack C4"
    position = talk.session.game.position
    assert position.setup == (["C3", "D3"], [])
    assert position.board.split("\n")[-3] == "..XXO.."
    talk.all("undo", "undo", "undo", "undo")
    assert talk.session.game.is_empty
    assert talk.fails("undo") == "cannot undo"


def test_the_game_may_go_on_after_two_passes() -> None:
    talk = Talk()
    talk.all("play b C3", "play w pass", "play b pass", "play w D3", "play b pass")
    assert talk("final_score") == "W+9.5"
    assert talk("all_legal w").split()[:3] == ["A1", "B1", "C1"]
    talk.all("undo", "undo")
    assert talk.session.game.position.moves == ["C3", "pass", "pass"]


@pytest.mark.parametrize(
    ("before", "line"),
    [
        ([], "play b H1"),
        ([], "play b A8"),
        (["play b C3"], "play w C3"),
        (["play b A2", "play w G7", "play b B1"], "play w A1"),
        # The ko: White may not take back at once.
        (["b B1", "w C1", "b A2", "w D2", "b B3", "w C3", "b C2", "w B2"], "play b C2"),
    ],
)
def test_an_illegal_move_changes_nothing(before: list[str], line: str) -> None:
    talk = Talk()
    for move in before:
        talk(move if move.startswith("play") else f"play {move}")
    assert talk.fails(line) == "illegal move"
    assert talk.logged


def test_superko_looks_back_over_the_whole_game_and_not_beyond_its_start() -> None:
    moves = "b B1,w C1,b A2,w D2,b B3,w C3,b C2,w B2"
    talk = Talk()
    for move in moves.split(","):
        talk(f"play {move}")
    talk.all("play b G7", "play w G1")
    assert talk("play b C2") == ""
    assert talk.fails("play w B2") == "illegal move"
    talk.all("undo", "undo", "undo")
    assert talk.fails("play b C2") == "illegal move"


def test_fixed_handicap_stands_where_the_protocol_says_and_white_moves() -> None:
    talk = Talk()
    talk("boardsize 9")
    talk("komi 0.5")
    assert talk("fixed_handicap 4") == "C3 G7 C7 G3"
    assert talk.session.game.komi == 0.5
    assert talk.session.game.position.komi == 4.5
    assert turn_of(talk.session.game.position) == "white"
    assert talk.fails("fixed_handicap 2") == "board not empty"
    assert talk.fails("undo") == "cannot undo"
    talk.all("komi 6.5", "play w E5")
    assert (talk.session.game.komi, talk.session.game.position.komi) == (6.5, 10.5)
    assert talk("final_score") == "W+7.5"


@pytest.mark.parametrize(("size", "number"), [(9, 1), (9, 10), (7, 5), (8, 5), (6, 2), (5, 2)])
def test_a_number_of_stones_that_is_not_defined_is_refused(size: int, number: int) -> None:
    talk = Talk()
    talk(f"boardsize {size}")
    assert talk.fails(f"fixed_handicap {number}") == "invalid number of stones"


def test_free_handicap_may_be_fewer_stones() -> None:
    talk = Talk()
    assert talk("place_free_handicap 30") == "C3 E5 C5 E3"
    assert talk.session.game.handicap == 4
    assert talk.fails("place_free_handicap 2") == "board not empty"
    talk("clear_board")
    assert talk.fails("place_free_handicap 1") == "invalid number of stones"
    talk("boardsize 5")
    assert talk.fails("place_free_handicap 2") == "invalid number of stones"


def test_the_controller_may_put_the_stones_where_it_likes() -> None:
    talk = Talk()
    assert talk("set_free_handicap A1 b2 C3") == ""
    assert talk("showboard").count("X") == 3
    talk("clear_board")
    assert talk.session.game.handicap == 0
    for bad in ("A1", "A1 A1", "A1 pass", "A1 H1", " ".join(talk("all_legal").split())):
        assert talk.fails(f"set_free_handicap {bad}") == "bad vertex list"
    assert talk.fails("set_free_handicap") == "syntax error"
    assert talk.fails("set_free_handicap A1 I1") == "syntax error"


def test_by_tromp_taylor_white_gets_nothing_for_handicap_stones_and_suicide_is_allowed() -> None:
    talk = Talk()
    talk.all("kata-set-rules tromp-taylor", "fixed_handicap 2")
    assert talk.session.game.position.komi == 9.5
    talk("clear_board")
    talk.all("play b A2", "play w A1", "play b B2", "play w G7", "play b C1", "play w B1")
    assert talk("showboard").count("O") == 1
    assert '"suicide": true' in talk("kata-get-rules")
    # What was played is not allowed by other rules: nothing changes.
    assert "suicide" in talk.fails("kata-set-rules chinese")
    assert talk.fails("kata-set-rules japanese").startswith("unsupported rules")
    talk.all("undo", "kata-set-rules chinese")
    assert talk.fails("play w B1") == "illegal move"


@pytest.mark.parametrize("size", [0, 20, 25, 2147483647])
def test_a_board_that_is_too_large_is_refused(size: int) -> None:
    assert Talk().fails(f"boardsize {size}") == "unacceptable size"


def test_komi_stays_from_game_to_game_and_may_be_a_whole_number() -> None:
    talk = Talk()
    assert talk("final_score") == "W+9.5"
    assert talk.all("komi 9", "clear_board", "play b D4", "final_score")[-1] == "B+40"
    assert talk.all("komi 49", "final_score")[-1] == "0"
    assert talk.all("komi -3.5", "boardsize 5", "final_score")[-1] == "B+3.5"
    assert "multiple of 0.5" in talk.fails("komi 6.2")
    assert "komi" in talk.fails("komi 1e300")


def test_without_a_word_the_komi_is_that_of_the_board() -> None:
    talk = Talk()
    assert [talk.all(f"boardsize {size}", "final_score")[-1] for size in (7, 9, 19)] == ["W+9.5", "W+7.5", "W+7.5"]


def test_a_game_that_was_written_is_read_back(tmp_path: Path) -> None:
    path = tmp_path / "my game.sgf"
    talk = Talk()
    talk.all("komi 3.5", "fixed_handicap 3", "play w D4", "genmove b", "genmove w")
    talk(f"printsgf {path}")
    board, moves, history = talk("showboard"), talk.session.game.position.moves, talk("move_history")
    assert "margin=" in path.read_text()
    other = Talk()
    other(f"loadsgf {path}")
    assert other("move_history") == history
    assert other("showboard") == board
    assert (other.session.game.komi, other.session.game.handicap, other.session.game.compensation) == (3.5, 3, 3)
    other(f"loadsgf {path} 2")
    assert other.session.game.position.moves == moves[:1]
    other(f"loadsgf {path} 1")
    assert other.session.game.position.moves == []
    other(f"loadsgf {path} 99")
    assert other("showboard") == board
    other("undo")
    assert other.session.game.position.moves == moves[:2]


@pytest.mark.parametrize(("rules", "points"), [("Japanese", 0), ("AGA", 3), ("Chinese", 4), ("Tromp-Taylor", 0)])
def test_a_handicap_by_other_rules_has_the_komi_of_its_record(tmp_path: Path, rules: str, points: int) -> None:
    path, again = tmp_path / "game.sgf", tmp_path / "again.sgf"
    path.write_text(f"(;SZ[9]KM[0.5]HA[4]RU[{rules}]AB[cc][gg][cg][gc];W[ee])")
    talk = Talk()
    talk(f"loadsgf {path}")
    assert talk("showboard").endswith("komi 0.5, handicap 4")
    assert talk.session.game.position.komi == 0.5 + points
    talk.all(f"printsgf {again}", "komi 2.5")
    assert talk.session.game.position.komi == 2.5 + points
    talk(f"loadsgf {again}")
    assert (talk.session.game.komi, talk.session.game.position.komi) == (0.5, 0.5 + points)
    talk.all("kata-set-rules tromp-taylor", "kata-set-rules chinese")
    assert (talk.session.game.komi, talk.session.game.compensation) == (0.5, 4)


@pytest.mark.parametrize(
    "moves",
    [
        "b C3,b D3,w B2",
        "w C3,w pass,b D4",
        "b C3,w pass,b pass,w D3,b pass,b E3",
        "b C3,w pass,b pass,b D3",
    ],
)
def test_a_record_holds_all_moves_whatever_their_order(tmp_path: Path, moves: str) -> None:
    path, talk, other = tmp_path / "game.sgf", Talk(), Talk()
    talk.all("boardsize 5", *(f"play {move}" for move in moves.split(",")), "genmove b", "komi 3.5", f"printsgf {path}")
    text = path.read_text()
    assert [text.count(f";{colour}[") for colour in "BW"] == [f"{moves},b".count(colour) for colour in "bw"]
    assert "C[margin=" in text
    other(f"loadsgf {path}")
    assert other("showboard") == talk("showboard")
    assert other("move_history") == talk("move_history")
    for _ in range(len(moves.split(",")) + 1):
        assert other.all("undo", "showboard")[-1] == talk.all("undo", "showboard")[-1]
    assert other.fails("undo") == "cannot undo"


def test_stones_that_a_record_sets_up_on_the_way_begin_the_game_anew(tmp_path: Path) -> None:
    path, talk = tmp_path / "game.sgf", Talk()
    path.write_text("(;SZ[5];B[aa];W[bb];AB[cc]AE[aa];W[dd])")
    talk(f"loadsgf {path}")
    assert talk("move_history") == "white D2"
    assert talk.session.game.position.setup == (["C3"], ["B4"])
    talk(f"loadsgf {path} 2")
    assert talk("move_history") == "black A5"
    path.write_text("(;SZ[5]B[aa];W[bb])")
    assert talk.all(f"loadsgf {path} 1", "move_history")[-1] == ""
    assert talk.all(f"loadsgf {path}", "move_history")[-1] == "white B4\nblack A5"


def test_a_record_that_cannot_be_written_is_refused(tmp_path: Path) -> None:
    talk = Talk()
    for path in (tmp_path / "none" / "x.sgf", tmp_path):
        assert talk.fails(f"printsgf {path}") == "cannot save file"
        assert str(path) in talk.logged[-1]


def test_a_file_that_cannot_be_read_changes_nothing(tmp_path: Path) -> None:
    talk = Talk()
    talk("play b C3")
    (tmp_path / "chess.pgn").write_text("1. e4 e5 *")
    (tmp_path / "large.sgf").write_text("(;SZ[25])")
    (tmp_path / "illegal.sgf").write_text("(;SZ[7];B[aa];W[aa])")
    for name in ("none.sgf", "chess.pgn", "large.sgf", "illegal.sgf", "."):
        assert talk.fails(f"loadsgf {tmp_path / name}") == "cannot load file"
    assert len(talk.logged) == 5


def test_the_record_of_a_finished_game_tells_the_result() -> None:
    talk = Talk()
    talk.all("play b D4", "play w pass")
    assert "RE[" not in talk("printsgf")
    assert "RE[B+39.5]" in talk.all("play b pass", "printsgf")[-1]


def test_undo_keeps_what_is_agreed() -> None:
    game = (
        GtpGame.new(5, 1.5, "chinese").play("black", "C3").play("black", "D3").with_komi(2.5).by_rules("tromp-taylor")
    )
    back = game.undo()
    assert back is not None
    assert (back.komi, back.rules, back.position.moves) == (2.5, "tromp-taylor", ["C3"])


def test_a_game_is_empty_until_a_stone_stands_on_the_board() -> None:
    game = GtpGame.new(5, 1.5, "chinese").play("black", "pass")
    assert game.is_empty
    assert not game.play("white", "C3").is_empty
    with pytest.raises(MoveError):
        game.play("white", "C9")
