"""The pages of the site that are written from commands and packages say what these say."""

import sys
from pathlib import Path

import pytest

import foible
from foible.interfaces.cli.commands import COMMANDS

EXTENSIONS = Path(__file__).parents[1] / "docs" / "extensions"
sys.path.insert(0, str(EXTENSIONS))

CHESS960 = "chess960: bool | None=False"
RULE = " | ".join(f"foible.{rule}" for rule in ("Puct", "Follow", "FollowBest", "Coin", "BrainHand", "FreezeAfter"))

command_pages = pytest.importorskip("command_pages", reason="Sphinx is not installed: pip install --group docs")
package_pages = pytest.importorskip("package_pages")


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_a_page_with_its_options(name: str) -> None:
    text = command_pages.command_page(name)
    assert text.startswith(f"# foible {name}\n\n")
    assert "| `-h, --help` | Show this message and exit. |" in text


def test_an_option_is_shown_with_its_default_and_its_bounds() -> None:
    shown = command_pages.command_page("perft")
    assert r"| `--depth <int>` | Plies. (default: 5; 1\<=x\<=20) |" in shown
    assert "foible perft --go 3 --depth 5\n```" in shown


def test_subcommands_stand_below_their_command() -> None:
    assert "\n## foible go train\n" in command_pages.command_page("go")


def test_plain_text_means_itself_in_markdown() -> None:
    assert command_pages.markdown("a *b* `c_[d]` <e>, see docs/nets.md") == (
        r"a \*b\* `c_[d]` \<e\>, see [nets.md](/nets.md)"
    )


def test_what_several_packages_show_is_described_once() -> None:
    described: dict[int, str] = {}
    first = list(package_pages.page(foible, described))
    assert ".. autofunction:: foible.open_net" in first
    again = list(package_pages.page(foible.nets, described))
    assert "`foible.open_net`" in again
    assert ".. autofunction:: foible.nets.find_net" in again


@pytest.mark.parametrize(
    ("what", "shown", "arguments"),
    [
        ("class", foible.ChessPosition, f"(fen: str | None=None, moves: Sequence[str]=..., *, {CHESS960})"),
        ("method", foible.ChessPosition.play, "(move: str)"),
        ("method", foible.Batch.join, "(batches: Sequence[foible.Batch])"),
        ("class", foible.Coin, f"(p: float, first: {RULE}, second: {RULE})"),
    ],
)
def test_the_core_s_signatures_have_the_types_of_its_stub(what: str, shown: object, arguments: str) -> None:
    assert package_pages.stub_signature(None, what, "", shown, None, None, None)[0] == arguments


@pytest.mark.parametrize(("what", "shown"), [("class", foible.NetPolicy), ("module", foible), ("data", 5)])
def test_what_is_not_the_core_s_keeps_its_signature(what: str, shown: object) -> None:
    assert package_pages.stub_signature(None, what, "", shown, None, None, None) is None


def test_pages_that_nothing_stands_behind_any_more_are_removed(tmp_path: Path) -> None:
    command_pages.write(tmp_path, {"old.md": "old", "kept.md": "kept"})
    command_pages.write(tmp_path, {"kept.md": "kept"})
    assert [path.name for path in tmp_path.iterdir()] == ["kept.md"]


def test_fields_stand_on_a_page_once() -> None:
    lines = (foible.Limits.__doc__ or "").splitlines()
    assert "    nodes: int | None = None" in lines
    package_pages.without_fields(None, "class", "", foible.Limits, None, lines)
    assert lines == [*lines[:2], ""]
    assert lines[0].startswith("How long a player may think")
