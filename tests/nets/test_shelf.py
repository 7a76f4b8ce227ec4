"""Which of several nets is taken."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from foible.nets.shelf import NetShelf, Runtimes, at_hand, choose_net, this_machine
from foible.opponents.net import MAIA_LEVELS, default_levels, default_levels_at
from foible.scale.lending import Offer, offer


@pytest.fixture(autouse=True)
def lent_maias(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A worker that has no Maia of its own, and is lent them all."""
    monkeypatch.delenv("FOIBLE_NETS", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    assert not at_hand("maia-1500")
    offer({name: Offer("hash", f"/nets/{name}.pb.gz", bytes) for name in MAIA_LEVELS.values()})
    yield
    offer({})


def test_a_net_that_is_lent_is_at_hand() -> None:
    assert at_hand("maia-1500")
    assert not at_hand("another")
    assert choose_net(["another", "maia-1500", "club"]) == "maia-1500"


def test_nets_that_are_lent_are_the_usual_levels() -> None:
    assert default_levels() == MAIA_LEVELS
    assert default_levels_at(1500) == {1500: "maia-1500"}
    assert default_levels_at(1950) == {1950: "club:1950"}
    assert default_levels_at(2300) == {2000: "club:2000"}
    assert default_levels_at(900) == {1000: "club:1000"}


def test_a_net_may_be_opened_while_the_others_are_recorded(monkeypatch: pytest.MonkeyPatch) -> None:
    shelf = NetShelf(Runtimes(runtime="onnxruntime"))
    shelf.evaluator("master")

    def opened_meanwhile(name: str) -> str:
        shelf.evaluator("material")  # as another thread may, while this one hashes a file
        return f"hash of {name}"

    monkeypatch.setattr("foible.nets.shelf.net_sha256", opened_meanwhile)
    assert shelf.resolved() == {"master": "master (onnxruntime f32), sha256 hash of master"}
    assert set(shelf.resolved()) == {"master", "material"}


def test_only_nets_in_a_runtime_tell_of_a_machine() -> None:
    shelf = NetShelf(Runtimes(runtime="onnxruntime"))
    shelf.evaluator("material")
    assert shelf.machine() == {}
    shelf.evaluator("master")
    assert shelf.machine() == this_machine()
