"""The match: who is asked what, how games end, and that nothing else decides a game's course."""

import signal
from pathlib import Path
from typing import Any

import pytest

from foible.agents.base import Limits
from foible.agents.random import RandomMover
from foible.agents.teams import TagTeam
from foible.arena.adjudication import DrawAgreement, Resignation
from foible.arena.frameworks import hand_brain, standard, tag_team
from foible.arena.match import Match, MatchSettings, Progress
from foible.arena.openings import Opening, OpeningSuite
from foible.arena.record import GameRecord
from foible.arena.store import RunStore
from foible.errors import ConfigError, MoveError
from tests.arena.scripted import COINS, Line, framework, random_match, teams

SHUFFLE = "g1f3 g8f6 f3g1 f6g8"


def play(line: str, fen: str | None = None, moves: str = "", **settings: Any) -> GameRecord:
    """The first game of a match in which both sides follow one line."""
    suite = OpeningSuite((Opening(fen, tuple(moves.split()), "opening"),))
    rules = MatchSettings(pairs=1, **settings)
    return Match(Line(line, "focal"), Line(line, "alter"), standard(suite), rules).run()[0]


@pytest.mark.parametrize(
    ("line", "fen", "settings", "end"),
    [
        ("f2f3 e7e5 g2g4 d8h4", None, {}, ("0-1", "checkmate", 4)),
        ("e2e4 e7e5 d1h5 b8c6 f1c4 g8f6 h5f7", None, {}, ("1-0", "checkmate", 7)),
        ("b1b6", "k7/8/8/8/8/8/8/KQ6 w - - 0 1", {}, ("1/2-1/2", "stalemate", 1)),
        ("a1b2", "k7/8/8/8/8/8/1n6/K7 w - - 0 1", {}, ("1/2-1/2", "insufficient_material", 1)),
        (SHUFFLE, None, {}, ("1/2-1/2", "fivefold_repetition", 16)),
        (SHUFFLE, None, {"claim_draws": True}, ("1/2-1/2", "threefold_repetition", 8)),
        ("h1h2", "k7/8/8/8/8/8/8/K6R w - - 149 90", {}, ("1/2-1/2", "seventyfive_moves", 1)),
        ("h1h2", "k7/8/8/8/8/8/8/K6R w - - 99 60", {"claim_draws": True}, ("1/2-1/2", "fifty_moves", 1)),
        ("h1h2 a8b8", "k7/8/8/8/8/8/8/K6R w - - 98 60", {"claim_draws": True}, ("1/2-1/2", "fifty_moves", 2)),
        (SHUFFLE, None, {"max_plies": 5}, ("1/2-1/2", "max_plies", 5)),
        ("", None, {}, ("0-1", "forfeit: no move", 0)),
    ],
)
def test_games_end_by_rule_and_by_nothing_else(
    line: str, fen: str | None, settings: dict[str, Any], end: tuple[str, str, int]
) -> None:
    record = play(line, fen, **settings)
    assert (record.result, record.termination, record.plies) == end


def test_without_claims_threefold_and_fifty_moves_do_not_end_a_game() -> None:
    assert play(SHUFFLE, max_plies=12).termination == "max_plies"
    assert play("h1h2 a8b8", "k7/8/8/8/8/8/8/K6R w - - 99 60", max_plies=2).termination == "max_plies"


def test_an_opening_counts_as_plies_and_is_recorded() -> None:
    record = play("x x d1h5 b8c6 f1c4 g8f6 h5f7", None, "e2e4 e7e5")
    assert record.termination == "checkmate"
    assert record.opening.moves == ("e2e4", "e7e5")
    assert [move.move for move in record.moves] == ["d1h5", "b8c6", "f1c4", "g8f6", "h5f7"]
    assert record.plies == 7


def test_a_side_that_thinks_itself_lost_resigns() -> None:
    settings = MatchSettings(pairs=1, resignation=Resignation(0.1, 2))
    lost, calm = Line(SHUFFLE, "lost", value=0.05), Line(SHUFFLE, "calm", value=0.5)
    records = Match(lost, calm, hand_brain(), settings).run()
    assert [(r.result, r.termination, r.plies) for r in records] == [
        ("1-0", "resignation", 4),
        ("0-1", "resignation", 3),
    ]
    assert [record.focal_score for record in records] == [0, 0]


def test_level_games_are_drawn_by_agreement() -> None:
    settings = MatchSettings(pairs=1, draw_agreement=DrawAgreement(0.1, 2, 3))
    record = Match(Line(SHUFFLE, value=0.5), Line(SHUFFLE, value=0.45), hand_brain(), settings).run()[0]
    assert (record.result, record.termination, record.plies) == ("1/2-1/2", "draw_adjudication", 6)


def test_a_forfeit_loses_and_keeps_its_reason() -> None:
    broken = Line(SHUFFLE, "broken", info={"forfeit": "engine crashed\ntwice"})
    records = Match(broken, Line(SHUFFLE, "sound"), hand_brain(), MatchSettings(pairs=1)).run()
    assert [(r.result, r.termination) for r in records] == [
        ("1-0", "forfeit: engine crashed twice"),
        ("0-1", "forfeit: engine crashed twice"),
    ]


def test_an_illegal_move_names_game_ply_and_team() -> None:
    with pytest.raises(MoveError, match=r"game 1\.[12], ply 0: (alter|focal) answered with an illegal move: .*e2e5"):
        play("e2e5")


def test_each_round_asks_each_team_once_for_all_its_games() -> None:
    focal, alter = Line(SHUFFLE, "focal"), Line(SHUFFLE, "alter")
    limits = Limits(nodes=7)
    settings = MatchSettings(pairs=4, max_plies=4, limits=limits, concurrency=8)
    Match(focal, alter, hand_brain(), settings).run()
    assert [len(turns) for turns in focal.asked] == [4] * 4
    assert [[turn.game for turn in turns] for turns in alter.asked] == [[0, 2, 4, 6], [1, 3, 5, 7]] * 2
    assert [{turn.ply for turn in turns} for turns in alter.asked] == [{0}, {1}, {2}, {3}]
    assert {turn.limits for turns in focal.asked for turn in turns} == {limits}
    assert sorted(focal.forgotten) == sorted(alter.forgotten) == list(range(8))


def test_no_more_games_run_at_once_than_allowed() -> None:
    focal, alter = Line(SHUFFLE), Line(SHUFFLE)
    Match(focal, alter, hand_brain(), MatchSettings(pairs=5, max_plies=7, concurrency=3)).run()
    assert max(len(turns) for turns in focal.asked + alter.asked) <= 3


def test_every_turn_has_its_own_reproducible_generator() -> None:
    def numbers() -> list[float]:
        focal, alter = Line(SHUFFLE), Line(SHUFFLE)
        Match(focal, alter, hand_brain(), MatchSettings(pairs=2, seed=5, max_plies=6)).run()
        return [turn.rng.random() for turns in focal.asked + alter.asked for turn in turns]

    assert numbers() == numbers()
    assert len(set(numbers())) == len(numbers()) == 24


def test_the_teams_swap_colours_and_follow_the_coins() -> None:
    records = random_match(pairs=3)
    assert [(r.white, r.black, r.focal_white) for r in records] == [
        ("alter", "focal", False),
        ("focal", "alter", True),
    ] * 3
    for record in records:
        assert record.bits == COINS.of_pair(record.pair, record.plies)
        for ply, move in enumerate(record.moves):
            if (ply % 2 == 0) == record.focal_white:
                assert move.who == ("senior" if record.bits[ply] == "1" else "junior")
            else:
                assert move.who == "hand"


def test_a_game_depends_on_nothing_but_its_own_number() -> None:
    together = random_match(pairs=6, concurrency=12)
    assert random_match(pairs=6, concurrency=1) == together
    assert random_match(pairs=3, concurrency=5) == together[:6]
    moves = {record.moves_uci for record in together}
    assert len(moves) == 12


def test_another_seed_gives_other_games() -> None:
    def first(seed: int) -> GameRecord:
        return Match(*teams(), framework(), MatchSettings(pairs=1, seed=seed, max_plies=20)).run()[0]

    assert first(1).moves_uci == first(1).moves_uci != first(2).moves_uci


def test_a_team_against_itself_gets_the_mirrored_score_in_both_games_of_a_pair() -> None:
    """Same string, same play: what one string is worth to White it gives to both teams once (§9.2)."""
    line = "f2f3 e7e5 g2g4 d8h4"
    team = TagTeam(Line(line), Line(line), COINS)
    records = Match(team, team, tag_team(COINS), MatchSettings(pairs=4)).run()
    assert [record.focal_score for record in records] == [1, 0] * 4


def test_a_stopped_match_goes_on_where_it_was(tmp_path: Path) -> None:
    settings = MatchSettings(pairs=20, seed=9, max_plies=40, concurrency=4)
    with RunStore(tmp_path, {"seed": 9}) as store:
        match = Match(*teams(), framework(), settings, store=store, on_progress=lambda p: stop(p, match))

        def stop(progress: Progress, running: Match) -> None:
            if progress.new >= 6:
                running.stop()

        half = match.run()
        assert 6 <= len(half) < 40
    with RunStore(tmp_path, {"seed": 9}) as store:
        assert sorted(store.records, key=lambda r: r.key) == half
        assert random_match(store, 20) == random_match(pairs=20)


def test_an_interrupt_lets_the_round_finish_and_leaves_the_handler_as_it_was() -> None:
    seen: list[Progress] = []
    usual = signal.getsignal(signal.SIGINT)

    def interrupt(progress: Progress) -> None:
        seen.append(progress)
        if len(seen) == 50:
            signal.raise_signal(signal.SIGINT)

    settings = MatchSettings(pairs=50, max_plies=20, concurrency=2)
    records = Match(RandomMover(), RandomMover(), hand_brain(), settings, on_progress=interrupt).run()
    assert len(seen) == 50
    assert len(records) == seen[-1].new == 4
    assert signal.getsignal(signal.SIGINT) is usual


def test_a_second_interrupt_is_not_held_back() -> None:
    def interrupt(_progress: Progress) -> None:
        signal.raise_signal(signal.SIGINT)
        signal.raise_signal(signal.SIGINT)

    match = Match(RandomMover(), RandomMover(), hand_brain(), MatchSettings(pairs=1), on_progress=interrupt)
    with pytest.raises(KeyboardInterrupt):
        match.run()


@pytest.mark.parametrize("bad", [{"pairs": 0}, {"seed": -1}, {"concurrency": 0}, {"max_plies": 0}])
def test_impossible_settings_are_refused_by_name(bad: dict[str, Any]) -> None:
    with pytest.raises(ConfigError, match=f"match: {next(iter(bad))} must be at least"):
        MatchSettings(**({"pairs": 1} | bad))


def test_progress_counts_games_and_plies() -> None:
    seen: list[tuple[int, int, int]] = []
    settings = MatchSettings(pairs=2, max_plies=3, concurrency=2)
    Match(
        Line(SHUFFLE),
        Line(SHUFFLE),
        hand_brain(),
        settings,
        on_progress=lambda p: seen.append((p.new, p.plies, p.total)),
    ).run()
    assert seen == [(0, 2, 4), (0, 4, 4), (2, 6, 4), (2, 8, 4), (2, 10, 4), (4, 12, 4)]
