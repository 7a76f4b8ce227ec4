"""Reading PGN as a stream, against python-chess on the same games in the same run."""

import io
import random
import re
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Final

import chess
import chess.pgn

from foible.errors import GameFileError
from foible.games.pgn import PgnReader, count_positions, read_pgn, tag_value
from foible.interfaces.bench.result import Benchmark, OnProgress, Row, interleaved, silent

TIMES_PYTHON_CHESS = 50
"""The target: how many times as fast as python-chess foible reads."""
_TAG: Final = re.compile(r"[A-Za-z0-9]\w*", re.ASCII)
"""The names of tags that python-chess takes; programs write others, too."""


def bench_pgn(
    file: Path | None = None, *, games: int = 300, repetitions: int = 5, on_progress: OnProgress = silent
) -> Benchmark:
    """Plies per second of foible and of python-chess, and the ratio, with legal replay by both.

    Both build the moves of every game; foible as UCI strings, python-chess as its game tree. Repetitions alternate
    between the two, so that a slower machine slows both. Without a file the games are random legal moves.

    :raises GameFileError: the file cannot be read, or holds no game.
    """
    pgn = games_of(file, games) if file else random_games(games)
    plies = python_chess_all(pgn)
    if not plies:
        raise GameFileError(f"{file}: no moves to measure on")
    subjects = {
        "python-chess": partial(seconds, python_chess_all, pgn, plies, 1),
        "reading": partial(seconds, read_all, pgn, plies, 20),
        "counting": partial(seconds, count_all, pgn, plies, 20),
    }
    taken = interleaved(subjects, repetitions, on_progress)
    theirs = taken.pop("python-chess")
    rows = [Row("python-chess", "plies/s", tuple(plies / t for t in theirs))]
    for name, times in taken.items():
        ratios = tuple(t / o for t, o in zip(theirs, times, strict=True))
        rows.append(Row(f"foible, {name}", "plies/s", tuple(plies / t for t in times)))
        rows.append(Row("  python-chess = 1", "", ratios, TIMES_PYTHON_CHESS))
    source = str(file) if file else "random legal moves"
    conditions = {
        "games": count_positions(io.BytesIO(pgn))[0],
        "of": source,
        "size in MB": round(len(pgn) / 1e6, 3),
        "threads": 1,
    }
    return Benchmark("PGN streaming with legal replay", conditions, rows)


def random_games(games: int, plies: int = 80, seed: int = 0) -> bytes:
    """PGN of games of random legal moves."""
    rng = random.Random(seed)
    texts = []
    for number in range(games):
        board = chess.Board()
        while board.ply() < plies and (moves := list(board.legal_moves)):
            board.push(rng.choice(moves))
        game = chess.pgn.Game.from_board(board)
        game.headers["Round"] = str(number + 1)
        texts.append(str(game))
    return "\n\n".join(texts).encode()


def games_of(path: Path, games: int) -> bytes:
    """The first games of a file, as many as there are up to `games`, as PGN text, comments included."""
    texts = []
    for game, _ in zip(read_pgn(path, comments=True), range(games), strict=False):
        board = chess.Board(game.start_fen or chess.STARTING_FEN, chess960=game.chess960)
        for move in game.moves:
            board.push_uci(move)
        pgn = chess.pgn.Game.from_board(board)
        pgn.headers.update({name: tag_value(value) for name, value in game.tags.items() if _TAG.fullmatch(name)})
        for node, comment in zip(pgn.mainline(), game.comments or [], strict=True):
            node.comment = comment or ""
        texts.append(str(pgn))
    return "\n\n".join(texts).encode()


def read_all(pgn: bytes) -> int:
    """The number of plies, read by foible as Python lists of moves."""
    return sum(len(game.moves) for game in PgnReader(io.BytesIO(pgn)))


def count_all(pgn: bytes) -> int:
    """The number of plies, counted by foible without a Python object per game."""
    return count_positions(io.BytesIO(pgn))[1]


def python_chess_all(pgn: bytes) -> int:
    """The number of plies, read by python-chess."""
    text, plies = io.StringIO(pgn.decode()), 0
    while game := chess.pgn.read_game(text):
        plies += sum(1 for _ in game.mainline_moves())
    return plies


def seconds(work: Callable[[bytes], int], pgn: bytes, plies: int, repeats: int) -> float:
    """Seconds of one pass, averaged over `repeats`; checks that no ply was lost."""
    start = time.perf_counter()
    for _ in range(repeats):
        if work(pgn) != plies:
            raise GameFileError(f"{work.__name__} does not find the {plies} plies that python-chess finds")
    return (time.perf_counter() - start) / repeats
