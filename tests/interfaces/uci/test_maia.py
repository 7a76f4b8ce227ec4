"""Maia-2 and Maia-3 in the engine: as the net that a search asks, and as personalities."""

from pathlib import Path

import pytest

from foible._core import ChessPosition
from foible.interfaces.uci.options import Settings
from foible.interfaces.uci.personalities import parse_personalities
from tests.interfaces.cli.command import run_process
from tests.interfaces.uci.talk import Talk
from tests.nets.maia_nets import checkpoint, maia2, maia3

FILE = """
[[personality]]
name = "like-you"
player = { kind = "net_policy", net = "maia3:{opponent}-1900" }

[[personality]]
name = "trapper"
auto = false
player = { kind = "exploit", opponent = { kind = "net", net = "maia2:{opponent}-2000" }, judge = { kind = "net_search", net = "{net}", nodes = 2 } }

[[personality]]
name = "thinker"
auto = false
options = { Net = "maia3:{opponent}" }
"""  # noqa: E501  a table on one line, as TOML demands


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "maia2.pt").write_bytes(checkpoint(maia2()))
    (tmp_path / "maia3.pt").write_bytes(checkpoint(maia3()))
    monkeypatch.setenv("FOIBLE_NETS", str(tmp_path))
    return tmp_path


@pytest.mark.parametrize("net", ["maia2:1500", "maia2:1500-1900", "maia3:1500-1900"])
def test_a_search_asks_it(folder: Path, net: str) -> None:
    talk = Talk(Settings(net=net, threads=1))
    heard = talk.answer("position startpos moves e2e4", "go nodes 30")
    talk.engine.close()
    assert heard[-1].split()[1] in ChessPosition(None, ["e2e4"]).legal_moves
    assert any(" nodes 30 " in line for line in heard)


@pytest.mark.parametrize(
    ("name", "said"),
    [("like-you", "maia3:1400-1900"), ("trapper", "maia2:1400-2000"), ("thinker", "maia3:1400")],
)
def test_personalities_name_nets_at_the_opponent_s_rating(folder: Path, name: str, said: str) -> None:
    talk = Talk(Settings(net="material", threads=1), parse_personalities(FILE, "p.toml"))
    talk.tell("setoption name UCI_Opponent value none 1400 human Somebody", f"setoption name Personality value {name}")
    heard = talk.answer("ucinewgame", "position startpos", "go nodes 4")
    talk.engine.close()
    assert heard[-1].split()[1] in ChessPosition().legal_moves
    assert any(said in line for line in heard), heard


def test_a_rating_that_it_was_not_made_for_leaves_the_search_and_says_why(folder: Path) -> None:
    talk = Talk(Settings(net="material", threads=1), parse_personalities(FILE, "p.toml"))
    talk.tell("setoption name UCI_Opponent value none 400 human Somebody")
    heard = talk.answer("ucinewgame", "position startpos", "go nodes 4")
    talk.engine.close()
    assert any("plays at ratings from 600 to 2600" in line for line in heard), heard
    assert heard[-1].split()[1] in ChessPosition().legal_moves


def test_castling_of_chess960_is_told_in_one_line(folder: Path) -> None:
    talk = Talk(Settings(net="maia3:1500", threads=1))
    talk.tell("setoption name UCI_Chess960 value true", "position fen 4k3/8/8/8/8/8/8/1R2K1R1 w GB - 0 1")
    heard = talk.answer("go nodes 4")
    talk.engine.close()
    assert any(line.startswith("info string") and "castles as in Chess960" in line for line in heard), heard


@pytest.mark.parametrize("net", ["maia2", "maia3", "maia3:2700"])
def test_a_net_without_a_rating_of_its_own_is_not_taken(folder: Path, net: str) -> None:
    talk = Talk(Settings(net="material", threads=1))
    talk.tell(f"setoption name Net value {net}")
    [complaint] = talk.heard()
    talk.engine.close()
    assert complaint.startswith("info string option Net: material goes on; ")
    assert "plays at ratings" in complaint
    ran = run_process("uci", "--net", net, stdin="uci\nposition startpos\ngo nodes 2\n")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith("foible: ")
    assert ran.err.count("\n") == 1
