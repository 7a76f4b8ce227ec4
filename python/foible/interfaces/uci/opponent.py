"""Who sits opposite: option `UCI_Opponent`."""

from dataclasses import dataclass
from typing import Final

from foible.errors import ConfigError
from foible.interfaces.uci.protocol import shown

NOBODY: Final = "<empty>"
"""How UCI writes a text that is empty."""


@dataclass(frozen=True, slots=True)
class Opponent:
    """What the GUI says of the opponent; `None` is what it does not say."""

    rating: int | None = None
    human: bool | None = None
    name: str = ""
    title: str = ""


def parse_opponent(text: str) -> Opponent:
    """The value of `UCI_Opponent`: title, rating, sort and name, the first two perhaps `none`; a rating of 0 is none.

    >>> parse_opponent("GM 2800 human Gary Kasparov")
    Opponent(rating=2800, human=True, name='Gary Kasparov', title='GM')

    :raises ConfigError: it is not of this form.
    """
    if text in ("", NOBODY):
        return Opponent()
    words = text.split(None, 3)
    if len(words) < 3 or not (words[1] == "none" or _is_rating(words[1])) or words[2] not in ("human", "computer"):
        raise ConfigError(f"option UCI_Opponent = {shown(text)}: expected TITLE RATING human|computer NAME")
    title, rating, sort = words[:3]
    return Opponent(
        None if rating == "none" else int(rating) or None,
        sort == "human",
        words[3] if len(words) > 3 else "",
        "" if title == "none" else title,
    )


def _is_rating(word: str) -> bool:
    return word.isascii() and word.isdecimal() and len(word) < 5
