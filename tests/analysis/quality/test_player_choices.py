from pathlib import Path
from typing import Any

import msgspec
import pytest

from foible._core import ChessPosition
from foible.agents.spec import NetPolicySpec, NetSearchSpec, UciSpec
from foible.analysis.quality import player_choices
from foible.analysis.quality.analysed_games import read_games
from foible.analysis.quality.player_choices import Choosers, choose_part, players_of, without_sampling
from foible.arena.config import MatchConfig
from foible.errors import ConfigError, NetFileError
from foible.nets.shelf import NetShelf, Runtimes
from tests.analysis.quality.runs import run_of, with_and_without_net

START = ChessPosition()
POSITIONS = [START, *(START.play(move) for move in START.legal_moves)]


def config(tmp_path: Path, **changes: Any) -> MatchConfig:
    found = read_games(run_of("tag_team", tmp_path / "run", games=2, max_plies=4, **changes)).config
    assert found is not None
    return found


def test_a_choice_belongs_to_its_position_alone(tmp_path: Path) -> None:
    spec = NetSearchSpec(net="material", nodes=25)
    chosen = []
    for folder, order in (("a", POSITIONS), ("b", POSITIONS[::-1]), ("c", POSITIONS[3:] + POSITIONS[:3])):
        with Choosers(NetShelf(), tmp_path / folder) as choosers:
            player = choosers.guest(spec)
            assert player.choose(lambda order=order: order) == len(POSITIONS)  # type: ignore[misc]
            chosen.append([player.move(position) for position in POSITIONS])
    assert chosen[0] == chosen[1] == chosen[2]
    assert all(move in position.legal_moves for move, position in zip(chosen[0], POSITIONS, strict=True))


def test_choices_are_kept(tmp_path: Path) -> None:
    for expected in (len(POSITIONS), 0):
        with Choosers(NetShelf(), tmp_path) as choosers:
            assert choosers.guest(NetPolicySpec(net="material")).choose(lambda: POSITIONS) == expected


def test_the_same_player_is_opened_once(tmp_path: Path) -> None:
    with Choosers(NetShelf(), tmp_path) as choosers:
        first = choosers.guest(NetSearchSpec(net="material", nodes=5))
        assert choosers.guest(NetSearchSpec(net=["material"], nodes=5)) is first
        assert choosers.guest(NetSearchSpec(net="material", nodes=6)) is not first


def test_what_a_run_says_of_all_players_holds_for_its_members_and_not_for_guests(tmp_path: Path) -> None:
    spec = NetSearchSpec(net="material", nodes=40)
    with Choosers(NetShelf(), tmp_path / "choices", config(tmp_path, nodes=3)) as choosers:
        member, guest = choosers.member(spec), choosers.guest(spec)
        assert member is not guest
        for player in (member, guest):
            player.choose(lambda: POSITIONS)
        assert [member.move(p) for p in POSITIONS] != [guest.move(p) for p in POSITIONS]


def test_a_game_that_is_over_has_no_move(tmp_path: Path) -> None:
    mate = ChessPosition(None, ["f3", "e5", "g4", "Qh4"])
    with Choosers(NetShelf(), tmp_path) as choosers:
        player = choosers.guest(NetPolicySpec(net="material"))
        player.choose(lambda: [mate])
        assert player.move(mate) is None
        with pytest.raises(KeyError):
            player.move(START)


def test_players_do_not_sample() -> None:
    assert without_sampling(NetPolicySpec(net="a", temperature=1.0)) == NetPolicySpec(net="a")
    assert without_sampling(UciSpec(command="a", depth=1)) == UciSpec(command="a", depth=1)


def test_members_of_teams(tmp_path: Path) -> None:
    found = config(tmp_path)
    assert [spec.name for spec in players_of(found.focal)] == ["TREE", "MAIA"]
    assert players_of(NetPolicySpec(net="a")) == [NetPolicySpec(net="a")]


def test_in_another_folder_a_worker_takes_the_files_that_are_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here, there = with_and_without_net(tmp_path)
    plain = msgspec.to_builtins(
        player_choices._Player(NetPolicySpec(net="net.pb.gz"), None, None, 1.0, Runtimes(threads=1))
    )
    asked: tuple[Any, ...] = str(tmp_path / "parts" / "1"), plain, {}, [], []
    monkeypatch.chdir(here)
    with pytest.raises(ConfigError, match="is not there for all workers"):  # it comes after the net is opened
        choose_part(*asked)
    monkeypatch.chdir(there)
    with pytest.raises(NetFileError, match=r"net\.pb\.gz: no such file"):
        choose_part(*asked)
