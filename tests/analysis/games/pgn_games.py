"""Games for the tests: PGN in, facts out; and random ones as python-chess tells of them."""

import io
import random
from collections.abc import Sequence

import chess
import chess.pgn

from foible.analysis.games.game_facts import GameFacts, facts_of
from foible.analysis.games.opening_names import NO_TABLE, OpeningNames
from foible.games.pgn import PgnReader
from tests.games.random_games import moves_of, start_board


def facts(pgn: str, openings: OpeningNames = NO_TABLE) -> list[GameFacts]:
    reader = PgnReader(io.BytesIO(pgn.encode()), comments=True)
    found = [facts_of(game, openings) for game in reader]
    assert not reader.errors
    return found


def game(moves: str, result: str = "*", **tags: str) -> str:
    """The PGN of one game; moves may have comments."""
    head = "".join(f'[{name} "{value}"]\n' for name, value in {**tags, "Result": result}.items())
    return f"{head}\n{moves} {result}\n\n"


def random_board(seed: int, plies: int = 120) -> chess.Board:
    rng = random.Random(seed)
    board = start_board(rng)
    for move in moves_of(board, rng, plies):
        board.push(move)
    return board


def pgn_of(boards: Sequence[chess.Board], result: str | None = None) -> str:
    """The games that led to the boards; their results by the rules unless one is given."""
    games = [chess.pgn.Game.from_board(board) for board in boards]
    for one in games:
        one.headers["Result"] = result or one.headers["Result"]
    return "".join(f"{one}\n\n" for one in games)
