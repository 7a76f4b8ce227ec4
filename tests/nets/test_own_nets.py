"""The nets that come with foible: small, whole, and players of their kind."""

from pathlib import Path

import numpy as np
import pytest

from foible._core import Batch, ChessPosition
from foible.loop import wait
from foible.nets.catalogue import describe_net, find_net, known_nets, open_net
from foible.nets.mixture import PhaseMixture
from foible.nets.named_nets import FOLDER, shipped_names
from foible.nets.rating_plane import RATING_PLANE, rating_value
from foible.nets.runtimes import RuntimeNet
from foible.nets.shelf import NetShelf
from foible.opponents.net import NetModel
from foible.search.trees import Trees

EXPERTS = ("master-opening", "master-middlegame", "master-endgame")
NETS = ("club", "master", *EXPERTS)
MIXTURE = "master-experts"
GO_NETS = ("go-5x5", "go-7x7")
MOST_BYTES = 2_000_000
"""Of the file of one net."""

MATES = (
    "6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1",
    "7k/6pp/8/8/8/8/q5PP/7K b - - 0 1",
    "k7/2K5/8/1Q6/8/8/8/8 w - - 0 1",
)
VISITS = 200
QUEEN_MORE = {
    "middlegame": "r3k2r/pp2bppp/2n1bn2/4p3/8/2N2N2/PPPQ1PPP/R1B1KB1R w KQkq - 0 10",
    "endgame": "6k1/5ppp/8/8/8/8/1Q3PPP/6K1 w - - 0 30",
}
STRONG = ("e2e4", "d2d4", "g1f3", "c2c4")
WEAK = ("h2h4", "a2a4", "f2f3", "g2g4", "b1a3", "g1h3")


@pytest.fixture(autouse=True)
def _no_other_nets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("FOIBLE_NETS", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


@pytest.fixture(scope="module")
def shelf() -> NetShelf:
    return NetShelf()


def test_all_nets_come_with_the_package() -> None:
    assert shipped_names() == sorted([*NETS, MIXTURE, *GO_NETS])
    assert {net.name for net in known_nets() if net.kind == "shipped"} == {*NETS, MIXTURE, *GO_NETS}
    assert (FOLDER / "README.md").is_file()


@pytest.mark.parametrize("net", NETS)
def test_every_file_is_small_and_says_how_long_it_was_trained(net: str) -> None:
    found = describe_net(net)
    assert found.size is not None
    assert 100_000 < found.size <= MOST_BYTES
    assert (found.format, found.value) == ("lc0", "wdl")
    assert found.training_steps


@pytest.mark.parametrize("net", [*NETS, MIXTURE])
def test_what_the_list_of_nets_says_of_a_file_is_true(net: str) -> None:
    text = (FOLDER / "README.md").read_text("utf-8")
    path = find_net(net)
    assert f"`{net}`" in text
    if path.suffix == ".gz":
        assert str(describe_net(net).sha256)[:16] in text


@pytest.mark.parametrize("net", ["club:1000", "club:2000", "master", "master-opening", MIXTURE])
def test_games_begin_with_sound_moves(shelf: NetShelf, net: str) -> None:
    position = ChessPosition()
    [policy] = wait(NetModel(shelf.evaluator(net)).predict([position]))
    found = dict(zip(position.legal_moves, policy.tolist(), strict=True))
    assert max(found, key=lambda move: found[move]) in STRONG
    assert sum(found[move] for move in STRONG) > 5 * sum(found[move] for move in WEAK)


@pytest.mark.parametrize("net", ["club:1500", "master", "master-middlegame", MIXTURE])
@pytest.mark.parametrize("fen", MATES)
def test_mates_in_one_are_found(shelf: NetShelf, net: str, fen: str) -> None:
    position = ChessPosition(fen)
    tree = Trees([shelf.evaluator(net)]).plant(position, 1)
    wait(tree.grow(VISITS))
    move = tree.choose()
    assert move is not None
    assert position.san(move).endswith("#")


@pytest.mark.parametrize(
    ("net", "fen"),
    [
        *((net, QUEEN_MORE["middlegame"]) for net in ("club:1500", "master", "master-middlegame")),
        *((net, QUEEN_MORE["endgame"]) for net in ("club:1500", "master", "master-endgame")),
    ],
)
def test_a_queen_more_is_worth_much(shelf: NetShelf, net: str, fen: str) -> None:
    with_queen, without = ChessPosition(fen), ChessPosition(fen.replace("Q", "1", 1).replace("PPP11", "PPP2"))
    q = shelf.evaluator(net).evaluate(Batch([with_queen, without])).q

    assert q[0] > q[1] + 0.1


@pytest.mark.parametrize("rating", [1000, 1300, 1999])
def test_a_rating_in_the_name_is_the_rating_on_the_plane(rating: int) -> None:
    plain, rated = (open_net(net, runtime="onnxruntime", threads=1) for net in ("club", f"club:{rating}"))
    assert isinstance(plain, RuntimeNet)
    assert isinstance(rated, RuntimeNet)
    planes = Batch([ChessPosition(), ChessPosition(moves=["e4", "e5", "Nf3"])]).planes()
    found = rated.evaluate_planes(planes)
    planes[:, RATING_PLANE] = rating_value(rating)
    expected = plain.evaluate_planes(planes)
    assert np.allclose(found.policy, expected.policy, atol=1e-4)
    assert np.allclose(found.wdl, expected.wdl, atol=1e-5)


@pytest.mark.parametrize(
    ("before", "move", "sign"),
    [("e4 e5", "d1h5", -1), ("e4 e5 Nf3", "f7f6", -1), ("e4", "c7c5", 1), ("e4 e5 Nf3 Nc6 Bc4 Nf6 Ng5", "d7d5", 1)],
    ids=["an early queen", "Damiano", "Sicilian", "against the fried liver"],
)
def test_stronger_players_choose_better_openings(shelf: NetShelf, before: str, move: str, sign: int) -> None:
    position = ChessPosition(moves=before.split())
    ratings = (1000, 1500, 2000)
    models = [NetModel(shelf.evaluator(f"club:{rating}")) for rating in ratings]
    index = position.legal_moves.index(move)
    found = [float(wait(model.predict([position]))[0][index]) for model in models]
    assert found == sorted(found, reverse=sign < 0)
    assert len(set(found)) == len(ratings)


def test_each_position_goes_to_the_expert_of_its_phase(shelf: NetShelf) -> None:
    mixture = shelf.evaluator(MIXTURE)
    assert isinstance(mixture, PhaseMixture)
    positions = {
        "master-opening": ChessPosition(),
        "master-middlegame": ChessPosition("r4rk1/pp3ppp/2n5/3q4/8/2N2N2/PP3PPP/R2Q1RK1 w - - 0 15"),
        "master-endgame": ChessPosition("6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1"),
    }
    for expert, position in positions.items():
        batch = Batch([position])
        alone, mixed = shelf.evaluator(expert).evaluate(batch), mixture.evaluate(batch)
        assert np.array_equal(alone.logits, mixed.logits)
        assert np.array_equal(alone.wdl, mixed.wdl)
