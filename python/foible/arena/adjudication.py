"""Ending games early: by resignation or agreed draw, judged by the players' own expected scores or their engines'
centipawns; and by Syzygy tablebases, which know the result of every position of few pieces.

In matches `Resignation` and `DrawAgreement` end games as cutechess does it (phase-experts §7.1). In games with a person
the player's own opinion alone counts, see `Manners`. A move for which its player gave no value breaks a run of
consecutive moves that these rules count.
"""

from collections.abc import Sequence
from itertools import takewhile
from typing import Final, Protocol

import chess
import chess.syzygy
import msgspec

from foible._core import ChessPosition
from foible.arena.record import MoveRecord, Result
from foible.engines.search import win_probability
from foible.errors import ConfigError
from foible.games.phases import ENDGAME, phase_of
from foible.runs.files import Closing
from foible.toml import expand

MOST_SCORE: Final = 5000
"""In centipawns: below the score at which `win_probability` rounds to that of a mate."""


def _check(section: str, **ranges: tuple[float, float, float]) -> None:
    for name, (value, low, high) in ranges.items():
        if not low <= value <= high:
            raise ConfigError(f"{section}.{name} = {value}: expected {low} to {high}")


def _check_score(section: str, score: int | None) -> None:
    if score is not None:
        _check(section, score=(score, 1, MOST_SCORE))


class Resignation(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A side that thinks itself lost for `moves` consecutive moves of its own loses; the opponent's opinion does not
    count.
    """

    value: float = 0.0664
    """The side's own expected score at or below which it counts itself lost (−600 cp in phase-experts §7.1)."""
    moves: int = 5
    score: int | None = None
    """In centipawns, and in place of `value`: a side counts itself lost that is so far behind by its own score. Who
    gives no score, as nets do, counts itself lost at the expected score that `win_probability` makes of it.
    """

    def __post_init__(self) -> None:
        _check("resignation", value=(self.value, 0, 1), moves=(self.moves, 1, 1000))
        _check_score("resignation", self.score)

    @property
    def lost(self) -> float:
        """The expected score at or below which a side counts itself lost."""
        return self.value if self.score is None else win_probability(-self.score)


class DrawAgreement(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The game is drawn when both sides have thought it level for `moves` moves each."""

    margin: float = 0.0325
    """Largest distance of the expected score from ½ that counts as level (20 cp in §7.1)."""
    moves: int = 4
    from_move: int = 30
    """The number of full moves before which the game is not drawn."""
    score: int | None = None
    """In centipawns, and in place of `margin`: the largest score of either side that counts as level, as in
    `Resignation.score`.
    """

    def __post_init__(self) -> None:
        _check(
            "draw_agreement",
            margin=(self.margin, 0, 0.5),
            moves=(self.moves, 1, 1000),
            from_move=(self.from_move, 0, 100_000),
        )
        _check_score("draw_agreement", self.score)

    @property
    def highest(self) -> float:
        """The largest expected score that counts as level."""
        return 0.5 + self.margin if self.score is None else win_probability(self.score)

    def counts_as_level(self, value: float | None) -> bool:
        """Whether a side that expects this score thinks the game level."""
        if value is None:
            return False
        if self.score is None:
            return abs(value - 0.5) <= self.margin
        return win_probability(-self.score) <= value <= self.highest


class Manners(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """When a player gives up against a person, when it offers a draw, and when it takes one."""

    resignation: Resignation = Resignation(value=0.03, moves=3)
    hope: float = 0.25
    """The expected score that the player must have had at least once in this game before it may resign. A player that
    began with a lost position, at odds for instance, never reaches it, and plays on to the end."""
    draw: DrawAgreement = DrawAgreement(margin=0.05, moves=6, from_move=35)
    """Only the player's own moves count. It offers a draw in endgames, after every `moves` consecutive level moves."""
    worse: float = 0.35
    """The player's expected score at or below which it accepts a draw even before `draw.from_move`."""

    def __post_init__(self) -> None:
        _check("manners", hope=(self.hope, 0, 1), worse=(self.worse, 0, 1))

    def resigns(self, values: Sequence[float | None]) -> bool:
        """Whether the player of the last ply resigns. `values`: as in `has_resigned`."""
        hoped = any(value is not None and value >= self.hope for value in _own(values))
        return hoped and has_resigned(values, self.resignation)

    def offers_draw(self, values: Sequence[float | None], position: ChessPosition) -> bool:
        """Whether the player of the last ply, which led to the position, offers a draw."""
        late = _own(values[2 * self.draw.from_move :])
        level = sum(1 for _ in takewhile(self.draw.counts_as_level, late))
        due = level > 0 and level % self.draw.moves == 0
        return due and phase_of(position) == ENDGAME

    def takes_draw(self, values: Sequence[float | None]) -> bool:
        """Whether the player of the last ply accepts a draw, judged by the last expected score that it gave."""
        value = next((value for value in _own(values) if value is not None), None)
        late = len(values) >= 2 * self.draw.from_move
        return value is not None and value <= (self.draw.highest if late else self.worse)


def value_by_score(move: MoveRecord) -> float | None:
    """The mover's expected score for a rule with a `score`: what its centipawns are worth, 1 or 0 for a mate; without
    either, the one that the mover gave.
    """
    match move.info.get("score"):
        case int(centipawns):
            return win_probability(centipawns)
        case str(mate) if mate.startswith("#"):
            return 0.0 if mate.startswith("#-") else 1.0
    return move.value


def has_resigned(values: Sequence[float | None], rule: Resignation) -> bool:
    """Whether the player of the last ply resigns. `values`: per ply, the mover's own expected score, by
    `value_by_score` where the rule has a `score`.
    """
    own = _own(values)[: rule.moves]
    return len(own) == rule.moves and all(v is not None and v <= rule.lost for v in own)


def is_agreed_draw(values: Sequence[float | None], rule: DrawAgreement) -> bool:
    """Whether the last `2 * moves` plies were level, late enough in the game. `values`: as in `has_resigned`."""
    last = values[-2 * rule.moves :]
    level = all(rule.counts_as_level(value) for value in last)
    return level and len(last) == 2 * rule.moves and len(values) >= 2 * rule.from_move


def _own(values: Sequence[float | None]) -> Sequence[float | None]:
    """The values that the player of the last ply gave, the latest first."""
    return values[::-1][::2]


class Tables(Protocol):
    """Anything that looks positions up as `chess.syzygy.Tablebase` does."""

    def get_wdl(self, board: chess.Board, /) -> int | None:
        """The result of a position right after a capture or a pawn move, from −2 (the side to move loses) to 2 (it
        wins); −1 and 1 are losses and wins that the fifty-move rule turns into draws. `None` where no table has the
        position.
        """

    def close(self) -> None:
        """Close the table files."""


class Tablebases(Closing):
    """Looks up the result of positions of few pieces, so that a game can end there. Wins that the fifty-move rule
    prevents count as draws.
    """

    def __init__(self, tables: Tables, pieces: int, name: str) -> None:
        """
        :param pieces: the most pieces, kings included, of a position that is looked up.
        :param name: a description of the tables, for the record of a run.
        """
        self._tables, self._pieces, self.name = tables, pieces, name

    def result(self, position: ChessPosition) -> Result | None:
        """The result with best play of both sides; `None` where the tables do not know it.

        The tables are asked only right after captures and pawn moves. Later in an ending, whether a win still comes
        before the fifty-move rule applies depends on the moves since then, which the tables do not know.

        :raises ConfigError: a table is damaged.
        """
        pieces, _, castling, _, halfmoves, _ = position.fen.split()
        if halfmoves != "0" or castling != "-" or sum(map(str.isalpha, pieces)) > self._pieces:
            return None
        board = chess.Board(position.fen)
        try:
            wdl = self._tables.get_wdl(board)
        except OSError as error:
            raise ConfigError(f"tablebases: {error}") from None
        except Exception as error:  # python-chess checks little of a table: damage shows as an error of any kind
            table = chess.syzygy.normalize_tablename(chess.syzygy.calc_key(board))
            raise ConfigError(
                f"tablebases: {table}.rtbw, or a table of fewer pieces, is damaged ({error}); put back a copy"
            ) from None
        if wdl is None:
            return None
        if abs(wdl) < 2:
            return "1/2-1/2"
        return "1-0" if (wdl > 0) == (position.turn == "first") else "0-1"

    def close(self) -> None:
        self._tables.close()


def open_tablebases(folders: Sequence[str]) -> Tablebases:
    """Open the Syzygy tables for wins, draws and losses (`.rtbw`) in these folders.

    :raises ConfigError: a folder cannot be read, or has no table in it.
    """
    tables, count = chess.syzygy.Tablebase(), 0
    for folder in folders:
        path = expand(folder)
        try:
            found = tables.add_directory(str(path), load_dtz=False)
        except OSError as error:
            raise ConfigError(f"tablebases: {path}: cannot be read ({error.strerror})") from None
        if not found:
            raise ConfigError(f"tablebases: {path}: no table in it; Syzygy's are files such as KQvK.rtbw")
        count += found
    pieces = max(len(name.replace("v", "")) for name in tables.wdl)
    return Tablebases(tables, pieces, f"{count} tables of up to {pieces} pieces")
