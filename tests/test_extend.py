"""What `docs/extend.md` shows works as shown."""

import re
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[1] / "docs" / "extend.md"
SECTIONS = re.findall(r"^## ([^\n]+)\n(.*?)(?=^## |\Z)", PAGE.read_text("utf-8"), re.DOTALL | re.MULTILINE)
BLOCKS = {title: re.findall(r"```python\n(.*?)```", text, re.DOTALL) for title, text in SECTIONS}
MODULE, MAIN = BLOCKS.pop("A job that workers share")
EXAMPLES = {title: "\n".join(blocks) for title, blocks in BLOCKS.items() if blocks}


def test_the_page_has_an_example_for_each_thing_that_is_written_in_python() -> None:
    assert {
        "A player",
        "A search with a junior",
        "An opponent model",
        "A game",
        "A net format",
        "A command",
        "In a notebook",
    } <= EXAMPLES.keys()


@pytest.mark.parametrize("title", EXAMPLES)
def test_the_example_runs(title: str) -> None:
    # A module of its own: classes look up names where they are defined.
    exec(compile(EXAMPLES[title], f"{PAGE}: {title}", "exec"), {"__name__": "example"})


def test_the_job_is_done_by_workers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # workers find the module there
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "counting.py").write_text(MODULE)
    for _ in range(2):
        exec(compile(MAIN, str(PAGE), "exec"), {})


def test_the_rule_s_one_method_is_shown_as_it_is() -> None:
    shown = re.search(r"```rust\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
    assert shown is not None
    assert shown[1].strip() in (PAGE.parents[1] / "core" / "src" / "search" / "rules.rs").read_text("utf-8")
