"""What a release names stands in several files."""

import tomllib
from pathlib import Path

import yaml

import foible

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]


def test_the_version_is_the_same_everywhere() -> None:
    cargo = tomllib.loads((ROOT / "core" / "Cargo.toml").read_text("utf-8"))["package"]["version"]
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))["version"]
    assert {PROJECT["version"], cargo, citation} == {foible.__version__}
    assert f"## {foible.__version__} " in (ROOT / "CHANGELOG.md").read_text("utf-8")


def test_every_python_since_the_oldest_is_tested() -> None:
    workflow = yaml.safe_load((ROOT / ".github" / "workflows" / "test.yml").read_text("utf-8"))
    tested = workflow["jobs"]["wheels"]["strategy"]["matrix"]["python"]
    assert f">={tested[0]}" == PROJECT["requires-python"]
    assert tested == [f"3.{minor}" for minor in range(11, 11 + len(tested))]
