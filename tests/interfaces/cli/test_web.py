"""`foible web` from the shell: what is wrong is said before there is a page."""

from pathlib import Path

import pytest

from foible.interfaces.cli import web as command
from tests.interfaces.cli.command import Command


@pytest.fixture(autouse=True)
def _page_without_a_server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "index.html").write_text("")
    monkeypatch.setattr(command, "PAGE", tmp_path)
    monkeypatch.setattr(command, "listen", None)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--judge", "nix"), "no net is called 'nix': the nearest of "),
        (("--judge", "nix@5"), "no net is called 'nix'"),
        (("--judge", "none.pb.gz"), "none.pb.gz: no such file"),
        (("--judge", "material@x"), "material@x"),
        (("--judge", "uci:no-such-engine:depth=3"), "no-such-engine"),
        (("--players", "none.toml"), "none.toml"),
        (("--openings", "none.pgn"), "--openings none.pgn: no such file"),
        (("--runs", "index.html"), "index.html is a file; expected a folder"),
        (("--puzzles", "index.html"), "index.html is a file; expected a folder"),
    ],
)
def test_mistakes_are_one_line_before_it_listens(
    foible: Command, tmp_path: Path, words: tuple[str, ...], said: str
) -> None:
    ran = foible("web", "--no-browser", *words)
    assert (ran.code, ran.out, ran.err.count("\n")) == (2, "", 1)
    assert said in ran.err
    assert [path.name for path in tmp_path.iterdir()] == ["index.html"]
