"""Mixtures: gating, splitting, voting, and the files that describe them."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from foible._core import Batch, ChessPosition
from foible.errors import ConfigError, NetFileError
from foible.games import Position
from foible.nets import describe_net, find_net, net_sha256, open_net
from foible.nets.evaluator import Evaluation, Evaluator, Material
from foible.nets.gates import TableGate, parse_gate
from foible.nets.mixture import MajorityMixture, PhaseCounts, PhaseMixture, majority
from foible.nets.mixture_file import mixture_toml
from foible.nets.shelf import BorrowedShelf, NetShelf, Runtimes
from foible.runs.ledger import content_hash
from foible.scale.lending import Offer, lent, offer
from foible.testing import check_evaluator, random_positions
from tests.nets.synthetic import Recipe, synthesise
from tests.shared_data import shared

POSITIONS = random_positions(ChessPosition(), 400, seed=5)
CURRENT = TableGate("current")


@dataclass
class Expert:
    """The built-in evaluator with a bias of its own, so that one can tell who answered; records what it was asked."""

    number: int
    moves_left: bool = True
    batch_size: int = 64
    asked: list[int] = field(default_factory=list)

    @property
    def name(self) -> str:
        return f"expert {self.number}"

    def evaluate(self, batch: Batch) -> Evaluation:
        self.asked.append(len(batch))
        plain = Material().evaluate(batch)
        wdl = np.roll(plain.wdl, self.number, axis=1)
        plies = np.full(len(batch), 10.0 * self.number, np.float32) if self.moves_left else None
        return Evaluation(plain.logits + np.float32(self.number), wdl, plies)


def experts(count: int = 3) -> list[Expert]:
    return [Expert(k) for k in range(count)]


def rows_of(evaluation: Evaluation, batch: Batch, row: int) -> tuple[list[float], list[float]]:
    start, end = batch.offsets[row : row + 2]
    return evaluation.logits[start:end].tolist(), evaluation.wdl[row].tolist()


samples = st.lists(st.integers(0, len(POSITIONS) - 1), min_size=1, max_size=40)


def test_the_majority_is_that_of_the_reference_and_ties_go_to_the_lowest_phase() -> None:
    cases = json.loads(shared("golden/majority_vote.json").read_text())
    assert len(cases) == 12
    for case in cases:
        assert majority(np.array(case["phases"], np.uint8)) == case["chosen"]


@given(samples, st.sampled_from(["current", "legacy", "engine", "moves-3"]))
@settings(max_examples=40)
def test_each_position_gets_what_its_own_net_says_alone(rows: list[int], gate: str) -> None:
    mixture = PhaseMixture(experts(), parse_gate(gate))
    batch = Batch([POSITIONS[row] for row in rows])
    whole, phases = mixture.evaluate(batch), parse_gate(gate).phases(batch)
    for row in range(len(batch)):
        own = Expert(int(phases[row])).evaluate(batch.select([row]))
        assert rows_of(whole, batch, row) == (own.logits.tolist(), own.wdl[0].tolist())
        assert whole.moves_left is not None
        assert whole.moves_left[row] == 10.0 * phases[row]


@given(samples, st.randoms(use_true_random=False))
@settings(max_examples=20)
def test_the_order_of_a_batch_does_not_matter(rows: list[int], random: Random) -> None:
    order = list(range(len(rows)))
    random.shuffle(order)
    batch = Batch([POSITIONS[row] for row in rows])
    for judge in (PhaseMixture(experts(), CURRENT).evaluate, MajorityMixture(experts(), CURRENT).evaluate_together):
        straight, mixed = judge(batch), judge(batch.select(order))
        for place, row in enumerate(order):
            assert rows_of(mixed, batch.select(order), place) == rows_of(straight, batch, row)


@given(samples)
@settings(max_examples=20)
def test_leaves_that_are_evaluated_together_get_the_net_of_most_of_them(rows: list[int]) -> None:
    nets = experts()
    mixture = MajorityMixture(nets, CURRENT)
    batch = Batch([POSITIONS[row] for row in rows])
    chosen = majority(CURRENT.phases(batch))
    assert mixture.evaluate_together(batch).logits.tolist() == Expert(chosen).evaluate(batch).logits.tolist()
    assert [net.asked for net in nets] == [[len(rows)] if k == chosen else [] for k in range(3)]
    phases = np.bincount(CURRENT.phases(batch), minlength=3)
    assert mixture.evaluated.by_phase == tuple(phases)
    assert mixture.evaluated.off_phase == len(rows) - phases[chosen]


@pytest.mark.parametrize("kind", [PhaseMixture, MajorityMixture])
def test_a_mixture_keeps_the_promises_of_evaluators(kind: type[PhaseMixture]) -> None:
    check_evaluator(kind(experts(), CURRENT), POSITIONS[::20])


def test_a_net_that_stands_for_several_phases_is_asked_once() -> None:
    base, expert = Expert(0), Expert(1)
    mixture = PhaseMixture([base, base, expert], CURRENT)
    batch = Batch(POSITIONS)
    mixture.evaluate(batch)
    ends = int((CURRENT.phases(batch) == 2).sum())
    assert ends > 0
    assert (base.asked, expert.asked) == ([len(batch) - ends], [ends])
    assert mixture.batch_size == 128
    assert mixture.evaluated.off_phase == 0


def test_moves_left_are_known_where_all_nets_that_were_asked_know_them() -> None:
    mixture = PhaseMixture([Expert(0), Expert(1, moves_left=False), Expert(2, moves_left=False)], CURRENT)
    assert mixture.evaluate(Batch(POSITIONS)).moves_left is None
    assert mixture.evaluate(Batch([ChessPosition()])).moves_left is not None


def test_a_single_net_needs_no_gate() -> None:
    net = Expert(2)
    mixture = PhaseMixture([net], CURRENT)
    batch = Batch(POSITIONS)
    assert mixture.evaluate(batch).logits.tolist() == net.evaluate(batch).logits.tolist()
    assert net.asked == [len(batch)] * 2
    assert str(mixture.evaluated) == "any phase 100 %, off-phase 0 %"


@pytest.mark.parametrize(("gate", "count"), [("current", 2), ("moves-2", 3), ("moves-5", 3), ("moves-1", 2)])
def test_the_number_of_nets_must_fit_the_gate(gate: str, count: int) -> None:
    with pytest.raises(ConfigError, match=f"gate {gate} tells . phases apart, and there are {count} nets"):
        PhaseMixture(experts(count), parse_gate(gate))


@pytest.mark.parametrize("text", ["lichess", "moves", "moves-0", "moves-6", "moves-03", ""])
def test_a_gate_that_does_not_exist_is_named(text: str) -> None:
    with pytest.raises(ConfigError, match=f"gate = '{text}': expected current, legacy, engine, or moves-1 to moves-5"):
        parse_gate(text)


def test_what_was_evaluated_can_be_told_from_what_was_before() -> None:
    before = PhaseCounts(("a", "b"), ((1, 2), (3, 4)))
    after = PhaseCounts(("a", "b"), ((5, 2), (4, 9)))
    assert (after - before).counts == ((4, 0), (1, 5))
    assert str(after - before) == "a 40 %, b 60 %, off-phase 10 %"


def write_nets(folder: Path, names: Sequence[str]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for seed, name in enumerate(names):
        (folder / f"{name}.pb").write_bytes(synthesise(Recipe(seed=seed)).data)


def open_here(net: Path | str) -> Evaluator:
    return open_net(str(net), runtime="onnxruntime", threads=1)


def same(one: Evaluator, other: Evaluator, positions: Sequence[Position]) -> bool:
    batch = Batch(positions)
    return bool(np.array_equal(one.evaluate(batch).logits, other.evaluate(batch).logits))


def test_a_mixture_file_names_nets_beside_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_nets(tmp_path / "a", ["o", "m", "e"])
    file = tmp_path / "a" / "three.toml"
    file.write_text(mixture_toml(["o.pb", "m.pb", "e.pb"]))
    monkeypatch.chdir(tmp_path)
    mixture = open_here("a/three.toml")
    assert isinstance(mixture, PhaseMixture)
    assert not isinstance(mixture, MajorityMixture)
    assert mixture.name == (
        "three (gate current, split): o (onnxruntime f32), m (onnxruntime f32), e (onnxruntime f32)"
    )
    phases = CURRENT.phases(Batch(POSITIONS))
    for k, name in enumerate("ome"):
        own = [position for position, phase in zip(POSITIONS, phases, strict=True) if phase == k][:4]
        assert same(mixture, open_here(f"a/{name}.pb"), own)


def test_a_mixture_in_a_folder_of_nets_has_a_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FOIBLE_NETS", str(tmp_path))
    write_nets(tmp_path, ["base", "end"])
    (tmp_path / "mix.toml").write_text(mixture_toml(["base", "base", "end"], vote="majority"))
    mixture = open_here("mix")
    assert isinstance(mixture, MajorityMixture)
    assert mixture.nets[0] is mixture.nets[1]
    found = describe_net("mix")
    assert (found.format, found.gate, found.vote) == ("mixture", "current", "majority")
    assert found.nets == ("base", "base", "end")
    assert found.size == sum((tmp_path / f"{name}.pb").stat().st_size for name in ("base", "end"))


def test_a_folder_with_a_folder_for_each_phase_is_a_mixture(tmp_path: Path) -> None:
    for k, name in enumerate("ome"):
        write_nets(tmp_path / "model" / f"phase{k}", [name])
    mixture = open_here(tmp_path / "model")
    assert isinstance(mixture, PhaseMixture)
    assert [net.name for net in mixture.nets] == [f"{name} (onnxruntime f32)" for name in "ome"]
    assert find_net(str(tmp_path / "model")) == tmp_path / "model"


def test_the_record_of_a_run_tells_mixtures_with_other_nets_apart(tmp_path: Path) -> None:
    def resolved() -> str:
        shelf = NetShelf(Runtimes("onnxruntime", threads=1))
        borrowed = BorrowedShelf(shelf)
        borrowed.evaluator(str(file))
        assert borrowed.runtime == shelf.runtime == "onnxruntime"
        assert borrowed.resolved() == shelf.resolved()
        return shelf.resolved()[str(file)]

    write_nets(tmp_path, ["o", "m", "e", "other"])
    file = tmp_path / "mix.toml"
    file.write_text(mixture_toml(["o.pb", "m.pb", "e.pb"]))
    before = resolved()
    assert ", sha256 " in before
    assert resolved() == before
    (tmp_path / "e.pb").write_bytes((tmp_path / "other.pb").read_bytes())
    assert resolved().rpartition(" ")[2] != before.rpartition(" ")[2]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("nets = []", "nets"),
        ('nets = ["o.pb"]\ngates = "current"', "unknown key gates"),
        ('sources = ["games.pgn"]\nepochs = 1', "lists no nets; expected nets = [ … ], or the run folder"),
        ('nets = ["o.pb", "m.pb"]', "gate current tells 3 phases apart, and there are 2 nets"),
        ('nets = ["o.pb", "m.pb"]\ngate = "moves-7"', "gate = 'moves-7': expected current"),
        ('nets = ["o.pb", "m.pb", "e.pb"]\nvote = "all"', "vote"),
        ("nets = [", "not TOML"),
        ('nets = ["mix.toml"]', "mix.toml is a mixture itself; expected a net"),
    ],
)
def test_a_file_that_is_wrong_is_named_in_one_line(tmp_path: Path, text: str, message: str) -> None:
    write_nets(tmp_path, ["o", "m", "e"])
    file = tmp_path / "mix.toml"
    file.write_text(text)
    with pytest.raises(ConfigError) as caught:
        open_here(file)
    assert str(caught.value).startswith(str(file))
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_run_folders_beside_the_file_are_its_nets(tmp_path: Path) -> None:
    for name in "ome":
        write_nets(tmp_path / "runs" / name, ["net"])
    file = tmp_path / "mix.toml"
    file.write_text(mixture_toml(["runs/o", "runs/m", "runs/e"]))
    mixture = open_here(file)
    assert isinstance(mixture, PhaseMixture)
    assert [net.name for net in mixture.nets] == [f"{name} (onnxruntime f32)" for name in "ome"]


@pytest.mark.parametrize("behind", ["", ":f32"])
def test_a_rated_net_beside_the_file_stands_for_several(tmp_path: Path, behind: str) -> None:
    write_nets(tmp_path, ["own"])
    ratings = (1100, 1500, 1900)
    file = tmp_path / "mix.toml"
    file.write_text(mixture_toml([f"own.pb:{rating}{behind}" for rating in ratings]))
    mixture = open_here(file)
    assert isinstance(mixture, PhaseMixture)
    for net, rating in zip(mixture.nets, ratings, strict=True):
        assert same(net, open_here(f"{tmp_path}/own.pb:{rating}"), POSITIONS[:4])
    assert not same(mixture.nets[0], mixture.nets[2], POSITIONS[:4])


def test_a_mixture_of_another_machine_has_the_nets_that_lay_beside_it_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    for folder, names in (("a", ["o", "m"]), ("a/deep", ["e"])):
        write_nets(tmp_path / folder, names)
    Path("a/three.toml").write_text(mixture_toml(["./o.pb", "m.pb:1500", "deep/e.pb"]))
    described = describe_net("a/three.toml")
    ours = {name: path for name, path in lent().items() if path.is_relative_to(tmp_path)}
    files = {name: (str(path), path.read_bytes()) for name, path in ours.items()}
    (tmp_path / "a").rename(tmp_path / "gone")
    try:
        offer({name: Offer(content_hash(data), path, partial(bytes, data)) for name, (path, data) in files.items()})
        mixture = open_here("a/three.toml")
        assert net_sha256("a/three.toml") == described.sha256
    finally:
        offer({})
    assert isinstance(mixture, PhaseMixture)
    assert [net.name for net in mixture.nets] == [f"{name} (onnxruntime f32)" for name in ("o", "m:1500", "e")]


def test_a_net_that_is_missing_is_named(tmp_path: Path) -> None:
    file = tmp_path / "mix.toml"
    file.write_text(mixture_toml(["./gone.pb"] * 3))
    with pytest.raises(NetFileError, match=r"mix\.toml: \./gone\.pb: no such file"):
        open_here(file)
    with pytest.raises(NetFileError, match="no such file"):
        open_here(tmp_path / "absent.toml")


def test_folders_of_phases_that_are_not_complete_are_refused(tmp_path: Path) -> None:
    write_nets(tmp_path / "phase0", ["a"])
    write_nets(tmp_path / "phase1", ["b"])
    with pytest.raises(ConfigError, match=r"2 folders of phases; expected phase0, phase1 and phase2"):
        open_here(tmp_path)
    write_nets(tmp_path / "phase2", ["c", "d"])
    with pytest.raises(NetFileError, match=r"phase2: 2 nets; expected one"):
        open_here(tmp_path)
