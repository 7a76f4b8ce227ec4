"""Go rules, scores and records held to GNU Go, a program of its own.

GNU Go scores by its own judgement of life and death. Ours knows none: every stone on the board counts. The two can be
compared where no judgement is left to make, so games are played until neither side can play anything but its own eyes,
empty points with none but its own stones around them. Then every empty point is such an eye, and every chain has two or
more of them: one with a single liberty could still be taken. So no stone can be taken whatever is played (Benson 1976),
which GNU Go sees too.

Games that end so only because superko forbids the capture that is left are not counted: GNU Go, rightly, takes such a
stone for dead. They are told by asking the same of the board without its history.
"""

import random
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from itertools import count, islice
from pathlib import Path

import pytest

from foible._core import GoPosition
from foible.games.go import Colour, coordinates, fixed_handicap, handicap_start, score_text, stones, without_history
from foible.games.sgf import SgfGame
from foible.games.sgf_writing import write_sgf

GNU_GO = shutil.which("gnugo") or "/usr/games/gnugo"
GAMES = 200

pytestmark = pytest.mark.skipif(not Path(GNU_GO).exists(), reason="needs GNU Go 3.8 (Debian package gnugo)")


def answers(commands: Sequence[str]) -> list[str]:
    """What GNU Go answers to GTP commands, all in one process; each without its mark of success."""
    run = subprocess.run(
        [GNU_GO, "--mode", "gtp", "--chinese-rules", "--positional-superko", "--level", "1"],
        input="\n".join([*commands, "quit"]),
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    found = run.stdout.split("\n\n")[: len(commands)]
    refused = [(command, answer) for command, answer in zip(commands, found, strict=True) if answer[0] != "="]
    assert not refused, f"GNU Go refuses {refused[0]}"
    return [answer[1:].strip() for answer in found]


def replay(position: GoPosition) -> list[str]:
    """The commands that lead to a position from an empty board."""
    plays = [f"play {'black' if ply % 2 == 0 else 'white'} {move}" for ply, move in enumerate(position.moves)]
    return [f"boardsize {position.size}", "clear_board", f"komi {position.komi}", *plays]


def useful_moves(position: GoPosition) -> list[str]:
    """Legal moves that fill no eye of the player."""
    rows, size = position.board.split("\n")[::-1], position.size
    own = "X" if position.turn == "first" else "O"

    def is_eye(vertex: str) -> bool:
        x, y = coordinates(vertex, size)
        around = ((x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1))
        return all(rows[b][a] == own for a, b in around if 0 <= a < size and 0 <= b < size)

    return [move for move in position.legal_moves if move != "pass" and not is_eye(move)]


def finished_game(rng: random.Random) -> GoPosition:
    """A game of useful moves, until there is none."""
    position = GoPosition(rng.choice((5, 6, 7)), komi=rng.choice((-3.5, 0, 5.5, 7, 9.5)))
    while position.outcome() is None:
        position = position.play(rng.choice(useful_moves(position) or ["pass"]))
    return position


def settled(position: GoPosition) -> bool:
    """Whether it is not superko alone that leaves nothing to play."""
    return not any(useful_moves(without_history(position, to_move)) for to_move in ("black", "white"))


def settled_games() -> Iterator[GoPosition]:
    for seed in count():
        position = finished_game(random.Random(seed))
        if settled(position):
            yield position


def test_finished_games_are_scored_alike() -> None:
    games = list(islice(settled_games(), GAMES))
    every = [line for game in games for line in (*replay(game), "final_status_list dead", "final_score")]
    found = list(zip(every, answers(every), strict=True))
    assert {answer for command, answer in found if command == "final_status_list dead"} == {""}
    scores = [answer.removesuffix(".0") for command, answer in found if command == "final_score"]
    assert scores == [score_text(game) for game in games]
    assert {score[0] for score in scores} >= {"B", "W"}


def test_the_same_moves_are_legal_for_both_sides_throughout_games() -> None:
    commands, expected, forbidden = [], [], 0
    for seed in range(GAMES // 4):
        rng = random.Random(seed)
        position = GoPosition(rng.choice((2, 3, 3, 4, 4, 5, 7, 9, 19)))
        commands += replay(position)
        for _ in range(100):
            for seen in (position, position.play("pass")):
                side: Colour = "black" if seen.turn == "first" else "white"
                if seen.outcome() is None:
                    commands.append(f"all_legal {side}")
                    expected.append(sorted(seen.legal_moves[:-1]))
                    forbidden += len(without_history(seen, side).legal_moves) - len(seen.legal_moves)
            points = position.legal_moves[:-1]
            if not points and position.moves[-1:] == ["pass"]:
                break
            move = rng.choice(points or ["pass"])
            commands.append(f"play {'black' if position.turn == 'first' else 'white'} {move}")
            position = position.play(move)
    found = zip(commands, answers(commands), strict=True)
    assert [sorted(answer.split()) for command, answer in found if command.startswith("all_legal")] == expected
    assert len(expected) >= GAMES
    assert forbidden >= 100, "superko must forbid some moves for this to prove much"


def test_handicap_stones_are_placed_alike() -> None:
    """On 12×12 GNU Go takes the fourth line, where GTP has the third up to that size."""
    sizes = [size for size in range(7, 20) if size != 12]
    cases = [(size, number) for size in sizes for number in range(2, 5 if size == 7 or size % 2 == 0 else 10)]
    found = answers(
        [line for size, number in cases for line in (f"boardsize {size}", "clear_board", f"fixed_handicap {number}")]
    )
    assert [sorted(answer.split()) for answer in found[2::3]] == [sorted(fixed_handicap(*case)) for case in cases]


def test_records_are_read_alike(tmp_path: Path) -> None:
    rng = random.Random(1)
    starts = [GoPosition(5, komi=-7), GoPosition(19, komi=7.5), handicap_start(9, fixed_handicap(9, 3), komi=0.5)]
    starts.append(GoPosition(7, komi=9.5, black=["D4", "A1"], white=["C3"], to_move="white"))
    commands, expected = [], []
    for number, start in enumerate(starts * 3):
        position = start
        for _ in range(rng.randint(0, 30)):
            position = position.play(rng.choice(position.legal_moves[:-1]))
        path = tmp_path / f"{number}.sgf"
        handicap = 3 if position.size == 9 else 0
        write_sgf([SgfGame(position, black="]\\", handicap=handicap, comments=("C[;]",) * position.ply)], path)
        commands += [f"loadsgf {path}", "list_stones black", "list_stones white", "get_komi", "query_boardsize"]
        turn = "black" if position.turn == "first" else "white"
        expected.append((turn, *stones(position), position.komi - handicap, position.size))
    found = answers(commands)
    read = [
        (turn, sorted(black.split()), sorted(white.split()), float(komi), int(size))
        for turn, black, white, komi, size in zip(*(found[start::5] for start in range(5)), strict=True)
    ]
    assert read == [(turn, sorted(black), sorted(white), komi, size) for turn, black, white, komi, size in expected]
