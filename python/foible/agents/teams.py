"""Agents made of agents: tag team, and hand and brain (skill-compatible §1 and §2).

A team gets its turns like any agent and hands each on to a member. The members are asked as if they played
alone: nobody learns what the coins will show, nor who else is in the team. Two teams may share a member that
keeps nothing between moves (a net's policy); of members that keep something (a search, an engine process)
each team needs its own.
"""

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import accumulate, product
from typing import Protocol, runtime_checkable

import numpy as np

from foible._core import ChessPosition
from foible.agents.base import RESIGN, Agent, Decision, Player, Turn, check_is_agent, decision_of
from foible.errors import ConfigError
from foible.loop import together
from foible.mistakes import check_object

_WHOLE_ROWS = str.maketrans({"/": "", **{str(empty): empty * "." for empty in range(1, 9)}})
"""A translation table that turns the board of a FEN into a string with one symbol for each of the 64 squares."""
_PLACES = {file + rank: place for place, (rank, file) in enumerate(product("87654321", "abcdefgh"))}
"""The index of each square's symbol in that string: 0 for a8, 63 for h1."""


@runtime_checkable
class Coins(Protocol):
    """The coins of a match, known to the team and to nobody in it."""

    def senior_moves(self, game: int, ply: int) -> bool:
        """Whether the senior of the side to move plays this ply of this game."""


class Team(Player):
    """The base class of all teams: closes its members with it, and obeys the limits that all members obey."""

    def __init__(self, name: str, *members: Agent) -> None:
        self.name = name
        self._members = members
        self.obeys = frozenset.intersection(*(member.obeys for member in members))

    def forget(self, game: int) -> None:
        for member in self._members:
            member.forget(game)

    def close(self) -> None:
        for member in self._members:
            member.close()


class TagTeam(Team):
    """A coin decides at every ply whether senior or junior moves (skill-compatible §1.1).

    The coins belong to the match: both teams hold the same ones, indexed by the ply of the game.
    """

    def __init__(self, senior: Agent, junior: Agent, coins: Coins, name: str = "") -> None:
        """`coins`: those of the match, `foible.arena.Bitstrings.generate(seed)`, which its framework `tag_team(coins)`
        needs as well; for games that are of no match, `foible.arena.FairCoins(seed)`.

        :raises ConfigError: `senior` or `junior` is no player, or `coins` are none.
        """
        check_is_agent(senior, junior)
        check_object(coins, Coins, "coins, such as Bitstrings.generate(seed) or FairCoins(seed)")
        super().__init__(name or f"{senior.name}/{junior.name}", senior, junior)
        self._roles = {"senior": senior, "junior": junior}
        self.coins = coins
        """Those that say at every ply who moves."""

    async def choose(self, turn: Turn) -> Decision:
        role = "senior" if self.coins.senior_moves(turn.game, turn.ply) else "junior"
        decision = await decision_of(self._roles[role], turn)
        return replace(decision, info={**decision.info, "who": role})


class HandAndBrain(Team):
    """The brain names a piece type, the hand chooses a move of a piece of that type (skill-compatible §2).

    The hand must report the distribution from which it plays. The decision's `value`, and the `score` of an engine, are
    the brain's where the brain's own move was played, and missing otherwise: nobody judged any other move.
    """

    def __init__(self, brain: Agent, hand: Agent, name: str = "") -> None:
        """:raises ConfigError: `brain` or `hand` is no player."""
        check_is_agent(brain, hand)
        super().__init__(name or f"{brain.name}+{hand.name}", brain, hand)
        self._brain, self._hand = brain, hand

    async def choose(self, turn: Turn) -> Decision:
        for_brain, for_hand, for_draw = turn.spawn(3)
        brain, hand = await together([decision_of(self._brain, for_brain), decision_of(self._hand, for_hand)])
        return self._decide(turn, brain, hand, for_draw.rng)

    def _decide(self, turn: Turn, brain: Decision, hand: Decision, rng: np.random.Generator) -> Decision:
        for decision, who in ((brain, "brain"), (hand, "hand")):
            if decision.ends_game:
                return ended_by(decision, who)
        if hand.policy is None:
            raise ConfigError(f"{self._hand.name} cannot be a hand: it reports no distribution over moves")
        if not isinstance(turn.position, ChessPosition):
            raise ConfigError("hand and brain is played in chess only")
        types = piece_types(turn.position.fen, turn.position.legal_moves)
        policy = {move: hand.policy.get(move, 0.0) for move in types}
        said = said_by_brain(self._brain.name, brain, types)
        named = str(said["named"])
        unforced, played = coupled_draw(policy, types, named, rng)
        judged = played == said.get("brain")
        if judged and "score" in brain.info:
            said["score"] = brain.info["score"]
        return Decision(
            move=played,
            value=brain.value if judged else None,
            policy=conditional(policy, types, named),
            info={
                "who": "hand",
                **said,
                "u_sampled": unforced,
                "u_argmax": max(policy, key=lambda move: policy[move]),
            },
        )


def ended_by(decision: Decision, who: str) -> Decision:
    """The team's decision where a member gives up or forfeits."""
    return replace(decision, move=RESIGN if decision.move == RESIGN else "", info={**decision.info, "who": who})


def said_by_brain(name: str, brain: Decision, types: Mapping[str, str]) -> dict[str, str | float]:
    """The part of a brain's decision that a team records: `named`, the piece type; `brain`, the move that the brain
    would have played, unless it names types alone; `brain_value`, its expected score, where it has an opinion.

    `name`: the brain's, for messages. `types`: the piece type of every legal move, as `piece_types` gives it.

    :raises ConfigError: the brain's move is not legal, or no piece of the type that it names can move.
    """
    said: dict[str, str | float] = {}
    if "named" in brain.info:  # A brain that names types, not moves.
        said["named"] = str(brain.info["named"])
        if said["named"] not in types.values():
            can = ", ".join(sorted(set(types.values())))
            raise ConfigError(f"{name}: names {said['named']!r}; the pieces that can move are {can}")
    elif brain.move not in types:
        raise ConfigError(f"{name}: {brain.move!r} is no legal move; expected UCI, such as {min(types)}")
    else:
        said |= {"named": types[brain.move], "brain": brain.move}
    if brain.value is not None:
        said["brain_value"] = brain.value
    return said


def piece_types(fen: str, moves: Sequence[str]) -> dict[str, str]:
    """The type of the piece that makes each UCI move: `P`, `N`, `B`, `R`, `Q` or `K`.

    The type is that of the piece on the from-square, so castling is a king's move and promotion a pawn's (§2.1).
    """
    board = fen.split(maxsplit=1)[0].translate(_WHOLE_ROWS).upper()
    return {move: board[_PLACES[move[:2]]] for move in moves}


def conditional(policy: Mapping[str, float], types: Mapping[str, str], named: str) -> dict[str, float]:
    """The distribution over the moves of one piece type, p(m) / P_T (§2.1, step 3).

    The distribution is uniform where the hand gives the type no probability at all.
    """
    weights = {move: p for move, p in policy.items() if types[move] == named}
    mass = sum(weights.values())
    if not mass > 0:
        return dict.fromkeys(weights, 1 / len(weights))
    return {move: p / mass for move, p in weights.items()}


def coupled_draw(
    policy: Mapping[str, float], types: Mapping[str, str], named: str, rng: np.random.Generator
) -> tuple[str, str]:
    """The move u ~ p that the hand would have made unasked, and the move that it plays (§2.2).

    It plays u where u is of the named type, else a new draw from the moves of that type. So the played move follows
    `conditional` exactly, and the two moves agree as often as they can.
    """
    unforced = draw(policy, rng)
    if types[unforced] == named:
        return unforced, unforced
    return unforced, draw(conditional(policy, types, named), rng)


def draw(policy: Mapping[str, float], rng: np.random.Generator) -> str:
    """One move, with probability in proportion to its weight."""
    moves = list(policy)
    cumulative = list(accumulate(policy.values()))
    if not cumulative[-1] > 0:
        return moves[int(rng.integers(len(moves)))]
    index = bisect_right(cumulative, rng.random() * cumulative[-1])
    return moves[min(index, len(moves) - 1)]
