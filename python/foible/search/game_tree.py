"""The search tree of one game, in the forest of a player's trees."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Self

from foible._core import RootSummary
from foible.games import Position
from foible.mistakes import check_object
from foible.search.params import BEST_MOVE, MoveChoice

if TYPE_CHECKING:
    from foible.search.trees import Trees


class GameTree:
    """The tree of one game: it follows the game and keeps the subtree below the moves played.

    Visits in the subtree count towards those of the next search, as in lc0. The subtree can be kept where each ply
    keeps its owner: after any number of moves with one seat for both sides, else after an even number. That is so
    even where the root has another rule: visits that a model forced there before neither raise a move's rank nor count
    in PUCT.
    """

    def __init__(self, trees: "Trees", position: Position, number: int) -> None:
        """Called by `Trees.plant`."""
        self._trees = trees
        self.number = number
        """The number of the tree in the forest."""
        self.position = position
        """The position at the root."""

    def follow(self, position: Position) -> bool:
        """Make a later position of the same game the root. Where it cannot be, returns false and changes nothing.

        :raises FoibleError: an evaluation for the tree is under way, as after a search that was cancelled.
        """
        moves = position.moves_since(self.position)
        if moves is None or position.outcome() is not None:
            return False
        self._trees.forget_closed_loop()
        ours, theirs = self._trees.seats
        keep = ours is theirs or len(moves) % 2 == 0
        for move in moves:
            self._trees.forest.advance(self.number, move, keep=keep)
        self.position = position
        return True

    async def grow(self, nodes: int, *, seconds: float | None = None, stop: Callable[[], bool] | None = None) -> None:
        """Search until the root has `nodes` visits, kept ones included, or the time is over, or `stop()` returns true.

        Visits made by then are kept, even after an error.

        :param stop: asked now and then on the event loop, before leaves are gathered; what it raises ends the search.
        :raises ConfigError: `nodes` or `seconds` is below 0.
        :raises FoibleError: the tree is growing already, or one of the same forest on another event loop.
        :raises MemoryLimitError: the trees would outgrow `memory_mb`.
        :raises EvaluationError: a net answers with nonsense. Other errors are the net's.
        """
        await self._trees.grow([self.number], nodes, seconds, stop)

    def summary(self) -> RootSummary:
        """The result of the search at the root."""
        return self._trees.forest.summary(self.number)

    def choose(self, choice: MoveChoice = BEST_MOVE, seed: int = 0) -> str | None:
        """The move to play; `None` where the root has no visits.

        :param choice: its temperature is that for the current ply of the game.
        :param seed: the seed of the random choice, where there is a temperature.
        :raises ConfigError: `choice` is none.
        """
        check_object(choice, MoveChoice, "how to choose, such as MoveChoice(temperature=1)")
        return self._trees.forest.choose(
            self.number,
            temperature=choice.temperature_at(self.position.ply),
            value_cutoff=choice.temperature_value_cutoff,
            visit_offset=choice.temperature_visit_offset,
            seed=seed,
        )

    @property
    def size(self) -> tuple[int, int, int]:
        """The numbers of nodes and edges of all trees in the forest, and the bytes allocated for them."""
        return self._trees.forest.size

    def line(self, first: str | None = None) -> list[str]:
        """The principal variation, or the best line that begins with the move `first`."""
        return self._trees.forest.line(self.number, first)

    def remove(self) -> None:
        """Remove the tree from the forest and free its memory. It must not be used again; where it grows, `grow` raises
        `FoibleError`.
        """
        self._trees.remove(self.number)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.remove()
