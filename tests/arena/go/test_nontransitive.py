"""Cycles of players who beat each other."""

from itertools import combinations, permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from foible.arena.go.nontransitive import Transitivity, transitivity, z_values
from foible.arena.pairwise import Pairwise, pairwise


def clear(*wins: str, games: int = 100) -> Pairwise:
    """`ab`: a beats b, clearly."""
    return pairwise({(two[0], two[1]): (0.8 * games, games) for two in wins})


def members(found: Transitivity) -> list[str]:
    return ["".join(cycle.players) for cycle in found.cycles]


def test_three_in_a_circle_are_a_cycle() -> None:
    found = transitivity(clear("ab", "bc", "ca"))
    assert members(found) == ["abc"]
    assert (found.triples, found.cyclic, found.share) == (1, 1, 1.0)
    (cycle,) = found.cycles
    assert cycle.shares == pytest.approx((0.8, 0.8, 0.8))
    assert cycle.z == pytest.approx(6.0)
    assert str(cycle) == "a 80 % → b 80 % → c 80 % → a"


def test_an_order_has_none() -> None:
    found = transitivity(clear("ab", "ac", "ad", "bc", "bd", "cd"))
    assert (members(found), found.triples, found.cyclic, found.share) == ([], 4, 0, 0.0)


def test_four_in_a_circle_who_did_not_all_meet_are_a_cycle_without_triples() -> None:
    found = transitivity(clear("ab", "bc", "cd", "da"))
    assert members(found) == ["abcd"]
    assert (found.triples, found.share) == (0, None)
    assert members(transitivity(clear("ab", "bc", "cd", "da"), longest=3)) == []
    # A shortcut makes it one of three.
    assert members(transitivity(clear("ab", "bc", "cd", "da", "ca"))) == ["abc"]
    assert members(transitivity(clear("ab", "bc", "cd", "da", "ac"))) == ["acd"]


def test_what_may_be_chance_does_not_count() -> None:
    narrow = pairwise({("a", "b"): (59, 100), ("b", "c"): (60, 100), ("c", "a"): (60, 100)})
    assert z_values(narrow)[0, 1] == pytest.approx((0.59 - 0.5) / (0.5 / 10))
    assert members(transitivity(narrow)) == []
    assert members(transitivity(narrow, threshold=1.5)) == ["abc"]


@pytest.mark.parametrize(
    ("wins", "line"),
    [
        ({"ab": 60, "bc": 80}, "no three players all met each other"),
        ({"ab": 59, "bc": 80, "ca": 80}, "no triple has clear results (z ≥ 1.96) yet"),
        ({"ab": 60, "bc": 80, "ac": 90}, "no cycles: 0 of 1 triples with clear results (z ≥ 1.96)"),
        (
            {"ab": 60, "bc": 80, "ca": 90, "ad": 90, "bd": 90, "cd": 50},
            "cycles: 1 of 2 triples with clear results (z ≥ 1.96), 50.0 %",
        ),
        (
            {"ab": 80, "bc": 80, "cd": 80, "da": 80, "ef": 80, "fg": 80, "eg": 80},
            "cycles: 0 of 1 triples with clear results (z ≥ 1.96)",
        ),
    ],
)
def test_one_line_says_how_many_triples_are_clear_and_how_many_of_them_cycles(wins: dict[str, int], line: str) -> None:
    results = pairwise({(two[0], two[1]): (won, 100) for two, won in wins.items()})
    assert transitivity(results).summary == line


def test_the_surest_and_shortest_come_first() -> None:
    results = pairwise(
        {
            **dict.fromkeys((("a", "b"), ("b", "c"), ("c", "a")), (70, 100)),
            **dict.fromkeys((("d", "e"), ("e", "f"), ("f", "d")), (90, 100)),
            **dict.fromkeys((("g", "h"), ("h", "i"), ("i", "j"), ("j", "g")), (95, 100)),
        }
    )
    assert members(transitivity(results)) == ["def", "abc", "ghij"]


@settings(max_examples=60, deadline=None)
@given(st.integers(3, 7), st.integers(0, 10_000), st.sampled_from([0.5, 0.8, 1.0]))
def test_cycles_are_all_that_have_no_shortcut(players: int, seed: int, density: float) -> None:
    rng = np.random.default_rng(seed)
    names = "abcdefg"[:players]
    wins = [(x + y) if rng.random() < 0.5 else (y + x) for x, y in combinations(names, 2) if rng.random() < density]
    found = transitivity(clear(*wins), longest=players) if wins else None
    linked, beats = {frozenset(two) for two in wins}, set(wins)
    expected = set()
    for length in range(3, players + 1):
        for line in permutations(names, length):
            around = [line[i] + line[(i + 1) % length] for i in range(length)]
            chords = {frozenset(two) for two in combinations(line, 2)} - {frozenset(step) for step in around}
            if line[0] == min(line) and set(around) <= beats and not chords & linked:
                expected.add("".join(line))
    rotated = {min(name[i:] + name[:i] for i in range(len(name))) for name in (members(found) if found else [])}
    assert rotated == expected
    assert found is None or len(found.cycles) == len(expected)
    if found:
        assert found.cyclic == sum(len(name) == 3 for name in expected)
        assert found.triples == sum(
            all(frozenset(two) in linked for two in combinations(three, 2)) for three in combinations(names, 3)
        )


def test_players_in_no_order_have_a_quarter_of_cyclic_triples() -> None:
    rng = np.random.default_rng(5)
    names = [chr(33 + i) for i in range(40)]
    wins = [x + y if rng.random() < 0.5 else y + x for x, y in combinations(names, 2)]
    found = transitivity(clear(*wins))
    assert found.triples == 40 * 39 * 38 / 6
    assert found.share == pytest.approx(0.25, abs=0.02)
    assert len(found.cycles) == found.cyclic
