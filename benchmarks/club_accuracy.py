"""How often `club` predicts the move that a player of a rating made, beside Maia, on games that it was not trained on.

    FOIBLE_NETS=… python benchmarks/club_accuracy.py GAMES.pgn.xz [GAMES.pgn.xz …] [--net club] [--held-out 0.02]

For each rating band of the movers: the net at the middle of the band, the Maia of the band, and that of the nine Maias
which is best there. As Maia's authors do, plies before the tenth do not count. Errors are one standard error, clustered
by game; the gap in log-loss is paired. Every band needs all ten nets on each of its moves: some 100 000 moves take
about ten minutes of one core.
"""

import argparse
import json
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import Any

from foible.analysis.calibration import Calibration, Choice, RatedMove, calibrate, held_out, rated_moves
from foible.analysis.calibration.scored_moves import BAND, label
from foible.games.pgn import read_pgn
from foible.nets.choices import HIGHEST, LOWEST
from foible.nets.shelf import NetShelf, Runtimes
from foible.opponents.net import MAIA_LEVELS, NetModel

COLUMNS = (
    "rating | games | moves | club, % | Maia of the band, % | best Maia, %"
    " | club, nats | Maia of the band | best Maia | club − best"
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("games", type=Path, nargs="+")
    parser.add_argument("--net", default="club", help="a net that was trained with ratings: a name or a path")
    parser.add_argument("--held-out", type=float, default=0.02, help="hold_out.test of its training; 0: all games")
    parser.add_argument("--skip-plies", type=int, default=10)
    parser.add_argument("--precision", choices=["f32", "bf16"], default="f32")
    parser.add_argument("--threads", type=int)
    parser.add_argument("--json", type=Path)
    words = parser.parse_args()

    choice = Choice(rating=(LOWEST, HIGHEST - 1), skip_plies=words.skip_plies)
    share = words.held_out or None
    games = list(chain.from_iterable(rated_moves(held_out(read_pgn(path), share), choice) for path in words.games))
    shelf = NetShelf(Runtimes(precision=words.precision, threads=words.threads))
    maias = [NetModel(shelf.evaluator(net), name=net) for net in MAIA_LEVELS.values()]
    rows = []
    print(f"| {COLUMNS} |\n|{' --- |' * (COLUMNS.count('|') + 1)}")
    for band in range(LOWEST, HIGHEST, BAND):
        net = f"{words.net}:{band + BAND // 2}"
        found = calibrate([NetModel(shelf.evaluator(net), name=net), *maias], of_band(games, band), by=())
        if found.all.moves:
            rows.append(row(found, band))
            print(line(rows[-1]), flush=True)
    if words.json:
        words.json.write_text(json.dumps(rows, indent=1) + "\n")


def of_band(games: Iterable[list[RatedMove]], band: int) -> Iterator[list[RatedMove]]:
    """The moves of players in one rating band, game by game."""
    for game in games:
        yield [move for move in game if move.groups.get("rating") == band]


def row(found: Calibration, band: int) -> dict[str, Any]:
    """What is said of one band; model 0 is the net under test, the others the Maias from the lowest on."""
    scores, levels = found.all, list(MAIA_LEVELS)
    accuracy, loss = scores.top1.mean, scores.log_loss.mean
    own = 1 + levels.index(max(band, levels[0]))
    best = 1 + int(loss[1:].argmin())
    return {
        "rating": label("rating", band),
        "games": scores.games,
        "moves": scores.moves,
        "best": found.names[best],
        "accuracy": [[float(accuracy[i]), float(scores.top1.standard_error[i])] for i in (0, own, best)],
        "log_loss": [float(loss[i]) for i in (0, own, best)],
        "gap": [float(scores.difference.mean[0, best]), float(scores.difference.standard_error[0, best])],
    }


def line(row: dict[str, Any]) -> str:
    """A row of the table in Markdown."""
    club, own, best = (f"{100 * mean:.1f} ± {100 * error:.1f}" for mean, error in row["accuracy"])
    losses = " | ".join(f"{loss:.3f}" for loss in row["log_loss"])
    gap, error = row["gap"]
    cells = f"{row['rating']} | {row['games']} | {row['moves']} | {club} | {own} | {best} ({row['best']})"
    return f"| {cells} | {losses} | {gap:+.3f} ± {error:.3f} |"


if __name__ == "__main__":
    main()
