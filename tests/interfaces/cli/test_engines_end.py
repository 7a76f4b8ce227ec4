"""A command that fails after it has started an engine ends, and its engine with it."""

import json
from pathlib import Path

import pytest

from tests.engines.fake import Fake, assert_gone
from tests.interfaces.cli.command import run_process

COMMANDS = {
    ("explain", "startpos", "--opponent", "MODEL", "--judge", "no-such-net"): "no-such-net",
    ("model", "score", "MODEL", "none.pgn"): "none.pgn: no such file",
    ("model", "score", "MODEL", "no-such-net", "none.pgn"): "no-such-net",
    ("prep", "--player", "A", "--games", "FILE", "--base", "no-such-net", "--judge", "JUDGE"): "no-such-net",
    ("analyse", "FILE", "--judge", "material", "--also", "JUDGE", "--also", "no-such-net"): "no-such-net",
}


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_a_command_that_fails_ends_with_its_engine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...]
) -> None:
    monkeypatch.chdir(tmp_path)
    fake = Fake(tmp_path)
    (tmp_path / "games.pgn").write_text('[White "A"]\n[Black "B"]\n\n1. e4 e5 1-0\n')
    command = f"command = {json.dumps(fake.command())}, depth = 1"
    stands_for = {
        "MODEL": f'{{kind="engine", {command}}}',
        "JUDGE": f'{{kind="uci", {command}}}',
        "FILE": "games.pgn",
    }
    ran = run_process(*(stands_for.get(word, word) for word in words))
    assert ran.code == 2
    assert COMMANDS[words] in ran.err
    assert len(fake.told("started")) == 1
    assert_gone([pid for pid, _ in fake.lines()])
