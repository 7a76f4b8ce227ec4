"""What is told of the folder of each kind of run, over and under way."""

import json
import shutil
from pathlib import Path

import pytest

from foible.analysis.runs import (
    FollowedRun,
    GoMatchRun,
    GoTrainingRun,
    ImproveRun,
    LabelsRun,
    MatchRun,
    OtherRun,
    SelfplayRun,
    SweepRun,
    TrainingRun,
    describe_run,
)
from foible.analysis.runs.matches import WrittenMatch, WrittenTest, last_records, match_run
from foible.analysis.runs.run_progress import Standing
from foible.arena.sprt import Sprt, Verdict
from foible.arena.store import PAIRS, read_games, write_pairs
from foible.errors import ConfigError, GameFileError
from foible.runs.folder import RUNS, Run, declare, write_config
from foible.runs.ledger import LEDGER
from tests.analysis.runs import run_folders
from tests.analysis.runs.run_folders import losses
from tests.training.data.pgn_games import write_games
from tests.training.labels.made_up import Noting, config as label_config, labelled


def content(folder: Path) -> dict[str, tuple[int, int]]:
    """All files, with what changes where somebody writes."""
    return {str(p): (p.stat().st_mtime_ns, p.stat().st_size) for p in folder.rglob("*") if p.is_file()}


@pytest.fixture(scope="module")
def match(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return run_folders.match(tmp_path_factory.mktemp("match") / "run")


def test_a_match_tells_the_score_of_its_report(match: Path) -> None:
    before = content(match)
    found = describe_run(match)
    report = json.loads((match / "report.json").read_text())
    assert isinstance(found.content, MatchRun)
    assert (found.kind, found.standing and found.standing.complete) == ("match", True)
    assert (found.content.focal, found.content.alter) == ("searcher", "wanderer")
    assert [found.content.wins, found.content.draws, found.content.losses] == report["wdl"]
    assert (found.content.share, found.content.paired_error) == (report["share"], report["standard_error"])
    assert found.content.elo is not None
    assert found.content.elo.high == report["elo"]["high"]
    assert [role.mean for role in found.content.roles] == [role["mean"] for role in report["roles"]]
    assert found.content.terminations == report["terminations"]
    assert found.content.speed is not None
    assert found.content.speed.seconds > 0
    assert 'net = "material"' in found.configuration
    assert json.loads(found.report) == report
    assert content(match) == before


def test_the_latest_games_are_found_however_long_they_are(match: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = last_records(match / "games.pgn")
    for size in (10, 200, 700):
        monkeypatch.setattr("foible.analysis.runs.matches.END_OF_FILE", size)
        found = last_records(match / "games.pgn")
        assert found
        assert found == expected[: len(found)]


def test_the_latest_games_of_a_match_are_those_that_ended_last(match: Path) -> None:
    found = describe_run(match).content
    assert isinstance(found, MatchRun)
    last = read_games(match)[-1]
    assert found.latest[0].moves == list(last.moves_uci)
    assert found.latest[0].result == last.result
    assert len(found.latest) == 4


def test_a_match_under_way_counts_complete_pairs_alone_and_is_not_locked(tmp_path: Path) -> None:
    folder = run_folders.match(tmp_path / "run", pairs=1)
    (folder / "report.json").unlink()
    run = FollowedRun(folder)
    first = run.read()
    assert isinstance(first.content, MatchRun)
    assert (first.standing and first.standing.done, first.standing and first.standing.total) == (2, 6)
    games = folder / "games.pgn"
    whole = games.read_bytes()
    games.write_bytes(whole + whole[: len(whole) // 3])
    half = run.read().content
    assert isinstance(half, MatchRun)
    assert (half.finished, half.finished_share) == (2, half.share)
    games.write_bytes(whole)
    stamp = run.stamp()
    run_folders.match(folder)
    assert run.stamp() != stamp
    after = run.read().content
    assert isinstance(after, MatchRun)
    assert (after.finished, after.wins + after.draws + after.losses) == (6, 6)


def test_a_part_of_a_match_counts_from_its_first_pair(match: Path, tmp_path: Path) -> None:
    folder = shutil.copytree(match, tmp_path / "run")
    write_pairs(folder, range(1, 3))
    found = describe_run(folder)
    assert isinstance(found.content, MatchRun)
    assert found.content.wins + found.content.draws + found.content.losses == 4
    assert found.standing is not None
    assert found.standing.total == 4
    (folder / PAIRS).write_text('{"first": 0, "end": 3, "checksum": "00000000"}')
    with pytest.raises(GameFileError, match=PAIRS):
        describe_run(folder)


@pytest.mark.parametrize(
    "report",
    ['{"games": 4, "judge": "x", "roles": [{"team": "x"}]}', '{"speed": {"nets": {"x": {}}}}', "[1]", "[" * 9999],
)
def test_a_report_that_cannot_be_read_is_as_none(tmp_path: Path, report: str) -> None:
    folder = run_folders.match(tmp_path / "run")
    (folder / "report.json").write_text(report)
    found = describe_run(folder).content
    assert isinstance(found, MatchRun)
    assert found.judge is None
    assert found.speed is None
    assert [role.moves > 0 for role in found.roles] == [True, True]


def test_a_match_that_its_test_has_ended_tells_the_games_that_decided_it(tmp_path: Path) -> None:
    folder = run_folders.sprt_match(tmp_path / "run")
    found, report = describe_run(folder), json.loads((folder / "report.json").read_text())
    assert isinstance(found.content, MatchRun)
    assert found.content.sprt is not None
    assert found.content.finished == report["games"]
    assert found.standing == Standing(report["games"], report["games"], "games")
    assert [found.content.wins, found.content.draws, found.content.losses] == report["wdl"]
    assert (found.content.share, found.content.pairs) == (report["share"], report["pentanomial"])
    assert found.content.sprt.to_json() == report["sprt"]
    assert found.content.sprt.decided


def test_games_beside_those_that_decided_a_test_do_not_count(match: Path) -> None:
    records = read_games(match)
    found = match_run(records, WrittenMatch(games=4, sprt=WrittenTest(Verdict.ACCEPT_H1)), Sprt())
    first = match_run([record for record in records if record.number < 4], WrittenMatch(), Sprt())
    assert found.finished == 4
    assert (found.share, found.finished_share, found.pairs, found.sprt) == (
        first.share,
        first.finished_share,
        first.pairs,
        first.sprt,
    )


def test_nobody_knows_the_end_of_a_match_whose_test_goes_on(tmp_path: Path) -> None:
    found = describe_run(run_folders.sprt_match(tmp_path / "run", pairs=1))
    assert isinstance(found.content, MatchRun)
    assert found.standing == Standing(2, None, "games")
    assert found.content.sprt is not None
    assert not found.content.sprt.decided
    nothing = describe_run(run_folders.sprt_match(tmp_path / "new", pairs=0)).content
    assert isinstance(nothing, MatchRun)
    assert nothing.sprt is not None
    assert nothing.sprt.llr == 0


def test_a_match_without_a_game_has_no_share(tmp_path: Path) -> None:
    found = describe_run(run_folders.match(tmp_path / "run", pairs=0)).content
    assert isinstance(found, MatchRun)
    assert (found.finished, found.share, found.elo, found.latest, found.roles) == (0, None, None, [], [])


def test_damage_is_told_with_its_file(tmp_path: Path) -> None:
    folder = run_folders.match(tmp_path / "run")
    games = folder / "games.pgn"
    games.write_bytes(games.read_bytes().replace(b'[White "', b'[White "x', 1))
    with pytest.raises(GameFileError, match=r"games\.pgn, game 1: damaged"):
        describe_run(folder)


def test_a_sweep_has_a_cell_for_each_place_of_its_grid(tmp_path: Path) -> None:
    folder = run_folders.swept(tmp_path / "run")
    found = describe_run(folder)
    assert isinstance(found.content, SweepRun)
    rows = json.loads((folder / "sweep.json").read_text())["cells"]
    assert [(c.player, c.opponent, c.nodes, c.part) for c in found.content.cells] == [
        (row["player"], row["opponent"], row["nodes"], row["folder"]) for row in rows
    ]
    assert [cell.share for cell in found.content.cells] == [row["share"] for row in rows]
    assert found.standing is not None
    assert (found.standing.done, found.standing.total) == (8, 8)


def test_self_play_tells_results_and_the_path_of_the_controller(tmp_path: Path) -> None:
    folder = run_folders.selfplay(tmp_path / "run")
    before = content(folder)
    found = describe_run(folder)
    assert isinstance(found.content, SelfplayRun)
    report = json.loads((folder / "report.json").read_text())
    assert found.content.finished == report["games"] == run_folders.selfplay_asked()
    assert [found.content.white, found.content.draws, found.content.black] == [
        report["white"],
        report["draws"],
        report["black"],
    ]
    assert found.content.contempt_visits == report["contempt_visits"]
    points = [json.loads(line) for line in (folder / "controller.jsonl").read_text().splitlines()]
    assert [point.contempt_visits for point in found.content.path] == [point["contempt_visits"] for point in points]
    assert found.standing is not None
    assert found.standing.complete
    assert len(found.content.latest) == 4
    assert content(folder) == before


def test_matches_of_go_tell_share_and_margin_of_each_two_players(tmp_path: Path) -> None:
    folder = run_folders.go_match(tmp_path / "run")
    found = describe_run(folder)
    assert isinstance(found.content, GoMatchRun)
    report = json.loads((folder / "report.json").read_text())
    assert [(c.focal, c.opponent, c.share.value, c.margin.value) for c in found.content.cells] == [
        (row["player"], row["opponent"], row["share"]["value"], row["margin"]["value"]) for row in report["cells"]
    ]
    assert {game.black for game in found.content.latest} <= {"strong", "greedy", "weak"}
    assert found.standing is not None
    assert found.standing.complete


def test_a_training_under_way_tells_losses_and_rate(tmp_path: Path) -> None:
    lines = [losses(5, 2.0), losses(10, None), {"kind": "validation", "step": 10, "loss": 1.5, "sets": {}}]
    folder = run_folders.training(tmp_path / "run", [*lines, losses(15, 1.0)])
    run = FollowedRun(folder)
    found = run.read().content
    assert isinstance(found, TrainingRun)
    assert (found.training.steps, found.training.losses) == ([5, 10, 15], [2.0, None, 1.0])
    assert (found.validation.steps, found.validation.losses, found.best_step) == ([10], [1.5], 10)
    assert (found.step, found.steps, found.ended) == (15, 100, None)
    assert found.positions_per_second == pytest.approx(16.0)
    with (folder / "log.jsonl").open("ab") as log:
        log.write(b'{"kind": "train", "step": 20, "to')
    assert run.read().content == found
    # A later process cuts the log back to its checkpoint and writes other lines of the same length.
    run_folders.training(tmp_path / "other", [lines[0], losses(10, 1.25), losses(15, 3.0), losses(20, 0.5)])
    (folder / "log.jsonl").write_bytes((tmp_path / "other" / "log.jsonl").read_bytes())
    again = run.read().content
    assert isinstance(again, TrainingRun)
    assert again.training.losses == [2.0, 1.25, 3.0, 0.5]


def test_labels_under_way_tell_positions(tmp_path: Path) -> None:
    write_games(tmp_path / "games.pgn", 25, seed=5)
    folder = tmp_path / "run"
    report = labelled(label_config(tmp_path / "games.pgn", positions=100), folder, Noting())
    found = describe_run(folder)
    assert isinstance(found.content, LabelsRun)
    assert (found.content.labelled, found.content.wanted) == (report.labelled, None)
    assert found.content.bytes == report.bytes
    assert found.standing is not None
    assert (found.standing.done, found.standing.unit) == (found.content.shards, "shards")


def test_training_of_go_tells_generations_and_the_games_of_the_current_one(tmp_path: Path) -> None:
    folder = run_folders.go_training(tmp_path / "run")
    found = describe_run(folder)
    assert isinstance(found.content, GoTrainingRun)
    assert [one.alpha for one in found.content.generations] == [0.0, 1.5, 3.0]
    assert (found.content.asked, found.content.perfect, found.content.games) == (9, 25, 0)
    assert found.standing is not None
    assert (found.standing.done, found.standing.total) == (2, 9)


def test_expert_iteration_tells_its_rounds_as_far_as_they_are(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    folder.mkdir()
    declare(folder, "improvement")
    write_config(folder, {"rounds": 3})
    write_games(tmp_path / "games.pgn", 12, seed=5)
    labelled(label_config(tmp_path / "games.pgn"), folder / "round-001" / "labels", Noting())
    run_folders.training(folder / "round-001" / "net", [{"kind": "validation", "step": 4, "loss": 1.5}], steps=4)
    shutil.copytree(run_folders.match(tmp_path / "match"), folder / "round-001" / "match")
    (folder / "round-002" / "labels").mkdir(parents=True)
    found = describe_run(folder)
    assert isinstance(found.content, ImproveRun)
    first, second = found.content.rounds
    assert (first.number, first.loss, first.games) == (1, 1.5, 6)
    assert first.labelled > 100
    assert first.share is not None
    assert (second.number, second.labelled, second.step, second.games) == (2, 0, None, 0)
    assert found.standing is not None
    assert (found.standing.done, found.standing.total) == (1, 3)


@pytest.mark.parametrize("run", sorted({*RUNS} - {"self-play", "go match", "go training"}))
def test_a_folder_that_is_barely_begun_can_be_looked_at(run: Run, tmp_path: Path) -> None:
    declare(tmp_path, run)
    found = describe_run(tmp_path)
    assert (found.kind, found.configuration, found.report) == (run, "", "")


@pytest.mark.parametrize("run", ["self-play", "go match", "go training"])
def test_a_configuration_that_is_not_there_yet_is_told(run: Run, tmp_path: Path) -> None:
    declare(tmp_path, run)
    with pytest.raises(ConfigError, match=r"config\.toml: no such file"):
        describe_run(tmp_path)


def test_other_runs_tell_configuration_and_report(tmp_path: Path) -> None:
    declare(tmp_path, "experts")
    (tmp_path / "experts.toml").write_text("seeds = [1]\n")
    (tmp_path / "experts.json").write_text("{}")
    found = describe_run(tmp_path)
    assert found.content == OtherRun()
    assert (found.configuration, found.report, found.standing) == ("seeds = [1]\n", "{}", None)


def test_what_is_no_run_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="no run folder"):
        describe_run(tmp_path)


def test_a_damaged_ledger_is_told(match: Path, tmp_path: Path) -> None:
    folder = shutil.copytree(match, tmp_path / "run")
    (folder / LEDGER).write_text('{"records": {"games.pgn": 6}, "checksum": "00000000"}')
    with pytest.raises(GameFileError, match=LEDGER):
        describe_run(folder)
