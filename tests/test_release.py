"""What a release names stands in several files, and what it holds."""

import ast
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml

import foible

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
RECIPE = yaml.safe_load((ROOT / "packaging" / "conda" / "recipe.yaml").read_text("utf-8"))


def test_the_version_is_the_same_everywhere() -> None:
    cargo = tomllib.loads((ROOT / "core" / "Cargo.toml").read_text("utf-8"))["package"]["version"]
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))["version"]
    assert {PROJECT["version"], cargo, citation, RECIPE["context"]["version"]} == {foible.__version__}
    assert f"## {foible.__version__} " in (ROOT / "CHANGELOG.md").read_text("utf-8")


def test_the_fuzzed_core_has_the_dependencies_of_the_core() -> None:
    manifest, lock, fuzzed = (
        tomllib.loads((ROOT / "core" / file).read_text("utf-8"))
        for file in ("Cargo.toml", "Cargo.lock", "fuzz/Cargo.lock")
    )
    needed = {name for name, wish in manifest["dependencies"].items() if isinstance(wish, str) or not wish["optional"]}
    packages = {package["name"]: package for package in fuzzed["package"]}
    assert set(packages["foible-core"]["dependencies"]) == needed
    versions = {package["name"]: package["version"] for package in lock["package"]}
    assert {name: packages[name]["version"] for name in needed} == {name: versions[name] for name in needed}


def test_every_python_since_the_oldest_is_tested() -> None:
    workflow = yaml.safe_load((ROOT / ".github" / "workflows" / "test.yml").read_text("utf-8"))
    tested = workflow["jobs"]["wheels"]["strategy"]["matrix"]["python"]
    assert f">={tested[0]}" == PROJECT["requires-python"]
    assert tested == [f"3.{minor}" for minor in range(11, 11 + len(tested))]


def test_the_recipe_for_conda_asks_for_what_the_wheel_asks_for() -> None:
    python, *packages = RECIPE["requirements"]["run"]
    assert python == f"python {PROJECT['requires-python']}"
    assert [package.replace(" ", "") for package in packages] == PROJECT["dependencies"]
    programs = dict(program.split(" = ") for program in RECIPE["build"]["python"]["entry_points"])
    assert programs == PROJECT["scripts"]


def imported(path: Path) -> set[str]:
    """What a file of tests imports when it is collected, from outside."""
    top = ast.parse(path.read_text("utf-8")).body
    names = [alias.name for node in top if isinstance(node, ast.Import) for alias in node.names]
    names += [node.module for node in top if isinstance(node, ast.ImportFrom) and node.module]
    return {name.partition(".")[0] for name in names} - sys.stdlib_module_names - {"foible", "tests"}


def files_at(path: str) -> set[Path]:
    assert (ROOT / path).exists()
    return set((ROOT / path).rglob("test_*.py")) if (ROOT / path).is_dir() else {ROOT / path}


@pytest.mark.parametrize("job", ["wheels", "lowest"])
def test_a_job_that_runs_some_tests_installs_what_they_import(job: str) -> None:
    steps = yaml.safe_load((ROOT / ".github" / "workflows" / "test.yml").read_text("utf-8"))["jobs"][job]["steps"]
    brought = " ".join(step["run"] for step in steps if " install " in step.get("run", "")).split()
    extras = PROJECT["optional-dependencies"]
    brought += [*PROJECT["dependencies"], *extras["fast"], *extras["analysis"], *extras["zstd"], *extras["web"]]
    words = next(step["run"] for step in steps if "-m pytest" in step.get("run", "")).split()
    left_out = {words[at + 1] for at, word in enumerate(words) if word == "--ignore"}
    chosen = {word for word in words if word.startswith("tests/")} - left_out
    files = set[Path]().union(*map(files_at, chosen)) - set[Path]().union(*map(files_at, left_out))
    assert files
    wanted = set[str]().union(*map(imported, files))
    assert wanted - {name.partition(">")[0].replace("-", "_") for name in brought} <= {"google"}, "google: protobuf"


@pytest.mark.skipif(shutil.which("git") is None or not (ROOT / ".git").exists(), reason="not a checkout")
def test_the_root_holds_no_file_that_a_program_left_there() -> None:
    tracked = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    files = {Path(path) for path in tracked.split("\0") if path and "/" not in path}
    nameless = {file.name for file in files if not file.suffix and not file.name.startswith(".")}
    assert nameless == {"Dockerfile", "LICENSE", "Makefile"}
    assert not [file.name for file in files if " " in file.name]
