"""How well nets predict the moves of masters and what an engine thinks of their positions, phase by phase.

    FOIBLE_NETS=… python benchmarks/master_accuracy.py chess_evaluated_games.pgn.xz [--net NET …] [--like maia-1100]

Looks at positions with `[%eval …]` comments, of games between players of 2000 and more on which no net that comes with
foible was trained. For each net: how often its most probable legal move was played, how surprising the move was (nats),
how its value correlates with that of the evaluation (`foible.training.data.encoder.wdl_of_evals`), and, with `--like`,
how often its first choice is that of another net. Errors are one standard error, clustered by game.
"""

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from foible._core import Batch, ChessPosition
from foible.analysis.estimates import Estimate, Sample, mean
from foible.games.phases import PHASES
from foible.nets.catalogue import open_net
from foible.nets.evaluator import Evaluator
from foible.training.data.config import DataConfig, Filters, HoldOut
from foible.training.data.dataset import Dataset, load
from foible.training.data.encoder import NO_EVAL, wdl_of_evals

NETS = ("master", "master-opening", "master-middlegame", "master-endgame", "master-experts", "maia-1900")


@dataclass(frozen=True)
class Positions:
    """N positions of held-out games."""

    positions: list[ChessPosition]
    moves: list[str]
    games: NDArray[np.int64]
    phases: NDArray[np.uint8]
    values: NDArray[np.float32]
    """Win minus loss of the side to move, by the engine's evaluation."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("games", type=Path, nargs="+")
    parser.add_argument("--net", action="append", help="a name or a path; default: those of foible and maia-1900")
    parser.add_argument("--like", help="a net with whose first choices the others' are compared")
    parser.add_argument("--held-out", type=float, default=0.005, help="share of the games, by a hash of their moves")
    parser.add_argument("--precision", choices=["f32", "bf16"], default="f32")
    parser.add_argument("--threads", type=int)
    words = parser.parse_args()

    found = positions_of([str(path) for path in words.games], words.held_out)
    print(f"{len(found.moves)} positions of {len(np.unique(found.games))} games\n")

    def said_by(name: str) -> Said:
        return judged(open_net(name, precision=words.precision, threads=words.threads), found)

    like = said_by(words.like).first if words.like else None
    alike = f" as {words.like}, % |" if words.like else ""
    print(f"| net | positions | move played, % | nats | correlation of values |{alike}")
    print("| --- | --- | --- | --- | --- |" + (" --- |" if words.like else ""))
    for name in words.net or NETS:
        said = said_by(name)
        for phase, rows in sets(found.phases):
            accuracy = by_game(100.0 * said.right[rows], found.games[rows])
            nats = by_game(said.surprise[rows], found.games[rows])
            together = np.corrcoef(said.values[rows], found.values[rows])[0, 1]
            same = "" if like is None else _percent(by_game(100.0 * (said.first == like)[rows], found.games[rows]))
            print(
                f"| {name}, {phase} | {len(rows)} | {accuracy.value:.1f} ± {accuracy.standard_error:.1f}"
                f" | {nats.value:.3f} ± {nats.standard_error:.3f} | {together:.3f} |{same}",
                flush=True,
            )


def positions_of(sources: Sequence[str], share: float) -> Positions:
    held = HoldOut(validation=0, test=share)
    config = DataConfig(sources=list(sources), value_target="evals", hold_out=held, filters=Filters(min_rating=2000))
    data = load(config)
    evals = data.columns.evals
    assert evals is not None
    rows = data.parts["test"]
    rows = rows[evals[rows] != NO_EVAL]
    wanted = set(rows.tolist())
    played = [found for found in replayed(data, rows) if found[0] in wanted]
    wdl = wdl_of_evals(np.where(data.columns.white[rows], evals[rows], -evals[rows].astype(np.float64)))
    return Positions(
        positions=[position for _, position, _ in played],
        moves=[move for _, _, move in played],
        games=data.columns.games_of(rows),
        phases=data.columns.phases[rows],
        values=wdl[:, 0] - wdl[:, 2],
    )


def replayed(data: Dataset, rows: NDArray[np.int64]) -> Iterator[tuple[int, ChessPosition, str]]:
    """Every row of the games of these rows, in their order, with its position and the move played."""
    for game in np.unique(data.columns.games_of(rows)):
        position = ChessPosition()
        for row, move in enumerate(data.corpus.moves(int(game)), int(data.columns.offsets[game])):
            yield row, position, move
            position = position.play(move)


@dataclass(frozen=True)
class Said:
    """What a net says of N positions; `[N]` each."""

    right: NDArray[np.bool_]
    """Whether its most probable move was played."""
    surprise: NDArray[np.float64]
    """−log of the probability of the move that was played."""
    values: NDArray[np.float32]
    """Win minus loss."""
    first: NDArray[np.int64]
    """Its most probable move, by its number among the legal ones."""


def judged(evaluator: Evaluator, found: Positions) -> Said:
    surprise, values, first, played = [], [], [], []
    for start in range(0, len(found.moves), evaluator.batch_size):
        part = slice(start, start + evaluator.batch_size)
        batch = Batch(found.positions[part])
        judgement = evaluator.evaluate(batch)
        values.append(judgement.q)
        logits = np.split(judgement.logits.astype(np.float64), batch.offsets[1:-1])
        for legal, own, move in zip(batch.moves(), logits, found.moves[part], strict=True):
            played.append(legal.index(move))
            first.append(int(own.argmax()))
            surprise.append(np.logaddexp.reduce(own) - own[played[-1]])
    choices = np.array(first)
    return Said(choices == np.array(played), np.array(surprise), np.concatenate(values), choices)


def _percent(found: Estimate) -> str:
    return f" {found.value:.1f} ± {found.standard_error:.1f} |"


def by_game(values: NDArray[Any], games: NDArray[np.int64]) -> Estimate:
    """The mean of `[N]` values, with the error of games that are independent."""
    return mean(Sample.of(pl.Series(values), pl.Series(games)))


def sets(phases: NDArray[np.uint8]) -> Iterator[tuple[str, NDArray[np.int64]]]:
    yield "all", np.arange(len(phases))
    for number, name in enumerate(PHASES):
        yield name, np.flatnonzero(phases == number)


if __name__ == "__main__":
    main()
