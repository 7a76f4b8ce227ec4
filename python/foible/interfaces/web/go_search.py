"""Questions to Go nets: a move, the winrate by komi, and searches with several lambdas."""

import asyncio
import secrets
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Annotated

import msgspec

from foible._core import Bonus, GoPosition
from foible.analysis.go import KomiCurve, NetOpinion, komi_range, opinion_of
from foible.errors import ConfigError, PositionError
from foible.games.go import Colour, turn_of, usual_komi
from foible.interfaces.web.go import GoLine, go_nets
from foible.interfaces.web.protocol import PageQuestion, PageReply, ShortText
from foible.interfaces.web.shared import Shared
from foible.mistakes import near
from foible.nets.catalogue import find_net
from foible.nets.go.evaluator import GoRuntimeNet
from foible.nets.shelf import NetShelf
from foible.search.go import Preference, SearchedMove, by_bonus

MOST_VISITS = 10_000
MOST_LAMBDAS = 4
MOVES_TOLD = 30
TREE_BYTES = 9

Weight = Annotated[float, msgspec.Meta(ge=-10, le=10)]
"""Lambda or mu."""
Visits = Annotated[int, msgspec.Meta(ge=1, le=MOST_VISITS)]


class GoAim(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A net, and the lambda and mu by which its search weighs margins."""

    net: ShortText
    """The name of the net, as `GoNets` lists it."""
    lambda_: Weight = msgspec.field(default=0.0, name="lambda")
    mu: Weight = 0.0


class GoNetOpened(PageReply, frozen=True, kw_only=True):
    """A net."""

    net: str
    size: int
    """The size of the board, the only one on which the net plays."""
    margins: bool
    """Whether the net judges margins; else it knows only the komi that it was trained for, and lambda has no effect."""
    even_komi: float
    """The komi at which the net judges the empty board even, within half a point; the usual komi without margins."""


class GoNet(PageQuestion, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="go_net"):
    """Open a net, and describe what it plays."""

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
    shelf = NetShelf(shared.builder.shelf.runtimes)  # a new shelf, as a run may have replaced its net
    net = await shared.once(("go net", name), lambda: shelf.evaluator(known[name]), version=written)
    if not isinstance(net, GoRuntimeNet):
        raise ConfigError(f"{name} is no net for Go")
    return net


def _opinion(net: GoRuntimeNet, position: GoPosition, bonus: Bonus) -> tuple[NetOpinion, tuple[int, int]]:
    """A net's opinion of a position, and the first and the last komi of the curve that is shown."""
    opinion = opinion_of(net, position, bonus)
    return opinion, komi_range([opinion.curve] if opinion.curve else [], position.komi, position.size)


class GoCurveShown(PageReply, frozen=True, kw_only=True):
    """Black's winrate by komi, by a net that judges margins; see `foible.analysis.go.KomiCurve`."""

    alpha: float
    """The margin on the board that the player to move expects, in points."""
    beta: float
    """The steepness of the winrate, per point."""
    fair_komi: float
    interval: tuple[float, float]
    """The bonus points of the player to move, by mu and by lambda."""
    shaded: tuple[float, float]
    """The interval of bonus points as two komi, ascending."""
    komi: list[float]
    """The komi at which the curve is sampled, ascending."""
    winrates: list[float]
    """Black's winrate at each of `komi`, 0 to 1."""


class GoOpinion(PageReply, frozen=True, kw_only=True):
    """A net's evaluation of a position without search: the mean over the symmetries of the board (SAI, §7)."""

    winrate: float
    """The winrate of Black at the position's own komi, 0 to 1."""
    curve: GoCurveShown | None
    """`None` with a net that does not judge margins."""


class GoCurve(PageQuestion, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="go_curve"):
    """Evaluate Black's winrate by komi, and the bonus points that lambda and mu give."""

    line: GoLine
    aim: GoAim

    async def answer(self, shared: Shared) -> AsyncGenerator[GoOpinion, None]:
        """:raises FoibleError: the game is over, or the net does not fit."""
        position, net = await _asked(shared, self.line, self.aim.net)
        bonus = Bonus(self.aim.lambda_, self.aim.mu)
        found, ends = await asyncio.to_thread(_opinion, net, position, bonus)
        curve = None if found.curve is None else _curve_shown(found.curve, position, *ends)
        yield GoOpinion(winrate=found.winrate, curve=curve)


def _curve_shown(curve: KomiCurve, position: GoPosition, first: int, last: int) -> GoCurveShown:
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
    """The position of a question, and a net that plays on its board.

    :raises FoibleError: the game is over, or the net does not fit.
    """
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


class GoTreeOpened(PageReply, frozen=True, kw_only=True):
    """A search tree for one game."""

    tree: str
    """The name of the tree, for `GoMove`."""


class GoTree(PageQuestion, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="go_tree"):
    """Open a search tree for one game, for as long as this question is open.

    The subtree below the moves played is kept for the engine's next move.
    """

    async def answer(self, shared: Shared) -> AsyncGenerator[GoTreeOpened, None]:
        tree = secrets.token_urlsafe(TREE_BYTES)
        shared.go_trees.open(tree)
        try:
            yield GoTreeOpened(tree=tree)
            await asyncio.Event().wait()
        finally:
            shared.go_trees.close(tree)


class GoMovePlayed(PageReply, frozen=True, kw_only=True):
    """A move, and the result of its search. Winrate and margin are those of the player who moves."""

    ply: int
    """The number of moves before it."""
    move: str
    visits: int
    winrate: float | None
    """0 to 1; `None` where there was only one legal move."""
    margin: float | None
    """After komi, in points; `None` as for `winrate`, and with a net without margins."""
    remark: str
    """A remark on the search, for the record of the game."""


class GoMove(PageQuestion, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="go_move"):
    """Choose a move by a search of so many visits; with a tree, visits kept from the engine's last move count."""

    line: GoLine
    aim: GoAim
    visits: Visits
    tree: ShortText = ""
    """The name that `GoTree` gave; without a tree nothing is kept, and the answer is always the same."""

    async def answer(self, shared: Shared) -> AsyncGenerator[GoMovePlayed, None]:
        """:raises FoibleError: the game is over, or the net does not fit."""
        position, net = await _asked(shared, self.line, self.aim.net)
        bonus = _bonus(net, self.aim.lambda_, self.aim.mu)
        choice = await shared.go_trees.choose(self.tree, net, bonus, position, self.visits)
        yield GoMovePlayed(
            ply=position.ply,
            move=choice.move,
            visits=choice.info["nodes"],
            winrate=choice.info.get("winrate"),
            margin=choice.info.get("margin"),
            remark=choice.info.get("remark", ""),
        )


class GoMoveSearched(PageReply, frozen=True, kw_only=True):
    """A move that a search visited; winrate and margin as in `GoMovePlayed`."""

    move: str
    visits: int
    winrate: float
    margin: float | None


class GoPreference(PageReply, frozen=True, kw_only=True):
    """The moves of a search with one lambda."""

    lambda_: float = msgspec.field(name="lambda")
    visits: int
    moves: list[GoMoveSearched]
    """The visited moves, the best first."""


class GoPreferences(PageReply, frozen=True, kw_only=True):
    """The moves of searches with several lambdas."""

    turn: Colour
    """The player to move, whose winrates and margins these are."""
    complete: bool
    by_lambda: list[GoPreference]


class GoCompare(PageQuestion, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="go_compare"):
    """Compare searches of a position with several lambdas: drafts first, and at last searches with all visits."""

    line: GoLine
    net: ShortText
    lambdas: Annotated[list[Weight], msgspec.Meta(min_length=1, max_length=MOST_LAMBDAS)]
    mu: Weight = 0.0
    visits: Visits

    async def answer(self, shared: Shared) -> AsyncGenerator[GoPreferences, None]:
        """:raises FoibleError: the game is over, or the net does not fit."""
        position, net = await _asked(shared, self.line, self.net)
        bonuses = [_bonus(net, lambda_, self.mu) for lambda_ in self.lambdas]
        async with aclosing(by_bonus(net, position, bonuses, self.visits)) as searches:
            async for preferences in searches:
                by_lambda = [
                    _preference(lambda_, preference)
                    for lambda_, preference in zip(self.lambdas, preferences, strict=True)
                ]
                complete = preferences[0].visits >= self.visits
                yield GoPreferences(turn=turn_of(position), complete=complete, by_lambda=by_lambda)


def _preference(lambda_: float, preference: Preference) -> GoPreference:
    moves = [_searched(move) for move in preference.moves[:MOVES_TOLD]]
    return GoPreference(lambda_=lambda_, visits=preference.visits, moves=moves)


def _searched(move: SearchedMove) -> GoMoveSearched:
    return GoMoveSearched(move=move.move, visits=move.visits, winrate=move.winrate, margin=move.margin)
