"""A game of people as configuration: who plays, with which colour, from where."""

from collections.abc import Iterator
from contextlib import contextmanager

import chess
import msgspec

from foible.agents.spec import HumanSpec, TagTeamSpec, TeamSpec, with_chosen_nets
from foible.agents.workshop import Workshop
from foible.arena.config import check_team, players
from foible.arena.openings import Opening
from foible.arena.session import Colour, Desk, FairCoins, GameSession, SavedGame
from foible.errors import ConfigError, PositionError
from foible.games.odds import find_odds, odds_fen
from foible.nets.shelf import NetShelf


class GameSetup(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A game of a person's side against another; people may be on either."""

    opponent: TeamSpec
    own: TeamSpec = HumanSpec()
    """The person, or the team that they are in."""
    colour: Colour = "white"
    """Of the person's side."""
    fen: str | None = None
    """Where it starts, the standard position when absent."""
    odds: str | None = None
    """What the opponent starts without."""
    seed: int = 0

    def check(self) -> None:
        """:raises ConfigError: nobody is a person, a team cannot play, the odds are unknown or do not fit a position.
        :raises PositionError: the game is over where it starts.
        """
        if not any(isinstance(player, HumanSpec) for _, player in players("", self.own)):
            raise ConfigError(
                'your side has nobody of kind human in it; expected { kind = "human" } as one of its players'
            )
        if self.fen is not None and self.odds is not None:
            raise ConfigError("a position and odds do not go together; expected one of the two")
        for name, team in (("your side", self.own), ("the opponent", self.opponent)):
            check_team(name, team, limited=False)
        position = self.opening().position()
        if outcome := position.outcome(claim_draw=True):
            raise PositionError(f"{position.fen}: the game is over here ({outcome.reason}); expected one that goes on")

    def opening(self) -> Opening:
        """Where it starts.

        :raises ConfigError: unknown odds.
        """
        if self.odds is None:
            return Opening(self.fen)
        odds = find_odds(self.odds)
        return Opening(odds_fen(odds, chess.BLACK if self.colour == "white" else chess.WHITE), (), f"{odds.name} odds")

    @property
    def tosses_coins(self) -> bool:
        """Whether one of the sides is a tag team."""
        return any(isinstance(team, TagTeamSpec) for team in (self.own, self.opponent))

    @contextmanager
    def begin(self, shelf: NetShelf, *, date: str, saved: SavedGame | None = None) -> Iterator[GameSession]:
        """The game, with its players until the block ends; before that its `close` is to be awaited.

        :param date: as PGN writes it, `2025.01.31`.
        :param saved: where it stands, at its start by default.
        :raises FoibleError: a player cannot be had.
        """
        desk, coins = Desk(), FairCoins(self.seed)
        workshop = Workshop(shelf, coins, person=desk)
        new = SavedGame(seed=self.seed, opening=self.opening(), date=date)
        with (
            workshop.build(with_chosen_nets(self.own)) as own,
            workshop.build(with_chosen_nets(self.opponent)) as opponent,
        ):
            white, black = (own, opponent) if self.colour == "white" else (opponent, own)
            tossed = coins if self.tosses_coins else None
            yield GameSession(white, black, saved or new, desk=desk, coins=tossed)
