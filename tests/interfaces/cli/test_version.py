import json

import numpy as np

import foible as package
from tests.interfaces.cli.command import Command


def test_version_names_foible_and_its_libraries(foible: Command) -> None:
    found = json.loads(foible("version", "--json").out)
    assert found["foible"] == package.__version__
    assert found["numpy"] == np.__version__
    assert [line.split()[0] for line in foible("version").out.splitlines()] == list(found)
