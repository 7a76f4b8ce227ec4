"""What the numbers of the puzzle criterion do to public puzzles, and what a scout costs (docs/puzzles.md).

    python benchmarks/puzzle_dial.py TABLE.csv GAMES.pgn [GAMES.pgn …] [--net maia-2200] [--puzzles 500]

Public puzzles are looked at in every length once; for each N_scl, N and δ the share that the criterion accepts, how
often the first move is the table's, and the mean rating of the accepted. Then, with the defaults, the share of accepted
puzzles that scouts of several kinds keep, and the share of random positions of games that they pass.
"""

import argparse
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from foible._core import ChessPosition
from foible.analysis.puzzles import SEARCH, Criterion, Looks, SearchView, read_table
from foible.games.pgn import read_pgn
from foible.nets.shelf import NetShelf, Runtimes

DIAL = [
    (1, 400, 0.15),
    (5, 400, 0.15),
    (10, 400, 0.15),
    (25, 400, 0.15),
    (50, 1600, 0.15),
    (10, 100, 0.15),
    (10, 1600, 0.15),
    (10, 400, 0.3),
]
"""N_scl, N, δ."""
SCOUTS = [(50, 1 / 3), (50, 0.1), (100, 0.2), (200, 0.2)]
"""Visits, and the share of δ that has to be seen."""

Seen = dict[int, list[SearchView]]
"""By the visits of a look what it says of each position."""


def look(looks: Looks, positions: Sequence[ChessPosition], lengths: Sequence[int]) -> Seen:
    return {nodes: looks.search(positions, nodes) for nodes in lengths}


def accepted(seen: Seen, criterion: Criterion) -> list[int]:
    """The positions that gain, with one solution."""
    pairs = zip(seen[criterion.shallow], seen[criterion.nodes], strict=True)
    return [n for n, (short, long) in enumerate(pairs) if criterion.gains(short.wp, long) and criterion.is_unique(long)]


def random_positions(file: str, count: int) -> list[ChessPosition]:
    """One of each game, the games in the order of the file."""
    generator = np.random.default_rng(0)
    found: list[ChessPosition] = []
    for game in read_pgn(file):
        position = ChessPosition(game.start_fen, game.moves[: int(generator.integers(0, len(game.moves) + 1))])
        if position.outcome() is None:
            found.append(position)
        if len(found) == count:
            break
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("table", type=Path)
    parser.add_argument("games", nargs="+")
    parser.add_argument("--net", default="maia-2200")
    parser.add_argument("--puzzles", type=int, default=500)
    parser.add_argument("--positions", type=int, default=500, help="of each file of games")
    parser.add_argument("--precision", choices=("f32", "bf16"), default="f32")
    given = parser.parse_args()

    looks = Looks(NetShelf(Runtimes(precision=given.precision)).evaluator(given.net), SEARCH)
    table = [puzzle for puzzle in read_table(given.table) if puzzle.rating is not None]
    order = np.random.default_rng(5).permutation(len(table))[: given.puzzles]
    puzzles = [table[index] for index in order]
    lengths = sorted({nodes for short, long, _ in DIAL for nodes in (short, long)} | {nodes for nodes, _ in SCOUTS})
    seen = look(looks, [puzzle.position for puzzle in puzzles], lengths)
    print(f"{len(puzzles)} puzzles\nN_scl    N  delta  accepted  first move right  mean rating")
    for shallow, nodes, delta in DIAL:
        criterion = Criterion(shallow=shallow, nodes=nodes, check_nodes=nodes, delta=delta)
        found = accepted(seen, criterion)
        right = np.mean([seen[nodes][n].best == puzzles[n].solution[0] for n in found])
        ratings = np.array([puzzles[n].rating for n in found], np.float64)
        mean = f"{ratings.mean():.0f} ± {ratings.std() / np.sqrt(len(ratings)):.0f}"
        print(f"{shallow:5} {nodes:4}  {delta:5}  {len(found) / len(puzzles):8.1%}  {right:16.1%}  {mean}")

    criterion = Criterion()
    found = accepted(seen, criterion)
    positions = [position for file in given.games for position in random_positions(file, given.positions)]
    shorts = looks.search(positions, criterion.shallow)
    print(f"\n{len(found)} accepted puzzles, {len(positions)} positions of games")
    print("scout  sees  puzzles kept  positions passed")
    for nodes, share in SCOUTS:
        kept = [seen[nodes][n].wp - seen[criterion.shallow][n].wp >= share * criterion.delta for n in found]
        pairs = zip(looks.search(positions, nodes), shorts, strict=True)
        passed = [long.wp - short.wp >= share * criterion.delta for long, short in pairs]
        print(f"{nodes:5}  {share:.2f}  {np.mean(kept):12.1%}  {np.mean(passed):16.1%}")


if __name__ == "__main__":
    main()
