"""The engine in the hands of python-chess, which checks every move and every word."""

import asyncio
from collections.abc import Iterator

import chess
import chess.engine
import pytest

from foible.interfaces.uci.options import options
from tests.interfaces.uci.process import COMMAND

TWENTY = chess.engine.Limit(nodes=20)


@pytest.fixture(scope="module")
def engine() -> Iterator[chess.engine.SimpleEngine]:
    with chess.engine.SimpleEngine.popen_uci(COMMAND, timeout=300) as engine:
        yield engine


def test_every_option_is_understood(engine: chess.engine.SimpleEngine) -> None:
    assert set(engine.options) == {option.name for option in options()}
    engine.configure({"CPuct": "2.5", "Hash": 100, "Batch": 8, "TwoFoldDraws": False})
    engine.configure({"CPuct": "1.745", "Hash": 1024, "Batch": 16, "TwoFoldDraws": True})


@pytest.mark.parametrize("number", [None, 0, 518, 959])
def test_it_plays_a_whole_game_against_itself(engine: chess.engine.SimpleEngine, number: int | None) -> None:
    board = chess.Board() if number is None else chess.Board.from_chess960_pos(number)
    while not board.is_game_over() and board.ply() < 250:
        result = engine.play(board, TWENTY, game=number)
        assert result.move is not None  # and legal: python-chess has checked it
        board.push(result.move)
    assert board.is_game_over() or board.ply() == 250


def test_a_history_of_hundreds_of_moves_is_followed(engine: chess.engine.SimpleEngine) -> None:
    board = chess.Board()
    knights = ["g1f3", "g8f6", "f3g1", "f6g8"]
    for ply in range(800):
        board.push_uci(knights[ply % 4])
    assert engine.play(board, TWENTY).move is not None


def test_analysis_gives_the_lines_asked_for(engine: chess.engine.SimpleEngine) -> None:
    board = chess.Board("r1bqkbnr/pppp1ppp/2n5/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR w KQkq - 4 4")
    infos = engine.analyse(board, chess.engine.Limit(nodes=3000), multipv=3)
    assert len(infos) == 3
    assert infos[0]["score"].white() == chess.engine.Mate(1)
    assert infos[0]["pv"][0] == chess.Move.from_uci("h5f7")
    assert infos[0]["nodes"] == 3000
    for info in infos:
        line = board.copy()
        for move in info["pv"]:
            assert line.is_legal(move)
            line.push(move)


def test_root_moves_restrict_the_analysis(engine: chess.engine.SimpleEngine) -> None:
    moves = [chess.Move.from_uci("a2a3"), chess.Move.from_uci("h2h3")]
    info = engine.analyse(chess.Board(), chess.engine.Limit(nodes=100), root_moves=moves)
    assert info["pv"][0] in moves


def test_pondering_goes_on_from_hit_to_hit(engine: chess.engine.SimpleEngine) -> None:
    board = chess.Board()
    for _ in range(6):
        result = engine.play(board, chess.engine.Limit(time=0.03), ponder=True, game="ponder")
        assert result.move is not None
        board.push(result.move)
        if result.ponder is not None:
            board.push(result.ponder)  # the hit that every other move gets
        else:
            board.push(next(iter(board.legal_moves)))


def test_a_finished_game_has_no_move(engine: chess.engine.SimpleEngine) -> None:
    mated = chess.Board("rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3")
    assert engine.play(mated, TWENTY).move is None


def test_no_game_is_lost_on_time_at_three_seconds_and_a_twentieth(engine: chess.engine.SimpleEngine) -> None:
    async def play() -> dict[bool, float]:
        transport, protocol = await chess.engine.popen_uci(COMMAND)
        board, loop = chess.Board(), asyncio.get_running_loop()
        clocks = {chess.WHITE: 3.0, chess.BLACK: 3.0}
        least = dict(clocks)
        while not board.is_game_over() and board.ply() < 100:
            side, start = board.turn, loop.time()
            limit = chess.engine.Limit(
                white_clock=clocks[chess.WHITE], black_clock=clocks[chess.BLACK], white_inc=0.05, black_inc=0.05
            )
            result = await protocol.play(board, limit)
            assert result.move is not None
            board.push(result.move)
            clocks[side] -= loop.time() - start
            least[side] = min(least[side], clocks[side])
            clocks[side] += 0.05
        await protocol.quit()
        transport.close()
        return least

    # A busy machine may stall for a second, but not in each of six games.
    assert any(min(asyncio.run(play()).values()) > 0 for _ in range(6))


def test_it_says_nothing_that_python_chess_does_not_expect(caplog: pytest.LogCaptureFixture) -> None:
    with chess.engine.SimpleEngine.popen_uci(COMMAND, timeout=300) as engine:
        engine.ping()
        engine.play(chess.Board(), TWENTY, game=1)
        engine.play(chess.Board(), TWENTY, game=2)
    assert [record.message for record in caplog.records if "Unexpected" in record.message] == []
