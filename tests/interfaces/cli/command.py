"""Running foible's command line in this process and in one of its own."""

import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from foible.interfaces.cli import run

PROGRAM = [sys.executable, "-c", "from foible.interfaces.cli import main; main()"]


@dataclass(frozen=True)
class Ran:
    code: int
    out: str
    err: str

    @property
    def lines(self) -> list[Any]:
        """The output as JSON Lines."""
        return [json.loads(line) for line in self.out.splitlines()]


class Command:
    """`foible`, called with words."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self._capsys = capsys

    def __call__(self, *words: object) -> Ran:
        self._capsys.readouterr()
        code = run([str(word) for word in words])
        captured = self._capsys.readouterr()
        return Ran(code, captured.out, captured.err)


def run_process(*words: object, stdin: str = "") -> Ran:
    done = subprocess.run(
        [*PROGRAM, *map(str, words)], input=stdin, capture_output=True, text=True, timeout=600, check=False
    )
    return Ran(done.returncode, done.stdout, done.stderr)


def write_positions(path: Path, *positions: dict[str, Any] | str) -> Path:
    """JSON Lines; a string is a line as it is."""
    path.write_text("".join((p if isinstance(p, str) else json.dumps(p)) + "\n" for p in positions))
    return path
