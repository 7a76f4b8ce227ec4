"""Play a match in a run folder, from wherever an earlier process left it. Run by the tests, which kill it.

Arguments: folder, games. Prints a line for every round.
"""

import sys
from pathlib import Path

from foible.arena.go.play import CellProgress, play
from tests.arena.go.test_play import config


def main(folder: str, games: int) -> None:
    def say(now: CellProgress) -> None:
        print(now.finished, flush=True)

    play(config(games=games, concurrency=2, openings={"plies": 1}), Path(folder), say)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
