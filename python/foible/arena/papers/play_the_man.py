"""When Suboptimal Minimax is Better (play the man): the matches of its follow-up."""

from collections.abc import Mapping
from typing import Any

from foible.arena.papers.experiment import Experiment, Published, Table, maia_model, maia_player


def _lengths(white: float, black: float) -> tuple[Published, ...]:
    """The lengths of a player who won all games."""
    return (Published(100), Published(white, quantity="plies as White"), Published(black, quantity="plies as Black"))


STOCKFISH = {"kind": "uci", "command": "stockfish", "depth": 10, "options": {"Hash": 1}, "processes": 2}


def _antimaia(focal: Table, level: int = 1900) -> Table:
    """A strong player against a Maia, which samples its policy: 100 games as White, 100 as Black."""
    return {
        "framework": "standard",
        "games": 200,
        "seed": 1,
        "focal": focal,
        "alter": maia_player(level, temperature=1.0),
    }


def _exploit(epsilon: float, level: int = 1900, **changes: Any) -> Table:
    return {
        "kind": "exploit",
        "name": "Antimaia",
        "opponent": maia_model(level),
        "judge": STOCKFISH,
        "safety": {"kind": "epsilon", "epsilon": epsilon},
        "left_out": "mean",
        **changes,
    }


def _in_pawns(weight: float, mate_switch: int | Table) -> Table:
    """The post's player, which counts in pawns (opponent-modelling §1.3)."""
    return _antimaia(_exploit(1.0, unit="pawns", mate_mode="post", mate_weight=weight, mate_switch=mate_switch))


def _games() -> dict[str, Experiment]:
    source = "play the man, its 400 games"
    released = _exploit(1.0, width={"all": True}, unit="pawns", mate_mode="released", mate_switch={"kind": "found"})
    return {
        "antimaia": Experiment(source, "Antimaia against Maia 1900", _lengths(37.5, 42.5), _antimaia(_exploit(1.0))),
        "antimaia-stockfish": Experiment(
            source, "Stockfish against Maia 1900", _lengths(69.8, 66.9), _antimaia(dict(STOCKFISH))
        ),
        "antimaia-released": Experiment(source, "the published program: all moves, pawns", (), _antimaia(released)),
        "antimaia-safe": Experiment("ours", "moves may cost 5 %", (), _antimaia(_exploit(0.05))),
        "antimaia-free": Experiment("ours", "traps that cost nothing alone", (), _antimaia(_exploit(0.0))),
    }


def _weights() -> dict[str, Experiment]:
    """What the post says of the weight of a mate, and of averaging in won games."""
    source = "play the man, the weight of a mate"
    mates = {"kind": "found", "longest": 5}
    return {
        **{
            f"antimaia-weight-{weight}": Experiment(
                source, f"games decided, a mate counts {weight} pawns", (), _in_pawns(weight, mates), "decided"
            )
            for weight in (3, 10, 30)
        },
        "antimaia-averaging": Experiment(
            source, "games decided, averaging never stops", (), _in_pawns(10, 0), "decided"
        ),
    }


def _levels() -> dict[str, Experiment]:
    """The match of the follow-up against weaker Maias, whom the model knows."""
    found = {}
    for level in (1100, 1500):
        for name, who, player in (
            (f"antimaia-{level}", "Antimaia", _exploit(1.0, level)),
            (f"antimaia-stockfish-{level}", "Stockfish", dict(STOCKFISH)),
        ):
            what = f"{who} against Maia {level}, plies as White"
            found[name] = Experiment("ours", what, (), _antimaia(player, level), "plies as White")
    return found


def _practical() -> dict[str, Experiment]:
    """Does it help to expect errors of one's own side? Here a partner makes them: two seniors differ in their model of
    themselves alone, and each has the junior whom both expect on the other side.
    """
    judge = {"kind": "net", "net": "master"}
    width = {"ours": 4, "hopeful": 0, "mass": 0.9, "replies": 4}
    exploit = {"kind": "exploit", "opponent": maia_model(1100), "judge": judge, "depth": 2, "width": width}
    seniors = {"Practical": {**exploit, "ourselves": maia_model(1100)}, "Exploit": exploit}
    junior = maia_player(1100, temperature=1.0)
    practical, alone = (
        {"kind": "tag_team", "name": f"{name}'s team", "senior": {**senior, "name": name}, "junior": junior}
        for name, senior in seniors.items()
    )
    match = {"framework": "tag_team", "games": 200, "seed": 1, "focal": practical, "alter": alone}
    return {"practical": Experiment("ours", "tag team, Exploit that expects its partner's errors as well", (), match)}


PLAY_THE_MAN: Mapping[str, Experiment] = {**_games(), **_weights(), **_levels(), **_practical()}
