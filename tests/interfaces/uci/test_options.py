import pytest

from foible.errors import ConfigError
from foible.interfaces.uci.options import Settings, change, option_name, options
from foible.search.params import SearchSettings


def test_every_search_parameter_that_chess_reads_is_an_option() -> None:
    constants = set(SearchSettings().values()) - {"interval", "terminal_beta"}
    assert {option.field for option in options() if option.search} == constants
    names = [option.name.lower() for option in options()]
    assert len(names) == len(set(names))


@pytest.mark.parametrize(
    ("parameter", "name"),
    [
        ("cpuct", "CPuct"),
        ("root_cpuct_base", "CPuctBaseAtRoot"),
        ("fpu", "FpuStrategy"),
        ("root_fpu", "FpuStrategyAtRoot"),
        ("root_fpu_value", "FpuValueAtRoot"),
        ("policy_temperature", "PolicyTemperature"),
        ("memory_mb", "Hash"),
    ],
)
def test_options_have_the_names_that_guis_know(parameter: str, name: str) -> None:
    assert option_name(parameter) == name


def test_setting_every_option_to_what_it_says_it_is_changes_nothing() -> None:
    settings = Settings(threads=1)
    for option in options():
        default = option.line(settings).partition(" default ")[2].split(" min ")[0].split(" var ")[0]
        assert change(settings, option.name, default) == settings, option.name


def test_options_are_set_by_any_spelling_of_their_case() -> None:
    settings = change(Settings(), "cpuctbase", "1000")
    settings = change(settings, "FPUSTRATEGYATROOT", "absolute")
    settings = change(settings, "uci_chess960", "true")
    settings = change(settings, "WeightsFile", "/a b/c.pb.gz")
    assert (settings.search.params.cpuct_base, settings.search.params.root_fpu) == (1000, "absolute")
    assert (settings.chess960, settings.net) == (True, "/a b/c.pb.gz")


def test_an_opponent_is_forgotten_by_an_empty_text() -> None:
    told = change(Settings(), "UCI_Opponent", "GM 2800 human X")
    assert told.opponent == "GM 2800 human X"
    for nobody in ("", "<empty>"):
        assert change(told, "UCI_Opponent", nobody) == Settings()


@pytest.mark.parametrize(("name", "off"), [("ScLimit", 1_000_000_000), ("ContemptVisits", 0)])
def test_contempt_is_a_number_of_visits_that_can_be_turned_off(name: str, off: int) -> None:
    option = next(option for option in options() if option.name == name)
    assert f"type spin default {off} " in option.line(Settings())
    settings = change(Settings(), name, "28")
    assert settings.search.params.contempt_visits == 28
    assert "default 28 " in option.line(settings)
    assert change(settings, name, str(off)).search.params.contempt_visits is None


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("ContemptVisits", "-1", "a whole number from 0 to 1000000000, 0 for off"),
        ("ContemptVisits", "many", "a whole number from 0 to 1000000000, 0 for off"),
        ("ScLimit", "0", "a whole number from 1 to 1000000000, 1000000000 for off"),
    ],
)
def test_what_is_expected_of_contempt_is_what_the_option_offers(name: str, value: str, expected: str) -> None:
    with pytest.raises(ConfigError, match=f"option {name} = '{value}': expected {expected}$"):
        change(Settings(), name, value)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("ScLimit", "0"),
        ("ContemptVisits", "-1"),
        ("ContemptVisits", "many"),
        ("ContemptDraw", "even"),
        ("Threads", "0"),
        ("Threads", "two"),
        ("Threads", "²"),
        ("MultiPV", "501"),
        ("UCI_Elo", "3000"),
        ("UCI_Chess960", "perhaps"),
        ("Backend", "abacus"),
        ("Net", ""),
        ("CPuct", "-1"),
        ("CPuct", "nan"),
        ("FpuStrategy", "hopeful"),
        ("Hash", "0"),
        ("Batch", "1e9"),
        ("Hsah", "100"),
    ],
)
def test_a_bad_value_is_an_error_that_names_the_option(name: str, value: str) -> None:
    with pytest.raises(ConfigError, match=name):
        change(Settings(), name, value)
