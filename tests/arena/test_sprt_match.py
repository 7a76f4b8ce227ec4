"""Matches that a sequential test ends."""

from dataclasses import dataclass
from pathlib import Path

import pytest

from foible.arena.config import MatchConfig, parse_config, with_changes, with_sprt
from foible.arena.play import play
from foible.arena.sprt import Sprt, Stop, Verdict
from foible.arena.stats import Tally
from foible.errors import ConfigError

TEXT = """
framework = "standard"
games = 200
max_plies = 30
[focal]
kind = "net_policy"
net = "material"
temperature = 0.3
[alter]
kind = "random"
[resignation]
value = 0.4
moves = 2
[sprt]
elo0 = 0
elo1 = 200
"""


@dataclass(frozen=True)
class Game:
    focal_score: float


def config(**changes: object) -> MatchConfig:
    return with_changes(parse_config(TEXT, "my.toml"), **changes)


def test_a_stop_says_what_the_test_says_of_each_beginning() -> None:
    scores = [1, 1, 0.5, 1, 0, 1, 1, 1] * 12
    games, test = [Game(score) for score in scores], Sprt(0, 200)
    stop, said = Stop(test), []
    for count in range(len(games) + 1):
        said.append(stop(games[:count]))
        pairs = Tally.of_pairs((scores[i], scores[i + 1]) for i in range(0, count - 1, 2))
        assert said[-1] == (count % 2 == 0 and test.verdict(pairs) is not Verdict.CONTINUE)
    assert True in said
    assert not all(said)


def test_the_match_ends_with_the_same_games_at_any_concurrency(tmp_path: Path) -> None:
    alone = play(config(concurrency=1), tmp_path / "alone")
    together = play(config(concurrency=16), tmp_path / "together")
    assert alone is not None
    assert alone == together
    assert alone.sprt is not None
    assert alone.sprt.verdict is Verdict.ACCEPT_H0
    assert alone.sprt.llr <= alone.sprt.lower
    assert alone.games.n == alone.finished < 200
    assert alone.sprt == Sprt(0, 200).standing(alone.pairs)


def test_a_stopped_match_is_decided_by_the_same_games(tmp_path: Path) -> None:
    whole = play(config(), tmp_path / "whole")
    begun = play(config(games=4), tmp_path / "resumed")
    assert begun is not None
    assert begun.sprt is not None
    assert begun.sprt.verdict is Verdict.CONTINUE
    assert play(config(), tmp_path / "resumed") == whole
    games = (tmp_path / "resumed" / "games.pgn").read_bytes()
    assert play(config(), tmp_path / "resumed") == whole
    assert (tmp_path / "resumed" / "games.pgn").read_bytes() == games


def test_the_test_leaves_the_games_as_they_are(tmp_path: Path) -> None:
    tested = play(config(concurrency=1), tmp_path / "tested")
    assert tested is not None
    without = parse_config(TEXT.partition("[sprt]")[0], "my.toml")
    play(with_changes(without, games=tested.games.n, concurrency=1), tmp_path / "plain")
    assert (tmp_path / "tested/games.pgn").read_bytes() == (tmp_path / "plain/games.pgn").read_bytes()
    assert "sprt" not in (tmp_path / "plain/config.toml").read_text()


def test_another_test_in_the_same_folder_is_refused(tmp_path: Path) -> None:
    play(config(games=2), tmp_path / "run")
    with pytest.raises(ConfigError, match="sprt"):
        play(with_sprt(config(games=2), 0, 10), tmp_path / "run")


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ("elo0 = 5\nelo1 = 5", "elo0 must lie below elo1"),
        ("elo1 = 300", "must lie between -200 and 200"),
        ("alpha = 0", "alpha and beta"),
        ("elo2 = 5", "elo2"),
        ('model = "x"', "model"),
    ],
)
def test_a_wrong_test_is_refused(table: str, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        parse_config(f"{TEXT.partition('[sprt]')[0]}\n[sprt]\n{table}", "my.toml")
