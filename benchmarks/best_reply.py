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

from foible._core import ChessPosition
from foible.agents.candidates import Candidate, Expectimax, Width
from foible.games.pgn import read_pgn
from foible.judges.base import scores
from foible.judges.engine import UciJudge
from foible.judges.spec import UciJudgeSpec, usual_judge
from foible.loop import wait
from foible.nets.shelf import NetShelf
from foible.opponents.spec import parse_model

OURS = 4
SEED = 5
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


def errors(
    position: ChessPosition, candidates: Sequence[Candidate], reference: UciJudge
) -> Iterator[tuple[float, ...]]:
    """For each move that does not end the game: errors of V and of trappiness by the replies, and by the score."""
    for one in (candidate for candidate in candidates if candidate.replies):
        after = position.play(one.move)
        replies = [after.play(reply.move) for reply in one.replies]
        first, *judged = wait(scores(reference, [after, *replies], claim_draws=True))
        shares = np.array([reply.p for reply in one.replies]) / one.mass
        v, e = 1 - first.wp, float(shares @ [score.wp for score in judged])
        trappiness = max(0.0, e - v)
        by_score = max(0.0, one.expected - one.score.wp)
        yield one.safe - v, one.score.wp - v, one.trappiness - trappiness, by_score - trappiness


def mean(values: Sequence[Sequence[float]]) -> str:
    """The mean, in percent, with the error clustered by position. `values`: of each position those of its moves."""
    flat = np.concatenate([np.array(one) for one in values])
    residuals = [float(np.sum(np.array(one) - flat.mean())) for one in values]
    return f"{100 * flat.mean():+.2f} ± {100 * np.sqrt(np.sum(np.square(residuals))) / len(flat):.2f}"


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
        found = [list(errors(p, wait(expectimax.candidates(p)), reference)) for p in positions]
        found = [rows for rows in found if rows]
        for form, v, t in (("the best reply", 0, 2), ("the score of our move", 1, 3)):
            cells = []
            for column in (v, t):
                values = [[row[column] for row in rows] for rows in found]
                cells += [mean(values), mean([np.abs(one).tolist() for one in values])]
            print(f"| {nodes:,} | {form} | {' | '.join(cells)} |", flush=True)
        for name, ours, theirs in (("V", 0, 1), ("trappiness", 2, 3)):
            less = [[abs(row[theirs]) - abs(row[ours]) for row in rows] for rows in found]
            print(
                f"{nodes:,} nodes, {sum(map(len, less))} moves: the error of {name} is less by {mean(less)}", flush=True
            )
        judge.engines.close()
    reference.close()
    model.close()


if __name__ == "__main__":
    main()
