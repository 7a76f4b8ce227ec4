"""Questions before a game: the players to choose from, and the start of a new game."""

import asyncio
from collections.abc import AsyncGenerator
from functools import cache

from foible.agents.named_files import missing
from foible.arena.line_up import Role
from foible.games.odds import ODDS
from foible.interfaces.web.cast import UNKNOWN_RATING, Cast as Characters, Setup
from foible.interfaces.web.protocol import PageQuestion, PageReply
from foible.interfaces.web.shared import Shared
from foible.nets.shelf import at_hand


class PlayerShown(PageReply, frozen=True, kw_only=True):
    """A player that people can play against or with."""

    name: str
    about: str
    roles: list[Role]
    rated: bool
    """Whether there is such a player for every rating."""
    human: bool
    """Whether the player can take as much time as a person."""
    group: str
    """The group of the player, by where it comes from."""
    missing: str
    """What the player needs and this machine lacks; empty where it can play at once."""


class Players(PageReply, frozen=True, kw_only=True):
    """All players to choose from, and the names of all odds."""

    players: list[PlayerShown]
    odds: list[str]


class Cast(PageQuestion, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="cast"):
    """List the players to choose from."""

    async def answer(self, shared: Shared) -> AsyncGenerator[Players, None]:
        yield Players(players=await asyncio.to_thread(_everybody, shared.cast), odds=list(ODDS))


def _everybody(cast: Characters) -> list[PlayerShown]:
    is_here = cache(at_hand)
    return [
        PlayerShown(
            name=one.name,
            about=one.about,
            roles=one.roles,
            rated=one.rated,
            human=one.human,
            group=cast.groups[one.name],
            missing="; ".join(missing(one.spec(UNKNOWN_RATING), is_here)),
        )
        for one in list(cast.players.values())
    ]


class GameBegun(PageReply, frozen=True, kw_only=True):
    """A game that has begun."""

    id: str


class NewGame(PageQuestion, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="new_game"):
    """Begin a game."""

    setup: Setup

    async def answer(self, shared: Shared) -> AsyncGenerator[GameBegun, None]:
        """:raises FoibleError: there is no such player, or it has no human pace, or there is no such start."""
        yield GameBegun(id=await shared.games.begin(self.setup))
