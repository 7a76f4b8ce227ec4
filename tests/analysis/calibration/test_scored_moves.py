from pathlib import Path

import numpy as np
import pytest

from foible._core import ChessPosition
from foible.analysis.calibration.scored_moves import Choice, draw_sides, groups, held_out, label, rated_moves
from foible.games.pgn import read_pgn
from foible.training.data.config import DataConfig, HoldOut
from foible.training.data.dataset import load


def test_groups_have_readable_names() -> None:
    found = groups(ChessPosition(), 25, 1500)
    assert {name: label(name, group) for name, group in found.items()} == {
        "phase": "opening",
        "ply": "20–29",
        "rating": "1500–1599",
    }
    assert label("ply", groups(ChessPosition(), 333, None)["ply"]) == "80+"
    assert "rating" not in groups(ChessPosition(), 0, None)


def pgn(*games: tuple[str, dict[str, object]]) -> str:
    texts = []
    for moves, tags in games:
        head = "".join(f'[{name} "{value}"]\n' for name, value in tags.items())
        texts.append(f"{head}\n{moves} *\n")
    return "\n".join(texts)


def rated(white: int | str, black: int | str) -> dict[str, object]:
    return {"White": "a", "Black": "b", "WhiteElo": white, "BlackElo": black}


GAMES = pgn(
    ("1. e4 e5 2. Nf3 Nc6", rated(1520, 1710)),
    ("1. d4 (1. c4 c5) d5 {good} 2. c4 $1 dxc4", rated("?", 1590)),
    ("1. e4 e5 2. Ke3", rated(1500, 1500)),
    ("", rated(1500, 1500)),
    ("1. Nf3 d5 2. g3 Nf6 3. Bg2", rated(1599, "")),
)


@pytest.mark.parametrize(
    ("choice", "counts"),
    [
        (Choice(), [4, 4, 0, 5]),
        (Choice(limit=1), [4]),
        (Choice(skip_plies=4), [0, 0, 0, 1]),
        (Choice(color="white"), [2, 2, 0, 3]),
        (Choice(rating=(1500, 1599)), [2, 2, 0, 3]),
        (Choice(rating=(1590, 1590), color="black", skip_plies=2), [0, 1, 0, 0]),
        (Choice(player="A"), [2, 2, 0, 3]),
    ],
)
def test_moves_are_chosen_by_game_ply_rating_colour_and_player(
    tmp_path: Path, choice: Choice, counts: list[int]
) -> None:
    file = tmp_path / "games.pgn"
    file.write_text(GAMES)
    games = list(rated_moves(read_pgn(file), choice))
    assert [len(game) for game in games] == counts
    for move in (move for game in games for move in game):
        assert 0 <= move.played < len(move.position.legal_moves)
    if choice == Choice():
        assert [move.groups.get("rating") for move in games[1]] == [None, 1500, None, 1500]
        assert [move.position.turn for move in games[0]] == ["first", "second"] * 2


def test_a_balanced_draw_is_even_reproducible_and_from_the_whole_file(tmp_path: Path) -> None:
    file = tmp_path / "games.pgn"
    file.write_text(pgn(*[("1. e4 e5", rated(1500 if i % 10 else 1200, 1800)) for i in range(200)]))

    def draw(seed: int) -> list[tuple[int, int]]:
        drawn = draw_sides(read_pgn(file), Choice(), 15, seed)
        games = enumerate(rated_moves(read_pgn(file), Choice(), drawn))
        return [(number, move.groups["rating"]) for number, game in games for move in game]

    found = draw(1)
    bands = [rating for _, rating in found]
    assert {rating: bands.count(rating) for rating in set(bands)} == {1200: 15, 1500: 15, 1800: 15}
    assert draw(1) == found != draw(2)
    assert np.mean([number for seed in range(20) for number, _ in draw(seed)]) == pytest.approx(99.5, abs=6)


def random_games(count: int) -> str:
    rng = np.random.default_rng(0)
    texts = []
    for _ in range(count):
        position, moves = ChessPosition(), []
        for _ in range(12):
            move = str(rng.choice(position.legal_moves))
            moves.append(position.san(move))
            position = position.play(move)
        texts.append(f'[Result "1-0"]\n\n{" ".join(moves)} 1-0\n')
    return "\n".join(texts)


def test_what_is_held_out_is_what_trainings_keep_for_tests(tmp_path: Path) -> None:
    file = tmp_path / "games.pgn"
    file.write_text(random_games(60))
    data = load(DataConfig(sources=[str(file)], hold_out=HoldOut(validation=0.2, test=0.3)))
    games = set(data.columns.games_of(data.parts["test"]).tolist())
    expected = [data.corpus.moves(game) for game in sorted(games)]
    assert [game.moves for game in held_out(read_pgn(file), 0.3)] == expected
    assert 8 < len(expected) < 30
    assert len(list(held_out(read_pgn(file), None))) == 60
