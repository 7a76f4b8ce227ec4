"""Maia-2 and Maia-3 where nets are named: by file and by name, at one rating or two, described, exported, refused."""

import shutil
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from foible._core import Batch, ChessPosition
from foible.errors import ConfigError, FoibleError, NetFileError, PositionError
from foible.nets import NetShelf, describe_net, export_net, known_nets, open_net, short_name
from foible.nets.choices import GraphRuntime
from foible.nets.encoding import InputEncoding
from foible.nets.evaluator import Evaluator
from foible.nets.maia2_net import rating_class
from foible.nets.runtimes import RuntimeNet
from tests.nets.maia_nets import Tensors, checkpoint, maia2, maia3

RUNTIMES: tuple[GraphRuntime, ...] = ("openvino", "onnxruntime")
BOTH = ("maia2", "maia3")
GAME = ("e2e4", "e7e5", "g1f3", "b8c6", "f1b5", "a7a6", "b5a4", "g8f6", "e1g1", "f8e7", "f1e1", "b7b5", "a4b3", "d7d6")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with one net of each kind."""
    (tmp_path / "maia2.pt").write_bytes(checkpoint(maia2()))
    (tmp_path / "maia3.pt").write_bytes(checkpoint(maia3()))
    monkeypatch.setenv("FOIBLE_NETS", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path


def opened(name: str, runtime: GraphRuntime = "onnxruntime") -> RuntimeNet:
    net = open_net(name, runtime=runtime, threads=1)
    assert isinstance(net, RuntimeNet)
    return net


def positions() -> list[ChessPosition]:
    return [ChessPosition(None, GAME[:plies]) for plies in range(len(GAME) + 1)]


def says(name: str) -> tuple[np.ndarray, np.ndarray]:
    found = opened(name).evaluate(Batch(positions()))
    return found.logits, found.wdl


def differ(one: str, other: str) -> bool:
    return bool(np.abs(says(one)[0] - says(other)[0]).max() > 1e-4)


@pytest.mark.parametrize("kind", BOTH)
def test_a_checkpoint_is_found_by_path_and_by_name_whatever_its_name_ends_with(folder: Path, kind: str) -> None:
    assert opened(f"{folder / kind}.pt:1500").name == f"{kind}:1500 (onnxruntime f32)"
    assert opened(f"{kind}:1500-1900").name == f"{kind}:1500-1900 (onnxruntime f32)"
    assert short_name(f"{folder / kind}.pt:1500-1900") == f"{kind}:1500-1900"
    assert kind in {net.name for net in known_nets() if net.kind == "folder"}
    for name in (f"{kind}.onnx", f"{kind}.bin", f"{kind}.pb.gz", f"{kind}-latest"):
        shutil.copyfile(folder / f"{kind}.pt", folder / "other" if name.endswith("latest") else folder / name)
    for name in (f"{kind}.onnx", f"{kind}.bin", f"{kind}.pb.gz", "other"):
        np.testing.assert_array_equal(says(f"{folder / name}:1500")[0], says(f"{kind}:1500")[0])


@pytest.mark.parametrize("kind", BOTH)
def test_one_rating_is_that_of_both_players_and_two_are_self_and_opponent(folder: Path, kind: str) -> None:
    assert not differ(f"{kind}:1500", f"{kind}:1500-1500")
    assert differ(f"{kind}:1500", f"{kind}:1500-1900")
    assert differ(f"{kind}:1900-1500", f"{kind}:1500-1900")
    assert differ(f"{kind}:1500", f"{kind}:1900")


def test_maia_2_tells_apart_what_its_classes_do(folder: Path) -> None:
    assert not differ("maia2:1500", "maia2:1599")
    assert differ("maia2:1500", "maia2:1600")
    assert not differ("maia2:2000", "maia2:2700")
    assert not differ("maia2:0", "maia2:1099")
    assert differ("maia3:1500", "maia3:1599")
    assert [rating_class(rating) for rating in (0, 1099, 1100, 5000)] == [0, 0, 1, 10]


def test_a_shelf_keeps_one_net_for_each_pair(folder: Path) -> None:
    shelf = NetShelf()
    names = ["maia3:1500", "maia3:1500-1900", "maia3:1900-1500"]
    assert len({id(shelf.evaluator(name)) for name in [*names, *names]}) == len(names)
    assert list(shelf.resolved()) == names


@pytest.mark.parametrize("runtime", RUNTIMES)
@pytest.mark.parametrize(
    ("tensors", "encoding"),
    [
        (maia2(16, 64, 2, 2, 8, 32), "maia2"),
        (maia3(64, 4, 2, 8, 32, 16, 8, 32, 64), "maia3"),
        (maia3(64, 4, 2, 8, 32, 16, 0, 32, 64), "maia3"),
    ],
)
def test_a_position_gets_the_same_bits_whatever_batch_it_comes_in(
    tmp_path: Path, tensors: Tensors, encoding: InputEncoding, runtime: GraphRuntime
) -> None:
    (tmp_path / "net.pt").write_bytes(checkpoint(tensors))
    net = opened(f"{tmp_path / 'net.pt'}:1500-1900", runtime)
    planes = Batch(positions()).planes(encoding)
    whole = net.evaluate_planes(planes)
    assert 0.1 < float(whole.policy.std()) < 1000
    for start, stop in pairwise((0, 1, 2, 5, 9, len(planes))):
        part = net.evaluate_planes(planes[start:stop])
        np.testing.assert_array_equal(part.policy, whole.policy[start:stop])
        np.testing.assert_array_equal(part.wdl, whole.wdl[start:stop])


def test_history_is_seen_by_maia_3_alone(folder: Path) -> None:
    played = ChessPosition(None, GAME)
    alone = ChessPosition(played.fen)
    for kind, same in (("maia2", True), ("maia3", False)):
        found = opened(f"{kind}:1500").evaluate(Batch([played, alone]))
        half = len(found.logits) // 2
        assert np.array_equal(found.logits[:half], found.logits[half:]) == same


def test_a_maia_3_sees_as_many_boards_as_it_has_weights_for(tmp_path: Path) -> None:
    path = tmp_path / "net.pt"
    for history in (1, 3, 8):
        path.write_bytes(checkpoint(maia3(history=history)))
        net = opened(f"{path}:1500")
        planes = Batch([ChessPosition(None, GAME)]).planes("maia3")
        changed = planes.copy()
        changed[:, : 96 - 12 * history] = 1
        np.testing.assert_array_equal(net.evaluate_planes(planes).policy, net.evaluate_planes(changed).policy)
        changed[:, 96 - 12 * history] = 1
        assert not np.array_equal(net.evaluate_planes(planes).policy, net.evaluate_planes(changed).policy)
        assert describe_net(f"{path}:1500").history == history


@pytest.mark.parametrize("kind", BOTH)
def test_black_sees_what_white_sees_in_the_mirrored_position(folder: Path, kind: str) -> None:
    white = ChessPosition("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1")
    black = ChessPosition("r3k2r/pppbbppp/2n2q1P/1P2p3/3pn3/BN2PNP1/P1PPQPB1/R3K2R b KQkq - 0 1")
    net, flip = opened(f"{kind}:1500-1900"), str.maketrans("12345678", "87654321")
    found = {}
    for position in (white, black):
        batch = Batch([position])
        judged = net.evaluate(batch)
        moves = [move if position is white else move.translate(flip) for move in batch.moves()[0]]
        found[position.turn] = dict(zip(moves, judged.logits.tolist(), strict=True)), judged.wdl.tolist()
    assert found["first"] == found["second"]


@pytest.mark.parametrize("kind", BOTH)
def test_an_exported_net_plays_at_its_ratings_without_being_told(folder: Path, kind: str) -> None:
    out = folder / "out.onnx"
    export_net(f"{kind}:1500-1900", out)
    np.testing.assert_array_equal(says(str(out))[0], says(f"{kind}:1500-1900")[0])
    assert describe_net(str(out)).input == kind
    with pytest.raises(ConfigError, match="an ONNX model plays at no rating of choice"):
        open_net(f"{out}:1500")
    with pytest.raises(NetFileError, match=r"holds a Maia-2 or Maia-3; expected a residual net"):
        export_net(f"{kind}:1500", folder / "out.pb.gz")
    with pytest.raises(ConfigError, match="plays at ratings; expected one behind it"):
        export_net(kind, folder / "again.onnx")
    assert not (folder / "again.onnx").exists()


def test_nets_are_described_with_what_is_to_be_known_of_them(folder: Path) -> None:
    two, three = describe_net("maia2:1530-2300"), describe_net("maia3")
    assert (two.name, two.format, two.input, two.value) == ("maia2:1530-2300", "pytorch", "maia2", "classical")
    assert (two.blocks, two.filters, two.encoders, two.width, two.attention_heads) == (1, 4, 1, 8, 16)
    assert (three.format, three.input, three.value, three.history) == ("pytorch", "maia3", "wdl", 8)
    assert (three.encoders, three.width, three.attention_heads, three.blocks) == (1, 8, 2, None)
    assert two.ratings is not None
    assert "1100 to 2000 in steps of 100" in two.ratings
    assert "Lichess" in two.ratings
    assert three.ratings == "600 to 2600: of Lichess blitz"
    notes = "\n".join(two.notes or ())
    assert "1530 is to it any rating from 1500 to 1599" in notes
    assert "2300 is to it any rating from 2000 up" in notes
    assert "first 10 plies" in notes
    assert "not settled" in (three.licence or "")
    assert describe_net("maia2").notes == (two.notes or ())[2:]
    assert "any rating below 1100" in "".join(describe_net("maia2:800").notes or ())


@pytest.mark.parametrize("kind", BOTH)
def test_ratings_that_are_not_to_be_had_are_refused(folder: Path, kind: str) -> None:
    highest, wrong = (5000, 5001) if kind == "maia2" else (2600, 2601)
    opened(f"{kind}:{highest}")
    path = folder / f"{kind}.pt"
    for use in (open_net, describe_net):
        with pytest.raises(
            ConfigError, match=rf"{kind}\.pt:1500-{wrong}: a Maia-. plays at ratings from \d+ to {highest}"
        ):
            use(f"{kind}:1500-{wrong}")
        with pytest.raises(ConfigError, match=f"expected a rating after the colon, such as {path}:1300"):
            use(f"{path}:1500-")
    with pytest.raises(ConfigError, match=rf"expected one behind it, {path}:1500, or .*, {path}:1500-1900$"):
        open_net(kind)
    with pytest.raises(NetFileError, match=f"no net is called '{kind}:strong'"):
        open_net(f"{kind}:strong")
    with pytest.raises(ConfigError, match="only an lc0 weights file has heads"):
        open_net(f"{kind}:optimistic")
    pytest.importorskip("torch")
    with pytest.raises(NetFileError, match="runs in openvino or onnxruntime"):
        open_net(f"{kind}:1500", runtime="torch")


def test_two_ratings_are_too_many_for_a_net_that_is_told_one(folder: Path) -> None:
    with pytest.raises(ConfigError, match="club:1500-1900: club plays at ratings from 1000 to 2000"):
        open_net("club:1500-1900")
    shutil.copyfile(Path(str(open_club())), folder / "mine.pb.gz")
    opened("mine:1500")
    with pytest.raises(ConfigError, match=r"mine\.pb\.gz:1500-1900: is told one rating only"):
        open_net("mine:1500-1900")


def open_club() -> str | None:
    return str(describe_net("club").path)


@pytest.mark.parametrize("kind", BOTH)
def test_castling_of_chess960_is_refused_and_that_of_standard_chess_is_not(folder: Path, kind: str) -> None:
    net: Evaluator = opened(f"{kind}:1500")
    fens = ["4k3/8/8/8/8/8/8/1R2K1R1 w GB - 0 1", "4k3/8/8/8/8/8/8/R2K3R w HA - 0 1", "5k1r/8/8/8/8/8/8/4K3 b h - 0 1"]
    for fen in fens:
        position = ChessPosition(fen, chess960=True)
        with pytest.raises(PositionError, match=r"castles as in Chess960, which nets of the encoding \"maia"):
            net.evaluate(Batch([ChessPosition(), position]))
        assert net.evaluate(
            Batch([ChessPosition(fen.rpartition(" - ")[0].rpartition(" ")[0] + " - - 0 1", chess960=True)])
        )
    fen = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1"
    one, other = (net.evaluate(Batch([ChessPosition(fen, chess960=chess960)])) for chess960 in (False, True))
    assert sorted(one.logits.tolist()) == sorted(other.logits.tolist())


def without(tensors: Tensors, name: str) -> Tensors:
    return {key: values for key, values in tensors.items() if name not in key}


@pytest.mark.parametrize(
    ("tensors", "said"),
    [
        (without(maia3(), "gab_shared_weight"), "has no tensor gab_shared_weight; .*, which relpos and abspos lack"),
        (without(maia3(), "sm3.bias"), r"has no tensor transformer\.layers\.0\.self_attn\.sm3\.bias"),
        (without(maia3(), "elo_embedding_high"), r"has no tensor elo_embedding_high\.weight"),
        (without(maia2(), "fc_1.weight"), r"has no tensor fc_1\.weight"),
        (without(maia2(), "bn_last.running_var"), r"has no tensor chess_cnn\.bn_last\.running_var"),
        (
            maia3() | {"fc_value.bias": np.full(3, np.nan, np.float32)},
            r"fc_value\.bias: holds numbers that are not finite",
        ),
        (
            maia2() | {"pos_embedding": np.zeros((1, 5, 8), np.float32)},
            r"pos_embedding: has shape \[1, 5, 8\], expected",
        ),
        (maia2() | {"chess_cnn.bn1.running_var": -np.ones(4, np.float32)}, r"bn1\.running_var: negative variance"),
        (maia3(history=9), "sees 9 boards; foible shows at most 8"),
        (maia3(history=32), "sees 32 boards; foible shows at most 8"),
        (maia3() | {"token_projection.weight": np.zeros((8, 107), np.float32)}, "107 columns are no boards"),
        (maia2() | {"transformer.elo_layers.0.0.to_qkv.weight": np.zeros((96, 8), np.float32)}, "to_qkv has 96 rows"),
        ({"other": np.zeros(3, np.float32)}, "neither of Maia-2 nor of Maia-3"),
    ],
)
def test_a_damaged_net_is_refused_by_the_name_of_its_tensor(tmp_path: Path, tensors: Tensors, said: str) -> None:
    path = tmp_path / "net.pt"
    path.write_bytes(checkpoint(tensors))
    uses: list[Callable[[str], object]] = [open_net, describe_net]
    for use in uses:
        with pytest.raises(NetFileError, match=said) as error:
            use(f"{path}:1500")
        assert str(error.value).startswith(f"{path}: ")
        assert "\n" not in str(error.value)


def test_older_names_of_the_attention_bias_are_known(tmp_path: Path) -> None:
    path, older = tmp_path / "net.pt", tmp_path / "older.pt"
    path.write_bytes(checkpoint(maia3()))
    older.write_bytes(checkpoint({n.replace("gab_", "smolgen_"): v for n, v in maia3().items()}, inside=None))
    np.testing.assert_array_equal(says(f"{older}:1500")[0], says(f"{path}:1500")[0])


@pytest.mark.parametrize("suffix", [".pt", ".onnx", ".pb"])
def test_what_servers_give_instead_of_a_net_is_told(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"net{suffix}"
    for head, said in (
        (b"<!DOCTYPE html>", "a page in HTML"),
        (b"version https://git-lfs.github", "pointer of Git LFS"),
    ):
        path.write_bytes(head + b"\n")
        with pytest.raises(FoibleError, match=rf"net\{suffix}: .*{said}"):
            describe_net(str(path))
