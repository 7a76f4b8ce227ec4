"""What foible finds on this machine: processor, packages, extras, nets, engines; what is broken, and what would make it
faster.
"""

import os
import platform
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Final, Literal

from foible import __version__
from foible.engines.programs import program_path
from foible.errors import FoibleError
from foible.extras import CORE, PACKAGES, installed, package_versions
from foible.nets import describe_net, known_nets, open_net
from foible.nets.choices import MASTER, default_threads, own_folders
from foible.nets.download import cache_folder
from foible.nets.fastest_runtime import cuda_at_hand
from foible.nets.graph_workers import has_bf16, without_bf16
from foible.nets.processor import instruction_sets, processor
from foible.nets.runtimes import InRuntime
from foible.toml import expand

State = Literal["fine", "missing", "broken"]

ENGINES: Final = {
    "stockfish": "judges games and positions better than foible's own nets",
    "lc0": "plays, and is measured beside foible by foible bench",
    "gnugo": "an opponent for Go",
    "katago": "a judge and an opponent for Go",
}
"""Programs by their commands, and what each is good for."""
LEAST_DISK: Final = 1_000_000_000
"""Bytes that should be free in the cache folder, where public nets go."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked for."""

    subject: Literal["machine", "package", "nets", "engine"]
    name: str
    state: State
    """`missing`: foible does without it."""
    found: str
    advice: str = ""
    """What to do about it; empty where nothing is to be done."""


def examine() -> Iterator[Finding]:
    """Everything, subject by subject, each finding as soon as it is known. Opens the net `master`, which takes some
    seconds where it has never been measured on this machine.
    """
    yield from _machine()
    yield from _packages()
    yield from _nets()
    yield from _engines()


def _machine() -> Iterator[Finding]:
    yield Finding("machine", "foible", "fine", f"{__version__}, Python {platform.python_version()}")
    yield Finding("machine", "system", "fine", platform.platform())
    yield Finding("machine", "processor", "fine", f"{processor()}, {default_threads()} threads")
    yield Finding("machine", "instructions", "fine", ", ".join(instruction_sets()) or "none that make nets faster")
    if has_bf16():
        yield Finding("machine", "bf16", "fine", "this processor has it; `auto` uses it where it is faster")
    else:
        yield Finding("machine", "bf16", "missing", without_bf16())
    yield _cuda()
    yield _cache(cache_folder())


def _cuda() -> Finding:
    if cuda_at_hand():
        return Finding("machine", "CUDA", "fine", "nets for chess run on it")
    advice = "" if installed("torch") else "with a GPU of NVIDIA: pip install 'foible[train]'"
    return Finding("machine", "CUDA", "missing", "no PyTorch with a device", advice)


def _cache(folder: Path) -> Finding:
    there = next(path for path in (folder, *folder.parents) if path.exists())
    free = shutil.disk_usage(there).free
    found = f"{folder}, {free / 1e9:.1f} GB free"
    if not os.access(there, os.W_OK):
        return Finding("machine", "cache", "broken", found, f"{there} is not to be written: set XDG_CACHE_HOME")
    if free < LEAST_DISK:
        return Finding("machine", "cache", "broken", found, "make room, or set XDG_CACHE_HOME to another folder")
    return Finding("machine", "cache", "fine", found)


def _packages() -> Iterator[Finding]:
    versions = package_versions()
    for name in CORE:
        yield _package(name, versions, "install foible anew")
    for name, package in PACKAGES.items():
        install = f"pip install 'foible[{package.extra}]'"
        if installed(name):
            yield _package(name, versions, install)
        else:
            faster = ", which makes nets faster" if package.extra == "fast" else ""
            yield Finding("package", name, "missing", f"extra {package.extra}", install + faster)


def _package(name: str, versions: dict[str, str], advice: str) -> Finding:
    """One that is to be there; it may not be importable all the same."""
    try:
        import_module(name)
    except Exception as error:
        return Finding("package", name, "broken", f"{type(error).__name__}: {error}", advice)
    return Finding("package", name, "fine", versions.get(name, "of an unknown version"))


def _nets() -> Iterator[Finding]:
    yield _chosen()
    nets = known_nets()
    for kind, title in (("shipped", "with foible"), ("download", "in the cache"), ("by hand", "by hand")):
        there = [net.name for net in nets if net.kind == kind and net.path]
        if there:
            yield Finding("nets", title, "fine", ", ".join(there))
    for folder in own_folders():
        path = expand(folder)
        if not path.is_dir():
            yield Finding("nets", folder, "broken", "no such folder", "FOIBLE_NETS names folders that there are")
            continue
        names = [net.name for net in nets if net.kind == "folder" and net.path and net.path.parent == path]
        problems = {name: problem for name in names if (problem := _problem(name))}
        usable = [name for name in names if name not in problems]
        none = "no net that can be opened" if names else "no net in it"
        yield Finding("nets", folder, "fine" if usable else "missing", ", ".join(usable) or none)
        yield from problems.values()


def _problem(name: str) -> Finding | None:
    """Why a net cannot be opened, by its whole file; `None` if it can."""
    try:
        reason = describe_net(name).not_opened
    except FoibleError as error:
        return Finding("nets", name, "broken", str(error), "put a good file in its place")
    return Finding("nets", name, "missing", reason) if reason else None


def _chosen() -> Finding:
    """What `auto` comes to for the net that searches use."""
    try:
        net = open_net(MASTER, precision="auto")
    except FoibleError as error:
        return Finding("nets", "auto", "broken", str(error), "foible nets show master")
    chosen = f"{net.runtime} {net.precision}" if isinstance(net, InRuntime) else net.name
    faster = "foible nets precisions master: int8 is then one of the choices"
    return Finding("nets", "auto", "fine", f"{MASTER} runs in {chosen}", faster if chosen.endswith("f32") else "")


def _engines() -> Iterator[Finding]:
    for name, use in ENGINES.items():
        if path := program_path(name):
            yield Finding("engine", name, "fine", path)
        else:
            yield Finding("engine", name, "missing", use, f"install {name}, or put its folder on PATH")
