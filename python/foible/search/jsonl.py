"""Searches of many positions, as plain values ready for JSON Lines."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from foible._core import ChessPosition, RootMove
from foible.games.jsonl import CHUNK, PositionLine, chunks, final_wdl, shortest
from foible.loop import together, wait
from foible.nets.evaluator import Evaluator
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

    :raises MemoryLimitError: a single tree outgrows `memory_mb`.
    """
    params = settings.params
    trees = Trees([evaluator], params)
    size = max(1, min(CHUNK, (params.memory_mb << 19) // (BYTES_PER_VISIT * nodes)))
    done = 0
    for chunk in chunks(lines, size):
        growing = [line for line in chunk if line.position.legal_moves]

        def report(done: int = done, growing: int = len(growing), count: int = len(chunk)) -> bool:
            progress(done + count * min(1.0, trees.forest.size[0] / (nodes * growing)))
            return False

        searches = (
            _searched(trees, line, settings.choice, nodes, report if line is growing[0] else None) for line in growing
        )
        found = iter(wait(together(searches)))
        for line in chunk:
            yield line.echo | (next(found) if line.position.legal_moves else _finished(line.position, params))
        done += len(chunk)


async def _searched(
    trees: Trees, line: PositionLine, choice: MoveChoice, nodes: int, watch: Callable[[], bool] | None
) -> dict[str, Any]:
    """Search the position of a line. `watch`: called now and then; the search ends where it returns true."""
    seed = (trees.params.seed + line.number) & _LARGEST_SEED  # positions must not share their noise
    with trees.plant(line.position, seed) as tree:
        await tree.grow(nodes, stop=watch)
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
