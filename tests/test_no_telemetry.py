"""foible sends nothing to anybody: every command runs where the kernel ends whatever asks for a socket, native code
included, and leaves nothing of others in an empty home folder.
"""

import os
import platform
import signal
import subprocess
import sys
from pathlib import Path

import pytest

SOCKET_CALL = {"x86_64": (0xC000003E, 41), "aarch64": (0xC00000B7, 198)}.get(platform.machine())
"""What Linux calls this architecture, and its call `socket`."""

GUARD = f"""
import ctypes, faulthandler, signal, struct

LOAD, EQUAL, RETURN = 0x20, 0x15, 0x06
ALLOW, TRAP = 0x7FFF0000, 0x00030000
NO_NEW_PRIVILEGES, SECCOMP, FILTER = 38, 22, 2

architecture, call = {SOCKET_CALL}
steps = [
    (LOAD, 0, 0, 4), (EQUAL, 0, 3, architecture),
    (LOAD, 0, 0, 0), (EQUAL, 0, 1, call), (RETURN, 0, 0, TRAP),
    (RETURN, 0, 0, ALLOW),
]
program = ctypes.create_string_buffer(b"".join(struct.pack("=HBBI", *step) for step in steps))
rules = ctypes.create_string_buffer(struct.pack("@HP", len(steps), ctypes.addressof(program)))
prctl = ctypes.CDLL(None).prctl
assert prctl(NO_NEW_PRIVILEGES, 1, 0, 0, 0) == 0
assert prctl(SECCOMP, FILTER, rules, 0, 0) == 0
faulthandler.register(signal.SIGSYS, chain=True)
"""
"""From here on the first socket ends the process, after its stack was shown."""

EVERY_COMMAND = """
import sys
from foible.interfaces.cli import run
from foible.interfaces.cli.commands import COMMANDS

def runs(*words):
    print("foible", *words, file=sys.stderr, flush=True)
    assert run(list(words)) == 0

runs("--help")
for command in COMMANDS:
    runs(command, "--help")
runs("nets", "list")
runs("version")
runs("eval", "club:1500", "positions.jsonl", "--runtime", "auto")
runs("eval", "club:1500", "positions.jsonl", "--runtime", "onnxruntime")
runs("search", "material", "positions.jsonl", "--nodes", "10")
runs("uci", "--net", "material")
"""

pytestmark = pytest.mark.skipif(
    sys.platform != "linux" or SOCKET_CALL is None, reason="only Linux can be asked to end what opens a socket"
)


def guarded(script: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """A script in an empty home; matplotlib's list of fonts goes elsewhere."""
    (folder / "home").mkdir()
    (folder / "positions.jsonl").write_text('{"moves": ["e2e4", "e7e5"]}\n')
    foreign = ("XDG_", "ORT_")
    rest = {name: value for name, value in os.environ.items() if not name.startswith(foreign)}
    return subprocess.run(
        [sys.executable, "-c", GUARD + script],
        input="quit\n",
        cwd=folder,
        env={**rest, "HOME": str(folder / "home"), "MPLCONFIGDIR": str(folder / "fonts")},
        capture_output=True,
        text=True,
        check=False,
    )


def test_no_command_asks_for_the_network_or_leaves_what_is_not_ours_in_the_home_folder(tmp_path: Path) -> None:
    done = guarded(EVERY_COMMAND, tmp_path)
    assert done.returncode == 0, done.stderr
    left = [path.relative_to(tmp_path / "home") for path in tmp_path.rglob("home/**/*") if path.is_file()]
    assert left == [Path(".cache/foible/runtimes.json")]


def test_the_package_that_reports_for_openvino_is_not_to_be_had(tmp_path: Path) -> None:
    done = guarded("import foible.nets, sys; print(sys.modules['openvino_telemetry'])", tmp_path)
    assert done.stdout == "None\n", done.stderr


def test_the_kernel_ends_even_native_code_that_asks_for_a_name(tmp_path: Path) -> None:
    done = guarded("import ctypes; ctypes.CDLL(None).getaddrinfo(b'foible.invalid', None, None, rules)", tmp_path)
    assert done.returncode == -signal.SIGSYS
