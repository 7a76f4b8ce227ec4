"""Learning rate and momentum, step by step."""

import math
from itertools import pairwise
from typing import NamedTuple

import msgspec

from foible.errors import ConfigError
from foible.fields import LearningRate, NonNegativeNumber, ShareBelowOne


class Rates(NamedTuple):
    """The learning rate and the momentum of one step."""

    lr: float
    momentum: float | None = None
    """`None` stands for the optimiser's own momentum."""


class _Schedule(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="kind"):
    """What all schedules have in common."""

    def check(self) -> None:
        """:raises ConfigError: a lower bound is above its upper one."""

    def _check_bounds(self, what: str, least: float, most: float) -> None:
        if least > most:
            raise ConfigError(f"schedule: min_{what} = {least} is above max_{what} = {most}")


class ConstantSchedule(_Schedule, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="constant"):
    """One learning rate, after a linear rise."""

    lr: LearningRate
    warmup: ShareBelowOne = 0.0
    """Share of the steps that the rise takes."""

    def at(self, step: int, steps: int) -> Rates:
        return Rates(self.lr * _risen(step, self.warmup * steps))


class CosineSchedule(_Schedule, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="cosine"):
    """A linear rise, then half a cosine down (Loshchilov and Hutter, SGDR, 2017, without restarts)."""

    max_lr: LearningRate = 2e-3
    min_lr: NonNegativeNumber = 1e-5
    warmup: ShareBelowOne = 0.03
    """Share of the steps that the rise takes."""

    def check(self) -> None:
        self._check_bounds("lr", self.min_lr, self.max_lr)

    def at(self, step: int, steps: int) -> Rates:
        rise = self.warmup * steps
        if step < rise:
            return Rates(self.max_lr * _risen(step, rise))
        share = (step - rise) / (steps - rise)
        return Rates(self.min_lr + (self.max_lr - self.min_lr) * (1 + math.cos(math.pi * share)) / 2)


class TriangleSchedule(_Schedule, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="triangle"):
    """A short rise of the learning rate, a triangle, a long decline; momentum falls as the rate rises, and rises as it
    falls (phase-experts §4.2).
    """

    max_lr: LearningRate = 0.14
    min_lr: LearningRate = 1e-5
    max_momentum: ShareBelowOne = 0.95
    min_momentum: ShareBelowOne = 0.8

    def check(self) -> None:
        self._check_bounds("lr", self.min_lr, self.max_lr)
        self._check_bounds("momentum", self.min_momentum, self.max_momentum)

    def at(self, step: int, steps: int) -> Rates:
        foot = max(self.min_lr, self.max_lr / 8)
        corners = (
            (0.0, self.min_lr),
            (steps / 30, foot),
            (steps / 30 + 0.15 * steps, self.max_lr),
            (steps / 30 + 0.3 * steps, foot),
            (steps / 30 + 0.9 * steps, self.min_lr),
            (float(steps), self.min_lr),
        )
        lr = _polyline(corners, step)
        height = (lr - self.min_lr) / (self.max_lr - self.min_lr) if self.max_lr != self.min_lr else 0.0
        return Rates(lr, self.max_momentum - height * (self.max_momentum - self.min_momentum))


Schedule = ConstantSchedule | CosineSchedule | TriangleSchedule
"""Every schedule has a method `at(step, steps)`, which gives the rates of a step from 0 to `steps` − 1."""


def _risen(step: int, warmup: float) -> float:
    """The share of the full rate during a linear warm-up; above 0 from the first step on."""
    return min(1.0, (step + 1) / (warmup + 1))


def _polyline(corners: tuple[tuple[float, float], ...], x: float) -> float:
    """The height at x of the line through the corners, which go from left to right; beyond the last one, its height."""
    for (x0, y0), (x1, y1) in pairwise(corners):
        if x <= x1:
            return y0 + (y1 - y0) * (x - x0) / (x1 - x0)
    return corners[-1][1]
