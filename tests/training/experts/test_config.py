from pathlib import Path

import pytest

from foible.errors import ConfigError
from foible.training.experts.config import parse_config, read_config

DATA = '[data]\nsources = ["games.pgn"]\n'


def test_a_file_needs_to_say_no_more_than_what_to_learn_from() -> None:
    config = parse_config(DATA, "x.toml")
    assert [one.name for one in config.expert_regimes] == ["separated", "staged", "weighted-4", "weighted-10"]
    assert config.matches is None
    assert parse_config(DATA + "[matches]", "x.toml").matches is not None


def test_the_example_can_be_read() -> None:
    config = read_config(Path("examples/experts.toml"))
    assert config.matches is not None
    assert all(Path(source.path).is_file() for source in config.data.all_sources)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "data is missing"),
        ('regimes = ["seperated"]\n' + DATA, "no regime is called 'seperated'; expected regular, separated, staged"),
        ('regimes = ["staged", "staged"]\n' + DATA, "regimes = staged, staged: one stands there twice"),
        ("seeds = [3, 3]\n" + DATA, "seeds = 3, 3: one stands there twice"),
        ("seeds = []\n" + DATA, "seeds"),
        ("move_counter = [1]\n" + DATA, "move_counter"),
        ("seed = 3\n" + DATA, "unknown key seed"),
        (DATA + "phase_weights = [1, 2, 3]", "data.phase_weights: regimes set it"),
        (DATA + "move_phases = 3", "data.move_phases: regimes set it"),
        (DATA + "filters = {phases = [1]}", "data.filters.phases: regimes set it"),
        (DATA + "[training]\nsteps = 10", "training.steps: phases have fewer positions than all; expected epochs"),
        (DATA + "[training]\nseed = 10", "training.seed: seeds says them"),
        (DATA + '[matches]\none_phase = ["regular"]', "matches: one_phase: regular is not among the regimes"),
        (DATA + '[matches]\ngate = "lichess"', "matches: gate = 'lichess': expected current"),
        (DATA + '[matches]\ngate = "moves-3"', "matches: gate = moves-3: expected a table of three phases"),
        (DATA + "[matches]\nsearch = {batch = 4}", "matches: search.batch: batch_sizes says it"),
        (DATA + "[matches]\nsearch = {cpunct = 4}", "matches: unknown search parameter 'cpunct'"),
        (DATA + "[matches]\nnodes = []", "nodes"),
        (DATA + '[matches]\nvote = "all"', "vote"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(text: str, message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        parse_config(text, "x.toml")
    assert str(caught.value).startswith("x.toml: ")
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)
