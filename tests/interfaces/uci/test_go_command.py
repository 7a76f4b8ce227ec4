import pytest
from hypothesis import given, strategies as st

from foible.interfaces.uci.game import UciGame, follow
from foible.interfaces.uci.go_command import Lag, LagMeter, seconds_for
from foible.interfaces.uci.protocol import Go, parse_go

milliseconds = st.integers(0, 10**8)


@given(milliseconds, milliseconds, st.none() | st.integers(1, 100), st.integers(0, 10_000))
def test_no_move_takes_more_time_than_is_left(time: int, inc: int, moves: int | None, overhead: int) -> None:
    seconds = seconds_for(Go(wtime=time, winc=inc, movestogo=moves), white=True, overhead=overhead)
    assert seconds is not None
    assert 0 <= seconds <= max(0, time - overhead) / 1000


def test_each_side_looks_at_its_own_clock() -> None:
    go = Go(wtime=60_000, btime=600_000, winc=0, binc=1000)
    assert seconds_for(go, white=True, overhead=0) == 2.0
    assert seconds_for(go, white=False, overhead=0) == 20.8
    assert seconds_for(Go(wtime=5), white=False, overhead=0) is None


def test_the_last_move_before_the_control_may_take_all_but_the_overhead() -> None:
    assert seconds_for(Go(wtime=3000, movestogo=1), white=True, overhead=100) == 2.9


def test_no_moves_to_go_are_no_time_control() -> None:
    go, complaints = parse_go(["wtime", "60000", "btime", "60000", "movestogo", "0"], white=True)
    assert complaints == []
    seconds = seconds_for(go, white=True, overhead=50)
    assert seconds is not None
    assert seconds < 10
    assert seconds == seconds_for(Go(wtime=60000), white=True, overhead=50)


def test_a_fixed_time_is_used_less_the_overhead() -> None:
    assert seconds_for(Go(movetime=1000), white=True, overhead=50) == 0.95
    assert seconds_for(Go(movetime=10), white=True, overhead=50) == 0.005
    assert seconds_for(Go(nodes=10), white=True, overhead=50) is None


@given(st.integers(1, 1000), st.integers(10, 200), st.floats(0, 1))
def test_long_games_at_one_second_plus_ten_milliseconds_are_not_lost_on_time(
    moves: int, overhead: int, haste: float
) -> None:
    # Each answer comes later than it should, by up to the ten milliseconds that each move earns.
    clock, late = 1000.0, 10 * haste
    for _ in range(moves):
        seconds = seconds_for(Go(btime=int(clock), binc=10), white=False, overhead=overhead)
        assert seconds is not None
        clock -= seconds * 1000 + late
        assert clock > 0
        clock += 10


MOVES = ("e2e4", "e7e5", "g1f3", "b8c6", "f1c4", "f8c5", "c2c3", "g8f6", "d2d4", "e5d4")


def clocks(*shown: int, plies: int = 2, increment: int = 10) -> Lag:
    """The lag after White's clock was shown so in moves that were to take 30 ms, so many plies apart."""
    meter, lag = LagMeter(), Lag()
    for number, clock in enumerate(shown):
        game = follow(UciGame(), None, MOVES[: plies * number], chess960=False)
        go = Go(wtime=clock, winc=increment)
        lag = meter.read(game, go, white=True)
        meter.plan(game, go, 0.03, white=True)
    return lag


def test_the_clock_tells_how_much_longer_moves_take_than_they_were_meant_to() -> None:
    assert clocks(1000) == Lag()
    assert clocks(1000, 980, 960) == Lag()
    assert clocks(1000, 970, 900) == Lag(usual=10, longest=50)
    assert clocks(1000, 1000) == Lag(), "answered sooner"


def test_a_clock_that_tells_nothing_of_the_last_move_is_passed_over() -> None:
    assert clocks(1000, 100, plies=4) == Lag(), "another game, or one that was taken back"
    assert clocks(1000, 5000) == Lag(), "a control was reached"
    assert clocks(1000, 0, increment=10) == Lag(usual=980, longest=980)
    assert LagMeter().read(UciGame(), Go(nodes=5), white=True) == Lag()


def test_one_move_that_was_very_late_leaves_the_others_their_time() -> None:
    lag = clocks(9000, 5980, 5940)
    assert lag == Lag(usual=20, longest=3000), "a net was waited for"
    left = seconds_for(Go(wtime=3000, winc=100), white=True, overhead=0, lag=lag)
    assert left is not None
    assert left > 0.1


def test_lag_shortens_every_move_and_is_kept_back_from_the_clock() -> None:
    go = Go(wtime=3000, winc=100)
    assert seconds_for(go, white=True, overhead=0) == 0.18
    assert seconds_for(go, white=True, overhead=0, lag=Lag(usual=50, longest=350)) == 0.11
    assert seconds_for(go, white=True, overhead=0, lag=Lag(usual=500, longest=600)) == 0


@pytest.mark.parametrize("known", [False, True])
def test_on_a_busy_machine_a_short_clock_lasts_longer_where_lag_is_known(known: bool) -> None:
    clock, late, seen = 1000.0, 15.0, LagMeter()
    lag, moves = Lag(), 0
    while clock > 100 * (moves % 20 == 19):  # now and then a move is later still
        game = UciGame(moves=tuple("0" * 2 * moves))
        go = Go(wtime=int(clock), winc=10)
        if known:
            lag = seen.read(game, go, white=True)
        seconds = seconds_for(go, white=True, overhead=50, lag=lag)
        seen.plan(game, go, seconds, white=True)
        assert seconds is not None
        clock += 10 - 1000 * seconds - late - 80 * (moves % 20 == 19)
        moves += 1
    assert (moves > 60) is known
