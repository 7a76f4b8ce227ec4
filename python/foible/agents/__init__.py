"""Players: agents, teams of agents, and how they are described in configurations.

A player is an `Agent`: asked for a `Turn`, it answers with a `Decision`. `parse_team` makes what `foible match` takes
as a player into a description, which builds the player.
"""

from typing import TYPE_CHECKING

from foible.faces import names_from

if TYPE_CHECKING:
    from foible.agents.base import (
        LOST_ON_TIME,
        RESIGN,
        Agent,
        Clock,
        Decision,
        Limits,
        Player,
        Spec,
        Turn,
        chess_position,
        go_position,
    )
    from foible.agents.candidates import Candidate, Expectimax, Reply, Width
    from foible.agents.exp_hand import ExpHand, ExpHandSpec
    from foible.agents.exp_tag_team import ExpTagTeam, ExpTagTeamSpec, Visits
    from foible.agents.expectation import LikelyMoves
    from foible.agents.exploit import Exploit, ExploitSpec, WidthSpec
    from foible.agents.gtp_engine import GtpEngine
    from foible.agents.human import Desk, Human, HumanBrain, HumanHand, Paced, Person, Question
    from foible.agents.policy import ModelPlayer, ModelPlayerSpec, NetPolicy, NetPolicySpec, RandomMover, RandomSpec
    from foible.agents.progress import FoundMates, FoundMatesSpec, Progress, Quickest
    from foible.agents.safety import Budget, BudgetSpec, EpsilonSafe, EpsilonSpec, Mixture, MixtureSpec, Safety
    from foible.agents.search import GoSearch, NetSearch, NetSearchSpec
    from foible.agents.spec import (
        HandBrainSpec,
        HumanSpec,
        PlayerSpec,
        TagTeamSpec,
        TeamSpec,
        parse_player,
        parse_team,
        read_team,
    )
    from foible.agents.teams import Coins, HandAndBrain, TagTeam, Team
    from foible.agents.trees import (
        HandBrainTree,
        HandBrainTreeSpec,
        OpponentTreeSpec,
        TagTeamTreeSpec,
        hand_brain_tree,
        opponent_tree,
        tag_team_tree,
    )
    from foible.agents.uci_engine import UciEngine, UciSpec
    from foible.agents.workshop import Buildable, JudgingSearchSpec, SearchSpec, Workshop

__all__ = [
    "LOST_ON_TIME",
    "RESIGN",
    "Agent",
    "Budget",
    "BudgetSpec",
    "Buildable",
    "Candidate",
    "Clock",
    "Coins",
    "Decision",
    "Desk",
    "EpsilonSafe",
    "EpsilonSpec",
    "ExpHand",
    "ExpHandSpec",
    "ExpTagTeam",
    "ExpTagTeamSpec",
    "Expectimax",
    "Exploit",
    "ExploitSpec",
    "FoundMates",
    "FoundMatesSpec",
    "GoSearch",
    "GtpEngine",
    "HandAndBrain",
    "HandBrainSpec",
    "HandBrainTree",
    "HandBrainTreeSpec",
    "Human",
    "HumanBrain",
    "HumanHand",
    "HumanSpec",
    "JudgingSearchSpec",
    "LikelyMoves",
    "Limits",
    "Mixture",
    "MixtureSpec",
    "ModelPlayer",
    "ModelPlayerSpec",
    "NetPolicy",
    "NetPolicySpec",
    "NetSearch",
    "NetSearchSpec",
    "OpponentTreeSpec",
    "Paced",
    "Person",
    "Player",
    "PlayerSpec",
    "Progress",
    "Question",
    "Quickest",
    "RandomMover",
    "RandomSpec",
    "Reply",
    "Safety",
    "SearchSpec",
    "Spec",
    "TagTeam",
    "TagTeamSpec",
    "TagTeamTreeSpec",
    "Team",
    "TeamSpec",
    "Turn",
    "UciEngine",
    "UciSpec",
    "Visits",
    "Width",
    "WidthSpec",
    "Workshop",
    "chess_position",
    "go_position",
    "hand_brain_tree",
    "opponent_tree",
    "parse_player",
    "parse_team",
    "read_team",
    "tag_team_tree",
]

_HOMES = {
    "foible.agents.base": [
        "LOST_ON_TIME",
        "RESIGN",
        "Agent",
        "Clock",
        "Decision",
        "Limits",
        "Player",
        "Spec",
        "Turn",
        "chess_position",
        "go_position",
    ],
    "foible.agents.candidates": ["Candidate", "Expectimax", "Reply", "Width"],
    "foible.agents.exp_hand": ["ExpHand", "ExpHandSpec"],
    "foible.agents.exp_tag_team": ["ExpTagTeam", "ExpTagTeamSpec", "Visits"],
    "foible.agents.expectation": ["LikelyMoves"],
    "foible.agents.exploit": ["Exploit", "ExploitSpec", "WidthSpec"],
    "foible.agents.gtp_engine": ["GtpEngine"],
    "foible.agents.human": ["Desk", "Human", "HumanBrain", "HumanHand", "Paced", "Person", "Question"],
    "foible.agents.policy": [
        "ModelPlayer",
        "ModelPlayerSpec",
        "NetPolicy",
        "NetPolicySpec",
        "RandomMover",
        "RandomSpec",
    ],
    "foible.agents.progress": ["FoundMates", "FoundMatesSpec", "Progress", "Quickest"],
    "foible.agents.safety": ["Budget", "BudgetSpec", "EpsilonSafe", "EpsilonSpec", "Mixture", "MixtureSpec", "Safety"],
    "foible.agents.search": ["GoSearch", "NetSearch", "NetSearchSpec"],
    "foible.agents.spec": [
        "HandBrainSpec",
        "HumanSpec",
        "PlayerSpec",
        "TagTeamSpec",
        "TeamSpec",
        "parse_player",
        "parse_team",
        "read_team",
    ],
    "foible.agents.teams": ["Coins", "HandAndBrain", "TagTeam", "Team"],
    "foible.agents.trees": [
        "HandBrainTree",
        "HandBrainTreeSpec",
        "OpponentTreeSpec",
        "TagTeamTreeSpec",
        "hand_brain_tree",
        "opponent_tree",
        "tag_team_tree",
    ],
    "foible.agents.uci_engine": ["UciEngine", "UciSpec"],
    "foible.agents.workshop": ["Buildable", "JudgingSearchSpec", "SearchSpec", "Workshop"],
}

__getattr__, __dir__ = names_from(__name__, _HOMES)
