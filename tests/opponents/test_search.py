"""A shallow search as a model: the shares of its visits."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from foible import open_net
from foible._core import ChessPosition, FreezeAfter, Puct, Seat
from foible.errors import ConfigError
from foible.loop import wait
from foible.nets.shelf import NetShelf
from foible.opponents.base import Distribution
from foible.opponents.search import SearchModel, SearchModelSpec
from foible.search.params import SearchParams
from foible.search.trees import Trees

PARAMS = SearchParams()
MATERIAL = open_net("material")
POSITIONS = [
    ChessPosition(),
    ChessPosition("r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/5N2/PPPP1PPP/RNBQK2R b KQkq - 3 3"),
    ChessPosition("8/8/8/4k3/8/8/4P3/4K3 w - - 0 1"),
]


def predicted(visits: int, temperature: float = 1.0, *positions: ChessPosition) -> list[Distribution]:
    model = SearchModel(Trees([MATERIAL], PARAMS), visits, temperature=temperature)
    return wait(model.predict(positions or POSITIONS))


@pytest.mark.parametrize("visits", [5, 28])
def test_it_is_what_a_frozen_node_of_search_contempt_deals(visits: int) -> None:
    """A root that freezes after as many visits, and then deals fifty times as many by turns."""
    frozen = Trees([MATERIAL], PARAMS, Seat(FreezeAfter(visits, draw="quota")), Seat(Puct()))
    for position, shares in zip(POSITIONS, predicted(visits), strict=True):
        summary = wait(frozen.search(position, 1 + visits * 50))
        dealt = {move.move: move.n / (visits * 50) for move in summary.moves}
        assert shares == pytest.approx([dealt.get(move, 0.0) for move in position.legal_moves], abs=1 / (visits * 20))


def test_after_one_visit_it_plays_the_top_of_the_policy() -> None:
    for position, shares in zip(POSITIONS, predicted(1), strict=True):
        summary = wait(Trees([MATERIAL], PARAMS).search(position, 1))
        top = max(summary.moves, key=lambda move: move.prior).move
        assert dict(zip(position.legal_moves, shares, strict=True))[top] == 1


@settings(deadline=None, max_examples=10)
@given(visits=st.integers(1, 60), temperature=st.floats(0.05, 100))
def test_the_temperature_is_the_root_of_the_visits(visits: int, temperature: float) -> None:
    for plain, warm in zip(predicted(visits), predicted(visits, temperature), strict=True):
        weights = np.where(plain > 0, np.exp(np.log(np.maximum(plain, 1e-300) / plain.max()) / temperature), 0)
        assert warm == pytest.approx(weights / weights.sum(), abs=1e-12)
        assert plain * visits == pytest.approx(np.rint(plain * visits), abs=1e-9)


def test_a_position_has_the_same_prediction_beside_any_others() -> None:
    together = predicted(20)
    for position, shares in zip(POSITIONS, together, strict=True):
        (alone,) = predicted(20, 1.0, position)
        assert (alone == shares).all()


def test_its_name_tells_net_visits_and_temperature() -> None:
    spec = SearchModelSpec(net="material", visits=5, temperature=1.5)
    assert spec.build(NetShelf()).name == "material after 5 visits, T = 1.5"
    assert SearchModelSpec(net="material").build(NetShelf()).name == "material after 28 visits"
    assert spec.level is None


@pytest.mark.parametrize(("visits", "temperature", "named"), [(0, 1.0, "visits"), (5, 0.0, "temperature")])
def test_what_is_out_of_range_is_refused(visits: int, temperature: float, named: str) -> None:
    with pytest.raises(ConfigError, match=named):
        SearchModel(Trees([MATERIAL]), visits, temperature=temperature)
