"""Runs from random play: generations, resuming, promotion."""

import json
import shutil
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

from foible.arena.go.record import GoRecord
from foible.errors import ConfigError, NetFileError
from foible.nets.catalogue import open_net
from foible.nets.go.modules import save_go_net
from foible.runs.journal import Journal
from foible.runs.ledger import LEDGER
from foible.selfplay.go.config import Branching, BranchingPhase
from foible.training.go.config import Gated, GoTrainConfig, PanelConfig, Strength, read_config
from foible.training.go.curve import curve_svg
from foible.training.go.folder import games_path, net_path, opened, read_games, training_path
from foible.training.go.generation import Generation, ended
from foible.training.go.matches import elo
from foible.training.go.run import GoRun, GoTrainProgress, Listener, go_train
from foible.training.go.trainer import random_net

pytestmark = pytest.mark.usefixtures("one_thread")

TEXT = """
generations = 2
threads = 1
[net]
size = 3
blocks = 1
filters = 8
value_hidden = 16
beta_hidden = 8
[selfplay]
visits = 8
concurrency = 16
komi = {official = 8.5, official_share = 0.1}
branching = {rate = 0.1}
[training]
steps = 10
batch_size = 32
lr = 0.02
[protocol]
kind = "ungated"
games = 20
window = 2
[strength]
games = 0
"""


@pytest.fixture(scope="module")
def config(tmp_path_factory: pytest.TempPathFactory) -> GoTrainConfig:
    path = tmp_path_factory.mktemp("config") / "go.toml"
    path.write_text(TEXT)
    return read_config(path)


@pytest.fixture(scope="module")
def whole(config: GoTrainConfig, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[Generation]]:
    folder = tmp_path_factory.mktemp("run")
    return folder, go_train(config, folder)


@pytest.fixture(scope="module")
def matched(
    config: GoTrainConfig, tmp_path_factory: pytest.TempPathFactory
) -> tuple[GoTrainConfig, Path, list[Generation]]:
    """A run whose nets are matched with earlier ones, and its configuration."""
    config = msgspec.structs.replace(config, strength=Strength(games=4, visits=4))
    folder = tmp_path_factory.mktemp("matched")
    return config, folder, go_train(config, folder)


def facts(generations: list[Generation]) -> list[dict[str, Any]]:
    """All that does not depend on the clock."""
    timed = {"seconds", "games_per_second"}
    return [{k: v for k, v in msgspec.to_builtins(one).items() if k not in timed} for one in generations]


def test_generations_play_learn_and_are_judged(whole: tuple[Path, list[Generation]]) -> None:
    folder, generations = whole
    assert [(one.number, one.best, one.games) for one in generations] == [(0, 0, 0), (1, 1, 20), (2, 2, 20)]
    for one in generations:
        assert one.alpha is not None
        assert one.beta is not None
        net = open_net(str(net_path(folder, one.number)), threads=1)
        assert f"-gen-000{one.number} " in net.name
    for one in generations[1:]:
        games = read_games(folder, one.number, 20)
        assert len(games) == 20
        assert one.branches == sum(game.is_branch for game in games)
        assert one.plies == pytest.approx(np.mean([len(game.moves) for game in games]))
        assert one.policy is not None
        assert 0 < one.policy < np.log(10) + 1
        assert one.games_per_second is not None
    assert (folder / "curve.svg").read_text().startswith("<?xml")


class KilledError(Exception):
    """In place of a kill."""


@pytest.mark.parametrize("stage", ["games", "training", "matches"])
def test_a_run_that_was_stopped_comes_to_the_same_end(
    matched: tuple[GoTrainConfig, Path, list[Generation]], tmp_path: Path, stage: str
) -> None:
    config, folder, generations = matched

    def stop(now: GoTrainProgress) -> None:
        if now.generation == 2 and now.stage == stage:
            raise KilledError

    with pytest.raises(KilledError):
        go_train(config, tmp_path, Listener(progress=stop))
    told: list[Generation] = []
    found = go_train(config, tmp_path, Listener(generation=told.append))
    assert facts(found) == facts(generations)
    assert [one.number for one in told] == [0, 1, 2]
    for number in range(3):
        assert net_path(tmp_path, number).read_bytes() == net_path(folder, number).read_bytes()


def test_a_training_that_was_killed_goes_on_from_its_last_save(
    config: GoTrainConfig, whole: tuple[Path, list[Generation]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("foible.training.go.trainer.BETWEEN_SAVES", 0.0)
    config = msgspec.structs.replace(config, generations=1)
    steps: list[int] = []

    def kill(now: GoTrainProgress) -> None:
        if now.stage == "training":
            steps.append(now.done)
            if steps == [1, 2, 3, 4]:
                raise KilledError

    with pytest.raises(KilledError):
        go_train(config, tmp_path, Listener(progress=kill))
    assert facts(go_train(config, tmp_path, Listener(progress=kill))) == facts(whole[1][:2])
    assert steps == [1, 2, 3, 4, 4, 5, 6, 7, 8, 9, 10]
    assert net_path(tmp_path, 1).read_bytes() == net_path(whole[0], 1).read_bytes()


def test_what_a_kill_left_of_a_training_that_is_over_is_removed(config: GoTrainConfig, tmp_path: Path) -> None:
    config = msgspec.structs.replace(config, generations=1)
    go_train(config, tmp_path)
    left = training_path(tmp_path, 1)
    assert not left.exists()
    left.write_bytes(b"nonsense")
    go_train(config, tmp_path)
    assert not left.exists()


SCRIPT = """
import sys, torch
from pathlib import Path
from foible.training.go.config import read_config
from foible.training.go.run import go_train
go_train(read_config(Path(sys.argv[1])), Path(sys.argv[2]))
"""


def test_a_run_killed_at_any_instant_comes_to_the_same_end(
    whole: tuple[Path, list[Generation]], tmp_path: Path
) -> None:
    folder, generations = whole
    path = tmp_path / "go.toml"
    path.write_text(TEXT)
    run = tmp_path / "run"
    # In the games of the first generation, and when its net is there.
    for path_then, least in ((run / "gen-0001" / "games.jsonl", 3000), (net_path(run, 1), 1)):
        process = subprocess.Popen([sys.executable, "-c", SCRIPT, str(path), str(run)])
        while _size(path_then) < least and process.poll() is None:
            time.sleep(0.002)
        process.kill()
        process.wait()
    assert facts(go_train(read_config(path), run)) == facts(generations)
    for number in range(3):
        assert net_path(run, number).read_bytes() == net_path(folder, number).read_bytes()
    (run / "net.txt.gz").unlink()
    go_train(read_config(path), run)
    assert (run / "net.txt.gz").read_bytes() == net_path(folder, 2).read_bytes()


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0


def test_more_generations_go_on_and_a_finished_run_is_read(
    config: GoTrainConfig, whole: tuple[Path, list[Generation]], tmp_path: Path
) -> None:
    short = msgspec.structs.replace(config, generations=1)
    assert len(go_train(short, tmp_path)) == 2
    assert facts(go_train(config, tmp_path)) == facts(whole[1])
    before = (tmp_path / "generations.jsonl").stat().st_mtime_ns
    assert facts(go_train(config, tmp_path)) == facts(whole[1])
    assert (tmp_path / "generations.jsonl").stat().st_mtime_ns == before


def test_another_configuration_is_refused(config: GoTrainConfig, whole: tuple[Path, list[Generation]]) -> None:
    other = msgspec.structs.replace(config, seed=2)
    with pytest.raises(ConfigError, match=r"made with seed = 1 \(now 2\)"):
        go_train(other, whole[0])


def test_generations_without_the_configuration_that_made_them_are_refused(
    config: GoTrainConfig, whole: tuple[Path, list[Generation]], tmp_path: Path
) -> None:
    shutil.copytree(whole[0], tmp_path / "run")
    (tmp_path / "run" / "config.toml").unlink()
    with pytest.raises(ConfigError, match=r"holds generations\.jsonl without config\.toml; put back a copy"):
        go_train(msgspec.structs.replace(config, seed=2), tmp_path / "run")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("generations = 2=>generations = 0", "generations = 0: expected a whole number, at least 1"),
        ('kind = "ungated"=>kind = "free"', 'protocol.kind = "free"'),
        ("size = 3=>size = 20", "net.size = 20"),
        ("official = 8.5=>official = 8.3", "official = 8.3: expected a multiple of 0.5"),
        ("rate = 0.1=>rates = 0.1", "unknown key selfplay.branching.rates"),
        ("visits = 8=>visit = 8", "unknown key selfplay.visit"),
        (
            "visits = 8=>terminal_beta = 1e-9",
            "go.toml: selfplay.terminal_beta = 1e-09: expected a number, at least 0.001",
        ),
        ("visits = 8=>noise_alpha = 1e-12", "go.toml: selfplay.noise_alpha = 1e-12: expected a number, at least 1e-09"),
        ("visits = 8=>later = [{generation = 0, branching = {}}]", "selfplay.later[0].generation = 0: expected"),
        ("official = 8.5=>official = 1e9", "go.toml: selfplay.komi.official: komi 1000000000.0: must be"),
        ("threads = 1=>seed = 9223372036854775808", "seed = 9223372036854775808: expected"),
        (
            "games = 0=>opening_plies = 18",
            "strength.opening_plies = 18: games of this size end after 18 plies",
        ),
    ],
)
def test_a_mistake_is_named_with_its_place(tmp_path: Path, change: str, message: str) -> None:
    path = tmp_path / "go.toml"
    before, after = change.split("=>")
    path.write_text(TEXT.replace(before, after))
    with pytest.raises(ConfigError) as caught:
        read_config(path)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_nets_are_matched_with_earlier_ones(config: GoTrainConfig, tmp_path: Path) -> None:
    strength = Strength(games=4, ages=(1, 2, 16), visits=4, opening_plies=2)
    found = go_train(msgspec.structs.replace(config, strength=strength), tmp_path)
    assert [[(match.opponent, match.games) for match in one.matches] for one in found] == [
        [],
        [(0, 4)],
        [(1, 4), (0, 4)],
    ]
    assert (found[0].elo, found[2].elo is None) == (None, False)
    wanted = elo(found)
    assert (found[2].elo, found[2].elo_standard_error) == wanted[2]
    assert wanted[0][0] == 0


@pytest.mark.parametrize(("threshold", "promoted"), [(0.0, True), (1.0, False)])
def test_a_gate_lets_through_what_wins_enough(
    config: GoTrainConfig, tmp_path: Path, threshold: float, promoted: bool
) -> None:
    gate = Gated(games=12, window=2, candidate_every=4, match_games=4, threshold=threshold, attempts=3)
    told: list[GoTrainProgress] = []
    found = go_train(msgspec.structs.replace(config, protocol=gate), tmp_path, Listener(progress=told.append))
    assert [one.best for one in found] == ([0, 1, 2] if promoted else [0, 0])
    assert net_path(tmp_path, 1).exists() == promoted
    assert not list(tmp_path.glob("gen-0001/candidate-*"))
    with Journal(tmp_path / "gen-0001" / "matches.jsonl", GoRecord) as journal:
        candidates = list(dict.fromkeys(game.focal for game in journal.items))
    steps = (4, 8, 10)
    every = [f"candidate-{attempt}-{step}" for attempt in range(3) for step in steps]
    assert [name.rpartition("-")[0] for name in candidates] == (
        [] if promoted else every
    )  # a threshold of 0 needs no game
    assert (found[1].candidates is None) == promoted
    if not promoted:  # the run is over, whatever is asked for
        longer = msgspec.structs.replace(config, protocol=gate, generations=9)
        assert len(go_train(longer, tmp_path)) == 2
        assert found[1].candidates
        assert (found[1].candidates.played, ended(longer, found)) == (9, "no candidate of generation 1 was promoted")


def test_a_gated_run_that_was_stopped_repeats_no_training(config: GoTrainConfig, tmp_path: Path) -> None:
    gate = Gated(games=12, window=2, candidate_every=2, match_games=4, threshold=1.0, attempts=2)
    training = msgspec.structs.replace(config.training, steps=3)
    config = msgspec.structs.replace(config, protocol=gate, training=training, generations=1)
    whole = go_train(config, tmp_path / "whole")
    steps: list[int] = []
    runs: list[GoRun] = []

    def stop_at_once(now: GoTrainProgress) -> None:
        if now.stage == "training":
            steps.append(now.done)
            runs[-1].stop()

    found: list[Generation] = []
    while len(found) < 2 and len(runs) < 100:
        with opened(tmp_path / "parts", config) as generations:
            runs.append(GoRun(config, tmp_path / "parts", generations, Listener(progress=stop_at_once)))
            runs[-1].run()
            found = generations.items
    assert facts(found) == facts(whole)
    assert steps == [1, 2, 3] * 2  # each of the two attempts once
    assert not training_path(tmp_path / "parts", 1).exists()
    for name in ("games.jsonl", "matches.jsonl"):
        files = [tmp_path / run / "gen-0001" / name for run in ("whole", "parts")]
        assert files[0].read_bytes() == files[1].read_bytes()


def test_a_panel_measures_every_net_and_ends_a_run_without_progress(config: GoTrainConfig, tmp_path: Path) -> None:
    nets = [tmp_path / f"{seed}.txt.gz" for seed in (11, 12)]
    for seed, path in zip((11, 12), nets, strict=True):
        save_go_net(random_net(config.net, seed), path)
    # At a rate this low nothing is learnt, and nothing gets better.
    training = msgspec.structs.replace(config.training, lr=1e-9, steps=1)
    komi = msgspec.structs.replace(config.selfplay.komi, official=0.5)  # at which these nets do not win in turns
    selfplay = msgspec.structs.replace(config.selfplay, komi=komi)
    panel = PanelConfig(nets=list(map(str, nets)), games=2, visits=4, patience=2)
    config = msgspec.structs.replace(config, generations=9, training=training, selfplay=selfplay, panel=panel)
    found = go_train(config, tmp_path / "run")
    for one in found:
        with Journal(tmp_path / "run" / f"gen-{one.number:04}" / "matches.jsonl", GoRecord) as journal:
            assert Counter(game.opponent[:3] for game in journal.items) == {"11-": 2, "12-": 2}
            won = [
                (game.margin or 0) > 0 if game.black.startswith("gen-") else (game.margin or 0) < 0
                for game in journal.items
            ]
        assert one.panel == sum(won) / 4
    shares = [one.panel for one in found]
    assert set(shares) != {0.5}
    best = max(range(len(shares)), key=lambda number: shares[number] or 0.0)
    assert len(found) == best + 3 < 10
    assert ended(config, found) == (
        f"no net has done better against the panel than that of generation {best} for 2 generations"
    )
    assert not ended(config, found[:-1])
    patient = msgspec.structs.replace(config, panel=msgspec.structs.replace(panel, patience=3))
    assert len(go_train(patient, tmp_path / "run")) > len(found)


def test_games_branch_as_the_phase_has_it_and_a_phase_is_resumed(config: GoTrainConfig, tmp_path: Path) -> None:
    often = Branching(rate=1.0, most=2)
    later = (BranchingPhase(generation=2, branching=often),)
    selfplay = msgspec.structs.replace(config.selfplay, branching=Branching(rate=0.0), later=later)
    config = msgspec.structs.replace(config, selfplay=selfplay)
    whole = go_train(config, tmp_path / "whole")
    assert whole[1].branches == 0
    assert whole[2].branches >= 4
    parts = tmp_path / "parts"
    shutil.copytree(tmp_path / "whole", parts)
    path = games_path(parts, 2)
    games = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(games[:6]))  # as a kill leaves the folder among the games of generation 2
    for counts in (path.with_name(LEDGER), parts / LEDGER):
        counts.unlink()
    net_path(parts, 2).unlink()
    over = (parts / "generations.jsonl").read_bytes().splitlines(keepends=True)
    (parts / "generations.jsonl").write_bytes(b"".join(over[:2]))
    assert facts(go_train(config, parts)) == facts(whole)
    assert read_games(parts, 2, 20) == read_games(tmp_path / "whole", 2, 20)


def test_a_damaged_training_is_named(config: GoTrainConfig, tmp_path: Path) -> None:
    training_path(tmp_path, 1).parent.mkdir()
    training_path(tmp_path, 1).write_bytes(b"nonsense")
    with pytest.raises(
        NetFileError, match=r"training.pt: no training under way .*; without it the training begins anew"
    ):
        go_train(config, tmp_path)


def test_the_baseline_has_one_value_and_no_branches(config: GoTrainConfig, tmp_path: Path) -> None:
    net = msgspec.structs.replace(config.net, head="lz", beta_hidden=None)
    found = go_train(msgspec.structs.replace(config, net=net), tmp_path)
    assert [(one.alpha, one.beta, one.branches) for one in found] == [(None, None, 0)] * 3
    assert {game.komi for game in read_games(tmp_path, 2, 20)} == {8.5}
    assert found[2].value is not None


@pytest.mark.parametrize("weights", [{"cross_entropy": 1.0}, {"squared": 0.5}])
def test_weights_that_the_baseline_would_ignore_are_refused(config: GoTrainConfig, weights: dict[str, float]) -> None:
    training = msgspec.structs.replace(config.training, **weights)
    msgspec.structs.replace(config, training=training).check()
    net = msgspec.structs.replace(config.net, head="lz")
    with pytest.raises(ConfigError, match=r'would have no effect: net\.head = "lz"'):
        msgspec.structs.replace(config, net=net, training=training).check()


def test_the_curve_shows_what_is_known() -> None:
    one = Generation(number=0, best=0, alpha=3.0, beta=0.5)
    two = Generation(number=1, best=1, alpha=20.0, beta=1.5, elo=300.0, elo_standard_error=20.0)
    svg = curve_svg([one, two], 5)
    assert svg == curve_svg([one, two], 5)
    assert b"perfect play" in svg
    assert b"perfect play" not in curve_svg([one, two], 8)
    assert curve_svg([], 5)


def test_the_configuration_is_kept_with_its_defaults(whole: tuple[Path, list[Generation]]) -> None:
    assert read_config(whole[0] / "config.toml").protocol == msgspec.convert(
        {"kind": "ungated", "games": 20, "window": 2}, type(read_config(whole[0] / "config.toml").protocol)
    )
    assert json.loads((whole[0] / "generations.jsonl").read_text().splitlines()[0])["number"] == 0
