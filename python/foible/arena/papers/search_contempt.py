"""Search-contempt: odds, the dial of decided games, and the match of its table 2.

The paper does not name its net nor its opponents: ours is LEELA's stand-in against maia-1500. Of its schedules only
τ₁ is known; its τ₂ is a higher temperature, with which plain search decides as many games as contempt does with τ₁.
The dial looks for it among constant temperatures.
"""

from collections.abc import Mapping
from typing import Any

from foible.arena.papers.experiment import LEELA_NET, Experiment, Published, Table, maia, share
from foible.search.params import ODDS_CONTEMPT_VISITS

TAU_1 = {"temperature": 0.7, "temperature_decay_moves": 5, "temperature_endgame": 0.1}
TAU_2 = {"temperature": 0.7}
"""The constant temperature at which plain search decides as many games as N_scl 5 does at τ₁, interpolated between 0.6
and 0.8 of the dial by the first 40 games of each.
"""
_WARM = {"temperature": 1.0}
"""A temperature at which plain search decides more games; it stood in for τ₂ before that was looked for."""
_OTHERS = (0.4, 0.6, 0.8)
"""Further temperatures of the dial."""
_RATING = 1500
"""The rating of the opponents at odds."""
_MODEL = f"club:{_RATING}"
"""Another net of that rating than the opponent's own."""

_QUEEN: Mapping[tuple[str, int], tuple[Published, ...]] = {
    ("puct", 100): (Published(23.43),),
    ("contempt", 100): (Published(36.76),),
    ("puct", 800): (Published(35.25),),
    ("contempt", 800): (Published(57.81),),
    ("puct", 20_000): (Published(25.40),),
    ("contempt", 20_000): (Published(81.73),),
}
_ODDS: Mapping[str, tuple[int, ...]] = {"queen": (100, 800, 3200, 20_000), "rook": (100, 800), "knight": (100, 800)}
"""By odds, the numbers of visits with which they are played."""
_DIAL: Mapping[str, tuple[Published, ...]] = {
    "1": (Published(71.4, 4.5, "decided"),),
    "5": (Published(58.0, 4.9, "decided"),),
    "10": (Published(44.0, 5.0, "decided"),),
    "32": (),
    "off": (Published(8.0, 2.7, "decided"),),
}
"""By N_scl the decided games of 100, counted in the published games; of N_scl 1 the paper says more than that."""


def _search(nodes: int, contempt: int | None, temperature: Mapping[str, float] | None = None) -> Table:
    constants: dict[str, Any] = {**(temperature or {}), **({"contempt_visits": contempt} if contempt else {})}
    name = f"contempt {contempt}" if contempt else "PUCT"
    return {"kind": "net_search", "name": name, "net": LEELA_NET, "nodes": nodes, "search": constants}


def _match(focal: Table, alter: Table, **changes: Any) -> Table:
    return {"framework": "standard", "games": 100, "seed": 1, "focal": focal, "alter": alter, **changes}


def _odds() -> dict[str, Experiment]:
    return {
        f"{odds}-odds-{search}-{nodes}": _odds_match(
            odds,
            f"{'search-contempt' if contempt else 'PUCT'} with {nodes} visits",
            _search(nodes, contempt),
            _QUEEN.get((search, nodes), ()) if odds == "queen" else (),
        )
        for odds, visits in _ODDS.items()
        for nodes in visits
        for search, contempt in (("puct", None), ("contempt", ODDS_CONTEMPT_VISITS))
    }


def _odds_by_model() -> dict[str, Experiment]:
    """What takes the place of N_scl where the opponent's rating is known: a model of people of that rating.

    It is not the opponent itself. Where the opponent is to move both nets are asked, so it gets two thirds of the
    visits: with 67 of them it made 61 evaluations a move where contempt made 68 with 100 (first blocks in `evidence`).
    """
    return {
        f"queen-odds-model-{nodes}": _odds_match(
            "queen",
            f"a model of the opponent's rating, with two thirds of {nodes} visits",
            {
                "kind": "opponent_tree",
                "name": f"against {_MODEL}",
                "net": LEELA_NET,
                "opponent": _MODEL,
                "nodes": round(nodes * 2 / 3),
            },
        )
        for nodes in (100, 800)
    }


def _odds_match(odds: str, what: str, search: Table, published: tuple[Published, ...] = ()) -> Experiment:
    human = {"kind": "net_policy", "name": "MAIA", "net": maia(_RATING)}
    match = _match(search, human, framework="odds", odds=odds, games=400)
    return Experiment(f"search-contempt, {odds} odds", what, published, match)


def _dial() -> dict[str, Experiment]:
    def one(what: str, published: tuple[Published, ...], search: Table) -> Experiment:
        config = _match(search, {**search, "name": "itself"})
        return Experiment("search-contempt, the dial", f"decided games {what}", published, config, quantity="decided")

    by_visits = {
        f"dial-{visits}": one(
            "without contempt" if visits == "off" else f"at N_scl {visits}",
            published,
            _search(1000, None if visits == "off" else int(visits), TAU_1),
        )
        for visits, published in _DIAL.items()
    }
    by_temperature = {
        f"dial-temperature-{temperature}": one(
            f"without contempt at a constant temperature of {temperature}",
            (),
            _search(1000, None, {"temperature": temperature}),
        )
        for temperature in _OTHERS
    }
    return {
        **by_visits,
        **by_temperature,
        "dial-temperature-0.7": one("at τ₂", (Published(58.0, 4.9, "decided"),), _search(1000, None, TAU_2)),
        "dial-warm": one("at a temperature of 1", (), _search(1000, None, _WARM)),
    }


def _table_2() -> dict[str, Experiment]:
    """The paper's match, and what its schedules alone are worth: the same without contempt. Both once more with a
    temperature of 1 in place of τ₂.
    """
    return {
        **_contempt_match("contempt-match", "PUCT at τ₂", TAU_2, share(60.0, 3.5)),
        **_contempt_match("contempt-match-warm", "PUCT at a temperature of 1 in place of τ₂", _WARM, ()),
    }


def _contempt_match(
    name: str, alter: str, schedule: Mapping[str, float], published: tuple[Published, ...]
) -> dict[str, Experiment]:
    """The match under a name, and with `-puct` behind it the same without contempt.

    :param alter: the opponent in words. :param schedule: its temperature. :param published: the focal side's share.
    """
    source, opponent = "search-contempt, tables 1 and 2", _search(1000, None, schedule)
    contempt = _match(_search(1000, 5, TAU_1), opponent)
    plain = _match(_search(1000, None, TAU_1), {**opponent, "name": "PUCT at τ₂"})
    gain = " (+70 Elo)" if published else ""
    return {
        name: Experiment(source, f"N_scl 5 at τ₁ against {alter}{gain}", published, contempt),
        f"{name}-puct": Experiment(source, f"PUCT at τ₁ against {alter}: the schedules alone", (), plain),
    }


SEARCH_CONTEMPT: Mapping[str, Experiment] = {**_table_2(), **_dial(), **_odds(), **_odds_by_model()}
