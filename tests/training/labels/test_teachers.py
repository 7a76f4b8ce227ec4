import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

from foible._core import Batch, ChessPosition
from foible.engines.pool import EnginePool
from foible.errors import ConfigError, EngineError
from foible.loop import wait
from foible.nets.choices import default_threads
from foible.nets.evaluator import softmax
from foible.nets.shelf import NetShelf
from foible.search.params import PRESETS
from foible.search.trees import Trees
from foible.testing import random_positions
from foible.training.data.encoder import wdl_of_evals
from foible.training.labels.config import parse_teacher
from foible.training.labels.teachers import (
    LEAST,
    Asked,
    EngineTeacher,
    EngineTeacherSpec,
    Label,
    LevelsTeacherSpec,
    NetsTeacherSpec,
    SearchTeacher,
    SearchTeacherSpec,
    Teacher,
)
from tests.engines.fake import Fake

POSITIONS = [
    position for position in random_positions(ChessPosition(), 40, seed=4) if isinstance(position, ChessPosition)
]
LEVELS = {"1000": "club:1000", "1400": "club:1400", "2000": "club:2000"}


@pytest.fixture(scope="module")
def shelf() -> NetShelf:
    return NetShelf()


def labels(teacher: Teacher, positions: list[ChessPosition], ratings: list[int] | None = None) -> list[Label]:
    asked = [Asked(one, rating) for one, rating in zip(positions, ratings or [0] * len(positions), strict=True)]
    return wait(teacher.label(asked))


def of_net(shelf: NetShelf, net: str, position: ChessPosition) -> tuple[dict[str, float], Any]:
    batch = Batch([position])
    found = shelf.evaluator(net).evaluate(batch)
    return dict(zip(batch.moves()[0], softmax(found.logits).tolist(), strict=True)), found.wdl[0]


def assert_says(label: Label, policy: dict[str, float], wdl: Any) -> None:
    assert_allclose(label.wdl, wdl, atol=1e-5)
    assert label.shares == sorted(label.shares, reverse=True)
    assert min(label.shares) >= LEAST
    assert sum(label.shares) > 0.9
    for move, share in zip(label.moves, label.shares, strict=True):
        assert share == pytest.approx(policy[move], abs=1e-5)


def test_a_net_says_its_policy_and_its_value(shelf: NetShelf) -> None:
    found = labels(NetsTeacherSpec(nets=["club"]).build(shelf), POSITIONS)
    for position, label in zip(POSITIONS, found, strict=True):
        assert_says(label, *of_net(shelf, "club", position))


def test_of_several_nets_the_mean_is_taken(shelf: NetShelf) -> None:
    nets = ["club", "master"]
    for position, label in zip(POSITIONS, labels(NetsTeacherSpec(nets=nets).build(shelf), POSITIONS), strict=True):
        both = [of_net(shelf, net, position) for net in nets]
        policy = {move: (both[0][0][move] + both[1][0][move]) / 2 for move in both[0][0]}
        assert_says(label, policy, (both[0][1] + both[1][1]) / 2)


def test_levels_are_interpolated_at_the_rating_of_the_player_to_move(shelf: NetShelf) -> None:
    teacher = LevelsTeacherSpec(nets=LEVELS).build(shelf)  # type: ignore[arg-type]
    assert teacher.knows_ratings
    rng = random.Random(1)
    ratings = [rng.choice([800, 1000, 1100, 1390, 1400, 1850, 2400]) for _ in POSITIONS]
    weights: dict[int, tuple[float, ...]] = {
        800: (1, 0, 0),
        1000: (1, 0, 0),
        1100: (0.75, 0.25, 0),
        1390: (0.025, 0.975, 0),
        1400: (0, 1, 0),
    }
    weights |= {1850: (0, 0.25, 0.75), 2400: (0, 0, 1)}
    for position, rating, label in zip(POSITIONS, ratings, labels(teacher, POSITIONS, ratings), strict=True):
        each = [of_net(shelf, net, position) for net in LEVELS.values()]
        mean = {
            move: sum(w * policy[move] for w, (policy, _) in zip(weights[rating], each, strict=True))
            for move in each[0][0]
        }
        assert_says(label, mean, sum(w * wdl for w, (_, wdl) in zip(weights[rating], each, strict=True)))


def test_a_search_says_its_visits_and_its_root(shelf: NetShelf) -> None:
    teacher = SearchTeacherSpec(net="master", nodes=30).build(shelf)
    for label in labels(teacher, POSITIONS[:8]):
        assert sum(label.shares) == pytest.approx(1)
        assert sum(label.wdl) == pytest.approx(1)
        assert all(share * 29 == pytest.approx(round(share * 29)) for share in label.shares)
    assert labels(teacher, POSITIONS[:8]) == labels(teacher, POSITIONS[:8])


def test_searches_stay_within_the_memory_of_their_trees(shelf: NetShelf) -> None:
    evaluators, nodes = [shelf.evaluator("master")], 100
    freely, closely = (Trees(evaluators, replace(PRESETS["lc0-0.28"], memory_mb=megabytes)) for megabytes in (4096, 1))
    found = labels(SearchTeacher(closely, nodes, "in 1 MB"), POSITIONS[:8])
    assert found == labels(SearchTeacher(freely, nodes, "in 4 GB"), POSITIONS[:8])


def test_an_engine_says_its_variations_by_win_probability(tmp_path: Path) -> None:
    fake = Fake(tmp_path)
    with EngineTeacher(EnginePool(fake.command(), depth=7), multipv=3, temperature=0.05) as teacher:
        (label,) = labels(teacher, POSITIONS[:1])
    moves = sorted(POSITIONS[0].legal_moves)[:3]
    assert label.moves == moves
    worth = [1 / (1 + np.exp(-0.004 * cp)) for cp in (100, 90, 80)[: len(moves)]]
    assert_allclose(label.shares, softmax(np.array(worth), 0.05))
    assert_allclose(label.wdl, wdl_of_evals(np.array([100.0]))[0])


@pytest.mark.parametrize("behaviour", ["illegal", "none", "nan score"])
def test_an_engine_that_disagrees_about_the_rules_ends_it_with_the_position(tmp_path: Path, behaviour: str) -> None:
    fake = Fake(tmp_path)
    pool = EnginePool(fake.command(behaviour), depth=7)
    with (
        EngineTeacher(pool, multipv=1, temperature=0.05) as teacher,
        pytest.raises(EngineError, match="asked twice") as found,
    ):
        labels(teacher, POSITIONS[:1])
    assert POSITIONS[0].fen in str(found.value)


def test_as_many_engines_as_processors_search_unless_somebody_says_otherwise() -> None:
    usual, one = (parse_teacher(f"uci:stockfish:depth=8{more}") for more in ("", ":processes=1"))
    assert isinstance(usual, EngineTeacherSpec)
    assert isinstance(one, EngineTeacherSpec)
    assert (usual.processes, one.processes) == (default_threads(), 1)


def test_an_engine_that_dies_is_started_again_and_asked_again(tmp_path: Path) -> None:
    fake = Fake(tmp_path)
    with EngineTeacher(EnginePool(fake.command("crash", once=True), depth=7), multipv=1, temperature=0.05) as teacher:
        assert len(labels(teacher, POSITIONS[:3])) == 3


@pytest.mark.parametrize(
    ("text", "spec"),
    [
        ("maia-1500", NetsTeacherSpec(nets=["maia-1500"])),
        ("maia-1500+club:1600", NetsTeacherSpec(nets=["maia-1500", "club:1600"])),
        ("levels", LevelsTeacherSpec()),
        ("master@100", SearchTeacherSpec(net="master", nodes=100)),
        ("uci:stockfish:depth=8:multipv=2", EngineTeacherSpec(command="stockfish", depth=8, multipv=2)),
        ('{kind="levels", nets={1000="club:1000"}}', LevelsTeacherSpec(nets={"1000": "club:1000"})),
    ],
)
def test_a_teacher_is_written_in_a_word(text: str, spec: object) -> None:
    assert parse_teacher(text) == spec


@pytest.mark.parametrize("text", ["", "a+", "master@0", "master@1", "uci:stockfish", "{kind='nobody'}", "uci:x:depth"])
def test_what_is_no_teacher_is_refused(text: str) -> None:
    with pytest.raises(ConfigError):
        parse_teacher(text)
