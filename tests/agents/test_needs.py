"""What players need on a machine."""

from foible.agents.exploit import ExploitSpec
from foible.agents.needs import missing
from foible.agents.spec import HandBrainSpec, NetPolicySpec, NetSearchSpec, RandomSpec, TagTeamSpec, TeamSpec, UciSpec
from foible.judges.spec import UciJudgeSpec
from foible.opponents.spec import RatingModelSpec


def only_master(net: str) -> bool:
    return net == "master"


def test_nets_and_programs_of_all_members_are_named_once() -> None:
    team: TeamSpec = TagTeamSpec(senior=NetSearchSpec(net="maia-1900"), junior=NetPolicySpec(net="maia-1900"))
    assert missing(team, only_master) == ["the net maia-1900 (foible nets get maia-1900)"]
    team = HandBrainSpec(brain=UciSpec(command="no-such-sf"), hand=NetPolicySpec(net="mine"))
    assert missing(team, only_master) == ["the program no-such-sf", "the net mine"]


def test_what_is_at_hand_is_not_named() -> None:
    assert missing(NetSearchSpec(net=["maia-1900", "master"])) == []
    assert missing(UciSpec(command=["sh", "-c", "exit"])) == []
    assert missing(RandomSpec()) == []


def test_models_and_judges_need_theirs() -> None:
    trapper = ExploitSpec(
        opponent=RatingModelSpec(rating=1500, nets={"1500": "maia-1500"}),
        judge=UciJudgeSpec(command="no-such-sf", nodes=1),
    )
    assert missing(trapper, only_master) == [
        "the net maia-1500 (foible nets get maia-1500)",
        "the program no-such-sf",
    ]


def test_a_net_that_cannot_be_is_told() -> None:
    (told,) = missing(NetPolicySpec(net="club:9"))
    assert "1000 to 2000" in told
