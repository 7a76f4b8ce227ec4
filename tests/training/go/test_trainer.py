"""A Go net learns."""

from collections.abc import Iterator

import msgspec
import numpy as np
import pytest
import torch

from foible.nets.go.modules import GoNet
from foible.nets.go.net import GoNetConfig, HeadKind, input_planes
from foible.nets.material import Material
from foible.runs.journal import Journal
from foible.selfplay.go.config import GoSelfplayConfig
from foible.selfplay.go.play import GoSelfplay
from foible.selfplay.go.record import GoGame
from foible.training.go.config import GoTraining, Phase
from foible.training.go.first_net import random_net
from foible.training.go.samples import GoSamples
from foible.training.go.trainer import GoTrainer

CONFIG = GoTraining(batch_size=64, lr=0.02)


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(scope="module")
def samples(tmp_path_factory: pytest.TempPathFactory) -> GoSamples:
    with Journal(tmp_path_factory.mktemp("games") / "games.jsonl", GoGame) as journal:
        GoSelfplay(GoSelfplayConfig(visits=8, concurrency=16), Material(), 3, 40, 1, journal).play()
        return GoSamples.of(3, journal.items)


def net_config(head: HeadKind, planes: int = 18) -> GoNetConfig:
    return msgspec.convert(
        {"size": 3, "blocks": 1, "filters": 8, "head": head, "value_hidden": 16, "planes": planes}, GoNetConfig
    )


@pytest.mark.parametrize(("head", "planes"), [("lz", 18), ("v", 18), ("y", 17), ("t", 18)])
def test_it_learns_what_was_played(samples: GoSamples, head: HeadKind, planes: int) -> None:
    net = random_net(net_config(head, planes), 1)
    trainer, rng = GoTrainer(net, CONFIG), np.random.default_rng(1)
    before = trainer.measure(samples)
    assert trainer.train(samples, rng, 60)
    after = trainer.measure(samples)
    assert after.policy < before.policy - 0.1
    assert after.value < before.value - 0.01


def test_it_is_the_same_again_and_stops_when_told(samples: GoSamples) -> None:
    states = []
    for _ in range(2):
        net = random_net(net_config("y"), 1)
        GoTrainer(net, CONFIG).train(samples, np.random.default_rng(1), 5)
        states.append(net.state_dict())
    assert all(torch.equal(states[0][name], states[1][name]) for name in states[0])
    seen: list[int] = []

    def stop(done: int) -> bool:
        seen.append(done)
        return done == 3

    net = random_net(net_config("y"), 1)
    assert not GoTrainer(net, CONFIG).train(samples, np.random.default_rng(1), 5, stop)
    assert seen == [1, 2, 3]


def test_the_rate_is_that_of_the_phase() -> None:
    config = GoTraining(lr=0.1, later=(Phase(generation=9, lr=0.001), Phase(generation=5, lr=0.01)))
    assert [config.lr_of(number) for number in (1, 4, 5, 8, 9, 99)] == [0.1, 0.1, 0.01, 0.01, 0.001, 0.001]


def test_a_later_phase_learns_less(samples: GoSamples) -> None:
    config = GoTraining(batch_size=64, lr=0.02, later=(Phase(generation=5, lr=1e-9),))
    states = []
    for generation in (4, 5):
        net = random_net(net_config("y"), 1)
        before = net.policy_dense.weight.detach().clone()
        GoTrainer(net, config, generation).train(samples, np.random.default_rng(1), 5)
        states.append(float((net.policy_dense.weight.detach() - before).abs().max()))
    assert states[0] > 1e-3
    assert states[1] < 1e-6


def test_a_random_net_says_nothing_beyond_measure(samples: GoSamples) -> None:
    config = GoNetConfig(size=3, blocks=4, filters=64)
    settled = random_net(config, 3)
    torch.manual_seed(3)
    wild = GoNet(config).eval()
    rows = np.arange(200) % len(samples)
    planes = torch.from_numpy(input_planes(samples.batch(rows, np.zeros(200, np.uint8)).planes, 18))
    with torch.no_grad():
        tame, loud = settled(planes).raw, wild(planes).raw
    assert tame is not None
    assert loud is not None
    assert float(tame.abs().max()) < 3 < float(loud.abs().max())
