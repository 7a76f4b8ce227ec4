import random
from collections.abc import Sequence
from datetime import date
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, strategies as st

from foible._core import ChessPosition
from foible.errors import ConfigError, GameFileError
from foible.loop import wait
from foible.nets.evaluator import Material
from foible.nets.shelf import NetShelf
from foible.opponents.base import Distribution
from foible.opponents.net import NetModel
from foible.opponents.opening_table import (
    OpeningTable,
    PlayerModel,
    TableMove,
    local_trust,
    opening_table,
    position_key,
    posterior_draws,
    read_book,
    shrunk,
)
from foible.opponents.player_games import PlayerGame
from foible.opponents.spec import parse_model


def game(moves: str, *, white: bool = True, day: date | None = None) -> PlayerGame:
    position = ChessPosition(None, moves.split())
    return PlayerGame(white, " ".join(position.moves), day=day)


def random_games(seed: int, count: int) -> list[PlayerGame]:
    rng = random.Random(seed)
    games = []
    for _ in range(count):
        position = ChessPosition()
        for _ in range(rng.randrange(1, 9)):
            position = position.play(rng.choice(position.legal_moves[:3]))
        day = date(2015 + rng.randrange(6), rng.randrange(1, 13), 1) if rng.random() < 0.8 else None
        games.append(PlayerGame(rng.random() < 0.5, " ".join(position.moves), day=day))
    return games


def test_only_the_players_own_moves_count() -> None:
    table = opening_table([game("e4 e5 Nf3"), game("d4 Nf6", white=False)])
    assert table.played(ChessPosition()) == [TableMove("e2e4", 1.0, 1)]
    assert table.played(ChessPosition(None, ["e4"])) == []
    assert table.played(ChessPosition(None, ["d4"])) == [TableMove("g8f6", 1.0, 1)]


def test_orders_of_moves_that_meet_are_counted_together() -> None:
    table = opening_table([game("d4 Nf6 c4 e6 Nc3"), game("c4 e6 d4 Nf6 Nc3"), game("d4 e6 c4 Nf6 Nf3")])
    met = ChessPosition(None, ["c4", "Nf6", "d4", "e6"])
    assert [(played.move, played.games) for played in table.played(met)] == [("b1c3", 2), ("g1f3", 1)]
    assert table.support(met) == 3


def test_rights_and_the_side_to_move_tell_positions_apart() -> None:
    start, shuffled = ChessPosition(), ChessPosition(None, ["Nf3", "Nf6", "Ng1", "Ng8"])
    assert position_key(start) == position_key(shuffled)
    rooks = ChessPosition("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1")
    moved = ChessPosition(rooks.fen, ["h1g1", "h8g8", "g1h1", "g8h8"])
    assert position_key(rooks) != position_key(moved)
    assert position_key(rooks) != position_key(ChessPosition("r3k2r/8/8/8/8/8/8/R3K2R b KQkq - 0 1"))


def test_an_en_passant_square_counts_only_where_the_capture_is_legal() -> None:
    quiet = ChessPosition("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1")
    assert position_key(ChessPosition(None, ["e4"])) == position_key(quiet)
    taking = ChessPosition(None, ["e4", "a6", "e5", "d5"])
    late = ChessPosition(None, ["e4", "d6", "e5", "a6", "a3", "d5", "a4"])
    assert position_key(taking) != position_key(ChessPosition(taking.fen.replace(" d6 ", " - ")))
    assert position_key(late) != position_key(taking)


def test_a_game_weighs_by_its_date_and_counts_as_one() -> None:
    table = opening_table([game("e4", day=date(2022, 1, 1)), game("e4", day=date(2020, 1, 1))])
    (played,) = table.played(ChessPosition())
    assert played.games == 2
    assert played.weight == pytest.approx(1.5, rel=2e-3)
    assert table.weight(ChessPosition()) == played.weight


def test_a_position_that_recurs_in_a_game_counts_once() -> None:
    table = opening_table([game("Nf3 Nf6 Ng1 Ng8 Nf3 Nf6 Ng1 Ng8 e4")])
    assert [(played.move, played.games) for played in table.played(ChessPosition())] == [("g1f3", 1)]
    assert table.support(ChessPosition()) == 1


@given(seed=st.integers(0, 1000), count=st.integers(0, 40))
def test_the_order_of_the_games_changes_nothing(seed: int, count: int) -> None:
    games = random_games(seed, count)
    mixed = random.Random(seed).sample(games, len(games))
    one, other = opening_table(games), opening_table(mixed)
    for column in ("keys", "moves", "weights", "games"):
        np.testing.assert_array_equal(getattr(one, column), getattr(other, column))


@given(seed=st.integers(0, 1000), count=st.integers(1, 40))
def test_counts_of_the_legal_moves_sum_to_the_visits(seed: int, count: int) -> None:
    games = random_games(seed, count)
    table = opening_table(games)
    assert int(table.games.sum()) == sum(len(game.moves[(0 if game.white else 1) :: 2]) for game in games)
    start = ChessPosition()
    assert table.counts(start).shape == (20,)
    assert table.counts(start).sum() == pytest.approx(table.weight(start))
    assert table.support(start) == sum(game.white for game in games)


def test_no_games_make_an_empty_table() -> None:
    table = opening_table([])
    assert table.support(ChessPosition()) == 0
    assert not table.counts(ChessPosition()).any()


def test_a_book_knows_positions_whatever_their_counters(tmp_path: Path) -> None:
    file = tmp_path / "book.epd"
    after_e4 = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq -"
    file.write_text(f"{after_e4} hmvc 0;\n\n8/8/8/4k3/8/8/4K2R/8 w - - 12 80\n")
    book = read_book(file)
    assert len(book) == 2
    assert position_key(ChessPosition(moves=["e4"])) in book
    assert position_key(ChessPosition()) not in book


def test_a_line_that_is_no_position_is_named(tmp_path: Path) -> None:
    file = tmp_path / "book.epd"
    file.write_text("8/8/8/4k3/8/8/4K2R/8 w - -\nnonsense\n")
    with pytest.raises(GameFileError, match=r"book\.epd, line 2: "):
        read_book(file)
    with pytest.raises(GameFileError, match="no such file"):
        read_book(tmp_path / "none.epd")


START = ChessPosition()


class Uniform:
    """Every legal move alike."""

    name = "uniform"

    def __init__(self) -> None:
        self.closed = False

    async def predict(self, positions: Sequence[ChessPosition]) -> list[Distribution]:
        return [np.full(len(position.legal_moves), 1 / len(position.legal_moves)) for position in positions]

    def close(self) -> None:
        self.closed = True


def table_of(**counts: int) -> OpeningTable:
    return opening_table([PlayerGame(True, move) for move, count in counts.items() for _ in range(count)])


def p_of(model: PlayerModel, move: str, position: ChessPosition = START) -> float:
    return float(wait(model.predict([position]))[0][position.legal_moves.index(move)])


def test_replies_are_counts_shrunk_to_the_base() -> None:
    model = PlayerModel(table_of(e2e4=6, d2d4=3), Uniform(), kappa=4)
    assert p_of(model, "e2e4") == pytest.approx((6 + 4 / 20) / 13)
    assert p_of(model, "d2d4") == pytest.approx((3 + 4 / 20) / 13)
    assert p_of(model, "g1f3") == pytest.approx((4 / 20) / 13)


def test_where_the_player_never_was_the_base_speaks() -> None:
    base = NetModel(Material())
    elsewhere = ChessPosition(None, ["e4", "d5"])
    found, expected = (
        wait(PlayerModel(table_of(e2e4=6), base).predict([elsewhere]))[0],
        wait(base.predict([elsewhere]))[0],
    )
    assert np.ptp(expected) > 0.01
    np.testing.assert_allclose(found, expected, rtol=1e-12)


distributions = st.integers(2, 30).flatmap(
    lambda size: st.tuples(
        st.lists(st.floats(0, 100), min_size=size, max_size=size),
        st.lists(st.floats(0.001, 1), min_size=size, max_size=size),
    )
)


@given(distributions)
def test_shrinkage_goes_from_the_counts_to_the_base(pair: tuple[list[float], list[float]]) -> None:
    counts, base = np.array(pair[0]), np.array(pair[1]) / sum(pair[1])
    np.testing.assert_allclose(shrunk(counts, base, 1e12), base, atol=1e-8)
    if counts.sum() > 0.01:
        np.testing.assert_allclose(shrunk(counts, base, 1e-12), counts / counts.sum(), atol=1e-8)
    else:
        np.testing.assert_allclose(shrunk(np.zeros_like(base), base, 1e-12), base, atol=1e-12)
    for kappa in (0.1, 4, 100):
        p = shrunk(counts, base, kappa)
        assert p.sum() == pytest.approx(1)
        assert (p > 0).all()


@given(distributions, st.floats(0.01, 50), st.floats(0.01, 50))
def test_more_kappa_brings_every_move_nearer_to_the_base(
    pair: tuple[list[float], list[float]], one: float, other: float
) -> None:
    counts, base = np.array(pair[0]), np.array(pair[1]) / sum(pair[1])
    less, more = sorted((one, other))
    assert (np.abs(shrunk(counts, base, more) - base) <= np.abs(shrunk(counts, base, less) - base) + 1e-12).all()


def test_posterior_draws_have_the_mean_and_spread_of_the_dirichlet() -> None:
    p, observed, kappa = np.array([0.6, 0.3, 0.1]), 16.0, 4.0
    drawn = posterior_draws(START, p, observed, kappa=kappa, draws=200_000)
    np.testing.assert_allclose(drawn.sum(axis=1), 1)
    np.testing.assert_allclose(drawn.mean(axis=0), p, atol=1e-3)
    np.testing.assert_allclose(drawn.var(axis=0), p * (1 - p) / (observed + kappa + 1), rtol=0.02)


def test_a_part_of_the_moves_is_drawn_as_the_part_of_the_whole() -> None:
    part = np.array([0.3, 0.1])
    drawn = posterior_draws(START, part, 16.0, draws=200_000)
    np.testing.assert_allclose(drawn.mean(axis=0), part / 0.4, atol=2e-3)
    # Of the whole vector made to sum to 1 over the part: Dirichlet with the weights 6 and 2.
    np.testing.assert_allclose(drawn.var(axis=0), 0.75 * 0.25 / 9, rtol=0.02)


@pytest.mark.parametrize("observed", [1, 10, 100])
def test_ten_times_the_games_narrow_the_posterior(observed: float) -> None:
    p = np.array([0.7, 0.2, 0.1])
    wide, narrow = (posterior_draws(START, p, n, draws=4000).std(axis=0) for n in (observed, 10 * observed))
    assert (narrow < 0.7 * wide).all()


def test_draws_depend_on_the_position_and_the_seed_alone() -> None:
    p = np.array([0.5, 0.5])
    first = posterior_draws(START, p, 3, seed=1)
    np.testing.assert_array_equal(first, posterior_draws(ChessPosition(), p, 3, seed=1))
    assert not np.array_equal(first, posterior_draws(START, p, 3, seed=2))
    assert not np.array_equal(first, posterior_draws(ChessPosition(None, ["e4"]), p, 3, seed=1))


def test_a_posterior_of_hardly_any_weight_still_draws_distributions() -> None:
    drawn = posterior_draws(START, np.array([0.5, 0.3]), 0.0, kappa=1e-9)
    np.testing.assert_allclose(drawn.sum(axis=1), 1)
    assert drawn[:, 0].mean() == pytest.approx(0.625, abs=0.06)


def test_trust_grows_from_nothing_to_one_with_the_games() -> None:
    assert local_trust(0, 4) == 0
    assert local_trust(4, 4) == 0.5
    assert local_trust(10, 4) < local_trust(11, 4) < 1


PGN = """[White "Doe, Jane"]
[Black "Roe"]

1. e4 e5 1-0

[White "Roe"]
[Black "Doe, Jane"]

1. d4 d5 1-0

"""


def test_a_player_is_one_table_of_configuration(tmp_path: Path) -> None:
    (tmp_path / "doe.pgn").write_text(PGN)
    text = f'{{kind="games", file="{tmp_path / "doe.pgn"}", player="jane doe", base={{kind="net", net="material"}}'
    both, black = (parse_model(text + more).build(NetShelf()) for more in ("}", ', color="black", kappa=1.0}'))
    assert both.name == "games of Doe, Jane"
    assert wait(both.predict([START]))[0][START.legal_moves.index("e2e4")] > 0.2 > wait(black.predict([START]))[0].max()
    reply = ChessPosition(None, ["d4"])
    assert wait(black.predict([reply]))[0][reply.legal_moves.index("d7d5")] > 0.5


@pytest.mark.parametrize(
    ("more", "message"),
    [('player="Nobody"', "nearest names"), ('player="Doe", kappa=0.0', "kappa"), ("color=1", "color")],
)
def test_mistakes_in_that_configuration_are_told(tmp_path: Path, more: str, message: str) -> None:
    (tmp_path / "doe.pgn").write_text(PGN)
    text = f'{{kind="games", file="{tmp_path / "doe.pgn"}", base={{kind="net", net="material"}}, {more}}}'
    with pytest.raises(ConfigError, match=message):
        parse_model(text).build(NetShelf())


def test_kappa_must_be_positive() -> None:
    with pytest.raises(ConfigError, match=r"^kappa = 0: expected a number above 0$"):
        PlayerModel(table_of(), Uniform(), kappa=0)


def test_closing_closes_the_base() -> None:
    base = Uniform()
    PlayerModel(table_of(), base).close()
    assert base.closed
