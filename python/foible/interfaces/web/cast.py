"""Who can be played against or with: players that are described in files, and those of matches."""

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
"""Between the ratings for which players and models are made: a finer step would open more nets, whose moves hardly
differ.
"""
UNKNOWN_RATING = 1500
"""By what somebody paces themselves whose rating nobody knows."""


def nearest_known(rating: int) -> int:
    """The rating nearest to another one for which there are players and models."""
    return club_level(STEP * round(rating / STEP))


class Character(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A player whom a page can name."""

    name: Annotated[str, msgspec.Meta(min_length=1, max_length=60)]
    about: str
    """What it does, in words."""
    roles: list[Role]
    """Teams are opponents alone."""
    rated: bool = False
    """Whether it is one for every rating."""
    human: bool = False
    """Whether it plays like a person, so that it may take a person's time."""
    rating: float | None = None
    """Its own, on lichess's scale, where it is known and not chosen."""
    player: dict[str, Any]
    """As in a match configuration, a team too; `{rating}` in a text is the rating."""

    def spec(self, rating: int) -> TeamSpec:
        """The player at a rating.

        :raises ConfigError: the description does not make a player; says which key is wrong.
        """
        level = str(nearest_known(rating))
        # A partner's rating is that of the person beside it: no part of its name.
        named = {"name": f"{self.name} {level}" if self.rated and self.human else self.name, **self.player}
        spec: TeamSpec = convert(_at_rating(named, level), TeamSpec, self.name)
        if any(isinstance(player, HumanSpec) for _, player in players("", spec)):
            raise ConfigError(f"{self.name}: a player of kind human sits before the page; expected another kind")
        return spec

    def helper(self, rating: int) -> PlayerSpec:
        """The same as a member of a team.

        :raises ConfigError: as `spec`, or it is a team itself.
        """
        spec = self.spec(rating)
        if not isinstance(spec, PlayerSpec):
            raise ConfigError(f'{self.name}: a team can be an opponent alone; expected roles = ["opponent"]')
        return spec

    def check(self) -> None:
        """:raises ConfigError: the description makes no player that can play, or none for its roles."""
        make = self.spec if self.roles == ["opponent"] else self.helper
        check_team(self.name, make(UNKNOWN_RATING), limited=False)

    def pace(self, chosen: int) -> int:
        """The rating of the person whose time it takes, on lichess's scale."""
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
    """Those who can be named, in groups."""

    def __init__(self, groups: Iterable[tuple[str, Iterable[Character]]]) -> None:
        """:raises ConfigError: two have the same name, or a description makes no player."""
        self.players: dict[str, Character] = {}
        self.groups: dict[str, str] = {}
        """The group of each, by name."""
        for group, characters in groups:
            for player in characters:
                if player.name in self.players:
                    raise ConfigError(f"two players are called {player.name!r}; expected names of their own")
                player.check()
                self.add(player, group)

    def add(self, player: Character, group: str) -> None:
        """Let somebody join, in the place of whoever was called so before."""
        self.groups[player.name] = group  # first: pages are told of all players from a thread
        self.players[player.name] = player

    def find(self, name: str, role: Role) -> Character:
        """:raises ConfigError: there is nobody of this name in this role."""
        able = [player.name for player in self.players.values() if role in player.roles]
        if name not in able:
            raise ConfigError(f"{role} = {name!r}: {near(name, able)}")
        return self.players[name]


def read_cast(own: Sequence[Path] = ()) -> Cast:
    """Those that come with foible, those of one's own files, and the players of the presets.

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
    """What a match of one's own is called: as its file, unless another match is."""
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
