import pytest

from foible.errors import ConfigError
from foible.training.data.config import DataConfig, Filters
from foible.training.experts.regimes import ExpertJob, jobs_of, regime, segments

DATA = DataConfig(sources=["games.pgn"], filters=Filters(min_rating=2000))


def learnt(job: ExpertJob) -> list[list[int] | None]:
    """The phases of each stage, first to last."""
    return [*(learnt(job.start) if job.start else []), job.data.filters.phases]


def test_the_regular_net_learns_everything_at_once() -> None:
    assert regime("regular", DATA).jobs == (ExpertJob("regular", DATA),)


def test_separated_experts_learn_their_own_phase_alone() -> None:
    jobs = regime("separated", DATA).jobs
    assert [learnt(job) for job in jobs] == [[[0]], [[1]], [[2]]]
    assert all(job.data.filters.min_rating == 2000 for job in jobs)


def test_staged_experts_learn_their_own_phase_last() -> None:
    assert [learnt(job) for job in regime("staged", DATA).jobs] == [[[2], [1], [0]], [[0], [2], [1]], [[0], [1], [2]]]


@pytest.mark.parametrize(
    ("name", "main", "other"),
    [("weighted-4", 2.0, 0.5), ("weighted-10", 2.5, 0.25), ("weighted-1", 1.0, 1.0)],
)
def test_weights_are_those_of_the_table(name: str, main: float, other: float) -> None:
    weights = [job.data.phase_weights for job in regime(name, DATA).jobs]
    assert weights == [[main, other, other], [other, main, other], [other, other, main]]


def test_segments_by_the_move_counter_are_learnt_separately() -> None:
    found = segments(4, DATA)
    assert found.gate.count == 4
    assert [(job.data.move_phases, job.data.filters.phases) for job in found.jobs] == [(4, [k]) for k in range(4)]


def test_no_run_is_made_twice_and_each_comes_after_that_from_which_it_starts() -> None:
    regimes = [regime(name, DATA) for name in ("staged", "regular", "separated")] + [segments(k, DATA) for k in (2, 3)]
    jobs = jobs_of(regimes)
    names = [job.name for job in jobs]
    assert len(set(names)) == len(names) == 1 + 3 + 6 + 2 + 3
    assert all(names.index(job.start.name) < place for place, job in enumerate(jobs) if job.start)
    separated = {job.name for job in regimes[2].jobs}
    first_stages = {job.start.start.name for job in regimes[0].jobs if job.start and job.start.start}
    assert first_stages < separated


@pytest.mark.parametrize("name", ["weighted", "weighted-0", "weighted-x", "Regular", ""])
def test_a_regime_that_does_not_exist_is_named(name: str) -> None:
    with pytest.raises(ConfigError, match=f"no regime is called '{name}'; expected regular, separated, staged"):
        regime(name, DATA)
