"""The matches of an attuned net: who plays in them, who samples, and with which coins."""

import pytest

from foible.agents.spec import HandBrainSpec, NetPolicySpec, NetSearchSpec, TagTeamSpec, TeamSpec
from foible.errors import ConfigError
from foible.training.attune.config import AttuneConfig, make_config
from foible.training.attune.matches import alone_match, data_match, framework_match


def config(framework: str = "stt", **changes: object) -> AttuneConfig:
    return make_config({"framework": framework, "senior": "strong", "junior": "human", **changes})


def members(team: TeamSpec) -> tuple[NetSearchSpec, NetPolicySpec]:
    """Senior and junior, or brain and hand."""
    if isinstance(team, TagTeamSpec):
        senior, junior = team.senior, team.junior
    else:
        assert isinstance(team, HandBrainSpec)
        senior, junior = team.brain, team.hand
    assert isinstance(senior, NetSearchSpec)
    assert isinstance(junior, NetPolicySpec)
    return senior, junior


def test_the_games_to_learn_from_are_of_one_team_with_itself() -> None:
    for framework, kind in (("stt", TagTeamSpec), ("hb", HandBrainSpec)):
        match = data_match(config(framework, nodes=77))
        assert isinstance(match.focal, kind)
        assert members(match.focal) == members(match.alter)
        senior, junior = members(match.focal)
        assert (senior.net, senior.nodes, junior.net) == ("strong", 77, "human")


def test_a_junior_samples_in_data_alone_and_a_hand_always() -> None:
    temperatures = {
        framework: [members(match.focal)[1].temperature for match in (data_match(asked), framework_match(asked, "att"))]
        for framework, asked in (("stt", config("stt")), ("hb", config("hb")))
    }
    assert temperatures == {"stt": [1.0, 0.0], "hb": [1.0, 1.0]}


@pytest.mark.parametrize("framework", ["stt", "hb"])
def test_a_test_differs_in_nothing_but_the_seniors_net(framework: str) -> None:
    match = framework_match(config(framework), "att")
    (attuned, junior), (senior, other) = members(match.focal), members(match.alter)
    assert junior == other
    assert (attuned.net, senior.net) == ("att", "strong")
    assert (attuned.nodes, attuned.search, attuned.preset) == (senior.nodes, senior.search, senior.preset)


@pytest.mark.parametrize("seed", [0, 1, 5])
def test_no_coins_and_no_dice_are_those_of_the_tests(seed: int) -> None:
    asked = config(seed=seed)
    data, test = data_match(asked), framework_match(asked, "att")
    assert data.coins.seed != test.coins.seed
    assert data.seed != test.seed


def test_there_are_coins_for_every_pair() -> None:
    for games in (6, 10_000, 10_001, 40_000):
        match = data_match(config(games=games))
        assert match.coins.count >= match.pairs == -(-games // 2)


def test_alone_nobody_has_a_partner_and_games_begin_from_a_book() -> None:
    match = alone_match(config(alone_games=30), "att")
    assert (match.framework, match.games) == ("standard", 30)
    assert match.openings is not None
    assert isinstance(match.focal, NetSearchSpec)
    assert isinstance(match.alter, NetSearchSpec)


@pytest.mark.parametrize(
    ("values", "what"),
    [
        ({"games": 5}, r"games = 5: expected a whole number, at least 6"),
        ({"framework": "chess"}, "framework = .*stt"),
        ({"lr": 0.0}, r"tune.lr = 0.0: expected a number, more than 0"),
        ({"value_target": "q"}, "value_target"),
        ({"framework": "hb", "plies": "senior"}, "--plies senior is for tag team"),
        ({"senior": None}, "senior is missing"),
    ],
)
def test_values_that_cannot_be_are_refused(values: dict[str, object], what: str) -> None:
    with pytest.raises(ConfigError, match=what):
        make_config({"framework": "stt", "senior": "a", "junior": "b", **values})
