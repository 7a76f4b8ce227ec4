from hypothesis import given
from hypothesis import strategies as st

from foible.interfaces.uci.go_command import seconds_for
from foible.interfaces.uci.protocol import Go

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
