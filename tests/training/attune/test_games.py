"""The matches of an attuned net and the games that it is tuned on, divided once for all, each move with its maker."""

import dataclasses
import json
import math
import random
import re
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from msgspec.structs import replace

from foible.agents.spec import HandBrainSpec, NetPolicySpec, NetSearchSpec, TagTeamSpec, TeamSpec
from foible.agents.uci_engine import UciSpec
from foible.arena.pgn import PgnForm
from foible.errors import ConfigError, GameFileError
from foible.runs.journal import read_record_file
from foible.training.attune.config import AttuneConfig, TuneConfig, ValueTarget, make_config
from foible.training.attune.games import alone_match, collect, data_config, data_match, framework_match
from foible.training.data.dataset import load
from tests.training.attune.made_up import match_folder, records


def asked(games: int, **changes: Any) -> AttuneConfig:
    return AttuneConfig(framework="stt", senior="a", junior="b", games=games, **changes)


@settings(max_examples=8)
@given(games=st.integers(3, 30).map(lambda pairs: 2 * pairs), order=st.randoms(use_true_random=False))
def test_the_parts_are_disjoint_whole_and_the_same_in_whatever_order_games_ended(
    games: int, order: random.Random
) -> None:
    shuffled = list(records())
    order.shuffle(shuffled)
    with TemporaryDirectory() as name:
        folder = Path(name)
        found = collect(asked(games), match_folder(folder / "shuffled", asked(games), shuffled), folder)
        parts = json.loads((folder / "split.json").read_text())
        again = collect(asked(games), folder / "gone", folder)
        other = folder / "other"
        other.mkdir()
        collect(asked(games), match_folder(folder / "ordered", asked(games)), other)
        assert (folder / "data.pgn").read_bytes() == (other / "data.pgn").read_bytes()
        assert parts == json.loads((other / "split.json").read_text())
    rounds = [one for part in parts.values() for one in part]
    assert sorted(rounds) == sorted(f"{pair + 1}.{game}" for pair in range(games // 2) for game in (1, 2))
    assert found == again
    held_out = 2 * math.ceil(max(1, games // 10) / 2)
    assert (found.parts["validation"], found.parts["test"]) == (held_out, held_out)
    assert [f"{one.pair + 1}.{one.game_in_pair}" for one in found.test] == parts["test"]
    of_pairs = [{one.split(".")[0] for one in part} for part in parts.values()]
    assert sum(map(len, of_pairs)) == games // 2, "no pair is divided"


@given(size=st.integers(1, 48))
@settings(max_examples=5)
def test_a_smaller_number_of_games_to_learn_from_is_a_part_of_a_larger_one(size: int) -> None:
    with TemporaryDirectory() as name:
        folder = Path(name)
        config = asked(60)
        pgn = collect(config, match_folder(folder, config), folder).pgn
        less, more = (load(data_config(config, pgn, training=n)) for n in (size, 48))
    games = [set(one.columns.games_of(one.parts["train"]).tolist()) for one in (less, more)]
    assert len(games[0]) == 2 * math.ceil(size / 2)
    assert games[0] <= games[1]
    for part in ("validation", "test"):
        np.testing.assert_array_equal(less.parts[part], more.parts[part])


def test_only_the_moves_that_the_records_call_the_seniors_are_learned_from(tmp_path: Path) -> None:
    config = asked(60)
    pgn = collect(config, match_folder(tmp_path, config), tmp_path).pgn
    everything, seniors = load(data_config(config, pgn)), load(data_config(config, pgn, who=["senior"]))
    who = np.array([move.who for game in records() for move in game.moves])
    assert set(who) == {"senior", "junior", "hand"}
    for part, rows in everything.parts.items():
        np.testing.assert_array_equal(seniors.parts[part], rows[who[rows] == "senior"])
        assert len(seniors.parts[part])


def test_draws_are_lost_by_both_where_the_released_program_is_followed(tmp_path: Path) -> None:
    folder = match_folder(tmp_path, asked(60))
    pgn = collect(asked(60), folder, tmp_path).pgn
    assert any(game.result == "1/2-1/2" for game in records())
    targets: tuple[ValueTarget, ...] = ("wdl", "released")
    configs = {target: asked(60, tune=TuneConfig(value_target=target)) for target in targets}
    batches = {name: load(data_config(one, pgn)).chunks("train", 10**6).batch(0) for name, one in configs.items()}
    drawn = batches["wdl"].wdl[:, 1] == 1
    assert drawn.any()
    np.testing.assert_array_equal(batches["released"].wdl[drawn], np.tile([0, 0, 1], (drawn.sum(), 1)))
    np.testing.assert_array_equal(batches["released"].wdl[~drawn], batches["wdl"].wdl[~drawn])


def test_games_that_are_too_few_or_not_there_are_refused(tmp_path: Path) -> None:
    folder = match_folder(tmp_path, asked(62))
    with pytest.raises(ConfigError, match="60 games, expected at least 62"):
        collect(asked(62, data="found"), folder, tmp_path / "out")
    with pytest.raises(ConfigError, match=r"no games\.pgn in it"):
        collect(asked(10), tmp_path / "nowhere", tmp_path / "out")
    (folder / "games.pgn").write_text('[Event "x"]\n\n1. e4 e5 *\n\n')
    with pytest.raises(GameFileError, match=r"games\.pgn, game 1"):
        collect(asked(10), folder, tmp_path / "out")


def test_nobody_learns_from_pairs_in_which_an_engine_failed(tmp_path: Path) -> None:
    games = sorted(records(), key=lambda game: game.number)
    failed = dataclasses.replace(games[4], termination="forfeit: engine died")
    played = match_folder(tmp_path / "match", asked(60), [*games[:4], failed, *games[5:]])
    assert sum(collect(asked(60), played, tmp_path).parts.values()) == 58
    assert {game.pair for game in read_record_file(tmp_path / "data.pgn", PgnForm())} == {*range(30)} - {2}
    rest = [dataclasses.replace(game, termination=failed.termination) for game in games[4:]]
    few = match_folder(tmp_path / "few", asked(60), [*games[:4], *rest])
    with pytest.raises(ConfigError, match="4 games, expected at least 6"):
        collect(asked(60), few, tmp_path / "out")


@pytest.mark.parametrize(
    ("changes", "what"),
    [
        ({"nodes": 50}, "--nodes 1500 (now 50)"),
        ({"framework": "hb"}, "--framework stt (now hb)"),
        ({"junior": "club:1300"}, "--junior sha256 2222 (now sha256 :1300)"),
        ({"resolved": {"a": "sha256 ffff", "b": "sha256 2222"}}, "--senior sha256 1111 (now sha256 ffff)"),
    ],
)
def test_games_of_other_teams_are_refused(tmp_path: Path, changes: dict[str, Any], what: str) -> None:
    config = asked(60, data="found", resolved={"a": "sha256 1111", "b": "sha256 2222"})
    folder = match_folder(tmp_path, config)
    collect(config, folder, tmp_path)
    (tmp_path / "data.pgn").unlink()
    with pytest.raises(ConfigError, match=re.escape(f"{folder}: its games were played with ") + ".*" + re.escape(what)):
        collect(replace(config, **changes), folder, tmp_path)


def test_nets_may_lie_elsewhere_and_both_teams_count(tmp_path: Path) -> None:
    config = asked(60, data="found", resolved={"a": "sha256 1111", "b": "sha256 2222"})
    folder = match_folder(tmp_path, config)
    moved = replace(config, senior="c", resolved={"c": "sha256 1111", "b": "sha256 2222"})
    assert collect(moved, folder, tmp_path).parts["train"]
    (tmp_path / "data.pgn").unlink()
    path = folder / "config.toml"
    before, alter = path.read_text().split("[alter]")
    for ours, theirs, what in (
        ("nodes = 1500", "nodes = 15", "--nodes 15 (now 1500)"),
        ("temperature = 1.0", "temperature = 0.0", "the junior's temperature 0 (now 1)"),
        ('preset = "lc0-0.28"', 'preset = "lc0"', "the senior's search lc0 (now lc0-0.28)"),
        ("[alter.senior.search]", "[alter.senior.search]\ncpuct = 2", "search lc0-0.28 cpuct=2 (now lc0-0.28)"),
    ):
        assert ours in alter
        path.write_text(f"{before}[alter]{alter.replace(ours, theirs)}")
        with pytest.raises(
            ConfigError, match=re.escape(f"{folder}: its games were played with ") + ".*" + re.escape(what)
        ):
            collect(config, folder, tmp_path)


def config(framework: str = "stt", **changes: Any) -> AttuneConfig:
    return make_config({"framework": framework, "senior": "strong", "junior": "human", **changes})


def members(team: TeamSpec) -> tuple[NetSearchSpec, NetPolicySpec]:
    """Senior and junior, or brain and hand."""
    if isinstance(team, TagTeamSpec):
        senior, junior = team.senior, team.junior
    else:
        assert isinstance(team, HandBrainSpec)
        senior, junior = team.brain, team.hand
    assert isinstance(senior, NetSearchSpec)
    assert isinstance(junior, NetPolicySpec)
    return senior, junior


def test_the_games_to_learn_from_are_of_one_team_with_itself() -> None:
    for framework, kind in (("stt", TagTeamSpec), ("hb", HandBrainSpec)):
        match = data_match(config(framework, nodes=77))
        assert isinstance(match.focal, kind)
        assert members(match.focal) == members(match.alter)
        senior, junior = members(match.focal)
        assert (senior.net, senior.nodes, junior.net) == ("strong", 77, "human")


def test_a_junior_samples_in_data_alone_and_a_hand_always() -> None:
    temperatures = {
        framework: [members(match.focal)[1].temperature for match in (data_match(asked), framework_match(asked, "att"))]
        for framework, asked in (("stt", config("stt")), ("hb", config("hb")))
    }
    assert temperatures == {"stt": [1.0, 0.0], "hb": [1.0, 1.0]}


@pytest.mark.parametrize("framework", ["stt", "hb"])
def test_a_test_differs_in_nothing_but_the_seniors_net(framework: str) -> None:
    match = framework_match(config(framework), "att")
    (attuned, junior), (senior, other) = members(match.focal), members(match.alter)
    assert junior == other
    assert (attuned.net, senior.net) == ("att", "strong")
    assert (attuned.nodes, attuned.search, attuned.preset) == (senior.nodes, senior.search, senior.preset)


def test_an_engine_is_a_junior_as_it_stands_in_data_and_tests() -> None:
    asked = config(junior='{kind="uci", command="/usr/bin/weak", nodes=25, options={"Skill Level"=0}}')
    assert asked.junior_name == "weak"
    assert config(junior='{kind="uci", name="Sleepy", command=["/usr/bin/weak"], nodes=25}').junior_name == "Sleepy"
    for match in (data_match(asked), framework_match(asked, "att")):
        for team in (match.focal, match.alter):
            assert isinstance(team, TagTeamSpec)
            assert isinstance(team.junior, UciSpec)
            assert (team.junior.command, team.junior.nodes) == ("/usr/bin/weak", 25)
            assert team.junior.options == {"Skill Level": 0}


def test_games_with_an_engine_that_plays_otherwise_are_refused(tmp_path: Path) -> None:
    engine = UciSpec(command="weak", nodes=25, options={"Skill Level": 0, "Hash": 1})
    asked = config(junior="uci:weak:nodes=25", games=60, nodes=30, data="found")
    folder = match_folder(tmp_path, replace(asked, junior=engine))
    same = replace(engine, options={"Hash": 1, "Skill Level": 0}, processes=2, hang_after=9.0, name="Weak")
    assert collect(replace(asked, junior=same), folder, tmp_path).parts["train"]
    (tmp_path / "data.pgn").unlink()
    for other in (replace(engine, nodes=26), replace(engine, options={"Hash": 1}), replace(engine, command="strong")):
        with pytest.raises(ConfigError, match=r"--junior {.*25.*} \(now {"):
            collect(replace(asked, junior=other), folder, tmp_path)
    path = folder / "config.toml"
    path.write_text(f"nodes = 30\n{path.read_text()}")
    with pytest.raises(ConfigError, match=r'--junior {.*"nodes": 30.*} \(now {.*"nodes": 25'):
        collect(replace(asked, junior=engine), folder, tmp_path)


@pytest.mark.parametrize("seed", [0, 1, 5])
def test_no_coins_and_no_dice_are_those_of_the_tests(seed: int) -> None:
    asked = config(seed=seed)
    data, test = data_match(asked), framework_match(asked, "att")
    assert data.coins.seed != test.coins.seed
    assert data.seed != test.seed


def test_there_are_coins_for_every_pair() -> None:
    for games in (6, 10_000, 10_001, 40_000):
        match = data_match(config(games=games))
        assert match.coins.count >= match.pairs == -(-games // 2)


def test_alone_nobody_has_a_partner_and_games_begin_from_a_book() -> None:
    match = alone_match(config(alone_games=30), "att")
    assert (match.framework, match.games) == ("standard", 30)
    assert match.openings is not None
    assert isinstance(match.focal, NetSearchSpec)
    assert isinstance(match.alter, NetSearchSpec)


@pytest.mark.parametrize(
    ("values", "what"),
    [
        ({"games": 5}, r"games = 5: expected a whole number, at least 6"),
        ({"framework": "chess"}, "framework = .*stt"),
        ({"lr": 0.0}, r"tune.lr = 0.0: expected a number, more than 0"),
        ({"value_target": "q"}, "value_target"),
        ({"framework": "hb", "plies": "senior"}, "--plies senior is for tag team"),
        ({"senior": None}, "senior is missing"),
        (
            {"junior": "{kind='random'}"},
            "--junior .*random.*: expected a net, or an engine such as uci:stockfish:nodes=25",
        ),
        (
            {"framework": "hb", "junior": "uci:stockfish:nodes=25"},
            "--junior stockfish: a hand plays by the policy of a net",
        ),
    ],
)
def test_values_that_cannot_be_are_refused(values: dict[str, Any], what: str) -> None:
    with pytest.raises(ConfigError, match=what):
        make_config({"framework": "stt", "senior": "a", "junior": "b", **values})
