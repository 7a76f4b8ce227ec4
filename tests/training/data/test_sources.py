import gzip
import shutil
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from numpy.testing import assert_allclose

from foible._core import Batch, ChessPosition
from foible.errors import GameFileError
from foible.nets.encoding import Encoding
from foible.runs.journal import Journal, read_journal
from foible.selfplay.record import Finished, read_plies, read_summaries
from foible.training.data.columns import columns_of
from foible.training.data.encoder import wdl_of_results
from foible.training.data.sources import SourceCounts, read_sources
from tests.selfplay.runs import played
from tests.training.data.pgn_games import write_games

MATCH = """[Event "tag-team"]
[Result "1-0"]

1. e4 {book} e5 {book} 2. Qh5 {senior 0.5123; nodes=8} Nc6 {junior} 3. Bc4 {junior 0.4} Nf6 {senior; bit=1} 4. Qxf7#
{senior 1.0000} 1-0

[Event "no comments"]
[Result "0-1"]

1. f3 e5 2. g4 Qh4# 0-1

[Event "no result"]
[Result "*"]

1. f3 {senior} *
"""


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, pl.DataFrame, pl.DataFrame]:
    folder = tmp_path_factory.mktemp("run")
    return folder, *played(folder, playout_cap={"full": 0.5, "nodes": 5})


def test_sources_are_read_in_their_order_packed_or_not(tmp_path: Path) -> None:
    first, second = tmp_path / "a.pgn", tmp_path / "b.pgn.gz"
    games = write_games(first, 6, seed=1)
    second.write_bytes(gzip.compress(first.read_bytes()))
    read: list[int] = []
    found = read_sources([str(second), str(first)], "lc0", on_read=lambda one: read.append(one.games))
    assert read == [6, 6]
    assert [found.corpus.moves(game) for game in range(12)] == [game.moves for game in games] * 2
    assert found.usable_rows() is None
    assert found.targets is None


def test_the_latest_games_of_a_run_that_was_killed_are_in_its_journal(
    tmp_path: Path, run: tuple[Path, pl.DataFrame, pl.DataFrame]
) -> None:
    whole, folder = run[0], tmp_path / "killed"
    shutil.copytree(whole, folder)
    last = max((folder / "games").glob("*.parquet")).name
    summaries, plies = (pl.read_parquet(folder / kind / last) for kind in ("games", "plies"))
    moves = read_plies(plies)
    kept = [Finished(summary, moves[summary.game]) for summary in read_summaries(summaries)]
    (folder / "games" / last).unlink()
    left_out = len(read_sources([str(folder)], "lc0").corpus)
    with Journal(folder / "journal.jsonl", Finished) as journal:
        journal.append(reversed(kept))
    expected, found = read_sources([str(whole)], "lc0"), read_sources([str(folder)], "lc0")
    assert len(found.corpus) == len(expected.corpus) == left_out + len(kept)
    assert [found.corpus.moves(i) for i in range(len(kept))] == [expected.corpus.moves(i) for i in range(len(kept))]
    assert expected.targets is not None
    assert found.targets is not None
    assert_allclose(found.targets.shares, expected.targets.shares)


def test_a_run_has_its_targets_before_its_first_shard_is_written(
    tmp_path: Path, run: tuple[Path, pl.DataFrame, pl.DataFrame]
) -> None:
    folder = tmp_path / "begun"
    shutil.copytree(run[0], folder)
    moves = read_plies(run[2])
    with Journal(folder / "journal.jsonl", Finished) as journal:
        journal.append([Finished(summary, moves[summary.game]) for summary in read_summaries(run[1])])
    for kind in ("games", "plies"):
        shutil.rmtree(folder / kind)
    expected, found = read_sources([str(run[0])], "lc0"), read_sources([str(folder)], "lc0")
    assert expected.targets is not None
    assert found.targets is not None
    assert_allclose(found.targets.shares, expected.targets.shares)
    usable = [one.usable_rows() for one in (expected, found)]
    assert usable[0] is not None
    assert usable[1] is not None
    assert np.array_equal(usable[0], usable[1])


def test_a_journal_is_read_again_where_games_go_from_it_into_a_shard_meanwhile(
    run: tuple[Path, pl.DataFrame, pl.DataFrame], monkeypatch: pytest.MonkeyPatch
) -> None:
    looks: list[Path] = []

    def half_rewritten(path: Path, kind: type[Finished]) -> list[Finished]:
        looks.append(path)
        if len(looks) == 1:
            raise GameFileError("is cut short")
        return read_journal(path, kind)

    monkeypatch.setattr("foible.training.data.sources.read_journal", half_rewritten)
    assert read_sources([str(run[0])], "lc0").targets is not None
    assert len(looks) == 2


@pytest.mark.parametrize("encoding", ["lc0", "crazyara"])
def test_full_searches_of_self_play_are_targets(
    run: tuple[Path, pl.DataFrame, pl.DataFrame], encoding: Encoding
) -> None:
    folder, games, plies = run
    found = read_sources([str(folder)], encoding)
    searches, usable = found.targets, found.usable_rows()
    assert searches is not None
    assert usable is not None
    assert 0 < plies["full"].sum() < len(plies)
    assert np.flatnonzero(usable).tolist() == searches.rows.tolist()
    full = plies.filter("full").sort("game", "ply")
    assert len(searches.rows) == len(full)
    for i, ply in enumerate(full.iter_rows(named=True)):
        game = games.row(by_predicate=pl.col("game") == ply["game"], named=True)
        assert searches.rows[i] == found.corpus.offsets[ply["game"]] + ply["ply"]
        moves = found.corpus.moves(ply["game"])
        assert len(moves) == game["plies"]
        batch = Batch([ChessPosition(game["start_fen"], moves[: ply["ply"]])])
        place = dict(zip(batch.moves()[0], batch.policy_indices(encoding).tolist(), strict=True))
        shares = slice(searches.offsets[i], searches.offsets[i + 1])
        assert searches.moves[shares].tolist() == [place[move] for move in ply["moves"]]
        assert_allclose(searches.shares[shares], np.array(ply["visits"]) / (ply["nodes"] - 1), rtol=1e-6)
        assert_allclose(searches.wdl[i], [ply["win"], ply["draw"], ply["loss"]])


def test_visits_of_a_batch_belong_to_its_samples(run: tuple[Path, pl.DataFrame, pl.DataFrame]) -> None:
    found = read_sources([str(run[0])], "lc0")
    searches = found.targets
    assert searches is not None
    rows = np.random.default_rng(0).permutation(found.corpus.offsets[-1])[:80]
    policy = searches.policy(rows)
    assert policy is not None
    searched = np.isin(rows, searches.rows)
    assert 0 < searched.sum() < 80
    assert_allclose(np.bincount(policy.rows, policy.shares, minlength=80), searched, rtol=1e-5)
    for sample in np.flatnonzero(searched):
        one = searches.rows.tolist().index(rows[sample])
        moves = searches.moves[searches.offsets[one] : searches.offsets[one + 1]]
        assert policy.moves[policy.rows == sample].tolist() == moves.tolist()
    assert searches.policy(np.setdiff1d(rows, searches.rows)) is None


def test_only_the_moves_of_some_members_of_a_team_are_usable(tmp_path: Path) -> None:
    path = tmp_path / "games.pgn"
    path.write_text(MATCH)
    read: list[SourceCounts] = []
    found = read_sources([str(path)], "lc0", who=["senior"], on_read=read.append)
    rows = found.usable_rows()
    assert rows is not None
    assert rows.tolist() == [False, False, True, False, False, True, True] + [False] * 4
    assert (read[0].games, read[0].skipped) == (2, 1)
    both = read_sources([str(path)], "lc0", who=["senior", "junior"]).usable_rows()
    assert both is not None
    assert both.sum() == 5


def test_games_of_which_some_moves_count_keep_their_ratings_and_clocks(tmp_path: Path) -> None:
    path = tmp_path / "games.pgn"
    path.write_text('[WhiteElo "1500"]\n[BlackElo "1600"]\n[TimeControl "180+2"]\n\n1. e4 {senior} e5 {junior} 1-0\n')
    found = read_sources([str(path)], "lc0", who=["senior"])
    assert (found.corpus.ratings.tolist(), found.corpus.clocks.tolist()) == ([[1500, 1600]], [[180, 2]])


def test_members_of_a_team_are_asked_for_in_games_of_matches_alone(
    run: tuple[Path, pl.DataFrame, pl.DataFrame],
) -> None:
    with pytest.raises(GameFileError, match=r"filters\.who is for games of matches, whose comments tell who moved"):
        read_sources([str(run[0])], "lc0", who=["senior"])


def test_what_cannot_be_read_is_said_in_a_line(tmp_path: Path, run: tuple[Path, pl.DataFrame, pl.DataFrame]) -> None:
    empty, folder = tmp_path / "empty.pgn", tmp_path / "runs"
    empty.write_text('[Event "?"]\n\n1. e4 *\n')
    folder.mkdir()
    (broken := tmp_path / "broken" / "games").mkdir(parents=True)
    (broken / "00000.parquet").write_bytes((run[0] / "games/00000.parquet").read_bytes())
    for source, words in (
        (tmp_path / "none.pgn", "none.pgn: no such file"),
        (empty, "empty.pgn: no game with moves and a result among 1"),
        (folder, "runs: no games of self-play and no labels; expected its folders games and plies"),
        (tmp_path / "broken", "00000.parquet: cannot be read as games of self-play"),
    ):
        with pytest.raises(GameFileError, match=words):
            read_sources([str(source)], "lc0")


def changed(run: tuple[Path, pl.DataFrame, pl.DataFrame], folder: Path, **columns: pl.Expr) -> str:
    """The run with results of every kind, and other columns in its table of plies, in a single shard."""
    _, games, plies = run
    games = games.with_columns(result=pl.Series(["1-0", "0-1", "1/2-1/2"] * 4))
    for name, table in (("games", games), ("plies", plies.with_columns(**columns))):
        (folder / name).mkdir()
        table.write_parquet(folder / name / "00000.parquet")
    return str(folder)


def test_where_a_search_says_nothing_of_the_value_the_result_is_the_target(
    run: tuple[Path, pl.DataFrame, pl.DataFrame], tmp_path: Path
) -> None:
    nothing = pl.when(pl.col("ply") < 9).then(pl.col("win"))
    found = read_sources([changed(run, tmp_path, win=nothing)], "lc0")
    searches = found.targets
    assert searches is not None
    columns = columns_of(found.corpus)
    results = wdl_of_results(columns, searches.rows, "result")
    silent = columns.ply_index()[searches.rows] >= 9
    assert 0 < silent.sum() < len(silent)
    assert len(np.unique(results[silent], axis=0)) == 3
    assert np.array_equal(searches.wdl[silent], results[silent])
    assert not np.array_equal(searches.wdl[~silent], results[~silent])


@pytest.mark.parametrize(
    ("columns", "words"),
    [
        ({"game": pl.col("game") + 1}, r"games/00000\.parquet: no move of game 0 in plies"),
        ({"move": pl.lit("e2e5")}, r"games/00000\.parquet: game \d+ cannot be replayed: .*e2e5"),
        (
            {"moves": pl.col("moves").list.eval(pl.lit("e2e5"))},
            r"games/00000\.parquet: row \d+: illegal move: .*e2e5",
        ),
        (
            {"visits": pl.col("visits").list.head(0)},
            r"game \d+, ply \d+: no visits of moves",
        ),
        ({"visits": pl.lit("many")}, "cannot be read as games of self-play"),
    ],
)
def test_a_damaged_shard_is_named(
    run: tuple[Path, pl.DataFrame, pl.DataFrame], tmp_path: Path, columns: dict[str, pl.Expr], words: str
) -> None:
    with pytest.raises(GameFileError, match=words) as found:
        read_sources([changed(run, tmp_path, **columns)], "lc0")
    assert "\n" not in str(found.value)
