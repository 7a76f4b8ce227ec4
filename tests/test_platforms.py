"""What only some systems have is not needed before it is used."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from foible.engines.programs import kill_group
from foible.runs.files import write_atomically

IMPORTS = """
import builtins, importlib, os, pkgutil, signal

import asyncio, multiprocessing, platform, subprocess, tempfile  # what Python itself does is Python's affair
for name in ("matplotlib.figure", "onnx", "onnxruntime", "polars", "openvino", "tensorboard", "torch", "uvicorn"):
    importlib.import_module(name)

ELSEWHERE = {"fcntl", "grp", "msvcrt", "posix", "pty", "pwd", "resource", "syslog", "termios", "tty", "winreg"}
usual = builtins.__import__

def guarded(name, globals=None, locals=None, fromlist=(), level=0):
    if name in ELSEWHERE and (globals or {}).get("__name__", "").startswith("foible"):
        raise ImportError(f"{globals['__name__']} imports {name}")
    return usual(name, globals, locals, fromlist, level)

builtins.__import__ = guarded
for module, names in (
    (os, ("fork", "getpgid", "getuid", "killpg", "register_at_fork", "sched_getaffinity", "setpgid", "setsid")),
    (signal, ("SIGALRM", "SIGCHLD", "SIGHUP", "SIGKILL", "SIGUSR1", "pthread_sigmask", "setitimer")),
):
    for name in names:
        if hasattr(module, name):
            delattr(module, name)

import foible
for found in pkgutil.walk_packages(foible.__path__, "foible."):
    if not found.name.endswith("__main__"):
        importlib.import_module(found.name)
print("all")
"""


def test_every_module_is_imported_without_what_only_some_systems_have() -> None:
    pytest.importorskip("torch")
    ran = subprocess.run([sys.executable, "-c", IMPORTS], capture_output=True, text=True, timeout=300, check=False)
    assert (ran.stdout, ran.returncode) == ("all\n", 0), ran.stderr


def test_a_file_is_written_where_folders_cannot_be_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    usual = os.open

    def refusing(path: Path, flags: int) -> int:
        if Path(path).is_dir():
            raise PermissionError(13, "Permission denied", str(path))
        return usual(path, flags)

    monkeypatch.setattr(os, "open", refusing)
    monkeypatch.setattr(sys, "platform", "win32")
    write_atomically(tmp_path / "file", "whole")
    assert (tmp_path / "file").read_text() == "whole"


def test_an_engine_is_killed_where_there_are_no_process_groups(monkeypatch: pytest.MonkeyPatch) -> None:
    process = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(100)"])
    monkeypatch.setattr(sys, "platform", "win32")
    monkeypatch.delattr(os, "killpg")
    kill_group(process.pid)
    assert process.wait(60) != 0
