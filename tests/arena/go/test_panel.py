import gzip
from pathlib import Path

import pytest

from foible.arena.go.config import NetPlayer
from foible.arena.go.panel import net_names, nets_in, one_spelling, panel_match, recorded_names, recorded_players
from foible.errors import ConfigError


def test_files_of_the_same_name_are_told_apart_by_their_paths() -> None:
    names = net_names(["a/x.txt.gz", "b/x.txt.gz", "a/y.txt.gz", "a/y.txt.gz"])
    assert names == {"a/x.txt.gz": "a/x.txt.gz", "b/x.txt.gz": "b/x.txt.gz", "a/y.txt.gz": "y"}


def test_names_that_files_cannot_tell_apart_are_the_same() -> None:
    assert net_names(["a/x.txt"], ["b/X.txt", "b/y.txt"]) == {"a/x.txt": "x", "b/X.txt": "b/X.txt", "b/y.txt": "y"}


def test_the_panel_is_called_the_same_whoever_is_measured() -> None:
    first = panel_match(["a/p1.txt.gz"], ["p/p1.txt.gz", "p/p2.txt.gz"])
    assert first.members == panel_match(["a/new.txt.gz"], ["p/p1.txt.gz", "p/p2.txt.gz"]).members == ("p1", "p2")
    assert list(first.candidates) == ["a/p1.txt.gz"]


def test_a_newcomer_does_not_rename_who_has_played() -> None:
    first = panel_match(["a/best.txt.gz"], ["p1"], lambdas=(0.0, 0.5))
    nets = {name: player for name, player in first.match.players.items() if isinstance(player, NetPlayer)}
    second = panel_match(["b/best.txt.gz", "a/best.txt.gz"], ["p1"], lambdas=(0.5,), recorded=nets)
    assert list(second.candidates) == ["best", "best, lambda 0.5", "b/best.txt.gz, lambda 0.5"]
    assert second.candidates["best, lambda 0.5"] == first.candidates["best, lambda 0.5"]
    assert set(first.match.players) <= set(second.match.players)


def test_names_are_those_of_the_nets_whatever_their_lambda() -> None:
    players = {
        "x, lambda 0.5": NetPlayer(net="a/x", lambda_=0.5),
        "a/y": NetPlayer(net="a/y"),
        "twice": NetPlayer(net="a/y"),
        "of a match": NetPlayer(net="z", lambda_=0.5),
    }
    assert recorded_names(players) == {"a/x": "x", "a/y": "a/y"}


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of a training."""
    monkeypatch.chdir(tmp_path)
    folder = Path("run/gen-1")
    folder.mkdir(parents=True)
    (folder / "net.txt.gz").write_bytes(b"")
    return folder


def test_a_folder_and_the_net_in_it_are_one(run: Path) -> None:
    folder, net = str(run), str(run / "net.txt.gz")
    assert one_spelling([folder, net, f"./{folder}", str(run.absolute()), "other"]) == {
        **dict.fromkeys((folder, net, f"./{folder}", str(run.absolute())), folder),
        "other": "other",
    }
    plan = panel_match([net], [folder, "p"])
    assert plan.members == tuple(plan.match.players) == ("gen-1", "p")
    later = panel_match([net], ["p"], recorded={"gen-1": NetPlayer(net=folder)})
    assert later.candidates == {"gen-1": NetPlayer(net=folder)}
    with pytest.raises(ConfigError, match="candidates: run/gen-1 stands there twice"):
        panel_match([folder, net], ["p"])


def test_a_link_is_a_net_of_its_own(run: Path) -> None:
    link = run.parent / "best.txt.gz"
    link.symlink_to("gen-1/net.txt.gz")
    assert one_spelling([str(run), str(link)])[str(link)] == str(link)


def test_players_are_read_from_the_folder(tmp_path: Path) -> None:
    assert recorded_players(tmp_path / "none") == {}
    config = tmp_path / "config.toml"
    config.write_text(
        '[players.a]\nkind = "net"\nnet = "x"\nvisits = 3\nlambda = [0.5, 0.25]\n'
        '[players.b]\nkind = "gtp"\ncommand = "c"\n[players.c]\nsomething = "else"\n'
    )
    assert recorded_players(tmp_path) == {"a": NetPlayer(net="x", visits=3, lambda_=[0.5, 0.25])}
    config.write_text("players = 3")
    assert recorded_players(tmp_path) == {}
    config.write_text("[")
    with pytest.raises(ConfigError, match="not a configuration"):
        recorded_players(tmp_path)


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
