"""What is not imported before somebody needs it: each of these takes 0.1 to 1 second of a processor's time."""

import subprocess
import sys

import pytest

from foible.errors import ConfigError
from foible.interfaces.web.server import listen, server
from foible.interfaces.web.shared import Shared

HEAVY = {"jinja2", "matplotlib", "onnx", "onnxruntime", "openvino", "pandas", "polars", "scipy", "torch"}
STARTS = {
    "the commands": ("import foible.interfaces.cli", HEAVY | {"chess", "numpy", "starlette"}),
    "foible-uci, which answers uci": (
        "from foible.interfaces.uci.program import main; from foible.interfaces.uci.options import Settings, introduce;"
        " introduce(Settings(), print)",
        HEAVY | {"chess", "numpy", "pydantic", "rich", "starlette", "typer"},
    ),
    "foible uci": ("import foible.interfaces.cli.uci", HEAVY | {"chess", "numpy", "starlette"}),
    "foible gtp": ("import foible.interfaces.cli.gtp", HEAVY | {"starlette"}),
    "foible eval": ("import foible.interfaces.cli.positions", HEAVY | {"starlette"}),
    "commands that draw, before they do": (
        "from foible.interfaces.cli import analyse, games, go, model, sweep, training",
        {"matplotlib", "scipy", "torch"},
    ),
    "foible web, before it listens": ("import foible.interfaces.cli.web", HEAVY | {"numpy"}),
    "foible web, before it answers": (
        "from foible.interfaces.web.page import Page; from foible.interfaces.web.shared import open_shared",
        HEAVY - {"jinja2", "polars"},
    ),
    "a net that runs in OpenVINO": (
        "from foible import open_net; open_net('master', runtime='openvino', threads=1)",
        HEAVY - {"onnx", "openvino"},
    ),
    "the nets by name": ("import foible.nets; from foible import open_net; from foible.nets import Material", HEAVY),
}


@pytest.mark.parametrize("name", STARTS)
def test_nothing_heavy_is_imported_before_it_is_needed(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("FOIBLE_NETS", raising=False)  # whoever has nets of their own has them looked at
    code, forbidden = STARTS[name]
    program = f"import sys; {code}; print('loaded', sorted({forbidden} & sys.modules.keys()))"
    ran = subprocess.run(
        [sys.executable, "-c", program], input="uci\nquit\n", capture_output=True, text=True, timeout=120, check=True
    )
    assert ran.stdout.splitlines()[-1] == "loaded []"


def test_a_server_that_cannot_be_opened_ends_with_the_reason() -> None:
    def fail() -> Shared:
        raise ConfigError("no such judge")

    with listen("127.0.0.1", 0) as listening, pytest.raises(ConfigError, match="no such judge"):
        server(fail, listening, on_ready=lambda address: None).run([listening])


def test_garbage_is_collected_while_a_command_runs_and_what_was_imported_is_left_alone() -> None:
    program = """
import atexit, gc, sys
from foible.interfaces.cli import main
sys.argv = ["foible", "perft", "--depth", "1"]
atexit.register(lambda: print("collects", gc.isenabled(), gc.get_freeze_count() > 10_000))
main()
"""
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120, check=True)
    assert ran.stdout.splitlines()[-1] == "collects True True"
