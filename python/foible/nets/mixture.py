"""Several nets as one evaluator, each for the positions of its phase (phase-experts §6.5).

What a gate chooses is called the phase of the position, also where the gate was learned.
"""

import threading
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from foible._core import Batch
from foible.errors import ConfigError
from foible.nets.evaluator import Evaluation, Evaluator, least_beside
from foible.nets.gates import Gate, Phases
from foible.wording import percent


@dataclass(frozen=True, slots=True)
class PhaseCounts:
    """Counts of the positions that a mixture has judged, by phase and by the expert that judged them."""

    names: tuple[str, ...]
    """The names of the phases."""
    counts: tuple[tuple[int, ...], ...]
    """`[K][K]`: the number of positions, by the phase of the position, then by the phase of the expert."""

    @property
    def total(self) -> int:
        """The number of positions judged."""
        return sum(map(sum, self.counts))

    @property
    def by_phase(self) -> tuple[int, ...]:
        """The number of positions of each phase."""
        return tuple(map(sum, self.counts))

    @property
    def off_phase(self) -> int:
        """The number of positions that the expert of another phase has judged."""
        return self.total - sum(row[k] for k, row in enumerate(self.counts))

    def __sub__(self, earlier: "PhaseCounts") -> "PhaseCounts":
        """The counts since an earlier time, given the counts at that time."""
        pairs = zip(self.counts, earlier.counts, strict=True)
        return PhaseCounts(self.names, tuple(tuple(a - b for a, b in zip(*rows, strict=True)) for rows in pairs))

    def __str__(self) -> str:
        """The shares in words, such as `opening 62 %, middlegame 38 %, endgame 0 %, off-phase 4 %`."""
        parts = (*zip(self.names, self.by_phase, strict=True), ("off-phase", self.off_phase))
        return ", ".join(f"{name} {percent(count / max(1, self.total), digits=0)}" for name, count in parts)


class PhaseMixture:
    """An `Evaluator` in which each position is judged by the net of its own phase.

    This is the paper's gating with batches of one position. A batch is split among the nets, at the cost of one call
    for each net.
    """

    vote = "split"

    def __init__(
        self, nets: Sequence[Evaluator], gate: Gate, name: str = "mixture", names: Sequence[str] | None = None
    ) -> None:
        """`nets`: the nets for phases 0, 1, …, which may include one net several times; a single net judges all phases,
        and the gate is not used. `names`: the names by which the nets were opened, those in reports when absent.

        :raises ConfigError: the number of nets is neither 1 nor the gate's number of phases.
        """
        if len(nets) not in (1, gate.count):
            raise ConfigError(f"{name}: gate {gate} tells {gate.count} phases apart, and there are {len(nets)} nets")
        self.nets = tuple(nets)
        self.names = tuple(names or (net.name for net in nets))
        self.gate = gate
        self._title = name
        identities = list(map(id, nets))
        self._first_of = np.array(list(map(identities.index, identities)))
        """`[K]`: for each phase, the first phase with the same net."""
        self._phase_names = gate.names if len(nets) > 1 else ("any phase",)
        self._counts = np.zeros((len(nets), len(nets)), np.int64)
        self._counting = threading.Lock()

    @property
    def name(self) -> str:
        """The name with gate, vote and nets, such as
        `master-experts (gate current, split): a (openvino f32), b (openvino f32), …`.
        """
        return f"{self._title} (gate {self.gate}, {self.vote}): {', '.join(net.name for net in self.nets)}"

    @property
    def batch_size(self) -> int:
        """The sum of the batch sizes of all distinct nets, which fills the batch of each if all phases are equally
        frequent.
        """
        return sum({id(net): net.batch_size for net in self.nets}.values())

    @property
    def least_beside(self) -> int:
        """The sum over all distinct nets, as for the batch size."""
        return sum({id(net): least_beside(net) for net in self.nets}.values())

    @property
    def evaluated(self) -> PhaseCounts:
        """The counts of the positions judged so far."""
        with self._counting:
            return PhaseCounts(self._phase_names, tuple(map(tuple, self._counts.tolist())))

    def evaluate(self, batch: Batch) -> Evaluation:
        """Judge every position of the batch.

        The evaluation has moves left if all nets that judge a part of the batch predict them. Errors are those of the
        nets.
        """
        phases = self._phases(batch)
        return self._judge(batch, phases, phases)

    def _phases(self, batch: Batch) -> Phases:
        return self.gate.phases(batch) if len(self.nets) > 1 else np.zeros(len(batch), np.uint8)

    def _judge(self, batch: Batch, phases: Phases, experts: Phases) -> Evaluation:
        """Judge every position by a given net. `phases` `[N]`: the phases of the positions; `experts` `[N]`: the number
        of the net for each position.
        """
        with self._counting:
            np.add.at(self._counts, (phases, experts), 1)
        owner = self._first_of[experts]
        asked = np.unique(owner)
        if len(asked) == 1:
            return self.nets[int(asked[0])].evaluate(batch)
        owner_of_move = np.repeat(owner, np.diff(batch.offsets))
        logits = np.empty(len(owner_of_move), np.float32)
        wdl = np.empty((len(batch), 3), np.float32)
        moves_left: NDArray[np.float32] | None = np.empty(len(batch), np.float32)
        for k in asked.tolist():
            rows = owner == k
            part = self.nets[k].evaluate(batch.select(np.flatnonzero(rows).tolist()))
            logits[owner_of_move == k] = part.logits
            wdl[rows] = part.wdl
            if moves_left is None or part.moves_left is None:
                moves_left = None
            else:
                moves_left[rows] = part.moves_left
        return Evaluation(logits, wdl, moves_left)


class MajorityMixture(PhaseMixture):
    """A mixture with the paper's gating: all positions that a search evaluates together are judged by the net of their
    most frequent phase.

    This vote is only for the leaves of one tree, in `evaluate_together`. `evaluate` judges each position by the net of
    its own phase, as an evaluator's answers may not depend on the batch.
    """

    vote = "majority"

    def evaluate_together(self, batch: Batch) -> Evaluation:
        """Judge leaves of one search tree, all by the net of their most frequent phase."""
        phases = self._phases(batch)
        return self._judge(batch, phases, np.full_like(phases, majority(phases)))


def majority(phases: Phases) -> int:
    """The most frequent phase; of several equally frequent ones, the first."""
    return int(np.bincount(phases).argmax())
