"""Judged games for tests: the golden ones, and drawn ones."""

import json
from dataclasses import replace
from functools import cache
from typing import Any

import polars as pl
from hypothesis import settings, strategies as st

from foible.analysis.estimates import Estimate
from foible.analysis.quality.plies_table import HAND_COLUMNS, HAND_PLIES, JudgedGame, plies_table
from tests.shared_data import shared

TOLERANCE = 1e-9
few_examples = settings(max_examples=30, deadline=None)
"""For properties of whole tables: each example starts some dozens of queries."""


@cache
def _groups() -> dict[str, Any]:
    groups: dict[str, Any] = json.loads(shared("golden/skill_stats.json").read_text())["groups"]
    return groups


def golden(group: str) -> list[tuple[Any, Any]]:
    """Input and expectation of every case."""
    return [(case["input"], case["expected"]) for case in _groups()[group]["cases"]]


def golden_plies(given: dict[str, Any]) -> pl.DataFrame:
    """The games of a golden case, two of them a pair."""
    return plies_table(
        [
            JudgedGame(index // 2, game["focal_color"] == "white", game["wp_white"], game["bits"])
            for index, game in enumerate(given["games"])
        ]
    )


def flipped(games: list[JudgedGame]) -> list[JudgedGame]:
    """The same games with all colours exchanged."""
    return [
        replace(
            game,
            focal_white=not game.focal_white,
            starts_white=not game.starts_white,
            wp_white=[1 - wp for wp in game.wp_white],
        )
        for game in games
    ]


def numbers(result: object) -> list[Estimate]:
    """Every estimate in a result, in a fixed order."""
    if isinstance(result, Estimate):
        return [result]
    if isinstance(result, list | tuple):
        return [found for item in result for found in numbers(item)]
    names = getattr(result, "__dataclass_fields__", ())
    return [found for name in names for found in numbers(getattr(result, name))]


@st.composite
def judged_games(draw: st.DrawFn) -> list[JudgedGame]:
    """Tag team games in pairs, with and without an opening, of values that computation does not disturb."""
    games = []
    for pair in range(draw(st.integers(1, 3))):
        for focal_white in (False, True):
            plies = draw(st.integers(1, 14))
            wp = [value / 256 for value in draw(st.lists(st.integers(0, 256), min_size=plies + 1, max_size=plies + 1))]
            bits = draw(st.text("01", min_size=plies, max_size=plies))
            games.append(JudgedGame(pair, focal_white, wp, bits, draw(st.sampled_from([0, 0, 2]))))
    return games


@st.composite
def hand_games(draw: st.DrawFn) -> pl.DataFrame:
    """Hand and brain games whose unforced and played moves were drawn together (skill-compatible §2.2)."""
    wp = st.integers(0, 256).map(lambda value: value / 256)
    move = st.tuples(st.sampled_from("RBN"), st.sampled_from("123")).map("".join)
    rows = []
    plies = plies_table([replace(game, bits="") for game in draw(judged_games())])
    for after in plies["wp_after"]:
        brain, unforced, likeliest = draw(move), draw(move), draw(move)
        played = unforced if unforced[0] == brain[0] else brain[0] + draw(st.sampled_from("123"))
        known = {played: after}
        wps = [known.setdefault(choice, draw(wp)) for choice in (brain, unforced, likeliest)]
        moves = [brain, played, unforced, likeliest]
        rows.append([*moves, *(choice[0] for choice in moves), *wps])
    columns = pl.DataFrame(rows, schema=HAND_COLUMNS, orient="row")
    return pl.concat([plies, columns], how="horizontal").cast(HAND_PLIES)
