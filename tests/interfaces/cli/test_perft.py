"""`foible perft`."""

import json
import signal
import subprocess
import sys

import pytest

from tests.interfaces.cli.command import Command

KIWIPETE = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"


@pytest.mark.parametrize(
    ("words", "nodes"),
    [
        (("--depth", 4), 197_281),
        (("--depth", 3, "--fen", KIWIPETE), 97_862),
        (("--depth", 3, "--fen", "startpos"), 8902),
        (("--depth", 1, "--moves", "f3 e5 g4 Qh4#"), 0),
        (("--depth", 3, "--moves", "1. e4 e5 2.Nf3"), 23_193),
        (("--depth", 7, "--fen", "8/8/8/8/4k3/8/4P3/4K3 w - - 0 1"), 423_696),
        (
            ("--depth", 2, "--fen", "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9", "--chess960"),
            528,
        ),
        (("--depth", 2, "--go", 1), 1),
    ],
)
def test_counts_are_the_published_ones(foible: Command, words: tuple[object, ...], nodes: int) -> None:
    assert json.loads(foible("perft", *words, "--json").out)["nodes"] == nodes
    assert f": {nodes:,} in " in foible("perft", *words).out


def test_divide_counts_below_each_move(foible: Command) -> None:
    ran = json.loads(foible("perft", "--depth", 3, "--divide", "--json").out)
    assert ran["divide"]["e2e4"] == 600
    assert len(ran["divide"]) == 20
    assert sum(ran["divide"].values()) == ran["nodes"] == 8902
    table = foible("perft", "--depth", 3, "--divide").out
    assert [line.split()[1::2] for line in table.splitlines() if "e2e4" in line] == [["e2e4", "600"]]


TELLS = """
import foible.interfaces.cli.perft as perft
from foible.interfaces.cli import main

count = perft.count_below

def count_and_tell(position, depth):
    print("counting", flush=True)
    return count(position, depth)

perft.count_below = count_and_tell
main()
"""
"""The program, which tells when it counts."""


def test_ctrl_c_ends_a_count_that_would_take_years() -> None:
    words = [sys.executable, "-c", TELLS, "perft", "--depth", "12"]
    process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == "counting\n"
        process.send_signal(signal.SIGINT)
        assert process.communicate(timeout=300)[1] == "foible: interrupted\n"
        assert process.returncode == 130
    finally:
        process.kill()
