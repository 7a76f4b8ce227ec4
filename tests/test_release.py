"""What a release names stands in several files."""

import tomllib
from pathlib import Path

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


def test_what_the_job_with_the_lowest_versions_leaves_out_exists() -> None:
    job = yaml.safe_load((ROOT / ".github" / "workflows" / "test.yml").read_text("utf-8"))["jobs"]["lowest"]
    words = job["steps"][-1]["run"].split()
    paths = [word for word in words if word.startswith("tests/")]
    assert len(paths) > 3
    assert all((ROOT / path).exists() for path in paths)
