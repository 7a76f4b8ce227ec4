"""Whatever stands in a player's PGN file: `prep`, `model score` and `analyse` use what they can and tell the rest."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.interfaces.cli.command import Command

TAGS = '[White "{white}"]\n[Black "{black}"]\n[Date "20{year:02}.0{month}.??"]\n[WhiteElo "1500"]\n'
PLAYER = "Müller, Jörg"


def game(moves: str, number: int, *, swap: bool = False, result: str | None = None) -> str:
    white, black = ("Ñáñez", PLAYER) if swap else (PLAYER, "Ñáñez")
    tags = TAGS.format(white=white, black=black, year=number % 20, month=1 + number % 9)
    return tags + (f'[Result "{result}"]\n' if result is not None else "") + f"\n{moves}\n\n"


MOVES = [
    "1. e4! {best [%eval 0.3] [%clk 0:10:00]} $1 $14 e5?! (1... c5 2. Nf3 (2. c3 --) d6 {Najdorf}) 2. Nf3 Nc6 1-0",
    "1. e4 (1. -- e5 2. -- {nothing}) 1... e5 ; the rest of the line\n2. Nf3 $6 Nf6 $146 *",
    "% escaped line\n1. e4 e5 2.Nf3 2...Nc6 3.Bb5",
    "1. e4 -- 2. d4 1-0",
    "1. e4 e5 2. Ke3 1-0",
    "1.e4 e5 2.Nf3 d6 3.d4 1/2-1/2",
    "",
    "{only a comment} *",
    "1. d4 {never closed: the next game is lost as far as its first comment",
]


def text() -> str:
    games = [game(moves, 9 * i + j, swap=bool(i % 2)) for i in range(4) for j, moves in enumerate(MOVES)]
    games.append(
        game("1. e4 e5 0-1", 3, result="1-0") + game("1. e4", 4, result="won") + game("1. c4 e5", 5, result="")
    )
    return "".join(games)


ENCODINGS: dict[str, Callable[[str], bytes]] = {
    "UTF-8": str.encode,
    "Latin-1": lambda text: text.encode("latin-1"),
    "UTF-8 with a mark and carriage returns": lambda text: b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode(),
}


@pytest.fixture(autouse=True)
def _no_nets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("FOIBLE_NETS", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)


@pytest.fixture(params=ENCODINGS)
def file(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    path = tmp_path / "games.pgn"
    path.write_bytes(ENCODINGS[request.param](text()))
    return path


def test_prep_uses_what_can_be_used(foible: Command, file: Path) -> None:
    quick = ("--judge", "material", "--base", "material", "--positions", 4, "--plies", 2, "--min-games", 1)
    ran = foible("prep", "--player", PLAYER, "--games", file, *quick, "--out", "them", "--json")
    assert ran.code == 0, ran.err
    found = json.loads(ran.out)
    assert found["player"] == PLAYER
    assert found["games"] >= 15
    assert any("could not be replayed" in remark for remark in found["remarks"])
    assert PLAYER in Path("them.html").read_text("utf-8")
    assert PLAYER.split(",", maxsplit=1)[0] in Path("them.pgn").read_text("utf-8")


def test_model_score_uses_what_can_be_used(foible: Command, file: Path) -> None:
    impossible = '{kind="net", net="material", temperature=1e-9, name="sure"}'
    ran = foible("model", "score", "material", impossible, file, "--json")
    assert ran.code == 0, ran.err
    found = json.loads(ran.out)
    assert found["moves"] > 50
    assert found["skipped"] >= 8
    assert all(model["log_loss"] is None or model["log_loss"] >= 0 for model in found["models"])
    assert "could not be read" in foible("model", "score", "material", file).out


def test_analyse_uses_what_can_be_used(foible: Command, file: Path) -> None:
    ran = foible("analyse", file, "--player", PLAYER, "--judge", "material", "--json")
    assert ran.code == 0, ran.err
    found = json.loads(ran.out)
    assert (found["focal"], found["alter"]) == (PLAYER, "Ñáñez")
    assert found["games"] >= 15
    assert len(found["skipped"]) >= 8


def big(path: Path, megabytes: int) -> Path:
    """Games of other people without ratings, with one of the player's after every five hundred."""
    shuffle = " ".join(f"{2 * n + 1}. Nf3 {{[%clk 0:10:00]}} Nf6 {2 * n + 2}. Ng1 Ng8 (2... Nd5)" for n in range(25))
    others = "".join(f'[White "Other {n}"]\n[Black "Roe"]\n\n{shuffle} 1-0\n\n' for n in range(500))
    with path.open("w") as file:
        while file.tell() < megabytes << 20:
            file.write(others)
            file.write(game("1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 1-0", file.tell()))
    return path


PEAKS = """
import json, resource, sys
from foible.interfaces.cli import run
for words in json.loads(sys.argv[1]):
    assert run(words) == 0
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, file=sys.stderr)
"""


def peak_kilobytes(commands: list[list[str]]) -> list[int]:
    """The most memory that a process has taken after each of some commands."""
    words = [sys.executable, "-c", PEAKS, json.dumps(commands)]
    done = subprocess.run(words, capture_output=True, text=True, timeout=200, check=False)
    assert done.returncode == 0, done.stderr
    return [int(line) for line in done.stderr.splitlines() if line.isdecimal()]


@pytest.mark.parametrize(
    "words",
    [
        ("analyse", "FILE", "--player", PLAYER, "--judge", "material", "--json"),
        ("model", "score", "material", "FILE", "--rating", "1400-1600", "--json"),
    ],
    ids=["analyse", "model score"],
)
def test_memory_does_not_grow_with_the_file(tmp_path: Path, words: tuple[str, ...]) -> None:
    files = [big(tmp_path / f"{megabytes}.pgn", megabytes) for megabytes in (2, 32)]
    small, large = peak_kilobytes([[str(file) if word == "FILE" else word for word in words] for file in files])
    assert large - small < 20 << 10
