"""A panel as a match: who meets whom, and under which names."""

import gzip
from pathlib import Path

import pytest

from foible.arena.go.config import NetPlayer
from foible.arena.go.panel import nets_in, panel_match
from foible.errors import ConfigError


def test_every_candidate_meets_the_panel_with_each_lambda() -> None:
    plan = panel_match(["new", "p1"], ["p1", "p2"], lambdas=(0.0, 0.5), games=10, visits=7, size=5)
    assert plan.members == ("p1", "p2")
    assert plan.candidates == {
        "new": NetPlayer(net="new", visits=7),
        "p1": NetPlayer(net="p1", visits=7),
        "new, lambda 0.5": NetPlayer(net="new", visits=7, lambda_=0.5),
        "p1, lambda 0.5": NetPlayer(net="p1", visits=7, lambda_=0.5),
    }
    assert plan.match.cells == [
        ("new", "p1"),
        ("new", "p2"),
        ("p1", "p2"),
        ("new, lambda 0.5", "p1"),
        ("new, lambda 0.5", "p2"),
        ("p1, lambda 0.5", "p1"),
        ("p1, lambda 0.5", "p2"),
    ]
    assert (plan.match.openings.net, plan.match.games, plan.match.size, plan.match.komi) == ("p1", 10, 5, 9.5)


def test_everybody_meets_everybody() -> None:
    plan = panel_match(["a", "b", "p"], ["p", "q"], everybody=True)
    assert {frozenset(cell) for cell in plan.match.cells} == {
        frozenset((x, y)) for x in "abpq" for y in "abpq" if x != y
    }
    assert len(plan.match.cells) == 6


def test_a_folder_stands_for_its_nets(tmp_path: Path) -> None:
    (tmp_path / "b.txt.gz").write_bytes(gzip.compress(b"1\n0.5 0.25\n"))
    (tmp_path / "a.txt").write_text("501\n0.5\n")
    for name, text in (("notes.md", "1\n"), ("notes.txt", "Trained by night.\n"), ("empty.txt.gz", "")):
        (tmp_path / name).write_text(text)
    assert nets_in(str(tmp_path)) == [str(tmp_path / "a.txt"), str(tmp_path / "b.txt.gz")]
    assert nets_in("some-net") == ["some-net"]
    (tmp_path / "gen-0002.txt.gz").write_bytes(gzip.compress(b"1\n0.5\n"))  # a copy out of a training
    assert [Path(net).name for net in nets_in(str(tmp_path))] == ["a.txt", "b.txt.gz", "gen-0002.txt.gz"]
    (tmp_path / "net.txt.gz").write_text("")
    assert nets_in(str(tmp_path)) == [str(tmp_path)]
    (tmp_path / "empty").mkdir()
    (tmp_path / "empty" / "README.txt").write_text("nothing here")
    with pytest.raises(ConfigError, match="there is no net in it"):
        nets_in(str(tmp_path / "empty"))


def test_the_folder_of_a_training_stands_for_its_generations(tmp_path: Path) -> None:
    (tmp_path / "net.txt.gz").write_bytes(b"")
    for number in range(3):
        (tmp_path / f"gen-{number:04}").mkdir()
    nets = [str(tmp_path / f"gen-{number:04}" / "net.txt.gz") for number in range(2)]
    for net in nets:  # of the last generation there are games alone
        Path(net).write_bytes(b"")
    assert nets_in(str(tmp_path)) == nets
    assert nets_in(str(tmp_path / "net.txt.gz")) == [str(tmp_path / "net.txt.gz")]
    assert nets_in(str(tmp_path / "gen-0001")) == [str(tmp_path / "gen-0001")]


def test_what_cannot_be_played_is_named() -> None:
    for candidates, panel, message in (
        ([], ["p"], "candidates: there is none"),
        (["a"], [], "panel: there is none"),
        (["a"], ["p", "p"], "panel: p stands there twice"),
        (["p"], ["p"], "p would play itself alone"),
    ):
        with pytest.raises(ConfigError, match=message):
            panel_match(candidates, panel)
    with pytest.raises(ConfigError, match="a, lambda 99: lambda = 99: expected"):
        panel_match(["a"], ["p"], lambdas=[99.0])
