"""What a net says of many positions, as plain values ready for JSON Lines."""

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from foible._core import Batch
from foible.games.jsonl import CHUNK, PositionLine, chunks, lost_or_drawn
from foible.nets.evaluator import Evaluator


def evaluate_lines(evaluator: Evaluator, lines: Iterable[PositionLine]) -> Iterator[dict[str, Any]]:
    """One result per position, in order, at the memory of one chunk.

    `policy` and `logits` by move, most likely first; the policy at temperature 1 in double precision; `wdl` and
    `q` (−1 to 1) of the side to move. Where that side has no legal move, both are empty and `wdl` is the result.
    """
    for chunk in chunks(lines, CHUNK):
        yield from _evaluate(evaluator, chunk)


def _evaluate(evaluator: Evaluator, chunk: list[PositionLine]) -> Iterator[dict[str, Any]]:
    batch = Batch([line.position for line in chunk])
    evaluation = evaluator.evaluate(batch)
    logits, wdl = evaluation.logits.astype(np.float64), evaluation.wdl.astype(np.float64)
    starts = batch.offsets.tolist()
    for row, (line, moves) in enumerate(zip(chunk, batch.moves(), strict=True)):
        x = logits[starts[row] : starts[row + 1]]
        order = np.argsort(-x, kind="stable").tolist()
        names, x = [moves[i] for i in order], x[order]
        weights = np.exp(x - x[:1])
        win, draw, loss = wdl[row].tolist() if moves else lost_or_drawn(line.position)
        yield line.echo | {
            "policy": dict(zip(names, (weights / weights.sum()).tolist(), strict=True)),
            "logits": dict(zip(names, x.tolist(), strict=True)),
            "wdl": [win, draw, loss],
            "q": win - loss,
        }
