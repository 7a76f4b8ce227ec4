"""The players and teams of tag team and of hand and brain, as matches have them (Designing Skill-Compatible AI)."""

from typing import Any

from foible.arena.openings import BALANCED
from foible.arena.papers.experiment import LEELA_NET, Table, attuned_net, maia, maia_model, maia_player


def leela(nodes: int = 1500) -> Table:
    """The strong player of the papers: LEELA's net in a search."""
    return {"kind": "net_search", "name": "LEELA", "net": LEELA_NET, "nodes": nodes}


def tree(level: int) -> Table:
    """TREE: the net of people of a rating in a search."""
    return {"kind": "net_search", "name": "TREE", "net": maia(level), "nodes": 1500}


def att(framework: str, junior: int | str, plies: str = "all") -> Table:
    """ATT: LEELA's net, attuned to a junior, in a search."""
    return {"kind": "net_search", "name": "ATT", "net": attuned_net(framework, junior, plies), "nodes": 1500}


def exp_t(junior: Table, **changes: Any) -> Table:
    """EXP of the tag team, which reckons with a junior."""
    return {"kind": "exp_t", "name": "EXP", "net": LEELA_NET, "junior": junior, **changes}


def exp_h(level: int, **changes: Any) -> Table:
    """EXP of hand and brain, which reckons with a hand of a rating."""
    return {"kind": "exp_h", "name": "EXP", "net": LEELA_NET, "hand": maia_model(level), **changes}


def coin_tree(level: int) -> Table:
    """A player with as many visits per move as EXP_T: 1500 + 5 · (1500 + 3 · 300)."""
    return {"kind": "tag_team_tree", "name": "Coin tree", "net": LEELA_NET, "junior": maia(level), "nodes": 13_500}


EXP_EVALUATIONS = 13_000
"""The visits with which a search of LEELA's evaluates as many positions as EXP_T does for a move: 8.7 times what it
takes with 1500 (`evidence/stt-exp`, `evidence/stt-leela`)."""
COIN_TREE_EVALUATIONS = 4500
"""The visits with which the coin tree does: with LEELA's 1500 it evaluates a third as many."""


def hand_tree(level: int) -> Table:
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


def tag_team(senior: Table, junior: Table, other: Table | None = None) -> Table:
    """A senior's team against that of another, LEELA by default, with the same junior."""
    return _teams("tag_team", "senior", senior, other or leela(), junior=junior)


def hand_brain(brain: Table, level: int, other: Table | None = None) -> Table:
    """A brain's team against that of another, LEELA by default, with the same hand."""
    return _teams("hand_brain", "brain", brain, other or leela(), hand=maia_player(level, temperature=1.0))


def _teams(framework: str, role: str, focal: Table, alter: Table, **partner: Table) -> Table:
    """Two strong players, each in the same role of a team with the same partner."""

    def team(strong: Table) -> Table:
        return {"kind": framework, "name": f"{strong['name']}'s team", role: strong, **partner}

    return {
        "framework": framework,
        "games": 1000,
        "seed": 1,
        "judge": LEELA_NET,
        "focal": team(focal),
        "alter": team(alter),
    }


def alone(focal: Table, alter: Table | None = None) -> Table:
    """An agent without a partner against LEELA, from balanced openings: from one position all games were alike."""
    return {
        "framework": "standard",
        "games": 200,
        "seed": 1,
        "openings": {"file": BALANCED},
        "judge": LEELA_NET,
        "focal": focal,
        "alter": alter or leela(),
    }
