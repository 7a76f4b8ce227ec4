"""Searches with experts that vote: what a tree evaluates together is judged by one of them (phase-experts §6.5).

Such a verdict holds for the leaves of that tree at that moment. So that a game does not depend on the games beside it
and before it, no other tree's leaves come into the same evaluation, and none is kept for later.
"""

from collections.abc import Sequence
from dataclasses import replace

from foible._core import Batch
from foible.nets.evaluator import Evaluation, Evaluator
from foible.nets.mixture import MajorityMixture
from foible.search.params import SearchParams


def judge_leaves(evaluator: Evaluator, batch: Batch) -> Evaluation:
    """Leaves that a search evaluates together."""
    return evaluator.evaluate_together(batch) if isinstance(evaluator, MajorityMixture) else evaluator.evaluate(batch)


def leaves_at_once(evaluators: Sequence[Evaluator], leaves: int) -> int:
    """How many leaves to ask a forest for, that would be `leaves`: 1 gets those of a single tree."""
    return 1 if _any_votes(evaluators) else leaves


def without_cache(params: SearchParams, evaluators: Sequence[Evaluator]) -> SearchParams:
    """The constants of a search, with no cache where experts vote."""
    return replace(params, cache=0) if _any_votes(evaluators) else params


def _any_votes(evaluators: Sequence[Evaluator]) -> bool:
    return any(isinstance(evaluator, MajorityMixture) for evaluator in evaluators)
