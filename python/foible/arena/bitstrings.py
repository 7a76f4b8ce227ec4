"""The coins of tag team: bitstrings that say, for every ply of a game, whether senior or junior moves.

The strings are shared by all teams under test and every string is played twice, with the teams' colours
swapped: some strings favour a colour, and otherwise that would be noise (skill-compatible §1.2). They are a
text file with one string per line; pair k plays string k.
"""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

import numpy as np

from foible.errors import ConfigError, GameFileError
from foible.games.packed import open_packed
from foible.mistakes import check_at_least
from foible.toml import AnyPath, expand

DEFAULT_COUNT = 5000
"""The number of strings that are generated, one for each pair of games."""
DEFAULT_LENGTH = 1024
"""The number of coins in each of them, one for each ply."""
_MOST: Final = 1 << 26
"""The most coins of all strings together: 64 MiB."""
_EXTENSION = int.from_bytes(b"ext", "big")
_COIN = int.from_bytes(b"coin", "big")


@dataclass(frozen=True, slots=True)
class Bitstrings:
    """One string of `0` (junior) and `1` (senior) per pair of games."""

    strings: tuple[str, ...]
    seed: int
    """The seed of the generator, and of the extensions of strings that turn out too short."""

    @classmethod
    def generate(cls, seed: int, count: int = DEFAULT_COUNT, length: int = DEFAULT_LENGTH) -> "Bitstrings":
        """Fair independent coins.

        :raises ConfigError: more than 2²⁶ of them, or none; or a negative seed.
        """
        for name, value, least in (("seed", seed, 0), ("count", count, 1), ("length", length, 1)):
            check_at_least(f"coins: {name}", value, least)
        if count * length > _MOST:
            raise ConfigError(f"{count} bitstrings of {length} coins: expected at most {_MOST:,} coins in all")
        coins = np.random.default_rng(seed).integers(0, 2, size=(count, length), dtype=np.uint8)
        return cls(tuple((row + ord("0")).tobytes().decode() for row in coins), seed)

    @classmethod
    def read(cls, path: AnyPath, seed: int) -> "Bitstrings":
        """The strings in a file, plain or packed.

        :raises GameFileError: the file cannot be read, has more than 2²⁶ coins, or a line holds anything but 0 and 1.
        """
        path = expand(path)
        data = open_packed(path).read(_MOST + 1)
        if len(data) > _MOST:
            raise GameFileError(f"{path}: more than {_MOST:,} coins")
        lines = data.decode("latin-1").splitlines()
        for number, line in enumerate(lines, 1):
            if not line or set(line) - {"0", "1"}:
                raise GameFileError(f"{path}, line {number}: only 0 and 1 make a bitstring, not {line[:40]!r}")
        if not lines:
            raise GameFileError(f"{path}: no bitstring in it")
        return cls(tuple(lines), seed)

    @property
    def text(self) -> str:
        """The file's content."""
        return "".join(f"{string}\n" for string in self.strings)

    @property
    def sha256(self) -> str:
        """The hash of the file's content, in hexadecimal."""
        return hashlib.sha256(self.text.encode()).hexdigest()

    def of_pair(self, pair: int, plies: int) -> str:
        """The first `plies` coins of a pair, extended by a generator of their own where the string ends
        (§1.1.5).

        :raises ConfigError: there is no such string.
        """
        if not 0 <= pair < len(self.strings):
            raise ConfigError(f"pair {pair} has no bitstring: there are {len(self.strings)}; generate more")
        string = self.strings[pair]
        missing = plies - len(string)
        if missing <= 0:
            return string[:plies]
        more = np.random.default_rng([self.seed, pair, _EXTENSION]).random(missing) < 0.5
        return string + "".join("1" if senior else "0" for senior in more)

    def senior_moves(self, game: int, ply: int) -> bool:
        """The coin of one ply of one game; games 2k and 2k + 1 are pair k."""
        pair = game // 2
        if 0 <= pair < len(self.strings) and ply < len(self.strings[pair]):
            return self.strings[pair][ply] == "1"
        return self.of_pair(pair, ply + 1)[ply] == "1"

    def outlasted(self, lengths: Iterable[tuple[int, int]]) -> int:
        """How many games, given as (pair, plies), were longer than their string."""
        return sum(plies > len(self.strings[pair]) for pair, plies in lengths)


@dataclass(frozen=True, slots=True)
class FairCoins:
    """A coin for every ply of every game: for tag teams in games that are of no match."""

    seed: int

    def senior_moves(self, game: int, ply: int) -> bool:
        """The coin of one ply of one game, the same for both sides."""
        return bool(np.random.default_rng([self.seed, game, ply, _COIN]).integers(2))
