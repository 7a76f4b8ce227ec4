"""The facts kept of each game: enough for every statistic, small enough for a hundred thousand games.

They include the swings of the evaluations in the comments on moves. Four notations of evaluations are read:
`[%eval 0.35]` and `[%eval #-3]` (White's pawns, mate in 3 for Black), `wv=0.35` (the same, as tournament programs
write), `+0.35/12 1.2s` and `-M5/20` (the mover's pawns and depth, as match runners write), and `senior 0.5312; …`
(the mover's expected score, as foible writes).
"""

import re
from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from foible._core import ChessPosition
from foible.analysis.games.game_ends import End, Result, end_of, line_of, result_of
from foible.analysis.games.game_phases import PlyPhases, ply_phases
from foible.analysis.games.opening_names import NO_TABLE, NamedOpening, OpeningNames
from foible.engines.search import win_probability
from foible.games.chess import positions_along
from foible.games.pgn import PgnGame, score_sheet
from foible.games.phases import PhaseTable

LARGE = 0.1
"""The change of expected score from which on a swing is large."""
_COMMENT = re.compile(
    r"\[%eval\s+(?P<eval>[-+#M\d.]+)"
    r"|\bwv=(?P<wv>[-+#M\d.]+)"
    r"|^(?P<mover>[-+]?(?:M\d+|\d+\.\d+))/\d+"
    r"|^\w+ (?P<score>[01]\.\d{4})(?=;|$)"
)
_PAWNS_OR_MATE = re.compile(r"[-+]?(?P<mate>[#M]?)[-+]?(?P<number>\d+(?:\.\d*)?|\.\d+)")
FIRST_MOVES = 4
"""The number of plies by which games are grouped in the table of first moves."""
_PAWNS = {"P": 1, "N": 3, "B": 3, "R": 5, "Q": 9, "p": -1, "n": -3, "b": -3, "r": -5, "q": -9}


@dataclass(frozen=True, slots=True)
class Swings:
    """The changes of a game's evaluation from ply to ply."""

    plies: int = 0
    """The number of plies that have an evaluation and follow one that has."""
    total: float = 0.0
    """The sum of the absolute changes of White's expected score, each 0 to 1."""
    large: int = 0
    """The number of changes of at least `LARGE`."""


def white_score(comment: str, white_moved: bool) -> float | None:
    """White's expected score after a move, 0 to 1; `None` where the comment holds no evaluation.

    Pawns become 1 / (1 + exp(−0.4 pawns)) (opponent-modelling §1.5), a mate 1 or 0.
    """
    found = _COMMENT.search(comment)
    if found is None:
        return None
    if found["score"] is not None:
        score = float(found["score"])
        return score if white_moved else 1 - score
    pawns = _PAWNS_OR_MATE.fullmatch(found["eval"] or found["wv"] or found["mover"])
    if pawns is None:
        return None
    number = float(pawns["number"])
    if pawns["mate"] and number == 0:
        return float(white_moved)
    negative = "-" in pawns[0]
    of_mover = float(not negative) if pawns["mate"] else win_probability(100 * (-number if negative else number))
    return of_mover if white_moved or found["mover"] is None else 1 - of_mover


def swings(comments: Sequence[str | None], white_first: bool) -> Swings:
    """The swings of a game's evaluations. `comments`: one per ply, as in `PgnGame.comments`."""
    last: float | None = None
    steps: list[float] = []
    for ply, comment in enumerate(comments):
        score = white_score(comment, (ply % 2 == 0) == white_first) if comment else None
        if score is not None and last is not None:
            steps.append(abs(score - last))
        last = score
    return Swings(len(steps), sum(steps), sum(step >= LARGE for step in steps))


class Complications(NamedTuple):
    """The numbers of events that make a game sharp, both sides together."""

    captures: int
    checks: int
    """The number of checks, a mate included."""
    promotions: int
    castlings: int


@dataclass(frozen=True, slots=True)
class GameFacts:
    """The facts kept of one game."""

    number: int
    """The number of the game in its file, from 1; games that cannot be read count."""
    white: str
    black: str
    result: Result
    end: End
    contradicted: bool
    """Whether the rules give the last position another result than the game states."""
    start: str
    """The starting position as text, equal for equal positions."""
    line: str
    """The moves, in the form of `line_of`."""
    plies: int
    first_moves: str
    opening: NamedOpening
    complications: Complications
    imbalance: "array[int]"
    """`[plies]`, 16 bits each: `|White's material − Black's|` after each ply, in pawns."""
    swings: Swings
    phases: PlyPhases | None = None
    """`None` where phases were not asked for."""


def facts_of(game: PgnGame, openings: OpeningNames = NO_TABLE, table: PhaseTable | None = None) -> GameFacts:
    """Replay a game and collect its facts.

    `openings`: names openings that the tags do not name. `table`: the scores by which phases are determined, if wanted.
    """
    start = ChessPosition(game.start_fen, chess960=game.chess960)
    positions = positions_along(start, game.moves)
    sans = list(map(ChessPosition.san, positions, game.moves))
    last = positions[-1]
    outcome = last.outcome()
    result = result_of(game.result, outcome)
    return GameFacts(
        number=game.number,
        white=game.tags.get("White", "?"),
        black=game.tags.get("Black", "?"),
        result=result,
        end=end_of(result, last.outcome(claim_draw=True), _termination(game.tags)),
        contradicted=outcome is not None and outcome.result != result,
        start=_start_of(start),
        line=line_of(game.moves),
        plies=len(game.moves),
        first_moves=" ".join(score_sheet(sans[:FIRST_MOVES], black_first=start.turn == "second")),
        opening=openings.of(game),
        complications=_complications(sans),
        imbalance=_imbalances(positions, sans),
        swings=swings(game.comments or (), start.turn == "first"),
        phases=None if table is None else ply_phases(positions[:-1], table),
    )


def _termination(tags: dict[str, str]) -> str:
    """The Termination tag without the players' names, which some servers include: `Timecop` must not count as time."""
    text = tags.get("Termination", "")
    names = "|".join(re.escape(name) for name in (tags.get("White"), tags.get("Black")) if name and name in text)
    return re.sub(rf"(?<!\w)({names})(?!\w)", "", text) if names else text


def _imbalances(positions: Sequence[ChessPosition], sans: Sequence[str]) -> "array[int]":
    """The imbalance after each move, recomputed only after captures and promotions, as no other move changes it."""
    found, now = array("H"), _imbalance(positions[0])
    for position, san in zip(positions[1:], sans, strict=True):
        if "x" in san or "=" in san:
            now = _imbalance(position)
        found.append(now)
    return found


def _imbalance(position: ChessPosition) -> int:
    board = position.fen.split(" ", 1)[0]
    return abs(sum([_PAWNS[piece] for piece in board if piece in _PAWNS]))


def _complications(sans: list[str]) -> Complications:
    text = " ".join(sans)
    # O-O-O contains O-O once.
    return Complications(text.count("x"), text.count("+") + text.count("#"), text.count("="), text.count("O-O"))


def _start_of(position: ChessPosition) -> str:
    """The starting position as text, without the move counters of the FEN."""
    board = position.fen.rsplit(" ", 2)[0]
    return f"{board} 960" if position.chess960 else board
