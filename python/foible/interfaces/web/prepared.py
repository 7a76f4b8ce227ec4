"""Opponents whose games the server keeps: people can prepare against them, and play against models of them."""

import asyncio
from collections.abc import Iterator
from hashlib import blake2b
from pathlib import Path
from typing import Annotated, Literal

import msgspec

from foible.agents.policy import ModelPlayerSpec
from foible.arena.session import Colour
from foible.errors import ConfigError
from foible.interfaces.web.cast import Cast, Character
from foible.opponents.game_tags import name_key
from foible.opponents.player_games import PlayerGames, read_player_games
from foible.opponents.sites import SITES, SiteName
from foible.opponents.spec import GamesModelSpec, ModelSpec
from foible.runs.files import write_atomically

Source = SiteName | Literal["pgn"]
"""The source of games: a site, or a PGN that somebody pasted."""
OpponentId = Annotated[str, msgspec.Meta(pattern=r"^[0-9a-f]{24}$")]
"""A hash: of player, colour and source, for an opponent; of the content, for a file of games."""

GROUP = "Prepared against"
"""The group of prepared opponents in the cast."""
_ID_BYTES = 12
_LONGEST_NAME = 36
"""The most characters of a name that are shown."""


class PreparedOpponent(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A player with one colour, and the file of their games."""

    player: str
    """The player's name, as the games spell it."""
    colour: Colour
    """The colour that the player has in the games."""
    source: Source
    games: int
    rating: float | None
    """The player's rating by the games, of which recent ones count more."""
    base: ModelSpec
    """The model of how similar players play."""
    pgn: OpponentId
    """The name of the file of games without suffix, a hash of its content. The file may hold other players' games."""

    @property
    def id(self) -> str:
        return _hash(" ".join([self.source, self.colour, *name_key(self.player)]).encode())

    @property
    def title(self) -> str:
        """The opponent's name in the cast."""
        long = self.player if len(self.player) <= _LONGEST_NAME else f"{self.player[:_LONGEST_NAME]}…"
        return f"{long} as {self.colour.title()} ({self.origin})"

    @property
    def origin(self) -> str:
        return "PGN" if self.source == "pgn" else SITES[self.source].title


class PreparedOpponents:
    """All prepared opponents of a folder, each a player of the cast. One that is added again is replaced."""

    def __init__(self, folder: Path, cast: Cast) -> None:
        self._folder, self._cast = folder, cast
        self._known: dict[str, PreparedOpponent] = {}
        for opponent in self._read():
            self._join(opponent)

    def __iter__(self) -> Iterator[PreparedOpponent]:
        return iter(sorted(self._known.values(), key=lambda one: one.title))

    def find(self, number: str) -> PreparedOpponent:
        """The opponent of an id.

        :raises ConfigError: there is no such opponent.
        """
        if number not in self._known:
            raise ConfigError(f"there is no opponent {number} here; give their games again")
        return self._known[number]

    async def keep(
        self, pgn: bytes, player_games: PlayerGames, source: Source, base: ModelSpec, rating: float | None
    ) -> PreparedOpponent:
        """Keep the games of a player, who has the same colour in all of them.

        :raises OSError: the folder cannot be written.
        """
        opponent = PreparedOpponent(
            player=player_games.player,
            colour="white" if player_games.games[0].white else "black",
            source=source,
            games=len(player_games.games),
            rating=rating,
            base=base,
            pgn=_hash(pgn),
        )
        await asyncio.to_thread(self._write, opponent, pgn)
        before = self._known.get(opponent.id)
        self._join(opponent)
        if before and before.pgn not in {one.pgn for one in self._known.values()}:
            self._pgn(before).unlink(missing_ok=True)
        return opponent

    def games(self, opponent: PreparedOpponent) -> PlayerGames:
        """The games in which the opponent has their colour.

        :raises FoibleError: the file is missing or broken.
        """
        return read_player_games(self._pgn(opponent), opponent.player).only(white=opponent.colour == "white")

    def _join(self, opponent: PreparedOpponent) -> None:
        self._known[opponent.id] = opponent
        model = GamesModelSpec(
            file=str(self._pgn(opponent)), player=opponent.player, base=opponent.base, color=opponent.colour
        )
        self._cast.add(
            Character(
                name=opponent.title,
                about=f"plays as in {opponent.games} games, and where they never were as others of their level",
                roles=["opponent"],
                human=True,
                rating=opponent.rating or opponent.base.level,
                player=msgspec.to_builtins(ModelPlayerSpec(name=opponent.player, model=model)),
            ),
            GROUP,
        )

    def _write(self, opponent: PreparedOpponent, pgn: bytes) -> None:
        self._folder.mkdir(parents=True, exist_ok=True)
        write_atomically(self._pgn(opponent), pgn)
        write_atomically(self._folder / f"{opponent.id}.json", msgspec.json.encode(opponent))

    def _read(self) -> Iterator[PreparedOpponent]:
        """The opponents in the folder. Files that cannot be read, such as those of another version, are skipped."""
        for path in sorted(self._folder.glob("*.json")):
            try:
                yield msgspec.json.decode(path.read_bytes(), type=PreparedOpponent)
            except (OSError, msgspec.DecodeError):
                continue

    def _pgn(self, opponent: PreparedOpponent) -> Path:
        return self._folder / f"{opponent.pgn}.pgn"


def _hash(data: bytes) -> str:
    return blake2b(data, digest_size=_ID_BYTES).hexdigest()
