"""A weak engine as a model: a softmax of its values."""

from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
from hypothesis import given, strategies as st

from foible._core import ChessPosition
from foible.engines.pool import EnginePool
from foible.engines.search import win_probability
from foible.errors import ConfigError, EngineError
from foible.loop import wait
from foible.nets.evaluator import softmax
from foible.nets.shelf import NetShelf
from foible.opponents.engine import (
    EngineModel,
    EngineModelSpec,
    Values,
)
from tests.engines.fake import Fake, assert_gone, find_stockfish

START = ChessPosition()


def model_of(command: str | list[str], **settings: Any) -> EngineModel:
    limits = {key: settings.pop(key) for key in ("depth", "nodes", "hang_after") if key in settings} or {"depth": 1}
    return EngineModel(EnginePool(command, **limits), **({"temperature": 0.1} | settings))


def test_probabilities_are_the_softmax_of_the_values_in_the_order_of_the_legal_moves(tmp_path: Path) -> None:
    model = model_of(Fake(tmp_path).command(), multipv=3, temperature=0.02)
    (found,) = wait(model.predict([START]))
    worth = {"a2a3": 100, "a2a4": 90, "b1a3": 80}
    weights = np.array([np.exp(win_probability(worth.get(move, 80)) / 0.02) for move in START.legal_moves])
    assert found == pytest.approx(weights / weights.sum(), rel=1e-12)
    assert found.argmax() == START.legal_moves.index("a2a3")
    model.close()


def test_values_are_those_of_people_where_the_engine_is_certain(tmp_path: Path) -> None:
    """To an engine all moves of a won position are alike."""
    model = model_of(Fake(tmp_path).command("certain"))
    (values,) = wait(model.values([START]))
    assert values.max() == win_probability(100)
    assert values.min() == win_probability(-10)
    model.close()


def test_moves_that_are_not_listed_count_as_the_worst_listed(tmp_path: Path) -> None:
    """The engine knows 12 variations at most, of 20 moves."""
    model = model_of(Fake(tmp_path).command())
    (values,) = wait(model.values([START]))
    assert len(values) == 20
    assert values.min() == win_probability(-10)
    assert (values == values.min()).sum() == 9
    model.close()


@pytest.mark.parametrize("behaviour", ["crash", "hang", "nan score", "illegal pv"])
def test_an_engine_that_fails_once_is_asked_again_and_twice_is_reported(tmp_path: Path, behaviour: str) -> None:
    (tmp_path / "once").mkdir()
    once = model_of(Fake(tmp_path / "once").command(behaviour, once=True), depth=1, hang_after=1)
    assert wait(once.predict([START]))[0].sum() == pytest.approx(1)
    once.close()
    always = model_of(Fake(tmp_path).command(behaviour), depth=1, hang_after=0.3)
    with pytest.raises(EngineError, match=r"^Fake 1\.0 at depth 1: [^\n]+ \(asked twice\) in rnbqkbnr[^\n]+$"):
        wait(always.predict([START]))
    always.close()


def test_a_model_is_built_from_its_description(tmp_path: Path) -> None:
    fake = Fake(tmp_path)
    raw = {"kind": "engine", "command": fake.command(), "nodes": 700, "temperature": 0.3, "multipv": 5}
    model = msgspec.convert(raw, EngineModelSpec).build(NetShelf())
    assert model.name == "Fake 1.0 at 700 nodes, T = 0.3"
    assert len(wait(model.predict([START]))[0]) == 20
    model.close()
    assert fake.told("go") == ["go nodes 700"]
    assert_gone([pid for pid, _ in fake.lines()])


@pytest.mark.parametrize("bad", [{"temperature": 0}, {"multipv": 1}, {"nodes": 5}])
def test_impossible_descriptions_are_refused(bad: dict[str, int]) -> None:
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert({"kind": "engine", "command": "x", "depth": 1} | bad, EngineModelSpec)


@pytest.mark.parametrize("bad", [{"temperature": 0.0}, {"temperature": float("nan")}, {"multipv": 1}])
def test_impossible_settings_are_refused(tmp_path: Path, bad: dict[str, Any]) -> None:
    with EnginePool(Fake(tmp_path).command(), depth=1) as pool, pytest.raises(ConfigError, match=next(iter(bad))):
        EngineModel(pool, **({"temperature": 0.1} | bad))


PROBABILITY = st.integers(0, 1000).map(lambda share: share / 1000)
VALUES = st.lists(PROBABILITY, min_size=1, max_size=30).map(np.array)


@given(VALUES, st.floats(1e-3, 100))
def test_probabilities_sum_to_one_and_keep_the_order_of_the_values(values: Values, temperature: float) -> None:
    p = softmax(values, temperature)
    assert p.sum() == pytest.approx(1)
    order = np.argsort(values)
    assert (np.diff(p[order]) >= 0).all()


@given(VALUES)
def test_cold_players_play_the_best_move_and_hot_ones_any(values: Values) -> None:
    best = values == values.max()
    assert softmax(values, 1e-6) == pytest.approx(best / best.sum())
    assert softmax(values, 1e6) == pytest.approx(np.full(len(values), 1 / len(values)), rel=1e-5)


@given(VALUES, st.floats(0.01, 10), st.floats(-1, 1))
def test_only_differences_of_values_matter(values: Values, temperature: float, shift: float) -> None:
    expected = softmax(values, temperature)
    assert softmax(values + shift, temperature) == pytest.approx(expected, abs=1e-9)


def test_stockfish_values_every_move_and_prefers_the_mate() -> None:
    mate = ChessPosition("6k1/5ppp/8/7q/8/8/5PPP/R5K1 w - - 0 1")
    model = model_of(find_stockfish(), nodes=1000)
    once, again = wait(model.predict([mate, START])), wait(model.predict([START, mate]))[::-1]
    assert all((one == other).all() for one, other in zip(once, again, strict=True))
    assert once[0].argmax() == mate.legal_moves.index("a1a8")
    assert len(set(wait(model.values([START]))[0])) > 5
    model.close()
