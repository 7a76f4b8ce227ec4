"""Games as people write them: reads PGN files game by game in constant memory, and a single game or position, be it
PGN, moves alone in SAN or UCI, or a FEN; writes tags, lines of moves, and moves as on a score sheet.
"""

import io
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final

from foible._core import ChessPosition, MoveError, PgnGame, PgnReader, count_positions
from foible.errors import GameFileError
from foible.games.packed import open_packed
from foible.mistakes import near

if TYPE_CHECKING:
    from _typeshed import SupportsRead

__all__ = [
    "NAGS",
    "WHITE_POINTS",
    "PgnGame",
    "PgnReader",
    "WrittenGame",
    "count_positions",
    "read_game_text",
    "read_pgn",
    "score_sheet",
    "tag_lines",
    "tag_value",
    "wrapped",
]

WHITE_POINTS: Final[Mapping[str, float]] = {"1-0": 1.0, "1/2-1/2": 0.5, "0-1": 0.0}
"""White's points by the result of a game, as PGN writes it. An unfinished game, `*`, has none."""
NAGS: Final[Mapping[str, int]] = {"?!": 6, "?": 2, "??": 4}
"""The numbers of the glyphs that PGN has for the marks of moves (`foible.wording.mark`)."""
LINE_WIDTH: Final = 100
"""The most characters of a line of moves that is written."""
EXPECTED = "expected a game as PGN, its moves (e4 e5, or e2e4 e7e5), or a position as FEN"

_RESULTS = frozenset({*WHITE_POINTS, "*"})
_NOT_MOVES = re.compile(r"\b\d+\s*\.+|[,;]")
"""Move numbers and punctuation, which may stand between moves that are written without comments."""
_PGN_ALONE = re.compile(r"[\[{]")
"""The beginning of a tag or a comment, which only PGN has."""
_UCI = re.compile(r"[a-h][1-8][a-h][1-8][nbrq]?")


def read_pgn(source: "str | os.PathLike[str] | SupportsRead[bytes]", *, comments: bool = False) -> PgnReader:
    """The games of a path (.pgn, also as .gz, .bz2, .xz, .zip or .zst) or of a binary file object.

    Broken games and variants other than Chess960 are skipped; the reader's `skipped` and `errors` tell of them.

    :raises GameFileError: the file is missing or cannot be unpacked; also raised later, while iterating.
    """
    if not isinstance(source, str | os.PathLike):
        return PgnReader(source, comments=comments)
    return PgnReader(open_packed(Path(source)), comments=comments)


def score_sheet(sans: Iterable[str], *, black_first: bool = False) -> Iterator[str]:
    """Moves in SAN with their numbers from 1, as on a score sheet.

    >>> " ".join(score_sheet(["e4", "e5", "Nf3"])), " ".join(score_sheet(["e5", "Nf3"], black_first=True))
    ('1.e4 e5 2.Nf3', '1...e5 2.Nf3')
    """
    for ply, san in enumerate(sans, int(black_first)):
        if ply % 2 == 0:
            yield f"{ply // 2 + 1}.{san}"
        else:
            yield f"1...{san}" if black_first and ply == 1 else san


def tag_lines(tags: Mapping[str, str]) -> str:
    r"""The tags of a game as PGN has them, each on a line of its own.

    >>> print(tag_lines({"White": 'Quine, "Van"'}), end="")
    [White "Quine, \"Van\""]
    """
    return "".join(f'[{name} "{tag_value(value)}"]\n' for name, value in tags.items())


def tag_value(value: str) -> str:
    r"""The value of a tag as it stands between the quotes in PGN: on one line, with the escapes of PGN. Programs that
    write the tags themselves, as python-chess does, leave both to their callers.

    >>> print(tag_value('Quine, "Van"'))
    Quine, \"Van\"
    """
    return " ".join(value.splitlines()).replace("\\", "\\\\").replace('"', '\\"')


def wrapped(words: Iterable[str]) -> str:
    """Words in lines of at most `LINE_WIDTH` characters, none broken; joining the lines with spaces joins the words."""
    lines: list[str] = []
    for word in words:
        if lines and len(lines[-1]) + len(word) < LINE_WIDTH:
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    return "\n".join(lines)


@dataclass(frozen=True, slots=True)
class WrittenGame:
    """A game that was read, or a position without moves."""

    start: ChessPosition
    moves: tuple[str, ...] = ()
    """The moves in UCI."""
    tags: Mapping[str, str] = field(default_factory=dict)
    result: str = "*"
    games: int = 1
    """The number of games that the text holds, of which this is the first."""


def read_game_text(text: str) -> WrittenGame:
    """The first game, or the position, that a text holds.

    >>> read_game_text("e2e4 e7e5 g1f3").moves == read_game_text("1. e4 e5 2. Nf3").moves
    True

    :raises PositionError: the text is a FEN that is not valid; names the field.
    :raises GameFileError: the text is no game or position; says which move or line is wrong, and what would be right.
    """
    text = text.encode(errors="backslashreplace").decode().strip()  # lone surrogates can be passed to no parser
    if _looks_like_fen(text):
        return WrittenGame(ChessPosition(text, chess960=None))
    reader = PgnReader(io.BytesIO(text.encode()))
    game = next(iter(reader), None)
    if game is None and not _PGN_ALONE.search(text):
        return _of_moves(text)
    if game is None or not (game.moves or game.start_fen):
        raise GameFileError(f"{reader.errors[0]}; {EXPECTED}" if reader.errors else f"no moves; {EXPECTED}")
    start = ChessPosition(game.start_fen, chess960=game.chess960)
    return WrittenGame(start, tuple(game.moves), game.tags, game.result, 1 + sum(1 for _ in reader))


def _looks_like_fen(text: str) -> bool:
    first = text.split(maxsplit=1)[:1]
    return "\n" not in text and any(word.count("/") > 1 and "[" not in word for word in first)


def _of_moves(text: str) -> WrittenGame:
    words = _NOT_MOVES.sub(" ", text).split()
    result = words.pop() if words and words[-1] in _RESULTS else "*"
    if not words:
        raise GameFileError(f"no moves; {EXPECTED}")
    start = position = ChessPosition()
    for ply, word in enumerate(words):
        try:
            position = position.play(word.rstrip("!?"))
        except MoveError:
            if ply == 0 and not re.search("[a-h][1-8]|[O0]-", word):
                raise GameFileError(f"{word!r} is no move; {EXPECTED}") from None
            raise GameFileError(f"move {_numbered(ply)} {word}: not a move there; {_right(position, word)}") from None
    return WrittenGame(start, tuple(position.moves), result=result)


def _numbered(ply: int) -> str:
    return f"{ply // 2 + 1}{'.' if ply % 2 == 0 else '…'}"


def _right(position: ChessPosition, word: str) -> str:
    if position.outcome() is not None:
        return "the game is over before it"
    return near(word, position.legal_moves if _UCI.fullmatch(word) else map(position.san, position.legal_moves))
