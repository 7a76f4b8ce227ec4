"""A match on a Ray cluster of three nodes, of which one is lost, ends with the bytes of one that one process plays."""

import logging
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from foible.arena.match import Progress
from foible.arena.play import play
from foible.arena.record import GameRecord
from foible.scale import open_executor
from tests.arena.test_parts import MATCH, assert_same

pytest.importorskip("ray")


@pytest.fixture
def cluster(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """Three nodes with a core each; the first is the head, which no loss is meant for."""
    cluster_utils = import_module("ray.cluster_utils")  # some seconds, for this test alone

    monkeypatch.setenv("RAY_USAGE_STATS_ENABLED", "0")
    nodes = cluster_utils.Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
    for _ in range(2):
        nodes.add_node(num_cpus=1)
    logging.getLogger("ray").setLevel(logging.ERROR)
    yield nodes
    nodes.shutdown()


def test_a_match_outlives_a_node_and_ends_with_the_same_bytes(cluster: Any, tmp_path: Path) -> None:
    play(MATCH, tmp_path / "alone")

    def lose_a_node(now: Progress[GameRecord]) -> None:
        if len(cluster.worker_nodes) == 2 and now.new >= 2:
            cluster.remove_node(next(iter(cluster.worker_nodes)), allow_graceful=False)

    with open_executor(f"ray:{cluster.address}") as executor:
        assert executor is not None
        assert executor.workers == 3
        play(MATCH, tmp_path / "run", lose_a_node, executor=executor)
    assert len(cluster.worker_nodes) == 1
    assert_same(tmp_path / "run", tmp_path / "alone")
