"""When a candidate takes the best net's place."""

import pytest
from hypothesis import given, strategies as st

from foible.training.go.promotion import Rule, decided, needed

rules: st.SearchStrategy[Rule] = st.sampled_from(["root", 0.55, 0.5, 0.6, 0.0, 1.0])


def test_both_rules_ask_for_220_of_400() -> None:
    assert needed(400) == pytest.approx(220)
    assert needed(400, "root") == 220
    assert needed(100, "root") == 60
    for rule in (0.55, "root"):
        assert decided(220, 400, 400, rule) is True
        assert decided(219.5, 400, 400, rule) is False


@given(st.lists(st.sampled_from([0.0, 0.5, 1.0]), min_size=1, max_size=60), rules)
def test_an_early_decision_is_that_of_the_whole_match(results: list[float], rule: Rule) -> None:
    total = len(results)
    verdicts = [decided(sum(results[:games]), games, total, rule) for games in range(total + 1)]
    assert verdicts[-1] is (sum(results) >= needed(total, rule) - 1e-9)
    assert {verdict for verdict in verdicts if verdict is not None} == {verdicts[-1]}


@given(st.integers(1, 60), st.data(), rules)
def test_no_decision_comes_later_than_it_could(total: int, data: st.DataObject, rule: Rule) -> None:
    games = data.draw(st.integers(0, total))
    wins = data.draw(st.integers(0, games))
    best, worst = decided(wins + total - games, total, total, rule), decided(wins, total, total, rule)
    assert decided(wins, games, total, rule) is (best if best is worst else None)
