"""What Ray takes to other machines, and what it leaves where it lies."""

import os
from pathlib import Path

import pytest

from foible.runs.folder import KIND
from foible.scale.ray import TOKEN, is_of_run, show_token
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


def test_a_cluster_is_shown_the_token_where_there_is_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One that `ray start` makes where Ray was used before asks for it, and Ray shows none to a cluster by address."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("RAY_AUTH_MODE", "disabled")
    monkeypatch.delenv("RAY_AUTH_MODE")
    assert not show_token()
    assert "RAY_AUTH_MODE" not in os.environ
    (tmp_path / TOKEN).parent.mkdir()
    (tmp_path / TOKEN).write_text(64 * "a")
    assert show_token()
    assert os.environ["RAY_AUTH_MODE"] == "token"
    monkeypatch.setenv("RAY_AUTH_MODE", "disabled")
    assert show_token()
    assert os.environ["RAY_AUTH_MODE"] == "disabled"
