"""The search by margins in plain Python: `tests.reference_search` with sigmoids for values (SAI, §3)."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from foible._core import Batch, Bonus, GoPosition, Seat
from foible.games import Position
from foible.nets.evaluator import Evaluator
from foible.search.params import SearchParams
from tests import reference_bonus
from tests.reference_bonus import Sigmoid
from tests.reference_search import Node, Rule, Search, freezes_after

NO_BONUS = Bonus()


@dataclass
class Known:
    """What is known of a node beside its statistics, for Black."""

    sigmoid: Sigmoid
    interval: tuple[float, float]
    own: float
    """Win minus loss of the player to move, as the net has it, over the node's own interval."""
    winrate: float = 0.0
    score: float = 0.0


def black_to_move(node: Node) -> bool:
    assert node.position is not None
    return node.position.turn == "first"


def interval_of(bonus: Bonus, sigmoid: Sigmoid, black: bool) -> tuple[float, float]:
    """From x_mu to x_lambda of a decision, in Black's points (§3.4)."""
    twin = reference_bonus.Bonus(bonus.lambda_, bonus.mu, lambda_behind=bonus.lambda_behind, mu_behind=bonus.mu_behind)
    start, end = (float(x) for x in twin.interval(sigmoid if black else sigmoid.turned))
    return (start, end) if black else (-start, -end)


class MarginSearch(Search):
    """`Search` where both seats weigh margins."""

    def __init__(
        self,
        position: Position,
        params: SearchParams,
        seats: tuple[Seat, Seat],
        evaluators: Sequence[Evaluator],
        seed: int = 0,
        root: Rule | None = None,
    ) -> None:
        super().__init__(position, params, seats, evaluators, seed, root)
        self.known: dict[Node, Known] = {}

    def evaluate(self, node: Node, seat: Seat) -> None:
        super().evaluate(node, seat)
        assert isinstance(node.position, GoPosition)
        margins = self.evaluators[seat.evaluator].evaluate(Batch([node.position])).margins
        assert margins is not None
        alpha, beta = (float(x) for x in margins[0])
        black = black_to_move(node)
        sigmoid = Sigmoid((alpha if black else -alpha) - node.position.komi, beta)
        interval = interval_of(seat.bonus or NO_BONUS, sigmoid, black)
        average = float(sigmoid.average(*interval))
        self.known[node] = Known(sigmoid, interval, 2 * average - 1 if black else 1 - 2 * average)

    def end_by_rule(self, path: list[Node]) -> None:
        node, position = path[-1], path[-1].position
        assert isinstance(position, GoPosition)
        if position.outcome() is not None:
            node.terminal = True
            self.known[node] = Known(Sigmoid(position.margin, self.params.terminal_beta), (0.0, 0.0), 0.0)

    def fpu(self, node: Node, depth: int, visited: Iterable[float]) -> float:
        if self.at(depth, "fpu") != "net":
            return super().fpu(node, depth, visited)
        return self.known[node].own - float(self.at(depth, "fpu_value")) * math.sqrt(math.fsum(visited))

    def back_up(self, path: list[Node]) -> None:
        """§3.4: every node adds the value of the leaf over the interval of its own decision state."""
        leaf = path[-1]
        for depth in reversed(range(len(path))):
            node = path[depth]
            decision = self.root if self.params.interval == "root" else path[max(depth - 1, 0)]
            node.n += 1
            value = self.leaf_value(leaf, self.known[decision].interval)
            node.wl += ((1 - 2 * value if black_to_move(node) else 2 * value - 1) - node.wl) / node.n
            known = self.known[node]
            known.winrate += (self.leaf_value(leaf, (0.0, 0.0)) - known.winrate) / node.n
            known.score += (float(self.known[leaf].sigmoid.margin) - known.score) / node.n
            if node.n - 1 >= freezes_after(self.rule(depth)) and not node.terminal and not node.shares:
                node.shares = [(edge, edge.child.n) for edge in node.edges if edge.child.n]

    def leaf_value(self, leaf: Node, interval: tuple[float, float]) -> float:
        """Black's. A finished game is won or lost where there is no bonus, or where its beta is infinite."""
        sigmoid, (start, end) = self.known[leaf].sigmoid, interval
        if not leaf.terminal or ((start or end) and math.isfinite(self.params.terminal_beta)):
            return float(sigmoid.average(start, end))
        low, high = float(sigmoid.margin) + min(start, end), float(sigmoid.margin) + max(start, end)
        if low == high:
            return 0.5 * ((low > 0) + (low >= 0))
        return (max(high, 0.0) - max(low, 0.0)) / (high - low)

    def advance(self, move: str, keep: bool = True) -> None:
        super().advance(move, keep)
        if self.params.interval == "root" and self.root.edges:
            self.average_again(self.root, self.known[self.root].interval)

    def average_again(self, node: Node, interval: tuple[float, float]) -> float:
        """Make the means anew for another root's interval; the sum of the values below, Black's."""
        own = node.n if node.terminal else 1
        total = own * self.leaf_value(node, interval)
        total += sum(self.average_again(edge.child, interval) for edge in node.edges if edge.child.n)
        node.wl = (1 - 2 * total / node.n) if black_to_move(node) else 2 * total / node.n - 1
        return total
