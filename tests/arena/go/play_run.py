"""Play a match in a run folder, from wherever an earlier process left it. Run by the tests, which kill it."""

from multiprocessing.connection import Connection
from pathlib import Path

from foible.arena.go.play import CellProgress, play_matches
from tests.arena.go.test_play import config


def main(folder: Path, games: int, listener: "Connection[int, None] | None" = None) -> None:
    """`listener`: told of the finished games at every report of progress; play goes on when there is an answer."""

    def say(now: CellProgress) -> None:
        if listener is not None:
            listener.send(now.finished)
            listener.recv()

    play_matches(config(games=games, concurrency=2, openings={"plies": 1}), folder, say)
