"""Players as configuration: one record per kind (skill-compatible §0). `workshop.py` builds them."""

from typing import Annotated, Any, Literal, TypeVar

import msgspec

from foible.agents.exp_tag_team import Variant
from foible.judges.spec import JudgeSpec
from foible.nets.shelf import choose_net
from foible.opponents.spec import ModelSpec

Positive = Annotated[int, msgspec.Meta(ge=1)]
Share = Annotated[float, msgspec.Meta(ge=0, le=1)]
Names = Annotated[list[str], msgspec.Meta(min_length=1)]

LEVELS_KEY = "nets"
"""The key of a table that names a net, or several, for each level."""

NET_KEYS = ("net", "judge", "junior", "hand", "opponent")
"""The keys that name a net, or several of which the first that is at hand is taken."""


class _Spec(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="kind"):
    """Common to all kinds."""

    name: str = ""
    """What tables call it; made up from the rest when empty."""


class NetSearchSpec(_Spec, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="net_search"):
    """A net inside PUCT: LEELA, or with a human-like net TREE."""

    net: str | Names
    """A net, or several of which the first that is at hand is taken."""
    nodes: Positive = 1500
    preset: str = "lc0-0.28"
    """Search constants to start from."""
    search: dict[str, Any] = {}
    """Those that differ, by their names in `SearchParams`."""


class NetPolicySpec(_Spec, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="net_policy"):
    """A net's policy without search: Maia."""

    net: str | Names
    temperature: Annotated[float, msgspec.Meta(ge=0, le=100)] = 0.0
    """0: the most probable move; 1: a sample of the policy."""


class UciSpec(_Spec, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="uci"):
    """An external engine. Exactly one limit is to be set, unless the match sets one."""

    command: str | Names
    """The program, or the program and its arguments."""
    options: dict[str, str | int | bool] = {}
    hang_after: Annotated[float, msgspec.Meta(gt=0)] | None = None
    """Seconds after which a move counts as hung; by default ten times its time, at least 10, and 600 without a time."""
    processes: Positive = 1
    """Moves that are thought about at once, each by a process of its own."""
    nodes: Positive | None = None
    depth: Positive | None = None
    seconds: Annotated[float, msgspec.Meta(gt=0)] | None = None


class OpponentTreeSpec(_Spec, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="opponent_tree"):
    """A net's search in which the other side moves as a human-like net does."""

    net: str | Names
    """That judges all positions, and whose policy guides our moves."""
    opponent: str | Names
    """The net that the other side follows."""
    select: Literal["argmax", "sample"] = "sample"
    """How it moves: its most probable move, or any in proportion to its probability."""
    nodes: Positive = 1500
    preset: str = "lc0-0.28"
    search: dict[str, Any] = {}


class TagTeamTreeSpec(_Spec, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="tag_team_tree"):
    """A senior whose search tosses the coins and moves the juniors at every ply."""

    net: str | Names
    """The senior's."""
    junior: str | Names
    """The juniors' net."""
    select: Literal["argmax", "sample"] = "argmax"
    """How the juniors play: their most probable move, or any in proportion to its probability."""
    nodes: Positive = 1500
    preset: str = "lc0-0.28"
    search: dict[str, Any] = {}


class HandBrainTreeSpec(_Spec, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="hand_brain_tree"):
    """A brain whose search lets hands choose the move at every ply."""

    net: str | Names
    """The brain's."""
    hand: str | Names
    """The hands' net."""
    nodes: Positive = 1500
    preset: str = "lc0-0.28"
    search: dict[str, Any] = {}


class ExpTagTeamSpec(_Spec, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="exp_t"):
    """EXP_T: a senior that reckons with coins and juniors."""

    net: str | Names
    """The senior's."""
    junior: ModelSpec
    """How both juniors play."""
    variant: Variant = "full"
    scale: Literal["wp", "released"] = "wp"
    """Average win probabilities, or those that the published program makes of centipawns."""
    junior_width: Positive = 1
    """1: the junior's most probable move for certain, as published; more: the expectation over so many."""
    candidates: Positive = 5
    nodes: Positive = 1500
    """Visits of the root; then of each senior reply and of each judged position."""
    reply_nodes: Positive = 1500
    leaf_nodes: Positive = 300
    preset: str = "lc0-0.28"
    search: dict[str, Any] = {}


class ExpHandSpec(_Spec, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="exp_h"):
    """EXP_H: a brain that reckons with the hand."""

    net: str | Names
    """The brain's."""
    hand: ModelSpec
    """How the hand plays."""
    leaf_nodes: Positive = 50
    scale: Literal["wp", "cp_released"] = "wp"
    """Average win probabilities, or centipawns as the published program does."""
    preset: str = "lc0-0.28"
    search: dict[str, Any] = {}


class _Safety(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="kind"):
    """How much a player of traps may stake."""


class EpsilonSpec(_Safety, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="epsilon"):
    """The greatest expectation among moves that cost little against a perfect opponent."""

    epsilon: Share = 0.05
    """Of win probability, for each move: 0 sets only traps that are free, 1 does not look at the cost."""


class BudgetSpec(_Safety, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="budget"):
    """The same with a total for the game, refilled by what the opponent gives away."""

    total: Share = 0.15
    epsilon: Share = 0.05
    share: Share = 0.5
    """Of the opponent's gifts that may be staked."""


class MixtureSpec(_Safety, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="mixture"):
    """The opponent follows the model with some probability and replies perfectly otherwise."""

    trust: Share


SafetySpec = EpsilonSpec | BudgetSpec | MixtureSpec


class WidthSpec(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How many moves are looked at."""

    all: bool = False
    """Every move and every reply, as the published program does, whatever the numbers below."""
    ours: Positive = 8
    hopeful: Annotated[int, msgspec.Meta(ge=0)] = 4
    """Further moves of ours, by their value after the likeliest reply."""
    mass: Annotated[float, msgspec.Meta(gt=0, le=1)] = 0.95
    """Replies: the fewest with so much probability, ..."""
    replies: Positive = 8
    """... but no more than this."""


class ExploitSpec(_Spec, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="exploit"):
    """Plays the man: the best expectation against a model of the opponent."""

    opponent: ModelSpec
    judge: JudgeSpec
    depth: Positive = 1
    """Moves of ours that are looked ahead."""
    width: WidthSpec = WidthSpec()
    safety: SafetySpec = EpsilonSpec()
    unit: Literal["wp", "pawns"] = "wp"
    mate_mode: Literal["graded", "post", "released"] = "graded"
    """What mates weigh when the unit is pawns."""
    mate_weight: Annotated[float, msgspec.Meta(gt=0)] = 10.0
    """In pawns."""
    mate_switch: Annotated[int, msgspec.Meta(ge=0)] = 5
    """The longest mate that is played out instead of averaged over; 0 always averages."""
    left_out: Literal["mean", "worst"] | None = None
    """What replies beyond the width count as: the mean of the others, or the worst of them. When absent the worst,
    unless the safety does not look at the cost."""


class RandomSpec(_Spec, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="random"):
    """Uniformly random moves."""


PlayerSpec = (
    NetSearchSpec
    | NetPolicySpec
    | OpponentTreeSpec
    | TagTeamTreeSpec
    | HandBrainTreeSpec
    | ExpTagTeamSpec
    | ExpHandSpec
    | ExploitSpec
    | UciSpec
    | RandomSpec
)


class TagTeamSpec(_Spec, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="tag_team"):
    """Senior and junior, a coin between them."""

    senior: PlayerSpec
    junior: PlayerSpec


class HandBrainSpec(_Spec, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="hand_brain"):
    """A brain that names a piece type and a hand that moves one."""

    brain: PlayerSpec
    hand: PlayerSpec


TeamSpec = PlayerSpec | TagTeamSpec | HandBrainSpec


Spec = TypeVar("Spec", bound=msgspec.Struct)


def with_chosen_nets(spec: Spec) -> Spec:
    """The description with every list of nets replaced by the one that plays."""
    changes = {name: _with_chosen_nets(name, value) for name, value in msgspec.structs.asdict(spec).items()}
    return msgspec.structs.replace(spec, **changes)


def _with_chosen_nets(key: str, value: Any) -> Any:
    match value:
        case msgspec.Struct():
            return with_chosen_nets(value)
        case dict() if key == LEVELS_KEY:
            return {level: choose_net(net) for level, net in value.items()}
        case list() if key in NET_KEYS:
            return choose_net(value)
        case list():
            return [_with_chosen_nets("", item) for item in value]
        case _:
            return value


def stand_ins(spec: msgspec.Struct) -> set[tuple[str, str]]:
    """The nets that a description would rather have, each with the one that plays in its place."""
    return {pair for name, value in msgspec.structs.asdict(spec).items() for pair in _stand_ins(name, value)}


def _stand_ins(key: str, value: Any) -> set[tuple[str, str]]:
    match value:
        case msgspec.Struct():
            return stand_ins(value)
        case dict() if key == LEVELS_KEY:
            return {pair for net in value.values() for pair in _stand_ins(NET_KEYS[0], net)}
        case list() if key in NET_KEYS:
            return {(value[0], choose_net(value))} - {(value[0], value[0])}
        case list():
            return {pair for item in value for pair in _stand_ins("", item)}
        case _:
            return set()
