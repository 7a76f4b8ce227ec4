"""Positions and searches as notebooks show them: boards as SVG (python-chess draws chess boards), moves as a table."""

from html import escape

import chess
import chess.svg

from foible._core import ChessPosition, GoPosition, RootSummary
from foible.games.chess import to_board
from foible.games.go import COLUMNS
from foible.wording import percent, signed

SIZE = 320
"""The width and height of a board in pixels."""
STAR_POINTS = {7: (3,), 9: (2, 4, 6), 13: (3, 6, 9), 19: (3, 9, 15)}
"""By board size: the rows and columns, from 0, where the star points lie."""


def chess_svg(position: ChessPosition) -> str:
    """The board with the last move, seen from the side to move."""
    board = to_board(position)
    last = board.peek() if board.move_stack else None
    check = board.king(board.turn) if board.is_check() else None
    return chess.svg.board(board, orientation=board.turn, lastmove=last, check=check, size=SIZE)


def go_svg(position: GoPosition) -> str:
    """The board with its coordinates and a mark on the last stone."""
    size = position.size
    step = SIZE / (size + 1)

    def at(index: int) -> str:
        return f"{step * (index + 1):.1f}"

    first, last = at(0), at(size - 1)
    parts = [f'<rect width="{SIZE}" height="{SIZE}" fill="#e8c987"/>']
    for i in range(size):
        parts.append(f'<path d="M{first} {at(i)}H{last}M{at(i)} {first}V{last}" stroke="#333" fill="none"/>')
        for x, y, text in ((at(i), f"{SIZE - step / 5:.1f}", COLUMNS[i]), (f"{step / 4:.1f}", at(i), str(size - i))):
            style = (
                f'font-size="{step / 3:.1f}" text-anchor="middle" dominant-baseline="middle" font-family="sans-serif"'
            )
            parts.append(f'<text x="{x}" y="{y}" {style}>{text}</text>')
    stars = STAR_POINTS.get(size, ())
    parts += [f'<circle cx="{at(x)}" cy="{at(y)}" r="{step / 12:.1f}"/>' for x in stars for y in stars]
    for row, line in enumerate(position.board.split()):
        for column, stone in enumerate(line):
            if stone != ".":
                fill = "#111" if stone == "X" else "#fff"
                where = f'cx="{at(column)}" cy="{at(row)}"'
                parts.append(f'<circle {where} r="{step * 0.46:.1f}" fill="{fill}" stroke="#111"/>')
    parts += _last_stone(position, step)
    return f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {SIZE} {SIZE}" width="{SIZE}">{"".join(parts)}</svg>'


def _last_stone(position: GoPosition, step: float) -> list[str]:
    moves = position.moves
    if not moves or moves[-1] == "pass":
        return []
    column, row = COLUMNS.index(moves[-1][0].upper()), position.size - int(moves[-1][1:])
    where = f'cx="{step * (column + 1):.1f}" cy="{step * (row + 1):.1f}"'
    return [f'<circle {where} r="{step / 6:.1f}" fill="none" stroke="#c33" stroke-width="2"/>']


def summary_html(found: RootSummary) -> str:
    """The moves of a root as the search ranks them: visits, value (−1 to 1, for the side to move), prior."""
    rows = "".join(
        f"<tr><td>{escape(move.move)}</td><td>{move.n}</td>"
        f"<td>{signed(move.q, 3)}</td><td>{percent(move.prior)}</td></tr>"
        for move in found.moves
        if move.n
    )
    head = "<tr><th>move</th><th>visits</th><th>value</th><th>prior</th></tr>"
    return f"<table><caption>{found.n} visits, value {signed(found.q, 3)}</caption>{head}{rows}</table>"
