"""Searches of many positions, as plain values ready for JSON Lines."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from typing import Any

from foible._core import ChessPosition, RootMove
from foible.games.jsonl import CHUNK, PositionLine, chunks, final_wdl, shortest
from foible.loop import wait
from foible.mistakes import check_at_least
from foible.nets.evaluator import Evaluator
from foible.search.game_tree import GameTree
from foible.search.params import MoveChoice, SearchParams, SearchSettings
from foible.search.trees import BYTES_PER_VISIT, Trees

_LARGEST_SEED = 2**64 - 1

Progress = Callable[[float], None]


def search_lines(
    evaluator: Evaluator,
    lines: Iterable[PositionLine],
    settings: SearchSettings,
    nodes: int,
    progress: Progress = lambda positions: None,
) -> Iterator[dict[str, Any]]:
    """Search positions, and yield one result for each, in order; `nodes` visits for each root.

    Up to 256 trees grow in one forest at once, fewer where they would fill half of `memory_mb`; with one lane the
    growth of each tree depends on its position alone. `best`, `pv` and `moves` rank moves as a player would. Where the
    side to move has no legal move, `best` is `None`, nothing is searched (`n` = 0), and `q` and `d` are those of the
    game's result.

    `progress` is called now and then with the number of positions done, in which those under way count as fractions.

    :raises ConfigError: `nodes` is below 1.
    :raises MemoryLimitError: a single tree outgrows `memory_mb`.
    """
    check_at_least("nodes", nodes, 1)
    params = settings.params
    trees = Trees([evaluator], params)
    size = max(1, min(CHUNK, (params.memory_mb << 19) // (BYTES_PER_VISIT * nodes)))
    done = 0
    for chunk in chunks(lines, size):
        growing = [line for line in chunk if line.position.legal_moves]

        def report(done: int = done, wanted: int = nodes * len(growing), count: int = len(chunk)) -> None:
            progress(done + count * min(1.0, trees.forest.size[0] / wanted))

        found = iter(wait(_searched(trees, growing, settings.choice, nodes, report)))
        for line in chunk:
            yield line.echo | (next(found) if line.position.legal_moves else _finished(line.position, params))
        done += len(chunk)


async def _searched(
    trees: Trees, lines: Sequence[PositionLine], choice: MoveChoice, nodes: int, on_progress: Callable[[], None]
) -> list[dict[str, Any]]:
    """Search the positions of some lines side by side. `on_progress`: as in `Trees.grow`."""
    # Positions must not share their noise.
    seeds = [(trees.params.seed + line.number) & _LARGEST_SEED for line in lines]
    with ExitStack() as planted:
        places = zip((line.position for line in lines), seeds, strict=True)
        grown = [planted.enter_context(trees.plant(position, seed)) for position, seed in places]
        await trees.grow([tree.number for tree in grown], nodes, on_progress=on_progress)
        return [_found(tree, choice, seed) for tree, seed in zip(grown, seeds, strict=True)]


def _found(tree: GameTree, choice: MoveChoice, seed: int) -> dict[str, Any]:
    root, best = tree.summary(), tree.choose(choice, seed)
    return {
        "best": best,
        "root": {"n": root.n, "q": root.q, "d": root.d},
        "moves": {move.move: _move(move) for move in root.moves},
        "pv": tree.line(best),
    }


def _move(move: RootMove) -> dict[str, Any]:
    proven = {} if move.proven is None else {"proven": move.proven}
    return {"n": move.n, "q": move.q, "p": shortest(move.prior), **proven}


def _finished(position: ChessPosition, params: SearchParams) -> dict[str, Any]:
    win, draw, loss = final_wdl(position)
    worth = params.draw_score if position.turn == "first" else -params.draw_score
    return {
        "best": None,
        "root": {"n": 0, "q": win - loss + worth * draw, "d": draw},
        "moves": {},
        "pv": [],
    }
