import pytest

from tests.analysis.games.pgn_games import facts, game

MATE = "1. f3 e5 2. g4 Qh4#"
REPEATED = "1. Nf3 Nf6 2. Ng1 Ng8 3. Nf3 Nf6 4. Ng1 Ng8"
TAGS = [
    ("1-0", "Time forfeit", "time"),
    ("0-1", "Anna won on time", "time"),
    ("1-0", "resignation", "resignation"),
    ("1-0", "Jörg won by resignation", "resignation"),
    ("1/2-1/2", "draw_adjudication", "adjudication"),
    ("1-0", "adjudication", "adjudication"),
    ("1/2-1/2", "Game drawn by agreement", "agreement"),
    ("1/2-1/2", "max_plies", "move limit"),
    ("1-0", "forfeit: crashed twice", "forfeit"),
    ("0-1", "Rules infraction", "forfeit"),
    ("1-0", "Abandoned", "abandoned"),
    ("1-0", "Normal", "resignation or other"),
    ("1/2-1/2", "", "agreement or other"),
    ("*", "unterminated", "unfinished"),
]


@pytest.mark.parametrize(("result", "tag", "end"), TAGS)
def test_the_termination_tag_is_understood(result: str, tag: str, end: str) -> None:
    assert facts(game("1. e4 e5", result, Termination=tag))[0].end == end


@pytest.mark.parametrize("name", ["Timecop", "clockwork", "(resigner)", "o", "a"])
def test_the_names_of_players_tell_nothing_of_the_end(name: str) -> None:
    for tags in ({"White": name}, {"Black": name}):
        assert facts(game("1. e4", "1-0", Termination=f"{name} won - game abandoned", **tags))[0].end == "abandoned"


def test_the_rules_come_before_the_tag() -> None:
    (mated,) = facts(game(MATE, "0-1", Termination="Normal"))
    (drawn,) = facts(game(REPEATED, "1/2-1/2", Termination="draw_adjudication"))
    assert (mated.end, drawn.end) == ("checkmate", "repetition")


def test_a_draw_that_is_claimed_by_announcing_a_move_ends_the_game() -> None:
    """Black could announce the move that repeats the position; White the hundredth ply."""
    repeats = REPEATED.removesuffix(" Ng8")
    quiet = {"SetUp": "1", "FEN": "7k/8/6K1/8/8/8/8/R7 w - - 98 80"}
    one, other = facts(game(repeats, "1/2-1/2") + game("1. Ra2", "1/2-1/2", **quiet))
    assert (one.end, other.end) == ("repetition", "fifty moves")


@pytest.mark.parametrize(
    ("fen", "moves", "end"),
    [
        ("7k/8/6K1/5Q2/8/8/8/8 w - - 0 1", "1. Qf7", "stalemate"),
        ("7k/8/6K1/8/8/8/8/R7 w - - 99 80", "1. Ra2", "fifty moves"),
        ("8/8/4k3/8/8/2K5/6p1/6R1 w - - 0 60", "1. Rxg2 Kf5 2. Rg5+ Kxg5", "insufficient material"),
    ],
)
def test_draws_by_rule(fen: str, moves: str, end: str) -> None:
    assert facts(game(moves, "1/2-1/2", SetUp="1", FEN=fen))[0].end == end


def test_a_game_won_in_a_drawn_position_did_not_end_by_the_rules() -> None:
    (found,) = facts(game(REPEATED, "1-0", Termination="Time forfeit"))
    assert found.end == "time"
    assert not found.contradicted, "nobody has to claim a draw"


def test_a_result_against_the_rules_is_counted_as_written_and_noted() -> None:
    (found,) = facts(game(MATE, "1-0"))
    assert (found.result, found.end, found.contradicted) == ("1-0", "resignation or other", True)


def test_without_a_result_the_rules_tell_it() -> None:
    mated, going_on = facts(game(MATE) + game("1. e4"))
    assert (mated.result, mated.end, mated.contradicted) == ("0-1", "checkmate", False)
    assert (going_on.result, going_on.end) == ("*", "unfinished")
