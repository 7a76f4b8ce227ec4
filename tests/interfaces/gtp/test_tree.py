"""Nets for Go in the engine."""

from dataclasses import replace
from pathlib import Path

import pytest

from foible.errors import ConfigError, NetFileError
from foible.interfaces.gtp.settings import Settings
from foible.interfaces.gtp.tree import Net, open_go_net
from tests.interfaces.gtp.talk import QUICK, Talk
from tests.nets.go.naive import Recipe, lines_of, text_of
from tests.nets.synthetic import Recipe as ChessRecipe, synthesise


def opened(folder: Path, head: str, symmetry: str = "random") -> tuple[Settings, Net]:
    path = folder / "tiny.txt"
    path.write_bytes(text_of(lines_of(Recipe(size=5, head=head, seed=5))))
    settings = replace(QUICK, net=str(path), visits=12, symmetry=symmetry)  # type: ignore[arg-type]
    return settings, open_go_net(settings)


@pytest.mark.parametrize("head", ["y", "lz"])
def test_a_net_plays_on_its_own_board(tmp_path: Path, head: str) -> None:
    talk = Talk(*opened(tmp_path, head))
    assert talk.session.game.position.size == 5
    assert talk.fails("boardsize 7") == "unacceptable size"
    assert talk("boardsize 5") == ""
    for player in "bwbw":
        assert talk(f"genmove {player}") != "resign"
    (tmp_path / "large.sgf").write_text("(;SZ[7];B[aa])")
    (tmp_path / "small.sgf").write_text("(;SZ[5]KM[7.5];B[aa])")
    assert talk.fails(f"loadsgf {tmp_path}/large.sgf") == "cannot load file"
    assert "size 5 alone" in talk.logged[-1]
    talk(f"loadsgf {tmp_path}/small.sgf")
    assert "tiny.txt" not in talk("gomill-describe_engine")
    assert "net: tiny (openvino f32)" in talk("gomill-describe_engine")


def test_the_net_sees_each_position_as_it_is_told(tmp_path: Path) -> None:
    talk = Talk(*opened(tmp_path, "y", "average"))
    talk("play b B2")
    maps = talk("heatmap all").split("symmetry: ")[1:]
    assert len({text.split("\n", 1)[1] for text in maps}) == 8
    average = talk("heatmap average").split("\n")
    alphas = [float(line.split()[1]) for line in talk("heatmap all").split("\n") if line.startswith("alpha")]
    (mean,) = (float(line.split()[1]) for line in average if line.startswith("alpha"))
    assert mean == pytest.approx(sum(alphas) / 8, abs=0.002)
    talk("reg_genmove w")
    decided = talk.session.tree.summary().decided
    assert decided is not None
    assert decided.alpha == pytest.approx(mean, abs=0.002)


def test_the_komi_of_a_net_with_one_value_is_the_one_that_the_command_names(tmp_path: Path) -> None:
    settings, net = opened(tmp_path, "lz")
    assert not net.judges_margins
    talk = Talk(replace(settings, komi=5.5), net)
    talk.all("komi 5.5", "clear_board")
    assert talk("final_score") == "W+5.5"
    assert "5.5" in talk.fails("komi 7.5")
    (tmp_path / "game.sgf").write_text("(;SZ[5]KM[7.5];B[aa])")
    talk(f"loadsgf {tmp_path}/game.sgf")
    assert "komi 7.5; the net plays as for komi 5.5" in talk.logged[-1]


def test_a_net_for_chess_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "maia.pb.gz"
    path.write_bytes(synthesise(ChessRecipe(filters=4, blocks=1)).data)
    with pytest.raises(ConfigError, match=r"maia\.pb\.gz is a net for chess; expected one for Go"):
        open_go_net(replace(QUICK, net=str(path)))


def test_a_net_that_is_missing_or_broken_is_named(tmp_path: Path) -> None:
    (tmp_path / "cut.txt").write_text("1\n0.5 0.5\n")
    for name in ("none.txt", "cut.txt"):
        with pytest.raises(NetFileError, match=name):
            open_go_net(replace(QUICK, net=str(tmp_path / name)))
