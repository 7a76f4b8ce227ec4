"""From positions to evaluations: encoding, net and picking of the legal moves together."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

import foible
from foible import Batch, ChessPosition
from foible._core import GoPosition
from foible.errors import ConfigError, EvaluationError
from foible.nets.catalogue import open_net
from foible.nets.evaluator import Evaluation, Material, checked
from foible.nets.lc0_file import parse_lc0
from foible.nets.lc0_net import ConvolutionalPolicy
from foible.nets.onnx_file import OnnxModel, model_from_lc0
from foible.nets.runtimes import RuntimeNet
from tests.nets.golden import golden_policies
from tests.nets.synthetic import Recipe, synthesise
from tests.shared_data import shared


@pytest.fixture(scope="module")
def net() -> RuntimeNet:
    model = model_from_lc0(parse_lc0(synthesise(Recipe(moves_left=True)).data), "net")
    return RuntimeNet(model, "openvino", "f32", 2)


def position(moves: str = "") -> ChessPosition:
    return ChessPosition(moves=moves.split())


def test_a_real_net_answers_positions_as_the_reference_engine_does() -> None:
    evaluator = open_net(str(shared("nets/maia-1500.pb.gz")), runtime="openvino", threads=2)
    records = [record for record in golden_policies() if record["net"] == "maia-1500"]
    batch = Batch([ChessPosition(record.get("fen"), record["moves"]) for record in records])
    answer = evaluator.evaluate(batch)
    for i, record in enumerate(records):
        moves = slice(batch.offsets[i], batch.offsets[i + 1])
        found = dict(zip(batch.moves()[i], answer.logits[moves].tolist(), strict=True))
        assert found == pytest.approx(record["logits"], abs=1e-3)
        assert answer.q[i] == pytest.approx(record["q_exact"], abs=1e-3)


def test_every_legal_move_has_a_logit_and_every_position_a_value(net: RuntimeNet) -> None:
    batch = Batch([position(), position("e2e4 e7e5"), position("d2d4")])
    answer = net.evaluate(batch)
    assert answer.logits.shape == (batch.move_count,)
    assert answer.wdl.shape == (3, 3)
    assert answer.moves_left is not None
    assert answer.moves_left.shape == (3,)
    np.testing.assert_allclose(answer.wdl.sum(axis=1), 1, atol=1e-6)


def test_a_batch_of_another_game_is_refused(net: RuntimeNet) -> None:
    with pytest.raises(ConfigError, match="net is a net for chess; expected one for Go on a 7×7 board"):
        net.evaluate(Batch([GoPosition(7)]))


def test_what_is_no_batch_is_refused(net: RuntimeNet) -> None:
    with pytest.raises(TypeError, match=r"expected a Batch, such as Batch\(\[position\]\), found list"):
        net.evaluate([position()])  # type: ignore[arg-type]


def test_a_net_that_overflows_is_found_out() -> None:
    net = parse_lc0(synthesise(Recipe()).data)
    assert isinstance(net.policy, ConvolutionalPolicy)
    net.policy.planes.biases[:] = np.inf
    model = model_from_lc0(net, "huge")
    with pytest.raises(EvaluationError, match=r"huge .openvino f32. answers with numbers that are not finite"):
        RuntimeNet(model, "openvino", "f32", 1).evaluate(Batch([position()]))


@pytest.mark.parametrize("what", ["logits", "wdl", "moves_left", "margins"])
def test_an_answer_that_is_not_a_number_is_refused_wherever_it_stands(what: str) -> None:
    fair = Evaluation(
        np.zeros(20, np.float32),
        np.full((1, 3), 1 / 3, np.float32),
        np.ones(1, np.float32),
        np.ones((1, 2), np.float32),
    )
    assert checked(fair, "some net") is fair
    spoilt = replace(fair, **{what: np.full_like(getattr(fair, what), np.nan)})
    with pytest.raises(EvaluationError, match=r"^some net answers with numbers that are not finite$"):
        checked(spoilt, "some net")


def test_evaluations_may_be_compared_and_collected() -> None:
    """Their arrays have no truth value: a comparison of all fields would raise."""
    one, other = (Material().evaluate(Batch([position()])) for _ in range(2))
    assert one != other
    assert len({one, other, one}) == 2


def test_material_looks_at_captures_first_and_counts_pieces() -> None:
    evaluator = Material()
    batch = Batch([position("e2e4 d7d5"), ChessPosition("4k3/8/8/8/8/8/8/QQQQK3 w - - 0 1")])
    answer = evaluator.evaluate(batch)
    logits = dict(zip(batch.moves()[0], answer.logits.tolist(), strict=False))
    assert max(logits, key=lambda move: logits[move]) == "e4d5"
    assert answer.q[1] > 0.9 > abs(answer.q[0])
    np.testing.assert_allclose(answer.wdl.sum(axis=1), 1, atol=1e-6)


def test_material_sees_both_colours_alike() -> None:
    white = ChessPosition("r3k3/8/8/8/8/8/8/4K2Q w - - 0 1")
    black = ChessPosition("4k2q/8/8/8/8/8/8/R3K3 b - - 0 1")
    answer = Material().evaluate(Batch([white, black]))
    np.testing.assert_array_equal(answer.wdl[0], answer.wdl[1])


def test_the_model_of_an_evaluator_is_known(net: RuntimeNet) -> None:
    assert isinstance(net.model, OnnxModel)
    assert net.model.moves_left


def test_no_plies_are_left_where_the_game_is_over(net: RuntimeNet) -> None:
    going, mated = foible.evaluate_all(net, [position("f2f3 e7e5 g2g4"), position("f2f3 e7e5 g2g4 d8h4")])
    raw = net.evaluate(Batch([position("f2f3 e7e5 g2g4")])).moves_left
    assert raw is not None
    assert (going.moves_left, mated.moves_left, mated.wdl) == (raw[0], 0.0, (0.0, 0.0, 1.0))


def test_one_position_is_answered_as_in_a_batch() -> None:
    net, position = open_net("go-5x5"), GoPosition(5, ["C3"])
    batch = Batch([position])
    said, whole = foible.evaluate(net, position), net.evaluate(batch)
    assert set(said.policy) == set(batch.moves()[0])
    assert list(said.policy.values()) == sorted(said.policy.values(), reverse=True)
    assert sum(said.policy.values()) == pytest.approx(1)
    assert said.best == batch.moves()[0][int(whole.logits.argmax())]
    assert said.q == pytest.approx(float(whole.q[0]))
    assert whole.margins is not None
    assert said.margin == tuple(whole.margins[0].tolist())
    assert said.moves_left is None
    assert repr(said).startswith(f"PositionEvaluation({said.best} ")


def test_a_position_without_moves_is_answered_by_the_rules() -> None:
    mated = foible.evaluate(Material(), ChessPosition("7k/6Q1/6K1/8/8/8/8/8 b - - 0 1"))
    assert (mated.best, mated.policy, mated.wdl, mated.q) == (None, {}, (0, 0, 1), -1)
    assert repr(mated) == "PositionEvaluation(no legal move; win 0.0 %, draw 0.0 %, loss 100.0 %)"
    passed = foible.evaluate(open_net("go-7x7"), GoPosition(7, ["pass", "pass"]))
    assert (dict(passed.policy), passed.wdl) == ({}, (0.0, 0.0, 1.0))


def test_a_position_of_another_game_is_refused() -> None:
    with pytest.raises(ConfigError, match="expected one for Go on a 5×5 board"):
        foible.evaluate(open_net("master"), GoPosition(5))


def test_many_positions_are_answered_as_one_by_one_in_few_calls(monkeypatch: pytest.MonkeyPatch) -> None:
    sizes: list[int] = []

    class Counted(Material):
        def evaluate(self, batch: Batch) -> Evaluation:
            sizes.append(len(batch))
            return super().evaluate(batch)

    positions = [position(), position("e2e4"), ChessPosition("7k/6Q1/6K1/8/8/8/8/8 b - - 0 1")]
    assert foible.evaluate_all(Counted(), iter(positions)) == [foible.evaluate(Material(), one) for one in positions]
    assert foible.evaluate_all(Counted(), []) == []
    assert sizes == [3]
    monkeypatch.setattr("foible.nets.evaluator.CHUNK", 2)
    assert len(foible.evaluate_all(Counted(), positions)) == 3
    assert sizes == [3, 2, 1]


def test_who_asks_for_many_where_one_is_meant_is_told_what_takes_many() -> None:
    message = "expected a ChessPosition or a GoPosition, found list; evaluate_all takes several"
    with pytest.raises(TypeError, match=message):
        foible.evaluate(Material(), [position()])  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (lambda found: (found.logits, found.wdl), "material.* answered with tuple; expected an Evaluation"),
        (lambda found: replace(found, logits=found.logits[:3]), r"logits has the shape \(3,\); expected \(20,\)"),
        (lambda found: replace(found, logits=np.full_like(found.logits, np.nan)), "answers with numbers that are not"),
    ],
)
def test_no_position_gets_a_policy_from_an_answer_that_is_none(
    answer: Callable[[Evaluation], Evaluation], message: str
) -> None:
    class Wrong(Material):
        def evaluate(self, batch: Batch) -> Evaluation:
            return answer(super().evaluate(batch))

    with pytest.raises(EvaluationError, match=message):
        foible.evaluate(Wrong(), position())
    with pytest.raises(EvaluationError, match=message):
        foible.wait(foible.NetPolicy(Wrong()).choose(foible.Turn(position(), 0, 0, seed=0)))
