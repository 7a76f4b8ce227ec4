"""When a candidate takes the best net's place."""

from hypothesis import given, strategies as st

from foible.training.go.promotion import ROUNDING, decided

thresholds = st.sampled_from([0.55, 0.5, 0.6, 0.0, 1.0])


def test_the_published_threshold_asks_for_220_of_400() -> None:
    assert decided(220, 400, 400, 0.55) is True
    assert decided(219.5, 400, 400, 0.55) is False


@given(st.lists(st.sampled_from([0.0, 0.5, 1.0]), min_size=1, max_size=60), thresholds)
def test_an_early_decision_is_that_of_the_whole_match(results: list[float], threshold: float) -> None:
    total = len(results)
    verdicts = [decided(sum(results[:games]), games, total, threshold) for games in range(total + 1)]
    assert verdicts[-1] is (sum(results) >= threshold * total - ROUNDING)
    assert {verdict for verdict in verdicts if verdict is not None} == {verdicts[-1]}


@given(st.integers(1, 60), st.data(), thresholds)
def test_no_decision_comes_later_than_it_could(total: int, data: st.DataObject, threshold: float) -> None:
    games = data.draw(st.integers(0, total))
    wins = data.draw(st.integers(0, games))
    best, worst = (decided(points, total, total, threshold) for points in (wins + total - games, wins))
    assert decided(wins, games, total, threshold) is (best if best is worst else None)
