"""How far V and trappiness are from the truth, with V from the replies and from the judge's score of our move.

    python benchmarks/best_reply.py GAMES.pgn [--positions 60] [--nodes 3000 30000] [--reference 300000]

One position from each of the first games, drawn by a seed; in each the four moves of ours that Stockfish likes best
at so many nodes, with the replies of `--model`. The truth is Stockfish at far more nodes: V by its score of the
position after our move, trappiness by the same replies. Differences are in percentage points of win probability; ± is
a standard error, clustered by position. Below the table the two errors are compared move by move.
"""

import argparse
import random
from collections.abc import Iterator, Sequence
from itertools import islice

import numpy as np
import polars as pl

from foible._core import ChessPosition
from foible.agents.candidates import Candidate, Expectimax, Width
from foible.analysis.estimates import mean, sample
from foible.games.pgn import read_pgn
from foible.judges.base import scores
from foible.judges.engine import UciJudge
from foible.judges.spec import UciJudgeSpec, usual_judge
from foible.loop import wait
from foible.nets.shelf import NetShelf
from foible.opponents.spec import parse_model

OURS = 4
SEED = 5
MEASURES, FORMS = ("V", "trappiness"), ("by replies", "by score")
COLUMNS = "nodes | form | V − truth | error of V | trappiness − truth | error of trappiness"


def drawn(path: str) -> Iterator[ChessPosition]:
    """A position of each of the first games that are long enough, in which something can be chosen."""
    dice = random.Random(SEED)
    for game in read_pgn(path):
        if len(game.moves) < 30:
            continue
        ply = dice.randrange(8, len(game.moves) - 4)
        position = ChessPosition(ChessPosition(game.start_fen, game.moves[:ply], chess960=game.chess960).fen)
        if position.outcome() is None and len(position.legal_moves) > OURS:
            yield position


def errors(position: ChessPosition, candidates: Sequence[Candidate], reference: UciJudge) -> Iterator[dict[str, float]]:
    """For each move that does not end the game: errors of V and of trappiness by the replies, and by the score."""
    for one in (candidate for candidate in candidates if candidate.replies):
        after = position.play(one.move)
        replies = [after.play(reply.move) for reply in one.replies]
        first, *judged = wait(scores(reference, [after, *replies], claim_draws=True))
        shares = np.array([reply.p for reply in one.replies]) / one.mass
        v, e = 1 - first.wp, float(shares @ [score.wp for score in judged])
        trappiness = max(0.0, e - v)
        yield {
            "V by replies": one.safe - v,
            "V by score": one.score.wp - v,
            "trappiness by replies": one.trappiness - trappiness,
            "trappiness by score": max(0.0, one.expected - one.score.wp) - trappiness,
        }


def in_percent(rows: pl.DataFrame, value: pl.Expr) -> str:
    """The mean of the moves, with the error clustered by position."""
    found = mean(sample(rows, 100 * value))
    return f"{found.value:+.2f} ± {found.standard_error:.2f}"


def stockfish(nodes: int) -> UciJudge:
    spec = usual_judge(nodes)
    if not isinstance(spec, UciJudgeSpec):
        raise SystemExit("this needs Stockfish")
    return spec.build(NetShelf())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("games")
    parser.add_argument("--positions", type=int, default=60)
    parser.add_argument("--nodes", type=int, nargs="+", default=[3_000, 30_000])
    parser.add_argument("--reference", type=int, default=300_000)
    parser.add_argument("--model", default="club:1500")
    given = parser.parse_args()
    model, reference = parse_model(given.model).build(NetShelf()), stockfish(given.reference)
    positions = list(islice(drawn(given.games), given.positions))
    print(f"| {COLUMNS} |\n|{' --- |' * (COLUMNS.count('|') + 1)}")
    for nodes in given.nodes:
        judge = stockfish(nodes)
        expectimax = Expectimax(model, judge, width=Width(ours=OURS, hopeful=0))
        rows = pl.DataFrame(
            [
                {"pair": number, **row}
                for number, position in enumerate(positions)
                for row in errors(position, wait(expectimax.candidates(position)), reference)
            ]
        )
        judge.close()
        for form in FORMS:
            columns = [pl.col(f"{what} {form}") for what in MEASURES]
            cells = [in_percent(rows, value) for column in columns for value in (column, column.abs())]
            print(f"| {nodes:,} | {form} | {' | '.join(cells)} |", flush=True)
        for what in MEASURES:
            ours, theirs = (pl.col(f"{what} {form}").abs() for form in FORMS)
            less = in_percent(rows, theirs - ours)
            print(f"{nodes:,} nodes, {len(rows)} moves: the error of {what} is less by {less}", flush=True)
    reference.close()
    model.close()


if __name__ == "__main__":
    main()
