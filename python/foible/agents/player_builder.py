"""Building players from their configuration, with what all players of a match share: nets, coins, effort."""

from collections.abc import Callable, Mapping
from typing import Any, Protocol

import msgspec

from foible.agents.base import Agent, Spec
from foible.agents.human import Person
from foible.agents.teams import Coins
from foible.errors import ConfigError
from foible.judges.base import Judge
from foible.judges.spec import JudgeSpec
from foible.mistakes import near
from foible.nets.shelf import NetShelf
from foible.search.params import BEST_MOVE, PRESETS, SearchSettings


class Buildable(Protocol):
    """The configuration of a player."""

    def build(self, builder: "PlayerBuilder") -> Agent:
        """The player."""


class PlayerBuilder:
    """Builds players. Those that use the same net share one evaluator."""

    def __init__(
        self,
        shelf: NetShelf,
        coins: Coins | None = None,
        effort: float = 1.0,
        judges: Callable[[JudgeSpec, NetShelf], Judge] = lambda spec, shelf: spec.build(shelf),
        person: Person | None = None,
        nodes: int | None = None,
    ) -> None:
        """Give a match's `coins` for tag teams; `effort` multiplies the visits of players and judges, not of models;
        `nodes` are the visits of every move, where the match sets them for all.

        `judges` builds the judges of players that have one. `person` is asked where a player is a person.
        """
        self.shelf = shelf
        self.coins = coins
        self._effort = effort
        self._judges = judges
        self._person = person
        self._nodes = nodes
        self.built: list[Agent] = []
        """All players and members of teams that were built."""

    @property
    def person(self) -> Person:
        """Who is asked where a player is a person.

        :raises ConfigError: nobody can be asked.
        """
        if self._person is None:
            raise ConfigError("a player of kind human: only foible play asks people; expected another kind of player")
        return self._person

    def build(self, spec: Buildable) -> Agent:
        """:raises ConfigError: the description does not make a player; says which key is wrong."""
        agent = spec.build(self)
        self.built.append(agent)
        return agent

    def visits(self, nodes: int) -> int:
        """A number of visits multiplied by the effort of the match; at least 1."""
        return max(1, round(nodes * self._effort))

    def visits_of_move(self, nodes: int) -> int:
        """The visits of a player's move: the number that the match sets for all players, else `visits(nodes)`."""
        return self._nodes or self.visits(nodes)

    def judge(self, spec: JudgeSpec) -> Judge:
        """A judge; the effort multiplies its visits as well."""
        nodes = getattr(spec, "nodes", None)
        scaled = msgspec.structs.replace(spec, nodes=self.visits(nodes)) if nodes else spec
        return self._judges(scaled, self.shelf)


class SearchSpec(Spec, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A player that searches with a net."""

    preset: str = "lc0-0.28"
    """The name of a set of search constants to start from."""
    search: dict[str, Any] = msgspec.field(default_factory=dict)
    """The search constants that differ from the preset, by their names in `SearchParams` and `MoveChoice`."""

    @property
    def settings(self) -> SearchSettings:
        """The search constants of the preset with the changes of `search`.

        :raises ConfigError: as `match_settings`; or a constant would have no effect.
        """
        return match_settings(self.preset, self.search)


class JudgingSearchSpec(SearchSpec, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A player whose searches judge positions: it chooses its move by their values, not from a tree."""

    @property
    def settings(self) -> SearchSettings:
        settings = super().settings
        if settings.choice != BEST_MOVE:
            raise ConfigError("temperature would have no effect: the move of the best value is played; leave it out")
        return settings


def match_settings(preset: str, settings: Mapping[str, Any]) -> SearchSettings:
    """The settings of `search_settings`, for a player that searches in many games at a time.

    :raises ConfigError: as `search_settings`; or `lanes` is above 1.
    """
    chosen = search_settings(preset, settings)
    if chosen.params.lanes > 1:
        raise ConfigError("lanes = 2 is for one search at a time: here games would depend on each other")
    return chosen


def search_settings(preset: str, settings: Mapping[str, Any]) -> SearchSettings:
    """A preset with some constants changed.

    :raises ConfigError: unknown preset or constant, a value of the wrong kind, or one that would have no effect.
    """
    if preset not in PRESETS:
        raise ConfigError(f"unknown search preset {preset!r}: {near(preset, PRESETS)}")
    text = {name: str(value) for name, value in settings.items()}
    chosen = SearchSettings(params=PRESETS[preset]).with_settings(text)
    chosen.refuse_unread()
    return chosen
