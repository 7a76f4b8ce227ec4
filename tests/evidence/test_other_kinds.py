"""Experiments that are neither a match of chess nor measured on one: Go, statistics of games, trainings."""

import re
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest

from foible.analysis.games import read_files, summarise
from foible.arena.stats import Tally
from foible.errors import ConfigError, GameFileError
from foible.evidence import go_training, phase_experts as trainings
from foible.evidence.blocks import AnyBlock, Measurement
from foible.evidence.claims import all_claims
from foible.evidence.figures import figure
from foible.evidence.go import FOCAL, GO, OPPONENT, GoMatch, NetAtSight
from foible.evidence.go_training import GO_TRAININGS, GoTraining
from foible.evidence.kept import file_block, filed
from foible.evidence.kinds import EvidenceProgress, Kind, Planned, Workplace
from foible.evidence.phase_experts import EXPERTS, ExpertLosses, ExpertMatches, PhaseStatistics
from foible.evidence.run import of_plan
from foible.training.experts import Findings
from foible.training.experts.tables import LossRow, MatchRow, OfSeed
from foible.training.go.config import read_config

GAMES = Path(__file__).parents[2] / "examples" / "games.pgn"
PLANNED = Planned(games=8, block=4)


def silent(_now: EvidenceProgress) -> None:
    """Nobody is told."""


def block_of(kind: Kind, units: range, work: Path) -> AnyBlock:
    """A block, filed and read back as one of the plan."""
    done = kind.run(PLANNED, units, Workplace(work, silent))
    assert done is not None
    file_block(work / "kept", done.config, done.block)
    kept = of_plan(filed(work / "kept"), kind, PLANNED)
    assert kept is not None
    assert done.block in kept.blocks
    return done.block


def test_blocks_of_a_match_of_go_have_openings_of_their_own_and_count_together(tmp_path: Path) -> None:
    players = {
        FOCAL: {"kind": "net", "net": "go-5x5", "visits": 4},
        OPPONENT: {"kind": "net", "net": "go-5x5", "visits": 2},
    }
    match = GoMatch("go", {"players": players, "size": 5, "komi": 8.5, "openings": {"plies": 2}})
    one, other = (block_of(match, units, tmp_path) for units in (range(2), range(2, 4)))
    assert isinstance(one, Measurement)
    assert one.sums != other.sums if isinstance(other, Measurement) else False
    share, margin = figure([one, other], "share"), figure([one, other], "margin")
    assert share is not None
    assert margin is not None
    assert share.n == 8
    assert 0 <= share.value <= 100
    assert -25 - 8.5 <= margin.value <= 25 + 8.5
    again = match.run(PLANNED, range(2), Workplace(tmp_path, silent))
    assert again is not None
    assert (one.seconds is None, again.block.seconds) == (False, None), "the time of what lay there is not known"
    stronger = replace(match, table={**match.table, "komi": 9.5})
    assert of_plan(filed(tmp_path / "kept"), stronger, PLANNED) is None


def test_a_net_of_go_says_at_sight_what_it_expects(tmp_path: Path) -> None:
    found = figure([block_of(GO["go-5x5-sight"], range(1), tmp_path)], "alpha")
    assert found is not None
    assert found.value == pytest.approx(25, abs=3)
    assert found.standard_error is None
    with pytest.raises(ConfigError, match="master: expected a net of Go"):
        NetAtSight("sight", "master", 5).run(PLANNED, range(1), Workplace(tmp_path, silent))


def test_runs_of_go_differ_from_the_example_in_one_setting() -> None:
    example = read_config(GAMES.parent / "go" / "train-3x3.toml")
    plain = GO_TRAININGS["go-3x3"].config(example.seed)
    assert msgspec.structs.replace(plain, strength=example.strength) == example
    for name, kind in GO_TRAININGS.items():
        config = kind.config(example.seed)
        parts = [key for key in ("net", "selfplay") if getattr(config, key) != getattr(plain, key)]
        assert len(parts) == (name != "go-3x3")
        assert {key: getattr(config, key) for key in ("training", "protocol")} == {
            key: getattr(plain, key) for key in ("training", "protocol")
        }


def test_a_run_of_go_tells_how_far_its_last_nets_are_from_the_fair_komi(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    short = {
        **go_training.TRAINED,
        "generations": 2,
        "selfplay": {"visits": 2, "concurrency": 4, "komi": {"official": 8.5}},
        "training": {"steps": 1, "batch_size": 8},
        "protocol": {"kind": "ungated", "games": 4},
    }
    monkeypatch.setattr(go_training, "TRAINED", short)
    monkeypatch.setattr(go_training, "LAST", 1)
    block = block_of(GoTraining("go"), range(1, 3), tmp_path)
    last = [
        msgspec.json.decode((tmp_path / "go" / f"{seed:04d}" / "generations.jsonl").read_bytes().splitlines()[-1])
        for seed in (1, 2)
    ]
    alpha, distance = figure([block], "alpha"), figure([block], "distance")
    assert alpha is not None
    assert distance is not None
    assert alpha.n == distance.n == 2
    assert alpha.value == pytest.approx((last[0]["alpha"] + last[1]["alpha"]) / 2, abs=1e-3)
    assert distance.value == pytest.approx((abs(last[0]["alpha"] - 9) + abs(last[1]["alpha"] - 9)) / 2, abs=1e-3)
    again = GoTraining("go").run(PLANNED, range(1, 3), Workplace(tmp_path, silent))
    assert again is not None
    assert (block.seconds is None, again.block.seconds) == (False, None)
    lz = block_of(GoTraining("lz", net={"head": "lz", "value_hidden": 8}), range(1), tmp_path / "lz")
    assert figure([lz], "alpha") is None
    assert figure([lz], "plies") is not None


def test_statistics_of_games_are_those_of_the_summary(tmp_path: Path) -> None:
    kind = PhaseStatistics("phases", GAMES, "legacy")
    block = block_of(kind, range(1), tmp_path)
    (one,) = read_files([GAMES], table="legacy").sets
    phases = summarise(one.games, "legacy").phases
    assert phases is not None
    for quantity, value in (
        ("middlegame start", phases.starts[1].value),
        ("endgame positions", 100 * (phases.shares[2].value or 0)),
        ("games going back", 100 * (phases.backward_share.value or 0)),
    ):
        found = figure([block], quantity)
        assert found is not None
        assert found.value == pytest.approx(value, abs=1e-3), quantity
    with pytest.raises(GameFileError, match=r"none\.pgn is not there"):
        PhaseStatistics("phases", tmp_path / "none.pgn", "legacy").run(PLANNED, range(1), Workplace(tmp_path, silent))


def test_more_games_than_the_file_holds_are_refused(tmp_path: Path) -> None:
    with pytest.raises(GameFileError, match=r"games\.pgn: no game after 100 of them; the plan asks for more"):
        PhaseStatistics("phases", GAMES, "legacy").run(PLANNED, range(2), Workplace(tmp_path, silent))


def test_elo_by_visits_and_batch_sizes_counts_once_for_each_seed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def played(*_asked: object, **_more: object) -> Findings:
        won = OfSeed(0, Tally.of_games(5, 2, 1), Tally.of_pairs([(1, 0.5)] * 4), "")
        rows = [MatchRow("separated", nodes, batch, (won,)) for nodes in (100, 400) for batch in (1, 64)]
        return Findings([], rows, complete=True)

    monkeypatch.setattr("foible.evidence.phase_experts.experts", played)
    monkeypatch.setattr(trainings, "file_sha256", lambda _path: 64 * "a")
    block = block_of(EXPERTS["experts-matches"], range(3), tmp_path)
    found, part = (figure([block], quantity) for quantity in ("separated", "separated, 400 nodes"))
    assert found is not None
    assert part is not None
    assert (found.n, found.of, part.n) == (3, "seeds", 3)
    assert found.value == pytest.approx(part.value)


def test_losses_of_experts_are_by_seed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def trained(_config: object, _folder: Path, _on_news: object, **_more: object) -> Findings:
        losses = [{"opening": 2.0, "no-phases": 3.0}]
        return Findings(
            [LossRow("regular", "", tuple(losses)), LossRow("separated", "mixture", tuple(losses))], [], complete=True
        )

    monkeypatch.setattr("foible.evidence.phase_experts.experts", trained)
    monkeypatch.setattr(trainings, "file_sha256", lambda _path: 64 * "a")
    block = block_of(ExpertLosses("experts-losses"), range(2), tmp_path)
    found = figure([block], "separated, mixture, no-phases − regular, no-phases")
    assert found is not None
    assert (found.value, found.of) == (0, "seeds")


def test_matches_of_experts_are_asked_for_with_their_trainings() -> None:
    losses, matches = EXPERTS["experts-losses"], EXPERTS["experts-matches"]
    assert isinstance(matches, ExpertMatches)
    assert losses.config(range(1, 2)).matches is None
    config = matches.config(range(1, 2))
    assert config.matches is not None
    assert config.seeds == (1,)
    assert not losses.follows(matches._about, PLANNED)


@pytest.mark.parametrize("name", [name for name in EXPERTS if name != "experts-losses"])
def test_each_claim_by_visits_or_batch_size_names_an_experiment_that_plays_them(name: str) -> None:
    matches = EXPERTS[name].config(range(1)).matches
    assert matches is not None
    quantities = ", ".join(claim.quantity for claim in all_claims() if claim.evidence == name and not claim.needs)
    assert set(map(int, re.findall(r"(\d+) nodes", quantities))) <= set(matches.nodes)
    assert set(map(int, re.findall(r"batch (\d+)", quantities))) <= set(matches.batch_sizes)
    assert re.search(r"nodes|batch", quantities)
