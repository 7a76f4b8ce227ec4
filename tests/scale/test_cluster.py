"""A match on a Ray cluster of three nodes, of which one is lost, ends with the bytes of one that one process plays."""

import logging
import shutil
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from msgspec import structs

from foible.agents.spec import NetPolicySpec
from foible.arena.play import play
from foible.arena.progress import MatchProgress
from foible.arena.record import GameRecord
from foible.nets.catalogue import find_net
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

    def lose_a_node(now: MatchProgress[GameRecord]) -> None:
        if len(cluster.worker_nodes) == 2 and now.new >= 2:
            cluster.remove_node(next(iter(cluster.worker_nodes)), allow_graceful=False)

    with open_executor(f"ray:{cluster.address}") as executor:
        assert executor is not None
        assert executor.workers == 3
        play(MATCH, tmp_path / "run", lose_a_node, executor=executor)
    assert len(cluster.worker_nodes) == 1
    assert_same(tmp_path / "run", tmp_path / "alone")


def test_a_node_without_the_net_gets_it_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cluster_utils = import_module("ray.cluster_utils")
    monkeypatch.setenv("RAY_USAGE_STATS_ENABLED", "0")
    ours, none, cache = (tmp_path / name for name in ("nets", "none", "cache"))
    for folder in (ours, none):
        folder.mkdir()
    shutil.copy(find_net("club"), ours / "mine.pb.gz")
    elsewhere = {"FOIBLE_NETS": str(none), "XDG_CACHE_HOME": str(cache)}
    head = {"num_cpus": 0, "include_dashboard": False}
    nodes = cluster_utils.Cluster(initialize_head=True, head_node_args=head)
    nodes.add_node(num_cpus=1, env_vars=elsewhere)
    monkeypatch.setenv("FOIBLE_NETS", str(ours))
    player = NetPolicySpec(net="mine:1500", name="mine")
    match = structs.replace(MATCH, focal=player, alter=player, games=4, runtime="onnxruntime", threads=1)
    play(match, tmp_path / "alone")
    try:
        with open_executor(f"ray:{nodes.address}") as executor:
            play(match, tmp_path / "run", executor=executor)
    finally:
        nodes.shutdown()
    assert_same(tmp_path / "run", tmp_path / "alone")
    (kept,) = (cache / "foible" / "lent").rglob("mine.pb.gz")
    assert kept.read_bytes() == (ours / "mine.pb.gz").read_bytes()
