"""Games by the clock."""

import io
from dataclasses import dataclass, field
from pathlib import Path

import chess.pgn
import pytest

from foible.agents import uci_engine
from foible.agents.base import LOST_ON_TIME, Agent, Clock, Decision, Limit, Turn, time_for_move
from foible.agents.policy import RandomMover
from foible.agents.uci_engine import UciEngine
from foible.arena.chess import ChessRules
from foible.arena.clocks import Clocks, TimeControl, Timed
from foible.arena.config import parse_config
from foible.arena.frameworks import standard
from foible.arena.openings import Opening, OpeningSuite
from foible.arena.pgn import read_records, to_pgn
from foible.arena.play import play
from foible.arena.record import GameRecord
from foible.arena.report import report_on
from foible.errors import ConfigError
from tests.arena.scripted import match
from tests.engines.fake import Fake

TEXT = """
framework = "standard"
games = 2
max_plies = 12
{clock}
[focal]
kind = "random"
[alter]
kind = "random"
"""


@dataclass
class Hand:
    """Shows how late it is."""

    seconds: float = 100.0

    def __call__(self) -> float:
        return self.seconds


@dataclass
class Slow(RandomMover):
    """Takes so long for every move."""

    hand: Hand = field(default_factory=Hand)
    takes: float = 1.0
    name: str = "slow"
    obeys: frozenset[Limit] = frozenset({"clock"})
    seen: list[Clock | None] = field(default_factory=list)

    async def choose(self, turn: Turn) -> Decision:
        self.seen.append(turn.limits.clock)
        self.hand.seconds += self.takes
        return await super().choose(turn)


def played(control: str, focal: Agent, alter: Agent, hand: Hand) -> list[GameRecord]:
    clocks = Clocks(TimeControl.read(control), now=hand)
    kept = ChessRules(1, max_plies=12, time_control=control)
    return match(Timed(focal, clocks), Timed(alter, clocks), kept, standard(), concurrency=1).play()


@pytest.mark.parametrize(
    ("text", "control", "tag"),
    [
        ("60", TimeControl(60), "60"),
        ("60+0.6", TimeControl(60, 0.6), "60+0.6"),
        ("40/60+0.6", TimeControl(60, 0.6, 40), "40/60+0.6"),
        ("5:00 + 3", TimeControl(300, 3), "300+3"),
        ("0.5", TimeControl(0.5), "0.5"),
    ],
)
def test_time_controls_are_read_and_written(text: str, control: TimeControl, tag: str) -> None:
    assert TimeControl.read(text) == control
    assert str(control) == tag
    assert TimeControl.read(tag) == control


@pytest.mark.parametrize("text", ["", "fast", "60+", "0", "0/60", "-5", "60+-1", "1e3", "nan", "inf", "40/", "9" * 400])
def test_other_time_controls_are_refused(text: str) -> None:
    with pytest.raises(ConfigError, match="clock ="):
        TimeControl.read(text)


def test_every_move_costs_its_time_and_brings_the_increment() -> None:
    hand = Hand()
    focal, alter = Slow(hand=hand, takes=2.0), Slow(hand=hand, takes=0.5)
    first, second = played("60+1", focal, alter, hand)
    assert [move.clock for move in first.moves[:4]] == [60.5, 59.0, 61.0, 58.0]
    assert [move.clock for move in second.moves[:4]] == [59.0, 60.5, 58.0, 61.0]
    assert focal.seen[1] == Clock(59.0, 61.0, 1.0)


def test_a_control_by_moves_gives_time_again() -> None:
    hand = Hand()
    focal, alter = Slow(hand=hand, takes=2.0), Slow(hand=hand, takes=2.0)
    first, _ = played("3/10", focal, alter, hand)
    assert [move.clock for move in first.moves[::2]] == [8.0, 6.0, 14.0, 12.0, 10.0, 18.0]
    assert [shown and shown.moves_to_go for shown in focal.seen[:6]] == [3, 2, 1, 3, 2, 1]


def test_who_has_no_time_left_loses() -> None:
    hand = Hand()
    games = played("5", Slow(hand=hand, takes=2.0), Slow(hand=hand, takes=1.0), hand)
    assert [(game.termination, game.focal_score) for game in games] == [(f"forfeit: {LOST_ON_TIME}", 0.0)] * 2
    (failed,) = report_on(games).failures
    assert dict(failed.forfeits) == {LOST_ON_TIME: 2}


def test_the_margin_forgives_lag() -> None:
    clocks = Clocks(TimeControl(1.0, 0.25), margin=0.5)
    assert clocks.press(0, 1.4, white=True) == 0.25
    assert clocks.press(0, 0.8, white=True) is None
    assert clocks.press(1, 0.8, white=True) == pytest.approx(0.45)


def test_nobody_loses_on_time_to_a_bare_king() -> None:
    hand = Hand()
    start = OpeningSuite((Opening("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1"),))
    clocks = Clocks(TimeControl(1), now=hand)
    focal, alter = (Timed(Slow(hand=hand, takes=takes), clocks) for takes in (5.0, 0.0))
    as_black, as_white = match(focal, alter, ChessRules(1), standard(start), concurrency=1).play()
    assert (as_white.result, as_white.termination) == ("1/2-1/2", "time_without_material")
    assert (as_black.result, as_black.termination) == ("1-0", f"forfeit: {LOST_ON_TIME}")


def test_the_record_keeps_the_clocks_and_other_programs_read_them() -> None:
    hand = Hand()
    slow = Slow(hand=hand, takes=0.8765)
    (game, _) = played("40/3700+0.5", slow, slow, hand)
    text = to_pgn(game)
    assert read_records(text.encode()) == [game]
    found = chess.pgn.read_game(io.StringIO(text))
    assert found is not None
    assert found.headers["TimeControl"] == "40/3700+0.5"
    clocks = [node.clock() for node in found.mainline()]
    assert clocks == [move.clock for move in game.moves]
    assert clocks[0] == pytest.approx(3699.624, abs=1e-3)


def test_without_a_clock_nothing_is_said_of_it(tmp_path: Path) -> None:
    play(parse_config(TEXT.format(clock=""), "my.toml"), tmp_path / "run")
    text = (tmp_path / "run" / "games.pgn").read_text()
    assert "clk" not in text
    assert "TimeControl" not in text


def test_a_match_by_the_clock_goes_on_where_it_stopped(tmp_path: Path) -> None:
    config = parse_config(TEXT.format(clock='clock = "60+0.5"'), "my.toml")
    play(config, tmp_path / "run", pairs=range(0))
    report = play(config, tmp_path / "run")
    assert report is not None
    games = (tmp_path / "run" / "games.pgn").read_bytes()
    assert play(config, tmp_path / "run") == report
    assert (tmp_path / "run" / "games.pgn").read_bytes() == games
    assert games.count(b"%clk") == 24


def test_engines_are_told_the_clocks(tmp_path: Path) -> None:
    fake, hand = Fake(tmp_path), Hand()
    program, *arguments = fake.command()
    with UciEngine(program, arguments) as engine:
        first, _ = played("40/60+0.5", engine, Slow(hand=hand, takes=2.0), hand)
    go = fake.told("go")
    assert go[0] == "go wtime 58500 btime 60000 winc 500 binc 500 movestogo 40"
    assert go[1].startswith("go wtime 57000 btime 60")
    assert go[1].endswith("winc 500 binc 500 movestogo 39")
    assert all(move.clock is not None and "thought" not in move.info for move in first.moves)


def test_an_engine_that_hangs_loses_on_time_and_is_not_asked_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(uci_engine, "_FLAG_SECONDS", 0.2)
    fake, hand = Fake(tmp_path), Hand()
    program, *arguments = fake.command("hang")
    with UciEngine(program, arguments) as engine:
        games = played("0.1", engine, RandomMover(), hand)
    assert [game.termination for game in games] == [f"forfeit: {LOST_ON_TIME}"] * 2
    assert len(fake.told("go")) == 2


def test_an_engine_that_crashes_is_asked_again_by_the_same_clock(tmp_path: Path) -> None:
    fake, hand = Fake(tmp_path), Hand()
    program, *arguments = fake.command("crash", once=True)
    with UciEngine(program, arguments) as engine:
        games = played("60", engine, RandomMover(), hand)
    assert {game.termination for game in games} == {"max_plies"}
    assert sum("restart" in move.info for game in games for move in game.moves) == 1


def test_a_player_that_keeps_to_no_time_is_refused() -> None:
    class Thorough(RandomMover):
        obeys: frozenset[Limit] = frozenset({"nodes"})

    with pytest.raises(ConfigError, match="cannot keep to one: it thinks by nodes"):
        Timed(Thorough(), Clocks(TimeControl(60)))


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ('clock = "fast"', "clock = 'fast': expected seconds, as in 60"),
        ('clock = "60"\nseconds = 1', "clock and seconds"),
        ("time_margin = 0.1", "time_margin is for matches with a clock"),
        ('clock = "60"\ntime_margin = -1', "time_margin = -1"),
    ],
)
def test_wrong_clocks_are_named(keys: str, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        parse_config(TEXT.format(clock=keys), "my.toml")


def test_a_move_takes_its_share_and_never_all() -> None:
    assert time_for_move(60.0, 0.5, None) == pytest.approx(2.4)
    assert time_for_move(60.0, 0.0, 1) == 60.0
    assert time_for_move(1.0, 10.0, None) == 0.5
    assert 0 <= Clock(0.01, 60.0, 0.0).seconds < 0.01


@pytest.mark.parametrize("text", ["60+0.6", "300", "40/123456.789+1", "12345.67+0.123456"])
def test_a_time_control_is_written_as_it_was_read(text: str) -> None:
    assert str(TimeControl.read(text)) == text
