"""How far is searched, and what is kept from move to move."""

import time
from dataclasses import replace
from typing import Any

import pytest

from foible.interfaces.gtp.commands import search
from tests.interfaces.gtp.nets import Fixed
from tests.interfaces.gtp.talk import QUICK, Talk, after


def visits(talk: Talk) -> int:
    return talk.session.tree.summary().n


def test_the_exact_number_of_visits_is_searched() -> None:
    talk = Talk(replace(QUICK, visits=333, batch=1))
    talk("genmove b")
    assert visits(talk) == 333


def test_playouts_come_on_top_of_what_is_known() -> None:
    talk = Talk(replace(QUICK, visits=0, playouts=100, batch=1))
    talk("genmove b")
    assert visits(talk) == 100
    talk("reg_genmove w")
    assert visits(talk) > 101
    talk("lz-setoption name visits value 250")
    talk("reg_genmove w")
    talk("reg_genmove w")
    assert visits(talk) == 250


def test_the_tree_follows_the_game() -> None:
    talk = Talk(replace(QUICK, visits=400))
    move = talk("genmove b")
    talk("lz-setoption name visits value 1")
    talk("reg_genmove w")
    kept = visits(talk)
    assert 1 < kept < 400
    talk.all("undo", f"play b {move}")
    assert talk.all("reg_genmove w")
    assert visits(talk) == 1


@pytest.mark.parametrize(
    "command", ["lz-search_reset", "undo", "clear_board", "komi 3.5", "kata-set-rules tromp-taylor"]
)
def test_what_the_tree_says_no_more_it_forgets(command: str) -> None:
    talk = Talk()
    talk("play b C3")
    talk("reg_genmove w")
    talk(command)
    talk("lz-setoption name visits value 1")
    talk("reg_genmove w")
    assert visits(talk) == 1


def test_another_komi_keeps_the_evaluations_and_clearing_the_cache_does_not() -> None:
    net = Fixed()
    talk = Talk(replace(QUICK, batch=1), net.net)
    talk("boardsize 3")
    talk("reg_genmove b")
    asked = sum(net.calls)
    assert asked > 30
    talk.all("komi 7", "komi 9", "komi 7.5", "reg_genmove b")
    assert sum(net.calls) == asked
    assert visits(talk) == 40
    talk.all("clear_cache", "reg_genmove b")
    assert sum(net.calls) == 2 * asked


def test_the_same_komi_again_keeps_the_tree() -> None:
    talk = Talk()
    talk.all("reg_genmove b", "komi 9.5", "lz-setoption name visits value 1", "reg_genmove b")
    assert visits(talk) == 40


def test_players_who_weigh_margins_otherwise_keep_the_tree_over_two_moves_alone() -> None:
    talk = Talk(replace(QUICK, visits=600, lambda_=(0.5, 0.3, 0.0, 0.0), mu=(0.05, 0.03, 0.0, 0.0)))
    talk("genmove b")
    thought = talk.session.thought
    assert thought is not None
    reply = thought.line[1]
    talk("lz-setoption name visits value 1")
    talk(f"play w {reply}")
    talk("reg_genmove b")
    assert visits(talk) > 1
    talk("play b pass")
    talk("reg_genmove w")
    assert visits(talk) == 1


def test_lambda_changes_what_a_winning_side_likes() -> None:
    """Ahead by far, a player for whom every won game is the same does not care for more."""
    talk = Talk(net=Fixed(black_alpha=40.0).net)
    talk("reg_genmove b")
    assert talk.session.tree.summary().q > 0.99
    talk("lz-setoption name lambda value 1,0,0,0")
    talk("lz-setoption name mu value 1,0,0,0")
    talk("reg_genmove b")
    assert talk.session.tree.summary().q == pytest.approx(0, abs=0.05)
    talk("reg_genmove w")
    assert talk.session.tree.summary().q < -0.99


def test_thinking_ends_when_the_time_does() -> None:
    talk = Talk(replace(QUICK, visits=0, lag=0))
    talk("time_settings 0 1 5")
    started = time.monotonic()
    talk("genmove b")
    assert time.monotonic() - started >= 0.2
    assert talk.session.thought is not None
    left = talk.session.clock.seconds_for("black", plies=0, points=49, lag=0)
    assert left == pytest.approx(max(0.0, 1 - talk.session.thought.seconds) / 4)
    # Of visits and time, what is reached first.
    talk.all("lz-setoption name visits value 3", "time_settings 0 1000000 5", "lz-search_reset", "genmove w")
    assert visits(talk) < 50


def test_without_time_there_is_a_move_all_the_same() -> None:
    talk = Talk(replace(QUICK, visits=0))
    talk("time_settings 1 0 0")
    for player in "bwbw":
        talk(f"time_left {player} 0 0")
        talk(f"genmove {player}")
    assert talk.session.game.plies == 4


def test_without_any_limit_there_is_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search, "SECONDS", 0.1)
    talk = Talk(replace(QUICK, visits=0))
    started = time.monotonic()
    talk("genmove b")
    assert time.monotonic() - started >= 0.1


def test_the_memory_of_the_search_is_limited_and_the_move_comes() -> None:
    talk = Talk(replace(QUICK, visits=1_000_000, memory_mb=1))
    assert talk("genmove b")
    assert "Maximum Memory Use" in talk.logged[-1]
    assert "of 1\n" in talk("lz-memory_report")


def test_the_engine_thinks_on_where_that_is_wanted() -> None:
    talk = Talk(replace(QUICK, visits=0, playouts=50, pondering=True))
    talk("genmove b")
    before = visits(talk)
    talk.waiting = after(20)
    talk.engine.idle()
    assert talk.session.tree.summary().n > before
    assert visits(talk) > 20
    talk.waiting = lambda: True
    known = visits(talk)
    talk.engine.idle()
    assert visits(talk) == known


@pytest.mark.parametrize("setting", [{}, {"pondering": True, "lambda_": (0.5, 0.5, 0.0)}])
def test_it_does_not_where_it_is_not_or_would_be_of_no_use(setting: dict[str, Any]) -> None:
    talk = Talk(replace(QUICK, **setting))
    talk("genmove b")
    talk.waiting = after(20)
    talk.engine.idle()
    assert talk.session.tree.summary().n == 40


def test_it_does_not_think_before_its_own_move_nor_after_the_end() -> None:
    talk = Talk(replace(QUICK, pondering=True))
    talk.waiting = lambda: False
    talk.engine.idle()
    talk("play b C3")
    talk.engine.idle()
    talk.all("clear_board", "boardsize 1", "play b pass", "genmove w")
    talk.engine.idle()
    assert talk.session.game.position.outcome() is not None


def test_of_a_move_that_was_taken_back_nothing_is_explained() -> None:
    talk = Talk(QUICK, Fixed().net)
    talk.all("genmove b", "undo")
    assert talk.fails("gomill-explain_last_move") == "no move was generated"


def test_a_thought_is_explained_and_kept_as_a_comment() -> None:
    talk = Talk(replace(QUICK, lambda_=(0.5,)), Fixed(black_alpha=2.0).net)
    assert talk.fails("gomill-explain_last_move") == "no move was generated"
    talk.all("play b D4", "genmove w")
    told = talk("gomill-explain_last_move").split("\n")
    assert told[0].startswith(f"white {talk.session.game.position.moves[-1]}: winrate 9")
    assert told[1].startswith("variation: ")
    comment = dict(pair.split("=") for pair in talk.session.game.stretches[-1].remarks[-1].split())
    assert list(comment) == ["margin", "beta", "net", "search", "bonus", "visits"]
    # Black's view: 2 points of alpha and 9.5 of komi, and a bonus for the side that is behind.
    assert (float(comment["margin"]), float(comment["beta"])) == (-7.5, 0.5)
    assert float(comment["net"]) == pytest.approx(0.0230, abs=1e-4)
    assert float(comment["search"]) == pytest.approx(0.023, abs=0.02)
    start, end = (float(part) for part in comment["bonus"].split(","))
    assert start == 0
    assert 0 < end < 7.5
    assert comment["visits"] == "40"
    assert f"C[{talk.session.game.stretches[-1].remarks[-1]}]" in talk("printsgf")


def test_of_a_net_without_margins_the_comment_tells_the_search_alone() -> None:
    talk = Talk(net=Fixed(margins=False).net)
    talk("genmove b")
    assert talk.session.game.stretches[-1].remarks[-1].startswith("search=")
    assert "alpha" not in talk("gomill-explain_last_move")
