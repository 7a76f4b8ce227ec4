from pathlib import Path

import pytest

from foible._core import ChessPosition
from foible.analysis.prep.base import base_spec, level_of_moves, levels_at_hand
from foible.nets.shelf import NetShelf
from foible.opponents.estimate import LevelEstimate
from foible.opponents.player_games import PlayerGame
from foible.opponents.spec import RatingModelSpec
from tests.analysis.prep.scripted import Uniform, games
from tests.analysis.prep.test_holdout import Certain


@pytest.fixture(autouse=True)
def nets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "nets"
    folder.mkdir()
    monkeypatch.setenv("FOIBLE_NETS", str(folder))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return folder


def test_without_a_maia_the_net_that_comes_with_foible_plays_at_the_rating(nets: Path) -> None:
    (nets / "meangirl-8.pb.gz").touch()
    assert base_spec(1537.2, [], NetShelf()) == RatingModelSpec(rating=1537)
    assert base_spec(2500, [], NetShelf()) == RatingModelSpec(rating=2000)


def test_the_nets_at_hand_are_the_levels(nets: Path) -> None:
    for name in ("maia-1500", "maia-2200", "maia-retrain-1100"):
        (nets / f"{name}.pb.gz").touch()
    assert levels_at_hand() == {"1500": "maia-1500", "2200": "maia-2200"}
    spec = base_spec(1834.4, [], NetShelf())
    assert spec == RatingModelSpec(rating=1834, nets={"1500": "maia-1500", "2200": "maia-2200"})


@pytest.mark.parametrize(("rating", "level"), [(2850.0, 2200), (900.0, 1500)])
def test_a_rating_beyond_the_levels_is_that_of_the_nearest(nets: Path, rating: float, level: int) -> None:
    for name in ("maia-1500", "maia-2200"):
        (nets / f"{name}.pb.gz").touch()
    spec = base_spec(rating, [], NetShelf())
    assert isinstance(spec, RatingModelSpec)
    assert spec.rating == level


def test_moves_speak_for_the_level_that_plays_them() -> None:
    first = Certain()
    always_first = [PlayerGame(True, first_moves()) for _ in range(5)]
    estimate = LevelEstimate({1100: Uniform(), 1900: first})
    assert level_of_moves(always_first, estimate) == pytest.approx(1900, abs=1)
    assert level_of_moves(games([("e4 e5 Nf3", 5)], white=True), estimate) == pytest.approx(1100, abs=1)


def first_moves() -> str:
    position = ChessPosition()
    for _ in range(6):
        position = position.play(position.legal_moves[0])
    return " ".join(position.moves)
