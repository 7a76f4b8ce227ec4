"""Gates: which net is asked for which position, and the gates that files hold."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tomli_w
from hypothesis import given, settings, strategies as st
from msgspec.structs import replace

from foible._core import Batch, ChessPosition
from foible.errors import ConfigError
from foible.nets.evaluator import Material
from foible.nets.gates import FEATURES, LearnedGate, gate_features
from foible.nets.mixture import MajorityMixture, PhaseMixture, majority
from foible.nets.mixture_file import build_mixture, mixture_hash, mixture_toml, read_mixture
from foible.testing import check_evaluator, random_positions

POSITIONS = random_positions(ChessPosition(), 200, seed=3)
GATE = LearnedGate(
    features=["majors_and_minors", "mixedness"],
    means=[8.5, 100.0],
    scales=[4.0, 50.25],
    weights=[[0.0, 1.0, -0.5], [0.1, -1.0, 0.25]],
)
NETS = ["master", "club:1500"]


def gates(features: int) -> st.SearchStrategy[LearnedGate]:
    """Gates of whole numbers, with which every sum is exact: so ties are ties for everybody."""
    numbers = st.integers(-3, 3).map(float)
    row = st.lists(numbers, min_size=1 + features, max_size=1 + features)
    return st.builds(
        LearnedGate,
        features=st.permutations(FEATURES).map(lambda names: names[:features]),
        means=st.lists(numbers, min_size=features, max_size=features),
        scales=st.just([1.0] * features),
        weights=st.lists(row, min_size=1, max_size=4),
    )


def choice(gate: LearnedGate, position: ChessPosition) -> int:
    """The net for a position, by plain arithmetic on its FEN."""
    ranks = position.fen.split(" ")[0].split("/")
    home = (sum(map(str.isupper, ranks[7])), sum(map(str.islower, ranks[0])))
    known = {
        "majors_and_minors": sum(piece in "qrbnQRBN" for rank in ranks for piece in rank),
        "back_ranks": sum(home),
        "sparser_back_rank": min(home),
        "mixedness": int(Batch([position]).phase_features()[0, 3]),
    }
    z = [(known[name] - mean) / scale for name, mean, scale in zip(gate.features, gate.means, gate.scales, strict=True)]
    scores = [first + sum(w * x for w, x in zip(rest, z, strict=True)) for first, *rest in gate.weights]
    return scores.index(max(scores))


@given(st.integers(1, 4).flatmap(gates), st.lists(st.sampled_from(POSITIONS), min_size=1, max_size=20))
@settings(max_examples=60)
def test_the_net_of_the_highest_score_is_asked(gate: LearnedGate, positions: list[ChessPosition]) -> None:
    gate.check()
    assert gate.phases(Batch(positions)).tolist() == [choice(gate, position) for position in positions]


def test_the_start_position_has_the_features_that_one_counts() -> None:
    assert gate_features(Batch([ChessPosition()])).tolist() == [[14, 16, 8, 0]]
    assert FEATURES == ("majors_and_minors", "back_ranks", "sparser_back_rank", "mixedness")


@pytest.mark.parametrize("kind", [PhaseMixture, MajorityMixture])
def test_a_mixture_with_a_learned_gate_keeps_the_promises_of_evaluators(kind: type[PhaseMixture]) -> None:
    mixture = kind([Material(), Material()], GATE)
    check_evaluator(mixture, POSITIONS[::10])
    assert mixture.name.startswith(f"mixture (gate {GATE}, {kind.vote})")


def test_leaves_of_one_tree_may_vote_and_are_counted_by_expert() -> None:
    mixture, batch = MajorityMixture([Material(), Material()], GATE), Batch(POSITIONS)
    chosen = GATE.phases(batch)
    assert 0 < chosen.sum() < len(chosen)
    mixture.evaluate_together(batch)
    assert mixture.evaluated.names == ("expert 0", "expert 1")
    assert mixture.evaluated.by_phase == tuple(np.bincount(chosen))
    assert mixture.evaluated.off_phase == (chosen != majority(chosen)).sum()


def write(folder: Path, gate: dict[str, Any] | LearnedGate, nets: list[str] = NETS) -> Path:
    """The file of a mixture with a learned gate; a table takes the place of the gate's."""
    file = folder / "mine.toml"
    text = mixture_toml(nets, gate) if isinstance(gate, LearnedGate) else tomli_w.dumps({"nets": nets, "gate": gate})
    file.write_text(text)
    return file


@given(st.integers(1, 4).flatmap(gates).filter(lambda gate: gate.count > 1))
@settings(max_examples=20)
def test_a_gate_comes_back_from_its_file_as_it_was(tmp_path_factory: pytest.TempPathFactory, gate: LearnedGate) -> None:
    file = write(tmp_path_factory.mktemp("mixture"), gate, ["master"] * gate.count)
    found = read_mixture(file)
    assert found.gate == gate
    assert str(found.gate) == str(gate)
    mixture = build_mixture(found, "mine", lambda _: Material())
    assert mixture.gate.phases(Batch(POSITIONS)).tolist() == gate.phases(Batch(POSITIONS)).tolist()


def test_every_number_of_a_gate_counts_for_the_hash_of_its_mixture(tmp_path: Path) -> None:
    others = [
        replace(GATE, weights=[[0.0, 1.0, -0.5], [0.1, -1.0, 0.250001]]),
        replace(GATE, means=[8.5, 100.001]),
        replace(GATE, scales=[4.0, 50.0]),
        replace(GATE, features=["majors_and_minors", "back_ranks"]),
    ]
    hashes = [mixture_hash(read_mixture(write(tmp_path, gate)), str) for gate in (GATE, *others)]
    assert len(set(hashes)) == len(hashes)
    assert mixture_hash(read_mixture(write(tmp_path, GATE)), str) == hashes[0]


TABLE: dict[str, Any] = {
    "features": ["mixedness"],
    "means": [1.0],
    "scales": [2.0],
    "weights": [[0.0, 1.0], [1.0, 0.0]],
}


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"features": ["mixednes"]}, 'gate.features[0] = "mixednes": near is mixedness'),
        ({"features": []}, "gate.features: expected a list that is not empty"),
        ({"features": ["mixedness"] * 2}, "gate.features: mixedness stands there twice"),
        ({"means": []}, "gate.means: 0 numbers; expected 1, one for each feature"),
        ({"means": [float("nan")]}, "gate.means = [nan]: expected finite numbers, at most 1e+09 in size"),
        ({"means": [1e10]}, "gate.means = [10000000000.0]: expected finite numbers, at most 1e+09 in size"),
        ({"means": ["a"]}, 'gate.means[0] = "a": expected a number'),
        ({"scales": [1.0, 1.0]}, "gate.scales: 2 numbers; expected 1, one for each feature"),
        ({"scales": [0]}, "gate.scales[0] = 0: expected a number, at least 1e-09"),
        ({"scales": [float("inf")]}, "gate.scales = [inf]: expected finite numbers, at most 1e+09 in size"),
        (
            {"weights": [[0.0, 1.0], [1.0]]},
            "gate.weights[1]: 1 numbers; expected 2, a constant, and one for each feature",
        ),
        (
            {"weights": [[0.0, float("inf")], [0.0, 0.0]]},
            "gate.weights[0] = [0.0, inf]: expected finite numbers",
        ),
        ({"weights": []}, "gate.weights: expected a list that is not empty"),
        ({"weights": [[0.0, 1.0]] * 3}, "tells 3 phases apart, and there are 2 nets"),
        ({"bias": 1.0}, "unknown key gate.bias"),
    ],
)
def test_a_gate_that_is_wrong_is_named_in_one_line(tmp_path: Path, wrong: dict[str, Any], message: str) -> None:
    file = write(tmp_path, TABLE | wrong)
    with pytest.raises(ConfigError) as caught:
        read_mixture(file)
    assert str(caught.value).startswith(str(file))
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_gate_without_weights_is_named(tmp_path: Path) -> None:
    file = write(tmp_path, {key: value for key, value in TABLE.items() if key != "weights"})
    with pytest.raises(ConfigError, match=r"gate\.weights is missing"):
        read_mixture(file)
