"""The stages of mining, from a position of a game to a puzzle with its solution, cheap ones first.

A puzzle from a game must stand beside a mistake: the opponent's last move was one, or the game's move missed the
solution. Where one player is wanted, these are the puzzles that the player missed and those that the player allowed.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from foible._core import ChessPosition
from foible.analysis.puzzles.criterion import Criterion, Looks, SearchView, lead
from foible.analysis.puzzles.mining_sources import PuzzleCandidate
from foible.analysis.puzzles.puzzle import Puzzle
from foible.engines.pool import EnginePool
from foible.engines.search import Variation
from foible.games.chess import is_mate, positions_along
from foible.loop import wait
from foible.nets.evaluator import Evaluator
from foible.opponents.game_tags import name_key

MOST: Final = 12
"""The most moves of the solver in a line."""


@dataclass(slots=True)
class _Line:
    """A solution that is being extended."""

    moves: list[str]
    position: ChessPosition
    """The position after the moves."""


def solve(
    looks: Looks, starts: Sequence[ChessPosition], firsts: Sequence[str], criterion: Criterion
) -> list[tuple[str, ...]]:
    """Extend the first moves to full solutions, each an odd number of plies.

    The opponent answers with the search's best move; if all lose, with the one that is mated last. The solver's next
    move is added while `Criterion.goes_on` holds, by a search of N visits and one of N visits without that move. So a
    line ends with the game, or where several moves win. Forced moves of the solver at its end are left out.
    """
    lines = [_Line([first], start.play(first)) for start, first in zip(starts, firsts, strict=True)]
    growing = lines
    while growing := [line for line in growing if len(line.moves) < 2 * MOST - 1 and line.position.outcome() is None]:
        growing = _extended(growing, looks, criterion)
    return [without_forced_end(start, line.moves) for start, line in zip(starts, lines, strict=True)]


def without_forced_end(start: ChessPosition, moves: Sequence[str]) -> tuple[str, ...]:
    """The moves without the solver's last ones that were the only legal moves; a mating move is kept."""
    positions = positions_along(start, moves)
    length = len(moves)
    while length > 1 and len(positions[length - 1].legal_moves) == 1 and not is_mate(positions[length]):
        length -= 2
    return tuple(moves[:length])


def _extended(lines: Sequence[_Line], looks: Looks, criterion: Criterion) -> list[_Line]:
    """Add a reply and the solver's next move to each line where that is possible; returns these lines."""
    replies = [view.best for view in looks.search([line.position for line in lines], criterion.nodes)]
    answered = [
        (line, reply, position)
        for line, reply in zip(lines, replies, strict=True)
        if (position := line.position.play(reply)).outcome() is None
    ]
    positions = [position for *_, position in answered]
    views = looks.search(positions, criterion.nodes)
    others = looks.without(positions, [view.best for view in views], criterion.nodes)
    extended = []
    for (line, reply, position), view, other in zip(answered, views, others, strict=True):
        if criterion.goes_on(view, other):
            line.moves += reply, view.best
            line.position = position.play(view.best)
            extended.append(line)
    return extended


def confirmed(
    engines: EnginePool, starts: Sequence[ChessPosition], solutions: Sequence[Sequence[str]], margin: float
) -> list[tuple[str, ...]]:
    """Each solution as far as a strong engine agrees; empty where it prefers another first move or finds several.

    The engine agrees with a move if it would play it and the move is better than the next one by the margin, in win
    probability 1 / (1 + exp(−0.004 cp)) (opponent-modelling §1.5). After the first move it also agrees with the only
    move to the shortest mate, and with any move that mates at once.
    """
    asked: list[ChessPosition] = []
    for start, moves in zip(starts, solutions, strict=True):
        asked += _solver_positions(start, moves)
    answers = iter(wait(engines.search(asked, multipv=2)))
    kept = []
    for start, moves in zip(starts, solutions, strict=True):
        agreed, length = True, 0
        for index, position in enumerate(_solver_positions(start, moves)):
            best, *others = next(answers)
            move = moves[2 * index]
            is_only = best.move == move and all(_is_worse(other, best, margin, later=index > 0) for other in others)
            agreed = agreed and (is_only or (index > 0 and is_mate(position.play(move))))
            length = 2 * index + 1 if agreed else length
        kept.append(without_forced_end(start, moves[:length]))
    return kept


def _is_worse(other: Variation, best: Variation, margin: float, *, later: bool) -> bool:
    if later and best.mate is not None and best.mate > 0:
        return other.mate is None or not 0 < other.mate <= best.mate
    return best.human_wp - other.human_wp >= margin


def _solver_positions(start: ChessPosition, moves: Sequence[str]) -> list[ChessPosition]:
    return positions_along(start, moves)[:-1:2]


REASONS: Final = {
    "forced": "the side to move has no choice",
    "won": "won already, as the short look sees",
    "quiet": "no gain in sight of the scout",
    "gain": "the long look gains less than δ",
    "ambiguous": "a second move is nearly as good",
    "no mistake": "no mistake beside it, or not one of the player's",
    "refuted": "the check search finds no such gain",
    "second solution": "the check search finds a second move",
    "engine": "the engine finds another or a second solution",
    "known": "a position of a puzzle already found",
}
"""The reasons for which a position is no puzzle, in the order in which they are checked."""

MEMORY: Final = 1_000_000
"""The number of remembered verdicts from which on they are forgotten."""
UNSEEN: Final = SearchView("", 0.0, 0.0)


@dataclass(frozen=True)
class Tools:
    """The searches, engine and nets that examine positions, with the criterion."""

    looks: Looks
    criterion: Criterion
    engines: EnginePool | None = None
    """The processes of the engine that confirms puzzles."""
    human: Mapping[str, Evaluator] = field(default_factory=dict)
    """The nets that predict the difficulty, one for each of `difficulty.LEVELS`, or none."""
    player: str | None = None
    """The player whose mistakes are wanted; everybody's when absent."""


@dataclass(frozen=True, slots=True)
class Prospect:
    """A position that has passed all stages so far."""

    candidate: PuzzleCandidate
    shallow: float
    """The solver's win probability by the short search, 0 to 1."""
    deep: SearchView = UNSEEN
    """What the long search sees."""
    margin: float = 0.0
    """The lead of the best move over the others, the smaller of those by the long search and by its check."""
    mistakes: str = ""
    """The mistakes beside it and who made them, in words."""
    solution: tuple[str, ...] = ()

    @property
    def key(self) -> str:
        """The key of the position."""
        return position_key(self.candidate.position)


@dataclass(frozen=True)
class Memory:
    """Results of earlier parts of the work."""

    covered: set[str] = field(default_factory=set)
    """The keys of the positions in the puzzles found."""
    verdicts: dict[int, str] = field(default_factory=dict)
    """Why a position is no puzzle, by `PuzzleCandidate.prefix`. This only saves time, since games share openings."""


def position_key(position: ChessPosition) -> str:
    """Board, side to move, castling and en passant: positions with an equal key are the same puzzle."""
    return " ".join(position.fen.split()[:4])


def unique_at_n(
    candidates: Sequence[PuzzleCandidate], tools: Tools, dropped: Counter[str], memory: Memory
) -> list[Prospect]:
    """The candidates that fulfil the criterion at N visits; each prefix of games is searched only once."""
    if len(memory.verdicts) > MEMORY:
        memory.verdicts.clear()
    new: dict[int, PuzzleCandidate] = {}
    for candidate in candidates:
        if candidate.prefix not in memory.verdicts:
            new.setdefault(candidate.prefix, candidate)
    looked = _look(list(new.values()), tools, memory)
    prospects = []
    for candidate in candidates:
        if (reason := memory.verdicts.get(candidate.prefix)) is not None:
            dropped[reason] += 1
        else:
            prospects.append(replace(looked[candidate.prefix], candidate=candidate))
    return prospects


def _look(candidates: Sequence[PuzzleCandidate], tools: Tools, memory: Memory) -> dict[int, Prospect]:
    """Apply the criterion by the short search, the scout and the long search; returns what passes, by prefix.

    For the other candidates the memory gets the reason.
    """
    looks, criterion = tools.looks, tools.criterion

    def keep(reason: str, tested: Sequence[Prospect], tests: Iterable[bool]) -> list[Prospect]:
        results = list(zip(tested, tests, strict=True))
        memory.verdicts.update({prospect.candidate.prefix: reason for prospect, passed in results if not passed})
        return [prospect for prospect, passed in results if passed]

    def search(prospects: Sequence[Prospect], nodes: int) -> list[SearchView]:
        return looks.search([prospect.candidate.position for prospect in prospects], nodes)

    positions = [candidate.position for candidate in candidates]
    shallow = looks.search(positions, criterion.shallow)
    prospects = [Prospect(candidate, view.wp) for candidate, view in zip(candidates, shallow, strict=True)]
    prospects = keep("won", prospects, (criterion.leaves_room(prospect.shallow) for prospect in prospects))
    if criterion.scout_nodes is not None:
        scouts = search(prospects, criterion.scout_nodes)
        prospects = keep(
            "quiet", prospects, (criterion.is_promising(f.shallow, v) for f, v in zip(prospects, scouts, strict=True))
        )
    prospects = [
        replace(prospect, deep=view)
        for prospect, view in zip(prospects, search(prospects, criterion.nodes), strict=True)
    ]
    prospects = keep("gain", prospects, (criterion.gains(prospect.shallow, prospect.deep) for prospect in prospects))
    prospects = keep("ambiguous", prospects, (criterion.is_unique(prospect.deep) for prospect in prospects))
    return {prospect.candidate.prefix: prospect for prospect in prospects}


def beside_mistakes(prospects: Sequence[Prospect], tools: Tools, dropped: Counter[str]) -> list[Prospect]:
    """The positions of games that stand beside a mistake, of the player if one is named; and all lone positions."""
    before = [prospect.candidate.before for prospect in prospects if prospect.candidate.before is not None]
    views = iter(tools.looks.search(before, tools.criterion.nodes))
    player = name_key(tools.player or "")
    kept = []
    for prospect in prospects:
        candidate, mistakes = prospect.candidate, []
        if candidate.before is not None:
            given_away = next(views).wp - (1 - prospect.deep.wp)
            if given_away >= tools.criterion.mistake and player in ((), name_key(candidate.opponent)):
                mistakes.append(f"after a mistake of {candidate.opponent or 'the opponent'}")
        if candidate.played not in (None, prospect.deep.best) and player in ((), name_key(candidate.solver)):
            mistakes.append(f"missed by {candidate.solver or 'the player'}")
        if mistakes or not candidate.game.moves:
            kept.append(replace(prospect, mistakes=", ".join(mistakes)))
    dropped["no mistake"] += len(prospects) - len(kept)
    return kept


def without_known(prospects: Sequence[Prospect], dropped: Counter[str], memory: Memory) -> list[Prospect]:
    """The positions that are no part of an earlier puzzle, each only the first time that it occurs."""
    first: dict[str, Prospect] = {}
    for prospect in prospects:
        first.setdefault(prospect.key, prospect)
    kept = [prospect for key, prospect in first.items() if key not in memory.covered]
    dropped["known"] += len(prospects) - len(kept)
    return kept


def checked(prospects: Sequence[Prospect], tools: Tools, reasons: dict[str, str]) -> list[Prospect]:
    """The positions confirmed by a longer search and by one of the other moves alone.

    `reasons`: gets the reason for each position that is not confirmed, by its key.
    """
    looks, criterion = tools.looks, tools.criterion
    positions = [prospect.candidate.position for prospect in prospects]
    longer = looks.search(positions, criterion.check_nodes)
    others = looks.without(positions, [prospect.deep.best for prospect in prospects], criterion.check_nodes)
    kept = []
    for prospect, view, other in zip(prospects, longer, others, strict=True):
        if view.best != prospect.deep.best or not criterion.gains(prospect.shallow, view):
            reasons[prospect.key] = "refuted"
        elif not criterion.is_unique(view, other):
            reasons[prospect.key] = "second solution"
        else:
            kept.append(replace(prospect, margin=min(lead(prospect.deep), lead(view, other))))
    return kept


def solved(prospects: Sequence[Prospect], tools: Tools, reasons: dict[str, str]) -> list[Prospect]:
    """The positions with their solutions, without those that the engine, if any, refutes.

    `reasons`: as in `checked`.
    """
    starts = [prospect.candidate.position for prospect in prospects]
    solutions = solve(tools.looks, starts, [prospect.deep.best for prospect in prospects], tools.criterion)
    if tools.engines is not None:
        solutions = confirmed(tools.engines, starts, solutions, tools.criterion.margin)
    reasons.update(
        (prospect.key, "engine") for prospect, solution in zip(prospects, solutions, strict=True) if not solution
    )
    return [
        replace(prospect, solution=solution)
        for prospect, solution in zip(prospects, solutions, strict=True)
        if solution
    ]


def positions_of(puzzle: Puzzle) -> list[str]:
    """The keys of a puzzle's positions with the solver to move, none of which may be a puzzle of its own."""
    return [position_key(position) for position in positions_along(puzzle.position, puzzle.solution)[:-1:2]]
