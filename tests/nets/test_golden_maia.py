"""Maia-2 and Maia-3 against what the original code computes with the same weights, of every row that there is.

The logits of Maia-2's side information (`maia2_side.jsonl`) are for training alone, and are not computed.
"""

import hashlib
from functools import cache
from typing import Any

import numpy as np
import pytest

from foible._core import Batch, ChessPosition
from foible.nets.catalogue import open_net
from foible.nets.choices import GraphRuntime
from foible.nets.encoding import InputEncoding
from foible.nets.evaluator import Evaluation, softmax
from foible.nets.maia2_net import rating_class, read_maia2
from foible.nets.maia3_net import read_maia3
from foible.nets.onnx_file import OnnxModel
from foible.nets.runtimes import RuntimeNet
from foible.nets.torch_checkpoint import open_checkpoint
from tests.nets.golden import lines
from tests.shared_data import shared

FOLDER = "golden/maia"
RUNTIMES: tuple[GraphRuntime, ...] = ("openvino", "onnxruntime")
NETS = {
    "maia2": "maia2_tiny.pt",
    "maia3_a": "maia3_tiny_a.pt",
    "maia3_b": "maia3_tiny_b.pt",
    "maia3_c": "maia3_tiny_c.pt",
}
HISTORY = {"maia3_a": 8, "maia3_b": 8, "maia3_c": 1}
LITERAL = "x:pseudo-ep-fen"
"""A FEN whose en-passant square nobody can use: Maia-2's code shows it all the same, foible does not."""
SURE = 1e-3
"""Logits nearer than this may change places."""


@cache
def rows(name: str) -> list[dict[str, Any]]:
    return lines(f"{FOLDER}/{name}.jsonl")


def positions(name: str) -> list[ChessPosition]:
    """With the moves that led there; where the net is to see one board eight times, as a FEN without any."""
    return [
        ChessPosition(row["fen_now"])
        if row.get("mode") == "repeat"
        else ChessPosition(row.get("fen"), row.get("moves", []))
        for row in rows(name)
    ]


@cache
def batch(name: str) -> Batch:
    return Batch(positions(name))


def encoding_of(name: str) -> InputEncoding:
    return "maia2" if name.startswith("maia2") else "maia3"


def evaluator(name: str, own: int, opponent: int, runtime: GraphRuntime) -> RuntimeNet:
    """Without the check that the net was made for such ratings: what they do beyond is golden too."""
    with open_checkpoint(shared(f"{FOLDER}/{NETS[name]}")) as weights:
        net = read_maia2(weights) if name == "maia2" else read_maia3(weights)
        return RuntimeNet(OnnxModel(name, net.serialise(own, opponent), False, encoding_of(name)), runtime, "f32", 1)


def check_policies(name: str, evaluation: Evaluation, number: int) -> None:
    all_moves, offsets = batch(name).moves(), batch(name).offsets
    for place, (row, moves) in enumerate(zip(rows(name), all_moves, strict=True)):
        if name.startswith("maia2") and row["tag"] == LITERAL:
            continue
        expected = row["out"][number]
        order = [moves.index(move) for move in row["legal"]]
        logits = evaluation.logits[offsets[place] : offsets[place + 1]][order]
        np.testing.assert_allclose(logits, expected["logits"], atol=1e-4, err_msg=row["tag"])
        np.testing.assert_allclose(softmax(logits), expected["p"], atol=1e-5, err_msg=row["tag"])
        first, *others = sorted(expected["logits"], reverse=True)
        if not others or first - others[0] > SURE:
            assert int(logits.argmax()) == int(np.argmax(expected["logits"]))


@pytest.mark.parametrize("name", [*NETS, "maia2_onnx"])
def test_inputs_and_moves_are_those_of_the_original(name: str) -> None:
    seen, indices = batch(name).planes(encoding_of(name)), batch(name).policy_indices(encoding_of(name))
    offsets = batch(name).offsets
    literal = 0
    for place, (row, moves) in enumerate(zip(rows(name), batch(name).moves(), strict=True)):
        found = dict(zip(moves, indices[offsets[place] : offsets[place + 1]].tolist(), strict=True))
        assert [found.pop(move) for move in row["legal"]] == row["index"], row["tag"]
        assert not found
        planes = seen[place]
        if name in HISTORY:
            planes = planes[-12 * HISTORY[name] :].reshape(-1, 64).T
        same = hashlib.sha256(planes.tobytes()).hexdigest() == row.get("tensor_sha256", row.get("tokens_sha256"))
        assert same == (not (name == "maia2" and row["tag"] == LITERAL)), row["tag"]
        literal += not same
    assert literal == (name == "maia2")


def test_an_en_passant_square_that_nobody_can_use_is_none() -> None:
    by_id = {row["id"]: place for place, row in enumerate(rows("maia2"))}
    planes = batch("maia2").planes("maia2")
    np.testing.assert_array_equal(planes[by_id["x1"]], planes[by_id["x2"]])


def test_moves_of_maia_2_are_in_the_order_of_its_vocabulary() -> None:
    vocabulary = shared(f"{FOLDER}/maia2_vocab.txt").read_text().split()
    flip = str.maketrans("12345678", "87654321")
    for row in rows("maia2"):
        seen = row["legal"] if row["turn"] == "w" else [move.translate(flip) for move in row["legal"]]
        assert [vocabulary[index] for index in row["index"]] == seen


def test_moves_of_maia_3_are_the_published_4352() -> None:
    squares = [file + rank for rank in "12345678" for file in "abcdefgh"]
    plain = [start + to for start in squares for to in squares]
    promotions = [f"{start}7{to}8{piece}" for start in "abcdefgh" for to in "abcdefgh" for piece in "qrbn"]
    found = hashlib.sha256("\n".join(plain + promotions).encode()).hexdigest()
    assert found == "76faf28929858b20379ef3c34009bddf6c329872fd95e0a8c857c4ec39d3284d"
    vocabulary, flip = plain + promotions, str.maketrans("12345678", "87654321")
    for row in (row for name in HISTORY for row in rows(name)):
        seen = row["legal"] if row["turn"] == "w" else [move.translate(flip) for move in row["legal"]]
        assert [vocabulary[index] for index in row["index"]] == seen


@pytest.mark.parametrize("runtime", RUNTIMES)
@pytest.mark.parametrize("name", NETS)
def test_checkpoints_answer_as_the_original(name: str, runtime: GraphRuntime) -> None:
    for number, pair in enumerate(rows(name)[0]["out"]):
        assert all(
            (row["out"][number]["self"], row["out"][number]["oppo"]) == (pair["self"], pair["oppo"])
            for row in rows(name)
        )
        evaluation = evaluator(name, pair["self"], pair["oppo"], runtime).evaluate(batch(name))
        check_policies(name, evaluation, number)
        if name == "maia2":
            check_values(name, evaluation, number)
        else:
            expected = [row["out"][number]["ldw"][::-1] for row in rows(name)]
            np.testing.assert_allclose(evaluation.wdl, expected, atol=1e-5)


def check_values(name: str, evaluation: Evaluation, number: int) -> None:
    assert not evaluation.wdl[:, 1].any()
    for row, (win, _, _) in zip(rows(name), evaluation.wdl.tolist(), strict=True):
        expected = row["out"][number]
        if row["tag"] != LITERAL:
            assert 2 * win - 1 == pytest.approx(min(max(expected["value"], -1), 1), abs=1e-4)
            white = win if row["turn"] == "w" else 1 - win
            assert white == pytest.approx(expected["white_score"], abs=1e-4)


def test_ratings_fall_into_the_original_classes() -> None:
    for pair in rows("maia2")[0]["out"] + rows("maia2_onnx")[0]["out"]:
        assert [rating_class(pair["self"]), rating_class(pair["oppo"])] == pair["cat"]
    known = {650: 0, 1099: 0, 1100: 1, 1199: 1, 1200: 2, 1500: 5, 1999: 9, 2000: 10, 2750: 10}
    assert {rating: rating_class(rating) for rating in known} == known


@pytest.mark.parametrize("runtime", RUNTIMES)
def test_the_browser_s_model_answers_as_the_original(runtime: GraphRuntime) -> None:
    path = shared(f"{FOLDER}/maia2_tiny.onnx")
    for number, pair in enumerate(rows("maia2_onnx")[0]["out"]):
        found = open_net(f"{path}:{pair['self']}-{pair['oppo']}", runtime=runtime, threads=1).evaluate(
            batch("maia2_onnx")
        )
        check_policies("maia2_onnx", found, number)
        check_values("maia2_onnx", found, number)


@pytest.mark.parametrize("name", HISTORY)
def test_a_reply_is_judged_with_the_ratings_swapped(name: str) -> None:
    """What the original's engine says of three moves is what their opponent thinks of the positions after them."""
    pair = rows(name)[0]["engine"]
    net = evaluator(name, pair["oppo"], pair["self"], "onnxruntime")
    played, expected = [], []
    for row, position in zip(rows(name), positions(name), strict=True):
        assert (row["engine"]["self"], row["engine"]["oppo"]) == (pair["self"], pair["oppo"])
        for move, _, wdl in row["engine"]["top"]:
            after = position.play(move)
            if after.legal_moves:
                played.append(ChessPosition(after.fen) if row["mode"] == "repeat" else after)
                expected.append(wdl)
    found = 1000 * net.evaluate(Batch(played)).wdl[:, ::-1]
    np.testing.assert_allclose(found, expected, atol=1.5)
