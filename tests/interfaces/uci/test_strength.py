"""The ratings at which the engine offers to play."""

from pathlib import Path

import pytest

from foible.interfaces.uci.strength import ratings
from foible.nets import known_nets
from foible.nets.choices import HIGHEST, LOWEST
from tests.nets.synthetic import Recipe, synthesise


def test_public_nets_play_at_ratings_between_those_of_the_net_that_comes_with_foible(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("FOIBLE_NETS", raising=False)
    levels = [int(net.name.removeprefix("maia-")) for net in known_nets() if net.name.startswith("maia-")]
    assert levels
    assert all(LOWEST <= level <= HIGHEST for level in levels)


def test_a_stronger_net_in_a_folder_of_ones_own_widens_the_range(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FOIBLE_NETS", str(tmp_path))
    (tmp_path / "maia-1500.pb.gz").write_bytes(synthesise(Recipe(filters=4, blocks=1)).data)
    (tmp_path / "maia-2400.md").write_text("no net")
    assert ratings() == (LOWEST, HIGHEST)
    (tmp_path / "maia-2200.pb.gz").write_bytes(synthesise(Recipe(filters=4, blocks=1)).data)
    assert ratings() == (LOWEST, 2200)
