"""Designing Skill-Compatible AI (tag team, hand and brain): table 1, section 6.4 and what we ask, each row a match."""

from collections.abc import Mapping

from foible.arena.papers.experiment import Experiment, Table, maia_model, maia_player, share
from foible.arena.papers.other_partners import OTHER_PARTNERS
from foible.arena.papers.teams import (
    COIN_TREE_EVALUATIONS,
    EXP_EVALUATIONS,
    STOCKFISH_LEELA,
    alone,
    att,
    coin_tree,
    exp_h,
    exp_t,
    hand_brain,
    hand_tree,
    leela,
    tag_team,
    tree,
)


def _table_1() -> dict[str, Experiment]:
    source = "skill-compatible, table 1"
    exp = exp_t(maia_model(1100))
    maia = {**maia_player(1100), "name": "MAIA as senior"}
    hand = {**maia_player(1100), "name": "MAIA as brain"}
    return {
        "stt-tree": Experiment(source, "tag team, TREE", share(56.5, 0.5), tag_team(tree(1100), maia_player(1100))),
        "stt-exp": Experiment(source, "tag team, EXP", share(66.5, 0.5), tag_team(exp, maia_player(1100))),
        "stt-att": Experiment(source, "tag team, ATT", share(55, 0.5), tag_team(att("stt", 1100), maia_player(1100))),
        "stt-maia": Experiment(
            source, "tag team, the junior alone", share(7.5, 1.5), tag_team(maia, maia_player(1100))
        ),
        "hb-tree": Experiment(source, "hand and brain, TREE", share(60, 0.5), hand_brain(tree(1100), 1100)),
        "hb-exp": Experiment(source, "hand and brain, EXP", share(56.5, 0.5), hand_brain(exp_h(1100), 1100)),
        "hb-att": Experiment(source, "hand and brain, ATT", share(55, 0.5), hand_brain(att("hb", 1100), 1100)),
        "hb-maia": Experiment(source, "hand and brain, MAIA as brain", share(27.5, 1.5), hand_brain(hand, 1100)),
        "raw-tree": Experiment(source, "TREE alone against LEELA", share(0.5, 0.5), alone(tree(1100))),
        "raw-exp": Experiment(source, "EXP alone against LEELA", share(14, 1.5), alone(exp)),
        "raw-att": Experiment(
            source, "ATT of the tag team alone against LEELA", share(12.5, 1.5), alone(att("stt", 1100))
        ),
        "raw-att-hand": Experiment(
            source, "ATT of hand and brain alone against LEELA", share(4.5, 1.5), alone(att("hb", 1100))
        ),
        "raw-maia": Experiment(source, "MAIA alone against LEELA", share(0, 0), alone(maia_player(1100))),
    }


def _table_1_with(strong: Table, suffix: str, who: str) -> dict[str, Experiment]:
    """Rows of table 1 against another LEELA that need no net of LEELA's."""
    source = f"skill-compatible, table 1 with {who} as LEELA"
    junior, weak = maia_player(1100), tree(1100)
    maia = {**junior, "name": "MAIA as senior"}
    brain = {**junior, "name": "MAIA as brain"}
    rows = {
        "stt-tree": ("tag team, TREE", share(56.5, 0.5), tag_team(weak, junior, strong)),
        "stt-maia": ("tag team, the junior alone", share(7.5, 1.5), tag_team(maia, junior, strong)),
        "hb-tree": ("hand and brain, TREE", share(60, 0.5), hand_brain(weak, 1100, strong)),
        "hb-maia": ("hand and brain, MAIA as brain", share(27.5, 1.5), hand_brain(brain, 1100, strong)),
        "raw-tree": ("TREE alone against LEELA", share(0.5, 0.5), alone(weak, strong)),
        "raw-maia": ("MAIA alone against LEELA", share(0, 0), alone(junior, strong)),
    }
    return {f"{name}-{suffix}": Experiment(source, *row) for name, row in rows.items()}


def _table_1_with_master() -> dict[str, Experiment]:
    """Table 1 where the net of masters that comes with foible plays LEELA, and EXP as well."""
    strong = {**leela(), "net": "master"}
    exp, brain = exp_t(maia_model(1100), net="master"), exp_h(1100, net="master")
    rows = _table_1_with(strong, "master", "master")
    source = rows["stt-tree-master"].source
    return rows | {
        "stt-exp-master": Experiment(
            source, "tag team, EXP", share(66.5, 0.5), tag_team(exp, maia_player(1100), strong)
        ),
        "hb-exp-master": Experiment(source, "hand and brain, EXP", share(56.5, 0.5), hand_brain(brain, 1100, strong)),
        "raw-exp-master": Experiment(source, "EXP alone against LEELA", share(14, 1.5), alone(exp, strong)),
    }


def _ablations() -> dict[str, Experiment]:
    source = "skill-compatible, section 6.4"
    junior, model = maia_player(1100), maia_model(1100)
    unaided = {**maia_player(1100, temperature=1.0), "name": "MAIA alone"}
    return {
        "stt-exp-trick": Experiment(
            source, "EXP that tricks alone", share(62.5, 1), tag_team(exp_t(model, variant="trick"), junior)
        ),
        "stt-exp-help": Experiment(
            source, "EXP that helps alone", share(57, 1), tag_team(exp_t(model, variant="help"), junior)
        ),
        "stt-att-senior": Experiment(
            source,
            "ATT of seniors' moves alone, tag team",
            share(52, 0.5),
            tag_team(att("stt", 1100, "senior"), junior),
        ),
        "raw-att-senior": Experiment(
            source,
            "ATT of seniors' moves alone, alone against LEELA",
            share(36.5, 1.5),
            alone(att("stt", 1100, "senior")),
        ),
        "hb-alone": Experiment(
            source,
            "a hand without a brain",
            share(40, 1.5),
            {**hand_brain(tree(1100), 1100), "focal": unaided},
        ),
        "stt-exp-released": Experiment(
            "skill-compatible, its program",
            "tag team, EXP as released",
            (),
            tag_team(exp_t(model, variant="released", scale="released"), junior),
        ),
        "hb-exp-released": Experiment(
            "skill-compatible, its program",
            "hand and brain, EXP as released",
            (),
            hand_brain(exp_h(1100, scale="cp_released"), 1100),
        ),
        "stt-exp-distribution": Experiment(
            "ours", "EXP that expects five junior moves", (), tag_team(exp_t(model, junior_width=5), junior)
        ),
        "stt-coin-tree": Experiment(
            "ours", "tag team in the tree, at EXP's visits", (), tag_team(coin_tree(1100), junior)
        ),
        "hb-hand-tree": Experiment(
            "ours", "hand and brain in the tree, at EXP's visits", (), hand_brain(hand_tree(1100), 1100)
        ),
        "raw-coin-tree": Experiment("ours", "the coin tree alone against LEELA", (), alone(coin_tree(1100))),
        "stt-leela": Experiment("ours", "LEELA against itself: 50 by symmetry", (), tag_team(leela(), junior)),
        "stt-leela-exp": Experiment(
            "ours", "LEELA with EXP's evaluations against LEELA", (), tag_team(leela(EXP_EVALUATIONS), junior)
        ),
        "stt-coin-tree-exp": Experiment(
            "ours",
            "the coin tree against EXP, at its evaluations",
            (),
            tag_team({**coin_tree(1100), "nodes": COIN_TREE_EVALUATIONS}, junior, exp_t(model)),
        ),
    }


SKILL_COMPATIBLE: Mapping[str, Experiment] = {
    **_table_1(),
    **_table_1_with(STOCKFISH_LEELA, "stockfish", "Stockfish"),
    **_table_1_with_master(),
    **_ablations(),
    **OTHER_PARTNERS,
}
