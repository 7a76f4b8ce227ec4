"""The record of one game (skill-compatible §1.6)."""

import math
import re
import zlib
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from html import escape
from typing import Literal, overload

import msgspec
import numpy as np

from foible._core import ChessPosition
from foible.agents.base import Decision
from foible.arena.openings import Opening
from foible.games import board_svg
from foible.games.pgn import WHITE_POINTS

Plain = str | int | float | bool | None
Result = Literal["1-0", "0-1", "1/2-1/2"]

LONE_PLAYER = "player"
"""The member named as the mover in a team of one player."""

BY_RULE = frozenset(
    {
        "checkmate",
        "stalemate",
        "insufficient_material",
        "seventyfive_moves",
        "fivefold_repetition",
        "fifty_moves",
        "threefold_repetition",
    }
)
"""Terminations after which the value of the last position is exact."""


class MoveRecord(msgspec.Struct, frozen=True, array_like=True):
    """One move and what its player said of it."""

    move: str
    """In UCI."""
    who: str = LONE_PLAYER
    """The member that moved: `senior`, `junior`, `hand`, `player`."""
    value: float | None = None
    """The mover's expected score after the move, 0 to 1, to four decimals."""
    info: Mapping[str, Plain] = {}
    """Whatever else the player reported, as plain values."""
    clock: float | None = None
    """Seconds left on the mover's clock after the move, to milliseconds; `None` without a clock."""

    @classmethod
    def of_decision(cls, move: str, decision: Decision) -> "MoveRecord":
        """Keeps what a PGN comment can hold: a record read back equals the one written."""
        info = plain(decision.info)
        who = re.sub(r"\W", "_", str(info.pop("who", None) or LONE_PLAYER))
        clock = info.pop("clock", None)
        value = decision.value
        return cls(
            move,
            who,
            round(float(value), 4) if value is not None and math.isfinite(value) else None,
            info,
            round(float(clock), 3) if isinstance(clock, int | float) else None,
        )


class PackedMoves(Sequence[MoveRecord]):
    """The moves of a finished game, packed: a match keeps the games that ended, as its report is on all of them, and so
    packed a game takes a tenth of the memory of its records. Each use unpacks them all.
    """

    __slots__ = ("_digest", "_length", "_packed")

    def __init__(self, moves: Iterable[MoveRecord]) -> None:
        records = tuple(moves)
        self._length = len(records)
        self._packed = zlib.compress(msgspec.json.encode(records), level=1)
        self._digest = blake2b(" ".join(record.move for record in records).encode(), digest_size=8).digest()

    def __len__(self) -> int:
        return self._length

    @property
    def digest(self) -> bytes:
        """Of the moves alone: whether two games have the same ones is known without unpacking them."""
        return self._digest

    def __iter__(self) -> Iterator[MoveRecord]:
        return iter(self._records())

    @overload
    def __getitem__(self, index: int) -> MoveRecord: ...

    @overload
    def __getitem__(self, index: slice) -> tuple[MoveRecord, ...]: ...

    def __getitem__(self, index: int | slice) -> MoveRecord | tuple[MoveRecord, ...]:
        return self._records()[index]

    def __eq__(self, other: object) -> bool:
        return self._records() == tuple(other) if isinstance(other, Sequence) else NotImplemented

    __hash__ = None  # type: ignore[assignment]  # info is a dictionary; typeshed has no other way to say so

    def __repr__(self) -> str:
        return f"PackedMoves({list(self)})"

    def _records(self) -> tuple[MoveRecord, ...]:
        return _UNPACKED.decode(zlib.decompress(self._packed))


_UNPACKED = msgspec.json.Decoder(tuple[MoveRecord, ...])


@dataclass(frozen=True, slots=True)
class GameRecord:
    """A finished game."""

    pair: int
    game_in_pair: int
    """1: the alter team is White; 2: the focal team is White."""
    framework: str
    white: str
    black: str
    focal_white: bool
    opening: Opening
    moves: Sequence[MoveRecord]
    """The moves after the opening's; kept as `PackedMoves`."""
    result: Result
    termination: str
    """The rule that ended the game, or `max_plies`, `time_without_material`, `tablebase`, `resignation`,
    `draw_adjudication`, `forfeit: why`.
    """
    seed: int
    """The seed of the match."""
    bits: str = ""
    """The coins of the plies played, opening included (tag team)."""
    versions: str = ""
    """What played: engine and net versions."""
    time_control: str = ""
    """As PGN has it (`40/60+0.6`); empty without clocks."""

    def __post_init__(self) -> None:
        if not isinstance(self.moves, PackedMoves):
            object.__setattr__(self, "moves", PackedMoves(self.moves))

    @property
    def number(self) -> int:
        """0, 1, 2, … through the match."""
        return 2 * self.pair + self.game_in_pair - 1

    def _repr_html_(self) -> str:
        """For notebooks: the board at the end, and how it came to it."""
        end = f"{self.white} – {self.black}: {self.result} after {self.plies} plies ({self.termination})"
        return f"<figure>{board_svg(self.position())}<figcaption>{escape(end)}</figcaption></figure>"

    def position(self) -> ChessPosition:
        """The position at the end of the game."""
        position = self.opening.position()
        for move in self.moves:
            position = position.play(move.move)
        return position

    @property
    def moves_uci(self) -> tuple[str, ...]:
        return self.opening.moves + tuple(move.move for move in self.moves)

    @property
    def course(self) -> Hashable:
        """Start and moves: equal for games that are move for move the same."""
        assert isinstance(self.moves, PackedMoves)
        return self.opening.fen, self.opening.moves, self.moves.digest

    @property
    def plies(self) -> int:
        return len(self.opening.moves) + len(self.moves)

    @property
    def played(self) -> int:
        """Plies of the players, without the opening's."""
        return len(self.moves)

    @property
    def starts_white(self) -> bool:
        """Whether White made the first move."""
        return self.opening.fen is None or self.opening.fen.split()[1] == "w"

    @property
    def white_score(self) -> float:
        return WHITE_POINTS[self.result]

    @property
    def focal_score(self) -> float:
        """1, ½ or 0 for the team under test."""
        return self.white_score if self.focal_white else 1 - self.white_score


def plain(info: Mapping[str, object]) -> dict[str, Plain]:
    """The entries that a comment can hold, by key: words with a scalar; floats to six decimals."""
    kept: dict[str, Plain] = {}
    for key, given in sorted(info.items()):
        value = given.item() if isinstance(given, np.generic) else given
        if isinstance(value, float):
            value = round(value, 6) if math.isfinite(value) else None
        if key.isidentifier() and (value is None or isinstance(value, str | int | float)):
            kept[key] = value
    return kept
