from collections import Counter

import chess
import pytest

from foible._core import ChessPosition
from foible.arena.bitstrings import Bitstrings
from foible.arena.frameworks import Framework, OddsSuite, PlannedGame, hand_brain, odds_chess, standard, tag_team
from foible.arena.openings import STANDARD, Opening, OpeningSuite, read_openings
from foible.errors import ConfigError, PositionError
from foible.games.odds import ODDS, Odds, find_odds, giver_of, mirrored, odds_fen
from tests.shared_data import shared

QUEEN = find_odds("queen")
WHITE_GIVES = (
    "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNB1KBNR w KQkq - 0 2",
    "rnbqkbnr/pppppppp/8/8/8/5N2/PPPPPPPP/RNB1KB1R b KQkq - 1 1",
    "rnbqkbnr/ppp1pppp/8/3p4/8/2N5/PPPPPPPP/R1B1KBNR w KQkq - 0 2",
)
BOOK = OpeningSuite(tuple(Opening(fen, (), fen.split()[0]) for fen in WHITE_GIVES), "random", 5)


def giver(opening: Opening, odds: Odds = QUEEN) -> chess.Color:
    return giver_of(opening.position(), odds)


@pytest.mark.parametrize("odds", ODDS.values(), ids=list(ODDS))
def test_the_focal_team_gives_as_black_first_then_as_white(odds: Odds) -> None:
    suite = OddsSuite(odds, 3)
    for pair in range(2):
        starts = [suite.of_game(pair, game) for game in (1, 2)]
        assert [start.fen for start in starts] == [odds_fen(odds, chess.BLACK), odds_fen(odds, chess.WHITE)]
        assert [giver(start, odds) for start in starts] == [chess.BLACK, chess.WHITE]
        assert {start.name for start in starts} == {""}


def test_random_plies_give_every_game_a_start_of_its_own() -> None:
    suite = OddsSuite(QUEEN, 3, random_plies=2)
    starts = [suite.of_game(pair, game) for pair in range(150) for game in (1, 2)]
    assert len(set(starts)) == 300
    assert {len(start.moves) for start in starts} == {2}
    again = OddsSuite(QUEEN, 3, random_plies=2)
    assert starts == [again.of_game(pair, game) for pair in range(150) for game in (1, 2)]
    assert starts != [OddsSuite(QUEEN, 4, 2).of_game(pair, game) for pair in range(150) for game in (1, 2)]


def test_every_position_of_a_book_is_played_once_before_any_comes_back() -> None:
    suite = OddsSuite(QUEEN, book=BOOK)
    starts = [suite.of_game(pair, game) for pair in range(3) for game in (1, 2)]
    assert [giver(start) for start in starts] == [chess.BLACK, chess.WHITE] * 3
    for lap in (starts[:3], starts[3:]):
        assert sorted(start.name for start in lap) == sorted(fen.split()[0] for fen in WHITE_GIVES)
    for start in starts:
        original = next(fen for fen in WHITE_GIVES if fen.startswith(start.name))
        assert start.fen == (original if giver(start) == chess.WHITE else mirrored(ChessPosition(original)))


def test_a_position_that_comes_back_goes_on_differently() -> None:
    suite = OddsSuite(QUEEN, 1, random_plies=1, book=OpeningSuite(BOOK.openings[:1]))
    moves = [suite.of_game(pair, 2).moves for pair in range(8)]
    assert len(set(moves)) == 8


def test_a_book_of_other_odds_is_refused_with_the_place() -> None:
    level = Opening(ChessPosition().fen)
    with pytest.raises(PositionError, match=r"opening 2: .*neither side is 1 queen short"):
        OddsSuite(QUEEN, book=OpeningSuite((*BOOK.openings[:1], level))).check()
    OddsSuite(QUEEN, book=BOOK).check()


def test_published_books_of_queen_odds_serve_both_colours() -> None:
    openings = read_openings(shared("data/odds/queen_odds_queen500.epd"))
    suite = OddsSuite(QUEEN, book=OpeningSuite(openings, "random"))
    suite.check()
    starts = [suite.of_game(pair, game) for pair in range(250) for game in (1, 2)]
    assert Counter(map(giver, starts)) == {chess.WHITE: 250, chess.BLACK: 250}
    assert len({start.fen for start in starts}) == 500


def test_every_opening_is_played_with_both_colours_alter_first() -> None:
    suite = OpeningSuite((Opening(name="a"), Opening(name="b")))
    games = list(standard(suite).schedule(3))
    assert [(g.pair, g.game_in_pair, g.opening.name) for g in games] == [
        (0, 1, "a"),
        (0, 2, "a"),
        (1, 1, "b"),
        (1, 2, "b"),
        (2, 1, "a"),
        (2, 2, "a"),
    ]
    assert [g.focal_white for g in games] == [False, True] * 3
    assert [g.number for g in games] == list(range(6))


def test_in_odds_chess_the_focal_team_always_gives() -> None:
    framework = odds_chess(OddsSuite(find_odds("queen"), random_plies=1))
    games = list(framework.schedule(3, {2}))
    assert [game.number for game in games] == [0, 1, 3, 4, 5]
    for game in games:
        giver = giver_of(game.opening.position(), find_odds("queen"))
        assert giver == game.focal_white
    assert framework.name == "queen odds"


def test_finished_games_are_not_planned_again() -> None:
    left = hand_brain().schedule(3, {0, 1, 4})
    assert [game.number for game in left] == [2, 3, 5]


def test_tag_team_takes_string_k_for_pair_k() -> None:
    coins = Bitstrings(("0011", "1100"), 0)
    framework = tag_team(coins)
    for game in framework.schedule(2):
        string = framework.bits(game.pair, 4)
        assert string == coins.strings[game.pair]
        assert [coins.senior_moves(game.number, ply) for ply in range(4)] == [b == "1" for b in string]
        assert game.opening == STANDARD


def test_every_pair_needs_a_string() -> None:
    with pytest.raises(ConfigError, match="3 pairs need as many bitstrings, there are 2"):
        list(tag_team(Bitstrings(("01", "10"), 0)).schedule(3))


def test_without_coins_there_are_no_bits() -> None:
    assert hand_brain().bits(0, 10) == ""
    assert Framework("standard").openings.of_game(7, 1) == STANDARD
    assert PlannedGame(0, 1, STANDARD).number == 0
