"""Go games as SGF: written and read back, and read as other programs write them."""

import gzip
import random
import re
from pathlib import Path
from typing import Literal

import pytest
from hypothesis import given, strategies as st
from sgfmill import sgf as sgfmill_sgf

from foible._core import GoPosition
from foible.errors import ConfigError, GameFileError
from foible.games.go import fixed_handicap, handicap_start, stones
from foible.games.sgf import SgfGame, SgfNode, read_sgf, walk_sgf
from foible.games.sgf_writing import sgf_text, write_sgf
from tests.shared_data import shared

NAMES = {"chinese": "Chinese", "tromp-taylor": "Tromp-Taylor"}
# SGF has no white space but blanks and line breaks.
TEXTS = st.text(st.characters(codec="utf-8", exclude_characters="\t\v\f\r"), max_size=30)


def random_game(size: int, rules: Literal["chinese", "tromp-taylor"], plies: int, seed: int) -> GoPosition:
    rng = random.Random(seed)
    points = [f"{column}{row + 1}" for column in "ABCDEFGHJKLMNOPQRST"[:size] for row in range(0, size, 2)]
    placed = rng.sample(points, rng.choice((0, 0, size // 2)))
    position = GoPosition(
        size,
        komi=rng.randint(-40, 40) / 2,
        rules=rules,
        black=placed[::2],
        white=placed[1::2],
        to_move=rng.choice(("black", "white")),
    )
    for _ in range(plies):
        if legal := position.legal_moves:
            position = position.play(rng.choice(legal))
    return position


@st.composite
def games(draw: st.DrawFn) -> SgfGame:
    size = draw(st.integers(1, 19))
    rules: Literal["chinese", "tromp-taylor"] = draw(st.sampled_from(["chinese", "tromp-taylor"]))
    position = random_game(size, rules, draw(st.integers(0, 40)), draw(st.integers(0, 2**32)))
    comments = draw(st.lists(TEXTS, min_size=position.ply, max_size=position.ply))
    return SgfGame(
        position,
        black=draw(TEXTS),
        white=draw(TEXTS),
        result=draw(st.sampled_from(["", "B+R", "W+3.5", "0"])),
        handicap=draw(st.integers(0, min(size * size, 9))),
        rules=NAMES[rules],
        comment=draw(TEXTS),
        comments=tuple(comments) if any(comments) else (),
    )


@given(games())
def test_what_is_written_is_read_back(game: SgfGame) -> None:
    text = sgf_text(game)
    assert list(read_sgf(text)) == [game]
    assert list(read_sgf(text.encode())) == [game]


@given(st.lists(games(), min_size=1, max_size=3))
def test_a_collection_is_read_back_in_its_order(records: list[SgfGame]) -> None:
    assert list(read_sgf("\n".join(map(sgf_text, records)))) == records


def test_a_file_is_written_and_read_packed_or_not(tmp_path: Path) -> None:
    game = SgfGame(GoPosition(9, ["D4", "pass"]), black="Jörg", white="黒", rules="Chinese", comments=("", "«x]\\"))
    write_sgf([game, game], tmp_path / "games.sgf")
    packed = tmp_path / "games.sgf.gz"
    packed.write_bytes(gzip.compress((tmp_path / "games.sgf").read_bytes()))
    assert list(read_sgf(tmp_path / "games.sgf")) == list(read_sgf(packed)) == [game, game]


def test_the_properties_are_those_that_other_programs_know() -> None:
    position = handicap_start(19, fixed_handicap(19, 2), komi=0.5).play("Q4").play("pass")
    text = sgf_text(SgfGame(position, black="A", white="B", result="W+R", handicap=2, comments=("first", "")))
    root, first, second = sgfmill_sgf.Sgf_game.from_string(text).get_main_sequence()
    assert {name: root.get(name) for name in ("GM", "FF", "SZ", "CA", "KM", "HA", "RU", "PL", "PB", "PW", "RE")} == {
        "GM": 1,
        "FF": 4,
        "SZ": 19,
        "CA": "UTF-8",
        "KM": 0.5,
        "HA": 2,
        "RU": "Chinese",
        "PL": "w",
        "PB": "A",
        "PW": "B",
        "RE": "W+R",
    }
    assert root.get("AB") == {(3, 3), (15, 15)}
    assert (first.get_move(), first.get("C")) == (("w", (3, 15)), "first")
    assert (second.get_move(), second.properties()) == (("b", None), ["B"])


def test_what_a_record_does_not_have_is_not_written() -> None:
    root = sgfmill_sgf.Sgf_game.from_string(sgf_text(SgfGame(GoPosition(7)))).get_root()
    assert sorted(root.properties()) == ["AP", "CA", "FF", "GM", "KM", "RU", "SZ"]


def test_text_that_utf_8_cannot_hold_does_not_lose_the_game() -> None:
    assert next(read_sgf(sgf_text(SgfGame(GoPosition(7), black="a\udc80b")))).black == "a?b"


@pytest.mark.parametrize(
    ("game", "reason"),
    [
        (SgfGame(GoPosition(7), rules="New Zealand"), "rules 'New Zealand': the position is one of Chinese rules"),
        (SgfGame(GoPosition(7), handicap=-1), "handicap -1"),
        (SgfGame(GoPosition(7), handicap=50), "handicap 50"),
        (SgfGame(GoPosition(7, ["D4", "D5"]), comments=("one",)), "1 comments: expected one for each of 2 moves"),
    ],
)
def test_a_record_at_odds_with_itself_is_not_written(game: SgfGame, reason: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=reason):
        write_sgf([game], tmp_path / "game.sgf")
    assert list(tmp_path.iterdir()) == []


def only(text: str | bytes) -> SgfGame:
    (game,) = read_sgf(text)
    return game


def test_an_empty_root_is_an_empty_board_of_nineteen() -> None:
    assert only("(;)") == SgfGame(GoPosition(19, komi=0))


def test_the_first_variation_is_the_game() -> None:
    game = only("(;SZ[7];B[dd](;W[dc]C[a];B[ec])(;W[ed]C[b]))")
    assert (game.position.moves, game.comments) == (["D4", "D5", "E5"], ("", "a", ""))


@pytest.mark.parametrize(("size", "passes"), [(7, ["", "tt"]), (19, ["", "tt"])])
def test_a_pass_is_empty_or_tt(size: int, passes: list[str]) -> None:
    for word in passes:
        assert only(f"(;SZ[{size}];B[aa];W[{word}])").position.moves == [f"A{size}", "pass"]


@pytest.mark.parametrize(
    ("rules", "preset", "bonus"),
    [
        ("", "chinese", 4),
        ("RU[Chinese]", "chinese", 4),
        ("RU[chinese-kgs]", "chinese", 4),
        ("RU[Japanese]", "chinese", 0),
        ("RU[AGA]", "chinese", 3),
        ("RU[Tromp-Taylor]", "tromp-taylor", 0),
        ("RU[tromp_taylor]", "tromp-taylor", 0),
        ("RU[New Zealand]", "tromp-taylor", 0),
        ("RU[NZ]", "tromp-taylor", 0),
        ("RU[GOE]", "tromp-taylor", 0),
        ("RU[koPOSITIONALscoreAREAtaxNONEsui1]", "tromp-taylor", 0),
        ("RU[koSIMPLEscoreAREAtaxNONEsui0whbN]", "chinese", 4),
        ("RU[koSIMPLEscoreAREAtaxNONEsui1whbN-1]", "tromp-taylor", 3),
    ],
)
def test_rules_say_whether_suicide_is_allowed_and_what_handicaps_cost(rules: str, preset: str, bonus: int) -> None:
    game = only(f"(;SZ[9]{rules}KM[0.5]HA[4]AB[cc][gg][cg][gc];W[ee])")
    assert (game.position.rules, game.position.komi) == (preset, 0.5 + bonus)
    assert (game.handicap, game.position.first_mover) == (4, "white")
    again = only(sgf_text(game))
    assert (again.position, again.handicap) == (game.position, 4)


def test_a_komi_beyond_the_board_is_refused() -> None:
    """Some servers write it in other units."""
    with pytest.raises(GameFileError, match=r"komi 375: more than the points of any board"):
        only("(;SZ[19]KM[375];B[cc])")


def test_a_handicap_of_one_is_the_first_move_alone() -> None:
    assert only("(;SZ[9]KM[0.5]HA[1];B[ee])").position == GoPosition(9, ["E5"], komi=0.5)


@pytest.mark.parametrize(
    ("root", "turn"),
    [
        ("AB[dd]PL[W]", "second"),
        ("AB[dd]PL[b]", "first"),
        ("PL[W]", "second"),
        ("AB[dd]", "first"),
        ("HA[2]AB[cc][ee]", "second"),
        ("AB[dd];W[aa];B[bb]", "second"),
        ("HA[2]AB[cc][ee];B[aa]", "first"),
        ("AB[dd]PL[W];B[aa]", "second"),
    ],
)
def test_who_is_to_move_is_said_or_seen_from_the_moves(root: str, turn: str) -> None:
    assert next(walk_sgf(f"(;SZ[7]{root})")).position.turn == turn


def test_stones_are_set_up_one_by_one_or_in_rectangles_and_taken_off() -> None:
    game = only("(;SZ[5]AB[aa:ba][cc]AW[ee](;AE[ba]AW[cc];B[bb]))")
    assert game.position == GoPosition(5, ["B4"], komi=0, black=["A5"], white=["C3", "E1"])


def test_a_later_set_up_begins_a_new_position_on_the_board_as_it_is() -> None:
    game = only("(;SZ[5];B[bb]C[x];W[cc]C[y];AB[dd]C[set-up];W[aa]C[z];B[ab])")
    assert game.position == GoPosition(5, ["A5", "A4"], komi=0, black=["B4", "D2"], white=["C3"], to_move="white")
    assert game.comments == ("z", "")


def test_a_word_on_the_turn_begins_a_new_position_only_where_it_changes_it() -> None:
    assert only("(;SZ[5];B[bb];PL[W];W[cc])").position.moves == ["B4", "C3"]
    assert only("(;SZ[5];B[bb];PL[B];B[cc])").position == GoPosition(5, ["C3"], komi=0, black=["B4"])


def test_a_second_move_of_one_side_begins_a_new_position_without_history() -> None:
    game = only("(;SZ[5];B[bb];W[cc];W[dd];B[ee])")
    assert game.position == GoPosition(5, ["D2", "E1"], komi=0, black=["B4"], white=["C3"], to_move="white")


def test_play_after_two_passes_begins_a_new_position() -> None:
    game = only("(;SZ[5];B[bb];W[];B[];W[cc])")
    assert game.position == GoPosition(5, ["C3"], komi=0, black=["B4"], to_move="white")


def test_a_record_of_a_later_start_is_read_back() -> None:
    game = only("(;SZ[5]HA[2]RU[Japanese]KM[0.5]AB[aa][ee];B[bb];B[cc]C[here])")
    assert only(sgf_text(game)) == game


def test_all_nodes_are_walked_with_their_positions() -> None:
    nodes = list(walk_sgf("(;SZ[7]C[root];B[dd](;W[dc]C[a];B[ec])(;W[ed]C[b](;B[ee])(;B[ec])))(;SZ[5];B[aa])"))
    assert [(node.game, node.depth, node.move, node.comment, node.variations) for node in nodes] == [
        (1, 0, None, "root", 1),
        (1, 1, "D4", "", 2),
        (1, 2, "D5", "a", 1),
        (1, 3, "E5", "", 0),
        (1, 2, "E4", "b", 2),
        (1, 3, "E3", "", 0),
        (1, 3, "E5", "", 0),
        (2, 0, None, "", 1),
        (2, 1, "A5", "", 0),
    ]
    assert nodes[6].position == GoPosition(7, ["D4", "E4", "E5"], komi=0)


def test_long_and_deep_trees_are_read() -> None:
    line = "".join(f";{'BW'[ply % 2]}[]" for ply in range(2000))
    deep = "(;SZ[3]" + "".join(f"(;{'BW'[ply % 2]}[]" for ply in range(2000)) + ")" * 2001
    assert len(list(walk_sgf(f"(;SZ[3]{line})"))) == len(list(walk_sgf(deep))) == 2001


@pytest.mark.parametrize(
    ("data", "text"),
    [
        ("(;C[Jörg])".encode(), "Jörg"),
        ("(;CA[UTF-8]C[Jörg])".encode(), "Jörg"),
        ("(;CA[ISO-8859-1]C[Jörg])".encode("latin-1"), "Jörg"),
        ("(;CA[gb2312]C[围棋])".encode("gb2312"), "围棋"),
        ("(;C[Jörg])".encode("latin-1"), "Jörg"),
        ("(;CA[UTF-8]C[Jörg])".encode("latin-1"), "Jörg"),
        ("(;CA[none such]C[Jörg])".encode(), "Jörg"),
        (b"(;CA[hex]C[ab])", "ab"),
        (b"(;CA[utf-16]C[ab])", "ab"),
        (b"\xef\xbb\xbf(;C[a])", "a"),
        (rb"(;C[\]\\ a:b\:])", "]\\ a:b:"),
        (b"(;C[a\\\nb\r\nc\td])", "ab\nc d"),
    ],
)
def test_comments_are_read_in_their_charset(data: bytes, text: str) -> None:
    assert only(data).comment == text


def test_text_is_text_whatever_charset_it_names() -> None:
    assert only("(;CA[ISO-8859-1]C[Jörg 黒])").comment == "Jörg 黒"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", 'SGF: no game found, which would begin with "(;"; a file is given as a Path'),
        ("games.sgf", "SGF: no game found"),
        ("(;SZ[7];B[dd])(;SZ[7];B[d", "SGF, game 2: unexpected end"),
        ("(;GM[2]SZ[8])", "SGF, game 1: GM '2' is another game"),
        ("(;SZ[7:9])", "SGF, game 1: board size '7:9': must be a whole number from 1 to 19; boards are square"),
        ("(;SZ[0])", "SGF, game 1: board size '0'"),
        ("(;SZ[21];B[aa])", "SGF, game 1: board size '21'"),
        ("(;SZ[seven])", "SGF, game 1: board size 'seven'"),
        ("(;)(;KM[6,5])", "SGF, game 2: komi '6,5': must be a multiple of 0.5"),
        ("(;KM[3.75])", "SGF, game 1: komi 3.75: must be a multiple of 0.5"),
        ("(;KM[nan])", "SGF, game 1: komi NaN"),
        ("(;SZ[5]HA[26])", "SGF, game 1: handicap '26'"),
        ("(;HA[-1])", "SGF, game 1: handicap '-1'"),
        ("(;SZ[7];B[dd];W[dd])", 'SGF, game 1, move 2 (white): the point is occupied: "D4"'),
        ("(;SZ[7];B[dd];C[x];W[de];B[de])", 'SGF, game 1, move 3 (black): the point is occupied: "D3"'),
        ("(;SZ[7];B[zz])", "SGF, game 1, move 1 (black): not a point of a 7×7 board: 'zz'"),
        ("(;SZ[7];B[d])", "SGF, game 1, move 1 (black): not a point of a 7×7 board: 'd'"),
        ("(;SZ[5]AW[ab][ba];B[aa])", 'SGF, game 1, move 1 (black): suicide: "A5"'),
        ("(;SZ[7];B[dd]W[de])", "SGF, game 1, move 1 (black): White moves in the same node"),
        ("(;SZ[5];B[cc];AB[aa]AW[ab][ba])", "SGF, game 1, set-up after move 1: a chain on the board has no liberty"),
        ("(;SZ[5]AB[aa]AW[aa])", 'SGF, game 1, set-up after move 0: stone "A5": the point has a stone already'),
        ("(;SZ[5]AB[tt])", "SGF, game 1, set-up after move 0: AB, AW or AE with what is no point of a 5×5 board"),
        ("(;SZ[5]PL[3])", "SGF, game 1, set-up after move 0: PL '3': must be B or W"),
    ],
)
def test_what_cannot_be_read_is_named_in_one_line(text: str, reason: str) -> None:
    with pytest.raises(GameFileError) as error:
        list(read_sgf(text))
    assert str(error.value).startswith(reason)
    assert "\n" not in str(error.value)


def test_an_error_names_the_file_and_a_variation_is_read_only_by_a_walk(tmp_path: Path) -> None:
    path = tmp_path / "tree.sgf"
    path.write_text("(;SZ[7];B[dd](;W[de])(;W[dd]))")
    assert next(read_sgf(path)).position.moves == ["D4", "D3"]
    with pytest.raises(GameFileError) as error:
        list(walk_sgf(path))
    assert str(error.value) == f'{path}, game 1, move 2 (white): the point is occupied: "D4"'
    with pytest.raises(GameFileError, match="no such file"):
        next(read_sgf(tmp_path / "none.sgf"))


@given(st.text("();[]\\BWACKMSZGHPLdt:12 ", max_size=60))
def test_hostile_text_is_read_or_refused(text: str) -> None:
    try:
        nodes = list(walk_sgf(f"(;{text}"))
    except GameFileError:
        return
    assert all(isinstance(node, SgfNode) for node in nodes)


MIB = 1 << 20


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (f"(;)(;C[{'x' * 5 * MIB}])", "SGF, game 2: longer than 4 MiB"),
        ("(;)(" + ";" * 5 * MIB, "SGF, game 2: longer than 4 MiB"),
        ("(;)(;C[" + "[" * 5 * MIB, "SGF, game 2: longer than 4 MiB"),
        ("(;)" + " " * 65 * MIB, "SGF: more than 64 MiB of SGF; expected a part of it"),
        ("(;" + ";B[];W[]" * 1001, "SGF, game 1: unexpected end"),
        ("(;" + ";B[];W[]" * 1001 + ")", "SGF, game 1, after move 2000: more than 2,000 nodes in one line"),
    ],
)
def test_the_length_of_files_games_and_lines_is_bounded(text: str, reason: str) -> None:
    with pytest.raises(GameFileError) as error:
        list(read_sgf(text))
    assert str(error.value).startswith(reason)


def test_a_packed_file_is_unpacked_no_further_than_it_is_read(tmp_path: Path) -> None:
    path = tmp_path / "bomb.sgf.gz"
    path.write_bytes(gzip.compress(b"(;)" + b" " * (65 * MIB), 1))
    with pytest.raises(GameFileError, match="more than 64 MiB of SGF"):
        next(read_sgf(path))


def test_games_come_as_they_are_read() -> None:
    assert next(read_sgf("(;C[a])" + "(;C[b])" * 100_000)).comment == "a"


@pytest.mark.parametrize("name", ["davies_7x7_excerpt.sgf", "katago_sampletest7x7.sgf"])
def test_trees_of_other_programs_are_read_whole(name: str) -> None:
    path = shared(f"data/go/{name}")
    nodes = list(walk_sgf(path))
    assert len(nodes) == 1 + len(re.findall(rb";[BW]\[", path.read_bytes()))
    ends = [node for node in nodes if not node.variations]
    (game,) = read_sgf(path)
    assert game.position == ends[0].position
    for node in nodes:
        replayed = GoPosition(7, node.position.moves, komi=node.position.komi, rules=node.position.rules)
        assert replayed == node.position
        black, white = stones(node.position)
        assert len(black) + len(white) <= node.depth


def test_rewriting_a_record_keeps_it() -> None:
    game = only("(;SZ[7]KM[9]RU[Japanese]PB[A]RE[B+1];B[dd]C[x];W[dc])")
    assert only(sgf_text(game)) == game
