"""What is learned from the losses of experts, and the table that compares it."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from foible._core import Batch, ChessPosition
from foible.analysis.estimates import mean_over_games
from foible.errors import ConfigError, GameFileError
from foible.nets import evaluate, find_net
from foible.nets.encoding import Encoding
from foible.nets.evaluator import Evaluation, Evaluator, Material
from foible.nets.gates import FEATURES, MoveGate, TableGate
from foible.nets.mixture import PhaseMixture
from foible.nets.mixture_file import mixture_toml, read_mixture
from foible.testing import random_positions
from foible.training.data import DataConfig, Dataset, HoldOut, load
from foible.training.experts.learned_gate import (
    LEARNED,
    ORACLE,
    ExpertLosses,
    check_mixture,
    fit_gate,
    learn_gate,
    learned_mixture,
    measure,
)

BORDER = 9
"""Majors and minors, from which on one expert is right, and below which the other is."""


@dataclass
class Sided:
    """Knows the move where it is right, the first legal one; elsewhere it is sure of the last one."""

    name: str
    right: Callable[[NDArray[np.int32]], NDArray[np.bool_]]
    batch_size: int = 64

    def evaluate(self, batch: Batch) -> Evaluation:
        logits = np.zeros(batch.move_count, np.float32)
        right = self.right(batch.phase_features()[:, 0])
        logits[np.where(right, batch.offsets[:-1], batch.offsets[1:] - 1)] = 4
        return Evaluation(logits, Material().evaluate(batch).wdl)


def many_and_few() -> list[Evaluator]:
    return [Sided("many", lambda pieces: pieces >= BORDER), Sided("few", lambda pieces: pieces < BORDER)]


@pytest.fixture(scope="module")
def games(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Games in which everybody plays the first legal move, from positions with many pieces and with few."""
    file = tmp_path_factory.mktemp("games") / "first.pgn"
    with file.open("w") as out:
        for number, start in enumerate(random_positions(ChessPosition(), 3000, seed=7)[::25]):
            assert isinstance(start, ChessPosition)
            position, moves = ChessPosition(start.fen), list[str]()
            while position.legal_moves and len(moves) < 12:
                moves.append(position.legal_moves[0])
                position = position.play(moves[-1])
            result = ("1-0", "1/2-1/2", "0-1")[number % 3]
            out.write(f'[FEN "{start.fen}"]\n[Result "{result}"]\n\n{" ".join(moves)} {result}\n\n')
    return file


def data_of(file: Path, games: int = 80, held_out: int = 30, encoding: Encoding = "lc0") -> Dataset:
    hold_out = HoldOut(validation=0, test=held_out)
    return load(DataConfig(sources=[str(file)], games=games, hold_out=hold_out, encoding=encoding))


def test_a_gate_learns_which_expert_is_right_where(games: Path) -> None:
    done: list[tuple[int, int]] = []
    mixture = PhaseMixture(many_and_few(), MoveGate(2))
    found = learn_gate(mixture, data_of(games), lambda now, total: done.append((now, total)))
    rows = {row.name: row for row in found.rows}
    assert list(rows) == ["many", "few", "gate moves-2", LEARNED, ORACLE]
    limit, rule = rows[LEARNED].loss - rows[ORACLE].loss, rows["gate moves-2"].loss - rows[ORACLE].loss
    assert 0 <= limit < 0.2 * rule
    for name in ("many", "few", "gate moves-2"):
        assert rows[name].behind > 2 * (rows[name].standard_error or 0)
        assert rows[name].behind == pytest.approx(rows[name].loss - rows[LEARNED].loss)
    assert (rows[LEARNED].behind, rows[LEARNED].standard_error) == (0, 0)
    assert sum(found.asked) == pytest.approx(1)
    assert found.gate.weights[0][1] > 0 > found.gate.weights[1][1]
    assert (found.learned_games, found.games) == (80, 30)
    assert done[-1] == (found.learned_positions + found.positions,) * 2


@pytest.mark.parametrize("encoding", ["lc0", "crazyara"])
def test_losses_are_those_of_the_move_played_and_of_the_result(games: Path, encoding: Encoding) -> None:
    data, experts = data_of(games, 10, 5, encoding), [Material(), *many_and_few()]
    found = measure(PhaseMixture(experts, TableGate("current")), data, "test", lambda done: None)
    rows = data.rows("test")
    assert found.games.tolist() == data.columns.games_of(rows).tolist()
    assert found.chosen.tolist() == data.columns.phases[rows].tolist()
    for n, (row, position) in enumerate(zip(rows, data.corpus.positions(rows), strict=True)):
        result = float(data.columns.results[found.games[n]]) * (1 if data.columns.white[row] else -1)
        for k, expert in enumerate(experts):
            said = evaluate(expert, position)
            assert found.policy[n, k] == pytest.approx(-np.log(said.policy[position.legal_moves[0]]), abs=1e-5)
            assert found.value[n, k] == pytest.approx((said.q - result) ** 2, abs=1e-5)


def test_errors_are_those_of_a_mean_over_games(games: Path) -> None:
    mixture, data = PhaseMixture(many_and_few(), MoveGate(2)), data_of(games)
    found, held = learn_gate(mixture, data), measure(mixture, data, "test", lambda done: None)
    each = np.arange(len(held.games))
    gaps = held.loss[each, held.chosen] - held.loss[each, found.gate.choose(held.features)]
    _, of = np.unique(held.games, return_inverse=True)
    expected = mean_over_games(np.bincount(of, gaps), np.bincount(of))
    row = found.rows[2]
    assert (row.behind, row.standard_error) == pytest.approx((expected.value, expected.standard_error))


def test_a_net_of_several_phases_is_one_expert(games: Path) -> None:
    many, few = many_and_few()
    found = learn_gate(PhaseMixture([many, few, many], TableGate("current")), data_of(games))
    assert found.gate.count == len(found.asked) == 2


def test_experts_of_the_same_name_are_two_experts(games: Path) -> None:
    experts = [Sided("net", lambda pieces: pieces >= BORDER), Sided("net", lambda pieces: pieces < BORDER)]
    found = learn_gate(PhaseMixture(experts, MoveGate(2)), data_of(games))
    assert [row.name for row in found.rows[:2]] == ["net", "net"]
    assert found.rows[0].loss != found.rows[1].loss
    assert (len(found.rows), len(found.asked)) == (5, 2)


def test_features_that_are_always_the_same_tell_nothing() -> None:
    n = 40
    loss = np.random.default_rng(1).random((n, 2))
    features = np.full((n, len(FEATURES)), 3.0)
    gate = fit_gate(ExpertLosses(np.arange(n), features, np.zeros(n, np.int64), loss, loss))
    gate.check()
    assert gate.scales == [1.0] * len(FEATURES)
    assert set(gate.choose(features)) == {int(loss.mean(axis=0).argmin())}


def test_games_that_are_all_learned_from_leave_none_to_measure_on(games: Path) -> None:
    with pytest.raises(GameFileError, match="no games are left to measure the gate on"):
        learn_gate(PhaseMixture(many_and_few(), MoveGate(2)), data_of(games, held_out=0))


def test_only_a_mixture_of_several_nets_has_a_gate_to_learn() -> None:
    with pytest.raises(ConfigError, match="is a single net; expected a mixture of several"):
        check_mixture(Material())
    with pytest.raises(ConfigError, match="is the same net in every phase; expected a mixture of several"):
        check_mixture(PhaseMixture([Material()] * 1, MoveGate(1)))


def test_a_file_names_the_nets_of_the_mixture_from_where_it_lies(tmp_path: Path) -> None:
    own, out = tmp_path / "a", tmp_path / "a" / "b"
    out.mkdir(parents=True)
    for place in (own / "first.pb.gz", out / "second.pb.gz"):
        place.write_bytes(find_net("master").read_bytes())
    nets = ["first.pb.gz:1500", "b/second.pb.gz", "master", str(find_net("master-endgame")), "material", "master"]
    file = own / "mine.toml"
    losses = np.eye(9, 5)
    gate = fit_gate(ExpertLosses(np.arange(9), np.eye(9, 4), np.zeros(9, np.int64), losses, losses))
    file.write_text(mixture_toml(nets[:1] * 5, "moves-5").replace(nets[0], "{}").format(*nets))
    text = learned_mixture(read_mixture(file), gate, out)
    listed = [str(own / "first.pb.gz:1500"), "second.pb.gz", "master", "master-endgame", "material"]
    (out / "learned.toml").write_text(text)
    found = read_mixture(out / "learned.toml")
    assert found.gate == gate
    assert text == mixture_toml(listed, gate)
    assert found.nets == (listed[0], str(out / "second.pb.gz"), *listed[2:])
