"""What Ray takes to other machines, and what it leaves where it lies."""

from pathlib import Path

import pytest

from foible.runs.folder import KIND
from foible.scale.ray import is_of_run
from foible.scale.units import Unit
from tests.scale.work import note


def unit(folder: Path) -> Unit:
    return Unit("a unit", folder, note, ())


@pytest.mark.parametrize(
    ("net", "inside"),
    [("run/net.pb.gz", True), ("run/net/net.pb.gz", True), ("nets/net.pb.gz", False), ("net.pb.gz", False)],
)
def test_a_file_of_the_run_itself_is_not_lent(tmp_path: Path, net: str, inside: bool) -> None:
    run = tmp_path / "run"
    run.mkdir()
    (run / KIND).touch()
    assert is_of_run(tmp_path / net, [unit(run / "parts" / "1")]) == inside
    assert not is_of_run(tmp_path / net, [unit(tmp_path / "another" / "parts" / "1")])


def test_a_file_may_lie_in_the_root(tmp_path: Path) -> None:
    assert not is_of_run(Path(tmp_path.anchor) / "net.pb.gz", [unit(tmp_path)])
