"""A whole match from its configuration."""

import json
from pathlib import Path

import pytest

from foible.arena.config import MatchConfig, parse_config, read_config, read_preset, with_changes, with_odds
from foible.arena.play import play
from foible.errors import ConfigError
from foible.nets import find_net, open_net
from tests.interrupted import after_a_pair


@pytest.fixture
def tag_team(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> MatchConfig:
    monkeypatch.delenv("FOIBLE_NETS", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return with_changes(read_preset("stt-tree"), games=6, nodes=6, max_plies=24)


def test_the_tag_team_preset_plays_and_reports(tag_team: MatchConfig, tmp_path: Path) -> None:
    report = play(tag_team, tmp_path / "run")
    assert report is not None
    assert report.games.n == 6
    assert {(role.team, role.role) for role in report.roles} == {
        (team, role) for team in ("TREE's team", "LEELA's team") for role in ("senior", "junior")
    }
    assert {p.name for p in (tmp_path / "run").iterdir()} >= {"config.toml", "games.pgn", "results.csv", "report.json"}


def test_the_judge_is_asked_once_all_games_are_finished_and_tells_how_far_it_is(
    tag_team: MatchConfig, tmp_path: Path
) -> None:
    judged: list[tuple[int, int]] = []
    config = with_changes(tag_team, games=60, concurrency=2, judge="material")

    stopped = play(config, tmp_path / "run", after_a_pair(), on_judged=lambda *now: judged.append(now))
    assert stopped is not None
    assert 2 <= stopped.games.n < 60
    assert (stopped.judge, judged) == (None, [])
    whole = play(config, tmp_path / "run", on_judged=lambda *now: judged.append(now))
    assert whole is not None
    assert whole.judge == open_net("material").name
    assert judged == [(done, 60) for done in range(61)]


def test_more_games_continue_the_run(tag_team: MatchConfig, tmp_path: Path) -> None:
    play(with_changes(tag_team, games=2), tmp_path / "grown")
    grown = play(tag_team, tmp_path / "grown")
    whole = play(with_changes(tag_team, concurrency=1), tmp_path / "whole")
    assert grown == whole
    play(with_changes(tag_team, games=2), tmp_path / "grown")
    assert read_config(tmp_path / "grown/config.toml").games == tag_team.games, "fewer games than there are"
    assert (tmp_path / "grown/results.csv").read_text() == (tmp_path / "whole/results.csv").read_text()


@pytest.mark.parametrize("odds", [None, "queen"])
def test_games_bear_the_name_of_an_opening_only_where_a_book_gives_one(odds: str | None, tmp_path: Path) -> None:
    small = with_changes(read_preset("standard"), games=2, nodes=2, max_plies=10)
    config = with_odds(small, odds) if odds else small
    play(config, tmp_path / "run")
    assert "[Opening " not in (tmp_path / "run" / "games.pgn").read_text()
    book = tmp_path / "book.epd"
    book.write_text('rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - id "King\'s pawn";')
    play(with_changes(small, openings={"file": str(book)}), tmp_path / "by-book")
    assert (tmp_path / "by-book" / "games.pgn").read_text().count('[Opening "King\'s pawn"]') == 2


def test_a_folder_of_another_kind_of_run_is_refused(tag_team: MatchConfig, tmp_path: Path) -> None:
    (tmp_path / "swept" / "cells").mkdir(parents=True)
    with pytest.raises(ConfigError, match="swept holds a sweep run; choose another folder"):
        play(tag_team, tmp_path / "swept")
    assert [path.name for path in (tmp_path / "swept").iterdir()] == ["cells"]


def test_a_net_for_go_is_refused_before_anything_is_written(tag_team: MatchConfig, tmp_path: Path) -> None:
    player = {"kind": "net_policy", "net": "go-5x5"}
    with pytest.raises(ConfigError, match=r"^go-5x5 is a net for Go on a 5×5 board; expected one for chess$"):
        play(with_changes(read_preset("standard"), focal=player), tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_another_match_in_the_same_folder_is_refused(tag_team: MatchConfig, tmp_path: Path) -> None:
    play(with_changes(tag_team, games=2), tmp_path / "run")
    with pytest.raises(ConfigError, match="seed"):
        play(with_changes(tag_team, seed=99), tmp_path / "run")


def test_a_game_with_real_nets_does_not_depend_on_the_games_beside_it(tag_team: MatchConfig, tmp_path: Path) -> None:
    config = with_changes(tag_team, games=4, nodes=4, max_plies=20, threads=1)
    together = play(config, tmp_path / "together")
    alone = play(with_changes(config, concurrency=1), tmp_path / "alone")
    assert together is not None
    assert alone is not None
    assert together.games == alone.games
    results = [(tmp_path / run / "results.csv").read_text() for run in ("together", "alone")]
    assert results[0] == results[1]
    moves = [sorted((tmp_path / run / "games.pgn").read_text().split("\n\n")) for run in ("together", "alone")]
    assert moves[0] == moves[1]


def test_another_net_of_the_same_name_is_refused(tmp_path: Path) -> None:
    config = parse_config(
        f"""
        framework = "standard"
        games = 2
        max_plies = 4
        threads = 1
        [focal]
        kind = "net_policy"
        net = "{tmp_path}/net.pb.gz"
        [alter]
        kind = "random"
        """,
        "my.toml",
    )
    (tmp_path / "net.pb.gz").symlink_to(find_net("club"))
    play(config, tmp_path / "run")
    (tmp_path / "net.pb.gz").unlink()
    (tmp_path / "net.pb.gz").symlink_to(find_net("master"))
    with pytest.raises(ConfigError, match="resolved"):
        play(config, tmp_path / "run")


def test_equal_games_are_counted_once(tmp_path: Path) -> None:
    text = """
    framework = "standard"
    games = 6
    max_plies = 10
    [focal]
    kind = "net_policy"
    net = "material"
    [alter]
    kind = "net_policy"
    net = "material"
    """
    report = play(parse_config(text, "my.toml"), tmp_path / "run")
    assert report is not None
    assert (report.games.n, report.different) == (6, 1)


@pytest.mark.parametrize("content", ["[]", "null", '{"speed": 1}', '{"speed": {"seconds": NaN}}', "[" * 100_000])
def test_a_report_that_tells_no_speed_is_written_anew(tmp_path: Path, content: str) -> None:
    text = 'games = 2\nmax_plies = 4\n[focal]\nkind = "random"\n[alter]\nkind = "random"\n'
    config, report = parse_config(text, "my.toml"), tmp_path / "run" / "report.json"
    play(config, tmp_path / "run")
    whole = json.loads(report.read_text())
    report.write_text(content)
    play(config, tmp_path / "run")
    assert json.loads(report.read_text()) == {**whole, "speed": None}


def test_searches_that_would_depend_on_each_other_are_refused(tag_team: MatchConfig, tmp_path: Path) -> None:
    text = """
    framework = "standard"
    [focal]
    kind = "net_search"
    net = "material"
    search = { batch = 4, lanes = 2 }
    [alter]
    kind = "random"
    """
    with pytest.raises(ConfigError, match="lanes"):
        play(parse_config(text, "my.toml"), tmp_path / "run")
