"""Settings, and options that change them."""

from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from foible.errors import ConfigError, FoibleError
from foible.interfaces.gtp.commands.about_engine import OPTIONS, read_numbers
from foible.interfaces.gtp.settings import RANGES, Settings
from tests.interfaces.gtp.nets import Fixed
from tests.interfaces.gtp.talk import Talk


def test_every_option_is_a_setting_and_shows_its_value() -> None:
    assert {option.field for option in OPTIONS} <= {field.name for field in fields(Settings)}
    assert set(RANGES) <= {field.name for field in fields(Settings)}
    talk = Talk()
    talk("lz-setoption name lambda value 0.5,0.3,0,0")
    listed = talk("lz-setoption").split("\n")
    assert len(listed) == len(OPTIONS)
    assert "option name Visits type spin default 40 min 0 max 1000000000" in listed
    assert "option name Pondering type check default false" in listed
    assert "option name Lambda type string default 0.5,0.3,0,0" in listed


@pytest.mark.parametrize(
    ("words", "field", "value"),
    [
        ("Visits value 17", "visits", 17),
        ("playouts value 5", "playouts", 5),
        ("RESIGN PERCENTAGE value 7.5", "resign", 7.5),
        ("lagbuffer value 20", "lag", 20),
        ("pondering value TRUE", "pondering", True),
        ("maximum memory use (mib) value 512", "memory_mb", 512),
        ("lambda value 0.5", "lambda_", (0.5,)),
        ("mu value -0.1,0.2,1", "mu", (-0.1, 0.2, 1.0)),
    ],
)
def test_options_change_settings(words: str, field: str, value: object) -> None:
    talk = Talk()
    talk(f"lz-setoption name {words}")
    assert getattr(talk.session.settings, field) == value


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        ("visits 17", "syntax error"),
        ("visits value", "incorrect value"),
        ("visits value many", "incorrect value"),
        ("visits value -1", "Visits -1: expected 0 to"),
        ("pondering value perhaps", "incorrect value"),
        ("resign percentage value 101", "Resign Percentage 101: expected 0 to 100"),
        ("resign percentage value nan", "Resign Percentage nan"),
        ("lambda value 1,2,3,4,5", "lambda: expected 1 to 4 numbers"),
        ("lambda value 0.5;1", "incorrect value"),
        ("lambda value 11", "-10 to 10"),
        ("mu value nan", ""),
        ("colour value red", "Unknown option"),
    ],
)
def test_a_value_that_is_none_changes_nothing(words: str, problem: str) -> None:
    talk = Talk()
    before = talk.session.settings
    assert problem in talk.fails(f"lz-setoption name {words}")
    assert talk.session.settings == before


@pytest.mark.parametrize(
    ("numbers", "own", "other"),
    [
        ((0.5,), (0.5, 0.5), None),
        ((0.5, 0.3), (0.5, 0.3), None),
        ((0.5, 0.3, 0.0), (0.5, 0.3), (0.0, 0.0)),
        ((0.5, 0.3, 0.1, 0.0), (0.5, 0.3), (0.1, 0.0)),
        ((0.5, 0.3, 0.5, 0.3), (0.5, 0.3), None),
    ],
)
def test_one_to_four_numbers_say_how_margins_are_weighed(
    numbers: tuple[float, ...], own: tuple[float, float], other: tuple[float, float] | None
) -> None:
    ours, theirs = Settings(lambda_=numbers, mu=numbers).bonuses()
    assert (ours.lambda_, ours.lambda_behind) == (ours.mu, ours.mu_behind) == own
    assert (theirs and (theirs.lambda_, theirs.mu_behind)) == other


@pytest.mark.parametrize(
    "given",
    [{"visits": -1}, {"batch": 0}, {"lambda_": ()}, {"mu": (11.0,)}, {"random_temperature": 0}, {"seed": 2**64}],
)
def test_impossible_settings_are_refused(given: dict[str, Any]) -> None:
    with pytest.raises(FoibleError):
        Settings(**given)


def test_the_constants_are_those_of_leela_zero() -> None:
    params = Settings(noise=True, seed=7, batch=3, memory_mb=9).params(19)
    assert (params.cpuct, params.fpu, params.fpu_value, params.cpuct_factor) == (1.6, "net", 0.5, 0.0)
    assert (params.noise_epsilon, params.noise_alpha) == (0.25, 0.03)
    assert (params.seed, params.batch, params.memory_mb) == (7, 3, 9)
    assert Settings().params(7).noise_epsilon == 0


def test_unvisited_moves_may_be_thought_even() -> None:
    params = Settings(fpu_zero=True).params(7)
    assert (params.fpu, params.fpu_value) == ("absolute", 0.0)


def test_without_a_seed_there_is_another_each_time() -> None:
    assert len({Settings().seed for _ in range(4)}) > 1
    assert Settings(seed=3) == Settings(seed=3)


def test_numbers_stand_between_commas() -> None:
    assert read_numbers("0.5, -1,2e-1") == (0.5, -1.0, 0.2)
    with pytest.raises(ConfigError, match="1 to 4 numbers"):
        read_numbers("half")


class TestNetWithOneValue:
    def test_it_keeps_the_komi_that_the_command_names(self) -> None:
        talk = Talk(net=Fixed(margins=False).net)
        assert talk("komi 9.5") == ""
        assert talk.fails("komi 7.5") == "the net knows no komi but 9.5; start it with --komi for another"
        assert talk("final_score") == "W+9.5"

    def test_a_record_for_another_komi_does_not_change_which_one_it_knows(self, tmp_path: Path) -> None:
        (tmp_path / "game.sgf").write_text("(;SZ[7]KM[6.5];B[dd])")
        talk = Talk(net=Fixed(margins=False).net)
        talk(f"loadsgf {tmp_path}/game.sgf")
        assert "but 9.5; start it with --komi for another" in talk.fails("komi 6.5")
        assert talk.all("komi 9.5", "final_score")[-1] == "B+39.5"

    def test_it_does_not_weigh_margins(self) -> None:
        with pytest.raises(ConfigError, match="fixed knows no margins: lambda and mu must be 0"):
            Talk(Settings(lambda_=(0.5,)), Fixed(margins=False).net)
        talk = Talk(net=Fixed(margins=False).net)
        assert "no margins" in talk.fails("lz-setoption name mu value 0.1")
        assert talk("genmove b")

    def test_it_says_that_it_does_not_know_of_whites_points_for_a_handicap(self) -> None:
        talk = Talk(net=Fixed(margins=False).net)
        talk("fixed_handicap 2")
        assert "plays as for komi 9.5" in talk.logged[-1]
        assert talk("final_score") == "B+37.5"
