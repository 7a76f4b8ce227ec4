"""Train the tiny net in a run folder, from wherever an earlier process left it. Run by a test, which kills it."""

import sys
from pathlib import Path

import torch

from tests.training.made_up import loop, recipe

if __name__ == "__main__":
    torch.set_num_threads(1)
    loop(Path(sys.argv[1]), recipe(steps=150, validate_every=10)).run()
