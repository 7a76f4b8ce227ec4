"""Names of nets at a rating, and how nets that come with foible are looked up."""

import dataclasses
import shutil
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, strategies as st

from foible.errors import ConfigError, NetFileError
from foible.nets.catalogue import describe_net, export_net, find_net, known_nets, open_net
from foible.nets.chess_file import read_model
from foible.nets.choices import Ratings
from foible.nets.lc0_file import parse_lc0
from foible.nets.lc0_net import Lc0Net, fold_net
from foible.nets.mixture_file import mixture_toml
from foible.nets.named_nets import at_rating, club_at, split_rating
from foible.nets.onnx_file import model_from_lc0
from foible.nets.rating_plane import RATING_PLANE, fold_rating, rating_value
from foible.nets.runtimes import Outputs, RuntimeNet
from foible.nets.shelf import NetShelf, at_hand, choose_net, short_name
from foible.runs.ledger import content_hash
from foible.scale.lending import Offer, offer
from tests.nets.synthetic import Recipe, random_planes, synthesise

NO_RATINGS = ("", "strong", "-1500", "13.5", "١٣٠٠", "9" * 50)
DATA = synthesise(Recipe(filters=8, blocks=1)).data


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that stands for that of the nets which come with foible; and no other nets."""
    nets = tmp_path / "shipped"
    nets.mkdir()
    for name in ("club", "master"):
        (nets / f"{name}.pb.gz").write_bytes(DATA)
    (nets / "README.md").touch()
    monkeypatch.setattr("foible.nets.named_nets.FOLDER", nets)
    monkeypatch.delenv("FOIBLE_NETS", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return nets


def opened(name: str) -> RuntimeNet:
    net = open_net(name, runtime="onnxruntime", threads=1)
    assert isinstance(net, RuntimeNet)
    return net


def test_nets_that_come_with_foible_are_listed_behind_ones_own(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kinds = {net.name: (net.kind, net.path) for net in known_nets()}
    assert kinds["club"] == ("shipped", folder / "club.pb.gz")
    assert "README" not in kinds
    own = folder.parent / "own"
    own.mkdir()
    shutil.copyfile(folder / "club.pb.gz", own / "club.pb.gz")
    monkeypatch.setenv("FOIBLE_NETS", str(own))
    assert {net.name: net.kind for net in known_nets()}["club"] == "folder"
    assert find_net("club:1300") == own / "club.pb.gz"
    assert find_net("master") == folder / "master.pb.gz"


@pytest.mark.parametrize("rating", [1000, 1300, 1500, 2000])
def test_a_name_with_a_rating_is_the_net_with_that_rating_on_its_plane(rating: int) -> None:
    planes = random_planes(4)
    planes[:, RATING_PLANE] = rating_value(rating)
    expected = opened("club").evaluate_planes(planes)
    found = opened(f"club:{rating}").evaluate_planes(random_planes(4))
    assert np.allclose(found.policy, expected.policy, atol=1e-4)
    assert np.allclose(found.wdl, expected.wdl, atol=1e-5)


def test_files_too_are_opened_at_a_rating_and_say_so(folder: Path) -> None:
    path = folder / "master.pb.gz"
    assert opened("club:1300").name == "club:1300 (onnxruntime f32)"
    assert opened(f"{path}:1700").name == "master:1700 (onnxruntime f32)"
    assert short_name(f"{path}:1700") == "master:1700"
    assert describe_net("club:1300").name == "club:1300"
    assert describe_net("club:1300").sha256 == describe_net("club").sha256


def test_a_shelf_tells_ratings_apart(folder: Path) -> None:
    shelf = NetShelf()
    assert shelf.evaluator("club:1300") is shelf.evaluator(["maia-1300", "club:1300"])
    assert shelf.evaluator("club:1300") is not shelf.evaluator("club:1400")
    assert set(shelf.resolved()) == {"club:1300", "club:1400"}
    assert at_hand("club:1999")
    assert not at_hand("maia-1500")
    assert choose_net(["maia-1500", "club:1500"]) == "club:1500"


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("club:999", "club:999: club plays at ratings from 1000 to 2000"),
        ("club:20000", "club plays at ratings from 1000 to 2000"),
        (
            "master:1500",
            "master:1500: only club, a Maia-2 or Maia-3, or a file of a net that was trained with ratings, plays",
        ),
        *((f"club:{rating}", "ratings from 1000 to 2000, such as club:1300") for rating in NO_RATINGS),
    ],
)
def test_ratings_that_are_not_to_be_had_are_refused(name: str, message: str) -> None:
    for use in (find_net, open_net, describe_net, at_hand):
        with pytest.raises(ConfigError, match=message):
            use(name)


@pytest.mark.parametrize("name", ["/nowhere/mine.pb.gz:1500", "mine.onnx:1500-1900"])
def test_a_file_that_is_not_there_plays_at_no_rating(name: str) -> None:
    path = name.rpartition(":")[0]
    for use in (find_net, open_net, describe_net):
        with pytest.raises(NetFileError, match=f"^{path}: no such file$"):
            use(name)
    assert not at_hand(name)


def test_a_file_of_another_machine_is_lent_for_every_rating(folder: Path) -> None:
    offer({"/elsewhere/mine.pb.gz": Offer(content_hash(DATA), "/elsewhere/mine.pb.gz", lambda: DATA)})
    try:
        assert at_hand("/elsewhere/mine.pb.gz:1500")
        assert find_net("/elsewhere/mine.pb.gz:1500").read_bytes() == DATA
    finally:
        offer({})


@pytest.mark.parametrize("rating", NO_RATINGS)
def test_a_file_with_what_is_no_rating_is_refused_where_there_is_that_file(folder: Path, rating: str) -> None:
    path = folder / "master.pb.gz"
    with pytest.raises(ConfigError, match=f"expected a rating after the colon, such as {path}:1300"):
        find_net(f"{path}:{rating}")
    with pytest.raises(NetFileError, match=r"C:\\nets\\mine.pb: no such file"):
        find_net(r"C:\nets\mine.pb")


def test_a_file_may_be_called_as_if_it_had_a_rating(folder: Path) -> None:
    path = folder / "net:1500"
    path.write_bytes(DATA)
    assert split_rating(str(path)) == (str(path), None)
    assert find_net(str(path)) == path


@given(st.integers(1000, 2000))
def test_names_are_put_together_as_they_are_taken_apart(rating: int) -> None:
    assert split_rating(at_rating("club", rating)) == ("club", Ratings(rating))
    assert club_at(rating) == f"club:{rating}"


@given(st.floats(0, 5000))
def test_every_rating_has_a_club_player(rating: float) -> None:
    found = split_rating(club_at(rating))[1]
    assert found is not None
    assert abs(found.own - min(max(rating, 1000), 2000)) <= 0.5


def test_an_exported_net_plays_at_its_rating_without_being_told(folder: Path, tmp_path: Path) -> None:
    export_net("club:1300", tmp_path / "out.pb.gz")
    planes = random_planes(4)
    expected = opened("club:1300").evaluate_planes(planes)
    for useless in (0, 1):
        planes[:, RATING_PLANE] = useless
        found = opened(str(tmp_path / "out.pb.gz")).evaluate_planes(planes)
        assert np.allclose(found.policy, expected.policy, atol=2e-2)
    with pytest.raises(ConfigError, match=r"out.txt: a net for chess is written as \.pb\.gz, \.pb or \.onnx"):
        export_net("club", tmp_path / "out.txt")


def test_an_export_takes_no_file_s_place(tmp_path: Path) -> None:
    out = tmp_path / "out.pb.gz"
    out.write_bytes(b"precious")
    with pytest.raises(ConfigError, match=r"out\.pb\.gz is there already; choose another name"):
        export_net("club", out)
    assert out.read_bytes() == b"precious"


def test_what_lc0_cannot_run_is_not_exported(folder: Path, tmp_path: Path) -> None:
    out, model = tmp_path / "out.pb.gz", tmp_path / "mine.onnx"
    model.write_bytes(read_model(folder / "club.pb.gz").data)
    (tmp_path / "mix.toml").write_text(mixture_toml(["club", "master", "club"]))
    with pytest.raises(NetFileError, match=r"mix\.toml is a mixture, .*; expected one of them: club, master"):
        export_net(str(tmp_path / "mix.toml"), out)
    with pytest.raises(NetFileError, match=r"mine\.onnx holds an ONNX model; expected a residual net"):
        export_net(str(model), out)
    assert not out.exists()


NET = parse_lc0(synthesise(Recipe(batch_norm="full")).data, folded=False)


def run(net: Lc0Net, planes: np.ndarray) -> Outputs:
    return RuntimeNet(model_from_lc0(net, "net"), "openvino", "f32", 1).evaluate_planes(planes)


@pytest.mark.parametrize("rating", [1000, 1337, 1500, 2000])
def test_a_folded_net_equals_the_unfolded_one_that_is_told_the_rating(rating: int) -> None:
    planes = random_planes(6)
    assert not planes[:, RATING_PLANE].any()
    folded = run(fold_rating(NET, rating), planes)
    planes[:, RATING_PLANE] = (rating - 1500) / 500
    told = run(NET, planes)
    np.testing.assert_allclose(folded.policy, told.policy, atol=1e-5 * np.abs(told.policy).max())
    np.testing.assert_allclose(folded.wdl, told.wdl, atol=1e-5)


def test_the_unfolded_net_is_that_of_1500() -> None:
    planes = random_planes(3)
    np.testing.assert_array_equal(run(fold_rating(NET, 1500), planes).policy, run(NET, planes).policy)
    assert rating_value(1500) == 0


def test_a_net_that_heeds_no_ratings_plays_at_none() -> None:
    weights = NET.input.weights.copy()
    weights[:, RATING_PLANE] = 1e-4
    deaf = dataclasses.replace(NET, input=dataclasses.replace(NET.input, weights=weights))
    with pytest.raises(NetFileError, match="was trained without ratings, and plays at none"):
        fold_rating(deaf, 1500)


def test_ratings_differ() -> None:
    planes = random_planes(3)
    weak, strong = (run(fold_rating(NET, rating), planes).policy for rating in (1000, 2000))
    assert np.abs(weak - strong).max() > 0.1


def test_batch_norm_may_be_folded_before_or_after() -> None:
    before, after = fold_rating(fold_net(NET), 1234).input, fold_net(fold_rating(NET, 1234)).input
    assert dataclasses.replace(before, weights=after.weights).norm is None
    np.testing.assert_allclose(before.weights, after.weights, rtol=1e-6, atol=1e-7)
    np.testing.assert_array_equal(before.biases, after.biases)
