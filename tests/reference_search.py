"""The search in plain Python: the executable specification that the core's search is held to, visit for visit.

One tree, one visit at a time, no cache, no noise, nothing clever. Sections cited are those of `docs/methods/search.md`.
Values of a node (`wl`, `d`, `m`) are seen by the player who moved into it.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import reduce
from typing import Any

import chess
import numpy as np

from foible._core import Batch, BrainHand, ChessPosition, Coin, Follow, FollowBest, FreezeAfter, GoPosition, Puct, Seat
from foible.games import Position
from foible.nets.evaluator import Evaluator
from foible.search.params import SearchParams

Rule = Puct | Follow | FollowBest | Coin | BrainHand | FreezeAfter

LOSS, DRAW, WIN = -1, 0, 1
MASK = 2**64 - 1


class Generator:
    """SplitMix64 (Steele, Lea, Flood 2014)."""

    def __init__(self, seed: int) -> None:
        self.state = seed

    def uniform(self) -> float:
        x = self.state = (self.state + 0x9E3779B97F4A7C15) & MASK
        x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9 & MASK
        x = (x ^ (x >> 27)) * 0x94D049BB133111EB & MASK
        return float((x ^ (x >> 31)) >> 11) / 2**53


@dataclass(eq=False)
class Edge:
    """A legal move."""

    move: str
    prior: float
    policies: dict[int, float]
    """The move's probability for each model that is followed here."""
    kind: int
    """The type of the piece that moves."""
    child: "Node"


@dataclass(eq=False)
class Node:
    """A position of the tree."""

    n: int = 0
    wl: float = 0.0
    d: float = 0.0
    m: float = 0.0
    position: Position | None = None
    edges: list[Edge] = field(default_factory=list)
    terminal: bool = False
    cycle: int = 0
    """Plies since the position occurred before, where this is a two-fold draw."""
    lower: int = LOSS
    upper: int = WIN
    forced: int = 0
    """Visits into this node that a model forced."""
    shares: list[tuple[Edge, int]] = field(default_factory=list)
    """The moves that a frozen node goes on to play, with their visits at the freeze; empty where it is not frozen."""

    def end(self, result: int, m: float, cycle: int = 0) -> None:
        """Make it terminal; a two-fold draw keeps open bounds."""
        self.wl, self.d, self.m = float(result), float(result == DRAW), m
        self.terminal, self.cycle = True, cycle
        if not cycle:
            self.lower = self.upper = result


def add(numbers: Iterable[float]) -> float:
    """From first to last: `sum` rounds otherwise from Python 3.12 on."""
    return reduce(float.__add__, numbers, 0.0)


def softmax(logits: Sequence[float], temperature: float) -> list[float]:
    """Rounded to 32 bits, as priors are kept."""
    top = max(logits)
    weights = [math.exp((x - top) / temperature) for x in logits]
    total = add(weights)
    return [float(np.float32(weight / total)) for weight in weights]


def followed(rule: Rule | None) -> set[int]:
    """The models whose policies a rule needs."""
    match rule:
        case Coin():
            return followed(rule.first) | followed(rule.second)
        case Follow() | FollowBest():
            return {rule.model}
        case BrainHand():
            return {rule.hand}
    return set()


def free(rule: Rule, node: Node) -> bool:
    """Whether the owner of a node plays what it likes: no model has a say, and it has not stopped thinking."""
    if isinstance(rule, Coin):
        return free(rule.first, node) and free(rule.second, node)
    return isinstance(rule, Puct) or (isinstance(rule, FreezeAfter) and not node.shares)


def freezes_after(rule: Rule) -> float:
    """Visits into a node's children at which they are frozen."""
    if isinstance(rule, Coin):
        return min(freezes_after(rule.first), freezes_after(rule.second))
    return rule.visits if isinstance(rule, FreezeAfter) else math.inf


def piece_type(position: Position, move: str) -> int:
    """Pawn, knight, bishop, rook, queen, king from 0, by the from-square; stones are all alike."""
    if isinstance(position, GoPosition):
        return 0
    piece = chess.BaseBoard(position.fen.split()[0]).piece_type_at(chess.parse_square(move[:2]))
    assert piece is not None
    return piece - 1


def insufficient(fen: str) -> bool:
    """No mating material, as §"Expansion" words it."""
    rows = fen.split(maxsplit=1)[0].split("/")
    squares = [list("".join("." * int(c) if c.isdigit() else c for c in row)) for row in rows]
    pieces = [(c.lower(), (x + y) % 2) for y, row in enumerate(squares) for x, c in enumerate(row) if c != "."]
    if any(kind in "prq" for kind, _ in pieces):
        return False
    others = [(kind, colour) for kind, colour in pieces if kind != "k"]
    only_bishops = all(kind == "b" for kind, _ in others) and len({colour for _, colour in others}) == 1
    return len(pieces) < 4 or only_bishops


@dataclass(frozen=True)
class Arm:
    """The moves of one piece type at a node, as a brain sees them whose hand is a model."""

    edges: list[Edge]
    shares: list[float]
    """The hand's probability of each move, given the type."""
    prior: float
    n: int
    """Visits that no model forced."""
    q: float | None
    """What the hand would make of the type, over the moves visited so far."""


class Search:
    """A search tree. `ours` owns the plies of the side to move at the root, `theirs` the others.

    At the root itself the rule `root` picks, where there is one.
    """

    def __init__(
        self,
        position: Position,
        params: SearchParams,
        seats: tuple[Seat, Seat],
        evaluators: Sequence[Evaluator],
        seed: int = 0,
        root: Rule | None = None,
    ) -> None:
        self.params, self.seats, self.evaluators, self.root_rule = params, seats, evaluators, root
        self.generator = Generator(seed)
        self.root = Node(position=position)
        self.has_moves_left = False

    def run(self, nodes: int) -> None:
        while self.root.n < nodes:
            self.visit()

    def visit(self) -> None:
        path = [self.root]
        while path[-1].edges and not path[-1].terminal:
            path.append(self.pick(path[-1], len(path) - 1).child)
        if not path[-1].terminal:
            self.expand(path)
        self.back_up(path)

    # Selection

    def rule(self, depth: int) -> Rule:
        return self.root_rule if self.root_rule and not depth else self.seats[depth % 2].rule

    def pick(self, node: Node, depth: int) -> Edge:
        rule = self.rule(depth)
        while isinstance(rule, Coin):
            rule = rule.first if self.generator.uniform() < rule.p else rule.second
        match rule:
            case Follow():
                return self.follow(node, rule.model)
            case FollowBest():
                return force(max(node.edges, key=lambda edge: edge.policies[rule.model]))
            case BrainHand():
                return self.brain_hand(node, rule.hand, depth)
            case FreezeAfter() if node.shares and (rule.at == "implementation" or node.n - 1 > rule.visits):
                return self.frozen(node, rule)
        return self.puct(node, depth)

    def frozen(self, node: Node, rule: FreezeAfter) -> Edge:
        """Search-contempt §1: the visits at the freeze are dealt out again, by chance or evenly."""
        weights = [visits ** (1 / rule.temperature) for _, visits in node.shares]
        total = add(weights)
        if rule.draw == "sample":
            left = self.generator.uniform() * total
            for (edge, _), weight in zip(node.shares, weights, strict=True):
                left -= weight
                if left < 0:
                    return edge
            return node.shares[-1][0]
        since = [edge.child.n - visits for edge, visits in node.shares]
        lags = [weight / total * (sum(since) + 1) - n for weight, n in zip(weights, since, strict=True)]
        return node.shares[lags.index(max(lags))][0]

    def follow(self, node: Node, model: int) -> Edge:
        """The move that lags most behind its share of the forced visits."""
        total = sum(edge.child.forced for edge in node.edges)
        return force(max(node.edges, key=lambda e: e.policies[model] * (total + 1) - e.child.forced))

    def puct(self, node: Node, depth: int) -> Edge:
        """§"Selection at a node". Visits that a model forced are no evidence of exploration."""
        bonus = self.bonus(node, depth)
        fpu = self.fpu(node, depth, (edge.prior for edge in node.edges if edge.child.n))

        def score(edge: Edge) -> float:
            u = edge.prior * bonus / (1 + edge.child.n - edge.child.forced)
            return (self.value(node, edge) if edge.child.n else fpu) + u

        return max(node.edges, key=score)

    def brain_hand(self, node: Node, hand: int, depth: int) -> Edge:
        """PUCT over piece types; then the move of the type that lags most behind the hand's share."""
        bonus, arms = self.bonus(node, depth), self.arms(node, hand)
        fpu = self.fpu(node, depth, (arm.prior for arm in arms if arm.q is not None))
        arm = max(arms, key=lambda a: (fpu if a.q is None else a.q) + a.prior * bonus / (1 + a.n))
        lags = [
            share * (arm.n + 1) - (edge.child.n - edge.child.forced)
            for edge, share in zip(arm.edges, arm.shares, strict=True)
        ]
        return arm.edges[lags.index(max(lags))]

    def arms(self, node: Node, hand: int) -> list[Arm]:
        """The piece types of a node's moves, pawns first."""
        arms = []
        for kind in sorted({edge.kind for edge in node.edges}):
            edges = [edge for edge in node.edges if edge.kind == kind]
            mass = add(edge.policies[hand] for edge in edges)
            shares = [edge.policies[hand] / mass if mass else 1 / len(edges) for edge in edges]
            visited = [(share, edge) for share, edge in zip(shares, edges, strict=True) if edge.child.n]
            known = add(share for share, _ in visited)
            q = add(share * self.value(node, edge) for share, edge in visited) / known if known else None
            n = sum(edge.child.n - edge.child.forced for edge in edges)
            arms.append(Arm(edges, shares, add(edge.prior for edge in edges), n, q))
        return arms

    def value(self, node: Node, edge: Edge) -> float:
        """The worth of a visited move to who moves at the node."""
        q = edge.child.wl + self.draw_score(node) * edge.child.d
        return q + self.moves_left_utility(node, edge.child, q)

    def bonus(self, node: Node, depth: int) -> float:
        """The exploration term before prior and visits of the move."""
        n = node.n - sum(edge.child.forced for edge in node.edges)
        return self.cpuct(n, depth) * math.sqrt(max(n - 1, 1))

    def at(self, depth: int, name: str) -> Any:
        """A constant that the root may have its own value of."""
        own = getattr(self.params, f"root_{name}") if depth == 0 else None
        return getattr(self.params, name) if own is None else own

    def cpuct(self, n: int, depth: int) -> float:
        base = self.at(depth, "cpuct_base")
        return float(self.at(depth, "cpuct") + self.at(depth, "cpuct_factor") * math.log((n + base) / base))

    def fpu(self, node: Node, depth: int, visited: Iterable[float]) -> float:
        """First-play urgency: what stands in for the value of the unvisited, from the priors of the visited."""
        value = float(self.at(depth, "fpu_value"))
        if self.at(depth, "fpu") == "absolute":
            return value
        return -node.wl + self.draw_score(node) * node.d - value * math.sqrt(add(visited))

    def draw_score(self, node: Node) -> float:
        """The worth of a draw to the side to move at a node."""
        assert node.position is not None
        return self.params.draw_score if node.position.turn == "first" else -self.params.draw_score

    def moves_left_utility(self, node: Node, child: Node, q: float) -> float:
        p = self.params
        if abs(node.wl) <= p.moves_left_threshold or not self.has_moves_left:
            return 0.0
        effect = p.moves_left_slope * (child.m - node.m)
        effect = min(max(effect, -p.moves_left_max_effect), p.moves_left_max_effect)
        above = max(abs(q) - p.moves_left_threshold, 0.0) / (1 - p.moves_left_threshold)
        scale = p.moves_left_constant + p.moves_left_scaled * above + p.moves_left_quadratic * above * above
        return effect * ((q < 0) - (q > 0)) * scale

    # Expansion

    def expand(self, path: list[Node]) -> None:
        node, depth = path[-1], len(path) - 1
        if node.position is None:
            parent = path[-2]
            assert parent.position is not None
            move = next(edge.move for edge in parent.edges if edge.child is node)
            node.position = parent.position.play(move)
        self.end_by_rule(path)
        if node.terminal:
            if depth:
                clear_prior_if_lost(path[-2], node)
        else:
            self.evaluate(node, self.seats[depth % 2])

    def end_by_rule(self, path: list[Node]) -> None:
        """§"Expansion", in its order of checks."""
        node, position = path[-1], path[-1].position
        if isinstance(position, GoPosition):
            outcome = position.outcome()
            if outcome is not None:
                mover = "second" if position.turn == "first" else "first"
                node.end(DRAW if outcome.winner is None else WIN if outcome.winner == mover else LOSS, 0.0)
            return
        assert isinstance(position, ChessPosition)
        if not position.legal_moves:
            node.end(WIN if position.is_check else DRAW, 0.0)
        elif len(path) == 1:
            return
        elif insufficient(position.fen) or position.halfmove_clock >= 100 or position.repetitions >= 2:
            node.end(DRAW, 0.0)
        elif self.params.two_fold_draws and position.repetitions == 1:
            board = position.fen.split()[:3]
            for plies in range(4, len(path), 2):
                earlier = path[-1 - plies].position
                assert isinstance(earlier, ChessPosition)
                if earlier.repetitions == 0 and earlier.fen.split()[:3] == board:
                    node.end(DRAW, float(plies), cycle=plies)
                    return

    def evaluate(self, node: Node, seat: Seat) -> None:
        """Value and priors from the seat's net, policies from the models that its rule, or the root's, follows."""
        assert node.position is not None
        batch = Batch([node.position])
        judge = self.evaluators[seat.evaluator].evaluate(batch)
        win, draw, loss = (float(x) for x in judge.wdl[0])
        node.wl, node.d = loss - win, draw
        if judge.moves_left is not None:
            node.m, self.has_moves_left = float(judge.moves_left[0]), True
        priors = softmax(judge.logits.tolist(), self.params.policy_temperature)
        models = followed(seat.rule) | followed(self.root_rule)
        policies = {model: softmax(self.evaluators[model].evaluate(batch).logits.tolist(), 1.0) for model in models}
        node.edges = [
            Edge(
                move,
                priors[i],
                {model: policy[i] for model, policy in policies.items()},
                piece_type(node.position, move),
                Node(),
            )
            for i, move in enumerate(node.position.legal_moves)
        ]
        node.edges.sort(key=lambda edge: -edge.prior)

    # Backup

    def back_up(self, path: list[Node]) -> None:
        """§"Backup". A node that gets proven passes its exact value on and corrects its ancestors' past."""
        leaf = path[-1]
        wl, d, m = leaf.wl, leaf.d, leaf.m
        news = self.params.sticky_endgames and leaf.terminal and leaf.n == 0
        visits, error = 0, (0.0, 0.0, 0.0)
        for depth in range(len(path) - 1, -1, -1):
            node = path[depth]
            if node.terminal:
                wl, d, m = node.wl, node.d, node.m
            node.n += 1
            node.wl += (wl - node.wl) / node.n
            node.d += (d - node.d) / node.n
            node.m += (m - node.m) / node.n
            if visits and not node.terminal:
                node.wl += error[0] * (visits / node.n)
                node.d += error[1] * (visits / node.n)
                node.m += error[2] * (visits / node.n)
            if node.n - 1 >= freezes_after(self.rule(depth)) and not node.terminal and not node.shares:
                node.shares = [(edge, edge.child.n) for edge in node.edges if edge.child.n]
            news = news and depth >= 2
            if news:
                parent = path[depth - 1]
                before = parent.wl, parent.d, parent.m
                news = prove(parent, m, free(self.rule(depth - 1), parent))
                if parent.terminal:
                    visits, error = (
                        parent.n,
                        (before[0] - parent.wl, parent.d - before[1], parent.m - before[2]),
                    )
                    clear_prior_if_lost(path[depth - 2], parent)
            wl, m, error = -wl, m + 1, (-error[0], *error[1:])

    # Reuse

    def advance(self, move: str, keep: bool = True) -> None:
        """Play a move at the root. What was searched below it stays, if anything was."""
        child = next((edge.child for edge in self.root.edges if edge.move == move), None)
        if keep and child is not None and child.edges:
            self.root = child
            forget_cycles([child])
            reopen(child)
        else:
            assert self.root.position is not None
            self.root = Node(position=self.root.position.play(move))

    # Final move

    def votes(self) -> dict[str, tuple[int, float]]:
        """The visits that speak for each of the root's moves, and their value."""
        rule = self.rule(0)
        while isinstance(rule, Coin):
            rule = rule.first
        if isinstance(rule, BrainHand):
            votes = {edge.move: (0, -math.inf) for edge in self.root.edges}
            for arm in self.arms(self.root, rule.hand):
                favourite = max(arm.edges, key=lambda edge: edge.policies[rule.hand])
                votes[favourite.move] = (arm.n, -math.inf if arm.q is None else arm.q)
            return votes
        chosen = any(edge.child.n > edge.child.forced for edge in self.root.edges)
        ds = self.draw_score(self.root)
        return {
            edge.move: (child.n - child.forced * chosen, child.wl + ds * child.d if child.n else -math.inf)
            for edge in self.root.edges
            for child in [edge.child]
        }

    def ranked(self) -> list[Edge]:
        """§"Final move": the root's moves as a player ranks them. Only who moves freely is sure of a proven result."""
        votes = self.votes() if self.root.edges else {}
        rule = self.rule(0)
        while isinstance(rule, Coin):
            rule = rule.first

        def key(edge: Edge) -> tuple[float, ...]:
            child = edge.child
            if child.lower == child.upper != DRAW and not isinstance(rule, BrainHand):
                return (0, child.m) if child.lower == WIN else (2, -child.m)
            visits, q = votes[edge.move]
            return (1, -visits, -q, -edge.prior)

        return sorted(self.root.edges, key=key)


def force(edge: Edge) -> Edge:
    """A model makes the move."""
    edge.child.forced += 1
    return edge


def prove(node: Node, m: float, free: bool) -> bool:
    """Recompute a node's bounds from its children, one of which has just got `m`; whether anything is proven.

    Who moves there gets the best of them, unless a model has a say.
    """
    lower = (max if free else min)(edge.child.lower for edge in node.edges)
    upper = max(edge.child.upper for edge in node.edges)
    if lower == upper:
        losses = [edge.child.m for edge in node.edges if edge.child.upper == LOSS]
        node.end(-upper, 1 + (max([m, *losses]) if upper == LOSS else m))
    else:
        node.lower, node.upper = -upper, -lower
    return (lower, upper) != (LOSS, WIN)


def clear_prior_if_lost(parent: Node, child: Node) -> None:
    """A lost move leaves nothing to explore."""
    if child.upper == LOSS:
        next(edge for edge in parent.edges if edge.child is child).prior = 0.0


def forget_cycles(path: list[Node]) -> None:
    """Take two-fold draws whose earlier occurrence lies before the root out of their ancestors.

    Below a proven node there are none: its exact value has replaced theirs. Which visits of an ancestor were forced is
    not known, so that all that are left may have been.
    """
    node, depth = path[-1], len(path) - 1
    for edge in reversed(node.edges):
        forget_cycles([*path, edge.child])
    if not depth < node.cycle or any(ancestor.terminal for ancestor in path[1:-1]):
        return
    visits, wl, d, m = node.n, node.wl, node.d, node.m
    for height, ancestor in enumerate(reversed(path)):
        ancestor.n -= visits
        ancestor.forced = min(ancestor.forced, ancestor.n)
        if ancestor.n:
            ratio = visits / ancestor.n
            ancestor.wl -= ratio * (wl - ancestor.wl)
            ancestor.d -= ratio * (d - ancestor.d)
            ancestor.m -= ratio * (m + height - ancestor.m)
        else:
            ancestor.wl = ancestor.d = ancestor.m = 0.0
    node.terminal, node.cycle = False, 0


def reopen(root: Node) -> None:
    """A proven root is searched again, from the proven value and what its children say."""
    root.lower, root.upper = LOSS, WIN
    if not root.terminal:
        return
    root.terminal, root.n = False, 1
    for child in (edge.child for edge in root.edges if edge.child.n):
        root.n += child.n
        weight = child.n / root.n
        root.wl += (-child.wl - root.wl) * weight
        root.d += (child.d - root.d) * weight
        root.m += (child.m + 1 - root.m) * weight
