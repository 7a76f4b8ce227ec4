"""A player who walks into the same trap again and again, as a PGN file."""

from pathlib import Path

from foible._core import ChessPosition

PLAYER = "Müller, <b>Jörg</b> & Co"
TRAP = "e4 e5 Qh5 g6 Qxe5 Be7 Qxh8 Nc6"
"""The player is Black: 2...g6 loses the rook."""
OTHERS = ("d4 d5 c4 e6 Nc3 Nf6", "e4 e5 Qh5 Nc6 Bc4 g6 Qf3 Nf6")
AS_WHITE = ("d4 d5 c4 e6 Nc3 Nf6", "d4 Nf6 c4 e6 Nc3 Bb4")


def write_pgn(path: Path, games: int = 60) -> Path:
    """`games` as Black, a third of them in the trap, and half as many as White, a game a day."""
    texts = []
    for number in range(games):
        line = TRAP if number % 3 == 0 else OTHERS[number % 3 - 1]
        texts.append(_game(line, number, white="Roe, Max", black=PLAYER))
        if number % 2:
            texts.append(_game(AS_WHITE[number // 2 % 2], number, white=PLAYER, black="Roe, Max"))
    path.write_text("\n".join(texts), encoding="utf-8")
    return path


def _game(line: str, number: int, *, white: str, black: str) -> str:
    position, moves = ChessPosition(), []
    for ply, san in enumerate(line.split()):
        moves.append(f"{ply // 2 + 1}. {san}" if ply % 2 == 0 else san)
        position = position.play(san)
    day = f"2021.{1 + number // 28:02}.{1 + number % 28:02}"
    tags = {"White": white, "Black": black, "Date": day, "Result": "1-0", "WhiteElo": "1500", "BlackElo": "1500"}
    head = "\n".join(f'[{name} "{value}"]' for name, value in (tags | {"TimeControl": "300+3"}).items())
    return f"{head}\n\n{' '.join(moves)} 1-0\n"
