"""Players: agents, teams of agents, and how they are described in configurations.

A player is an `Agent`: asked for a `Turn`, it answers with a `Decision`; one's own derives from `Player`. `parse_team`
makes what `foible match` takes as a player into a description, which builds the player.
"""

from typing import TYPE_CHECKING

from foible.faces import face

if TYPE_CHECKING:
    from foible.agents.base import (
        LOST_ON_TIME as LOST_ON_TIME,
        RESIGN as RESIGN,
        Agent as Agent,
        Clock as Clock,
        Decision as Decision,
        Limits as Limits,
        Player as Player,
        Spec as Spec,
        Turn as Turn,
        chess_position as chess_position,
        go_position as go_position,
    )
    from foible.agents.candidates import (
        Candidate as Candidate,
        Expectimax as Expectimax,
        Reply as Reply,
        Width as Width,
    )
    from foible.agents.exp_hand import ExpHand as ExpHand, ExpHandSpec as ExpHandSpec
    from foible.agents.exp_tag_team import ExpTagTeam as ExpTagTeam, ExpTagTeamSpec as ExpTagTeamSpec, Visits as Visits
    from foible.agents.expectation import LikelyMoves as LikelyMoves
    from foible.agents.exploit import Exploit as Exploit, ExploitSpec as ExploitSpec, WidthSpec as WidthSpec
    from foible.agents.gtp_engine import GtpEngine as GtpEngine
    from foible.agents.human import (
        Human as Human,
        HumanBrain as HumanBrain,
        HumanHand as HumanHand,
        Paced as Paced,
        Person as Person,
        Question as Question,
        RemotePerson as RemotePerson,
    )
    from foible.agents.player_builder import (
        Buildable as Buildable,
        JudgingSearchSpec as JudgingSearchSpec,
        PlayerBuilder as PlayerBuilder,
        SearchSpec as SearchSpec,
    )
    from foible.agents.policy import (
        ModelPlayer as ModelPlayer,
        ModelPlayerSpec as ModelPlayerSpec,
        NetPolicy as NetPolicy,
        NetPolicySpec as NetPolicySpec,
        RandomMover as RandomMover,
        RandomSpec as RandomSpec,
    )
    from foible.agents.progress import (
        FoundMates as FoundMates,
        FoundMatesSpec as FoundMatesSpec,
        Progress as Progress,
        Quickest as Quickest,
    )
    from foible.agents.safety import (
        Budget as Budget,
        BudgetSpec as BudgetSpec,
        EpsilonSafe as EpsilonSafe,
        EpsilonSpec as EpsilonSpec,
        Mixture as Mixture,
        MixtureSpec as MixtureSpec,
        Safety as Safety,
    )
    from foible.agents.search import GoSearch as GoSearch, NetSearch as NetSearch, NetSearchSpec as NetSearchSpec
    from foible.agents.spec import (
        HandBrainSpec as HandBrainSpec,
        HumanSpec as HumanSpec,
        PlayerSpec as PlayerSpec,
        TagTeamSpec as TagTeamSpec,
        TeamSpec as TeamSpec,
        parse_player as parse_player,
        parse_team as parse_team,
        read_team as read_team,
    )
    from foible.agents.teams import Coins as Coins, HandAndBrain as HandAndBrain, TagTeam as TagTeam, Team as Team
    from foible.agents.trees import (
        HandBrainTree as HandBrainTree,
        HandBrainTreeSpec as HandBrainTreeSpec,
        OpponentTreeSpec as OpponentTreeSpec,
        TagTeamTreeSpec as TagTeamTreeSpec,
        hand_brain_tree as hand_brain_tree,
        opponent_tree as opponent_tree,
        tag_team_tree as tag_team_tree,
    )
    from foible.agents.uci_engine import UciEngine as UciEngine, UciSpec as UciSpec

__getattr__, __dir__ = face(__name__)
