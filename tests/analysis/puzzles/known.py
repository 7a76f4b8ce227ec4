"""Positions whose solution is known, and games that lead to them."""

from pathlib import Path

from foible._core import ChessPosition
from foible.analysis.puzzles.criterion import Criterion, Looks
from foible.analysis.puzzles.mining import SEARCH
from foible.nets import Material

QUICK = Criterion(nodes=400, check_nodes=800)

PUZZLES = {
    "mate in one": ("2kr1b1r/p1p2pp1/2pqb3/7p/3N2n1/2NPB3/PPP2PPP/R2Q1RK1 w - - 2 13", "d4e6", "d6h2"),
    "mate in two": ("5r1k/pp4pp/5p2/1BbQp1r1/6K1/7P/1PP3P1/3R3R w - - 2 26", "g4h4", "c5f2 g2g3 f2g3"),
    "fork": ("5rk1/5ppp/4p3/4N3/8/1Pn5/5PPP/5RK1 w - - 0 28", "f1c1", "c3e2 g1h1 e2c1"),
    "skewer": ("5Q2/8/1b1kp1p1/5p2/3p4/5qPK/7P/8 b - - 1 51", "d6c6", "f8a8 c6b5 a8f3"),
}
"""By theme: the position before the opponent's mistake, the mistake, and the solution (public puzzles)."""

OVERLOOKED = ("4n1k1/5pp1/1q6/1pp1PN2/p4nP1/P1P5/1P3P2/5QK1 b - - 1 30", "b6g6", "f5e7 g8h7 e7g6")
"""One that the net of masters overlooks at first sight, as the others are not; a fork."""


def looks() -> Looks:
    return Looks(Material(), SEARCH)


def to_solve(theme: str) -> ChessPosition:
    fen, mistake, _ = PUZZLES[theme]
    return ChessPosition(fen, [mistake])


def pgn_game(fen: str, moves: str, *, white: str = "Doe, Jane", black: str = "Roe, Max") -> str:
    """`moves` in UCI."""
    position = ChessPosition(fen)
    words = ["1." if position.turn == "first" else "1..."]
    for move in moves.split():
        words.append(position.san(move))
        position = position.play(move)
    tags = f'[White "{white}"]\n[Black "{black}"]\n[SetUp "1"]\n[FEN "{fen}"]\n'
    return f"{tags}\n{' '.join(words)} *\n\n"


def write_games(path: Path, *games: str) -> Path:
    path.write_text("".join(games))
    return path


def every_game(solved: bool = False) -> list[str]:
    """One game for each puzzle, to the mistake, or on through the solution."""
    return [pgn_game(fen, f"{mistake} {line}" if solved else mistake) for fen, mistake, line in PUZZLES.values()]
