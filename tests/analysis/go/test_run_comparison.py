"""What became of runs, put side by side."""

from pathlib import Path

import msgspec
import pytest

from foible.analysis.go.run_comparison import Change, CurvePoint, LearningCurve, learning_curves
from foible.errors import ConfigError
from foible.training.go.folder import net_path
from foible.training.go.generation import Generation
from tests.analysis.go.learnt_runs import CONFIG, generation, write_learnt, write_panel

PANEL = CONFIG + 'panel = {{nets = ["p"], games = {games}, patience = {patience}}}\n'


def rated(number: int, elo: float, **known: object) -> Generation:
    return generation(number, elo=elo, elo_standard_error=20.0, **known)


def strengths(curve: LearningCurve) -> list[tuple[float | None, float | None]]:
    return [(point.strength, point.standard_error) for point in curve.points]


def test_a_curve_adds_up_games_and_time(tmp_path: Path) -> None:
    run = write_learnt(tmp_path / "run", [generation(0, alpha=-1.0, beta=0.25), generation(1, games=30), generation(2)])
    found = learning_curves([run])
    (curve,) = found.curves
    assert curve.points == (
        CurvePoint(0, 0, -1.0, 0.25, None, None),
        CurvePoint(1, 30, None, None, None, None),
        CurvePoint(2, 40, None, None, None, None),
    )
    assert (curve.last.generation, curve.last_measured, curve.seconds) == (2, None, 6.0)
    assert (found.size, found.known_value, found.measure, found.remarks) == (7, 9, None, ())


def test_elo_counts_where_there_is_no_panel_and_begins_with_the_random_net(tmp_path: Path) -> None:
    one = write_learnt(tmp_path / "one", [generation(0), rated(1, 100.0), rated(2, 250.0)])
    assert learning_curves([one]).remarks == ()
    two = write_learnt(tmp_path / "two", [generation(0)])
    found = learning_curves([one, two])
    assert found.measure == "Elo"
    assert strengths(found.curves[0]) == [(0.0, None), (100.0, 20.0), (250.0, 20.0)]
    assert strengths(found.curves[1]) == [(None, None)]
    own, missing = found.remarks
    assert "each run's own matches" in own
    assert missing == "no Elo: two"


def test_shares_against_the_runs_own_panel_go_before_elo(tmp_path: Path) -> None:
    measured = [generation(0, panel=0.25), rated(1, 100.0, panel=0.5, panel_standard_error=0.0625)]
    runs = [
        write_learnt(tmp_path / "one", measured, config=PANEL.format(games=8, patience=3)),
        write_learnt(tmp_path / "two", measured, config=PANEL.format(games=8, patience=4)),
    ]
    found = learning_curves(runs)
    assert found.measure == "panel share"
    assert strengths(found.curves[1]) == [(0.25, None), (0.5, 0.0625)]
    assert found.remarks == ()
    other = write_learnt(tmp_path / "other", measured, config=PANEL.format(games=9, patience=3))
    assert learning_curves([*runs, other]).remarks == ("the runs have different panels: their shares do not compare",)
    bare = write_learnt(tmp_path / "bare", [rated(0, 0.0)])
    assert learning_curves([*runs, bare]).remarks == ("no panel share: bare",)


def test_the_scores_of_a_panel_go_before_all(tmp_path: Path) -> None:
    measured = [generation(0, panel=0.25), rated(1, 100.0), generation(2)]
    one, two = (write_learnt(tmp_path / name, measured) for name in ("one", "two"))
    panel = write_panel(tmp_path / "panel", {net_path(one, 1): (0.75, 0.125), net_path(one, 2): (1.0, None)})
    found = learning_curves([one, two], panel)
    assert found.measure == "panel score"
    assert found.scale is not None
    assert found.scale.ceiling == 1.5
    assert strengths(found.curves[0]) == [(None, None), (0.75, 0.125), (1.0, None)]
    assert found.remarks == ("no panel score: two",)
    with pytest.raises(ConfigError, match="panel: holds no score, with lambda 0, of a net of these runs"):
        learning_curves([two], panel)


def test_nets_are_known_where_the_run_was_moved_and_may_be_gone(tmp_path: Path) -> None:
    run = write_learnt(tmp_path / "run", [generation(0), generation(1)])
    panel = write_panel(tmp_path / "panel", {net_path(run, number): (float(number), None) for number in (0, 1)})
    moved = run.rename(tmp_path / "moved")
    net_path(moved, 0).unlink()
    assert strengths(learning_curves([moved], panel).curves[0]) == [(None, None), (1.0, None)]


def test_a_generation_without_a_promoted_net_is_as_strong_as_the_best_before(tmp_path: Path) -> None:
    last = generation(2, best=1, elo=100.0, elo_standard_error=20.0)
    run = write_learnt(tmp_path / "run", [generation(0), rated(1, 100.0), last])
    assert strengths(learning_curves([run]).curves[0])[1:] == [(100.0, 20.0)] * 2
    panel = write_panel(tmp_path / "panel", {net_path(run, 1): (0.5, 0.25)})
    assert strengths(learning_curves([run], panel).curves[0])[1:] == [(0.5, 0.25)] * 2
    share = [generation(1, panel=0.5), generation(2, best=1)]
    found = learning_curves([write_learnt(tmp_path / "share", share)])
    assert strengths(found.curves[0]) == [(0.5, None)] * 2


@pytest.mark.parametrize(
    ("alphas", "settled"),
    [
        ([0.0, 9.0, 9.5, 8.0], 1),
        ([0.0, 9.0, 5.0, 10.0], 3),
        ([9.0, 9.0], 0),
        ([9.0, 10.5], None),
        ([9.0, None], None),
        ([None, 9.0], 1),
    ],
)
def test_alpha_has_settled_once_it_stays_within_a_point(
    tmp_path: Path, alphas: list[float | None], settled: int | None
) -> None:
    run = write_learnt(tmp_path / "run", [generation(number, alpha=alpha) for number, alpha in enumerate(alphas)])
    assert learning_curves([run]).curves[0].settled == settled


def test_nothing_settles_where_no_value_is_known(tmp_path: Path) -> None:
    run = write_learnt(tmp_path / "run", [generation(0, alpha=7.0)], size=9)
    found = learning_curves([run])
    assert (found.known_value, found.curves[0].settled) == (None, None)


def test_changes_are_of_the_learning_rate_and_of_branching(tmp_path: Path) -> None:
    later = "[[training.later]]\ngeneration = {}\nlr = {}\n"
    phases = "".join(later.format(*phase) for phase in ((4, 0.002), (2, 0.01), (1, 0.03), (9, 0.001)))
    later = "[[selfplay.later]]\ngeneration = {}\nbranching = {{ form = '{}', rate = {} }}\n"
    phases += "".join(later.format(*phase) for phase in ((1, "decided", 0.025), (4, "constant", 0.05)))
    generations = [generation(number) for number in range(6)]
    run = write_learnt(tmp_path / "run", generations, config=CONFIG + phases)
    assert learning_curves([run]).curves[0].changes == (
        Change(2, "learning rate 0.01"),
        Change(4, "learning rate 0.002"),
        Change(4, "branching constant 0.05"),
    )
    always = write_learnt(tmp_path / "always", generations)
    assert learning_curves([always]).curves[0].changes == ()


def test_curves_become_plain_values(tmp_path: Path) -> None:
    run = write_learnt(tmp_path / "run", [generation(0), generation(1, alpha=2.0, branches=1)])
    panel = write_panel(tmp_path / "panel", {net_path(run, 1): (0.5, 0.25)})
    found = msgspec.json.decode(msgspec.json.encode(learning_curves([run], panel).to_json()))
    assert found["scale"] == {"even": -0.25, "ceiling": 1.5}
    (one,) = found["runs"]
    assert (one["run"], one["folder"], one["settled"], one["changes"]) == ("run", str(run), None, [])
    assert one["points"][1] == {
        "generation": 1,
        "games": 10,
        "alpha": 2.0,
        "beta": None,
        "strength": 0.5,
        "standard_error": 0.25,
    }
