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


def shape(line: str) -> tuple[str, ...]:
    """What of a line does not depend on the machine: the headings of a table; the first cell of a row and how many
    there are; else the words in small letters. Nothing of a line without any.
    """
    for border in "┃│":
        if line.startswith(border):
            cells = [" ".join(cell.split()) for cell in re.split(f"[{border}┆]", line.strip(border))]
            return tuple(cells) if border == "┃" else (cells[0], str(len(cells)))
    return tuple(re.findall(r"[a-z]{4,}", re.sub(r"\(.*?\)", "", line)))


def stale(page: Path, printed: str) -> list[str]:
    """The lines that a page shows as output and that nothing printed resembles."""
    shapes = {shape(line) for line in printed.splitlines()}
    shown = (line for line in blocks(page, "text").splitlines() if line != "… (shortened)")
    return [line for line in shown if shape(line) and shape(line) not in shapes]


def test_a_line_that_nothing_prints_any_more_is_stale(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(
        "```text\n┃ net ┃ loss ┃\n│ a   │ 5.1  │\n└─────┴──────┘\ngames: runs/a\n… (shortened)\n```\n", "utf-8"
    )
    assert stale(page, "┃ net ┃   loss ┃\n│ a   │ 4.9 │\ngames: runs/a\n") == []
    assert stale(page, "┃ net ┃ policy ┃\n│ a   │ 4.9 │ 3 │\nwrote runs/a\n") == [
        "┃ net ┃ loss ┃",
        "│ a   │ 5.1  │",
        "games: runs/a",
    ]


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Empty before the first tutorial."""
    return tmp_path_factory.mktemp("cache")


def test_there_are_tutorials() -> None:
    assert len(TUTORIALS) >= 7


@pytest.mark.parametrize("page", TUTORIALS, ids=lambda page: page.stem)
def test_the_tutorial_works_from_start_to_end_and_prints_what_it_shows(page: Path, tmp_path: Path, cache: Path) -> None:
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    environment = {
        **os.environ,
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "XDG_CACHE_HOME": str(cache),
        "OMP_NUM_THREADS": "1",  # torch's threads wait for each other where tests share the processors
    }
    environment.pop("FOIBLE_NETS", None)  # no nets but those that come with foible
    commands, program = blocks(page, "sh"), blocks(page, "python")
    assert commands or program
    printed = ""
    for words in (["bash", "-euo", "pipefail", "-c", commands], [sys.executable, "-c", program]):
        done = subprocess.run(words, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        assert words[-1] == "" or done.stdout.strip()
        printed += done.stdout
    assert stale(page, printed) == []
