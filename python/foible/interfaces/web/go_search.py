"""What a page asks of Go nets: an engine's move, the winrate by komi, and what lambda changes."""

import asyncio
import secrets
from collections.abc import AsyncGenerator
from typing import TYPE_CHECKING, Annotated

import msgspec

from foible._core import Bonus, GoPosition
from foible.errors import ConfigError, PositionError
from foible.games.go import Colour, turn_of, usual_komi
from foible.interfaces.web.asking import Question, Reply, ShortText
from foible.interfaces.web.go import GoLine, go_nets
from foible.interfaces.web.shared import Shared
from foible.mistakes import near
from foible.nets.catalogue import find_net
from foible.nets.go.evaluator import GoRuntimeNet
from foible.nets.shelf import NetShelf
from foible.search.go import SearchedMove, by_bonus

if TYPE_CHECKING:
    from foible.analysis.go import KomiCurve, NetOpinion

MOST_VISITS = 10_000
MOST_LAMBDAS = 4
MOVES_TOLD = 30
TREE_BYTES = 9

Weight = Annotated[float, msgspec.Meta(ge=-10, le=10)]
"""Lambda or mu."""
Visits = Annotated[int, msgspec.Meta(ge=1, le=MOST_VISITS)]


class GoAim(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A net, and how its search weighs margins."""

    net: ShortText
    """As `GoNets` lists it."""
    lambda_: Weight = msgspec.field(default=0.0, name="lambda")
    mu: Weight = 0.0


class GoNetOpened(Reply, frozen=True, kw_only=True):
    """A net."""

    net: str
    size: int
    """The only board on which it plays."""
    margins: bool
    """Whether it judges margins: else it knows the komi alone that it was trained for, and lambda means nothing."""
    even_komi: float
    """At which it thinks the empty board even, but for half a point; the usual one where it does not see the komi."""


class GoNet(Question, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="go_net"):
    """What a net plays."""

    net: ShortText

    async def answer(self, shared: Shared) -> AsyncGenerator[GoNetOpened, None]:
        """:raises ConfigError: there is no such net."""
        net = await _net(shared, self.net)
        komi = usual_komi(net.size)
        opinion, _ = await asyncio.to_thread(_opinion, net, GoPosition(net.size, komi=komi), Bonus())
        even = komi if opinion.curve is None else opinion.curve.even_komi
        yield GoNetOpened(net=self.net, size=net.size, margins=net.judges_margins, even_komi=even)


async def _net(shared: Shared, name: str) -> GoRuntimeNet:
    known = await asyncio.to_thread(go_nets, shared.runs)
    if name not in known:
        raise ConfigError(f"no net for Go is called {name!r}: {near(name, known)}")
    written = await asyncio.to_thread(lambda: find_net(known[name]).stat().st_mtime_ns)
    shelf = NetShelf(shared.workshop.shelf.runtimes)  # a new one, for a run writes its net anew
    net = await shared.once(("go net", name), lambda: shelf.evaluator(known[name]), version=written)
    if not isinstance(net, GoRuntimeNet):
        raise ConfigError(f"{name} is no net for Go")
    return net


def _opinion(net: GoRuntimeNet, position: GoPosition, bonus: Bonus) -> "tuple[NetOpinion, tuple[int, int]]":
    """A net's opinion of a position, and the first and the last komi that show it."""
    from foible.analysis.go import komi_range, opinion_of  # noqa: PLC0415  matplotlib takes a second to import

    found = opinion_of(net, position, bonus)
    return found, komi_range([found.curve] if found.curve else [], position.komi, position.size)


class GoCurveShown(Reply, frozen=True, kw_only=True):
    """Black's winrate by komi, of a net that judges margins; see `foible.analysis.go.KomiCurve`."""

    alpha: float
    """The margin on the board that the player to move expects, in points."""
    beta: float
    """Steepness per point."""
    fair_komi: float
    interval: tuple[float, float]
    """Bonus points of the player to move, of mu and of lambda."""
    shaded: tuple[float, float]
    """The interval as komi, ascending."""
    komi: list[float]
    """Where the curve is sampled, ascending."""
    winrates: list[float]
    """The winrates of Black there, 0 to 1."""


class GoOpinion(Reply, frozen=True, kw_only=True):
    """What a net says of a position at first sight: the mean over the symmetries of the board (SAI, §7)."""

    winrate: float
    """The winrate of Black at the position's own komi, 0 to 1."""
    curve: GoCurveShown | None
    """`None` of a net that does not judge margins."""


class GoCurve(Question, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="go_curve"):
    """Black's winrate by komi, and the bonus points by which an aim weighs it."""

    line: GoLine
    aim: GoAim

    async def answer(self, shared: Shared) -> AsyncGenerator[GoOpinion, None]:
        """:raises FoibleError: the game is over, or the net does not fit."""
        position, net = await _asked(shared, self.line, self.aim.net)
        bonus = Bonus(self.aim.lambda_, self.aim.mu)
        found, ends = await asyncio.to_thread(_opinion, net, position, bonus)
        curve = None if found.curve is None else _curve_shown(found.curve, position, *ends)
        yield GoOpinion(winrate=found.winrate, curve=curve)


def _curve_shown(curve: "KomiCurve", position: GoPosition, first: int, last: int) -> GoCurveShown:
    komi = curve.samples(first, last)
    return GoCurveShown(
        alpha=curve.alpha,
        beta=curve.beta,
        fair_komi=curve.fair_komi,
        interval=curve.interval,
        shaded=curve.shaded(position),
        komi=komi.tolist(),
        winrates=curve.at(komi).tolist(),
    )


async def _asked(shared: Shared, line: GoLine, name: str) -> tuple[GoPosition, GoRuntimeNet]:
    """A position that goes on, and a net that plays there."""
    position = line.position
    if position.outcome() is not None:
        raise PositionError("the game is over here: both have passed")
    net = await _net(shared, name)
    if net.size != position.size:
        raise ConfigError(f"{name} plays on {net.size}×{net.size} alone, not on {position.size}×{position.size}")
    return position, net


def _bonus(net: GoRuntimeNet, lambda_: float, mu: float) -> Bonus | None:
    if net.judges_margins:
        return Bonus(lambda_, mu)
    if lambda_ or mu:
        raise ConfigError(f"{net.model.name} judges wins alone, not margins; expected lambda = 0 and mu = 0")
    return None


class GoTreeOpened(Reply, frozen=True, kw_only=True):
    """A search tree for one game."""

    tree: str
    """Its name, for `GoMove`."""


class GoTree(Question, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="go_tree"):
    """A search tree for one game, as long as this question is open: what the engine searched for one move is kept for
    its next.
    """

    async def answer(self, shared: Shared) -> AsyncGenerator[GoTreeOpened, None]:
        tree = secrets.token_urlsafe(TREE_BYTES)
        shared.go_trees.open(tree)
        try:
            yield GoTreeOpened(tree=tree)
            await asyncio.Event().wait()
        finally:
            shared.go_trees.close(tree)


class GoMovePlayed(Reply, frozen=True, kw_only=True):
    """A move, and what its search made of the position. Winrate and margin are those of the player who moves."""

    ply: int
    """Moves before it."""
    move: str
    visits: int
    winrate: float | None
    """0 to 1; `None` where there was but one move."""
    margin: float | None
    """After komi, in points; `None` also of a net without margins."""
    remark: str
    """For the record of the game."""


class GoMove(Question, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="go_move"):
    """What an engine plays after so many visits; with a tree, those that are known from its last move count."""

    line: GoLine
    aim: GoAim
    visits: Visits
    tree: ShortText = ""
    """As `GoTree` named it; without one nothing is kept, and the answer is always the same."""

    async def answer(self, shared: Shared) -> AsyncGenerator[GoMovePlayed, None]:
        """:raises FoibleError: the game is over, or the net does not fit."""
        position, net = await _asked(shared, self.line, self.aim.net)
        bonus = _bonus(net, self.aim.lambda_, self.aim.mu)
        found = await shared.go_trees.choose(self.tree, net, bonus, position, self.visits)
        yield GoMovePlayed(
            ply=position.ply,
            move=found.move,
            visits=found.info["n"],
            winrate=found.info.get("winrate"),
            margin=found.info.get("margin"),
            remark=found.info.get("remark", ""),
        )


class GoMoveSearched(Reply, frozen=True, kw_only=True):
    """A move that a search visited; winrate and margin as in `GoMovePlayed`."""

    move: str
    visits: int
    winrate: float
    margin: float | None


class GoPreference(Reply, frozen=True, kw_only=True):
    """What a search with one lambda prefers."""

    lambda_: float = msgspec.field(name="lambda")
    visits: int
    moves: list[GoMoveSearched]
    """The best first."""


class GoPreferences(Reply, frozen=True, kw_only=True):
    """What searches with several lambdas prefer."""

    turn: Colour
    """Whose winrates and margins these are."""
    complete: bool
    by_lambda: list[GoPreference]


class GoCompare(Question, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="go_compare"):
    """What lambda changes in a position: drafts, and at last searches with all visits."""

    line: GoLine
    net: ShortText
    lambdas: Annotated[list[Weight], msgspec.Meta(min_length=1, max_length=MOST_LAMBDAS)]
    mu: Weight = 0.0
    visits: Visits

    async def answer(self, shared: Shared) -> AsyncGenerator[GoPreferences, None]:
        """:raises FoibleError: the game is over, or the net does not fit."""
        position, net = await _asked(shared, self.line, self.net)
        bonuses = [_bonus(net, lambda_, self.mu) for lambda_ in self.lambdas]
        async for found in by_bonus(net, position, bonuses, self.visits):
            yield GoPreferences(
                turn=turn_of(position),
                complete=found[0].visits >= self.visits,
                by_lambda=[
                    GoPreference(
                        lambda_=lambda_, visits=one.visits, moves=[_searched(move) for move in one.moves[:MOVES_TOLD]]
                    )
                    for lambda_, one in zip(self.lambdas, found, strict=True)
                ],
            )


def _searched(move: SearchedMove) -> GoMoveSearched:
    return GoMoveSearched(move=move.move, visits=move.visits, winrate=move.winrate, margin=move.margin)
