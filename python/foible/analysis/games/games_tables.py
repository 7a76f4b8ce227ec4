"""Statistics of games as tables that are printed, stored as CSV, and shown on the page."""

from collections.abc import Callable, Iterator, Sequence

from foible.analysis.estimates import in_percent, share_of_games
from foible.analysis.games.game_ends import ENDS, Result
from foible.analysis.games.game_facts import LARGE
from foible.analysis.games.game_files import GameFiles, GameSet
from foible.analysis.games.game_phases import Box, PhaseSummary
from foible.analysis.games.games_summary import PIECE, Beginning, Summary
from foible.analysis.report_page import Cell, GamesTable, games_table
from foible.games.phases import PHASES
from foible.wording import percent

HOW_TO_READ = "value ± standard error, games taken as independent: where many are repeated, the error is larger"
AT = (4, 10, 20)
"""The full moves for which the table of results has the share of repeated games."""
MOVES = (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 15, 20, 25, 30, 40, 50, 60, 80, 100, 150, 200, 300)
"""The full moves in the table of repeated games, which ends where the shares become constant."""
SHOWN = 12
"""The number of commonest openings and first moves that tables show."""
WON: tuple[tuple[Result, str], ...] = (("1-0", "White wins"), ("1/2-1/2", "draws"), ("0-1", "Black wins"))
PHASES_AT = tuple(range(5, 50, 5))
"""The moves for which tables give the values of curves."""
STEP = 5
"""The width in moves of the intervals in which starts of phases are counted."""
Column = tuple[str, PhaseSummary]
"""A file's name and its phases."""


def tables_of(games: GameFiles) -> list[GamesTable]:
    """All tables, with one column for each file."""
    return [*printed_tables(games), *curves_tables(_phases(games))]


def printed_tables(games: GameFiles) -> list[GamesTable]:
    """The tables without those of the curves of phases, which figures show better."""
    return [
        results_table(games.sets),
        repeated_table(games.sets),
        ends_table(games.sets),
        measures_table(games.sets),
        material_table(games.sets),
        openings_table(games.sets),
        first_moves_table(games.sets),
        *phases_tables(_phases(games)),
    ]


def _phases(games: GameFiles) -> list[Column]:
    return [(file.name, file.summary.phases) for file in games.sets if file.summary.phases]


def results_table(sets: Sequence[GameSet]) -> GamesTable:
    """The table of the most important numbers."""
    note = (
        "(w+l)/d: decided games for each draw, with Wilson's interval of the decided share;"
        " repeated: percent of games whose moves up to that full move are those of another game of the set"
    )
    return _by_rows("results", "Results", sets, _results, note)


def _results(summary: Summary) -> Iterator[tuple[str, Cell]]:
    ratio, _, interval = str(summary.decisive_ratio).partition(" ")
    yield "games", summary.games
    yield "White wins, %", in_percent(summary.shares.white)
    yield "draws, %", in_percent(summary.shares.draws)
    yield "Black wins, %", in_percent(summary.shares.black)
    yield "(w+l)/d", ratio
    yield "95 % interval", interval.strip("[]").replace(", ", "–") or None
    yield "plies, mean", summary.length.mean
    yield "plies, median", summary.length.quantiles.get(50)
    yield from ((f"repeated to move {move} %", 100 * summary.repeated_at(move)) for move in AT)


def repeated_table(sets: Sequence[GameSet]) -> GamesTable:
    """The shares of repeated games, with one row for each full move."""
    last = max(games.summary.settled for games in sets)
    moves = [move for move in MOVES if move < last] + [last]
    rows: list[tuple[Cell, ...]] = [
        (str(move), *(100 * games.summary.repeated_at(move) for games in sets)) for move in moves
    ]
    note = (
        "a game that ended earlier counts where another is the same from beginning to end, so the last row is the"
        " share of games that have a copy"
    )
    title = "Games repeated up to a full move, percent"
    return GamesTable("repeated", title, ("move", *_names(sets)), tuple(rows), note)


def ends_table(sets: Sequence[GameSet]) -> GamesTable:
    """The shares of the ways in which games ended, with one row for each that occurred."""
    occurred = [end for end in ENDS if any(end in games.summary.ends for games in sets)]
    rows = [
        (end, *(in_percent(share_of_games(games.summary.ends.get(end, 0), games.summary.games)) for games in sets))
        for end in occurred
    ]
    note = "by the rules where the last position and the result agree, else by the Termination tag"
    return GamesTable("ends", "How games ended", ("end", *_names(sets)), tuple(rows), note)


def measures_table(sets: Sequence[GameSet]) -> GamesTable:
    """The table of length, complications and evaluations."""
    note = "checks include mates"
    if any(games.summary.swings for games in sets):
        note += f"; swings: changes of White's expected score from ply to ply, large from {percent(LARGE, digits=0)} on"
    return _by_rows("measures", "Length and complications", sets, _measures, note)


def _measures(summary: Summary) -> Iterator[tuple[str, Cell]]:
    yield "plies, mean", summary.length.mean
    yield "plies, shortest", summary.length.shortest
    for quantile, plies in summary.length.quantiles.items():
        yield "plies, median" if quantile == 50 else f"plies, {quantile} % quantile", plies
    yield "plies, longest", summary.length.longest
    for name, mean in summary.complications.items():
        yield f"{name} per game", mean
    if summary.swings:
        yield "games evaluated", summary.swings.games
        yield "mean swing, %", in_percent(summary.swings.swing)
        yield "large swings, %", in_percent(summary.swings.large)


def material_table(sets: Sequence[GameSet]) -> GamesTable:
    """The table of the material imbalance."""
    note = "difference in pawns (1, 3, 3, 5, 9) after each ply, also in the middle of exchanges; percent of positions"
    return _by_rows("material", "Material", sets, _material, note)


def _material(summary: Summary) -> Iterator[tuple[str, Cell]]:
    yield "mean difference", summary.material.imbalance
    yield "unequal, %", in_percent(summary.material.unequal)
    yield f"{PIECE} pawns or more, %", in_percent(summary.material.piece)


def _by_rows(
    name: str,
    title: str,
    sets: Sequence[GameSet],
    rows_of: Callable[[Summary], Iterator[tuple[str, Cell]]],
    note: str,
) -> GamesTable:
    return games_table(name, title, [(games.name, rows_of(games.summary)) for games in sets], note)


def openings_table(sets: Sequence[GameSet]) -> GamesTable:
    """The table of the commonest openings, by ECO code, or by name where a game has no code."""
    begins = [games.summary.openings for games in sets]
    remark = "; a code has the name that most of its games bear"
    if any(not beginning.key and not beginning.name for beginning in begins[-1]):
        remark += "; –: named neither by tags nor by a table (--eco)"
    return _beginnings("openings", "Openings", "opening", begins, sets, remark)


def first_moves_table(sets: Sequence[GameSet]) -> GamesTable:
    """The table of the commonest first moves."""
    begins = [games.summary.first_moves for games in sets]
    return _beginnings("first_moves", "First moves", "moves", begins, sets)


def _beginnings(
    name: str, title: str, kind: str, begins: Sequence[Sequence[Beginning]], sets: Sequence[GameSet], remark: str = ""
) -> GamesTable:
    """A table of beginnings: their share in each set, and their results in all games.

    `begins`: the beginnings of each set, with those of the total last.
    """
    counts = [{beginning.key or beginning.name: beginning.games for beginning in of_set} for of_set in begins]
    shown = begins[-1][:SHOWN]
    rows: list[tuple[Cell, ...]] = [
        (
            f"{beginning.key} {beginning.name}".strip() or "–",
            *(
                in_percent(share_of_games(of_set.get(beginning.key or beginning.name, 0), games.summary.games))
                for of_set, games in zip(counts, sets, strict=True)
            ),
            *(beginning.games, beginning.white, beginning.draws, beginning.black),
        )
        for beginning in shown
    ]
    columns = (kind, *(f"{name} %" for name in _names(sets)), "games", "White", "draws", "Black")
    few = f"the {len(shown)} commonest of {len(begins[-1])}; " if len(shown) < len(begins[-1]) else ""
    together = " of all files together" if len(sets) > 1 else ""
    note = f"{few}how common they are, then the games and their results{together}{remark}"
    return GamesTable(name, title, columns, tuple(rows), note)


def _names(sets: Sequence[GameSet]) -> Iterator[str]:
    return (games.name for games in sets)


def phases_tables(columns: Sequence[Column]) -> list[GamesTable]:
    """Tables of the phases as wholes, each named like its figure; none where phases were not asked for."""
    if not columns:
        return []
    note = (
        f"lichess' rule with the {columns[0][1].table} scores of mixedness; positions before each ply; a phase starts"
        " at half the ply index of its first position, deviation: of the population; backward: to an earlier phase"
    )
    return [
        _table("phases", "Phases of the game", columns, _whole_phases, note),
        _table("phase_results", "Results of the games that reach a phase", columns, _phase_results),
    ]


def curves_tables(columns: Sequence[Column]) -> list[GamesTable]:
    """Tables of the phases move by move, each named like its figure; none where phases were not asked for."""
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
    return games_table(name, title, [(file, rows_of(phases)) for file, phases in columns], note)


def _whole_phases(phases: PhaseSummary) -> Iterator[tuple[str, Cell]]:
    for phase, share in zip(PHASES, phases.shares, strict=True):
        yield f"{phase} positions, %", in_percent(share)
    for phase, games in zip(PHASES[1:], phases.reaching[1:], strict=True):
        yield f"games with {phase}, %", in_percent(share_of_games(games, phases.games))
    for phase, start, deviation in zip(PHASES[1:], phases.starts[1:], phases.start_deviations[1:], strict=True):
        yield f"{phase} starts, move", start
        yield f"{phase} starts, deviation", deviation
    yield "games with a backward step, %", in_percent(phases.backward_share)
    steps = sum(steps * games for steps, games in phases.backward.items())
    yield "backward steps per game", steps / phases.games if phases.games else None


def _phase_results(phases: PhaseSummary) -> Iterator[tuple[str, Cell]]:
    for phase, results in zip(PHASES, phases.results, strict=True):
        for result, name in WON:
            yield f"{phase}: {name}, %", in_percent(share_of_games(results[result], sum(results.values())))


def _starts(phases: PhaseSummary) -> Iterator[tuple[str, Cell]]:
    for phase, moves, games in zip(PHASES[1:], phases.start_moves[1:], phases.reaching[1:], strict=True):
        for first in range(0, len(moves), STEP):
            yield (
                f"{phase}, moves {first}–{first + STEP}",
                in_percent(share_of_games(sum(moves[first : first + STEP]), games)),
            )


def _by_move(phases: PhaseSummary) -> Iterator[tuple[str, Cell]]:
    for phase, positions in zip(PHASES, phases.by_ply, strict=True):
        for move in PHASES_AT:
            yield f"{phase}, move {move}", in_percent(share_of_games(positions[2 * move - 1], phases.lasting(2 * move)))


def _sparse(phases: PhaseSummary) -> Iterator[tuple[str, Cell]]:
    for move in PHASES_AT:
        yield f"move {move}", in_percent(share_of_games(phases.sparse_by_ply[2 * move - 1], phases.lasting(2 * move)))


def _mixedness(phases: PhaseSummary) -> Iterator[tuple[str, Cell]]:
    return _boxes(phases.mixedness)


def _majors(phases: PhaseSummary) -> Iterator[tuple[str, Cell]]:
    return _boxes(phases.majors_and_minors)


def _boxes(boxes: dict[int, Box]) -> Iterator[tuple[str, Cell]]:
    for move, box in boxes.items():
        low, median, high = box.quartiles
        yield f"move {move}", f"{median:g} ({low:g}–{high:g})"
