"""What a training computes on."""

import os
from dataclasses import dataclass
from shutil import which
from typing import Literal

import torch

from foible.errors import ConfigError
from foible.nets.runtimes import has_bf16
from foible.training.config import Recipe


@dataclass(frozen=True, slots=True)
class Machine:
    """The devices and the arithmetic that were decided on."""

    kind: Literal["cpu", "cuda"]
    precision: Literal["f32", "bf16"]
    threads: int | None

    def device(self, rank: int = 0) -> torch.device:
        """Of one of the processes that share a batch."""
        return torch.device("cpu") if self.kind == "cpu" else torch.device("cuda", rank)

    def settle(self, rank: int = 0) -> None:
        """Set up torch in one of the processes."""
        if self.kind == "cuda":
            torch.cuda.set_device(rank)
        if self.threads is not None:
            torch.set_num_threads(self.threads)

    def resolved(self) -> dict[str, str]:
        """For the record."""
        name = torch.cuda.get_device_name() if self.kind == "cuda" else "cpu"
        return {"torch": str(torch.__version__), "device": name, "precision": self.precision}


def choose_machine(recipe: Recipe, recorded: str | None = None) -> Machine:
    """`recorded`: the precision with which the run began; `auto` goes on with it.

    :raises ConfigError: there are not as many GPUs as were asked for, or nothing to compile with.
    """
    if recipe.compile and not any(map(which, (os.environ.get("CXX", "g++"), "g++", "clang++"))):
        raise ConfigError("compile = true needs a C++ compiler, and there is none here; install g++ or leave it out")
    there = torch.cuda.device_count()
    if recipe.device == "cuda" and recipe.devices > there:
        raise ConfigError(f"device = cuda, devices = {recipe.devices}: this machine has {there}; use device = cpu")
    kind: Literal["cpu", "cuda"] = "cuda" if recipe.device != "cpu" and there >= recipe.devices else "cpu"
    if recipe.precision == "auto":
        fast = recorded == "bf16" if recorded else kind == "cuda" or has_bf16()
        return Machine(kind, "bf16" if fast else "f32", recipe.threads)
    return Machine(kind, recipe.precision, recipe.threads)
