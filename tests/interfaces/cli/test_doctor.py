import io
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import foible as package
import foible.interfaces.doctor as doctor_module
from foible import extras
from foible.extras import PACKAGES
from foible.interfaces.cli import output
from foible.interfaces.cli.output import Console
from foible.interfaces.doctor import Finding
from foible.nets import find_net, processor
from tests.interfaces.cli.command import Command


def test_version_names_foible_and_its_libraries(foible: Command) -> None:
    found = json.loads(foible("version", "--json").out)
    assert found["foible"] == package.__version__
    assert found["numpy"] == np.__version__
    assert [line.split()[0] for line in foible("version").out.splitlines()] == list(found)


def test_the_package_runs_as_the_command_where_that_is_not_on_the_path() -> None:
    ran = subprocess.run(
        [sys.executable, "-m", "foible", "version", "--json"], capture_output=True, text=True, check=True
    )
    assert json.loads(ran.stdout)["foible"] == package.__version__
    wrong = subprocess.run([sys.executable, "-m", "foible", "versoin"], capture_output=True, text=True, check=False)
    assert (wrong.returncode, wrong.stdout) == (2, "")
    assert "version" in wrong.stderr


@pytest.fixture(autouse=True)
def _own_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.delenv("FOIBLE_NETS", raising=False)
    monkeypatch.setattr(doctor_module, "LEAST_DISK", 1)


def examined(foible: Command, code: int) -> dict[str, dict[str, Any]]:
    ran = foible("doctor", "--json")
    assert ran.code == code, ran
    return {one["name"]: one for one in json.loads(ran.out)}


def test_a_machine_on_which_nothing_is_broken(foible: Command) -> None:
    found = examined(foible, 0)
    assert {"processor", "instructions", "bf16", "CUDA", "cache", "auto", "with foible", *PACKAGES} < found.keys()
    assert "broken" not in {one["state"] for one in found.values()}
    assert found["auto"]["found"].startswith("master runs in ")
    assert "club" in found["with foible"]["found"]
    assert foible("doctor").out.splitlines()[-1] == "Nothing is broken."


def test_an_extra_that_is_missing_is_not_broken_and_it_is_said_what_brings_it(
    foible: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "polars", None)
    polars = examined(foible, 0)["polars"]
    assert (polars["state"], polars["advice"]) == ("missing", "pip install 'foible[analysis]'")


def test_a_package_that_is_there_and_cannot_be_imported_is_broken(
    foible: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "zstandard.py").write_text("raise ImportError('wrong library')")
    monkeypatch.delitem(sys.modules, "zstandard", raising=False)
    monkeypatch.syspath_prepend(tmp_path)
    zstandard = examined(foible, 1)["zstandard"]
    assert (zstandard["state"], zstandard["found"]) == ("broken", "ImportError: wrong library")


def test_nets_of_ones_own_are_named_and_a_folder_that_is_not_there_is_broken(
    foible: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FOIBLE_NETS", str(tmp_path / "gone"))
    gone = examined(foible, 1)[str(tmp_path / "gone")]
    assert (gone["state"], gone["found"]) == ("broken", "no such folder")
    assert "1 broken" in foible("doctor").out

    (own := tmp_path / "own").mkdir()
    monkeypatch.setenv("FOIBLE_NETS", str(own))
    net = find_net("club").read_bytes()
    (own / "whole.pb.gz").write_bytes(net)
    (own / "torn.pb.gz").write_bytes(net[:5000])
    found = examined(foible, 1)
    assert (found[str(own)]["state"], found[str(own)]["found"]) == ("fine", "whole")
    assert found["torn"]["state"] == "broken"
    assert "torn.pb.gz" in found["torn"]["found"]


def test_rows_are_shown_as_they_are_found_and_no_wider_than_the_terminal(
    foible: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = io.StringIO()
    console = Console(file=out, width=60, force_terminal=True, color_system=None)
    monkeypatch.setattr(output, "Console", lambda **_: console)
    shown: list[str] = []

    def examine() -> Iterator[Finding]:
        yield Finding("machine", "system", "fine", "Linux")
        shown.append(out.getvalue())
        nets = [f"maia-{rating}" for rating in range(1100, 2000, 100)]
        yield Finding("nets", "/nets", "missing", ", ".join(nets), "make [some]")

    monkeypatch.setattr(doctor_module, "examine", examine)
    assert foible("doctor").code == 0
    (first,) = shown
    assert first.split() == ["machine", "system", "fine", "Linux"]
    lines = out.getvalue().splitlines()
    assert max(map(len, lines)) <= 60
    assert " ".join(out.getvalue().split()).endswith("maia-1800, maia-1900 (make [some]) Nothing is broken.")


def test_a_cache_without_room_is_broken(foible: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor_module, "LEAST_DISK", 1 << 60)
    assert examined(foible, 1)["cache"]["state"] == "broken"


def test_instructions_are_read_as_linux_writes_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cpuinfo = tmp_path / "cpuinfo"
    monkeypatch.setattr(processor, "_CPUINFO", cpuinfo)
    cpuinfo.write_text("model name\t: A Xeon\nflags\t\t: fpu avx2 avx512f avx512_bf16 amx_bf16 amx_tile\n")
    assert processor.instruction_sets() == ["AVX2", "AVX-512", "AVX-512 BF16", "AMX"]
    cpuinfo.write_text("processor\t: 0\nFeatures\t: fp asimd sve bf16\n")
    assert processor.instruction_sets() == ["NEON", "SVE", "BF16"]
    cpuinfo.unlink()
    assert set(processor.instruction_sets()) <= {"AVX2", "AVX-512", "AVX-512 BF16", "NEON", "SVE"}


def test_versions_are_those_of_packages_that_are_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(extras, "CORE", ("numpy", "no-such-package"))
    assert "no-such-package" not in extras.package_versions()
    assert "numpy" in extras.package_versions()
