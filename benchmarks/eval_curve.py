"""Which curves of win and loss fit the results of games with `[%eval …]` comments best.

    python benchmarks/eval_curve.py FILE.pgn

Prints the two constants of `foible.training.data.encoder.wdl_of_evals`, and the mean log loss of the result with them
and with the results' shares alone.
"""

import sys
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from foible._core import Corpus
from foible.games.packed import open_packed
from foible.training.data.encoder import NO_EVAL


def main(file: Path) -> None:
    corpus = Corpus()
    corpus.read(open_packed(file), evals=True)
    assert corpus.evals is not None
    known = corpus.evals != NO_EVAL
    evals = corpus.evals[known].astype(np.float64)
    place = 1 - np.repeat(corpus.results, np.diff(corpus.offsets))[known]
    best = minimize(log_loss, (100.0, 100.0), (evals, place), method="Nelder-Mead")
    shares = np.bincount(place, minlength=3) / len(place)
    print(f"{len(evals)} positions of {len(corpus)} games")
    print(f"WIN_AT = {best.x[0]:.1f}, SCALE = {best.x[1]:.1f} centipawns: log loss {best.fun:.4f}")
    print(f"without evaluations: {-(shares * np.log(shares)).sum():.4f}")


def log_loss(constants: tuple[float, float], evals: NDArray[np.float64], place: NDArray[np.int8]) -> float:
    """Mean −log p of the results; `place`: 0 White won, 1 draw, 2 Black won."""
    win_at, scale = constants
    win, loss = (1 / (1 + np.exp(np.clip((win_at - ahead) / scale, -60, 60))) for ahead in (evals, -evals))
    chances = np.choose(place, (win, 1 - win - loss, loss))
    return float(-np.log(np.maximum(chances, 1e-6)).mean())


if __name__ == "__main__":
    main(Path(sys.argv[1]))
