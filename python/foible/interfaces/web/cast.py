"""The cast: the players that people can play against or with, described in files or taken from matches; and the setup
of a game that a page asks for, and the game that is made from it with players of the cast.
"""

import itertools
from collections.abc import Container, Iterable, Iterator, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec

from foible.agents.spec import HandBrainSpec, HumanSpec, PlayerSpec, TagTeamSpec, TeamSpec
from foible.arena.adjudication import Manners
from foible.arena.config import check_team, convert_config, players
from foible.arena.line_up import LineUpSource, Role, line_up, preset_sources
from foible.arena.session import Colour
from foible.arena.setup import GameSetup
from foible.errors import ConfigError
from foible.interfaces.web.protocol import Line, Rating, ShortText
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
    presets, matches = preset_sources(), list[LineUpSource]()
    for path in own:
        table = read_toml(read_text(path), str(path))
        if "players" in table:
            lists.append((path.name, _described(table, str(path))))
        elif "framework" in table:
            name = _own_name(path, {source.name for source in (*presets, *matches)})
            matches.append(LineUpSource(name, path.name, "a match of your own", convert_config(table, str(path))))
        else:
            raise ConfigError(f"{path}: neither a list of [[players]] nor a match with its framework, focal and alter")
    return Cast([*lists, *_of_matches([*matches, *presets])])


def _own_name(path: Path, taken: Container[str]) -> str:
    """A name for a match of the user's own: that of its file, unless another match has it."""
    names = itertools.chain((path.stem, path.name), (f"{path.name} {number}" for number in itertools.count(2)))
    return next(name for name in names if name not in taken)


def _described(table: dict[str, Any], source: str) -> list[Character]:
    players: _Players = convert(table, _Players, source)
    return players.players


def _of_matches(sources: Iterable[LineUpSource]) -> Iterator[tuple[str, list[Character]]]:
    for one in line_up(sources):
        player = Character(
            name=one.name,
            about=f"{one.settings}. From {one.source.name}: {one.source.what}.",
            roles=list(one.roles),
            player=msgspec.to_builtins(one.team),
        )
        yield one.source.group, [player]


Part = Literal["alone", "junior", "hand", "brain"]
"""The part of the person: the only player of their side, the junior of a senior, the hand of a brain, or the brain."""
HELPERS: dict[Part, Role] = {"junior": "partner", "hand": "brain", "brain": "hand"}
"""The role of the player beside the person, by the person's part."""


class TimeControl(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The time control: the clock of each side."""

    seconds: Annotated[float, msgspec.Meta(ge=1, le=86_400)]
    increment: Annotated[float, msgspec.Meta(ge=0, le=600)] = 0.0
    """The seconds added after each move."""


class Setup(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The setup of a game: opponent, helper, colour, start, clock and the like."""

    opponent: ShortText
    """The opponent's name in the cast."""
    opponent_rating: Rating = 1500
    part: Part = "alone"
    helper: ShortText = ""
    """The name in the cast of the player beside the person; empty where there is none."""
    own_rating: Rating = 1500
    """The person's rating: for helpers that model players of a rating, and for comparisons with them in reviews."""
    colour: Colour = "white"
    """The person's colour."""
    line: Line = Line()
    """The position in which the game starts, with the moves before it."""
    odds: ShortText = ""
    """The name of the odds that the opponent gives; empty for none."""
    clock: TimeControl | None = None
    human_times: bool = False
    """Whether the opponent takes as much time for its moves as a person would."""
    to_the_end: bool = False
    """Whether the opponent never resigns, and neither offers nor accepts draws."""

    def game(self, cast: Cast, *, number: int = 0, seed: int = 0) -> GameSetup:
        """The game that the setup describes.

        :raises FoibleError: there is no such player, or it has no human pace, or there is no such start.
        """
        opponent = cast.find(self.opponent, "opponent")
        if self.human_times and not opponent.human:
            raise ConfigError(f"human_times: {self.opponent} does not play as people do; expected false")
        return GameSetup(
            opponent=opponent.spec(self.opponent_rating),
            own=self._own_side(cast),
            colour=self.colour,
            fen=self.line.start,
            moves=tuple(self.line.position.moves),
            odds=self.odds or None,
            manners=None if self.to_the_end else Manners(),
            pace=opponent.pace(self.opponent_rating) if self.human_times else None,
            game=number,
            seed=seed,
        )

    def _own_side(self, cast: Cast) -> TeamSpec:
        if self.part == "alone":
            return HumanSpec()
        helper = cast.find(self.helper, HELPERS[self.part]).helper(self.own_rating)
        match self.part:
            case "junior":
                return TagTeamSpec(name=f"You and {helper.name}", senior=helper, junior=HumanSpec())
            case "hand":
                return HandBrainSpec(name=f"You (hand) and {helper.name} (brain)", brain=helper, hand=HumanSpec())
            case "brain":
                return HandBrainSpec(name=f"You (brain) and {helper.name} (hand)", brain=HumanSpec(), hand=helper)
