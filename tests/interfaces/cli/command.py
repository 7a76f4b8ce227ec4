"""Running foible's command line in this process and in one of its own."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from foible.interfaces.cli import run

PROGRAM = [sys.executable, "-c", "from foible.interfaces.cli import main; main()"]
SEVERAL = """
import json, sys
sys.modules.update(dict.fromkeys(json.loads(sys.argv[2])))
from foible.interfaces.cli import run
print([run(words) for words in json.loads(sys.argv[1])])
"""


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

    def __call__(self, *words: object, pipe: str = "") -> Ran:
        """`pipe`: what stands in a pipe that is standard input, if anything; no more than a pipe holds (64 KiB)."""
        self._capsys.readouterr()
        with _piped(pipe):
            code = run([str(word) for word in words])
        captured = self._capsys.readouterr()
        return Ran(code, captured.out, captured.err)


@contextmanager
def _piped(text: str) -> Iterator[None]:
    if not text:
        yield
        return
    before, (theirs, ours) = os.dup(0), os.pipe()
    os.dup2(theirs, 0)
    os.close(theirs)
    with open(ours, "w") as file:
        file.write(text)
    with pytest.MonkeyPatch.context() as patch, open(0, closefd=False) as stdin:
        patch.setattr(sys, "stdin", stdin)
        try:
            yield
        finally:
            os.dup2(before, 0)
            os.close(before)


def run_process(*words: object, stdin: str = "") -> Ran:
    done = subprocess.run(
        [*PROGRAM, *map(str, words)], input=stdin, capture_output=True, text=True, timeout=600, check=False
    )
    return Ran(done.returncode, done.stdout, done.stderr)


def run_several(commands: Sequence[Sequence[str]], without: Sequence[str] = ()) -> tuple[list[int], list[str]]:
    """Run commands one after the other in one process, which ends after them: their exit codes, and the lines of the
    error stream.

    :param without: modules that cannot be imported there.
    """
    words = [sys.executable, "-c", SEVERAL, json.dumps(commands), json.dumps(without)]
    done = subprocess.run(words, capture_output=True, text=True, timeout=600, check=True)
    return json.loads(done.stdout.splitlines()[-1]), done.stderr.splitlines()


def write_positions(path: Path, *positions: dict[str, Any] | str) -> Path:
    """JSON Lines; a string is a line as it is."""
    path.write_text("".join((p if isinstance(p, str) else json.dumps(p)) + "\n" for p in positions))
    return path
