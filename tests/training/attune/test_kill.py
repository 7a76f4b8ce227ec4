"""A run killed at any point and begun again ends like one that was never disturbed."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.training.attune.killed_run import KILLS

ROOT = Path(__file__).resolve().parents[3]


def test_a_run_killed_in_and_between_its_stages_ends_like_an_undisturbed_one(tmp_path: Path) -> None:
    command = [sys.executable, "-W", "ignore", "-m", "tests.training.attune.killed_run", str(tmp_path)]
    ran = subprocess.run(
        command, cwd=ROOT, env={**os.environ, "OMP_NUM_THREADS": "1"}, capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.splitlines() == [f"killed {point}" for point in KILLS]
    for name in ("data.pgn", "split.json", "held_out.json", "net/net.pb.gz", "test/results.csv", "alone/results.csv"):
        assert (tmp_path / "killed" / name).read_bytes() == (tmp_path / "alone" / name).read_bytes(), name
    assert outcome(tmp_path / "killed") == outcome(tmp_path / "alone")


def outcome(run: Path) -> dict[str, Any]:
    """The report, without times and places."""
    report: dict[str, Any] = json.loads((run / "report.json").read_text())
    del report["tuning"]["seconds"], report["tuning"]["folder"], report["tuning"]["net"]
    return report
