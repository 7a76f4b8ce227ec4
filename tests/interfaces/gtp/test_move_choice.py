"""When to pass, when to resign, which move to play."""

from collections import Counter
from dataclasses import replace
from typing import Any

import pytest

from foible._core import GoPosition
from foible.games.go import fills_eye
from foible.interfaces.gtp.settings import Settings
from foible.search.go import winrate
from tests.interfaces.gtp.nets import Fixed
from tests.interfaces.gtp.talk import QUICK, Talk

SETTLED = ["boardsize 3", "komi 0.5", "play b B1", "play w pass", "play b B2", "play w pass", "play b B3"]
"""Black has the whole board."""


def liking(*moves: str, alpha: float = 0.0, settings: Settings = QUICK) -> Talk:
    return Talk(replace(settings, resign=0.0), Fixed(alpha, moves).net)


@pytest.mark.parametrize(
    ("rows", "vertex", "eye"),
    [
        (".X...|X....|.....|.....|.....", "A5", True),
        (".X...|XX...|.....|.....|.....", "A5", True),
        (".X...|XO...|.....|.....|.....", "A5", False),
        ("X.X..|XXX..|.....|.....|.....", "B5", True),
        ("X.X..|XXO..|.....|.....|.....", "B5", False),
        (".....|.XXX.|.X.X.|.XXX.|.....", "C3", True),
        (".....|.XXO.|.X.X.|.XXX.|.....", "C3", True),
        (".....|.OXO.|.X.X.|.XXX.|.....", "C3", False),
        (".....|.XXX.|.X.O.|.XXX.|.....", "C3", False),
        (".....|.XXX.|.X...|.XXX.|.....", "C3", False),
    ],
)
def test_an_eye_has_own_stones_all_around(rows: str, vertex: str, eye: bool) -> None:
    names = {"X": [], "O": []}  # type: dict[str, list[str]]
    for y, row in enumerate(reversed(rows.split("|"))):
        for x, stone in enumerate(row):
            if stone != ".":
                names[stone].append(f"{'ABCDE'[x]}{y + 1}")
    position = GoPosition(5, black=names["X"], white=names["O"])
    assert fills_eye(position, vertex) is eye
    turned = GoPosition(5, black=names["O"], white=names["X"], to_move="white")
    assert fills_eye(turned, vertex) is eye


def test_a_pass_that_loses_is_not_played_where_there_is_another_move() -> None:
    talk = liking("pass")
    talk.all("boardsize 3", "play b B2", "play w pass", "komi 20")
    move = talk("genmove b")
    assert move != "pass"
    assert "would lose" in talk("gomill-explain_last_move")


def test_a_pass_that_does_not_lose_is_played() -> None:
    assert liking("pass").all("boardsize 3", "komi 2", "play b B2", "play w pass", "genmove b")[-1] == "pass"
    assert liking("pass").all("boardsize 3", "komi 9", "play b B2", "genmove w")[-1] == "pass"  # a draw


def test_who_has_only_eyes_left_passes_even_if_that_loses() -> None:
    talk = liking("pass")
    black = "A1 B1 C1 A2 C2 A3 B3"
    talk.all("boardsize 3", f"set_free_handicap {black}", "play w pass", "komi 20")
    assert talk("all_legal b") == "B2 C3"
    assert talk("genmove b") == "pass"


def test_a_pass_is_answered_by_one_that_wins() -> None:
    talk = liking("A1", "C1")
    talk.all(*SETTLED)
    assert talk("reg_genmove w") != "pass"
    talk("play w pass")
    assert talk("genmove b") == "pass"
    assert "won by the board" in talk("gomill-explain_last_move")
    assert talk("final_score") == "B+8.5"


def test_a_pass_that_the_controller_avoids_is_not_played_even_if_it_wins() -> None:
    talk = liking("A1", "C1")
    talk.all(*SETTLED, "play w pass")
    assert talk.raw(b"lz-genmove_analyze b avoid b pass 1").split("\n")[-3] == "play A1"


@pytest.mark.parametrize("setting", [{"lambda_": (0.5,)}, {"mu": (0.0, 0.1, 0.0, 0.0)}])
def test_who_plays_for_points_does_not_answer_a_pass(setting: dict[str, Any]) -> None:
    talk = liking("A1", "C1", settings=replace(QUICK, **setting))
    assert talk.all(*SETTLED, "play w pass", "genmove b")[-1] != "pass"


def test_who_plays_for_the_win_answers_a_pass_whatever_the_opponent_plays_for() -> None:
    talk = liking("A1", "C1", settings=replace(QUICK, lambda_=(0.0, 0.0, 0.5, 0.5)))
    assert talk.all(*SETTLED, "play w pass", "genmove b")[-1] == "pass"


def test_a_move_that_was_drawn_is_explained_by_what_the_search_found_of_it() -> None:
    settings = replace(QUICK, random_moves=9, random_visits=0, random_temperature=50, dumb_pass=True)
    talk = Talk(settings, Fixed(likes=("B2", "C3")).net)
    for _ in range(20):
        talk.all("clear_board", "boardsize 3")
        answer = talk.raw(b"lz-genmove_analyze b 1000").split("\n")
        move, told = answer[-3].removeprefix("play "), talk("gomill-explain_last_move")
        if "drawn by the visits" in told:
            break
    assert "drawn by the visits" in told, "in none of twenty games"
    assert talk.session.thought is not None
    found = talk.session.thought.summary
    played = next(one for one in found.moves if one.move == move)
    assert f"{played.n} of {found.n} visits" in told
    assert f"black {move}: winrate {100 * winrate(played):.2f} %" in told
    assert f"the move is worth {50 * (1 + played.q):.2f} %" in told


def test_a_pass_out_of_turn_is_not_answered() -> None:
    """Black itself has passed and is asked again."""
    talk = liking("A1", "C1")
    talk.all(*SETTLED[:-1], "play b pass")
    assert talk("genmove b") != "pass"


def test_a_dumb_pass_does_not_look_at_the_score() -> None:
    dumb = replace(QUICK, dumb_pass=True)
    talk = liking("pass", settings=dumb)
    assert talk.all("boardsize 3", "komi 20", "play b B2", "play w pass", "genmove b")[-1] == "pass"
    talk = liking("A1", settings=dumb)
    assert talk.all(*SETTLED, "play w pass", "genmove b")[-1] == "A1"


def test_the_engine_resigns_when_its_winrate_is_low_and_not_too_early() -> None:
    lost = Talk(replace(QUICK, resign=5), Fixed(-20).net)
    for ply in range(12):
        vertex = f"{'ABCDEFG'[ply % 7]}{1 + 2 * (ply // 7)}"
        lost(f"play {'bw'[ply % 2]} {vertex}")
    assert lost("reg_genmove b") != "resign"
    lost("play b F5")
    lost("play w G5")
    before = lost.session.game
    assert lost("genmove b") == "resign"
    assert lost.session.game is before
    assert "below 5 %" in lost("gomill-explain_last_move")
    assert "RE[W+R]" in lost("printsgf")
    lost("lz-setoption name resign percentage value 0")
    assert lost("genmove b") != "resign"
    assert lost("reg_genmove w") != "resign"


def test_resigning_looks_at_the_real_komi_whatever_the_bonus() -> None:
    """With lambda = 1 the agent thinks every game even; it has lost all the same."""
    talk = Talk(replace(QUICK, lambda_=(1.0,), mu=(1.0,)), Fixed(-40).net)
    talk.all("boardsize 2", "play b A1", "play w pass")
    found = talk("kata-analyze b")
    assert talk.session.tree.summary().q == pytest.approx(0, abs=0.05)
    assert "winrate 0.0000" in found
    assert talk("genmove b") == "resign"


def test_the_first_moves_are_drawn_by_their_visits() -> None:
    settings = replace(QUICK, visits=60, random_moves=1, batch=1)
    talk = Talk(settings, Fixed(0, ("A1", "C3")).net)
    talk("boardsize 3")
    drawn: Counter[str] = Counter()
    for _ in range(40):
        drawn[talk("genmove b")] += 1
        assert len({talk("reg_genmove w") for _ in range(2)}) == 1
        talk("clear_board")
    assert {"A1", "C3"} == set(drawn)
    assert min(drawn.values()) >= 8


def test_moves_with_few_visits_are_not_drawn() -> None:
    settings = replace(QUICK, visits=30, random_moves=9, random_visits=1000)
    talk = Talk(settings, Fixed(0, ("B2",)).net)
    assert {talk.all("clear_board", "boardsize 3", "genmove b")[-1] for _ in range(10)} == {"B2"}


def test_the_same_seed_plays_the_same_games_and_another_does_not() -> None:
    def games(seed: int) -> list[str]:
        talk = Talk(replace(QUICK, visits=20, random_moves=30, noise=True, seed=seed))
        played = []
        for _ in range(2):
            talk.all("clear_board", "boardsize 5")
            played.append(" ".join(talk(f"genmove {'bw'[ply % 2]}") for ply in range(8)))
        return played

    first = games(1)
    assert first == games(1)
    assert first != games(2)
    assert first[0] != first[1]
