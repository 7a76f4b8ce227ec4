"""How many visits a judge may spend on a position."""

from foible.interfaces.uci.game import UciGame
from foible.interfaces.uci.go_command import Call, Task
from foible.interfaces.uci.options import Settings
from foible.interfaces.uci.pace import SearchPace
from foible.interfaces.uci.protocol import Go


def call(nodes: int) -> Call:
    return Call(Task(UciGame(), Go(nodes=nodes), Settings(threads=1), 0.0, ()))


def test_nodes_are_spread_over_the_positions_that_the_move_before_needed() -> None:
    pace = SearchPace()
    for expected in (10, 37):  # for 150 positions while nothing is known, then for the 40 of the first move
        pace.begin(call(1500))
        pace.begin_round()
        assert pace.visits(20, 1000) == expected
        pace.visits(20, 1000)
        pace.end_round()
        pace.end()


def test_a_call_that_was_cut_short_does_not_tell_how_many_positions_a_move_needs() -> None:
    pace = SearchPace()
    for _ in range(2):
        pace.begin(call(1500))
        pace.begin_round()
        assert pace.visits(20, 1000) == 10
        pace.end()


def test_the_cap_of_a_round_holds_and_says_whether_it_kept_visits_from_a_position() -> None:
    pace = SearchPace()
    pace.begin(call(1500))
    pace.begin_round(cap=1)
    assert pace.visits(20, 1000) == 1
    assert pace.end_round() == 20
    assert pace.may_exceed(1)
    pace.begin_round(cap=100)
    assert pace.visits(20, 1000) == 74  # what is left of 1500 for 20 positions
    assert pace.end_round() == 1500
    assert not pace.may_exceed(100)


def test_no_round_begins_that_would_be_coarser_than_the_last() -> None:
    pace = SearchPace()
    pace.begin(call(250))
    for cap, expected in ((1, True), (10, False)):  # 30 visits are left after it: 1.5 for each of 20 positions
        pace.begin_round(cap)
        assert pace.visits(20, 1000) == cap
        pace.end_round()
        assert pace.may_exceed(cap) is expected
