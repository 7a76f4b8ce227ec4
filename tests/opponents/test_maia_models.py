"""Maia-2 and Maia-3 as models of players whose opponent's rating is known too."""

from pathlib import Path

import numpy as np
import pytest

from foible._core import Batch, ChessPosition
from foible.loop import wait
from foible.nets import NetShelf, open_net, softmax
from foible.opponents.spec import RatingModelSpec, parse_model
from tests.nets.maia_nets import checkpoint, maia2, maia3


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "maia2.pt").write_bytes(checkpoint(maia2()))
    (tmp_path / "maia3.pt").write_bytes(checkpoint(maia3()))
    monkeypatch.setenv("FOIBLE_NETS", str(tmp_path))
    return tmp_path


def predicted(text: str) -> np.ndarray:
    model = parse_model(text).build(NetShelf())
    try:
        (found,) = wait(model.predict([ChessPosition(None, ["e2e4"])]))
    finally:
        model.close()
    return np.asarray(found)


@pytest.mark.parametrize("kind", ["maia2", "maia3"])
def test_a_name_with_two_ratings_is_a_model_of_one_player_against_the_other(folder: Path, kind: str) -> None:
    found = predicted(f"{kind}:1500-1900")
    batch = Batch([ChessPosition(None, ["e2e4"])])
    expected = softmax(open_net(f"{kind}:1500-1900").evaluate(batch).logits)
    np.testing.assert_allclose(found, expected, atol=1e-6)
    assert found.sum() == pytest.approx(1)
    assert np.abs(found - predicted(f"{kind}:1500")).max() > 1e-4
    floor = predicted(f'{{kind = "floor", of = {{kind = "net", net = "{folder}/{kind}.pt:1500-1900"}}}}')
    np.testing.assert_allclose(floor, 0.99 * found + 0.01 / len(found), atol=1e-2)


def test_a_rating_may_be_that_of_such_nets(folder: Path) -> None:
    nets: dict[str, str | list[str]] = {str(level): f"maia3:{level}-1900" for level in (1100, 1500)}
    model = RatingModelSpec(rating=1300, nets=nets).build(NetShelf())
    (mixed,) = wait(model.predict([ChessPosition(None, ["e2e4"])]))
    halves = [predicted(str(net)) for net in nets.values()]
    np.testing.assert_allclose(mixed, np.mean(halves, axis=0), atol=1e-6)
