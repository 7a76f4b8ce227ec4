from pathlib import Path

import pytest
import tomli_w

from foible.errors import ConfigError
from foible.toml import to_toml_dict, without_none
from foible.training.config import AdamW, Recipe, Sgd, TrainConfig, parse_config, with_changes
from foible.training.schedule import TriangleSchedule

DATA = '[data]\nsources = ["games.pgn"]\n'


def test_data_alone_is_a_configuration() -> None:
    config = parse_config(DATA, "x.toml")
    assert config.net is None
    assert config.steps_of(120) == 120, "one pass"


def test_tables_choose_kinds() -> None:
    text = f"""
epochs = 7
{DATA}
[optimiser]
kind = "sgd"
nesterov = false
[schedule]
kind = "triangle"
"""
    config = parse_config(text, "x.toml")
    assert config.optimiser == Sgd(nesterov=False)
    assert config.schedule == TriangleSchedule()
    assert config.steps_of(100) == 700


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (f"stepz = 5\n{DATA}", "stepz"),
        (f"steps = 5\nepochs = 2\n{DATA}", "expected one of the two"),
        (f"epochs = inf\n{DATA}", "epochs"),
        ('[data]\nsources = [{path = "games.pgn", weight = inf}]\n', "weight"),
        (f"{DATA}phase_weights = [inf, 1, 1]\n", "phase_weights"),
        ('[data]\nsources = [{path = "games.pgn", weight = 1e-300}]\n', "expected a number, at least 1e-06"),
        (f"{DATA}phase_weights = [1e-300, 0, 0]\n", "1e-300 is too small; expected 0, or at least 1e-06"),
        (f"{DATA}eval_share = 0.5\n", 'eval_share is for value_target = "evals", found "result"'),
        (f"threads = 1000000\n{DATA}", "threads = 1000000: expected a whole number, at most 1024"),
        (f"devices = 3\n{DATA}", "expected a multiple of devices = 3"),
        (f'start = "x.pb.gz"\n{DATA}\n[net]\nkind = "rise"\n', r"expected no \[net\]"),
        (f"seeds = [1, 2, 1]\n{DATA}", "one stands in it twice"),
        (f"seed = 3\nseeds = [1, 2]\n{DATA}", r"seed = 3 and seeds = \[1, 2\]: expected one of the two"),
        (f'{DATA}\n[schedule]\nkind = "cosine"\nmin_lr = 0.1\n', "schedule: min_lr = 0.1 is above max_lr = 0.002"),
        (f'{DATA}\n[schedule]\nkind = "triangle"\nmax_momentum = 0.5\n', "min_momentum = 0.8 is above max_momentum"),
        (f"ema = 1.0\n{DATA}", "ema"),
        (f'{DATA}\n[schedule]\nkind = "cosine"\nmax_lr = -1\n', "max_lr"),
        (f'{DATA}\n[optimiser]\nkind = "adam"\n', "adam"),
        ("steps = 3\n", "data"),
        (f"{DATA}phase_weights = [1, 2]\n", "expected 3"),
        (f'regimes = ["separated"]\n{DATA}', "describes trainings of experts, for `foible experts`"),
    ],
)
def test_what_is_wrong_is_said_in_one_line_with_its_file(text: str, message: str) -> None:
    with pytest.raises(ConfigError, match=message) as found:
        parse_config(text, "x.toml")
    assert str(found.value).startswith("x.toml: ")
    assert "\n" not in str(found.value)


def test_the_command_line_goes_before_the_file() -> None:
    config = parse_config(f"epochs = 3\nseed = 9\n{DATA}", "x.toml")
    assert with_changes(config, steps=7).steps == 7
    assert with_changes(config, steps=7).epochs is None
    assert with_changes(config, seeds=[4]).seed == 4
    assert with_changes(config, seeds=[4, 5]).seeds == [4, 5]
    assert with_changes(with_changes(config, seeds=[4, 5]), seeds=[9]) == config
    assert with_changes(config) == config
    with pytest.raises(ConfigError, match="command line"):
        with_changes(config, seeds=[-1, 2])


def test_a_frozen_configuration_reads_back_as_itself(tmp_path: Path) -> None:
    config = parse_config(f'ema = 0.99\n{DATA}\n[net]\nkind = "rise"\nblocks = 9\n', "x.toml")
    assert parse_config(tomli_w.dumps(without_none(to_toml_dict(config))), "again") == config


def test_a_training_is_never_shorter_than_a_step() -> None:
    assert Recipe(epochs=0.01).steps_of(3) == 1
    assert Recipe(epochs=0.29).steps_of(100) == 29, "0.29 · 100 is a little less in floating point"
    assert Recipe(steps=12).steps_of(3) == 12


def test_recipes_are_trainings_without_data() -> None:
    assert set(Recipe.__struct_fields__) < set(TrainConfig.__struct_fields__)
    assert Recipe().optimiser == AdamW()
