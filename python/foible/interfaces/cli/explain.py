"""`foible explain`."""

import re
from pathlib import Path
from typing import Annotated

import typer

from foible._core import ChessPosition
from foible.agents.candidates import EVERYTHING, Candidate, Reckoning, Reply, Width
from foible.analysis.explain import board_svg, board_text, fall, to_json
from foible.errors import PositionError
from foible.interfaces.cli.options import Precision, Runtime, Threads
from foible.interfaces.cli.output import Json, examples, print_json, print_table
from foible.judges.spec import parse_judge
from foible.loop import wait
from foible.nets.shelf import NetShelf, Runtimes
from foible.opponents.spec import parse_model
from foible.runs.files import write_atomically

FEN = "r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/5N2/PPPP1PPP/RNBQK2R b KQkq - 3 3"
EXPLAIN_EXAMPLES = examples(
    f"foible explain '{FEN}' --opponent club:1500",
    "foible explain startpos --moves 'e4 e5 Nf3' --opponent 1537 --judge uci:stockfish:depth=12 --board board.svg",
)
REPLIES = 3
NUMBERS = re.compile(r"\b\d+\.+|,")
"""What stands between moves where people write them."""


def explain(
    fen: Annotated[str, typer.Argument(help="The position, in which we are to move; or startpos.", show_default=False)],
    opponent: Annotated[
        str,
        typer.Option(help="The model: a net (club:1500), a rating (1537), a table of TOML, or a .toml file."),
    ] = "club:1500",
    judge: Annotated[
        str, typer.Option(help="A net (master), one that searches (master@100), uci:stockfish:depth=12.")
    ] = "master@100",
    moves: Annotated[str, typer.Option(help="Moves that follow the position, in UCI or SAN.", show_default=False)] = "",
    depth: Annotated[int, typer.Option(min=1, max=4, help="Moves of ours that are looked ahead.")] = 1,
    all_moves: Annotated[bool, typer.Option("--all", help="Look at every move and every reply.")] = False,
    board: Annotated[
        Path | None, typer.Option(help="Write the board with arrows as SVG here.", show_default=False)
    ] = None,
    runtime: Runtime = "auto",
    precision: Precision = "f32",
    threads: Threads = None,
    as_json: Json = False,
) -> None:
    """What each of our moves is worth against a player who errs.

    All in % of win probability. E is what we may expect when the opponent replies as the model says; V is the judge's
    value of the position after our move, what is left against a perfect reply. Trappiness, E − V but at least 0, is
    what the reply is expected to lose; a judge that searches little may put V above E. Price is what V falls short of
    the safest move's, gain what E exceeds that move's. Trap is the probability of a reply that gives away 10 % or more.

    For study and training only: help during rated games against people is cheating.
    """
    position = ChessPosition(None if fen == "startpos" else fen, NUMBERS.sub(" ", moves).split())
    if position.outcome(claim_draw=True):
        raise PositionError(f"{position.fen}: the game is over here; expected a position with moves to explain")
    shelf = NetShelf(Runtimes(runtime, precision, threads))
    model, judging = parse_model(opponent).build(shelf), parse_judge(judge).build(shelf)
    try:
        reckoning = Reckoning(model, judging, depth=depth, width=EVERYTHING if all_moves else Width())
        candidates = wait(reckoning.candidates(position))
    finally:
        model.close()
        judging.close()
    if board:
        write_atomically(board, board_svg(position, candidates))
    if as_json:
        print_json(to_json(position, candidates, model.name, judging.name))
    else:
        _print(position, candidates, f"{model.name} as the opponent, judged by {judging.name}")


def _print(position: ChessPosition, candidates: list[Candidate], who: str) -> None:
    typer.echo(board_text(position))
    rows = [
        (
            position.san(c.move),
            *(f"{100 * x:.1f}" for x in (c.expected, c.safe, c.trappiness, c.price)),
            f"{100 * c.gain:+.1f}",
            f"{100 * c.trap_probability:.0f}",
            _replies(position.play(c.move), c),
        )
        for c in candidates
    ]
    columns = ("move", "E %", "V %", "trappiness", "price", "gain", "trap %", "likely replies (what they lose)")
    legal, mass = len(position.legal_moves), min(c.mass for c in candidates)
    note = f"{len(candidates)} of {legal} moves; replies of {100 * mass:.0f} % probability or more; --all looks at all"
    print_table(who, columns, rows, note=note)


def _replies(after: ChessPosition, candidate: Candidate) -> str:
    return ", ".join(_reply(after, candidate, reply) for reply in candidate.replies[:REPLIES]) or "the game is over"


def _reply(after: ChessPosition, candidate: Candidate, reply: Reply) -> str:
    lost = round(100 * fall(reply, candidate))
    return f"{after.san(reply.move)} {100 * reply.p:.0f} %" + (f" (−{lost})" if lost > 0 else "")
