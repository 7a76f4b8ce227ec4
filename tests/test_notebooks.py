"""Notebooks run from top to bottom, as Jupyter runs them: cells share their names, and `await` stands anywhere."""

import ast
import asyncio
import inspect
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

NOTEBOOKS = sorted((Path(__file__).parents[1] / "examples").glob("*.ipynb"))


def cells_of(notebook: Path) -> list[str]:
    cells = json.loads(notebook.read_text("utf-8"))["cells"]
    assert all(not cell["outputs"] for cell in cells if cell["cell_type"] == "code"), "kept without what they printed"
    return ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]


async def run(cell: str, names: dict[str, Any]) -> object:
    """What the cell shows: the value of its last expression."""
    tree = ast.parse(cell)
    last = tree.body[-1]
    if isinstance(last, ast.Expr):
        tree.body.pop()
    await _evaluate(compile(tree, "cell", "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT), names)
    if not isinstance(last, ast.Expr):
        return None
    return await _evaluate(compile(ast.Expression(last.value), "cell", "eval", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT), names)


async def _evaluate(code: Any, names: dict[str, Any]) -> object:
    found = eval(code, names)
    return await found if code.co_flags & inspect.CO_COROUTINE else found


def shows_itself(value: object) -> bool:
    return any(hasattr(value, name) for name in ("_repr_html_", "_repr_svg_"))


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs_and_its_cells_show_something(
    notebook: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("FOIBLE_NETS", raising=False)

    async def run_all() -> list[object]:
        names: dict[str, Any] = {}
        shown = []
        for cell in cells_of(notebook):
            value = await run(cell, names)
            shown.append(value if shows_itself(value) else capsys.readouterr().out)
        return shown

    shown = asyncio.run(run_all())
    assert shown
    assert all(shown)


def test_a_board_shows_itself_though_nothing_else_was_imported() -> None:
    shows = "import foible; print(foible.ChessPosition()._repr_svg_()[:4], foible.GoPosition(5)._repr_svg_()[:4])"
    ran = subprocess.run([sys.executable, "-c", shows], capture_output=True, text=True, timeout=120, check=True)
    assert ran.stdout.split() == ["<svg", "<svg"]
