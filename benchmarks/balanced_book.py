"""Makes the book of balanced openings that comes with foible: 500 positions after eight plies.

    FOIBLE_NETS=… python benchmarks/balanced_book.py python/foible/arena/presets/balanced.epd

A number after the file asks for more positions, for matches of more than 1000 games; the first 500 stay the same.
Lines are sampled from maia-1900's policy; a position is kept where maia-1900 at 400 visits gives either side between 47
and 53 % and no other line has led to it.
"""

import sys
from pathlib import Path

import numpy as np

from foible._core import ChessPosition
from foible.judges.net import SearchJudge
from foible.loop import wait
from foible.nets import open_net
from foible.opponents.net import NetModel
from foible.search.trees import Trees

POSITIONS, PLIES, VISITS = 500, 8, 400
BALANCE = 0.03
"""Win probability that either side may be ahead."""


def main(out: Path, count: int = POSITIONS) -> None:
    net = open_net("maia-1900", precision="bf16")
    model, judge, rng = NetModel(net), SearchJudge(Trees([net]), VISITS), np.random.default_rng(1)
    book: dict[str, None] = {}
    while len(book) < count:
        positions = [ChessPosition()] * 200
        for _ in range(PLIES):
            played = [
                rng.choice(p.legal_moves, p=d) for p, d in zip(positions, wait(model.predict(positions)), strict=True)
            ]
            positions = [position.play(str(move)) for position, move in zip(positions, played, strict=True)]
        for position, score in zip(positions, wait(judge.judge(positions)), strict=True):
            if abs(score.wp - 0.5) <= BALANCE:
                book.setdefault(" ".join(position.fen.split()[:4]))
    out.write_text("".join(f"{epd}\n" for epd in list(book)[:count]))


if __name__ == "__main__":
    main(Path(sys.argv[1]), *map(int, sys.argv[2:]))
