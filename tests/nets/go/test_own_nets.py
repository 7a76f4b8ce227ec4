"""The nets for Go that come with foible: small, whole, and sure of what is known of their boards."""

from pathlib import Path

import pytest

from foible._core import GoPosition
from foible.interfaces.gtp.net import look, open_go_net
from foible.interfaces.gtp.settings import Settings
from foible.nets.catalogue import describe_net
from foible.nets.shipped import FOLDER
from foible.training.go.curve import KNOWN_VALUES
from tests.nets.test_own_nets import GO_NETS, MOST_BYTES


@pytest.fixture(autouse=True)
def _no_other_nets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("FOIBLE_NETS", raising=False)


@pytest.mark.parametrize("name", GO_NETS)
def test_every_file_is_small_and_the_one_that_is_described(name: str) -> None:
    found = describe_net(name)
    assert found.size is not None
    assert found.size <= MOST_BYTES
    assert found.format == "leela-zero"
    assert f"`{name}`" in (text := (FOLDER / "README.md").read_text("utf-8"))
    assert str(found.sha256)[:16] in text


@pytest.mark.parametrize("name", GO_NETS)
def test_the_empty_board_is_worth_what_is_known_and_begun_in_the_centre(name: str) -> None:
    net = open_go_net(Settings(net=name, threads=1))
    assert net.size
    seen = look(net, GoPosition(net.size, komi=0), "average")
    assert seen.black
    assert float(seen.black.margin) == pytest.approx(KNOWN_VALUES[net.size], abs=1)
    centre = f"{'ABCDEFGH'[net.size // 2]}{net.size // 2 + 1}"
    assert seen.priors[centre] > 0.5


def test_the_recipe_is_there() -> None:
    for name in GO_NETS:
        assert (Path("examples/go") / f"train-{name.removeprefix('go-')}.toml").is_file()
