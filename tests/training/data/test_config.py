from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from foible._core import Batch
from foible.errors import ConfigError
from foible.games.chess import from_board
from foible.training.data.columns import columns_of
from foible.training.data.config import RESULTS, Filters, filter_games, filter_rows
from tests.training.data.pgn_games import PLAYERS, PlainGame, corpus_of, random_games

PGN, GAMES = random_games(60, seed=5)
COLUMNS = columns_of(corpus_of(PGN))

rating = st.none() | st.integers(900, 2100)
seconds = st.none() | st.sampled_from([0, 60, 100, 180, 600])
plies = st.none() | st.integers(0, 40)
filters = st.builds(
    Filters,
    min_rating=rating,
    max_rating=rating,
    min_mover_rating=rating,
    max_mover_rating=rating,
    player=st.none() | st.sampled_from(["Angela Vidal", "b okafor"]),
    results=st.none() | st.lists(st.sampled_from(list(RESULTS)), min_size=1, unique=True),
    min_plies=st.integers(0, 30),
    max_plies=plies,
    min_base_seconds=seconds,
    max_base_seconds=seconds,
    duplicates=st.booleans(),
    first_ply=st.integers(0, 20),
    last_ply=plies,
    side=st.sampled_from(["white", "black", "all"]),
)


def within(low: int | None, value: int, high: int | None, unknown: int) -> bool:
    if low is None and high is None:
        return True
    return value != unknown and (low is None or low <= value) and (high is None or value <= high)


def is_player(name: str, asked: str) -> bool:
    return name in {"Angela Vidal": PLAYERS[:2], "b okafor": PLAYERS[2:3]}[asked]


def naive_rows(games: list[PlainGame], asked: Filters) -> Iterator[tuple[int, int]]:
    """Game and ply of each position that passes, game by game with python-chess."""
    seen = set()
    for number, game in enumerate(games):
        if not all(within(asked.min_rating, one, asked.max_rating, 0) for one in game.ratings):
            continue
        if asked.player is not None and not any(is_player(name, asked.player) for name in game.players):
            continue
        if asked.results is not None and game.result not in asked.results:
            continue
        if len(game.moves) < asked.min_plies or (asked.max_plies is not None and len(game.moves) > asked.max_plies):
            continue
        if not within(asked.min_base_seconds, game.base, asked.max_base_seconds, -1):
            continue
        key = (game.start_fen, tuple(game.moves), game.result)
        if key in seen and not asked.duplicates:
            continue
        seen.add(key)
        for ply, board in enumerate(game.boards()):
            if not within(asked.min_mover_rating, game.ratings[not board.turn], asked.max_mover_rating, 0):
                continue
            if asked.player is not None and not is_player(game.players[not board.turn], asked.player):
                continue
            if asked.side != "all" and board.turn != (asked.side == "white"):
                continue
            if asked.first_ply <= ply and (asked.last_ply is None or ply <= asked.last_ply):
                yield number, ply


@given(asked=filters)
@settings(max_examples=60, deadline=None)
def test_filters_let_through_what_a_loop_over_the_games_does(asked: Filters) -> None:
    games, lost_games = filter_games(COLUMNS, asked)
    rows, lost_rows = filter_rows(COLUMNS, asked, games)
    found = np.flatnonzero(rows)
    number = COLUMNS.games_of(found)
    assert list(zip(number, found - COLUMNS.offsets[number], strict=True)) == list(naive_rows(GAMES, asked))
    assert sum(lost.games for lost in lost_games) == np.count_nonzero(~games)
    assert sum(lost.positions for lost in lost_games + lost_rows) == np.count_nonzero(~rows)


@pytest.mark.parametrize("move_phases", [None, 3])
def test_columns_are_what_the_positions_say(move_phases: int | None) -> None:
    columns = columns_of(corpus_of(PGN), "legacy", move_phases)
    boards = [board for game in GAMES for board in game.boards()]
    batch = Batch([from_board(board) for board in boards])
    phases = batch.phases("legacy") if move_phases is None else batch.move_phases(move_phases)
    assert columns.phases.tolist() == phases.tolist()
    assert columns.white.tolist() == [board.turn for board in boards]
    assert [[columns.names[place] for place in game] for game in columns.players] == [
        [name.strip("?") for name in game.players] for game in GAMES
    ]
    assert columns.ratings.tolist() == [list(game.ratings) for game in GAMES]
    assert columns.ply_index().tolist() == [ply for game in GAMES for ply in range(len(game.moves))]


def test_equal_games_alone_have_equal_keys() -> None:
    games = [(game.start_fen, *game.moves) for game in GAMES]
    of_key: dict[int, set[tuple[str, ...]]] = {}
    for key, game in zip(COLUMNS.keys.tolist(), games, strict=True):
        of_key.setdefault(key, set()).add(game)
    assert all(len(equal) == 1 for equal in of_key.values())
    assert len(of_key) == len(set(games)) < len(games)


def test_equal_moves_from_different_starts_have_different_keys() -> None:
    corpus = corpus_of("")
    for fen in (None, "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/R1BQKBNR w KQkq - 0 1"):
        corpus.add(["e2e4", "e7e5"], "1-0", start_fen=fen)
    first, second = columns_of(corpus).keys
    assert first != second


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        (Filters(min_rating=2000, max_rating=1500), "min_rating = 2000 is above max_rating = 1500"),
        (Filters(first_ply=9, last_ply=8), "first_ply = 9 is above last_ply = 8"),
        (Filters(phases=[0, 3]), "phase 3; expected 0 to 2"),
        (Filters(player=" , "), "player = ' , '; expected a name"),
    ],
)
def test_bounds_that_let_nothing_through_are_refused(asked: Filters, words: str) -> None:
    with pytest.raises(ConfigError, match=words):
        asked.check(3)
