"""Random games that reach the rare corners of chess: every way to end, castling, en passant, promotions."""

import random
from collections.abc import Iterator

import chess

STARTS = (
    chess.STARTING_FEN,
    # Castling, captures and promotions at once.
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 10",
    "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 92 60",
    "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
    # En passant: along a pinned rank, along a file, given by the FEN with and without a capture.
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    "3k4/8/8/8/3p4/8/4P3/3RK3 w - - 3 40",
    "k7/4p3/8/3P1P2/2p1p1p1/8/1P1P1P2/K7 w - - 20 80",
    "4k3/8/8/8/3pP3/8/8/4K3 b - e3 0 30",
    "4k3/8/8/8/4P3/8/8/4K3 b - e3 0 30",
    # Promotions on both sides.
    "8/PPP4k/8/8/8/8/4Kppp/8 w - - 0 1",
    # Little material, stalemates and mates at hand, clocks about to run out.
    "8/8/8/8/8/5k2/5p2/5K2 w - - 4 70",
    "k7/2Q5/8/1K6/8/8/8/8 w - - 0 60",
    "8/8/4k3/8/2n5/8/1K1N4/8 w - - 10 90",
    "7k/8/6K1/8/8/8/8/R7 w - - 90 100",
    "8/5k2/8/8/8/2K5/6p1/6R1 w - - 138 100",
)


def start_board(rng: random.Random) -> chess.Board:
    """One of the starts above or one of the 960."""
    if rng.random() < 0.3:
        return chess.Board.from_chess960_pos(rng.randrange(960))
    return chess.Board(rng.choice(STARTS), chess960=rng.random() < 0.3)


def choose(board: chess.Board, rng: random.Random, shuffling: float) -> chess.Move:
    """A legal move: with probability `shuffling` the player's last one backwards, else often a rare one."""
    moves = list(board.legal_moves)
    if len(board.move_stack) >= 2 and rng.random() < shuffling:
        last = board.move_stack[-2]
        back = chess.Move(last.to_square, last.from_square)
        if back in moves:
            return back
    rare = [move for move in moves if board.is_castling(move) or board.is_en_passant(move) or move.promotion]
    pushes = [move for move in moves if abs(move.to_square - move.from_square) == 16 and not board.is_zeroing(move)]
    return rng.choice((rng.random() < 0.3 and rare) or (rng.random() < 0.1 and pushes) or moves)


def moves_of(board: chess.Board, rng: random.Random, plies: int) -> Iterator[chess.Move]:
    """Legal moves for the board as it stands when each is asked for, until there is none."""
    shuffling = rng.choice((0.0, 0.5, 0.95))
    for _ in range(plies):
        if not any(board.generate_legal_moves()):
            return
        yield choose(board, rng, shuffling)


def random_board(seed: int, plies: int = 40) -> chess.Board:
    """The board after a random game, with its moves on the stack."""
    rng = random.Random(seed)
    board = start_board(rng)
    for move in moves_of(board, rng, rng.randint(0, plies)):
        board.push(move)
    return board
