"""Nets under several threads."""

import subprocess
import sys

import pytest

TWO_THREADS_AT_ONCE = """
import sys, threading
from foible import Batch, ChessPosition, open_net
net = open_net(sys.argv[1], runtime=sys.argv[2], threads=2)
batch = Batch([ChessPosition()] * 64)
threads = [threading.Thread(target=net.evaluate, args=(batch,)) for _ in range(4)]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
"""


@pytest.mark.parametrize("runtime", ["openvino", "onnxruntime"])
def test_the_first_calls_of_a_process_may_come_from_several_threads(runtime: str) -> None:
    for _ in range(3):
        subprocess.run([sys.executable, "-c", TWO_THREADS_AT_ONCE, "master", runtime], timeout=60, check=True)
