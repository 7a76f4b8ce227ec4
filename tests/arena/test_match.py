"""The match: who is asked what, how games end, and that nothing else decides a game's course."""

import asyncio
import contextlib
import os
import signal
import threading
import time
import tracemalloc
from collections.abc import Container, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import foible
from foible.agents.base import Decision, Limits, Turn
from foible.agents.policy import RandomMover
from foible.agents.teams import TagTeam
from foible.arena.adjudication import DrawAgreement, Resignation
from foible.arena.chess import ChessReferee, ChessRules
from foible.arena.frameworks import standard, tag_team
from foible.arena.match import Match, MatchPart, complete_pairs
from foible.arena.openings import Opening, OpeningSuite
from foible.arena.progress import MatchProgress
from foible.arena.record import GameRecord
from foible.arena.store import ChessStore
from foible.errors import ConfigError, FoibleError, MoveError
from tests.arena.scripted import COINS, Line, framework, match, random_match, teams

SHUFFLE = "g1f3 g8f6 f3g1 f6g8"


def play(line: str, fen: str | None = None, moves: str = "", **settings: Any) -> GameRecord:
    """The first game of a match in which both sides follow one line."""
    suite = OpeningSuite((Opening(fen, tuple(moves.split()), "opening"),))
    return match(Line(line, "focal"), Line(line, "alter"), ChessRules(1, **settings), standard(suite)).play()[0]


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
    rules = ChessRules(pairs=1, resignation=Resignation(0.1, 2))
    lost, calm = Line(SHUFFLE, "lost", value=0.05), Line(SHUFFLE, "calm", value=0.5)
    records = match(lost, calm, rules).play()
    assert [(r.result, r.termination, r.plies) for r in records] == [
        ("1-0", "resignation", 4),
        ("0-1", "resignation", 3),
    ]
    assert [record.focal_score for record in records] == [0, 0]


def test_rules_with_a_score_read_the_engines_centipawns_in_place_of_what_it_expects() -> None:
    scored = {"score": -600}
    lost, calm = Line(SHUFFLE, "lost", value=0.5, info=scored), Line(SHUFFLE, "calm", value=0.0, info={"score": 0})
    rules = ChessRules(pairs=1, resignation=Resignation(moves=2, score=600))
    assert [record.focal_score for record in match(lost, calm, rules).play()] == [0, 0]
    rules = ChessRules(pairs=1, draw_agreement=DrawAgreement(moves=2, from_move=3, score=10))
    record = match(calm, Line(SHUFFLE, value=1.0, info={"score": 10}), rules).play()[0]
    assert (record.termination, record.plies) == ("draw_adjudication", 6)


def test_level_games_are_drawn_by_agreement() -> None:
    rules = ChessRules(pairs=1, draw_agreement=DrawAgreement(0.1, 2, 3))
    record = match(Line(SHUFFLE, value=0.5), Line(SHUFFLE, value=0.45), rules).play()[0]
    assert (record.result, record.termination, record.plies) == ("1/2-1/2", "draw_adjudication", 6)


def test_a_forfeit_loses_and_keeps_its_reason() -> None:
    broken = Line(SHUFFLE, "broken", info={"forfeit": "engine crashed\ntwice"})
    records = match(broken, Line(SHUFFLE, "sound"), ChessRules(pairs=1)).play()
    assert [(r.result, r.termination) for r in records] == [
        ("1-0", "forfeit: engine crashed twice"),
        ("0-1", "forfeit: engine crashed twice"),
    ]


def test_a_player_may_give_up_in_so_many_words() -> None:
    games = foible.chess_match(Line(line="resign"), RandomMover(), games=2).play()
    assert [(game.focal_score, game.termination, game.played) for game in games] == [
        (0, "resignation", 1),
        (0, "resignation", 0),
    ]


def test_a_match_has_a_game() -> None:
    with pytest.raises(ConfigError, match=r"^games = 0: expected a whole number from 1 on$"):
        foible.chess_match(RandomMover(), RandomMover(), games=0)


def test_an_illegal_move_names_game_ply_and_team() -> None:
    with pytest.raises(MoveError, match=r"game [01], ply 0: (alter|focal) answered with an illegal move: .*e2e5"):
        play("e2e5")


def test_each_team_is_asked_about_its_own_plies_of_every_game() -> None:
    focal, alter = Line(SHUFFLE, "focal"), Line(SHUFFLE, "alter")
    limits = Limits(nodes=7)
    match(focal, alter, ChessRules(pairs=4, max_plies=4), limits=limits, concurrency=8).play()
    by_parity = [{(turn.game % 2, turn.ply % 2) for turn in team.asked} for team in (focal, alter)]
    assert all(len(found) == 2 for found in by_parity)
    assert not by_parity[0] & by_parity[1]
    assert {(turn.game, turn.ply) for turn in focal.asked + alter.asked} == {(g, p) for g in range(8) for p in range(4)}
    assert len(focal.asked) == len(alter.asked) == 16
    assert {turn.limits for turn in focal.asked} == {limits}
    assert sorted(focal.forgotten) == sorted(alter.forgotten) == list(range(8))


@dataclass
class Crowd(RandomMover):
    """Counts how many turns it thinks about at once."""

    name: str = "crowd"
    now: int = 0
    most: int = 0

    async def choose(self, turn: Turn) -> Decision:
        self.now += 1
        self.most = max(self.most, self.now)
        await asyncio.sleep(0.001)
        self.now -= 1
        return await super().choose(turn)


@pytest.mark.parametrize("concurrency", [1, 3])
def test_as_many_games_run_at_once_as_allowed(concurrency: int) -> None:
    crowd = Crowd()
    match(crowd, crowd, ChessRules(pairs=5, max_plies=7), concurrency=concurrency).play()
    assert crowd.most == concurrency


def test_every_turn_has_its_own_reproducible_generator() -> None:
    def numbers() -> list[float]:
        focal, alter = Line(SHUFFLE), Line(SHUFFLE)
        match(focal, alter, ChessRules(pairs=2, seed=5, max_plies=6)).play()
        turns = sorted(focal.asked + alter.asked, key=lambda turn: (turn.game, turn.ply))
        return [turn.rng.random() for turn in turns]

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
        return match(*teams(), ChessRules(pairs=1, seed=seed, max_plies=20), framework()).play()[0]

    assert first(1).moves_uci == first(1).moves_uci != first(2).moves_uci


def test_a_team_against_itself_gets_the_mirrored_score_in_both_games_of_a_pair() -> None:
    """Same string, same play: what one string is worth to White it gives to both teams once (skill-compatible §9.2)."""
    line = "f2f3 e7e5 g2g4 d8h4"
    team = TagTeam(Line(line), Line(line), COINS)
    records = match(team, team, ChessRules(pairs=4), tag_team(COINS)).play()
    assert [record.focal_score for record in records] == [1, 0] * 4


@pytest.mark.parametrize("games", [0, 1, 6, 17])
def test_a_match_stopped_anywhere_and_gone_on_with_equals_the_uninterrupted_one(tmp_path: Path, games: int) -> None:
    rules = ChessRules(pairs=12, seed=9, max_plies=40)
    with ChessStore(tmp_path, {"seed": 9}) as store:

        def stop(progress: MatchProgress[GameRecord]) -> None:
            if progress.new >= games:
                running.stop()

        running = match(*teams(), rules, framework(), store, concurrency=4, on_progress=stop)
        if not games:
            running.stop()
        half = running.play()
        assert games <= len(half) < 24
    with ChessStore(tmp_path, {"seed": 9}) as store:
        assert sorted(store.records, key=lambda r: r.number) == half
        assert random_match(store, 12) == random_match(pairs=12)


def test_a_part_of_a_match_consists_of_the_games_that_the_whole_has() -> None:
    whole = random_match(pairs=6)
    focal, alter = teams()
    referee = ChessReferee(framework(), ChessRules(6, seed=9, max_plies=40), focal.name, alter.name)
    part = Match(focal, alter, MatchPart(referee, range(4, 10)), finished=whole[5:6]).play()
    assert part == whole[4:10]
    assert complete_pairs(part[::-1], 2) == part
    assert complete_pairs([*part[:3], *part[4:]], 2) == part[:2]


def test_a_part_of_many_games_takes_no_memory_for_their_numbers() -> None:
    class Numbers:
        total = 10**9

        def games(self, finished: Container[int]) -> Iterator[Any]:
            return (SimpleNamespace(number=number) for number in range(self.total) if number not in finished)

    tracemalloc.start()
    games = MatchPart(Numbers(), range(4, 10**9)).games({5})
    assert [game.number for game in islice(games, 3)] == [4, 6, 7]
    assert next(MatchPart(Numbers(), [7, 2]).games(())).number == 2
    assert tracemalloc.get_traced_memory()[1] < 10**6
    tracemalloc.stop()


def test_a_stopped_match_is_judged_by_its_first_pairs_without_a_gap() -> None:
    games = random_match(pairs=4)
    assert complete_pairs(games[::-1]) == games
    assert complete_pairs(games[:5]) == games[:4]
    assert complete_pairs([*games[:2], *games[3:]]) == games[:2]
    assert complete_pairs(games[2:]) == complete_pairs([]) == []


def test_games_go_on_while_one_that_has_ended_is_stored() -> None:
    storing, moved, went_on = threading.Event(), threading.Event(), []

    @dataclass
    class Mover(RandomMover):
        """Ends the games of the first pair in two moves."""

        name: str = "mover"

        async def choose(self, turn: Turn) -> Decision:
            if storing.is_set():
                moved.set()
            if turn.game < 2:
                return Decision(["f2f3", "e7e5", "g2g4", "d8h4"][turn.ply])
            return await super().choose(turn)

    def store(game: GameRecord) -> None:
        storing.set()
        went_on.append(moved.wait(200))

    match(Mover(), Mover(), ChessRules(pairs=2, max_plies=60), standard(), on_finished=store, concurrency=4).play()
    assert went_on == [True] * 4


def test_an_interrupt_stops_the_match_and_leaves_the_handler_as_it_was() -> None:
    told: list[GameRecord] = []
    usual = signal.getsignal(signal.SIGINT)

    def interrupt(game: GameRecord) -> None:
        told.append(game)
        if len(told) == 4:
            os.kill(os.getpid(), signal.SIGINT)
            while signal.getsignal(signal.SIGINT) is not usual:  # until the thread that waits has heard of it
                time.sleep(0.01)

    rules = ChessRules(pairs=50, max_plies=20)
    records = match(RandomMover(), RandomMover(), rules, on_finished=interrupt, concurrency=2).play()
    assert sorted(told, key=lambda game: game.number) == records
    assert 4 <= len(records) < 100
    assert signal.getsignal(signal.SIGINT) is usual


def test_a_second_interrupt_is_not_held_back() -> None:
    endless = threading.Event()

    @dataclass
    class Thinker(RandomMover):
        name: str = "thinker"

        async def choose(self, turn: Turn) -> Decision:
            endless.set()
            while True:
                with contextlib.suppress(asyncio.CancelledError):  # it does not stop when it is told to
                    await asyncio.sleep(0.01)
                if not endless.is_set():
                    raise MoveError("enough")

    usual = signal.getsignal(signal.SIGINT)

    def interrupt() -> None:
        endless.wait(200)
        os.kill(os.getpid(), signal.SIGINT)
        while signal.getsignal(signal.SIGINT) is not usual:  # two that come at once would be one
            time.sleep(0.01)
        os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=interrupt).start()
    with pytest.raises(KeyboardInterrupt):
        match(Thinker(), RandomMover(), ChessRules(pairs=1), concurrency=1).play()
    endless.clear()


@pytest.mark.parametrize("bad", [{"pairs": 0}, {"seed": -1}, {"max_plies": 0}])
def test_impossible_settings_are_refused_by_name(bad: dict[str, Any]) -> None:
    with pytest.raises(ConfigError, match=f"match: {next(iter(bad))} = .*: expected a whole number"):
        ChessRules(**({"pairs": 1} | bad))


def test_a_match_without_a_game_at_a_time_is_refused() -> None:
    with pytest.raises(ConfigError, match="match: concurrency = 0: expected a whole number"):
        match(RandomMover(), RandomMover(), ChessRules(pairs=1), concurrency=0)


def test_progress_counts_games_and_plies() -> None:
    seen: list[tuple[int, int, int]] = []

    def tell(now: MatchProgress[GameRecord]) -> None:
        seen.append((now.new, now.speed.plies, now.total))

    match(Line(SHUFFLE), Line(SHUFFLE), ChessRules(pairs=2, max_plies=3), on_progress=tell, concurrency=1).play()
    ended = dict.fromkeys(progress for progress in seen if progress[1] % 3 == 0 and progress[0])
    assert list(ended) == [(1, 3, 4), (2, 6, 4), (3, 9, 4), (4, 12, 4)]


def test_whoever_does_not_answer_as_an_agent_does_is_named() -> None:
    class Forgetful(RandomMover):
        async def choose(self, turn: Turn) -> Any:
            return turn.position.legal_moves[0]

    class Hasty(RandomMover):
        def choose(self, turn: Turn) -> Any:
            return Decision(turn.position.legal_moves[0])

    with pytest.raises(ConfigError, match=r"^random: choose returned '[a-h][1-8][a-h][1-8]'; expected a Decision"):
        match(Forgetful(), RandomMover(), ChessRules(1), framework()).play()
    with pytest.raises(ConfigError, match=r"^random: its choose is no coroutine; expected `async def choose"):
        match(Hasty(), RandomMover(), ChessRules(1), framework()).play()


def test_a_player_that_cancels_itself_does_not_end_the_match_in_silence() -> None:
    class Odd(RandomMover):
        async def choose(self, turn: Turn) -> Decision:
            if turn.game == 2:
                raise asyncio.CancelledError
            return await super().choose(turn)

    with pytest.raises(FoibleError, match="let a CancelledError escape"):
        foible.chess_match(Odd(), RandomMover(), games=6, concurrency=1).play()
