"""From a configuration to cells: resumed, extended, refused."""

import json
import os
import signal
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec
import pytest

from foible.arena.go.config import GoMatchConfig
from foible.arena.go.play import CellProgress, play_matches
from foible.arena.go.record import GoRecord
from foible.arena.go.store import GoStore
from foible.errors import ConfigError, EngineError, NetFileError
from foible.nets.evaluator import Evaluator
from foible.nets.shelf import NetShelf
from tests.search.synthetic import Synthetic

ENGINE = [sys.executable, "-S", str(Path(__file__).with_name("engine.py"))]
NET = {"kind": "net", "net": "material"}
PLAYERS = {
    "strong": {**NET, "visits": 20},
    "greedy": {**NET, "visits": 20, "lambda": 1.0},
    "weak": {**NET, "visits": 2},
}


def config(**changes: Any) -> GoMatchConfig:
    base = {
        "players": PLAYERS,
        "focal": ["strong", "greedy"],
        "opponents": ["weak"],
        "games": 6,
        "size": 3,
        "komi": 2.5,
        "seed": 1,
        "openings": {"plies": 2},
    }
    return msgspec.convert({**base, **changes}, GoMatchConfig)


def games_of(cells: list[Any]) -> dict[tuple[str, str], tuple[GoRecord, ...]]:
    return {(cell.focal, cell.opponent): cell.games for cell in cells}


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Mapping[tuple[str, str], tuple[GoRecord, ...]]:
    return games_of(play_matches(config(), tmp_path_factory.mktemp("whole")))


def test_every_focal_player_meets_every_opponent(whole: Mapping[tuple[str, str], tuple[GoRecord, ...]]) -> None:
    assert list(whole) == [("strong", "weak"), ("greedy", "weak")]
    for (focal, opponent), games in whole.items():
        assert [game.number for game in games] == list(range(6))
        assert {(game.focal, game.opponent, game.size, game.komi) for game in games} == {(focal, opponent, 3, 2.5)}


def test_openings_are_the_same_for_all(whole: Mapping[tuple[str, str], tuple[GoRecord, ...]]) -> None:
    strong, greedy = whole.values()
    assert [game.moves[:2] for game in strong] == [game.moves[:2] for game in greedy]
    assert len({game.moves[:2] for game in strong}) == 3


def test_a_run_is_extended_by_games_and_players(
    tmp_path: Path, whole: Mapping[tuple[str, str], tuple[GoRecord, ...]]
) -> None:
    assert games_of(play_matches(config(games=3, focal=["strong"]), tmp_path)) == {
        ("strong", "weak"): whole["strong", "weak"][:3]
    }
    news: list[CellProgress] = []
    assert games_of(play_matches(config(concurrency=2), tmp_path, news.append)) == whole
    assert (news[-1].finished, news[-1].total) == (12, 12)
    news.clear()
    assert games_of(play_matches(config(), tmp_path, news.append)) == whole
    assert not news


def test_news_count_games_that_are_there_beyond_those_asked_for(tmp_path: Path) -> None:
    players = {**PLAYERS, "weaker": {**NET, "visits": 1}}
    play_matches(config(players=players, focal=["strong"]), tmp_path)
    news: list[CellProgress] = []
    both = config(players=players, focal=["strong"], opponents=["weak", "weaker"], games=2, concurrency=1)
    play_matches(both, tmp_path, news.append)
    assert {now.total for now in news} == {6 + 2}
    assert (news[-1].finished, news[-1].seconds_left) == (6 + 2, 0.0)
    under_way = [now for now in news if now.finished == 6 + 1]
    assert under_way
    assert all(now.seconds_left for now in under_way)


@pytest.mark.parametrize("content", ["[]", "null", '{"cells": [1]}', '{"cells": null}', "[" * 100_000])
def test_a_report_that_tells_no_speed_is_written_anew(tmp_path: Path, content: str) -> None:
    two = config(games=2, focal=["strong"])
    play_matches(two, tmp_path)
    whole = json.loads((tmp_path / "report.json").read_text())
    assert whole["cells"][0].pop("speed")
    (tmp_path / "report.json").write_text(content)
    play_matches(two, tmp_path)
    found = json.loads((tmp_path / "report.json").read_text())
    assert found["cells"][0].pop("speed") is None
    assert found == whole


def test_who_is_under_test_may_change(tmp_path: Path, whole: Mapping[tuple[str, str], tuple[GoRecord, ...]]) -> None:
    play_matches(config(games=3, focal=["strong"]), tmp_path)
    cells = games_of(play_matches(config(focal=["weak"], opponents=["strong"]), tmp_path))
    assert cells == {("weak", "strong"): tuple(game.swapped() for game in whole["strong", "weak"])}
    assert len((tmp_path / "games.jsonl").read_bytes().splitlines()) == 6


def test_the_books_are_kept_in_proportion_to_the_matches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    names = [f"p{i}" for i in range(8)]
    robin = {"players": dict.fromkeys(names, PLAYERS["weak"]), "focal": names, "opponents": names}
    asked = 0

    def of(self: GoStore, focal: str, opponent: str) -> list[GoRecord]:
        nonlocal asked
        asked += 1
        return stored(self, focal, opponent)

    stored = GoStore.of
    monkeypatch.setattr(GoStore, "of", of)
    news: list[CellProgress] = []
    cells = play_matches(config(**robin, size=2, games=1, openings={"plies": 1}), tmp_path, news.append)
    assert len(cells) == 28
    assert asked < 28 * 28
    assert (news[-1].finished, news[-1].total) == (28, 28)
    assert [now.finished for now in news] == sorted(now.finished for now in news)


def test_an_interrupt_keeps_what_is_finished(
    tmp_path: Path, whole: Mapping[tuple[str, str], tuple[GoRecord, ...]]
) -> None:
    def interrupt(now: CellProgress) -> None:
        if now.match.new:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        play_matches(config(concurrency=2), tmp_path, interrupt)
    assert 0 < len((tmp_path / "games.jsonl").read_bytes().splitlines()) < 6
    assert games_of(play_matches(config(), tmp_path)) == whole


def test_a_match_that_was_stopped_reports_on_its_complete_pairs_before_the_first_gap(tmp_path: Path) -> None:
    sent: list[int] = []

    def stop(now: CellProgress) -> None:
        if now.match.new >= 5 and not sent:  # a second interrupt would not wait for the report
            sent.append(now.match.new)
            os.kill(os.getpid(), signal.SIGINT)

    (cell,) = play_matches(config(focal=["strong"], games=60, concurrency=7), tmp_path, stop)
    kept = [msgspec.json.decode(line)["number"] for line in (tmp_path / "games.jsonl").read_bytes().splitlines()]
    assert 5 <= len(kept) < 60
    complete = next(number for number in range(60) if number not in kept) // 2 * 2
    assert [game.number for game in cell.games] == list(range(complete))


def test_openings_may_be_those_of_a_net(tmp_path: Path) -> None:
    cells = play_matches(config(focal=["strong"], openings={"plies": 2, "net": "material"}, games=2), tmp_path)
    assert cells[0].games[0].opening == 2


def test_programs_that_speak_gtp_play(tmp_path: Path) -> None:
    players = {"passes": {"kind": "gtp", "command": ENGINE}, "resigns": {"kind": "gtp", "command": [*ENGINE, "resign"]}}
    (cell,) = play_matches(config(players=players, focal=["passes"], opponents=["resigns"], games=2), tmp_path)
    assert [game.result for game in cell.games] == ["B+R", "W+R"]
    assert sys.executable in (tmp_path / "config.toml").read_text()
    found = cell.to_json()
    assert (found["wins"], found["not_counted"], found["margin"]["value"]) == (2, 2, None)
    assert (found["resignations"], found["forfeits"]) == ({"resigns": 2}, {})


def test_who_answers_with_no_move_forfeits_and_the_report_says_why(tmp_path: Path) -> None:
    players = {"passes": {"kind": "gtp", "command": ENGINE}, "errs": {"kind": "gtp", "command": [*ENGINE, "Z99"]}}
    play_matches(config(players=players, focal=["passes"], opponents=["errs"], games=2), tmp_path)
    (cell,) = json.loads((tmp_path / "report.json").read_text())["cells"]
    assert (cell["wins"], cell["not_counted"], cell["resignations"]) == (2, 2, {})
    assert cell["forfeits"]["errs"]["games"] == 2
    assert "Z99" in cell["forfeits"]["errs"]["reason"]


class Shelf(NetShelf):
    def evaluator(self, net: object) -> Evaluator:
        return Synthetic()


def test_nets_without_margins_play_for_wins_alone(tmp_path: Path) -> None:
    plain = config(focal=["strong"])
    (cell,) = play_matches(plain, tmp_path / "a", shelf=Shelf())
    assert len(cell.games) == 6
    with pytest.raises(
        ConfigError, match=r"players\.greedy: material judges wins alone, not margins; expected lambda = 0"
    ):
        play_matches(config(), tmp_path / "b", shelf=Shelf())
    assert not (tmp_path / "b").exists()


@pytest.mark.parametrize(
    ("player", "error", "message"),
    [
        ({"kind": "net", "net": "nothing"}, NetFileError, "no net is called 'nothing'"),
        ({"kind": "net", "net": "master"}, ConfigError, "is a net for chess; expected one for Go on a 3×3 board"),
        ({"kind": "gtp", "command": "nosuchengine --gtp"}, EngineError, "nosuchengine: cannot be started"),
        ({"kind": "gtp", "command": "true"}, EngineError, "true: not a GTP engine"),
    ],
)
def test_nothing_is_played_where_a_player_is_missing(
    tmp_path: Path, player: dict[str, str], error: type[Exception], message: str
) -> None:
    players = {**PLAYERS, "greedy": player}
    with pytest.raises(error, match=message):
        play_matches(config(players=players), tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_the_folder_of_another_kind_of_run_is_refused(tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_text('focal = "x"')
    with pytest.raises(ConfigError, match="holds a match run; choose another folder"):
        play_matches(config(), tmp_path)
