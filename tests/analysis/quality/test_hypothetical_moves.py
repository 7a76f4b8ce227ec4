from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import polars as pl
import pytest

from foible._core import ChessPosition
from foible.agents.spec import NetPolicySpec, NetSearchSpec, PlayerSpec
from foible.analysis.quality.analysed_games import AnalysedGames, read_games
from foible.analysis.quality.hypothetical_moves import (
    agreement_choices,
    agreement_matrix,
    boards_of,
    induced_boards,
    induced_losses,
)
from foible.analysis.quality.judging import AnalysisProgress, Judging
from foible.analysis.quality.player_choices import Choosers
from foible.analysis.quality.plies_table import INDUCED
from foible.errors import ConfigError
from foible.judges.net import NetJudge
from foible.judges.spec import parse_judge
from foible.judges.units import clipped_loss, raw_loss
from foible.loop import wait
from foible.nets.shelf import NetShelf
from foible.search.params import PRESETS
from foible.search.trees import Trees
from tests.analysis.quality.judged import TOLERANCE, golden, numbers
from tests.analysis.quality.runs import random_run, run_of


def test_induced_losses_equal_the_golden_ones() -> None:
    for given_, expected in golden("method2"):
        rows = []
        for index, record in enumerate(given_["records"]):
            replies = []
            for senior in ("leela", "focal"):
                white = (record[f"wp_white_after_{senior}"], record[f"wp_white_after_{senior}_then_maia"])
                # The replier is the other side than the one to move on the board.
                own = white if record["mover"] == "black" else (1 - white[0], 1 - white[1])
                replies.append(float(clipped_loss(raw_loss(*own))))
            rows.append((index, index, 0, record["team"] == "focal", *replies))
        found = induced_losses(pl.DataFrame(rows, schema=INDUCED, orient="row"))
        for boards, comparison in (("alter", found.alter_boards), ("focal", found.focal_boards)):
            for senior, estimate in (("focal", comparison.first), ("leela", comparison.second)):
                wanted = expected[f"boards_{boards}_induced_by_{senior}"]
                assert estimate.n == wanted["n"]
                assert estimate.value == pytest.approx(wanted["mean"], abs=TOLERANCE)
                assert estimate.independent_error == pytest.approx(wanted["se"], abs=TOLERANCE)


def test_the_seniors_are_compared_on_the_same_boards() -> None:
    rows = [(0, 0, 0, True, 1.0, 3.0), (0, 0, 1, True, 5.0, 7.0), (1, 1, 0, True, 90.0, None)]
    found = induced_losses(pl.DataFrame(rows, schema=INDUCED, orient="row")).focal_boards
    assert found.first.value == pytest.approx(5)
    assert found.second.value == pytest.approx(32)
    assert (found.difference.n, found.difference.value, found.difference.independent_error) == (2, 2.0, 0.0)


def test_boards_of_nobody_are_undefined() -> None:
    found = induced_losses(INDUCED.to_frame())
    assert {estimate.value for estimate in numbers(found)} == {None}


def test_the_matrix_equals_the_golden_one() -> None:
    for given_, expected in golden("agreement_matrix"):
        moves = given_["engine_moves"]
        players = {f"player {index}": chosen for index, chosen in enumerate(moves)}
        found = agreement_matrix(pl.DataFrame({"pair": range(len(moves[0])), **players}))
        assert found.players == tuple(players)
        for row, wanted in zip(found.percent, expected["matrix_pct"], strict=True):
            assert [cell.value for cell in row] == pytest.approx(wanted, abs=TOLERANCE)
            assert {cell.n for cell in row} == {len(moves[0])}


def test_errors_know_the_pair_of_games() -> None:
    choices = pl.DataFrame({"pair": [0, 0, 1, 1], "a": ["e4"] * 4, "b": ["e4", "e4", "d4", "d4"]})
    found = agreement_matrix(choices).percent[0][1]
    assert found.value == 50.0
    assert found.independent_error == pytest.approx(100 * (0.25 / 3) ** 0.5)
    assert found.standard_error == pytest.approx(50.0)


def test_positions_without_a_choice_leave_that_player_s_pairs() -> None:
    choices = pl.DataFrame({"pair": [0, 1], "a": ["e4", "e4"], "b": ["e4", None]})
    found = agreement_matrix(choices)
    assert [[cell.n for cell in row] for row in found.percent] == [[2, 1], [1, 1]]
    assert found.percent[0][1].value == 100.0


@contextmanager
def open_(games: AnalysedGames) -> Iterator[tuple[Judging, Choosers]]:
    shelf = NetShelf()
    judging = Judging.open(parse_judge("material"), shelf, games.folder)
    try:
        with Choosers(shelf, games.folder / "choices", games.config) as choosers:
            yield judging, choosers
    finally:
        judging.close()


@pytest.fixture(scope="module")
def games(tmp_path_factory: pytest.TempPathFactory) -> AnalysedGames:
    return read_games(run_of("tag_team", tmp_path_factory.mktemp("run") / "run", games=4, max_plies=20))


def test_sampled_plies_are_every_nth_of_a_game_and_not_the_same_in_all(games: AnalysedGames) -> None:
    assert len(list(boards_of(games, 1))) == sum(len(game.moves) for game in games.games)
    plies = {number: [b.ply for b in boards_of(games, 7) if b.game == number] for number in range(4)}
    assert plies == {0: [0, 7, 14], 1: [0, 7, 14], 2: [6, 13], 3: [6, 13]}


@pytest.mark.parametrize("every", [2, 4, 10])
def test_an_even_step_samples_the_boards_of_both_teams(games: AnalysedGames, every: int) -> None:
    assert {board.focal for board in boards_of(games, every)} == {True, False}


def test_induced_losses_are_what_each_senior_would_have_brought_about(games: AnalysedGames) -> None:
    with open_(games) as (judging, choosers):
        table = induced_boards(games, judging, choosers, every=3)
    assert table.schema == INDUCED
    net = NetShelf().evaluator("material")
    judge, searches = NetJudge(net), Trees([net], PRESETS["lc0-0.28"])

    def best(position: ChessPosition, nodes: int) -> str:
        return wait(searches.searches([position], nodes))[0].moves[0].move

    def policy(position: ChessPosition) -> str:
        return wait(searches.searches([position], 1))[0].moves[0].move

    for row, board in zip(table.iter_rows(named=True), boards_of(games, 3), strict=True):
        assert (row["game"], row["ply"], row["focal"]) == (board.game, board.ply, board.focal)
        assert board.focal == ((board.position.turn == "first") == games.games[board.game].focal_white)
        for column, nodes in (("loss_focal", 12), ("loss_alter", 30)):
            after = board.position.play(best(board.position, nodes))
            reply = after.play(policy(after))
            before, behind = (score.wp for score in wait(judge.judge([after, reply])))
            assert row[column] == pytest.approx(min(100, max(0, 100 * (before - (1 - behind)))))


def test_a_second_time_nothing_is_asked(games: AnalysedGames) -> None:
    news: list[AnalysisProgress] = []
    with open_(games) as (judging, choosers):
        first = induced_boards(games, judging, choosers, every=5)
    with open_(games) as (judging, choosers):
        again = induced_boards(games, judging, choosers, every=5, on_progress=news.append)
    assert again.equals(first)
    assert news == []


def test_agreement_has_a_column_for_every_player(games: AnalysedGames) -> None:
    also: list[PlayerSpec] = [NetPolicySpec(net="material"), NetSearchSpec(net="material", nodes=2, name="TREE")]
    with open_(games) as (judging, choosers):
        assert judging.name == "material"
        table = agreement_choices(games, choosers, also, step=5)
    # A guest that is the juniors' twin under another name has a column of its own.
    assert table.columns == ["pair", "TREE", "MAIA", "LEELA", "material", "TREE (2)"]
    assert table["MAIA"].equals(table["material"])
    assert table.height == len(list(boards_of(games, 5)))
    assert not table["MAIA"].equals(table["LEELA"])


def test_what_cannot_be_asked_is_said(tmp_path: Path) -> None:
    hands = read_games(run_of("hand_brain", tmp_path / "run", games=2, max_plies=4))
    with open_(hands) as (judging, choosers), pytest.raises(ConfigError, match="two tag teams"):
        induced_boards(hands, judging, choosers)
    dice = read_games(random_run(tmp_path / "dice", games=2, max_plies=4))
    with open_(dice) as (_, choosers), pytest.raises(ConfigError, match="two players"):
        agreement_choices(dice, choosers)
