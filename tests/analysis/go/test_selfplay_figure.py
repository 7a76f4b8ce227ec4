"""The picture of a run's self-play."""

from collections.abc import Sequence

from foible.analysis.go.selfplay_calibration import Calibration, pooled
from foible.analysis.go.selfplay_figure import LEAST, draw
from foible.analysis.go.selfplay_games import generation_games
from foible.selfplay.go.record import GoGame
from tests.analysis.go.made_up_run import BLACK_HAS_ALL, WHITE_HAS_ALL, made_up

ENDS = (BLACK_HAS_ALL, WHITE_HAS_ALL)
MANY = [made_up((number,), ENDS[number % 2]) for number in range(LEAST)]
BRANCHES = [made_up((number, 0), "pass pass", after="B2", komi=9.5) for number in range(2)]


def drawn(*generations: Sequence[GoGame]) -> str:
    found = [generation_games(number, games) for number, games in enumerate(generations, 1)]
    return draw(found, pooled([Calibration.of(games) for games in generations]), "svg").decode()


def test_it_names_what_it_shows() -> None:
    figure = drawn([*MANY, *BRANCHES], MANY)
    for words in (
        "2 generations, 1 to 2: 22 games; bars: ± one standard error",
        "komi of games from the empty board",
        "komi of branches",
        "where branches leave: 2 branches",
        "games that half a point decided",
        "winrate of the player to move",
        "predicted by the net",
        "predicted by the search",
        ">realised<",
    ):
        assert words in figure, words
    for words in (">none<", "too few games"):
        assert words not in figure


def test_a_single_value_and_no_branches_have_their_places_empty() -> None:
    figure = drawn([made_up((number,), BLACK_HAS_ALL, fair=None) for number in range(LEAST)])
    assert figure.count(">none<") == 2
    assert "predicted by the net" not in figure
    assert "predicted by the search" in figure


def test_one_generation_is_one_tick_and_few_games_are_no_calibration() -> None:
    figure = drawn(MANY[1:])
    assert "generation 1: 9 games" in figure
    assert ">1.1<" not in figure
    assert figure.count(">too few games<") == 2


def test_a_generation_that_has_just_begun_is_drawn() -> None:
    assert "generation 1: 0 games" in drawn([])


def test_half_steps_of_komi_and_gaps_between_generations_are_drawn() -> None:
    games = [made_up((number,), BLACK_HAS_ALL, komi=komi) for number, komi in enumerate((7.0, 7.5, 9.0))]
    found = [generation_games(number, games) for number in (3, 9)]
    assert draw(found, Calibration.of(games), "png").startswith(b"\x89PNG")
