"""What is played and recorded: trees as the paper asks, visits that add up, games that depend on nobody else."""

import io
import math
from pathlib import Path
from typing import Any

import chess
import chess.pgn
import polars as pl
import pytest

from foible._core import ChessPosition
from foible.agents.base import Turn
from foible.agents.search import NetSearch
from foible.loop import wait
from foible.nets.evaluator import Material
from foible.search.params import MoveChoice, SearchParams
from foible.search.trees import Trees
from foible.selfplay.record import GAMES, PLIES
from tests.selfplay.runs import played, snapshot

CONTEMPT = {"contempt_visits": 3, "contempt_draw": "quota", "temperature": 1.0}
CAP = {"full": 0.5, "nodes": 6}


def positions(games: pl.DataFrame, plies: pl.DataFrame) -> list[tuple[ChessPosition, dict[str, Any]]]:
    """Every row of the plies with the position in which its move was chosen."""
    found = []
    for game in games.iter_rows(named=True):
        position = ChessPosition(game["start_fen"], game["opening_moves"])
        for row in plies.filter(game=game["game"]).iter_rows(named=True):
            assert row["ply"] == len(position.moves)
            assert row["white"] == (position.turn == "first")
            found.append((position, row))
            position = position.play(row["move"])
        assert len(position.moves) == game["plies"]
    return found


def visits(row: dict[str, Any]) -> dict[str, int]:
    return dict(zip(row["moves"], row["visits"], strict=True))


@pytest.mark.parametrize("more", [{}, {"search": CONTEMPT}, {"playout_cap": CAP}], ids=["shared", "own", "capped"])
def test_tables_have_the_schema_and_their_visits_add_up(tmp_path: Path, more: dict[str, Any]) -> None:
    games, plies = played(tmp_path, **more)
    assert games.schema == GAMES
    assert plies.schema == PLIES
    assert games["game"].to_list() == list(range(12))
    for position, row in positions(games, plies):
        legal = position.legal_moves
        assert set(row["moves"]) <= set(legal)
        if len(legal) == 1:
            assert (row["nodes"], row["full"], row["q"]) == (0, False, None)
        else:
            assert sum(visits(row).values()) == row["nodes"] - 1
            assert min(visits(row).values()) > 0
            assert row["move"] in visits(row)
    searched = plies.filter(pl.col("nodes") > 0)
    assert searched.select((pl.sum_horizontal("win", "draw", "loss") - 1).abs().max()).item() < 1e-6
    assert searched.select((pl.col("win") - pl.col("loss") - pl.col("q")).abs().max()).item() < 1e-6
    assert searched["value"].is_between(0, 1).all()


def test_the_pgn_file_holds_the_same_games(tmp_path: Path) -> None:
    games, plies = played(tmp_path)
    moves = {number: table["move"].to_list() for (number,), table in plies.group_by("game", maintain_order=True)}
    text = io.StringIO((tmp_path / "games.pgn").read_text())
    seen = set()
    while (game := chess.pgn.read_game(text)) is not None:
        assert not game.errors
        number = int(game.headers["Pair"])
        row = games.row(number, named=True)
        seen.add(number)
        assert [move.uci() for move in game.mainline_moves()] == row["opening_moves"] + moves[number]
        assert game.headers["Result"] == row["result"]
        assert game.headers["Termination"] == row["termination"]
    assert seen == set(range(12))


@pytest.mark.parametrize("more", [{}, {"search": CONTEMPT, "playout_cap": CAP}], ids=["shared", "own"])
def test_games_do_not_depend_on_those_beside_them(tmp_path: Path, more: dict[str, Any]) -> None:
    files = []
    for concurrency in (1, 12):
        played(tmp_path / str(concurrency), concurrency=concurrency, **more)
        files.append(snapshot(tmp_path / str(concurrency)))
    for one in files:
        del one["config.toml"]
    assert files[0] == files[1]


def test_another_seed_plays_other_games(tmp_path: Path) -> None:
    first, second = (played(tmp_path / str(seed), seed=seed)[1]["move"].to_list() for seed in (1, 2))
    assert first != second


def test_with_contempt_every_move_has_a_tree_of_its_own(tmp_path: Path) -> None:
    games, plies = played(tmp_path, search=CONTEMPT, games=4)
    assert games["contempt_visits"].unique().to_list() == [3]
    searches = Trees([Material()], SearchParams(contempt_visits=3, contempt_draw="quota"))
    for position, row in positions(games, plies):
        if row["nodes"]:
            (root,) = wait(searches.searches([position], 16))
            assert visits(row) == {move.move: move.n for move in root.moves if move.n}
            assert row["q"] == pytest.approx(root.q, abs=1e-6)


def test_contempt_that_never_sets_in_is_puct_with_fresh_trees(tmp_path: Path) -> None:
    games, plies = played(tmp_path, search={"contempt_visits": 16, "temperature": 1.0}, games=3)
    searches = Trees([Material()], SearchParams())
    for position, row in positions(games, plies):
        if row["nodes"]:
            (root,) = wait(searches.searches([position], 16))
            assert visits(row) == {move.move: move.n for move in root.moves if move.n}


def test_without_contempt_both_sides_share_one_tree(tmp_path: Path) -> None:
    """A root that explores more than the nodes below it: what was kept was searched in another way."""
    params = SearchParams(root_cpuct=5.0)
    games, plies = played(tmp_path, search={"root_cpuct": 5.0}, games=3, shard=1)
    one_player, fresh = NetSearch([Material()], nodes=16, params=params), Trees([Material()], params)
    kept = 0
    for position, row in positions(games, plies):
        turn = Turn(position, row["game"], row["ply"], seed=0)
        decision = wait(one_player.choose(turn))
        assert decision.move == row["move"]
        if row["nodes"]:
            assert decision.policy is not None
            shares = {move: n / (row["nodes"] - 1) for move, n in visits(row).items()}
            assert dict(decision.policy) == pytest.approx(shares)
            (root,) = wait(fresh.searches([position], 16))
            kept += visits(row) != {move.move: move.n for move in root.moves if move.n}
    assert kept > 20


def test_temperature_follows_its_schedule(tmp_path: Path) -> None:
    schedule: dict[str, Any] = {"temperature": 1.0, "temperature_decay_moves": 4, "temperature_endgame": 0.25}
    _, plies = played(tmp_path, search=schedule, games=3)
    choice = MoveChoice(**schedule)
    found = plies.filter(pl.col("nodes") > 0)
    for ply, temperature in found.select("ply", "temperature").iter_rows():
        assert temperature == pytest.approx(choice.temperature_at(ply))
    assert found["temperature"].n_unique() == 3


def test_capped_playouts_search_fully_in_their_share_and_with_noise_there_alone(tmp_path: Path) -> None:
    noise = {"noise_epsilon": 1.0, "noise_alpha": 0.5, "temperature": 1.0}
    games, plies = played(tmp_path, games=20, search=noise, playout_cap={"full": 0.3, "nodes": 6})
    searched = plies.filter(pl.col("nodes") > 0)
    n, full = len(searched), int(searched["full"].sum())
    assert abs(full - 0.3 * n) < 4 * math.sqrt(0.3 * 0.7 * n)
    assert set(searched.filter("full")["nodes"]) == {16}
    assert set(searched.filter(~pl.col("full"))["nodes"]) == {6}
    searches, noisy = Trees([Material()]), 0
    for position, row in positions(games.head(6), plies):
        if row["nodes"]:
            (root,) = wait(searches.searches([position], row["nodes"]))
            differs = visits(row) != {move.move: move.n for move in root.moves if move.n}
            assert row["full"] or not differs
            noisy += differs
    assert noisy > 10


def test_games_are_played_out_in_their_share_and_nobody_resigns_there(tmp_path: Path) -> None:
    rule = {"value": 0.4, "moves": 1, "playout": 0.5}
    games, _ = played(tmp_path, resignation=rule, games=60, nodes=4, max_plies=30, shard=60)
    assert 15 <= games["played_out"].sum() <= 45
    out = games.filter("played_out")
    assert "resignation" not in set(out["termination"])
    assert out["resign_ply"].count() > 10
    resigned = games.filter(termination="resignation")
    assert len(resigned) > 10
    assert (resigned["resign_ply"] == resigned["plies"]).all()
    assert (resigned["resign_white"] == (resigned["result"] == "0-1")).all()


def test_the_controller_says_what_each_game_played_with(tmp_path: Path) -> None:
    rule = {"batch": 4, "target": 0.1}
    games, _ = played(tmp_path, controller=rule, search={"contempt_visits": 4}, games=24, nodes=6, max_plies=30)
    assert games["contempt_visits"].head(8).to_list() == [4] * 8
    assert games["contempt_visits"].is_between(1, 6).all()
    path = pl.read_ndjson(tmp_path / "controller.jsonl")
    assert path["batch"].to_list() == [1, 2, 3, 4, 5, 6]
    assert path["games"].to_list() == [4] * 6
    decisive = [(games["result"][4 * k : 4 * k + 4] != "1/2-1/2").sum() for k in range(6)]
    assert path["decisive"].to_list() == decisive
    assert "<svg" in (tmp_path / "controller.svg").read_text()
