"""How well the level of a Maia is told from its own moves (opponent-modelling §4).

    python benchmarks/level_estimate.py [--games 50] [--moves 5 10 20 40] [--tau 0.5 1] [--json FILE]

Every level plays so many games against other levels, each move a sample of its policy, from the start position. What
an estimate with a uniform prior says of it is taken after so many of its own moves; games that ended earlier do not
count there.
"""

import argparse
import json
from collections.abc import Sequence
from itertools import cycle, islice
from pathlib import Path

import numpy as np

from foible._core import ChessPosition
from foible.loop import wait
from foible.nets.shelf import NetShelf, Runtimes
from foible.opponents.base import sample_games
from foible.opponents.estimate import LevelEstimate, Posterior, Side
from foible.opponents.net import MAIA_LEVELS, NetModel

SIDES: tuple[Side, Side] = ("first", "second")


def pairs(levels: Sequence[int], games: int) -> list[tuple[int, int]]:
    """White's and Black's level of each game: every level `games` times in all, against different others."""
    found: list[tuple[int, int]] = []
    for shift in islice(cycle(range(1, len(levels))), games // 2):
        found += [(level, levels[(i + shift) % len(levels)]) for i, level in enumerate(levels)]
    return found


def truncated(game: ChessPosition, side: int, moves: int) -> ChessPosition | None:
    """The game after so many moves of one side (0 White, 1 Black), if it lasted as long."""
    plies = 2 * moves - 1 + side
    return ChessPosition(moves=game.moves[:plies]) if len(game.moves) >= plies else None


def summary(truth: Sequence[int], found: Sequence[Posterior]) -> dict[str, float]:
    """Shares and distances over games."""
    level, best = np.array(truth), np.array([posterior.map for posterior in found])
    means, intervals = np.array([p.mean for p in found]), np.array([p.interval() for p in found])
    within = np.abs(best - level) <= 100
    return {
        "n": len(truth),
        "within one level": float(within.mean()),
        "±": float(np.sqrt(within.mean() * (1 - within.mean()) / len(truth))),
        "exact": float((best == level).mean()),
        "mean |mean - level|": float(np.abs(means - level).mean()),
        "level in 80 % interval": float(((intervals[:, 0] <= level) & (level <= intervals[:, 1])).mean()),
        "mean width of interval": float((intervals[:, 1] - intervals[:, 0]).mean()),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=50, help="of each level, even")
    parser.add_argument("--moves", type=int, nargs="+", default=[5, 10, 20, 40])
    parser.add_argument("--tau", type=float, nargs="+", default=[0.5, 1.0])
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--precision", choices=["f32", "bf16"], default="f32")
    parser.add_argument("--json", type=Path)
    words = parser.parse_args()

    shelf = NetShelf(Runtimes(precision=words.precision))
    models = {level: NetModel(shelf.evaluator(net), name=net) for level, net in MAIA_LEVELS.items()}
    players = pairs(list(models), words.games)
    plies = 2 * max(words.moves)
    games = wait(sample_games([(models[white], models[black]) for white, black in players], plies, seed=words.seed))
    results = []
    for tau in words.tau:
        estimate = LevelEstimate(models, tau=tau)
        for moves in words.moves:
            truth: list[int] = []
            found: list[Posterior] = []
            for side, player in enumerate(SIDES):
                ends = [truncated(game, side, moves) for game in games]
                truth += [pair[side] for pair, end in zip(players, ends, strict=True) if end is not None]
                found += wait(estimate.posteriors([end for end in ends if end is not None], player))
            overall = summary(truth, found)
            by_level = {
                level: summary(*zip(*[(t, p) for t, p in zip(truth, found, strict=True) if t == level], strict=True))
                for level in models
                if level in truth
            }
            results.append({"tau": tau, "moves": moves, **overall, "by level": by_level})
            print(f"tau {tau:g}, {moves} moves:", ", ".join(f"{name} {value:.3f}" for name, value in overall.items()))
            for level, each in by_level.items():
                print(f"  {level}: n {each['n']}, within one level {each['within one level']:.2f}")
    if words.json:
        words.json.write_text(json.dumps(results, indent=1))


if __name__ == "__main__":
    main()
