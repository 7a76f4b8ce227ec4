"""A gate that is learned for the frozen experts of a mixture, and its losses beside those of the mixture's own gate.

The loss of an expert at a position is the one by which nets are compared, 0.99 policy + 0.01 value (phase-experts
§4.1), with the policy's cross-entropy over the legal moves alone: of others an evaluator says nothing.
"""

from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from foible._core import Batch
from foible.arena.stats import clustered_mean
from foible.errors import ConfigError, GameFileError
from foible.nets.catalogue import known_nets
from foible.nets.evaluator import Evaluator
from foible.nets.gates import FEATURES, LearnedGate, gate_features
from foible.nets.mixture import PhaseMixture
from foible.nets.mixture_file import NetMixture, lies_at, mixture_toml
from foible.training.data.dataset import Dataset, Part
from foible.training.trained import reported

CHUNK: Final = 1024
"""Positions that are evaluated together."""
DIGITS: Final = 5
"""Decimals of a gate's numbers."""
LEARNED, ORACLE = "the learned gate", "the best expert of each position"

Floats = NDArray[np.float64]
Choices = NDArray[np.integer[Any]]
"""`[N]`: the number of an expert for each position."""


@dataclass(frozen=True, slots=True, eq=False)
class ExpertLosses:
    """The losses of K experts at N positions."""

    games: NDArray[np.int64]
    """`[N]`: the number of the game that the position is from."""
    features: Floats
    """`[N, F]`: its `FEATURES`."""
    chosen: Choices
    """`[N]`: the expert that the mixture's own gate asks."""
    policy: Floats
    """`[N, K]`: cross-entropy of the move that was played among the legal ones, in nats."""
    value: Floats
    """`[N, K]`: squared error of win minus loss, 0 to 4."""

    @property
    def loss(self) -> Floats:
        """`[N, K]`: 0.99 policy + 0.01 value."""
        return reported(self.policy, self.value)


@dataclass(frozen=True, slots=True)
class GateRow:
    """The mean losses where one way of choosing says who is asked."""

    name: str
    policy: float
    value: float
    loss: float
    """0.99 policy + 0.01 value."""
    behind: float
    """The loss minus that of the learned gate: above 0 where the learned gate is better."""
    standard_error: float | None
    """Standard error of `behind`, clustered by game; `None` below two games."""


@dataclass(frozen=True, slots=True)
class GateReport:
    """What was learned, and its losses on games that it was not learned from."""

    gate: LearnedGate
    learned_games: int
    learned_positions: int
    games: int
    """The games held out, on which everything else is measured."""
    positions: int
    rows: tuple[GateRow, ...]
    """Each expert for all positions, the mixture's own gate, the learned one, and the best expert of each position,
    which no gate can know.
    """
    asked: tuple[float, ...]
    """For each expert, in the order of the rows, the share of the positions for which the learned gate asks it."""
    disagreement: float
    """The share of the positions for which the two gates ask different experts."""

    def to_json(self) -> dict[str, Any]:
        """Plain values."""
        return asdict(self) | {"gate": str(self.gate)}


def check_mixture(net: Evaluator) -> PhaseMixture:
    """The net itself.

    :raises ConfigError: it is no mixture, or one of a single net.
    """
    if not isinstance(net, PhaseMixture):
        raise ConfigError(f"{net.name} is a single net; expected a mixture of several")
    if len(distinct(net)) < 2:
        raise ConfigError(f"{net.name} is the same net in every phase; expected a mixture of several")
    return net


def learn_gate(
    mixture: PhaseMixture, data: Dataset, on_progress: Callable[[int, int], None] = lambda done, positions: None
) -> GateReport:
    """Learn a gate for the experts of a mixture from the training games of a data set; measure it on the test games.

    :param on_progress: gets the number of positions that all experts have judged, and that of all positions.
    :raises ConfigError: as `check_mixture`.
    :raises GameFileError: the data set has no test games.
    """
    names = [net.name for net in distinct(check_mixture(mixture))]
    if not len(data.rows("test")):
        raise GameFileError("no games are left to measure the gate on; expected more games, or fewer to learn from")
    total = len(data.rows("train")) + len(data.rows("test"))
    known = measure(mixture, data, "train", lambda done: on_progress(done, total))
    held = measure(mixture, data, "test", lambda done: on_progress(len(known.games) + done, total))
    return _report(fit_gate(known), names, f"gate {mixture.gate}", known, held)


def distinct(mixture: PhaseMixture) -> list[Evaluator]:
    """The nets of a mixture, each once."""
    return list({id(net): net for net in mixture.nets}.values())


def measure(mixture: PhaseMixture, data: Dataset, part: Part, on_progress: Callable[[int], None]) -> ExpertLosses:
    """The losses of all experts at the positions of a part; `on_progress` gets the number of positions done."""
    experts, chunks = distinct(mixture), data.chunks(part, CHUNK)
    expert_of_phase = np.array([[net is expert for expert in experts].index(True) for net in mixture.nets])
    rows, features, chosen, policy, value = [], [], [], [], []
    for step, samples in enumerate(chunks.prefetched()):
        rows.append(chunks.rows_of(step))
        batch = Batch(data.corpus.positions(rows[-1]))
        played = np.flatnonzero(
            batch.policy_indices(data.config.encoding) == np.repeat(samples.policy, np.diff(batch.offsets))
        )
        result = samples.wdl[:, 0] - samples.wdl[:, 2]
        features.append(gate_features(batch))
        chosen.append(expert_of_phase[mixture.gate.phases(batch)])
        answers = [expert.evaluate(batch) for expert in experts]
        logits = np.stack([answer.logits for answer in answers], axis=1).astype(np.float64)
        policy.append(np.logaddexp.reduceat(logits, batch.offsets[:-1]) - logits[played])
        value.append(np.stack([np.square(answer.q - result) for answer in answers], axis=1).astype(np.float64))
        on_progress(sum(map(len, rows)))
    games = data.columns.games_of(np.concatenate(rows))
    return ExpertLosses(games, *map(np.concatenate, (features, chosen, policy, value)))


def fit_gate(known: ExpertLosses) -> LearnedGate:
    """The gate that asks the expert of the lowest expected loss.

    The scores are predictions of the losses by least squares, with the other sign, less what is common to all experts.
    To fit them by descending Σ_k p_k loss_k, with p the softmax of the scores, takes longer and chooses no better.
    """
    means, deviations = known.features.mean(axis=0).round(DIGITS), known.features.std(axis=0).round(DIGITS)
    scales = np.where(deviations > 0, deviations, 1.0)
    terms = np.column_stack([np.ones(len(known.games)), (known.features - means) / scales])
    common = known.loss.mean(axis=1, keepdims=True)
    weights = np.linalg.lstsq(terms, common - known.loss, rcond=None)[0]
    return LearnedGate(
        features=list(FEATURES),
        means=means.tolist(),
        scales=scales.tolist(),
        weights=weights.T.round(DIGITS).tolist(),
    )


def _report(gate: LearnedGate, names: list[str], rule: str, known: ExpertLosses, held: ExpertLosses) -> GateReport:
    n, loss, learned = np.arange(len(held.games)), held.loss, gate.choose(held.features)
    ways: list[tuple[str, Choices]] = [
        *((name, np.full(len(n), k)) for k, name in enumerate(names)),
        (rule, held.chosen),
        (LEARNED, learned),
        (ORACLE, loss.argmin(axis=1)),
    ]
    rows = []
    for name, choice in ways:
        policy, value, both = (float(losses[n, choice].mean()) for losses in (held.policy, held.value, loss))
        rows.append(GateRow(name, policy, value, both, *clustered_mean(loss[n, choice] - loss[n, learned], held.games)))
    return GateReport(
        gate=gate,
        learned_games=len(np.unique(known.games)),
        learned_positions=len(known.games),
        games=len(np.unique(held.games)),
        positions=len(n),
        rows=tuple(rows),
        asked=tuple((np.bincount(learned, minlength=len(names)) / len(n)).tolist()),
        disagreement=float((learned != held.chosen).mean()),
    )


def learned_mixture(mixture: NetMixture, gate: LearnedGate, folder: Path) -> str:
    """The text of a mixture's file in a folder: the nets of another mixture, each once, and the gate learned for them.

    Nets are listed by name where they have one; by path from the folder where they lie in it; else by absolute path.
    """
    names, home = {net.path: net.name for net in known_nets()}, folder.absolute()

    def listed(net: str) -> str:
        place = Path(net).absolute()
        if not lies_at(place):
            return net
        return names.get(place) or str(place.relative_to(home) if place.is_relative_to(home) else place)

    return mixture_toml([listed(net) for net in dict.fromkeys(mixture.nets)], gate, mixture.vote)
