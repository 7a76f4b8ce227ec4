"""The phases of games as tables; the columns are the files."""

from collections.abc import Callable, Iterator, Sequence

from foible.analysis.estimates import percent, share_of_games
from foible.analysis.games.game_ends import Result
from foible.analysis.games.game_phases import Box, PhaseSummary
from foible.analysis.report_table import Cell, GamesTable, games_table
from foible.games.phases import PHASES

WON: tuple[tuple[Result, str], ...] = (("1-0", "White wins"), ("1/2-1/2", "draws"), ("0-1", "Black wins"))
AT = tuple(range(5, 50, 5))
"""Moves at which curves are tabled."""
STEP = 5
"""Moves that the starts of phases are counted by."""

Column = tuple[str, PhaseSummary]
"""A file's name and its phases."""


def phases_tables(columns: Sequence[Column]) -> list[GamesTable]:
    """Of whole phases. Each has the name of the figure that shows it; none where no phases were asked for."""
    if not columns:
        return []
    note = (
        f"lichess' rule with the {columns[0][1].table} scores of mixedness; positions before each ply; a phase starts"
        " at half the ply index of its first position, deviation: of the population; backward: to an earlier phase"
    )
    return [
        _table("phases", "Phases of the game", columns, _phases, note),
        _table("phase_results", "Results of the games that reach a phase", columns, _results),
    ]


def curves_tables(columns: Sequence[Column]) -> list[GamesTable]:
    """Move by move, else as `phases_tables`."""
    if not columns:
        return []
    at = "after that many moves, of the games that last so long"
    return [
        _table("phase_starts", "Start of the phases", columns, _starts, "percent of the games that reach the phase"),
        _table("phases_by_ply", "Positions of each phase by move", columns, _by_move, f"percent {at}"),
        _table("mixedness", "Mixedness by move", columns, _mixedness, f"median (quartiles) {at}"),
        _table("majors_and_minors", "Pieces by move", columns, _majors, f"no pawns, no kings; median (quartiles) {at}"),
        _table("sparse_backrank", "Sparse backranks by move", columns, _sparse, f"percent {at}: fewer than 4 pieces"),
    ]


def _table(
    name: str,
    title: str,
    columns: Sequence[Column],
    rows_of: Callable[[PhaseSummary], Iterator[tuple[str, Cell]]],
    note: str = "",
) -> GamesTable:
    return games_table(name, title, [(file, rows_of(found)) for file, found in columns], note)


def _phases(found: PhaseSummary) -> Iterator[tuple[str, Cell]]:
    for phase, share in zip(PHASES, found.shares, strict=True):
        yield f"{phase} positions, %", percent(share)
    for phase, games in zip(PHASES[1:], found.reaching[1:], strict=True):
        yield f"games with {phase}, %", percent(share_of_games(games, found.games))
    for phase, start, deviation in zip(PHASES[1:], found.starts[1:], found.start_deviations[1:], strict=True):
        yield f"{phase} starts, move", start
        yield f"{phase} starts, deviation", deviation
    yield "games with a backward step, %", percent(found.backward_share)
    steps = sum(steps * games for steps, games in found.backward.items())
    yield "backward steps per game", steps / found.games if found.games else None


def _results(found: PhaseSummary) -> Iterator[tuple[str, Cell]]:
    for phase, results in zip(PHASES, found.results, strict=True):
        for result, name in WON:
            yield f"{phase}: {name}, %", percent(share_of_games(results[result], sum(results.values())))


def _starts(found: PhaseSummary) -> Iterator[tuple[str, Cell]]:
    for phase, moves, games in zip(PHASES[1:], found.start_moves[1:], found.reaching[1:], strict=True):
        for first in range(0, len(moves), STEP):
            yield (
                f"{phase}, moves {first}–{first + STEP}",
                percent(share_of_games(sum(moves[first : first + STEP]), games)),
            )


def _by_move(found: PhaseSummary) -> Iterator[tuple[str, Cell]]:
    for phase, positions in zip(PHASES, found.by_ply, strict=True):
        for move in AT:
            yield f"{phase}, move {move}", percent(share_of_games(positions[2 * move - 1], found.lasting(2 * move)))


def _sparse(found: PhaseSummary) -> Iterator[tuple[str, Cell]]:
    for move in AT:
        yield f"move {move}", percent(share_of_games(found.sparse_by_ply[2 * move - 1], found.lasting(2 * move)))


def _mixedness(found: PhaseSummary) -> Iterator[tuple[str, Cell]]:
    return _boxes(found.mixedness)


def _majors(found: PhaseSummary) -> Iterator[tuple[str, Cell]]:
    return _boxes(found.majors_and_minors)


def _boxes(boxes: dict[int, Box]) -> Iterator[tuple[str, Cell]]:
    for move, box in boxes.items():
        low, median, high = box.quartiles
        yield f"move {move}", f"{median:g} ({low:g}–{high:g})"
