from typing import Any

from foible._core import ChessPosition
from foible.analysis.prep.repertoire_tree import Spot, TreeSettings, grow_tree
from foible.loop import each, wait
from foible.opponents.opening_table import PlayerModel, opening_table
from foible.opponents.player_games import PlayerGame
from tests.analysis.prep.scripted import ScriptedJudge, Uniform, after, games, key

BLACK = games([("e4 e5 Nf3 Nc6 Bb5 a6", 10), ("e4 e5 Nf3 f6 Bc4 d6", 6), ("d4 d5 c4 e6", 4)], white=False)


def grow(
    found: list[PlayerGame], judge: ScriptedJudge | None = None, *, white: bool = True, **settings: Any
) -> dict[int, Spot]:
    table = opening_table(found)
    chosen = TreeSettings(**{"games": 5, **settings})
    model = PlayerModel(table, Uniform())
    *_, spots = each(grow_tree(table, model, judge or ScriptedJudge(), white=white, settings=chosen))
    return spots


def moves_at(spots: dict[int, Spot], line: str) -> list[str]:
    spot = spots[key(line)]
    return [spot.position.san(candidate.move) for candidate in spot.candidates if candidate.games]


def test_the_tree_follows_what_came_up_often_enough() -> None:
    spots = grow(BLACK)
    assert set(spots) == {key(line) for line in ("", "e4 e5", "e4 e5 Nf3 Nc6", "e4 e5 Nf3 f6")} | {
        key("e4 e5 Nf3 Nc6 Bb5 a6"),
        key("e4 e5 Nf3 f6 Bc4 d6"),
    }
    assert "d4" not in moves_at(spots, "")
    assert key("d4 d5") in grow(BLACK, games=4)


def test_the_tree_ends_at_its_plies() -> None:
    assert max(spot.ply for spot in grow(BLACK, plies=3).values()) == 2
    assert max(spot.ply for spot in grow(BLACK, plies=2).values()) == 0


def test_the_commonest_spots_come_first() -> None:
    spots = grow(BLACK, spots=3)
    assert list(spots) == [key(""), key("e4 e5"), key("e4 e5 Nf3 Nc6")]


def test_with_black_the_players_first_move_comes_first() -> None:
    white = games([("e4 c5 Nf3", 10), ("d4 d5", 3)], white=True)
    spots = grow(white, white=False)
    assert set(spots) == {key("e4"), key("e4 c5 Nf3")}
    assert abs(spots[key("e4")].reach - (weight := 10 + 4 / 20) / (13 + 4)) < 0.02, weight


def test_reach_is_the_product_of_the_players_moves() -> None:
    table = opening_table(BLACK)
    model = PlayerModel(table, Uniform())
    spot = grow(BLACK)[key("e4 e5 Nf3 f6")]
    expected = 1.0
    for before, reply in (("e4", "e7e5"), ("e4 e5 Nf3", "f7f6")):
        position = after(before)
        expected *= wait(model.predict([position]))[0][position.legal_moves.index(reply)]
    assert abs(spot.reach - expected) < 1e-12


def test_a_position_that_two_orders_of_moves_reach_stands_once() -> None:
    found = games([("d4 Nf6 c4 e6 Nc3 Bb4", 6), ("c4 e6 d4 Nf6 Nc3 Bb4", 6)], white=False)
    spots = grow(found)
    assert (
        sum(spot.position.fen.split(" ")[0] == after("d4 Nf6 c4 e6").fen.split(" ")[0] for spot in spots.values()) == 1
    )
    spot = spots[key("c4 e6 d4 Nf6")]
    assert {candidate.games for candidate in spot.candidates if candidate.games} == {12}


def test_unsafe_moves_are_neither_candidates_nor_followed() -> None:
    judge = ScriptedJudge({"e4 e5 Nf3": 0.44, "e4 e5 Bc4": 0.47})
    spots = grow(BLACK, judge)
    assert moves_at(spots, "e4 e5") == []
    assert key("e4 e5 Nf3 f6") not in spots
    spots = grow(BLACK, judge, epsilon=0.1)
    assert moves_at(spots, "e4 e5") == ["Nf3"]


def test_what_a_candidate_loses_stays_within_epsilon() -> None:
    judge = ScriptedJudge({"e4": 0.47, "e4 e5 Nf3": 0.52, "e4 e5 Nf3 Nc6 Bb5": 0.53})
    for spot in grow(BLACK, judge).values():
        best = max(candidate.worth for candidate in spot.candidates)
        assert all(best - candidate.worth <= 0.05 for candidate in spot.candidates)


def test_the_judges_best_move_is_a_candidate_even_if_nobody_tried_it() -> None:
    spots = grow(BLACK, ScriptedJudge({"e4 e5 d4": 0.6}), epsilon=0.2)
    best = spots[key("e4 e5")].candidates[0]
    assert (best.move, best.games, best.worth) == ("d2d4", 0, 0.6)
    assert best.replies


def test_values_are_ours_with_either_colour() -> None:
    white = games([("e4 c5 Nf3 d6", 10)], white=True)
    spot = grow(white, ScriptedJudge({"e4 c5": 0.4, "e4 c5 Nf3": 0.3}), white=False)[key("e4")]
    (candidate,) = (candidate for candidate in spot.candidates if candidate.move == "c7c5")
    assert abs(candidate.worth - 0.6) < 1e-12
    assert candidate.replies[0].move == "g1f3"
    assert candidate.replies[0].node.score is not None
    assert abs(candidate.replies[0].node.score.wp - 0.7) < 1e-12


def test_a_mating_move_has_no_replies_and_is_won() -> None:
    found = games([("f3 e5 g4 d5", 6)], white=True)
    mating = games([("f3 e5 g4 Qh4", 6)], white=True)
    spots = grow([*found, *mating], white=False)
    mate = next(c for c in spots[key("f3 e5 g4")].candidates if c.move == "d8h4")
    assert (mate.worth, mate.replies) == (1.0, [])


def test_without_games_only_our_first_move_is_left_to_look_at() -> None:
    assert list(grow([])) == [key("")]
    assert grow([], white=False) == {}


def test_the_tree_can_be_watched_while_it_grows() -> None:
    table, settings = opening_table(BLACK), TreeSettings(games=5, spots=50)
    growing = grow_tree(table, PlayerModel(table, Uniform()), ScriptedJudge(), white=True, settings=settings)
    sizes = [len(spots) for spots in each(growing)]
    assert sizes[:2] == [0, 1]
    assert sizes == sorted(sizes)
    assert sizes[-1] == len(grow(BLACK))


def test_moves_back_and_forth_end() -> None:
    there_and_back = "Nf3 Nf6 Ng1 Ng8 " * 3
    spots = grow(games([(there_and_back.strip(), 10)], white=False))
    assert len(spots) < 10
    assert key("") in spots
    assert ChessPosition() == spots[key("")].position
