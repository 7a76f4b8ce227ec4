import pytest
import torch

from foible.errors import ConfigError
from foible.nets.graph_workers import has_bf16
from foible.training.config import Recipe
from foible.training.setup import choose_machine


def test_precision_is_the_machines_own_unless_it_is_asked_for() -> None:
    auto = choose_machine(Recipe(device="cpu"))
    assert auto.precision == ("bf16" if has_bf16() else "f32")
    assert choose_machine(Recipe(device="cpu", precision="f32")).precision == "f32"
    assert choose_machine(Recipe(device="cpu", precision="bf16")).precision == "bf16"


@pytest.mark.parametrize("recorded", ["f32", "bf16"])
def test_a_run_goes_on_with_the_precision_it_began_with(recorded: str) -> None:
    assert choose_machine(Recipe(device="cpu"), recorded).precision == recorded
    assert choose_machine(Recipe(device="cpu")).resolved()["torch"] == torch.__version__


def test_more_gpus_than_there_are_is_an_error() -> None:
    there = torch.cuda.device_count()
    with pytest.raises(ConfigError, match=f"this machine has {there}; use device = cpu"):
        choose_machine(Recipe(device="cuda", devices=there + 1, batch_size=there + 1))


def test_compiling_needs_a_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    monkeypatch.delenv("CXX", raising=False)
    with pytest.raises(ConfigError, match="needs a C\\+\\+ compiler"):
        choose_machine(Recipe(device="cpu", compile=True))
