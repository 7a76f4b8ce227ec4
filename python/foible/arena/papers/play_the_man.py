"""When Suboptimal Minimax is Better (play the man): the matches of its follow-up."""

from collections.abc import Mapping

from foible.arena.papers.experiment import Experiment, Published, Table, maia_model, maia_player


def _lengths(white: float, black: float) -> tuple[Published, ...]:
    """The lengths of a player who won all games."""
    return (Published(100), Published(white, quantity="plies as White"), Published(black, quantity="plies as Black"))


STOCKFISH = {"kind": "uci", "command": "stockfish", "depth": 10, "options": {"Hash": 1}, "processes": 2}


def _antimaia(focal: Table) -> Table:
    """A strong player against Maia 1900, which samples its policy: 100 games as White, 100 as Black."""
    return {
        "framework": "standard",
        "games": 200,
        "seed": 1,
        "focal": focal,
        "alter": maia_player(1900, temperature=1.0),
    }


def _exploit(epsilon: float) -> Table:
    return {
        "kind": "exploit",
        "name": "Antimaia",
        "opponent": maia_model(1900),
        "judge": STOCKFISH,
        "safety": {"kind": "epsilon", "epsilon": epsilon},
        "left_out": "mean",
    }


def _play_the_man() -> dict[str, Experiment]:
    source = "play the man, its 400 games"
    released = {
        **_exploit(1.0),
        "width": {"all": True},
        "unit": "pawns",
        "mate_mode": "released",
        "mate_switch": {"kind": "found"},
    }
    return {
        "antimaia": Experiment(source, "Antimaia against Maia 1900", _lengths(37.5, 42.5), _antimaia(_exploit(1.0))),
        "antimaia-stockfish": Experiment(
            source, "Stockfish against Maia 1900", _lengths(69.8, 66.9), _antimaia(dict(STOCKFISH))
        ),
        "antimaia-released": Experiment(source, "the published program: all moves, pawns", (), _antimaia(released)),
        "antimaia-safe": Experiment("ours", "moves may cost 5 %", (), _antimaia(_exploit(0.05))),
        "antimaia-free": Experiment("ours", "traps that cost nothing alone", (), _antimaia(_exploit(0.0))),
    }


PLAY_THE_MAN: Mapping[str, Experiment] = _play_the_man()
