"""The Rust core: rules, encodings, search and PGN streaming.

Safe on untrusted input first, then correct, then fast. Everything that passes between Python and Rust is an array or a
plain value; the interpreter lock is released wherever the work grows with the input.
"""

import os
from collections.abc import Sequence
from typing import Final, Literal, Self, TypeAlias, final

import numpy as np
from _typeshed import SupportsRead
from numpy.typing import NDArray

__all__ = [
    "Batch",
    "Bonus",
    "BrainHand",
    "ChessPosition",
    "Coin",
    "Corpus",
    "Decided",
    "Encoded",
    "EvaluationError",
    "FoibleError",
    "Follow",
    "FollowBest",
    "Forest",
    "FreezeAfter",
    "GoPosition",
    "MemoryLimitError",
    "MoveError",
    "Outcome",
    "PgnGame",
    "PgnReader",
    "PositionError",
    "Puct",
    "Request",
    "RootMove",
    "RootSummary",
    "Score",
    "Seat",
    "__version__",
    "average_winrate",
    "count_positions",
    "material",
    "perft",
]

__version__: Final[str]

class FoibleError(ValueError):
    """Base of all errors that foible raises about its input."""

class PositionError(FoibleError):
    """A FEN, a board or a start position that is not valid."""

class MoveError(FoibleError):
    """A move that cannot be read or is not legal; says which one and its index."""

class MemoryLimitError(FoibleError):
    """A search tree that would outgrow its memory limit."""

@final
class Outcome:
    """How a game ended. Hashable; outcomes are equal if their values are."""

    @property
    def winner(self) -> Literal["first", "second"] | None:
        """The winner: `first` is White in chess and Black in Go, `second` the other side; `None` is a draw."""
    @property
    def reason(self) -> str:
        """The rule that ended the game: `checkmate`, `stalemate`, `insufficient_material`, `seventyfive_moves`,
        `fivefold_repetition`, and by claim `fifty_moves`, `threefold_repetition`; in Go `two_passes`.
        """
    @property
    def result(self) -> Literal["1-0", "0-1", "1/2-1/2"]:
        """The result as PGN writes it, White's points first."""
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...

@final
class ChessPosition:
    """A chess position with its whole history, which draws by repetition and nets with history planes need. Immutable,
    hashable, picklable.

    `fen`: the start of the game, the standard position when absent. `moves`: the moves played from there, in UCI or
    SAN. `chess960`: castling is written king takes rook, and rooks may start anywhere; `None`: where the castling
    rights of the FEN need it.

    :raises PositionError: the FEN is not valid; the message names the field.
    :raises MoveError: a move is not legal; the message names it and its index.
    """

    def __new__(cls, fen: str | None = None, moves: Sequence[str] = ..., *, chess960: bool | None = False) -> Self: ...
    def play(self, move: str) -> ChessPosition:
        """The position after one move, in UCI or SAN.

        :raises MoveError: the move cannot be read or is not legal.
        """
    @property
    def fen(self) -> str:
        """The position in Forsyth-Edwards notation, without its history."""
    @property
    def start_fen(self) -> str:
        """The FEN of the start position, from which `moves` lead to this one."""
    @property
    def moves(self) -> list[str]:
        """Moves played since `start_fen`, in UCI."""
    @property
    def last_move(self) -> str | None:
        """The last of `moves`; `None` where there is none."""
    def moves_since(self, earlier: _Position) -> list[str] | None:
        """The moves from an earlier position of the same game to this one; `None` if `earlier` is not a position of
        this game.
        """
    @property
    def legal_moves(self) -> list[str]:
        """All legal moves in UCI, in an order that depends on the position alone; none after mate and stalemate."""
    def san(self, move: str) -> str:
        """The standard algebraic notation of a legal move, which may be given in UCI or SAN.

        :raises MoveError: the move cannot be read or is not legal.
        """
    @property
    def turn(self) -> Literal["first", "second"]:
        """The side to move: `first` is White, `second` is Black."""
    @property
    def chess960(self) -> bool:
        """Whether moves are read and written as in Chess960."""
    @property
    def ply(self) -> int:
        """Plies since the start of the game, by the move counter of the FEN."""
    @property
    def halfmove_clock(self) -> int:
        """Plies since the last capture or pawn move."""
    @property
    def is_check(self) -> bool:
        """Whether the side to move is in check."""
    @property
    def repetitions(self) -> int:
        """The number of earlier occurrences of the position as lc0 counts them: an en-passant square makes a difference
        when a pawn attacks it.
        """
    def outcome(self, *, claim_draw: bool = False) -> Outcome | None:
        """The outcome by rule; with `claim_draw` also a draw that the side to move may claim now (threefold repetition,
        fifty moves). `None` while the game goes on.
        """
    @property
    def key(self) -> int:
        """64-bit hash of all that an evaluation may depend on: eight boards, repetitions, castling rights, counters,
        the number of the move.
        """
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...

@final
class GoPosition:
    """A Go position on an N×N board, N from 1 to 19, with its whole history: superko looks at all of it. Immutable,
    hashable, picklable.

    Scoring is by area, superko is positional, and two passes end the game.

    `size`: N. `moves`: GTP vertices (`D4`, no column I) or `pass`, by the colour `to_move` first. `komi`: points added
    to White's score for any reason, a multiple of ½; by default 7.5, and 9.5 on 7×7, where 9 is fair. `rules`:
    `chinese` forbids suicide, `tromp-taylor` allows it. `black`, `white`: stones on the board before the first move.

    :raises PositionError: size outside 1…19, a komi that is not a multiple of ½, stones that share a point or have no
        liberty, or unknown `rules` or `to_move`.
    :raises MoveError: a move is not legal; the message names it and its index.
    """

    def __new__(
        cls,
        size: int = 7,
        moves: Sequence[str] = (),
        *,
        komi: float | None = None,
        rules: _GoRules = "chinese",
        black: Sequence[str] = (),
        white: Sequence[str] = (),
        to_move: _Colour = "black",
    ) -> Self: ...
    def play(self, move: str) -> GoPosition:
        """The position after one move: a GTP vertex or `pass`.

        :raises MoveError: the move cannot be read or is not legal.
        """
    def with_komi(self, komi: float) -> GoPosition:
        """The same game, its history included, with another komi.

        :raises PositionError: the komi is not a multiple of ½.
        """
    @property
    def size(self) -> int:
        """N, the number of points on a side of the board."""
    @property
    def komi(self) -> float:
        """Points added to White's score."""
    @property
    def rules(self) -> _GoRules:
        """The rules, `chinese` or `tromp-taylor`, which differ only in whether suicide is allowed."""
    @property
    def setup(self) -> tuple[list[str], list[str]]:
        """Black's and White's stones before the first move, as vertices."""
    @property
    def first_mover(self) -> _Colour:
        """The colour that makes the first move."""
    @property
    def moves(self) -> list[str]:
        """Moves played since the beginning, as vertices or `pass`."""
    def moves_since(self, earlier: _Position) -> list[str] | None:
        """The moves from an earlier position of the same game to this one; `None` if `earlier` is not a position of
        this game.
        """
    @property
    def legal_moves(self) -> list[str]:
        """Legal vertices row by row from A1 (A1, B1, …), `pass` last; none after two passes."""
    @property
    def turn(self) -> Literal["first", "second"]:
        """The side to move: `first` is Black, `second` is White."""
    @property
    def ply(self) -> int:
        """Moves played, passes included."""
    @property
    def board(self) -> str:
        """The stones, one line per row from the top: `X` Black, `O` White, `.` empty."""
    @property
    def area(self) -> int:
        """Black's area minus White's on the board as it stands, in points, before komi."""
    @property
    def margin(self) -> float:
        """Black's area minus White's on the board as it stands, in points, after komi."""
    def outcome(self, *, claim_draw: bool = False) -> Outcome | None:
        """The outcome after two passes, `None` before. Go knows no claims: `claim_draw` changes nothing."""
    @property
    def key(self) -> int:
        """64-bit hash of all that an evaluation may depend on: eight boards, side to move, komi, points forbidden by
        superko.
        """
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...

_GoRules: TypeAlias = Literal["chinese", "tromp-taylor"]
_Colour: TypeAlias = Literal["black", "white"]
_Position: TypeAlias = ChessPosition | GoPosition
_Encoding: TypeAlias = Literal[
    "lc0",
    "lc0-castling-plane",
    "lc0-canonical",
    "lc0-hectoplies",
    "lc0-canonical-v2",
    "lc0-hectoplies-armageddon",
    "lc0-canonical-v2-armageddon",
    "crazyara",
    "maia2",
    "maia3",
]
_PhaseTable: TypeAlias = Literal["current", "legacy", "engine"]

@final
class Batch:
    """A batch of positions to be evaluated: N positions of one game and one board size, with M legal moves in all.

    `len(batch)` is N. The arrays over moves are flat: position after position, each in the order of its `legal_moves`.

    :raises PositionError: the list is empty, or mixes games or board sizes.
    """

    def __new__(cls, positions: Sequence[_Position]) -> Self: ...
    def __len__(self) -> int: ...
    @property
    def move_count(self) -> int:
        """The number M of legal moves in all positions."""
    @property
    def policy_size(self) -> int:
        """The width A of a net's policy output for this game: 1858 in chess, size² + 1 in Go."""
    @property
    def offsets(self) -> NDArray[np.int64]:
        """`[N + 1]`: the legal moves of position i stand in the arrays over moves at `offsets[i]` to
        `offsets[i + 1] − 1`.
        """
    def policy_indices(self, encoding: _Encoding = "lc0") -> NDArray[np.int64]:
        """`[M]`: the index of each legal move in a net's policy output, 0 to A − 1; in Go there is only one encoding.

        :raises FoibleError: the encoding is unknown, or not one of this game.
        """
    def moves(self) -> list[list[str]]:
        """The legal moves of each position, in the order of the flat arrays: UCI in chess, vertices in Go."""
    def planes(self, encoding: _Encoding = "lc0") -> NDArray[np.float32]:
        """The net input as floats: in chess `[N, 112, 8, 8]` (lc0's), `[N, 52, 8, 8]` (CrazyAra's, phase-experts §2.1),
        `[N, 18, 8, 8]` (Maia-2's) or `[N, 96, 8, 8]` (Maia-3's), in Go `[N, 18, size, size]`.

        :raises FoibleError: the encoding is unknown, or not one of this game.
        :raises PositionError: the encoding cannot show a position: Maia's nets know no castling as in Chess960.
        """
    @property
    def signed_komi(self) -> NDArray[np.float32]:
        """`[N]`: the komi in points as the player to move counts it, −komi for Black and +komi for White.

        :raises PositionError: the game is chess.
        """
    @property
    def plane_keys(self) -> NDArray[np.uint64]:
        """`[N]`: a hash of what the planes show.

        :raises PositionError: the game is chess.
        """
    def packed(self, encoding: _Encoding = "lc0") -> tuple[NDArray[np.uint64], NDArray[np.float32]]:
        """The chess net input packed: `[N, C]` bit boards (bit 0 = a1) and the `[N, C]` value of their set bits.

        :raises FoibleError: the encoding is unknown.
        :raises PositionError: the game is Go.
        """
    def legal(self, dense: NDArray[np.float32], encoding: _Encoding = "lc0") -> NDArray[np.float32]:
        """`[N, A]` → `[M]`: picks the entries of the legal moves out of a net's policy output, which must be
        C-contiguous.

        :raises FoibleError: the encoding is unknown, or not one of this game.
        :raises PositionError: `dense` has another shape, or is not C-contiguous.
        """
    def phases(self, table: _PhaseTable = "current") -> NDArray[np.uint8]:
        """`[N]`: 0 opening, 1 middlegame, 2 endgame (phase-experts §1.2).

        :raises FoibleError: the table is unknown.
        :raises PositionError: the game is Go.
        """
    def move_phases(self, k: int) -> NDArray[np.uint8]:
        """`[N]`: the phase 0…k − 1 by the move counter, k from 1 to 5 (phase-experts §1.5).

        :raises FoibleError: k is outside 1 to 5.
        :raises PositionError: the game is Go.
        """
    def phase_features(self, table: _PhaseTable = "current") -> NDArray[np.int32]:
        """`[N, 4]`: the features that determine the phase: the numbers of majors and minors, of White's pieces on the
        first rank and of Black's on the eighth, and the mixedness (phase-experts §1.2).

        :raises FoibleError: the table is unknown.
        :raises PositionError: the game is Go.
        """
    @staticmethod
    def join(batches: Sequence[Batch]) -> Batch:
        """All positions of several batches, in order.

        :raises PositionError: there is no position, or the batches mix games or board sizes.
        """
    def select(self, rows: Sequence[int]) -> Batch:
        """The batch of some of the positions, in the order of `rows`; a row may come twice.

        :raises PositionError: a row is outside 0…N − 1.
        """

@final
class Corpus:
    """Chess games in memory, packed: G games with P plies in all, some three bytes a ply.

    A row, 0…P − 1, is the number of the position before a ply: game after game, ply after ply. `len(corpus)` is G. A
    new corpus is empty.
    """

    def __new__(cls) -> Self: ...
    def __len__(self) -> int: ...
    def read(
        self, source: str | os.PathLike[str] | SupportsRead[bytes], *, evals: bool = False, games: int | None = None
    ) -> tuple[int, int]:
        """Append the games of a PGN source, at most `games` of them; returns how many were appended and how many were
        skipped because they are broken or have no moves or no result. `evals` keeps the `[%eval …]` comments.

        :raises OSError: the file cannot be opened or read; errors that a file object raises are passed on.
        :raises FoibleError: `games` is below 0.
        """
    def add(
        self,
        moves: Sequence[str],
        result: Literal["1-0", "0-1", "1/2-1/2"],
        *,
        start_fen: str | None = None,
        chess960: bool = False,
        white_elo: int = 0,
        black_elo: int = 0,
    ) -> None:
        """Append one game, with its moves in UCI or SAN. A rating of 0 stands for an unknown one.

        :raises PositionError: the FEN is not valid, the result is not one of the three, there is no move, or a rating
            is not 0 to 32767.
        :raises MoveError: a move is not legal.
        """
    @property
    def offsets(self) -> NDArray[np.int64]:
        """`[G + 1]`: the rows of game g are `offsets[g]` to `offsets[g + 1] − 1`."""
    @property
    def results(self) -> NDArray[np.int8]:
        """`[G]`: 1 White won, 0 draw, −1 Black won."""
    @property
    def names(self) -> list[str]:
        """The names of the players of all games of PGN sources, each once. The first is empty: it stands for a name
        that a game does not tell.
        """
    @property
    def players(self) -> NDArray[np.uint32]:
        """`[G, 2]`: the places of White's and Black's names in `names`."""
    @property
    def ratings(self) -> NDArray[np.int16]:
        """`[G, 2]`: the ratings of White and Black, 0 where the game does not say."""
    @property
    def clocks(self) -> NDArray[np.int32]:
        """`[G, 2]`: base time and increment in seconds, −1 where the game does not say."""
    @property
    def white(self) -> NDArray[np.bool_]:
        """`[P]`: whether White is to move."""
    def phases(self, table: _PhaseTable = "current") -> NDArray[np.uint8]:
        """`[P]`: 0 opening, 1 middlegame, 2 endgame (phase-experts §1.2).

        :raises FoibleError: the table is unknown.
        """
    def move_phases(self, k: int) -> NDArray[np.uint8]:
        """`[P]`: the phase 0…k − 1 by the move counter, k from 1 to 5 (phase-experts §1.5).

        :raises FoibleError: k is outside 1 to 5.
        """
    @property
    def evals(self) -> NDArray[np.int16] | None:
        """`[P]`: the evaluation of the position in centipawns from White's view, ±(32000 − n) for mate in n, −32768
        where there is none; `None` when no source was read with `evals`. The evaluation in a comment belongs to the
        position after its move.
        """
    def moves(self, game: int) -> list[str]:
        """The moves of one game in UCI.

        :raises PositionError: the game is outside 0…G − 1.
        """
    def encode(self, rows: NDArray[np.int64], *, encoding: _Encoding = "lc0", threads: int = 1) -> Encoded:
        """Encode N positions: the net input, and the policy index of the move that was played. `rows` `[N]`: any rows,
        in any order. The result does not depend on `threads`.

        :raises FoibleError: the encoding is unknown.
        :raises PositionError: a row is outside 0…P − 1, or the encoding cannot show it: Maia's nets know no castling as
            in Chess960.
        """
    def positions(self, rows: NDArray[np.int64]) -> list[ChessPosition]:
        """The positions of N rows `[N]`, each with its history.

        :raises PositionError: a row is outside 0…P − 1.
        """
    def keys(self, rows: NDArray[np.int64]) -> NDArray[np.uint64]:
        """`[N]` rows → `[N]`: the `key` of each position, a hash of all that an evaluation may depend on.

        :raises PositionError: a row is outside 0…P − 1.
        """
    def policy_indices(
        self,
        rows: NDArray[np.int64],
        offsets: NDArray[np.int64],
        moves: NDArray[np.uint16],
        *,
        encoding: _Encoding = "lc0",
    ) -> NDArray[np.uint16]:
        """`[K]`: the indices of K moves of N rows in a net's policy output. `offsets` `[N + 1]`: the moves of row
        `rows[i]` are `moves[offsets[i]]` to `moves[offsets[i + 1] − 1]`. `moves` `[K]`: as UCI writes them, coded as
        from-square + 64 · to-square + 4096 · promotion; 0 is a1, 1 b1, …, and promotion 1 to 4 is knight, bishop, rook,
        queen.

        :raises FoibleError: the encoding is unknown.
        :raises PositionError: a row is outside 0…P − 1, the encoding cannot show it, or the offsets do not divide the
            moves among the rows.
        :raises MoveError: a move is not legal in its row.
        """

@final
class Encoded:
    """N positions of a corpus as a net sees them, with C input planes."""

    @property
    def masks(self) -> NDArray[np.uint64]:
        """`[N, C]`: bit boards; bit 0 is a1 of the board as the net sees it."""
    @property
    def values(self) -> NDArray[np.float32]:
        """`[N, C]`: the value of the set bits of each plane."""
    @property
    def policy(self) -> NDArray[np.int64]:
        """`[N]`: the index of the move that was played in the net's policy output."""

def material(batch: Batch) -> tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.float32] | None]:
    """The built-in evaluator, which needs no net (piece values and mobility in chess, area in Go): logits of the legal
    moves `[M]`, win, draw, loss `[N, 3]` of the side to move, 0 to 1, and in Go alpha and beta `[N, 2]`: the side to
    move's expected margin without komi, in points, and the steepness of the winrate per point.
    """

def perft(position: _Position, depth: int) -> int:
    """The number of move sequences of exactly `depth` plies, 0 to 1000.

    :raises FoibleError: `depth` is out of range.
    """

@final
class PgnGame:
    """One game of a PGN source, replayed to its last move."""

    @property
    def number(self) -> int:
        """The number of the game in its source, from 1; skipped games are counted too."""
    @property
    def tags(self) -> dict[str, str]:
        """The tags in the order of the file; a tag that comes twice has its last value. Text that is not UTF-8 is read
        as Latin-1.
        """
    @property
    def start_fen(self) -> str | None:
        """The FEN tag, if any: `ChessPosition(start_fen, moves, chess960=chess960)` is the last position."""
    @property
    def chess960(self) -> bool:
        """Whether the game is Chess960, by the Variant tag or by castling rights that standard chess does not have."""
    @property
    def moves(self) -> list[str]:
        """The main line in UCI; castling is `e1g1` in standard chess, king takes rook in Chess960."""
    @property
    def result(self) -> Literal["1-0", "0-1", "1/2-1/2", "*"]:
        """The result by the Result tag, or by the end of the movetext where the tag names none."""
    @property
    def comments(self) -> list[str | None] | None:
        """Per move, the `{}` comments after it joined by a space; `None` when comments were not asked for."""

@final
class PgnReader:
    """An iterator over the games of a PGN source: a path, or a binary file object that is read to its end.

    A game that cannot be replayed is skipped: it has an illegal, ambiguous or unreadable move, a bad FEN, another
    variant, a comment that is never closed, or more than 16 MiB of text. Only one thread at a time may use a reader.
    `comments`: whether the comments of the main line are kept.

    :raises OSError: the file cannot be opened or read; errors that a file object raises are passed on.
    """

    def __new__(cls, source: str | os.PathLike[str] | SupportsRead[bytes], *, comments: bool = False) -> Self: ...
    def __iter__(self) -> Self: ...
    def __next__(self) -> PgnGame: ...
    @property
    def skipped(self) -> int:
        """Games skipped so far."""
    @property
    def errors(self) -> list[str]:
        """Messages that say why games were skipped, for the first 100, such as
        `game 17, move 23 (black): illegal move Nf6 (line 340)`.
        """

def count_positions(source: str | os.PathLike[str] | SupportsRead[bytes]) -> tuple[int, int, int]:
    """Replays a PGN source and counts its games, their plies, and the games skipped.

    :raises OSError: the file cannot be opened or read; errors that a file object raises are passed on.
    """

class EvaluationError(FoibleError):
    """An evaluation of the wrong shape, or with values that are not finite numbers."""

@final
class Puct:
    """Rule: PUCT as lc0 computes it, the move with the best mean value plus exploration bonus.

    The bonus is prior · c(n) · √max(n − 1, 1) / (1 + started visits of the move), with the constants of `SearchParams`.
    Visits that a model forced are left out of all its counts.
    """

    def __new__(cls) -> Self: ...

@final
class Follow:
    """Rule: visits in proportion to a model's policy, the move that lags most behind its probability first.

    `model`: the number of the evaluator that is followed, 0 to 63.

    :raises FoibleError: the number is out of range.
    """

    def __new__(cls, model: int) -> Self: ...
    @property
    def model(self) -> int:
        """The number of the evaluator that is followed."""

@final
class FollowBest:
    """Rule: always a model's most probable move, as a player who takes the maximum of a policy.

    `model`: the number of the evaluator that is followed, 0 to 63.

    :raises FoibleError: the number is out of range.
    """

    def __new__(cls, model: int) -> Self: ...
    @property
    def model(self) -> int:
        """The number of the evaluator that is followed."""

@final
class BrainHand:
    """Rule: PUCT over the types of pieces that can move; inside a type visits in proportion to a hand's policy.

    A type's prior is the sum of its moves' priors, and its value is the mean of its moves' values, weighted by the
    hand's policy. In Go there is one type.

    `hand`: the number of the evaluator whose policy the hand follows, 0 to 63.

    :raises FoibleError: the number is out of range.
    """

    def __new__(cls, hand: int) -> Self: ...
    @property
    def hand(self) -> int:
        """The number of the evaluator whose policy the hand follows."""

@final
class Coin:
    """Rule: before each visit a coin decides which of two rules picks.

    At the root, the first rule counts the votes for the moves. Two rules that let models decide share one count of
    forced visits. A node freezes once for all: every `FreezeAfter` in a coin has the same `visits`.

    `p`: the probability of `first`, 0 to 1. A rule may be a coin itself; at most 1000 rules are in one coin.

    :raises FoibleError: p is outside 0 to 1, there are too many rules, or two freeze after different visits.
    :raises TypeError: `first` or `second` is no rule.
    """

    def __new__(cls, p: float, first: _Rule, second: _Rule) -> Self: ...
    @property
    def p(self) -> float:
        """The probability of `first`, 0 to 1."""
    @property
    def first(self) -> _Rule:
        """The rule that picks with probability `p`."""
    @property
    def second(self) -> _Rule:
        """The rule that picks otherwise."""

@final
class FreezeAfter:
    """Rule: search-contempt, an opponent who thinks for some visits and no further (search-contempt §1, §2, §5).

    PUCT until a node's children have `visits` finished visits; from then on, all visits are dealt out in the
    proportions of these. No further move is tried at the node, and a won move no longer proves the node won for its
    owner. Meant for the opponent's plies. On the plies of the side to move at the root it models a player who allows
    for its own shallow search; give the root itself `Puct` then.

    `visits`: N_scl, at least 1. With 1 the opponent plays the top of the policy.

    `draw`: how frozen visits are dealt out: each by chance, as published (`sample`), or each to the move that lags most
    behind its share (`quota`).

    `temperature`: shares are proportional to the visits to the power of 1 / temperature, which is 0.05 to 100; above 1,
    moves with few visits get larger shares.

    `at`: the frozen shares hold from the next visit on (`implementation`), or one visit later, by the paper's
    inequality (`paper`).

    :raises FoibleError: a value out of range.
    """

    def __new__(
        cls,
        visits: int,
        *,
        draw: Literal["sample", "quota"] = "sample",
        temperature: float = 1.0,
        at: Literal["implementation", "paper"] = "implementation",
    ) -> Self: ...
    @property
    def visits(self) -> int:
        """N_scl: the number of finished visits of a node's children at which the node freezes."""
    @property
    def draw(self) -> str:
        """How frozen visits are dealt out: `sample` or `quota`."""
    @property
    def temperature(self) -> float:
        """Frozen shares are proportional to the visits to the power of one over this value."""
    @property
    def at(self) -> str:
        """When frozen shares begin to hold: `implementation` or `paper`."""

_Rule: TypeAlias = Puct | Follow | FollowBest | Coin | BrainHand | FreezeAfter

@final
class Bonus:
    """The virtual bonus points by which one side weighs margins of victory (SAI, §3.1, §3.6).

    Values are averaged over the bonuses from that of `mu` to that of `lambda_`: 0 is no bonus, 1 the bonus that makes
    the game even. Where the side is behind, that is less likely to win than not, `mu_behind` and `lambda_behind` hold
    instead; when absent, they equal `mu` and `lambda_`.

    :raises FoibleError: a parameter outside −10 to 10.
    """

    def __new__(
        cls,
        lambda_: float = 0.0,
        mu: float = 0.0,
        *,
        lambda_behind: float | None = None,
        mu_behind: float | None = None,
    ) -> Self: ...
    @property
    def lambda_(self) -> float:
        """The far end of the interval where the side is ahead."""
    @property
    def mu(self) -> float:
        """The near end of the interval where the side is ahead."""
    @property
    def lambda_behind(self) -> float:
        """The far end of the interval where the side is behind."""
    @property
    def mu_behind(self) -> float:
        """The near end of the interval where the side is behind."""
    def interval(self, margin: float, beta: float, *, black_to_move: bool) -> tuple[float, float]:
        """Black's bonus points for mu and for lambda, at a decision where Black's winrate given X more points is 1 / (1
        + exp(−beta (margin + X))) (SAI, §3.2): `margin` after komi in points, `beta` per point.

        :raises FoibleError: `margin` or `beta` is not finite, or `beta` is not above 0.
        """
    def __eq__(self, other: object, /) -> bool: ...

def average_winrate(margin: float, beta: float, start: float, end: float) -> float:
    """Black's mean winrate 1 / (1 + exp(−beta (margin + X))), 0 to 1, for X from `start` to `end` points (SAI, §3.3).

    `margin`: Black's margin after komi, in points. `beta`: the steepness per point; infinite where the game is over.

    :raises FoibleError: `beta` is not above 0, or another value is not finite.
    """

@final
class Score:
    """The mean winrate and margin that a search by margins found, for the side to move at the root."""

    @property
    def winrate(self) -> float:
        """Mean winrate at the game's komi, 0 to 1, whatever the bonus."""
    @property
    def margin(self) -> float:
        """Mean margin after komi, in points."""

@final
class Decided:
    """The net's evaluation of the root in a search by margins, and the bonus that follows from it, for the side to
    move.
    """

    @property
    def alpha(self) -> float:
        """Expected margin on the board, without komi, in points."""
    @property
    def beta(self) -> float:
        """Steepness of the winrate, per point."""
    @property
    def interval(self) -> tuple[float, float]:
        """The interval of virtual bonus points, from that of mu to that of lambda."""

@final
class Seat:
    """One side of the game inside a search: its rule, and the evaluator that judges where it is to move.

    `rule`: how the side picks moves, `Puct()` when absent. `evaluator`: the number of the evaluator, 0 to 63, which is
    the index of its answers in `Forest.scatter`. `bonus`: how the side weighs margins of victory; if either side has
    one, values are sigmoids of bonus points on both sides, and each evaluator must give alpha and beta.

    :raises FoibleError: the number is out of range.
    :raises TypeError: `rule` is not a rule.
    """

    def __new__(cls, rule: _Rule | None = None, evaluator: int = 0, *, bonus: Bonus | None = None) -> Self: ...
    @property
    def rule(self) -> _Rule:
        """The rule by which the side picks moves."""
    @property
    def evaluator(self) -> int:
        """The number of the evaluator that gives value and priors where the side is to move."""
    @property
    def bonus(self) -> Bonus | None:
        """How the side weighs margins of victory; `None` where it does not."""

@final
class RootMove:
    """A move of the root and what a search found about it, from the view of the side to move at the root."""

    @property
    def move(self) -> str:
        """The move, in UCI or as a GTP vertex."""
    @property
    def n(self) -> int:
        """Finished visits."""
    @property
    def votes(self) -> int:
        """The visits that count as evidence for the move: all in an ordinary search, else those that no model forced.

        Where models forced every visit, all count. With `BrainHand` at the root all visits of a piece type count for
        the hand's most probable move of that type, which stands for it.
        """
    @property
    def q(self) -> float:
        """Mean win minus loss, −1 to 1, draws counted as the draw score; 0 when never visited."""
    @property
    def d(self) -> float:
        """Mean draw probability, 0 to 1; 0 when never visited."""
    @property
    def m(self) -> float:
        """Mean plies left, where the net knows them; 0 when never visited."""
    @property
    def prior(self) -> float:
        """The evaluator's probability of the move, 0 to 1, after policy temperature and noise; 0 for a move known to
        lose.
        """
    @property
    def proven(self) -> int | None:
        """−1 a proven loss, 0 a proven draw, 1 a proven win; `None` where nothing is proven."""
    @property
    def score(self) -> Score | None:
        """Mean winrate and margin after the move; `None` unless the search is by margins and visited the move."""

@final
class RootSummary:
    """What a search found at its root, for the side to move."""

    @property
    def n(self) -> int:
        """Finished visits, the root's own evaluation included."""
    @property
    def q(self) -> float:
        """Mean win minus loss, −1 to 1, draws counted as the draw score."""
    @property
    def d(self) -> float:
        """Mean draw probability, 0 to 1."""
    @property
    def m(self) -> float:
        """Mean plies left, where the net knows them."""
    @property
    def score(self) -> Score | None:
        """Mean winrate and margin in a search by margins; `None` in others."""
    @property
    def decided(self) -> Decided | None:
        """The net's evaluation of the root and the bonus that follows from it, in a search by margins; `None` in
        others.
        """
    @property
    def moves(self) -> list[RootMove]:
        """All moves of the root, unvisited ones included, as a player ranks them: proven wins first, then by votes,
        value and prior, proven losses last.
        """
    @property
    def best(self) -> str | None:
        """The name of the first of `moves`; `None` where the root was not evaluated."""

@final
class Request:
    """Leaves that wait for their evaluation, until the request is scattered or withdrawn; their trees count it as in
    flight until then.

    `len(request)`: the number of these leaves, those whose evaluation is cached included.
    """

    @property
    def batches(self) -> list[Batch | None]:
        """One batch for each evaluator, `None` where that evaluator has nothing to do."""
    def __len__(self) -> int: ...

_Answer: TypeAlias = tuple[
    NDArray[np.float32], NDArray[np.float32], NDArray[np.float32] | None, NDArray[np.float32] | None
]

@final
class Forest:
    """Search trees that share evaluations. With `lanes = 1` no tree's search depends on the other trees.

    A search alternates two calls: `gather` walks down the trees and returns the positions that need an evaluation, and
    `scatter` takes the evaluations back. Methods may be called from several threads: they take turns.

    `params`: a `SearchParams`. `ours`: the seat that owns the plies of the side to move at the root; `theirs` owns the
    others. `root`: the rule at the root itself, that of `ours` when absent; which player moves now may be known even
    where it is not known who moves later. `game`: `chess` or `go`.

    :raises FoibleError: the game is unknown; `params` has `contempt_visits` but neither seat has the rule
        `FreezeAfter`, or another constant that the search would ignore; or a seat has a `bonus` in chess, where there
        are no margins.
    """

    def __new__(
        cls, params: object, ours: Seat, theirs: Seat, *, root: _Rule | None = None, game: str = "chess"
    ) -> Self: ...
    @property
    def evaluators(self) -> int:
        """The number of evaluators: one more than the highest number that the seats name."""
    @property
    def growing(self) -> bool:
        """Whether any tree lacks visits."""
    @property
    def size(self) -> tuple[int, int, int]:
        """The numbers of nodes and edges of all trees, and the bytes allocated for them, which `memory_mb` limits."""
    @property
    def cached(self) -> int:
        """The number of evaluations in the cache."""
    def add(self, position: _Position, nodes: int, seed: int = 0, *, only: Sequence[str] | None = None) -> int:
        """Add a tree that is done when its root has `nodes` visits; returns the number of the tree.

        `seed`: the seed of the tree's random choices. `only`: the moves of the root that are searched, all when absent.

        :raises FoibleError: the game is over or is not the forest's game, its board has another size than the forest's
            other trees, or a number is out of range.
        :raises MoveError: `only` is empty, or a move in it is not legal.
        """
    def remove(self, tree: int) -> None:
        """Remove a tree; evaluations in flight for it are dropped when they arrive.

        :raises FoibleError: there is no such tree.
        """
    def set_nodes(self, tree: int, nodes: int) -> None:
        """Change the number of root visits at which a tree is done.

        :raises FoibleError: there is no such tree, or `nodes` is out of range.
        """
    def is_done(self, tree: int) -> bool:
        """Whether the root of a tree has its visits and no request for the tree is in flight.

        :raises FoibleError: there is no such tree.
        """
    def done(self, trees: Sequence[int]) -> list[int]:
        """Those of the given trees that are done (see `is_done`), in the given order.

        :raises FoibleError: there is no such tree.
        """
    def take_done(self) -> list[int]:
        """The trees that have become done (see `is_done`) since the last call, in order, as far as they still are. That
        costs nothing for all the others, however many they are.
        """
    def advance(self, tree: int, move: str, *, keep: bool) -> None:
        """Play a move at the root; with `keep` the tree below the move is kept.

        Where the seats differ, keeping is of use only after an even number of moves: the owners of the plies must stay
        the same.

        :raises MoveError: the move is not legal there.
        :raises FoibleError: there is no such tree, a request for it is under way, or the move ends the game.
        """
    def gather(self, n: int) -> Request:
        """Walk down the trees until at least `n` leaves wait for an evaluation, or no tree has another to offer. At
        most `batch` leaves come from one tree, and none from a tree that has `lanes` requests in flight.

        A request without leaves is to be withdrawn, not answered: its visits all ended in known results or at leaves
        already in flight.

        :raises MemoryLimitError: the trees outgrew `memory_mb`.
        :raises FoibleError: `n` is below 0.
        """
    def scatter(self, request: Request, answers: Sequence[_Answer | None]) -> None:
        """Take the evaluations of a request, one answer for each evaluator's batch, `None` where it has no batch. An
        answer is logits `[M]`; win, draw, loss `[N, 3]` of the side to move, 0 to 1; plies left `[N]`, or `None`; alpha
        and beta `[N, 2]` of the side to move, or `None`. All are C-contiguous 32-bit floats.

        :raises EvaluationError: wrong shapes or values that are not finite; the request is withdrawn.
        :raises FoibleError: the request was answered before, or is another forest's.
        """
    def withdraw(self, request: Request) -> None:
        """Forget a request that will not be answered: its unfinished visits are taken back. Does nothing if it was
        answered before.

        :raises FoibleError: the request is another forest's.
        """
    def summary(self, tree: int) -> RootSummary:
        """What the search found at the root of a tree so far.

        :raises FoibleError: there is no such tree.
        """
    def choose(
        self,
        tree: int,
        *,
        temperature: float = 0.0,
        value_cutoff: float = 1.0,
        visit_offset: float = 0.0,
        seed: int = 0,
    ) -> str | None:
        """The move to play, `None` when the root was not evaluated.

        `temperature`: 0 plays the best move, 1 samples moves in proportion to their votes, higher values flatten the
        distribution. `value_cutoff`: moves worse than the one with the most votes by more than this win probability, 0
        to 1, are not sampled. `visit_offset`: added to the votes of every move that has any. `seed`: the seed of the
        sampling.

        With `BrainHand` at the root the search chooses a piece type, and the move is the hand's most probable one of
        that type; before its first visits it is chosen by the brain's priors.

        :raises FoibleError: there is no such tree; or `temperature` is not a finite number from 0 on, `value_cutoff` is
            not 0 to 1, or `visit_offset` is not finite.
        """
    def line(self, tree: int, first: str | None = None) -> list[str]:
        """The principal variation, each move the one that the owner of its node would play. `first`: the move to start
        with, if given; where the search leaves that move out the line is empty.

        :raises FoibleError: there is no such tree.
        :raises MoveError: the first move cannot be read, or in chess is not legal.
        """
