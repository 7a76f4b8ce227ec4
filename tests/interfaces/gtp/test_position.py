"""What the engine shows of net and board."""

import json
import math
import re

import pytest

import foible
from foible.interfaces.gtp.settings import Settings
from foible.interfaces.gtp.tree import open_go_net
from tests.interfaces.gtp.nets import Fixed
from tests.interfaces.gtp.talk import Talk


def test_the_engine_says_what_it_is() -> None:
    talk = Talk()
    assert talk.all("protocol_version", "name", "version") == ["2", "foible", foible.__version__]
    assert "material" in talk("gomill-describe_engine")
    talk("lz-setoption name lambda value 0.5,0")
    assert talk("gomill-describe_engine").endswith("lambda 0.5,0, mu 0")
    assert float(talk("cputime")) > 0


def test_the_board_is_shown_with_its_coordinates() -> None:
    talk = Talk()
    talk.all("boardsize 10", "play b A1", "play w K10", "play b J9")
    rows = talk("showboard").split("\n")
    assert rows[0].split() == rows[-2].split() == list("ABCDEFGHJK")
    assert rows[1] == "10 . . . . . . . . . O 10"
    assert rows[2] == " 9 . . . . . . . . X . 9"
    assert rows[10] == " 1 X . . . . . . . . . 1"
    assert rows[-1] == "white to move, move 4, last move J9, komi 7.5"


def test_the_heatmap_is_a_grid_of_priors_from_the_top() -> None:
    talk = Talk(net=Fixed(black_alpha=3.0, likes=("B3",)).net)
    talk.all("boardsize 3", "lz-setoption name mu value 1", "play b A1")
    rows = talk("heatmap").split("\n")
    assert rows[0] == "symmetry: 0"
    assert [[int(number) for number in row.split()] for row in rows[1:4]] == [[0, 997, 0], [0, 0, 0], [0, 0, 0]]
    told = dict(row.split(": ") for row in rows[4:])
    assert (told["pass"], told["alpha"], told["beta"]) == ("0", "-3.000", "0.5000")
    # Komi 7.5 and 3 points behind: 4.5 ahead.
    assert float(told["winrate"]) == pytest.approx(1 / (1 + math.exp(-0.5 * 4.5)), abs=1e-4)
    assert told["interval"] == "-4.500 0.000"


def test_the_heatmap_may_be_of_other_symmetries() -> None:
    talk = Talk()
    assert talk("heatmap all").count("symmetry: ") == 8
    assert talk("heatmap average").startswith("symmetry: average\n")
    assert talk("heatmap 7").startswith("symmetry: 7\n")
    assert talk.fails("heatmap 8") == "syntax error"
    assert talk.fails("heatmap some") == "syntax error"
    assert "alpha" not in Talk(net=Fixed(margins=False).net)("heatmap")


def test_a_range_of_komi_does_not_depend_on_the_seed() -> None:
    seeded = [Settings(net="go-7x7", seed=seed) for seed in (1, 2)]
    first, second = (Talk(one, open_go_net(one)).all("play b C5", "foible-komi_range 0 20 10")[-1] for one in seeded)
    assert first == second


def test_a_range_of_komi_shows_when_the_game_is_even() -> None:
    talk = Talk(net=Fixed(black_alpha=9.0).net)
    rows = [row.split() for row in talk("foible-komi_range 8 10 0.5").split("\n")]
    assert [komi for komi, _ in rows] == ["8", "8.5", "9", "9.5", "10"]
    assert [float(winrate) for _, winrate in rows] == pytest.approx(
        [1 / (1 + math.exp(-0.5 * (9 - komi))) for komi in (8, 8.5, 9, 9.5, 10)], abs=1e-4
    )
    talk("play b C3")
    assert talk("foible-komi_range 9 9") == "9 0.5000"
    for words, last in (("0 0.3 0.1", "0.3"), ("-0.3 0 0.1", "0"), ("0 1 0.3", "0.9"), ("0.1 0.8 0.7", "0.8")):
        assert talk(f"foible-komi_range {words}").split("\n")[-1].split()[0] == last
    talk.all("clear_board", "fixed_handicap 2")
    assert talk("foible-komi_range 7 7") == "7 0.5000"  # with the two points of the handicap
    for bad in ("9", "9 8", "0 9 0", "0 9 -1", "0 1e9 1", "a b"):
        assert talk.fails(f"foible-komi_range {bad}") == "syntax error"
    assert "no komi" in Talk(net=Fixed(margins=False).net).fails("foible-komi_range 0 9")


def test_all_stones_on_the_board_are_alive() -> None:
    talk = Talk()
    talk.all("play b A1", "play w D4", "play b A2", "play w E4", "play b C4")
    assert talk("final_status_list alive") == "A1 A2\nC4\nD4 E4"
    assert talk("final_status_list dead") == ""
    assert talk("final_status_list seki") == ""
    assert re.fullmatch(r"W\+\d+\.5", talk("final_score"))


def test_legal_points_come_without_the_pass() -> None:
    talk = Talk()
    talk.all("boardsize 2", "play b A1")
    assert talk("all_legal") == "B1 A2 B2"
    assert talk("all_legal b") == "B1 A2 B2"
    talk.all("play w B2", "play b A2")
    assert talk("all_legal w") == "B1"


def test_rules_are_told_as_katago_does() -> None:
    rules = json.loads(Talk()("kata-get-rules"))
    assert rules["ko"] == "POSITIONAL"
    assert (rules["scoring"], rules["tax"], rules["suicide"], rules["whiteHandicapBonus"]) == (
        "AREA",
        "NONE",
        False,
        "N",
    )
