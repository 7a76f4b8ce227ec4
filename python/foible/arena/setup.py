"""A game of people as configuration: who plays, with which colour, from where."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

import chess
import msgspec

from foible.agents.base import Turn
from foible.agents.human import Paced, RemotePerson
from foible.agents.named_files import with_chosen_nets
from foible.agents.player_builder import PlayerBuilder
from foible.agents.spec import HumanSpec, TagTeamSpec, TeamSpec
from foible.arena.adjudication import Manners
from foible.arena.bitstrings import FairCoins
from foible.arena.chess import end_by_rule
from foible.arena.config import check_team, players
from foible.arena.openings import Opening
from foible.arena.session import Colour, GameSession, SavedGame, other_side
from foible.errors import ConfigError, PositionError
from foible.games.odds import find_odds, odds_fen
from foible.nets.shelf import NetShelf
from foible.opponents.thinking_time import PlayerClock

HABITS: Final = PlayerClock(left=300, base=300, increment=3)
"""The clock by which an opponent that thinks as long as a person paces itself in a game without clocks."""


class GameSetup(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A game of a person's side against another; people may be on either."""

    opponent: TeamSpec
    own: TeamSpec = HumanSpec()
    """The person, or the team that they are in."""
    colour: Colour = "white"
    """The colour of the person's side."""
    fen: str | None = None
    """The position where the game starts; the standard position when absent."""
    moves: tuple[str, ...] = ()
    """Moves in UCI already played from that position."""
    chess960: bool = False
    """Whether the position is one of Chess960: castling is king takes rook, and rooks may start anywhere."""
    odds: str | None = None
    """What the opponent starts without."""
    manners: Manners | None = Manners()
    """When the opponent resigns, offers draws and takes them; `None` where it plays to the end. People on its side
    decide that for themselves."""
    pace: int | None = None
    """The rating, on lichess's scale, of the person whose time the opponent takes for its moves; absent where it moves
    as soon as it can."""
    game: int = 0
    """The number of the game, which with the seed determines agents' random draws and coins."""
    seed: int = 0

    def check(self) -> None:
        """:raises ConfigError: nobody is a person, a team cannot play, the odds are unknown or do not fit a position.
        :raises FoibleError: there is no such position, or the game is over where it starts.
        """
        if not _has_person(self.own):
            raise ConfigError(
                'your side has nobody of kind human in it; expected { kind = "human" } as one of its players'
            )
        if self.odds is not None and (self.fen is not None or self.moves):
            raise ConfigError("a position and odds do not go together; expected one of the two")
        for name, team in (("your side", self.own), ("the opponent", self.opponent)):
            check_team(name, team, limited=False)
        position = self.opening().position()
        if end := end_by_rule(position, claim_draws=True):
            _, reason = end
            raise PositionError(f"{position.fen}: the game is over here ({reason}); expected one that goes on")

    def opening(self) -> Opening:
        """The position and moves from which the game starts.

        :raises ConfigError: unknown odds.
        """
        if self.odds is None:
            return Opening(self.fen, self.moves, chess960=self.chess960)
        odds = find_odds(self.odds)
        return Opening(odds_fen(odds, chess.BLACK if self.colour == "white" else chess.WHITE), (), f"{odds.name} odds")

    def new_game(self, date: str) -> SavedGame:
        """The game at its start. `date`: as PGN writes it, `2025.01.31`."""
        return SavedGame(game=self.game, seed=self.seed, opening=self.opening(), date=date)

    @property
    def tosses_coins(self) -> bool:
        """Whether one of the sides is a tag team."""
        return any(isinstance(team, TagTeamSpec) for team in (self.own, self.opponent))

    @contextmanager
    def begin(
        self, shelf: NetShelf, saved: SavedGame, clock: Callable[[Turn], PlayerClock] = lambda turn: HABITS
    ) -> Iterator[GameSession]:
        """The game, with its players until the block ends; before that its `close` is to be awaited.

        :param saved: the state of the game, from `new_game` or from an earlier session.
        :param clock: gives the opponent's clock at the beginning of its turn, by which `pace` sets its thinking time.
        :raises FoibleError: a player cannot be had.
        """
        person, coins = RemotePerson(), FairCoins(saved.seed)
        builder = PlayerBuilder(shelf, coins, person=person)
        other = other_side(self.colour)
        with (
            builder.build(with_chosen_nets(self.own)) as own,
            builder.build(with_chosen_nets(self.opponent)) as opponent,
        ):
            replies = opponent if self.pace is None else Paced(opponent, clock, self.pace)
            white, black = (own, replies) if self.colour == "white" else (replies, own)
            yield GameSession(
                white,
                black,
                saved,
                person=person,
                coins=coins if self.tosses_coins else None,
                manners={other: self.manners} if self.manners and not _has_person(self.opponent) else {},
            )


def _has_person(team: TeamSpec) -> bool:
    return any(isinstance(player, HumanSpec) for _, player in players("", team))
