"""The engine with a mixture of nets."""

import re
from pathlib import Path

import pytest

from foible.nets.mixture_file import mixture_toml
from tests.interfaces.uci.talk import Talk
from tests.nets.synthetic import Recipe, synthesise

ENDGAME = "8/5pk1/6p1/8/8/1R4P1/5PK1/r7 w - - 0 40"


@pytest.fixture
def mixture(tmp_path: Path) -> Path:
    for seed, name in enumerate("ome"):
        (tmp_path / f"{name}.pb").write_bytes(synthesise(Recipe(seed=seed)).data)
    file = tmp_path / "mix.toml"
    file.write_text(mixture_toml(["o.pb", "m.pb", "e.pb"], vote="majority"))
    return file


def test_it_says_which_experts_were_asked(mixture: Path) -> None:
    talk = Talk()
    talk.tell(f"setoption name Net value {mixture}", "setoption name Backend value onnxruntime", "position startpos")
    said = talk.answer("go nodes 40")
    assert any(line.startswith("info string net: mix (gate current, majority): o (onnxruntime f32)") for line in said)
    found = re.fullmatch(
        r"info string (\d+) positions evaluated: opening 100 %, middlegame 0 %, endgame 0 %, off-phase 0 %", said[-2]
    )
    assert found
    assert 0 < int(found[1]) <= 40
    talk.tell(f"position fen {ENDGAME}")
    assert "opening 0 %, middlegame 0 %, endgame 100 %" in talk.answer("go nodes 40")[-2]
    talk.engine.close()
