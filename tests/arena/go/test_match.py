"""Matches of Go: what a game depends on, and how it ends."""

import threading
from collections.abc import Sequence

import pytest

from foible._core import GoPosition
from foible.agents.base import Decision
from foible.arena.go.openings import GoOpenings
from foible.arena.go.record import GoRecord
from foible.arena.go.referee import GoRules
from foible.arena.progress import MatchProgress
from foible.errors import ConfigError, MoveError
from foible.training.go.promotion import decided
from tests.arena.go.players import PASS, Says, Wanderer, go_match, played, searcher


def match(concurrency: int, games: int = 8, finished: Sequence[GoRecord] = ()) -> list[GoRecord]:
    rules = GoRules(games, size=4, komi=0.5, seed=2)
    openings = GoOpenings(2, size=4, komi=0.5, seed=2)
    players = searcher(12, size=4), Wanderer()
    return go_match(*players, rules, openings, finished=finished, concurrency=concurrency).play()


def test_a_game_depends_on_seed_and_number_alone() -> None:
    alone = match(1)
    assert match(5) == match(64) == alone
    assert match(3, games=4) == alone[:4]
    assert [game.number for game in alone] == list(range(8))


def test_what_was_played_is_not_played_again() -> None:
    all_games = match(64)
    known = [replace_winner(all_games[i]) for i in (6, 1)]
    found = match(2, finished=known)
    assert [found[1], found[6]] == [known[1], known[0]]
    assert [found[i] for i in (0, 2, 3, 4, 5, 7)] == [all_games[i] for i in (0, 2, 3, 4, 5, 7)]


def replace_winner(game: GoRecord) -> GoRecord:
    """A game that could not come about again."""
    return GoRecord(**{name: getattr(game, name) for name in game.__struct_fields__} | {"termination": "known"})


def test_a_pair_has_one_opening_and_swaps_the_colours() -> None:
    games = played(Wanderer("a"), Wanderer("b"), 8)
    for first, second in zip(games[::2], games[1::2], strict=True):
        assert first.moves[:2] == second.moves[:2]
        assert (first.black, first.white, second.black, second.white) == ("a", "b", "b", "a")
        assert first.pair == second.pair
        assert first.opening == second.opening == 2
    assert len({game.moves[:2] for game in games}) == 4


def test_the_margin_is_that_of_the_board_after_komi() -> None:
    for game in played(searcher(), Wanderer(), 12, komi=2.5):
        end = GoPosition(3, game.moves, komi=2.5)
        assert game.margin == end.margin == end.area - 2.5
        assert game.winner == ("black" if end.margin > 0 else "white")
        assert game.focal_margin == (end.margin if game.focal_black else -end.margin)
        assert game.focal_score == float((end.margin > 0) == game.focal_black)
        assert game.termination == ("two_passes" if end.outcome() else "max_plies")


def test_long_games_are_counted_after_two_plies_for_each_point() -> None:
    games = played(Wanderer(), Wanderer(), 40)
    long = [game for game in games if game.termination == "max_plies"]
    assert long
    assert {game.plies for game in long} == {18}
    assert max(game.plies for game in games) == 18


def test_two_passes_end_a_game_and_a_whole_komi_allows_a_draw() -> None:
    games = played(PASS, PASS, 2, plies=0, komi=0)
    assert [(game.winner, game.margin, game.plies, game.result) for game in games] == [(None, 0.0, 2, "0")] * 2
    assert [game.focal_score for game in games] == [0.5, 0.5]


def test_who_resigns_or_forfeits_loses_and_nobody_counts() -> None:
    resigned = played(Says(Decision("resign")), Wanderer(), 2)
    assert [game.result for game in resigned] == ["W+R", "B+R"]
    assert [game.termination for game in resigned] == ["resignation"] * 2
    forfeited = played(Wanderer(), Says(Decision("", info={"forfeit": "it\ndied"})), 2)
    assert [game.result for game in forfeited] == ["B+F", "W+F"]
    assert {game.termination for game in forfeited} == {"forfeit: it died"}
    for game in (*resigned, *forfeited):
        assert game.margin is game.focal_margin is None
    assert [game.focal_score for game in (*resigned, *forfeited)] == [0.0, 0.0, 1.0, 1.0]


def test_an_illegal_move_is_named_with_its_game_and_who_made_it() -> None:
    with pytest.raises(MoveError, match=r"game 0, ply 2: cheat answered with an illegal move: .*Z9"):
        played(Says(Decision("Z9"), "cheat"), Wanderer(), 1)


def test_games_that_ended_are_told_of_before_anybody_is_asked_again() -> None:
    told: list[GoRecord] = []
    with pytest.raises(MoveError):
        played(Says(Decision("resign")), Says(Decision("Z9")), 2, on_finished=told.append, concurrency=1)
    assert [game.number for game in told] == [0]


def test_it_ends_when_the_games_so_far_will_do() -> None:
    def enough(games: Sequence[GoRecord]) -> bool:
        return decided(sum(game.focal_score for game in games), len(games), 20, 0.55) is not None

    for concurrency in (1, 3, 64):
        games = played(Wanderer(), Says(Decision("resign")), 20, enough=enough, concurrency=concurrency)
        assert [game.number for game in games] == list(range(11))


def test_it_stops_when_it_is_told_to() -> None:
    stopped, new = threading.Event(), []

    def watch(now: MatchProgress[GoRecord]) -> None:
        new.append(now.new)
        if now.new:
            stopped.set()

    player = Wanderer()
    games = played(player, Wanderer(), 30, stopped=stopped, on_progress=watch)
    assert 0 < len(games) < 30
    assert max(new) == len(games)
    assert set(player.forgotten) >= {game.number for game in games}


def test_a_match_stopped_before_it_begins_plays_nothing() -> None:
    stopped = threading.Event()
    stopped.set()
    assert played(Wanderer(), Wanderer(), 4, stopped=stopped) == []


def test_every_game_is_forgotten_at_its_end() -> None:
    player = Wanderer()
    played(player, Wanderer(), 9)
    assert sorted(player.forgotten) == list(range(9))


@pytest.mark.parametrize(("values", "message"), [({"games": 0}, "games"), ({"games": 2, "seed": -1}, "seed")])
def test_settings_out_of_range_are_named(values: dict[str, int], message: str) -> None:
    with pytest.raises(ConfigError, match=f"match: {message} = .*: expected a whole number"):
        GoRules(**values)
