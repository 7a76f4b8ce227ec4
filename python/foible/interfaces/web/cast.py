"""Who can be played against or with: players that are described in a file, some of them for any rating."""

from collections.abc import Iterable
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec

from foible.agents.spec import PlayerSpec, with_chosen_nets
from foible.errors import ConfigError
from foible.interfaces.web.values import nearest_known
from foible.mistakes import near
from foible.toml import convert, read_text, read_toml

Role = Literal["opponent", "partner", "brain", "hand"]
"""What a player can be to a person: the other side, the senior of a tag team, the brain of a hand, or a hand."""

RATING = "{rating}"
SHIPPED = "cast.toml"


class Character(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A player whom a page can name."""

    name: Annotated[str, msgspec.Meta(min_length=1, max_length=60)]
    about: str
    """What it does, in words."""
    roles: list[Role]
    rated: bool = False
    """Whether it is one for every rating."""
    human: bool = False
    """Whether it plays like a person, so that it may take a person's time."""
    player: dict[str, Any]
    """As in a match configuration; `{rating}` in a text is the rating."""

    def spec(self, rating: int) -> PlayerSpec:
        """The player at a rating.

        :raises ConfigError: the description does not make a player; says which key is wrong.
        """
        level = str(nearest_known(rating))
        # A partner's rating is that of the person beside it: no part of its name.
        named = {"name": f"{self.name} {level}" if self.rated and self.human else self.name, **self.player}
        spec: PlayerSpec = convert(_at_rating(named, level), PlayerSpec, self.name)
        return with_chosen_nets(spec)


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
    """Those who can be named."""

    def __init__(self, players: Iterable[Character]) -> None:
        """:raises ConfigError: two have the same name, or a description makes no player."""
        self.players: dict[str, Character] = {}
        for player in players:
            if player.name in self.players:
                raise ConfigError(f"two players are called {player.name!r}; expected names of their own")
            player.spec(1500)
            self.players[player.name] = player

    def add(self, player: Character) -> None:
        """Let somebody join, in the place of whoever was called so before."""
        self.players[player.name] = player

    def find(self, name: str, role: Role) -> Character:
        """:raises ConfigError: there is nobody of this name in this role."""
        able = [player.name for player in self.players.values() if role in player.roles]
        if name not in able:
            raise ConfigError(f"{role} = {name!r}: {near(name, able)}")
        return self.players[name]


def read_cast(own: Path | None = None) -> Cast:
    """Those that come with foible, and those of a file of one's own.

    :raises ConfigError: the file cannot be read, or describes no players.
    """
    shipped = files(__package__).joinpath(SHIPPED).read_text("utf-8")
    texts = [(shipped, SHIPPED), *([(read_text(own), str(own))] if own else [])]
    found = [convert(read_toml(text, source), _Players, source) for text, source in texts]
    return Cast(player for players in found for player in players.players)
