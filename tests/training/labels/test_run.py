import gzip
import time
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from msgspec import structs
from numpy.testing import assert_allclose

from foible._core import Batch, ChessPosition
from foible.errors import ConfigError, GameFileError
from foible.loop import wait
from foible.training.data.columns import columns_of
from foible.training.data.config import DataConfig, HoldOut, Source
from foible.training.data.dataset import load
from foible.training.data.encoder import Encoder
from foible.training.data.sources import read_sources
from foible.training.labels.plan import make_plan
from foible.training.labels.run import LabelCounts, Labeller, LabelRun
from foible.training.labels.store import LabelStore
from tests.training.data.pgn_games import PlainGame, write_games
from tests.training.labels.made_up import Noting, answer, config, labelled


@pytest.fixture
def pgn(tmp_path: Path) -> tuple[Path, list[PlainGame]]:
    return tmp_path / "games.pgn", write_games(tmp_path / "games.pgn", 25, seed=5)


def tables(folder: Path) -> tuple[pl.DataFrame, pl.DataFrame]:
    games, plies = (pl.read_parquet(folder / kind / "*.parquet") for kind in ("games", "plies"))
    return games, plies


def test_every_position_is_labelled_and_the_same_one_asked_about_once(
    pgn: tuple[Path, list[PlainGame]], tmp_path: Path
) -> None:
    path, games = pgn
    teacher = Noting()
    report = labelled(config(path), tmp_path / "labels", teacher)
    boards = [board for game in games for board in game.boards()]
    assert report.labelled == report.wanted == report.positions == len(boards)
    keys = [one.position.key for one in teacher.asked]
    assert len(set(keys)) == len(keys) == report.different < len(boards)
    found, plies = tables(tmp_path / "labels")
    assert found["result"].to_list() == [game.result for game in games]
    assert plies["move"].to_list() == [move for game in games for move in game.moves]
    assert plies["full"].all()
    right = [row["moves"][0] == row["move"] for row in plies.iter_rows(named=True)]
    assert report.agreement == pytest.approx(np.mean(right))
    assert len(list((tmp_path / "labels" / "games").iterdir())) > 2


@pytest.mark.parametrize("encoding", ["lc0", "crazyara"])
def test_training_reads_what_the_teacher_said_beside_the_games(
    pgn: tuple[Path, list[PlainGame]], tmp_path: Path, encoding: str
) -> None:
    path, games = pgn
    labelled(config(path, positions=150), tmp_path / "labels", Noting())
    read = read_sources([str(tmp_path / "labels")], encoding)  # type: ignore[arg-type]
    corpus, targets, usable = read.corpus, read.targets, read.usable_rows()
    assert targets is not None
    assert usable is not None
    assert np.flatnonzero(usable).tolist() == targets.rows.tolist()
    assert len(targets.rows) == 150
    kept = {tuple(game.moves): game for game in games}
    assert all(tuple(corpus.moves(game)) in kept for game in range(len(corpus)))
    for game in range(len(corpus)):
        assert tuple(corpus.ratings[game]) in {g.ratings for g in games if g.moves == corpus.moves(game)}
    for i, position in enumerate(corpus.positions(targets.rows)):
        batch, said = Batch([position]), answer(position)
        place = dict(zip(batch.moves()[0], batch.policy_indices(encoding).tolist(), strict=True))  # type: ignore[arg-type]
        of_target = slice(targets.offsets[i], targets.offsets[i + 1])
        assert targets.moves[of_target].tolist() == [place[move] for move in said.moves]
        assert_allclose(targets.shares[of_target], said.shares, rtol=1e-6)
        assert_allclose(targets.wdl[i], said.wdl, rtol=1e-6)


def test_the_target_mixes_teacher_and_move_in_the_shares_of_the_source(
    pgn: tuple[Path, list[PlainGame]], tmp_path: Path
) -> None:
    labelled(config(pgn[0]), tmp_path / "labels", Noting())
    labels = Source(path=str(tmp_path / "labels"), teacher=0.75, temperature=2.0, weight=3.0)
    data = DataConfig(sources=[str(pgn[0]), labels], value_target="evals", eval_share=0.5)
    read = read_sources([one.path for one in data.all_sources], "lc0")
    columns = columns_of(read.corpus, sources=read.of_games)
    rows = np.random.default_rng(1).permutation(read.corpus.offsets[-1])[:120]
    batch = Encoder(read.corpus, columns, data, read.targets).encode(rows)
    soft, of_labels = batch.soft_policy, columns.sources_of(rows) == 1
    assert soft is not None
    assert 0 < of_labels.sum() < 120
    assert_allclose(batch.weight, np.where(of_labels, 3, 1))
    results = Encoder(read.corpus, columns, DataConfig(sources=data.sources)).encode(rows).wdl
    for i, position in enumerate(read.corpus.positions(rows)):
        own = soft.rows == i
        if not of_labels[i]:
            assert not own.any()
            assert_allclose(batch.wdl[i], results[i])
            continue
        said = answer(position)
        one = Batch([position])
        place = dict(zip(one.moves()[0], one.policy_indices().tolist(), strict=True))
        expected = np.zeros(1858)
        flat = np.sqrt(said.shares)
        expected[[place[move] for move in said.moves]] = 0.75 * flat / flat.sum()
        expected[batch.policy[i]] += 0.25
        assert_allclose(np.bincount(soft.moves[own], soft.shares[own], minlength=1858), expected, atol=1e-6)
        assert_allclose(batch.wdl[i], 0.5 * results[i] + 0.5 * np.array(said.wdl), atol=1e-6)


def test_at_a_temperature_near_zero_the_target_is_the_first_choice(
    pgn: tuple[Path, list[PlainGame]], tmp_path: Path
) -> None:
    labelled(config(pgn[0]), tmp_path / "labels", Noting())
    data = DataConfig(sources=[Source(path=str(tmp_path / "labels"), temperature=0.001)])
    read = read_sources([one.path for one in data.all_sources], "lc0")
    batch = Encoder(read.corpus, columns_of(read.corpus), data, read.targets).encode(np.arange(50))
    assert batch.soft_policy is not None
    assert read.targets is not None
    assert_allclose(batch.soft_policy.shares[read.targets.offsets[:50]], 1)
    assert_allclose(np.bincount(batch.soft_policy.rows, batch.soft_policy.shares), 1)


def test_a_teacher_who_knows_ratings_is_asked_by_rating_and_only_where_there_is_one(
    pgn: tuple[Path, list[PlainGame]], tmp_path: Path
) -> None:
    teacher = Noting(knows_ratings=True)
    report = labelled(config(pgn[0]), tmp_path / "labels", teacher)
    rated = sum(len(g.moves[side::2]) for g in pgn[1] for side in (0, 1) if g.ratings[mover(g, side)])
    assert report.wanted == report.labelled == rated < report.positions
    asked = [(one.position.key, one.rating) for one in teacher.asked]
    assert len(set(asked)) == len(asked)
    assert all(rating for _, rating in asked)


def mover(game: PlainGame, side: int) -> int:
    """0 for White: whoever plays the plies that are `side` modulo 2."""
    return side if game.start_fen.split()[1] == "w" else 1 - side


def test_positions_of_an_epd_file_get_the_teachers_move_and_result(tmp_path: Path) -> None:
    fens = ["4k3/8/8/8/8/8/4P3/4K3 b - -", "4k3/8/8/8/8/8/4P3/4K3 w - - 3 40"]
    path = tmp_path / "some.epd"
    path.write_text(f'{fens[0]} hmvc 5; id "a";\n\n{fens[1]}\n')
    report = labelled(config(path), tmp_path / "labels", Noting())
    assert report.labelled == 2
    games, plies = tables(tmp_path / "labels")
    assert games["start_fen"].to_list() == [fens[0] + " 5 1", fens[1]]
    for (result, fen), move in zip(games.select("result", "start_fen").iter_rows(), plies["move"], strict=True):
        said = answer(ChessPosition(fen))
        assert move == said.moves[0]
        best = int(np.argmax(said.wdl))
        assert result == ("1/2-1/2" if best == 1 else "1-0" if (best == 0) == (" w " in fen) else "0-1")
    assert report.agreement is None  # nobody played there
    data = DataConfig(sources=[str(tmp_path / "labels")], hold_out=HoldOut(validation=0, test=0))
    learnt = load(data)
    assert len(learnt.rows("train")) == 2  # however short games may be
    assert np.isnan(learnt.samples(2, seed=0).batch(0).plies).all()  # nobody knows when their games end


def test_positions_without_a_game_stay_without_one_and_packed_files_are_read(tmp_path: Path) -> None:
    path = tmp_path / "some.epd.gz"
    path.write_bytes(gzip.compress(b"4k3/8/8/8/8/8/4P3/4K3 b - -\n4k3/8/8/8/8/8/4P3/4K3 w - -\n"))
    first = labelled(config(path), tmp_path / "first", Noting())
    again = labelled(config(tmp_path / "first"), tmp_path / "again", Noting())
    assert (first.labelled, first.agreement) == (again.labelled, again.agreement) == (2, None)


def test_positions_of_chess960_are_known_by_their_rights_to_castle(tmp_path: Path) -> None:
    path = tmp_path / "some.epd"
    path.write_text("1r2k1r1/8/8/8/8/8/8/1R2K1R1 w GBgb -\n4k2r/8/8/8/8/8/8/4K2R w Kk -\n")
    teacher = Noting()
    labelled(config(path), tmp_path / "labels", teacher)
    assert [one.position.chess960 for one in teacher.asked] == [True, False]
    assert tables(tmp_path / "labels")[0]["chess960"].to_list() == [True, False]
    targets = read_sources([str(tmp_path / "labels")], "lc0").targets
    assert targets is not None
    assert len(targets.rows) == 2


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "no position; expected one in each line"),
        ("4k3/8/8/8/8/8/4P3/4K3 b - -\n8/8/8 w - -", "line 2: "),
        ("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", "line 1: the game is over"),
    ],
)
def test_an_epd_file_that_is_wrong_is_named_with_its_line(tmp_path: Path, text: str, words: str) -> None:
    path = tmp_path / "some.epd"
    path.write_text(text)
    with pytest.raises(GameFileError, match=words):
        make_plan(config(path), Noting())


def test_a_run_that_was_stopped_goes_on_without_asking_twice(pgn: tuple[Path, list[PlainGame]], tmp_path: Path) -> None:
    whole, teacher = Noting(), Noting()
    expected = labelled(config(pgn[0]), tmp_path / "whole", whole)
    plan = make_plan(config(pgn[0]), teacher)
    done = 0
    while done < expected.wanted:
        with LabelStore(tmp_path / "parts", {"games": plan.fingerprint}) as store:
            run = LabelRun(Labeller(plan, teacher), store, range(len(plan.shards)))
            before = len(teacher.asked)
            original = store.write

            def write(shard: int, games: object, run: LabelRun = run, original=original) -> None:  # type: ignore[no-untyped-def]
                original(shard, games)
                run.stop()
                time.sleep(0.1)

            store.write = write  # type: ignore[method-assign]
            wait(run.run())
            assert len(teacher.asked) > before
            done = LabelCounts(plan, store).report(teacher.name).labelled
    for kind in ("games", "plies"):
        names = sorted(path.name for path in (tmp_path / "whole" / kind).iterdir())
        assert names == sorted(path.name for path in (tmp_path / "parts" / kind).iterdir())
        for name in names:
            assert (tmp_path / "whole" / kind / name).read_bytes() == (tmp_path / "parts" / kind / name).read_bytes()


def test_other_games_and_damaged_shards_are_refused(pgn: tuple[Path, list[PlainGame]], tmp_path: Path) -> None:
    labelled(config(pgn[0]), tmp_path / "labels", Noting())
    write_games(tmp_path / "other.pgn", 10, seed=6)
    with pytest.raises(ConfigError, match="games = "):
        labelled(config(tmp_path / "other.pgn"), tmp_path / "labels", Noting())
    shard = tmp_path / "labels" / "plies" / "00001.parquet"
    shard.write_bytes(shard.read_bytes()[:-7])
    with pytest.raises(GameFileError, match=r"plies/00001.parquet: damaged.* label anew"):
        labelled(config(pgn[0]), tmp_path / "labels", Noting())


def test_nothing_to_label_is_said(tmp_path: Path) -> None:
    path = tmp_path / "x.pgn"
    path.write_text('[Result "1-0"]\n\n1. e4 e5 1-0\n')
    with pytest.raises(GameFileError, match="rating of the player to move"):
        make_plan(config(path), Noting(knows_ratings=True))


def test_labels_are_a_source_of_a_data_set(pgn: tuple[Path, list[PlainGame]], tmp_path: Path) -> None:
    labelled(config(pgn[0]), tmp_path / "labels", Noting())
    found = load(DataConfig(sources=[str(tmp_path / "labels")]))
    assert found.targets is not None
    assert len(found.rows("train"))


def test_what_teachers_say_of_the_same_games_is_learnt_side_by_side(
    pgn: tuple[Path, list[PlainGame]], tmp_path: Path
) -> None:
    folders = [tmp_path / "first", tmp_path / "second"]
    for seed, folder in enumerate(folders):
        asked = structs.replace(config(pgn[0], positions=100), seed=seed)
        labelled(asked, folder, Noting())

    def train(*sources: Path) -> int:
        data = DataConfig(sources=[str(one) for one in sources], hold_out=HoldOut(validation=0, test=0))
        return len(load(data).rows("train"))

    games, first, second = train(pgn[0]), *map(train, folders)
    assert train(pgn[0], pgn[0]) == games
    assert train(*folders) == first + second
    assert train(*folders, pgn[0]) == first + second + games


def test_labels_without_the_configuration_that_made_them_are_refused(
    pgn: tuple[Path, list[PlainGame]], tmp_path: Path
) -> None:
    labelled(config(pgn[0]), tmp_path / "labels", Noting())
    (tmp_path / "labels" / "config.toml").unlink()
    with pytest.raises(ConfigError, match=r"holds finished\.json without config\.toml; put back a copy"):
        LabelStore(tmp_path / "labels", {"teacher": "another"})


def test_the_order_of_the_games_is_part_of_what_they_are(pgn: tuple[Path, list[PlainGame]], tmp_path: Path) -> None:
    first, *others = pgn[0].read_text().split("\n[Event ")
    moved = tmp_path / "moved.pgn"
    moved.write_text("\n[Event ".join([f"[Event {others[-1]}", *others[:-1], first.removeprefix("[Event ")]))
    plans = [make_plan(config(path), Noting()) for path in (pgn[0], moved)]
    assert sorted(plans[0].columns.keys) == sorted(plans[1].columns.keys)
    assert plans[0].fingerprint != plans[1].fingerprint
