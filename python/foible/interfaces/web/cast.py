"""The cast: the players that people can play against or with, described in files or taken from matches."""

import itertools
from collections.abc import Container, Iterable, Iterator, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Any

import msgspec

from foible.agents.spec import HumanSpec, PlayerSpec, TeamSpec
from foible.arena.config import check_team, convert_config, players
from foible.arena.line_up import Role, Source, line_up, preset_sources
from foible.errors import ConfigError
from foible.mistakes import near
from foible.nets.named_nets import club_level
from foible.toml import convert, read_text, read_toml

RATING = "{rating}"
SHIPPED = "cast.toml"
STEP = 50
"""The step between the ratings for which players and models are made: a finer one would open more nets, whose moves
hardly differ.
"""
UNKNOWN_RATING = 1500
"""The rating for players whose rating is not known, such as for their thinking times."""


def nearest_known(rating: int) -> int:
    """The nearest rating for which there are players and models."""
    return club_level(STEP * round(rating / STEP))


class Character(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A player of the cast, which a page can choose by its name."""

    name: Annotated[str, msgspec.Meta(min_length=1, max_length=60)]
    about: str
    """A description for people."""
    roles: list[Role]
    """The roles that the player can take; a team can be an opponent only."""
    rated: bool = False
    """Whether there is such a player for every rating."""
    human: bool = False
    """Whether it plays like a person, so that it can also take as much time as one."""
    rating: float | None = None
    """The player's own rating, on lichess's scale, where that is known and cannot be chosen."""
    player: dict[str, Any]
    """The player or the team, as in a match configuration; `{rating}` in a string stands for the chosen rating."""

    def spec(self, rating: int) -> TeamSpec:
        """The player at a rating.

        :raises ConfigError: the description does not make a player; says which key is wrong.
        """
        level = str(nearest_known(rating))
        # The rating of a partner is that of the person beside it, so its name leaves it out.
        named = {"name": f"{self.name} {level}" if self.rated and self.human else self.name, **self.player}
        spec: TeamSpec = convert(_at_rating(named, level), TeamSpec, self.name)
        if any(isinstance(player, HumanSpec) for _, player in players("", spec)):
            raise ConfigError(f"{self.name}: a player of kind human sits before the page; expected another kind")
        return spec

    def helper(self, rating: int) -> PlayerSpec:
        """The player at a rating, to be a member of a team with a person.

        :raises ConfigError: as `spec`, or the player is a team itself.
        """
        spec = self.spec(rating)
        if not isinstance(spec, PlayerSpec):
            raise ConfigError(f'{self.name}: a team can be an opponent alone; expected roles = ["opponent"]')
        return spec

    def check(self) -> None:
        """Check the description.

        :raises ConfigError: it makes no player that can play, or none for its roles.
        """
        make = self.spec if self.roles == ["opponent"] else self.helper
        check_team(self.name, make(UNKNOWN_RATING), limited=False)

    def pace(self, chosen: int) -> int:
        """The rating, on lichess's scale, of the people whose thinking times the player imitates."""
        return chosen if self.rated else round(self.rating or UNKNOWN_RATING)


class _Players(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    players: list[Character]


def _at_rating(value: Any, rating: str) -> Any:
    match value:
        case dict():
            return {key: _at_rating(inner, rating) for key, inner in value.items()}
        case list():
            return [_at_rating(inner, rating) for inner in value]
        case str():
            return value.replace(RATING, rating)
        case _:
            return value


class Cast:
    """All players that can be chosen, in groups."""

    def __init__(self, groups: Iterable[tuple[str, Iterable[Character]]]) -> None:
        """Check and add the players of all groups.

        :raises ConfigError: two have the same name, or a description makes no player.
        """
        self.players: dict[str, Character] = {}
        self.groups: dict[str, str] = {}
        """The group of each player, by the player's name."""
        for group, characters in groups:
            for player in characters:
                if player.name in self.players:
                    raise ConfigError(f"two players are called {player.name!r}; expected names of their own")
                player.check()
                self.add(player, group)

    def add(self, player: Character, group: str) -> None:
        """Add a player, in place of the one that had the same name before, if any."""
        self.groups[player.name] = group  # set first, as another thread may list all players meanwhile
        self.players[player.name] = player

    def find(self, name: str, role: Role) -> Character:
        """The player of a name.

        :raises ConfigError: no player of this name can take the role.
        """
        able = [player.name for player in self.players.values() if role in player.roles]
        if name not in able:
            raise ConfigError(f"{role} = {name!r}: {near(name, able)}")
        return self.players[name]


def read_cast(own: Sequence[Path] = ()) -> Cast:
    """The cast: the players that come with foible, those of the user's own files, and the players of the match presets.

    :raises ConfigError: a file cannot be read, or describes neither players nor a match.
    """
    shipped = files(__package__).joinpath(SHIPPED).read_text("utf-8")
    lists = [("Players", _described(read_toml(shipped, SHIPPED), SHIPPED))]
    presets, matches = preset_sources(), list[Source]()
    for path in own:
        found = read_toml(read_text(path), str(path))
        if "players" in found:
            lists.append((path.name, _described(found, str(path))))
        elif "framework" in found:
            name = _own_name(path, {source.name for source in (*presets, *matches)})
            matches.append(Source(name, path.name, "a match of your own", convert_config(found, str(path))))
        else:
            raise ConfigError(f"{path}: neither a list of [[players]] nor a match with its framework, focal and alter")
    return Cast([*lists, *_of_matches([*matches, *presets])])


def _own_name(path: Path, taken: Container[str]) -> str:
    """A name for a match of the user's own: that of its file, unless another match has it."""
    names = itertools.chain((path.stem, path.name), (f"{path.name} {number}" for number in itertools.count(2)))
    return next(name for name in names if name not in taken)


def _described(found: dict[str, Any], source: str) -> list[Character]:
    players: _Players = convert(found, _Players, source)
    return players.players


def _of_matches(sources: Iterable[Source]) -> Iterator[tuple[str, list[Character]]]:
    for one in line_up(sources):
        player = Character(
            name=one.name,
            about=f"{one.settings}. From {one.source.name}: {one.source.what}.",
            roles=list(one.roles),
            player=msgspec.to_builtins(one.team),
        )
        yield one.source.group, [player]
