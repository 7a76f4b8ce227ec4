"""`foible perft`: a test of the rules."""

import time
from typing import Annotated

import typer

from foible._core import ChessPosition, GoPosition, perft as count_below
from foible.errors import ConfigError
from foible.interfaces.cli.options import start_fen, written_moves
from foible.interfaces.cli.output import Json, examples, print_json, print_table

PERFT_EXAMPLES = examples(
    "foible perft --depth 5                     (4 865 609)",
    'foible perft --moves "e2e4 c7c5" --depth 4 --divide',
    "foible perft --go 3 --depth 5",
)


def perft(
    depth: Annotated[int, typer.Option(min=1, max=20, help="Plies.")] = 5,
    fen: Annotated[str | None, typer.Option(help="Where to start; or startpos.", show_default="start position")] = None,
    moves: Annotated[str, typer.Option(help="Moves to play first, separated by spaces.")] = "",
    divide: Annotated[bool, typer.Option("--divide", help="Count below each move.")] = False,
    chess960: Annotated[bool, typer.Option("--chess960", help="Castle by king takes rook.")] = False,
    go: Annotated[int | None, typer.Option(metavar="SIZE", help="Go on a board of this size.")] = None,
    json: Json = False,
) -> None:
    """Count the move sequences of a position: a test of the rules, and of their speed."""
    if go is not None and (fen is not None or chess960):
        raise ConfigError("--go: --fen and --chess960 are for chess")
    played = written_moves(moves)
    position = ChessPosition(start_fen(fen), played, chess960=chess960) if go is None else GoPosition(go, played)
    start = time.perf_counter()
    counts = {move: _count(position.play(move), depth - 1) for move in position.legal_moves}
    seconds = time.perf_counter() - start
    nodes = sum(counts.values())
    if json:
        print_json({"depth": depth, "nodes": nodes, "seconds": seconds} | ({"divide": counts} if divide else {}))
        return
    title = f"perft {depth}: {nodes:,} in {seconds:.2f} s, {nodes / max(seconds, 1e-9) / 1e6:,.1f} million/s"
    if divide:
        print_table(title, ("move", "sequences"), [(move, f"{count:,}") for move, count in counts.items()])
    else:
        print(title)


AT_ONCE = 4
"""The plies that are counted without a look at the keyboard: at most some millions of sequences."""


def _count(position: ChessPosition | GoPosition, depth: int) -> int:
    if depth <= AT_ONCE:
        return count_below(position, depth)
    return sum(_count(position.play(move), depth - 1) for move in position.legal_moves)
