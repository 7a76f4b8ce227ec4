"""The Elo of a player from its games against opponents of known Elo.

    python benchmarks/master_elo.py runs/master_elo

Reads the table of a sweep. Opponents whose name ends in a number, `Stockfish 1700`, have that Elo. For each player and
number of nodes: the Elo under which what was scored against all of them together is most likely (Bradley and Terry,
draws as half a win), its 95 % interval from the curvature, and the difference to every opponent by itself.
"""

import argparse
import csv
import math
import re
from collections.abc import Sequence
from itertools import groupby
from pathlib import Path

from foible.arena.elo import share_of_elo
from foible.arena.stats import Z95

SCALE = math.log(10) / 400
LOWEST, HIGHEST = -1000.0, 5000.0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("run", type=Path, help="folder of a sweep")
    path = parser.parse_args().run / "sweep.csv"
    with path.open(newline="") as file:
        cells = [cell for cell in csv.DictReader(file) if int(cell["games"])]
    for (player, nodes), group in groupby(sorted(cells, key=_who), key=_who):
        rows = list(group)
        known = [(elo, row) for row in rows if (elo := known_elo(row["opponent"])) is not None]
        if known:
            scores = [(elo, float(row["share"]), int(row["games"])) for elo, row in known]
            rating, margin = performance(scores)
            print(
                f"{player} at {nodes} nodes: Elo {rating:.0f} ± {margin:.0f} over {sum(n for _, _, n in scores)} games"
            )
        for row in rows:
            share = f"{100 * float(row['share']):5.1f} %"
            value = f"{float(row['elo']):+.0f}" if row["elo"] else "–"
            difference = f"{value} [{float(row['elo_low']):+.0f}, {float(row['elo_high']):+.0f}]"
            print(f"    against {row['opponent']}: {share} of {row['games']}, difference {difference}")


def known_elo(opponent: str) -> int | None:
    found = re.search(r" (\d{3,4})$", opponent)
    return int(found[1]) if found else None


def performance(scores: Sequence[tuple[float, float, int]]) -> tuple[float, float]:
    """The most likely Elo and half its 95 % interval, from opponents' Elo, shares 0 to 1 and games. Without a point, or
    with all, an end of the scale.

    The likelihood is greatest where expected and real points agree; they rise with the Elo, so halving finds it.
    """
    points = sum(share * games for _, share, games in scores)
    if not 0 < points < sum(games for _, _, games in scores):
        return (HIGHEST if points else LOWEST), math.inf
    low, high = LOWEST, HIGHEST
    while high - low > 0.01:
        middle = (low + high) / 2
        expected = sum(games * share_of_elo(middle - elo) for elo, _, games in scores)
        low, high = (middle, high) if expected < points else (low, middle)
    shares = [(games, share_of_elo(low - elo)) for elo, _, games in scores]
    information = SCALE**2 * sum(games * p * (1 - p) for games, p in shares)
    return low, Z95 / math.sqrt(information)


def _who(cell: dict[str, str]) -> tuple[str, int]:
    return cell["player"], int(cell["nodes"])


if __name__ == "__main__":
    main()
