"""Commands that fail after they have started an engine end, and their engines with them."""

import json
from pathlib import Path

import pytest

from tests.engines.fake import Fake, assert_gone
from tests.interfaces.cli.command import run_several

COMMANDS = {
    ("explain", "startpos", "--opponent", "MODEL", "--judge", "no-such-net"): "no-such-net",
    ("model", "score", "MODEL", "none.pgn"): "none.pgn: no such file",
    ("model", "score", "MODEL", "no-such-net", "none.pgn"): "no-such-net",
    ("prep", "--player", "A", "--games", "FILE", "--base", "no-such-net", "--judge", "JUDGE"): "no-such-net",
    ("analyse", "FILE", "--judge", "material", "--also", "JUDGE", "--also", "no-such-net"): "no-such-net",
}


def test_commands_that_fail_end_with_their_engines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    fake = Fake(tmp_path)
    (tmp_path / "games.pgn").write_text('[White "A"]\n[Black "B"]\n\n1. e4 e5 1-0\n')
    command = f"command = {json.dumps(fake.command())}, depth = 1"
    stands_for = {
        "MODEL": f'{{kind="engine", {command}}}',
        "JUDGE": f'{{kind="uci", {command}}}',
        "FILE": "games.pgn",
    }
    codes, errors = run_several([[stands_for.get(word, word) for word in words] for words in COMMANDS])
    assert codes == [2] * len(COMMANDS)
    for said, error in zip(COMMANDS.values(), errors, strict=True):
        assert said in error
    assert len(fake.told("started")) == len(COMMANDS)
    assert_gone([pid for pid, _ in fake.lines()])
