"""How long to think: never longer than there is, and no clock runs out."""

import pytest
from hypothesis import given, strategies as st

from foible.games.go import Colour
from foible.interfaces.gtp.session import ReportedClocks, TimeSettings
from tests.interfaces.gtp.talk import Talk

SECONDS = st.floats(0.1, 3600)
SETTINGS = st.one_of(
    st.builds(TimeSettings, SECONDS),
    st.builds(TimeSettings, st.just(0.0) | SECONDS, SECONDS, stones=st.integers(1, 25)),
)
BLACK: Colour = "black"


def limit(clock: ReportedClocks, *, plies: int = 0, points: int = 49, lag: float = 0.0) -> float | None:
    return clock.seconds_for(BLACK, plies=plies, points=points, lag=lag)


@given(SETTINGS, st.sampled_from([25, 49, 361]), st.floats(0, 2))
def test_a_player_who_uses_what_it_is_given_never_loses_on_time(
    settings: TimeSettings, points: int, lag: float
) -> None:
    clock, main, stones, period = ReportedClocks(settings), settings.main, settings.stones, settings.period
    for ply in range(0, 3 * points, 2):
        seconds = limit(clock, plies=ply, points=points, lag=lag)
        assert seconds is not None
        assert seconds >= 0
        # The same clock, kept by the rules.
        rest = main - seconds
        if main > 0 and rest >= -1e-6:
            main = max(rest, 0.0)
        else:
            assert settings.stones
            period -= seconds - main
            main, stones = 0.0, stones - 1
            assert period >= -1e-6
            if not stones:
                stones, period = settings.stones, settings.period
        clock.spend(BLACK, seconds)


@given(SETTINGS)
def test_lag_is_kept_back_but_never_all(settings: TimeSettings) -> None:
    free, late = limit(ReportedClocks(settings)), limit(ReportedClocks(settings), lag=1e6)
    assert free is not None
    assert late == pytest.approx(free / 2)


@pytest.mark.parametrize("settings", [TimeSettings(), TimeSettings(0, 5), TimeSettings(300, 5, 0)])
def test_without_a_limit_there_is_none(settings: TimeSettings) -> None:
    assert limit(ReportedClocks(settings)) is None


def test_main_time_is_spread_over_the_moves_to_come() -> None:
    clock = ReportedClocks(TimeSettings(600))
    assert limit(clock, points=361) == pytest.approx(600 / 144.4)
    assert limit(clock, points=361, plies=200) == pytest.approx(600 / 45.125)
    assert limit(clock, points=49, plies=48) == pytest.approx(600 / 6.125)


def test_what_the_controller_says_counts() -> None:
    clock = ReportedClocks(TimeSettings(600, 30, 5))
    clock.tell(BLACK, 20, 4)
    assert limit(clock) == 5
    clock.tell(BLACK, 0, 0)  # the end of main time
    assert limit(clock) == 6
    clock.spend(BLACK, 12)
    assert limit(clock) == 4.5
    clock.tell(BLACK, 61.25, 0)
    assert limit(clock, plies=48) == pytest.approx(10 + 6)
    assert clock.seconds_for("white", plies=48, points=49, lag=0) == pytest.approx(600 / 6.125 + 6)


def test_a_new_game_fills_the_clocks() -> None:
    talk = Talk()
    talk("time_settings 600 0 0")
    talk("time_left b 3 0")
    assert limit(talk.session.clock) == pytest.approx(3 / 19.6)
    talk("clear_board")
    assert limit(talk.session.clock) == pytest.approx(600 / 19.6)


@pytest.mark.parametrize(
    ("line", "settings"),
    [
        ("time_settings 600 30 5", TimeSettings(600, 30, 5)),
        ("time_settings 0 0 0", TimeSettings()),
        ("time_settings 300.5 0 0", TimeSettings(300.5)),
        ("kgs-time_settings none", TimeSettings()),
        ("kgs-time_settings absolute 300", TimeSettings(300)),
        ("kgs-time_settings canadian 600 30 5", TimeSettings(600, 30, 5)),
        ("kgs-time_settings byoyomi 600 30 3", TimeSettings(600, 30, 1, counts_periods=True)),
    ],
)
def test_time_settings_are_understood(line: str, settings: TimeSettings) -> None:
    talk = Talk()
    talk(line)
    assert talk.session.clock.settings == settings


@pytest.mark.parametrize(
    "line",
    [
        "time_settings 600 30",
        "time_settings -1 0 0",
        "time_left b -1 0",
        "kgs-time_settings byoyomi 9 9",
        "kgs-time_settings x",
    ],
)
def test_time_settings_that_are_none_change_nothing(line: str) -> None:
    talk = Talk()
    clock = talk.session.clock
    assert talk.fails(line) == "syntax error"
    assert talk.session.clock is clock


def test_the_komi_is_told() -> None:
    talk = Talk()
    talk("komi 6.5")
    assert talk("get_komi") == "6.5"


def test_each_move_of_byoyomi_has_a_whole_period_however_many_are_left() -> None:
    talk = Talk()
    talk("kgs-time_settings byoyomi 0 30 5")
    for periods in (5, 1):
        talk(f"time_left b 30 {periods}")
        assert limit(talk.session.clock) == pytest.approx(30)
        talk.session.clock.spend("black", 20)
        assert limit(talk.session.clock) == pytest.approx(30)
