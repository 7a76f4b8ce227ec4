"""What must hold whatever happens: kill -9, pages that vanish, thousands of broken messages."""

import json
import random
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.interfaces.cli.command import Command
from tests.interfaces.web.site import Site, Talk, serving

COMMAND = [sys.executable, "-c", "from foible.interfaces.cli import main; main()", "web", "--no-browser"]
FUZZED = 2_000
SLOW = {"opponent": "Master, patient"}


@contextmanager
def process(folder: Path, players: Path | None = None) -> Iterator[tuple[Site, subprocess.Popen[str]]]:
    """The server as users start it."""
    words = [*COMMAND, "--port", "0", "--games", str(folder), "--judge", "material"]
    words += ["--players", str(players)] if players else []
    with subprocess.Popen(words, stderr=subprocess.PIPE, text=True) as server:
        assert server.stderr is not None
        found = re.search(r":(\d+)/", server.stderr.readline())
        assert found is not None
        try:
            yield Site(int(found[1])), server
        finally:
            server.kill()


def asked(site: Site, game: str) -> dict[str, Any]:
    """How a game stands when the person is asked."""
    with site.page() as page:
        for view in page.replies(page.begin("watch_game", id=game)):
            if view["wanted"]:
                return dict(view)
    raise AssertionError("nobody is asked")


def test_kill_9_loses_no_move(tmp_path: Path) -> None:
    with process(tmp_path) as (site, server):
        (begun,) = site.ask("new_game", setup={"opponent": "Club player"})
        for move in ("e4", "a3", "h3"):
            with site.page() as watching, site.page() as page:
                number = watching.begin("watch_game", id=begun["id"])
                view = next(view for view in watching.replies(number) if view["wanted"])
                page.ask("answer_game", id=begun["id"], ply=view["ply"], text=move)
                next(after for after in watching.replies(number) if after["ply"] > view["ply"])
        server.send_signal(signal.SIGKILL)
        server.wait()
    with process(tmp_path) as (site, _):
        moves = [move["san"] for move in asked(site, begun["id"])["moves"]]
        assert [moves[0], moves[2], moves[4]] == ["e4", "a3", "h3"]


def test_a_page_that_goes_away_stops_its_searches(tmp_path: Path) -> None:
    own = tmp_path / "deep.toml"
    player = 'kind = "net_search", net = "material", nodes = 100_000_000'
    own.write_text(f'[[players]]\nname = "Deep"\nabout = ""\nroles = ["opponent"]\nplayer = {{ {player} }}\n')
    with process(tmp_path, players=own) as (site, _):
        (begun,) = site.ask("new_game", setup={"opponent": "Deep", "colour": "black"})
        with site.page() as page:
            next(page.replies(page.begin("watch_game", id=begun["id"])))
            while not evaluations(site):
                time.sleep(0.05)
        before = 0
        while before != (before := evaluations(site)):  # without an end where it searches on
            time.sleep(0.5)


def evaluations(site: Site) -> int:
    (load,) = site.ask("load")
    return sum(net["evaluations"] for net in load["nets"])


def test_broken_messages_by_the_thousand_leave_the_server_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("foible.interfaces.web.page.BURST", 10 * FUZZED)
    dice = random.Random(1)
    with serving(tmp_path) as site, site.page() as page:
        for _ in range(FUZZED // 100):
            for _ in range(100):
                page.send(fuzzed(dice))
            drain(page)
        assert site.ask("read_game", text="1. e4")
    assert not (tmp_path / "runs").exists()
    assert all(path.suffix == ".json" for path in (tmp_path / "games").glob("*"))


def fuzzed(dice: random.Random) -> str:
    """A message with something wrong in it, or much."""
    question = dice.choice([
        {"kind": "bars", "line": {"moves": ["e2e4"]}},
        {"kind": "read_game", "text": "1. e4 e5"},
        {"kind": "watch_game", "id": "AAAAAAAAAAAA"},
        {"kind": "new_game", "setup": {"opponent": "Club player", "line": {"start": "8/8/8/8/8/8/8/8 w - - 0 1"}}},
        {"kind": "answer_game", "id": "AAAAAAAAAAAA", "ply": 0, "text": "e4"},
    ])  # fmt: skip
    message = json.dumps({"do": "ask", "id": dice.randrange(10**6, 10**9), "question": question})
    for _ in range(dice.randrange(1, 4)):
        at = dice.randrange(len(message))
        piece = dice.choice(["", "\\", '"', "{", "]", "\u0000", "9" * 400, "é", "null", "-1", "[" * 50])
        message = message[:at] + piece + message[at + dice.randrange(3) :]
    return message


def drain(page: Talk) -> None:
    """Read until an answer to a question that was asked last: what came before is answered by then, or goes on."""
    number = page.begin("read_game", text="1. e4")
    while (message := page.receive()).get("id") != number or message["is"] == "answer":
        pass


@pytest.mark.parametrize("end", [signal.SIGINT, signal.SIGTERM])
def test_the_server_ends_quietly_while_pages_are_open(tmp_path: Path, end: signal.Signals) -> None:
    with process(tmp_path) as (site, server):
        (begun,) = site.ask("new_game", setup={**SLOW, "colour": "black"})
        with site.page() as page:
            next(page.replies(page.begin("watch_game", id=begun["id"])))
            server.send_signal(end)
            assert server.wait(60) == (0 if end == signal.SIGINT else -end)
        assert server.stderr is not None
        assert "Traceback" not in server.stderr.read()


def test_a_port_that_is_taken_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with process(tmp_path) as (site, _):
        ran = Command(capsys)("web", "--no-browser", "--port", site.port, "--games", tmp_path)
    assert (ran.code, ran.err.count("\n")) == (2, 1)
    assert f"port {site.port}" in ran.err


def test_players_of_ones_own(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    own = tmp_path / "mine.toml"
    own.write_text('[[players]]\nname = "Me"\nabout = ""\nroles = ["opponent"]\nplayer = { kind = "random" }\n')
    with process(tmp_path, players=own) as (site, _):
        assert "Me" in [one["name"] for one in site.ask("cast")[0]["players"]]
        (begun,) = site.ask("new_game", setup={"opponent": "Me", "colour": "black"})
        assert asked(site, begun["id"])["white"] == "Me"
    own.write_text(own.read_text().replace("opponent", "oponent"))
    ran = Command(capsys)("web", "--no-browser", "--players", own)
    assert (ran.code, ran.err.count("\n")) == (2, 1)
    assert "near is opponent" in ran.err
