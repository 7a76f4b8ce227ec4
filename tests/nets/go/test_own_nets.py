"""The nets for Go that come with foible: small, whole, and sure of what is known of their boards."""

import re
from pathlib import Path

import pytest

from foible._core import GoPosition
from foible.games.go import PERFECT_MARGINS
from foible.interfaces.gtp.settings import Settings
from foible.interfaces.gtp.tree import look, open_go_net
from foible.nets.catalogue import describe_net
from foible.nets.named_nets import FOLDER
from foible.training.go.config import read_config
from tests.nets.test_own_nets import GO_NETS, MOST_BYTES

ROOT = Path(__file__).parents[3]


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


@pytest.mark.parametrize(("name", "off"), [("go-5x5", 0.5), ("go-7x7", 4.0)])
def test_the_empty_board_is_worth_what_is_known_and_begun_in_the_centre(name: str, off: float) -> None:
    net = open_go_net(Settings(net=name, threads=1))
    assert net.size
    seen = look(net, GoPosition(net.size, komi=0), "average")
    assert seen.black
    assert float(seen.black.margin) == pytest.approx(PERFECT_MARGINS[net.size], abs=off)
    centre = f"{'ABCDEFGH'[net.size // 2]}{net.size // 2 + 1}"
    assert seen.priors[centre] > 0.5


@pytest.mark.parametrize("name", GO_NETS)
def test_the_recipe_is_the_one_that_is_named(name: str) -> None:
    text = (FOLDER / "README.md").read_text("utf-8")
    (recipe,) = re.findall(rf"^\| `{name}` \| `foible go train (\S+)`", text, re.MULTILINE)
    config = read_config(ROOT / recipe)
    assert config.size == int(name[-1])
    found = describe_net(name)
    assert (found.blocks, found.filters, found.value) == (config.net.blocks, config.net.filters, config.net.head)
