"""Agents asked from tests, which are not asynchronous."""

from collections.abc import Sequence

from foible.agents.base import Agent, Decision, Turn
from foible.loop import together, wait


def choose(agent: Agent, turns: Sequence[Turn]) -> list[Decision]:
    """The decisions of turns that are thought about at the same time, in order."""
    return wait(together(agent.choose(turn) for turn in turns))
