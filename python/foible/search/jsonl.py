"""Searches of many positions, as plain values ready for JSON Lines."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from foible._core import ChessPosition, Forest
from foible.games.jsonl import CHUNK, PositionLine, chunks, lost_or_drawn
from foible.nets.evaluator import Evaluator
from foible.search.driver import run
from foible.search.params import SearchParams
from foible.search.seats import seats
from foible.search.votes import without_cache

_BYTES_PER_VISIT = 1024
"""Ample: a chess node with its edges takes 370 bytes at the start of a game, 600 where there is most to do."""
_LARGEST_SEED = 2**64 - 1

Progress = Callable[[float], None]


def search_lines(
    evaluator: Evaluator,
    lines: Iterable[PositionLine],
    params: SearchParams,
    nodes: int,
    progress: Progress = lambda positions: None,
) -> Iterator[dict[str, Any]]:
    """One result per position, in order; `nodes` visits for each root.

    Up to 256 positions grow in one forest, fewer where their trees would fill half of `memory_mb`; with one lane each
    tree's course depends on its position alone. `best`, `pv` and `moves` rank moves as a player would. Where the side
    to move has no legal move, `best` is `None`, nothing was searched (`n` = 0) and `q` and `d` are the result's.

    `progress` hears now and then how many positions are done, those under way as fractions.

    :raises MemoryLimitError: a single tree outgrows `memory_mb`.
    """
    params = without_cache(params, [evaluator])
    forest = Forest(params, *seats(params))
    size = max(1, min(CHUNK, (params.memory_mb << 19) // (_BYTES_PER_VISIT * nodes)))
    done = 0
    for chunk in chunks(lines, size):
        trees = [_plant(forest, line, params, nodes) for line in chunk]
        growing = sum(tree is not None for tree in trees)

        def report(done: int = done, growing: int = growing, count: int = len(chunk)) -> bool:
            progress(done + count * min(1.0, forest.size[0] / (nodes * growing)))
            return False

        if growing:
            run(forest, [evaluator], leaves=leaves_per_call(evaluator, params, growing), stop=report)
        for line, tree in zip(chunk, trees, strict=True):
            yield line.echo | (
                _finished(line.position, params) if tree is None else _result(forest, tree, line, params)
            )
            if tree is not None:
                forest.remove(tree)
        done += len(chunk)


def leaves_per_call(evaluator: Evaluator, params: SearchParams, trees: int) -> int:
    """Leaves to gather at once: as many as the net likes.

    Where the trees cannot offer two such requests, one large one is faster than two that overlap: a visit costs
    the tree some microseconds, and a net at half its batch loses more.
    """
    return min(evaluator.batch_size, trees * params.batch)


def _plant(forest: Forest, line: PositionLine, params: SearchParams, nodes: int) -> int | None:
    if not line.position.legal_moves:
        return None
    return forest.add(line.position, nodes, seed=_seed(line, params))


def _seed(line: PositionLine, params: SearchParams) -> int:
    """Of a tree: positions must not share their noise."""
    return (params.seed + line.number) & _LARGEST_SEED


def _result(forest: Forest, tree: int, line: PositionLine, params: SearchParams) -> dict[str, Any]:
    root = forest.summary(tree)
    best = forest.choose(
        tree,
        temperature=params.temperature_at(line.position.ply),
        value_cutoff=params.temperature_value_cutoff,
        visit_offset=params.temperature_visit_offset,
        seed=_seed(line, params),
    )
    return {
        "best": best,
        "root": {"n": root.n, "q": root.q, "d": root.d},
        "moves": {move.move: {"n": move.n, "q": move.q, "p": move.prior} for move in root.moves},
        "pv": forest.line(tree, best),
    }


def _finished(position: ChessPosition, params: SearchParams) -> dict[str, Any]:
    win, draw, loss = lost_or_drawn(position)
    worth = params.draw_score if position.turn == "first" else -params.draw_score
    return {
        "best": None,
        "root": {"n": 0, "q": win - loss + worth * draw, "d": draw},
        "moves": {},
        "pv": [],
    }
