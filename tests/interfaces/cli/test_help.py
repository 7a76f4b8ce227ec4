import os
import re
import subprocess
import sys
from typing import Any

import pytest

from foible.interfaces.cli.commands import COMMANDS, PANELS, build
from foible.search.params import SearchParams
from tests.interfaces.cli.command import Command

HEAVY = ("openvino", "onnx", "onnxruntime", "polars", "matplotlib", "jinja2", "chess")
SUBCOMMANDS = [
    ("nets", "list"),
    ("nets", "show"),
    ("nets", "get"),
    ("stats", "elo"),
    ("bench", "nets"),
    ("bench", "search"),
    ("bench", "tree"),
    ("bench", "match"),
    ("bench", "pgn"),
]


def test_help_names_every_command(foible: Command) -> None:
    ran = foible("--help")
    assert ran.code == 0
    for name in COMMANDS:
        assert re.search(rf"\b{name} ", ran.out)
    for panel in PANELS:
        assert f"─ {panel} ─" in ran.out


@pytest.mark.parametrize("words", [*((name,) for name in COMMANDS), *SUBCOMMANDS], ids=" ".join)
def test_each_command_teaches(foible: Command, words: tuple[str, ...]) -> None:
    ran = foible(*words, "--help")
    assert ran.code == 0
    assert words == ("version",) or f"foible {words[0]}" in ran.out.split("Options")[-1]


@pytest.mark.parametrize("words", [("explain",), ("nets", "get"), ("go", "match")], ids=" ".join)
def test_flags_are_shown_without_a_value(foible: Command, words: tuple[str, ...]) -> None:
    text = foible(*words, "--help").out
    assert re.search(r"--json +Print", text)
    assert re.search(r"--help +-h +Show", text)
    assert "<bool>" not in text


def test_help_shows_results_with_their_brackets(foible: Command) -> None:
    text = " ".join(foible("eval", "--help").out.split())
    assert '"wdl": [w, d, l]' in text


@pytest.mark.parametrize("name", ["attune", "bench", "go", "model", "nets", "papers", "stats"])
def test_paragraphs_of_subcommands_are_wrapped_by_the_terminal_alone(name: str) -> None:
    group: Any = build(name).commands[name]
    commands = group.commands
    assert commands
    for command in commands.values():
        assert "\n" not in command.help.replace("\n\n", "")


def test_help_of_search_names_every_parameter(foible: Command) -> None:
    text = foible("search", "--help").out
    for name in SearchParams.__slots__:
        assert name in text


@pytest.mark.parametrize("words", [(), ("version",), ("perft",), ("stats",), ("stats", "elo")], ids=" ".join)
def test_help_that_needs_no_net_loads_nothing_heavy(words: tuple[str, ...]) -> None:
    """Each of these takes a good part of a second to import: help should answer at once."""
    code = (
        "import sys; from foible.interfaces.cli import run; run(sys.argv[1:]);"
        f"print('loaded', [name for name in {HEAVY} if name in sys.modules])"
    )
    command = [sys.executable, "-c", code, *words, "--help"]
    out = subprocess.run(command, capture_output=True, text=True, timeout=300, check=True).stdout
    assert out.splitlines()[-1] == "loaded []"


def test_no_command_prints_the_help(foible: Command) -> None:
    ran = foible()
    assert "search" in ran.out
    assert ran.err == ""


@pytest.mark.parametrize(
    ("line", "completed"),
    [("foible ne", {"nets"}), ("foible nets pre", {"precisions"}), ("foible eval --runt", {"--runtime"})],
)
def test_shells_complete_commands_and_their_options(line: str, completed: set[str]) -> None:
    code = "from foible.interfaces.cli import main; main()"
    shell = {"_FOIBLE_COMPLETE": "complete_bash", "COMP_WORDS": line, "COMP_CWORD": str(len(line.split()) - 1)}
    ran = subprocess.run(
        [sys.executable, "-c", code], env=os.environ | shell, capture_output=True, text=True, timeout=300, check=False
    )
    assert set(ran.stdout.split()) == completed
