"""The judged games for people who play: as PGN with evaluations and marks; and a player's worst moves as a table."""

from collections.abc import Iterable, Iterator
from itertools import chain, islice
from typing import Final

import polars as pl

from foible._core import ChessPosition
from foible.analysis.game_review import numbered
from foible.analysis.quality.analysed_games import AnalysedGame, AnalysedGames
from foible.analysis.quality.plies_table import ScoreOf
from foible.analysis.report_page import Cell, Table
from foible.games.pgn import NAGS, tag_lines, wrapped
from foible.judges.base import Score
from foible.judges.units import centipawns
from foible.wording import mark

WORST: Final = 10
"""The number of moves in the table of the worst ones."""


def annotated_pgn(games: AnalysedGames, plies: pl.DataFrame, score: ScoreOf, judge: str) -> Iterator[str]:
    """The games as PGN, each with its final blank line, from where their players chose the moves.

    After each move stands the judge's evaluation, `[%eval 0.31]` in pawns for White or `[%eval #-4]`, of which chess
    programs draw curves. A move that loses 5 % of win probability or more is marked, with what it loses and the judge's
    move.

    :param plies: the moves of the games, as `plies_table.table_of` has them.
    :param score: the judge's verdict on any position of the games.
    """
    rows = plies.select("best", "loss").iter_rows()
    for game in games.games:
        tags = {**game.tags, "Annotator": f"foible, judge {judge}"}
        if game.start.chess960:
            tags["Variant"] = "Chess960"
        if game.start.fen != ChessPosition().fen:
            tags |= {"SetUp": "1", "FEN": game.start.fen}
        words = chain.from_iterable(_moves(game, islice(rows, len(game.moves)), score))
        yield f"{tag_lines(tags)}\n{wrapped([*words, game.tags['Result']])}\n\n"


def _moves(game: AnalysedGame, rows: Iterable[tuple[str | None, float]], score: ScoreOf) -> Iterator[list[str]]:
    """The words of each move, between which a line may be broken."""
    *befores, last = game.positions()
    afters = [*befores[1:], None if game.exact_end or last.outcome() else last]
    for before, after, played, (best, loss) in zip(befores, afters, game.moves, rows, strict=True):
        words = [f"[%eval {_evaluation(after, score(after))}]"] if after else []
        if sign := mark(loss / 100):
            better = ["better", before.san(best)] if best and best != played.move else []
            words += ["loses", f"{loss:.1f}", "%;" if better else "%", *better]
        comment = ["{", *words, "}"] if words else []
        yield [*numbered(before, played.move).split(), *([f"${NAGS[sign]}"] if sign else []), *comment]


def _evaluation(position: ChessPosition, score: Score) -> str:
    """The score of a position for White, in pawns or moves to mate."""
    white = score if position.turn == "first" else score.turned()
    return f"{centipawns(white) / 100:.2f}" if white.mate is None else f"#{white.mate}"


def worst_table(games: AnalysedGames, plies: pl.DataFrame) -> Table:
    """The focal player's moves that lost most."""
    worst = (
        plies.filter("focal", pl.col("loss") > 0)
        .sort("loss", "game", "ply", descending=[True, False, False])
        .head(WORST)
    )
    rows: list[tuple[Cell, ...]] = []
    for row in worst.iter_rows(named=True):
        game = games.games[row["game"]]
        before = game.positions()[row["ply"] - len(game.start.moves)]
        better = before.san(row["best"]) if row["best"] and row["best"] != row["move"] else None
        rows.append(
            (
                numbered(before, row["move"]),
                f"{row['game'] + 1}: {_who(game)}",
                100 * row["wp_before"],
                100 * row["wp_after"],
                row["loss"],
                better,
            )
        )
    columns = ("move", "game", "before, %", "after, %", "loss", "better")
    note = (
        f"win probability of {games.focal}; better: the judge's move, – where it would have played the same and saw the"
        " loss only afterwards; games.pgn has the games, by these numbers, with the evaluations of all moves"
    )
    return Table("worst", f"The worst moves of {games.focal}", columns, tuple(rows), note)


def _who(game: AnalysedGame) -> str:
    """A game in a few words: the players, the day."""
    day = game.tags.get("Date", "")
    played = f", {day}" if day and "?" not in day else ""
    return f"{game.tags['White']} – {game.tags['Black']}{played}"
