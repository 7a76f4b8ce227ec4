"""GNU Go as a referee: the same moves are legal and lead to the same boards."""

import random
from collections.abc import Iterator

import pytest

from foible.engines.gtp import GtpProcess
from tests.interfaces.gtp.gnugo import gnugo
from tests.interfaces.gtp.talk import Talk


@pytest.fixture(scope="module")
def referee() -> Iterator[GtpProcess]:
    with gnugo() as process:
        yield process


def board(referee: GtpProcess) -> tuple[set[str], set[str]]:
    black, white = (set(referee.ask(f"list_stones {colour}").split()) for colour in ("black", "white"))
    return black, white


def own_board(talk: Talk) -> tuple[set[str], set[str]]:
    alive = [chain.split() for chain in talk("final_status_list alive").split("\n")]
    rows = [row.split()[1:-1] for row in talk("showboard").split("\n")[1:-2]]
    names = {f"{'ABCDEFGHJ'[x]}{len(rows) - y}": stone for y, row in enumerate(rows) for x, stone in enumerate(row)}
    black, white = ({name for name, stone in names.items() if stone == colour} for colour in "XO")
    assert sorted(black | white) == sorted(stone for chain in alive for stone in chain)
    return black, white


@pytest.mark.parametrize("seed", range(6))
def test_random_games_have_the_same_legal_moves_and_boards(referee: GtpProcess, seed: int) -> None:
    """Small boards fill up soon: captures, kos, and repetition."""
    rng, talk = random.Random(seed), Talk()
    size = rng.choice([5, 5, 7, 9])
    for line in (f"boardsize {size}", "clear_board", "komi 6.5"):
        talk(line)
        referee.ask(line)
    passes = 0
    for ply in range(3 * size * size):
        colour = ("black", "white")[ply % 2]
        legal = talk(f"all_legal {colour}").split()
        assert set(legal) == set(referee.ask(f"all_legal {colour}").split())
        move = rng.choice(legal) if legal and rng.random() < 0.95 else "pass"
        passes = passes + 1 if move == "pass" else 0
        if passes == 2:
            break
        for engine in (talk, referee.ask):
            engine(f"play {colour} {move}")
        if ply % 10 == 0:
            assert own_board(talk) == board(referee)
    assert own_board(talk) == board(referee)
    for back in range(10):
        for engine in (talk, referee.ask):
            engine("undo")
        if back % 3 == 0:
            assert own_board(talk) == board(referee)


@pytest.mark.parametrize(("size", "most"), [(7, 4), (8, 4), (9, 9), (13, 9), (19, 9)])
def test_handicap_stones_stand_at_the_same_points(referee: GtpProcess, size: int, most: int) -> None:
    talk = Talk()
    for number in range(2, most + 1):
        for line in (f"boardsize {size}", "clear_board", "komi 0.5"):
            talk(line)
            referee.ask(line)
        line = f"fixed_handicap {number}"
        assert set(talk(line).split()) == set(referee.ask(line).split())


def test_generated_moves_are_legal_to_the_referee(referee: GtpProcess) -> None:
    talk = Talk()
    for line in ("boardsize 5", "clear_board", "komi 0.5"):
        talk(line)
        referee.ask(line)
    for ply in range(60):
        move = talk(f"genmove {'bw'[ply % 2]}")
        if move == "resign" or talk.session.game.position.outcome() is not None:
            break
        referee.ask(f"play {'bw'[ply % 2]} {move}")
    assert talk.session.game.plies > 10
    assert own_board(talk) == board(referee)
