"""Designing Skill-Compatible AI (tag team, hand and brain): tables 1, 8 to 10, section 6.4, each row as a match."""

from collections.abc import Mapping
from typing import Any

from foible.arena.openings import BALANCED
from foible.arena.papers.experiment import (
    LEELA_NET,
    PLAYER_NET,
    Experiment,
    Published,
    Table,
    attuned_net,
    maia,
    maia_model,
    maia_player,
    share,
)


def _leela(nodes: int = 1500) -> Table:
    return {"kind": "net_search", "name": "LEELA", "net": LEELA_NET, "nodes": nodes}


def _tree(level: int) -> Table:
    return {"kind": "net_search", "name": "TREE", "net": maia(level), "nodes": 1500}


def _att(framework: str, junior: int | str, plies: str = "all") -> Table:
    return {"kind": "net_search", "name": "ATT", "net": attuned_net(framework, junior, plies), "nodes": 1500}


def _exp_t(junior: Table, **changes: Any) -> Table:
    return {"kind": "exp_t", "name": "EXP", "net": LEELA_NET, "junior": junior, **changes}


def _exp_h(level: int, **changes: Any) -> Table:
    return {"kind": "exp_h", "name": "EXP", "net": LEELA_NET, "hand": maia_model(level), **changes}


def _coin_tree(level: int) -> Table:
    """A player with as many visits per move as EXP_T: 1500 + 5 · (1500 + 3 · 300)."""
    return {"kind": "tag_team_tree", "name": "Coin tree", "net": LEELA_NET, "junior": maia(level), "nodes": 13_500}


EXP_EVALUATIONS = 13_000
"""The visits with which a search of LEELA's evaluates as many positions as EXP_T does for a move: 8.7 times what it
takes with 1500 (`evidence/stt-exp`, `evidence/stt-leela`)."""
COIN_TREE_EVALUATIONS = 4500
"""The visits with which the coin tree does: with LEELA's 1500 it evaluates a third as many."""


def _hand_tree(level: int) -> Table:
    """A player with as many visits per move as EXP_H: 6 · 3 · 50."""
    return {"kind": "hand_brain_tree", "name": "Hand tree", "net": LEELA_NET, "hand": maia(level), "nodes": 900}


SFW: Table = {
    "kind": "uci",
    "name": "SFW",
    "command": "stockfish",
    "nodes": 25,
    "options": {"Threads": 1, "Skill Level": 0},
}
"""The weak Stockfish of table 9, as strong as maia-1100 (benchmarks/weak_stockfish.toml): at its lowest level it
takes one of four moves by chance, and games differ from run to run."""
SFW_MODEL = {"kind": "engine", "command": "stockfish", "nodes": 25, "temperature": 0.01}
"""A model of SFW that predicts its best move: a search of 25 nodes says too little of the others."""


STOCKFISH_LEELA: Table = {
    "kind": "uci",
    "name": "LEELA",
    "command": "stockfish",
    "nodes": 10_000,
    "options": {"Threads": 1, "Hash": 16},
    "processes": 2,
}
"""A LEELA that has nothing in common with the juniors' nets, and is far stronger than TREE, as the papers' is."""


def _tag_team(senior: Table, junior: Table, alter: Table | None = None, **changes: Any) -> Table:
    """A senior's team against LEELA's with the same junior."""
    return {
        "framework": "tag_team",
        "games": 1000,
        "seed": 1,
        "judge": LEELA_NET,
        "focal": {"kind": "tag_team", "name": f"{senior['name']}'s team", "senior": senior, "junior": junior},
        "alter": {"kind": "tag_team", "name": "LEELA's team", "senior": alter or _leela(), "junior": junior},
        **changes,
    }


def _hand_brain(brain: Table, level: int, alter: Table | None = None) -> Table:
    """A brain's team against LEELA's with the same hand."""
    hand = maia_player(level, temperature=1.0)
    return {
        "framework": "hand_brain",
        "games": 1000,
        "seed": 1,
        "judge": LEELA_NET,
        "focal": {"kind": "hand_brain", "name": f"{brain['name']}'s team", "brain": brain, "hand": hand},
        "alter": {"kind": "hand_brain", "name": "LEELA's team", "brain": alter or _leela(), "hand": hand},
    }


def _alone(focal: Table, alter: Table | None = None) -> Table:
    """An agent without a partner against LEELA, from balanced openings: from one position all games were alike."""
    return {
        "framework": "standard",
        "games": 200,
        "seed": 1,
        "openings": {"file": BALANCED},
        "judge": LEELA_NET,
        "focal": focal,
        "alter": alter or _leela(),
    }


def _table_1() -> dict[str, Experiment]:
    source = "skill-compatible, table 1"
    exp = _exp_t(maia_model(1100))
    maia = {**maia_player(1100), "name": "MAIA as senior"}
    hand = {**maia_player(1100), "name": "MAIA as brain"}
    return {
        "stt-tree": Experiment(source, "tag team, TREE", share(56.5, 0.5), _tag_team(_tree(1100), maia_player(1100))),
        "stt-exp": Experiment(source, "tag team, EXP", share(66.5, 0.5), _tag_team(exp, maia_player(1100))),
        "stt-att": Experiment(source, "tag team, ATT", share(55, 0.5), _tag_team(_att("stt", 1100), maia_player(1100))),
        "stt-maia": Experiment(
            source, "tag team, the junior alone", share(7.5, 1.5), _tag_team(maia, maia_player(1100))
        ),
        "hb-tree": Experiment(source, "hand and brain, TREE", share(60, 0.5), _hand_brain(_tree(1100), 1100)),
        "hb-exp": Experiment(source, "hand and brain, EXP", share(56.5, 0.5), _hand_brain(_exp_h(1100), 1100)),
        "hb-att": Experiment(source, "hand and brain, ATT", share(55, 0.5), _hand_brain(_att("hb", 1100), 1100)),
        "hb-maia": Experiment(source, "hand and brain, MAIA as brain", share(27.5, 1.5), _hand_brain(hand, 1100)),
        "raw-tree": Experiment(source, "TREE alone against LEELA", share(0.5, 0.5), _alone(_tree(1100))),
        "raw-exp": Experiment(source, "EXP alone against LEELA", share(14, 1.5), _alone(exp)),
        "raw-att": Experiment(
            source, "ATT of the tag team alone against LEELA", share(12.5, 1.5), _alone(_att("stt", 1100))
        ),
        "raw-att-hand": Experiment(
            source, "ATT of hand and brain alone against LEELA", share(4.5, 1.5), _alone(_att("hb", 1100))
        ),
        "raw-maia": Experiment(source, "MAIA alone against LEELA", share(0, 0), _alone(maia_player(1100))),
    }


def _table_1_with(leela: Table, suffix: str, who: str) -> dict[str, Experiment]:
    """Rows of table 1 against another LEELA that need no net of LEELA's."""
    source = f"skill-compatible, table 1 with {who} as LEELA"
    junior, tree = maia_player(1100), _tree(1100)
    maia = {**junior, "name": "MAIA as senior"}
    brain = {**junior, "name": "MAIA as brain"}
    rows = {
        "stt-tree": ("tag team, TREE", share(56.5, 0.5), _tag_team(tree, junior, leela)),
        "stt-maia": ("tag team, the junior alone", share(7.5, 1.5), _tag_team(maia, junior, leela)),
        "hb-tree": ("hand and brain, TREE", share(60, 0.5), _hand_brain(tree, 1100, leela)),
        "hb-maia": ("hand and brain, MAIA as brain", share(27.5, 1.5), _hand_brain(brain, 1100, leela)),
        "raw-tree": ("TREE alone against LEELA", share(0.5, 0.5), _alone(tree, leela)),
        "raw-maia": ("MAIA alone against LEELA", share(0, 0), _alone(junior, leela)),
    }
    return {f"{name}-{suffix}": Experiment(source, *row) for name, row in rows.items()}


def _table_1_with_master() -> dict[str, Experiment]:
    """Table 1 where the net of masters that comes with foible plays LEELA, and EXP as well."""
    leela = {**_leela(), "net": "master"}
    exp, brain = _exp_t(maia_model(1100), net="master"), _exp_h(1100, net="master")
    rows = _table_1_with(leela, "master", "master")
    source = rows["stt-tree-master"].source
    return rows | {
        "stt-exp-master": Experiment(
            source, "tag team, EXP", share(66.5, 0.5), _tag_team(exp, maia_player(1100), leela)
        ),
        "hb-exp-master": Experiment(source, "hand and brain, EXP", share(56.5, 0.5), _hand_brain(brain, 1100, leela)),
        "raw-exp-master": Experiment(source, "EXP alone against LEELA", share(14, 1.5), _alone(exp, leela)),
    }


def _ablations() -> dict[str, Experiment]:
    source = "skill-compatible, section 6.4"
    junior, model = maia_player(1100), maia_model(1100)
    alone = {**maia_player(1100, temperature=1.0), "name": "MAIA alone"}
    return {
        "stt-exp-trick": Experiment(
            source, "EXP that tricks alone", share(62.5, 1), _tag_team(_exp_t(model, variant="trick"), junior)
        ),
        "stt-exp-help": Experiment(
            source, "EXP that helps alone", share(57, 1), _tag_team(_exp_t(model, variant="help"), junior)
        ),
        "stt-att-senior": Experiment(
            source,
            "ATT of seniors' moves alone, tag team",
            share(52, 0.5),
            _tag_team(_att("stt", 1100, "senior"), junior),
        ),
        "raw-att-senior": Experiment(
            source,
            "ATT of seniors' moves alone, alone against LEELA",
            share(36.5, 1.5),
            _alone(_att("stt", 1100, "senior")),
        ),
        "hb-alone": Experiment(
            source,
            "a hand without a brain",
            share(40, 1.5),
            {**_hand_brain(_tree(1100), 1100), "focal": alone},
        ),
        "stt-exp-released": Experiment(
            "skill-compatible, its program",
            "tag team, EXP as released",
            (),
            _tag_team(_exp_t(model, variant="released", scale="released"), junior),
        ),
        "hb-exp-released": Experiment(
            "skill-compatible, its program",
            "hand and brain, EXP as released",
            (),
            _hand_brain(_exp_h(1100, scale="cp_released"), 1100),
        ),
        "stt-exp-distribution": Experiment(
            "ours", "EXP that expects five junior moves", (), _tag_team(_exp_t(model, junior_width=5), junior)
        ),
        "stt-coin-tree": Experiment(
            "ours", "tag team in the tree, at EXP's visits", (), _tag_team(_coin_tree(1100), junior)
        ),
        "hb-hand-tree": Experiment(
            "ours", "hand and brain in the tree, at EXP's visits", (), _hand_brain(_hand_tree(1100), 1100)
        ),
        "raw-coin-tree": Experiment("ours", "the coin tree alone against LEELA", (), _alone(_coin_tree(1100))),
        "stt-leela": Experiment("ours", "LEELA against itself: 50 by symmetry", (), _tag_team(_leela(), junior)),
        "stt-leela-exp": Experiment(
            "ours", "LEELA with EXP's evaluations against LEELA", (), _tag_team(_leela(EXP_EVALUATIONS), junior)
        ),
        "stt-coin-tree-exp": Experiment(
            "ours",
            "the coin tree against EXP, at its evaluations",
            (),
            _tag_team({**_coin_tree(1100), "nodes": COIN_TREE_EVALUATIONS}, junior, {**_exp_t(model), "name": "EXP"}),
        ),
    }


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
                return _tag_team(_tree(designed), maia_player(tested))
            case "stt-exp":
                return _tag_team(_exp_t(maia_model(designed)), maia_player(tested))
            case "stt-att":
                return _tag_team(_att("stt", designed), maia_player(tested))
            case "hb-tree":
                return _hand_brain(_tree(designed), tested)
            case "hb-exp":
                return _hand_brain(_exp_h(designed), tested)
            case _:
                return _hand_brain(_att("hb", designed), tested)

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
    maia, weak = _exp_t(maia_model(1100)), _exp_t(SFW_MODEL)
    return {
        "stt-exp-1100-sfw": Experiment(
            source, "EXP designed for MAIA, tested with weak Stockfish", share(44, 1), _tag_team(maia, SFW)
        ),
        "stt-att-1100-sfw": Experiment(
            source,
            "ATT designed for MAIA, tested with weak Stockfish",
            share(44, 1),
            _tag_team(_att("stt", 1100), SFW),
        ),
        "stt-att-sfw-1100": Experiment(
            source,
            "ATT designed for weak Stockfish, tested with MAIA",
            share(48.5, 0.5),
            _tag_team(_att("stt", "sfw"), maia_player(1100)),
        ),
        "stt-att-sfw-sfw": Experiment(
            source,
            "ATT designed for and tested with weak Stockfish",
            share(51, 0.5),
            _tag_team(_att("stt", "sfw"), SFW),
        ),
        "stt-exp-sfw-1100": Experiment(
            source,
            "EXP designed for weak Stockfish, tested with MAIA",
            share(43.5, 1),
            _tag_team(weak, maia_player(1100)),
        ),
        "stt-exp-sfw-sfw": Experiment(
            source, "EXP designed for and tested with weak Stockfish", share(55, 0.5), _tag_team(weak, SFW)
        ),
    }


def _table_10() -> dict[str, Experiment]:
    """Published are the figures of player B, rated 1950: the nets of the paper's players are not published."""
    source = "skill-compatible, table 10 with another player"
    player = {"kind": "net_policy", "name": "PLAYER", "net": PLAYER_NET}
    model = {"kind": "net", "net": PLAYER_NET}
    tree = {"kind": "net_search", "name": "TREE", "net": PLAYER_NET, "nodes": 1500}

    def designed(who: str, published: tuple[Published, ...], senior: Table) -> Experiment:
        what = f"{senior['name']} designed for {who}, tested with the player"
        return Experiment(source, what, published, _tag_team(senior, player))

    return {
        "stt-att-1900-player": designed("MAIA 1900", share(51, 0.5), _att("stt", 1900)),
        "stt-tree-1900-player": designed("MAIA 1900", share(52, 0.5), _tree(1900)),
        "stt-exp-1900-player": designed("MAIA 1900", share(53, 2), _exp_t(maia_model(1900))),
        "stt-tree-player-player": designed("the player", share(46.5, 0.5), tree),
        "stt-exp-player-player": designed("the player", share(66.5, 2), _exp_t(model)),
    }


SKILL_COMPATIBLE: Mapping[str, Experiment] = {
    **_table_1(),
    **_table_1_with(STOCKFISH_LEELA, "stockfish", "Stockfish"),
    **_table_1_with_master(),
    **_ablations(),
    **_table_8(),
    **_table_9(),
    **_table_10(),
}
