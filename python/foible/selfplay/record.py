"""The record of a self-play game: one row for the game, and one for each move that was chosen."""

from collections.abc import Sequence

import msgspec
import polars as pl

from foible.arena.openings import Opening
from foible.arena.record import GameRecord, MoveRecord, Result

PLIES = pl.Schema(
    {
        "game": pl.UInt32(),  # the number of the game in the run: 0, 1, 2, …
        "ply": pl.UInt16(),  # 0-based ply of the game; plies of the opening are counted, but have no rows
        "white": pl.Boolean(),  # whether the mover is White
        "move": pl.String(),  # in UCI
        "moves": pl.List(pl.String),  # the visited moves, as a player ranks them; empty for a forced move
        "visits": pl.List(pl.UInt32),  # the visits of each of `moves`; their sum is `nodes` − 1
        "nodes": pl.UInt32(),  # visits of the root, its own evaluation included; 0 for a forced move
        "q": pl.Float32(),  # win minus loss of the mover, −1 to 1, draws counted as the draw score; null where forced
        "win": pl.Float32(),  # probability that the mover wins, from q and d; the three sum to 1; null where forced
        "draw": pl.Float32(),
        "loss": pl.Float32(),
        "value": pl.Float32(),  # the mover's expected score after the move, 0 to 1, by the search; null where forced
        "full": pl.Boolean(),  # a full search, usable as policy target; false for a cheap one and a forced move
        "temperature": pl.Float32(),  # the temperature at which the move was sampled by its visits
    }
)
"""The columns of the table of all moves that were chosen, in order."""

GAMES = pl.Schema(
    {
        "game": pl.UInt32(),
        "result": pl.String(),  # 1-0, 0-1 or 1/2-1/2
        "termination": pl.String(),  # the rule that ended it, `resignation` or `max_plies`
        "plies": pl.UInt16(),  # the opening's included
        "opening": pl.String(),  # the name of the opening, may be empty
        "start_fen": pl.String(),  # null for the standard position
        "opening_moves": pl.List(pl.String),  # in UCI, from `start_fen`
        "contempt_visits": pl.UInt32(),  # N_scl of the searches in the game, null without contempt
        "seed": pl.UInt64(),  # the seed of the run
        "played_out": pl.Boolean(),  # whether nobody might resign
        "resign_ply": pl.UInt16(),  # the plies after which a side was first ready to resign; null where none was
        "resign_white": pl.Boolean(),  # whether that side is White
    }
)
"""The columns of the table of all finished games, in order."""


class Ply(msgspec.Struct, frozen=True, array_like=True):
    """A move that was chosen; `PLIES` says what the fields are."""

    move: str
    moves: list[str] = []
    visits: list[int] = []
    nodes: int = 0
    q: float | None = None
    win: float | None = None
    draw: float | None = None
    loss: float | None = None
    value: float | None = None
    full: bool = False
    temperature: float = 0.0


class GameSummary(msgspec.Struct, frozen=True, kw_only=True):
    """A finished game without its moves; `GAMES` says what the fields are."""

    game: int
    result: Result
    termination: str
    plies: int
    opening: str
    start_fen: str | None
    opening_moves: list[str]
    contempt_visits: int | None
    seed: int
    played_out: bool
    resign_ply: int | None
    resign_white: bool | None

    @property
    def decisive(self) -> bool:
        return self.result != "1/2-1/2"

    @property
    def played(self) -> int:
        """The number of plies without those of the opening."""
        return self.plies - len(self.opening_moves)


class Finished(msgspec.Struct, frozen=True):
    """A finished game."""

    summary: GameSummary
    plies: list[Ply]

    @property
    def number(self) -> int:
        """The number of the game in the run, from 0."""
        return self.summary.game

    @property
    def decisive(self) -> bool:
        return self.summary.decisive

    @property
    def played(self) -> int:
        """As in `GameSummary`."""
        return self.summary.played


def games_table(summaries: Sequence[GameSummary]) -> pl.DataFrame:
    """A table of finished games with the columns `GAMES`."""
    return pl.DataFrame([msgspec.structs.astuple(one) for one in summaries], schema=GAMES, orient="row")


def plies_table(games: Sequence[Finished]) -> pl.DataFrame:
    """A table of the moves of games with the columns `PLIES`."""
    rows = [row for game in games for row in _rows(game)]
    return pl.DataFrame(rows, schema=PLIES, orient="row")


def read_summaries(table: pl.DataFrame) -> list[GameSummary]:
    """The games in a table with the columns `GAMES`, such as `polars.read_parquet("runs/a/games/*.parquet")`."""
    return [msgspec.convert(row, GameSummary) for row in table.iter_rows(named=True)]


def read_plies(table: pl.DataFrame) -> dict[int, list[Ply]]:
    """The moves in a table with the columns `PLIES`, such as `polars.read_parquet("runs/a/plies/*.parquet")`, by the
    number of the game.
    """
    found: dict[int, list[Ply]] = {}
    for game, *row in table.drop("ply", "white").iter_rows():
        found.setdefault(game, []).append(msgspec.convert(row, Ply))
    return found


def _rows(game: Finished) -> list[tuple[object, ...]]:
    summary = game.summary
    book = len(summary.opening_moves)
    white_starts = summary.start_fen is None or summary.start_fen.split()[1] == "w"
    return [
        (summary.game, ply, white_starts == (ply % 2 == 0), *msgspec.structs.astuple(one))
        for ply, one in enumerate(game.plies, book)
    ]


def pgn_record(game: Finished, player: str, versions: str) -> GameRecord:
    """The record of a game for a PGN file, in which game n is round n + 1."""
    summary = game.summary
    name = player if summary.contempt_visits is None else f"{player}, contempt after {summary.contempt_visits}"
    return GameRecord(
        pair=summary.game,
        game_in_pair=1,
        framework="selfplay",
        white=name,
        black=name,
        focal_white=True,
        opening=Opening(summary.start_fen, tuple(summary.opening_moves), summary.opening),
        moves=tuple(_pgn_move(ply) for ply in game.plies),
        result=summary.result,
        termination=summary.termination,
        seed=summary.seed,
        versions=versions,
    )


def _pgn_move(ply: Ply) -> MoveRecord:
    value = None if ply.value is None else round(ply.value, 4)
    return MoveRecord(ply.move, value=value, info={"nodes": ply.nodes})
