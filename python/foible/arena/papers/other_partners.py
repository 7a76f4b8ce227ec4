"""Designing Skill-Compatible AI, tables 8 to 10: other partners than a senior was made for, each row a match."""

from collections.abc import Mapping

from foible.arena.papers.experiment import PLAYER_NET, Experiment, Published, Table, maia_model, maia_player, share
from foible.arena.papers.teams import SFW, SFW_MODEL, att, exp_h, exp_t, hand_brain, tag_team, tree

_CROSS_SKILL: Mapping[tuple[str, int, int], tuple[Published, ...]] = {
    ("stt-tree", 1100, 1900): share(41.5, 1.5),
    ("stt-tree", 1900, 1100): share(51, 0.5),
    ("stt-tree", 1900, 1900): share(50, 0.5),
    ("stt-exp", 1100, 1900): share(53, 0.5),
    ("stt-exp", 1900, 1100): share(55, 0.5),
    ("stt-exp", 1900, 1900): share(65.5, 1),
    ("stt-att", 1100, 1900): share(51.5, 0.5),
    ("stt-att", 1900, 1100): share(52, 0.5),
    ("stt-att", 1900, 1900): share(53, 0.5),
    ("hb-tree", 1100, 1900): share(52.5, 0.5),
    ("hb-tree", 1900, 1100): share(57, 0.5),
    ("hb-tree", 1900, 1900): share(58, 0.5),
    ("hb-exp", 1100, 1900): share(45.5, 1.5),
    ("hb-exp", 1900, 1100): share(51.5, 0.5),
    ("hb-exp", 1900, 1900): share(55, 0.5),
    ("hb-att", 1100, 1900): share(37.5, 1.5),
    ("hb-att", 1900, 1100): share(54, 0.5),
    ("hb-att", 1900, 1900): share(54, 0.5),
}
"""Table 8 by agent, the level that it was designed for and the level of the partner that it got. Its cells of 1100 and
1100 are matches of table 1."""


def _table_8() -> dict[str, Experiment]:
    teams = {"stt": "tag team", "hb": "hand and brain"}

    def config(agent: str, designed: int, tested: int) -> Table:
        match agent:
            case "stt-tree":
                return tag_team(tree(designed), maia_player(tested))
            case "stt-exp":
                return tag_team(exp_t(maia_model(designed)), maia_player(tested))
            case "stt-att":
                return tag_team(att("stt", designed), maia_player(tested))
            case "hb-tree":
                return hand_brain(tree(designed), tested)
            case "hb-exp":
                return hand_brain(exp_h(designed), tested)
            case _:
                return hand_brain(att("hb", designed), tested)

    return {
        f"{agent}-{designed}-{tested}": Experiment(
            "skill-compatible, table 8",
            f"{teams[framework]}, {senior.upper()} designed for {designed}, tested with {tested}",
            published,
            config(agent, designed, tested),
        )
        for (agent, designed, tested), published in _CROSS_SKILL.items()
        for framework, senior in [agent.split("-")]
    }


def _table_9() -> dict[str, Experiment]:
    source = "skill-compatible, table 9"
    maia, weak = exp_t(maia_model(1100)), exp_t(SFW_MODEL)
    return {
        "stt-exp-1100-sfw": Experiment(
            source, "EXP designed for MAIA, tested with weak Stockfish", share(44, 1), tag_team(maia, SFW)
        ),
        "stt-att-1100-sfw": Experiment(
            source,
            "ATT designed for MAIA, tested with weak Stockfish",
            share(44, 1),
            tag_team(att("stt", 1100), SFW),
        ),
        "stt-att-sfw-1100": Experiment(
            source,
            "ATT designed for weak Stockfish, tested with MAIA",
            share(48.5, 0.5),
            tag_team(att("stt", "sfw"), maia_player(1100)),
        ),
        "stt-att-sfw-sfw": Experiment(
            source,
            "ATT designed for and tested with weak Stockfish",
            share(51, 0.5),
            tag_team(att("stt", "sfw"), SFW),
        ),
        "stt-exp-sfw-1100": Experiment(
            source,
            "EXP designed for weak Stockfish, tested with MAIA",
            share(43.5, 1),
            tag_team(weak, maia_player(1100)),
        ),
        "stt-exp-sfw-sfw": Experiment(
            source, "EXP designed for and tested with weak Stockfish", share(55, 0.5), tag_team(weak, SFW)
        ),
    }


def _table_10() -> dict[str, Experiment]:
    """Published are the figures of player B, rated 1950: the nets of the paper's players are not published."""
    source = "skill-compatible, table 10 with another player"
    player = {"kind": "net_policy", "name": "PLAYER", "net": PLAYER_NET}
    model = {"kind": "net", "net": PLAYER_NET}
    own = {**tree(1100), "net": PLAYER_NET}

    def designed(who: str, published: tuple[Published, ...], senior: Table) -> Experiment:
        what = f"{senior['name']} designed for {who}, tested with the player"
        return Experiment(source, what, published, tag_team(senior, player))

    return {
        "stt-att-1900-player": designed("MAIA 1900", share(51, 0.5), att("stt", 1900)),
        "stt-tree-1900-player": designed("MAIA 1900", share(52, 0.5), tree(1900)),
        "stt-exp-1900-player": designed("MAIA 1900", share(53, 2), exp_t(maia_model(1900))),
        "stt-tree-player-player": designed("the player", share(46.5, 0.5), own),
        "stt-exp-player-player": designed("the player", share(66.5, 2), exp_t(model)),
    }


OTHER_PARTNERS: Mapping[str, Experiment] = {**_table_8(), **_table_9(), **_table_10()}
