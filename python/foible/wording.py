"""How numbers are written for people: shares in percent, counts of things, values with a sign, marks of moves."""

from typing import Final

PLUS_MINUS: Final = (
    "± is one standard error by pairs of games, which share their start and, if there are any, their coins"
)
"""What ± means in reports of matches, and of the moves of matches."""


def percent(share: float | None, standard_error: float | None = None, digits: int = 1) -> str:
    """A share, 0 to 1, with its standard error where there is one; a dash for a share that is unknown.

    >>> percent(0.123), percent(0.615, 0.049), percent(0.5, digits=0), percent(None)
    ('12.3 %', '61.5 ± 4.9 %', '50 %', '–')
    """
    if share is None:
        return "–"
    within = "" if standard_error is None else f" ± {100 * standard_error:.{digits}f}"
    return f"{100 * share:.{digits}f}{within} %"


def counted(number: int, unit: str) -> str:
    """A number of things, of which one is called `unit`.

    >>> counted(1, "game"), counted(2, "game"), counted(0, "loss"), counted(2, "match"), counted(2, "ply")
    ('1 game', '2 games', '0 losses', '2 matches', '2 plies')
    """
    if number == 1:
        return f"1 {unit}"
    if unit.endswith(("s", "ch")):
        return f"{number} {unit}es"
    if unit.endswith("y") and unit[-2] not in "aeiou":
        return f"{number} {unit[:-1]}ies"
    return f"{number} {unit}s"


def results(wins: int, draws: int, losses: int) -> str:
    """The results of games.

    >>> results(3, 1, 0)
    '3 wins, 1 draw, 0 losses'
    """
    return f"{counted(wins, 'win')}, {counted(draws, 'draw')}, {counted(losses, 'loss')}"


MARKS: Final = ((0.20, "??"), (0.10, "?"), (0.05, "?!"))
"""How moves are marked that lose so much win probability or more, the worst first; below that they are not."""


def mark(loss: float) -> str:
    """The mark of a move that loses so much win probability, 0 to 1: `??`, `?`, `?!` or nothing.

    >>> mark(0.25), mark(0.1), mark(0.05), mark(0.04)
    ('??', '?', '?!', '')
    """
    return next((sign for least, sign in MARKS if loss >= least), "")


def signed(number: float, digits: int = 1) -> str:
    """A number with its sign; without one where it rounds to zero.

    >>> signed(-0.04), signed(0.26, 2)
    ('0.0', '+0.26')
    """
    text = f"{number:+.{digits}f}".replace("-", "−")
    return text[1:] if not float(text[1:]) else text
