"""Builds players from their configuration."""

from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from foible.agents.base import Agent
from foible.agents.candidates import EVERYTHING, Reckoning, Width
from foible.agents.exp_hand import ExpHand
from foible.agents.exp_tag_team import ExpTagTeam, Visits
from foible.agents.expectation import win_probability
from foible.agents.exploit import Exploit
from foible.agents.policy import NetPolicy
from foible.agents.random import RandomMover
from foible.agents.safety import Budget, EpsilonSafe, Mixture, Safety
from foible.agents.search import NetSearch
from foible.agents.spec import (
    BudgetSpec,
    EpsilonSpec,
    ExpHandSpec,
    ExploitSpec,
    ExpTagTeamSpec,
    HandBrainSpec,
    HandBrainTreeSpec,
    MixtureSpec,
    NetPolicySpec,
    NetSearchSpec,
    OpponentTreeSpec,
    RandomSpec,
    SafetySpec,
    TagTeamSpec,
    TagTeamTreeSpec,
    TeamSpec,
    UciSpec,
)
from foible.agents.teams import Coins, HandAndBrain, TagTeam
from foible.agents.trees import hand_brain_tree, opponent_tree, tag_team_tree
from foible.agents.uci import UciEngine
from foible.errors import ConfigError
from foible.judges.base import Judge
from foible.judges.spec import JudgeSpec, build_judge
from foible.judges.units import Pawns, released_centipawns, released_wp
from foible.mistakes import near
from foible.nets.shelf import NetShelf, short_name
from foible.opponents.spec import build_model
from foible.search.many import Searches
from foible.search.params import PRESETS, SearchParams


class Workshop:
    """Builds players. Those that use the same net share one evaluator."""

    def __init__(
        self,
        shelf: NetShelf,
        coins: Coins | None = None,
        effort: float = 1.0,
        judges: Callable[[JudgeSpec, NetShelf], Judge] = build_judge,
    ) -> None:
        """Give a match's `coins` for tag teams; `effort` multiplies the visits of players and judges, not of models.

        `judges` builds the judges of players that have one.
        """
        self.shelf = shelf
        self._coins = coins
        self._effort = effort
        self._judges = judges

    def build(self, spec: TeamSpec) -> Agent:
        """:raises ConfigError: the description does not make a player; says which key is wrong."""
        builder: Callable[[Any], Agent] = getattr(self, f"_{type(spec).__struct_config__.tag}")
        return builder(spec)

    def _net_search(self, spec: NetSearchSpec) -> Agent:
        nodes = self._visits(spec.nodes)
        params = match_params(spec.preset, spec.search)
        contempt = f", contempt {params.contempt_visits}" if params.contempt_visits else ""
        name = spec.name or f"{short_name(spec.net)} at {nodes} nodes{contempt}"
        return NetSearch([self.shelf.evaluator(spec.net)], nodes=nodes, params=params, name=name)

    def _net_policy(self, spec: NetPolicySpec) -> Agent:
        name = spec.name or short_name(spec.net)
        return NetPolicy(self.shelf.evaluator(spec.net), temperature=spec.temperature, name=name)

    def _opponent_tree(self, spec: OpponentTreeSpec) -> Agent:
        nets = self.shelf.evaluator(spec.net), self.shelf.evaluator(spec.opponent)
        params = match_params(spec.preset, spec.search)
        return opponent_tree(*nets, nodes=self._visits(spec.nodes), params=params, select=spec.select, name=spec.name)

    def _tag_team_tree(self, spec: TagTeamTreeSpec) -> Agent:
        nets = self.shelf.evaluator(spec.net), self.shelf.evaluator(spec.junior)
        params = match_params(spec.preset, spec.search)
        return tag_team_tree(*nets, nodes=self._visits(spec.nodes), params=params, select=spec.select, name=spec.name)

    def _hand_brain_tree(self, spec: HandBrainTreeSpec) -> Agent:
        nets = self.shelf.evaluator(spec.net), self.shelf.evaluator(spec.hand)
        params = match_params(spec.preset, spec.search)
        return hand_brain_tree(*nets, nodes=self._visits(spec.nodes), params=params, name=spec.name)

    def _exp_t(self, spec: ExpTagTeamSpec) -> Agent:
        return ExpTagTeam(
            self._searches(spec),
            build_model(spec.junior, self.shelf),
            variant=spec.variant,
            unit=released_wp if spec.scale == "released" else win_probability,
            junior_width=spec.junior_width,
            candidates=spec.candidates,
            visits=Visits(*(self._visits(n) for n in (spec.nodes, spec.reply_nodes, spec.leaf_nodes))),
            name=spec.name,
        )

    def _exp_h(self, spec: ExpHandSpec) -> Agent:
        return ExpHand(
            self._searches(spec),
            build_model(spec.hand, self.shelf),
            leaf=self._visits(spec.leaf_nodes),
            unit=released_centipawns if spec.scale == "cp_released" else win_probability,
            name=spec.name,
        )

    def _exploit(self, spec: ExploitSpec) -> Agent:
        width = spec.width
        opponent = build_model(spec.opponent, self.shelf)
        reckoning = Reckoning(
            opponent,
            self._judges(self._scaled(spec.judge), self.shelf),
            depth=spec.depth,
            width=EVERYTHING if width.all else Width(width.ours, width.hopeful, width.mass, width.replies),
            unit=Pawns(spec.mate_mode, spec.mate_weight) if spec.unit == "pawns" else win_probability,
            pessimistic=(spec.left_out or ("mean" if _is_careless(spec.safety) else "worst")) == "worst",
        )
        name = spec.name or f"exploit {opponent.name}"
        return Exploit(reckoning, _safety(spec.safety), mate_switch=spec.mate_switch, name=name)

    def _uci(self, spec: UciSpec) -> Agent:
        command, *arguments = [spec.command] if isinstance(spec.command, str) else spec.command
        return UciEngine(
            command,
            arguments,
            options=spec.options,
            nodes=spec.nodes and self._visits(spec.nodes),
            depth=spec.depth,
            seconds=spec.seconds,
            processes=spec.processes,
            hang_after=spec.hang_after,
            name=spec.name or None,
        )

    def _random(self, spec: RandomSpec) -> Agent:
        return RandomMover(spec.name)

    def _tag_team(self, spec: TagTeamSpec) -> Agent:
        if self._coins is None:
            raise ConfigError("a tag team needs framework = tag_team, which tosses the coins")
        return TagTeam(self.build(spec.senior), self.build(spec.junior), self._coins, name=spec.name)

    def _hand_brain(self, spec: HandBrainSpec) -> Agent:
        return HandAndBrain(self.build(spec.brain), self.build(spec.hand), name=spec.name)

    def _searches(self, spec: ExpTagTeamSpec | ExpHandSpec) -> Searches:
        return Searches(self.shelf.evaluator(spec.net), match_params(spec.preset, spec.search))

    def _scaled(self, judge: JudgeSpec) -> JudgeSpec:
        nodes = getattr(judge, "nodes", None)
        return msgspec.structs.replace(judge, nodes=self._visits(nodes)) if nodes else judge

    def _visits(self, nodes: int) -> int:
        return max(1, round(nodes * self._effort))


def _is_careless(spec: SafetySpec) -> bool:
    """Whether expectation is all that counts."""
    match spec:
        case EpsilonSpec(epsilon=1.0) | MixtureSpec(trust=1.0):
            return True
        case _:
            return False


def _safety(spec: SafetySpec) -> Safety:
    match spec:
        case EpsilonSpec():
            return EpsilonSafe(spec.epsilon)
        case BudgetSpec():
            return Budget(spec.total, spec.epsilon, spec.share)
        case MixtureSpec():
            return Mixture(spec.trust)


def match_params(preset: str, settings: Mapping[str, Any]) -> SearchParams:
    """As `search_params`, for searches of many games at a time."""
    params = search_params(preset, settings)
    if params.lanes > 1:
        raise ConfigError("lanes = 2 is for one search at a time: here games would depend on each other")
    return params


def search_params(preset: str, settings: Mapping[str, Any]) -> SearchParams:
    """A preset with some constants changed.

    :raises ConfigError: unknown preset or constant, or a value of the wrong kind.
    """
    if preset not in PRESETS:
        raise ConfigError(f"unknown search preset {preset!r}: {near(preset, PRESETS)}")
    return PRESETS[preset].with_settings({name: str(value) for name, value in settings.items()})
