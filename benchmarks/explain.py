"""What `foible explain` says of ten known positions, beside a far longer look of Stockfish (docs/opponents.md).

    python benchmarks/explain.py [--nodes 100000] [--reference 5000000]

For each position: the soundest moves with their V; the best chance against club:1500 with its E; the move that gains
most against that opponent at any price; the reference's best move, and what it thinks of the soundest move and of the
best chance. All in % of win probability for the side to move.
"""

import argparse
from dataclasses import dataclass

from foible._core import ChessPosition
from foible.agents.candidates import Candidate
from foible.analysis.explain import ALIKE, explanations
from foible.engines.pool import EnginePool
from foible.judges.base import scores
from foible.judges.engine import UciJudge
from foible.judges.spec import CAREFUL, UciJudgeSpec, usual_judge
from foible.loop import each, wait
from foible.nets.choices import default_threads
from foible.nets.shelf import NetShelf
from foible.opponents.spec import parse_model


@dataclass(frozen=True)
class Known:
    """A position of which people know what to think."""

    name: str
    moves: str = ""
    fen: str | None = None

    @property
    def position(self) -> ChessPosition:
        return ChessPosition(self.fen, self.moves.split())


POSITIONS = (
    Known("Légal's mate is on", "e4 e5 Nf3 d6 Bc4 Bg4 Nc3 g6"),
    Known("Italian, before Blackburne's Nd4", "e4 e5 Nf3 Nc6 Bc4"),
    Known("Fishing pole, after 5 h3", "e4 e5 Nf3 Nc6 Bb5 Nf6 O-O Ng4 h3"),
    Known("Stafford gambit, after 5 d3", "e4 e5 Nf3 Nf6 Nxe5 Nc6 Nxc6 dxc6 d3"),
    Known("Two knights, 5 exd5", "e4 e5 Nf3 Nc6 Bc4 Nf6 Ng5 d5 exd5"),
    Known("Scholar's mate threatens", "e4 e5 Bc4 Nc6 Qh5"),
    Known("Carlsbad, move 11", "d4 d5 c4 e6 Nc3 Nf6 cxd5 exd5 Bg5 Be7 e3 c6 Qc2 O-O Bd3 Nbd7 Nge2 Re8 O-O Nf8"),
    Known("Quiet Italian, move 8", "e4 e5 Nf3 Nc6 Bc4 Bc5 c3 Nf6 d3 d6 O-O O-O Re1 a6"),
    Known("Lucena", fen="1K1k4/1P6/8/8/8/8/r7/2R5 w - - 0 1"),
    Known("Réti's pawns", fen="7K/8/k1P5/7p/8/8/8/8 w - - 0 1"),
)


def row(known: Known, nodes: int, reference: UciJudge) -> list[str]:
    shelf, position = NetShelf(), known.position
    model, spec = parse_model("club:1500").build(shelf), usual_judge(nodes)
    if not isinstance(spec, UciJudgeSpec):
        raise SystemExit("this needs Stockfish")
    judge = spec.build(shelf)
    try:
        *_, found = each(explanations(position, model, judge))
    finally:
        judge.close()
        model.close()
    to_try, dearest = found.candidates[0], max(found.candidates, key=lambda c: c.expected)
    (whole,) = wait(reference.judge([position]))
    after = [position.play(candidate.move) for candidate in (found.soundest[0], to_try)]
    sound, tried = (1 - score.wp for score in wait(scores(reference, after)))
    gamble = f"{position.san(dearest.move)} {percent(dearest.expected)}, costs {percent(dearest.price)}"

    def named(candidate: Candidate, value: float) -> str:
        return f"{position.san(candidate.move)} {percent(value)}"

    return [
        known.name,
        ", ".join(named(c, c.safe) for c in found.soundest[:3]) + (" …" if len(found.soundest) > 3 else ""),
        named(to_try, to_try.expected),
        gamble if dearest.price > ALIKE and dearest is not to_try else "–",
        f"{position.san(whole.best or '')} {percent(whole.wp)}",
        percent(sound),
        percent(tried),
    ]


def percent(share: float) -> str:
    return f"{100 * share:.1f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--nodes", type=int, default=CAREFUL)
    parser.add_argument("--reference", type=int, default=5_000_000)
    given = parser.parse_args()
    spec = usual_judge(given.reference)
    if not isinstance(spec, UciJudgeSpec):
        raise SystemExit("this needs Stockfish")
    options = {"Threads": 1, "Hash": 256}
    engines = EnginePool(spec.command, options=options, nodes=given.reference, processes=default_threads())
    print("| position | soundest, V | best chance, E | gains most | reference: best | the soundest | the best chance |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    reference = UciJudge(engines)
    for known in POSITIONS:
        print(f"| {' | '.join(row(known, given.nodes, reference))} |", flush=True)
    reference.close()


if __name__ == "__main__":
    main()
