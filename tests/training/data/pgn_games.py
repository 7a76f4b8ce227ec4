"""Random games as PGN, with the tags that filters ask for, and the same games as python-chess has them."""

import io
import random
from dataclasses import dataclass
from pathlib import Path

import chess
import chess.pgn

from foible._core import Corpus
from tests.games.random_games import moves_of, start_board

RESULTS = ("1-0", "1/2-1/2", "0-1")
PLAYERS = ("Vidal, Ángela", "angela vidal", "Okafor, B.", "?", "")
"""Names as files have them: the first two are one player, the last two nobody."""


@dataclass(frozen=True)
class PlainGame:
    """What a test needs to know of a game."""

    start_fen: str
    chess960: bool
    moves: list[str]
    result: str
    players: tuple[str, str]
    ratings: tuple[int, int]
    """0 where unknown."""
    base: int
    """Seconds, −1 where unknown."""

    def boards(self) -> list[chess.Board]:
        """Before each ply, with their history."""
        board, found = chess.Board(self.start_fen, chess960=self.chess960), []
        for move in self.moves:
            found.append(board.copy())
            board.push_uci(move)
        return found


def random_games(count: int, seed: int, plies: int = 40) -> tuple[str, list[PlainGame]]:
    """PGN of games with random tags, one in five a copy of another with other tags, and what it holds."""
    rng = random.Random(seed)
    boards: list[chess.Board] = []
    while len(boards) < count:
        if boards and rng.random() < 0.2:
            boards.append(rng.choice(boards))
            continue
        board = start_board(rng)
        for move in moves_of(board, rng, rng.randint(1, plies)):
            board.push(move)
        if board.move_stack:
            boards.append(board)
    texts, found = [], []
    for board in boards:
        game = chess.pgn.Game.from_board(board)
        ratings = (rng.choice((0, rng.randint(900, 2100))), rng.choice((0, rng.randint(900, 2100))))
        players = (rng.choice(PLAYERS), rng.choice(PLAYERS))
        base, result = rng.choice((-1, 60, 180, 600)), rng.choice(RESULTS)
        tags = {"WhiteElo": ratings[0], "BlackElo": ratings[1]}
        game.headers.update({name: str(rating) for name, rating in tags.items() if rating})
        for side, name in zip(("White", "Black"), players, strict=True):
            game.headers[side] = name
            if not name:
                del game.headers[side]
        game.headers.update({"Result": result, "TimeControl": "-" if base < 0 else f"{base}+{rng.randint(0, 5)}"})
        texts.append(str(game))
        moves = [move.uci() for move in board.move_stack]
        found.append(PlainGame(board.root().fen(), board.chess960, moves, result, players, ratings, base))
    return "\n\n".join(texts), found


def corpus_of(pgn: str) -> Corpus:
    corpus = Corpus()
    corpus.read(io.BytesIO(pgn.encode()))
    return corpus


def write_games(path: Path, count: int, seed: int) -> list[PlainGame]:
    pgn, games = random_games(count, seed)
    path.write_text(pgn)
    return games
