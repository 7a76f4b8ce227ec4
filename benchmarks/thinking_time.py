"""Fits how long people think about a move, and says how well that foretells the times of games that it has not seen.

    python benchmarks/thinking_time.py GAMES.pgn.xz [GAMES.pgn.xz …] [--per-control 500] [--seed 0] [--json FILE]

Games with clocks (`[%clk …]`), so many at most of each time control, as most games that are collected are of one
minute. Four fifths of them are fitted, the rest foretold: nats a move that the model gains over the time left alone (a
power of it) and over the ply alone, both log-normal with a spread of their own. Errors are one standard error,
clustered by game. The weights that are printed are those of `foible.opponents.thinking_time.PEOPLE`.
"""

import argparse
import json
from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import chain
from pathlib import Path
from typing import Any, get_args

import numpy as np

from foible.analysis.estimates import ClusterMeans
from foible.games.pgn import PgnGame, read_pgn
from foible.opponents.game_tags import Speed, read_speed
from foible.opponents.thinking_time import FEATURES, ThinkingTime, features
from foible.opponents.timed_moves import Floats, TimedMove, fit_log_normal, log_likelihood, seconds_of, timed_moves

HELD_OUT = 5
"""One game in so many."""
BY_PLY = [FEATURES.index(name) for name in ("constant", "opening", "middle", "late")]

COLUMNS = (
    "speed | games | moves | model, nats a move | gain over the time left alone | gain over the ply alone"
    " | seconds a move, seen | expected"
)

Game = tuple[Speed, list[TimedMove]]


def drawn(games: Iterable[PgnGame], most: int, rng: np.random.Generator) -> list[PgnGame]:
    """At most so many games of each time control, all of them equally likely, in the order of the file."""
    kept: dict[str, list[PgnGame]] = defaultdict(list)
    seen: dict[str, int] = defaultdict(int)
    for game in games:
        control = game.tags.get("TimeControl", "")
        if not any(comment and "%clk" in comment for comment in (game.comments or [])[:1]):
            continue
        seen[control] += 1
        if len(kept[control]) < most:
            kept[control].append(game)
        elif (place := int(rng.integers(seen[control]))) < most:
            kept[control][place] = game
    return list(chain.from_iterable(kept.values()))


def timed(games: Iterable[PgnGame]) -> list[Game]:
    """Those with times, by their speed."""
    found = [(read_speed(game.tags), timed_moves(game)) for game in games]
    return [(speed, moves) for speed, moves in found if speed and moves]


def all_moves(games: Iterable[Game]) -> list[TimedMove]:
    return [move for _, moves in games for move in moves]


def inputs_of(moves: Sequence[TimedMove]) -> list[Floats]:
    """`[N, …]`: what the time is foretold by: the model's features, the time left alone, and the ply alone."""
    every = features([move.moment for move in moves])
    left = np.log([move.moment.clock.left for move in moves])
    return [every, np.column_stack([np.ones(len(moves)), left]), every[:, BY_PLY]]


def score(fits: Sequence[tuple[Floats, float]], games: Sequence[Game]) -> dict[str, Any]:
    """How well games are foretold by the model, which comes first, and by the simpler ones."""
    model = ThinkingTime(tuple(fits[0][0].tolist()), fits[0][1])
    nats, times = ClusterMeans(len(fits)), ClusterMeans(2)
    for _, moves in games:
        seconds = seconds_of(moves)
        each = zip(inputs_of(moves), fits, strict=True)
        ours, *others = (log_likelihood(inputs, *fitted, seconds).sum() for inputs, fitted in each)
        nats.add(np.array([ours, *(ours - other for other in others)]), len(moves))
        times.add(np.array([seconds.sum(), sum(model.expected(move.moment) for move in moves)]), len(moves))
    return {
        "games": len(games),
        "moves": int(nats.count[0]),
        "nats": list(zip(nats.mean.tolist(), nats.standard_error.tolist(), strict=True)),
        "seconds": list(zip(times.mean.tolist(), times.standard_error.tolist(), strict=True)),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("games", type=Path, nargs="+")
    parser.add_argument("--per-control", type=int, default=500)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", type=Path)
    words = parser.parse_args()

    rng = np.random.default_rng(words.seed)
    games = timed(
        drawn(chain.from_iterable(read_pgn(path, comments=True) for path in words.games), words.per_control, rng)
    )
    if len(games) < HELD_OUT:
        parser.error(f"{len(games)} games with clocks, ratings and a time control; expected some hundreds")
    unseen = games[::HELD_OUT]
    known = all_moves(game for number, game in enumerate(games) if number % HELD_OUT)
    fits = [fit_log_normal(inputs, seconds_of(known)) for inputs in inputs_of(known)]

    print(f"fitted to {len(known)} moves of {len(games) - len(unseen)} games")
    for name, weight in zip(FEATURES, fits[0][0], strict=True):
        print(f"  {name:10s} {weight:+.4f}")
    print(f"  spread     {fits[0][1]:.4f}")
    print(f"| {COLUMNS} |\n|{' --- |' * (COLUMNS.count('|') + 1)}")
    rows = {}
    for speed in [None, *get_args(Speed)]:
        some = [game for game in unseen if speed in (None, game[0])]
        if len(some) > 1:
            name = speed or "all"
            rows[name] = score(fits, some)
            print(line(name, rows[name]), flush=True)
    if words.json:
        model = {"weights": dict(zip(FEATURES, fits[0][0].tolist(), strict=True)), "spread": fits[0][1]}
        words.json.write_text(json.dumps({"model": model, "held out": rows}, indent=1) + "\n")


def line(speed: str, row: dict[str, Any]) -> str:
    """A row of the table in Markdown."""
    cells = [f"{mean:+.3f} ± {error:.3f}" for mean, error in row["nats"]]
    cells += [f"{mean:.2f} ± {error:.2f}" for mean, error in row["seconds"]]
    return f"| {speed} | {row['games']} | {row['moves']} | {' | '.join(cells)} |"


if __name__ == "__main__":
    main()
