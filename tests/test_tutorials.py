"""What the tutorials show works from start to end."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
TUTORIALS = sorted((ROOT / "docs" / "tutorials").glob("*.md"))


def blocks(page: Path, language: str) -> str:
    """What a page tells its reader to type in this language, from its beginning to its end."""
    return "\n".join(re.findall(rf"^```{language}\n(.*?)^```$", page.read_text("utf-8"), re.DOTALL | re.MULTILINE))


def test_there_are_tutorials() -> None:
    assert len(TUTORIALS) >= 7


@pytest.mark.parametrize("page", TUTORIALS, ids=lambda page: page.stem)
def test_the_tutorial_works_from_start_to_end(page: Path, tmp_path: Path) -> None:
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    environment = {
        **os.environ,
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "XDG_CACHE_HOME": str(tmp_path / "cache"),
        "OMP_NUM_THREADS": "1",  # torch's threads wait for each other where tests share the processors
    }
    environment.pop("FOIBLE_NETS", None)  # no nets but those that come with foible
    commands, program = blocks(page, "sh"), blocks(page, "python")
    assert commands or program
    for words in (["bash", "-euo", "pipefail", "-c", commands], [sys.executable, "-c", program]):
        done = subprocess.run(words, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        assert words[-1] == "" or done.stdout.strip()
