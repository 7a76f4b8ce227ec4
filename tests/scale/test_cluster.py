"""A match on a Ray cluster of three nodes, of which one is lost, ends with the bytes of one that one process plays."""

import logging
import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from msgspec import structs

from foible.agents.spec import NetPolicySpec
from foible.arena.match import MatchProgress
from foible.arena.play import play
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


def test_a_cluster_that_asks_for_a_token_is_shown_it(tmp_path: Path) -> None:
    """As `ray start` makes one on a machine where Ray was used before."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    (tmp_path / ".ray").mkdir()
    (tmp_path / ".ray" / "auth_token").write_text(64 * "a")
    at_home = {"HOME": str(tmp_path), "RAY_USAGE_STATS_ENABLED": "0"}
    environment = {name: value for name, value in os.environ.items() if not name.startswith("RAY_")} | at_home
    ray = [sys.executable, "-m", "ray.scripts.scripts"]
    started = [
        *ray,
        "start",
        "--head",
        "--port",
        str(port),
        "--num-cpus",
        "1",
        "--include-dashboard",
        "false",
        "--block",
    ]
    match = ["match", "--preset", "demo", "--games", "2", "--nodes", "5", "--out", str(tmp_path / "run")]
    with subprocess.Popen(started, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as head:
        try:
            while not answers(port):
                assert head.poll() is None
                time.sleep(0.2)
            command = [sys.executable, "-m", "foible", *match, "--on", f"ray:127.0.0.1:{port}"]
            ran = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        finally:
            head.terminate()
    assert ran.returncode == 0, ran.stderr
    assert (tmp_path / "run" / "report.json").is_file()


def answers(port: int) -> bool:
    with suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
        return True
    return False
