"""Game records as PGN and back, without loss.

Any PGN reader can read the games; the tags and one comment per move hold what the record has beyond that:
`{senior 0.5312; nodes=800}` is who moved, the mover's expected score after the move (absent where nobody
judged) and further scalars as JSON. Comments hold neither `}` nor `;` nor blank lines: inside JSON strings
those are escaped.
"""

import io
import json
from collections.abc import Iterator
from typing import cast

from foible._core import ChessPosition, PgnGame, PgnReader
from foible.arena.openings import Opening
from foible.arena.record import GameRecord, MoveRecord, Plain, Result
from foible.errors import GameFileError

LINE_WIDTH = 100
OPTIONAL_TAGS = frozenset({"Opening", "Bits", "Versions"})
BOOK = "book"
"""The comment of the opening's moves."""

_ESCAPES = {"}": "\\u007d", ";": "\\u003b", "%": "\\u0025", "  ": " \\u0020"}


def to_pgn(record: GameRecord) -> str:
    """One game: the tags, a blank line, the moves, a blank line."""
    tags = {
        "Event": record.framework,
        "Site": "?",
        "Date": "????.??.??",
        "Round": f"{record.pair + 1}.{record.game_in_pair}",
        "White": record.white,
        "Black": record.black,
        "Result": record.result,
        "Termination": record.termination,
        "PlyCount": str(record.plies),
        "Pair": str(record.pair),
        "GameInPair": str(record.game_in_pair),
        "Focal": "white" if record.focal_white else "black",
        "Seed": str(record.seed),
        "Opening": record.opening.name,
        "OpeningPlies": str(len(record.opening.moves)),
        "Bits": record.bits,
        "Versions": record.versions,
    }
    if record.opening.fen is not None:
        tags |= {"SetUp": "1", "FEN": record.opening.fen}
    head = "".join(
        f'[{name} "{_escape_tag(value)}"]\n' for name, value in tags.items() if value or name not in OPTIONAL_TAGS
    )
    return f"{head}\n{_wrap(' '.join([*_move_texts(record), record.result]))}\n\n"


def read_records(data: bytes) -> list[GameRecord]:
    """The records of finished games as `to_pgn` wrote them.

    :raises GameFileError: a tag is missing or a game cannot be replayed; the message says which.
    """
    reader = PgnReader(io.BytesIO(data), comments=True)
    records = [_record(game) for game in reader]
    if reader.errors:
        raise GameFileError(reader.errors[0])
    return records


def finished_bytes(data: bytes) -> int:
    """How much of a file of such games is finished games: the rest was cut off while being written.

    A game is two blocks, tags and moves, each closed by a blank line, and has no other.
    """
    end = 0
    while (tags := data.find(b"\n\n", end)) >= 0 and (moves := data.find(b"\n\n", tags + 2)) >= 0:
        end = moves + 2
    return end


def _record(game: PgnGame) -> GameRecord:
    tags = game.tags
    try:
        book = int(tags["OpeningPlies"])
        comments = game.comments or []
        return GameRecord(
            pair=int(tags["Pair"]),
            game_in_pair=int(tags["GameInPair"]),
            framework=tags["Event"],
            white=tags["White"],
            black=tags["Black"],
            focal_white=tags["Focal"] == "white",
            opening=Opening(tags.get("FEN"), tuple(game.moves[:book]), tags.get("Opening", "")),
            moves=tuple(map(_read_move, game.moves[book:], comments[book:])),
            result=cast(Result, tags["Result"]),
            termination=tags["Termination"],
            seed=int(tags["Seed"]),
            bits=tags.get("Bits", ""),
            versions=tags.get("Versions", ""),
        )
    except KeyError as error:
        raise GameFileError(f"game {game.number}: no tag {error.args[0]}") from None
    except ValueError as error:
        raise GameFileError(f"game {game.number}: {error}") from None


def _move_texts(record: GameRecord) -> Iterator[str]:
    position = ChessPosition(record.opening.fen)
    comments = [BOOK] * len(record.opening.moves) + [_comment(move) for move in record.moves]
    number = int(position.fen.split()[5])
    for move, comment in zip(record.moves_uci, comments, strict=True):
        white = position.turn == "first"
        yield f"{number}{'.' if white else '...'} {position.san(move)} {{{comment}}}"
        position = position.play(move)
        number += not white


def _comment(move: MoveRecord) -> str:
    value = "" if move.value is None else f" {move.value:.4f}"
    return "; ".join([f"{move.who}{value}", *(f"{key}={_escape_json(item)}" for key, item in move.info.items())])


def _read_move(move: str, comment: str | None) -> MoveRecord:
    if comment is None:
        raise GameFileError(f"no comment after {move}; every move has one")
    first, *rest = comment.replace("\n", " ").split("; ")
    who, _, value = first.partition(" ")
    info: dict[str, Plain] = {}
    for entry in rest:
        key, _, item = entry.partition("=")
        info[key] = json.loads(item)
    return MoveRecord(move, who, float(value) if value else None, info)


def _escape_tag(value: str) -> str:
    return " ".join(value.splitlines()).replace("\\", "\\\\").replace('"', '\\"')


def _escape_json(item: Plain) -> str:
    text = json.dumps(item)
    for plain, escaped in _ESCAPES.items():
        text = text.replace(plain, escaped)
    return text


def _wrap(text: str) -> str:
    """Lines broken at spaces; joining them with spaces gives the text back."""
    lines: list[str] = []
    for word in text.split(" "):
        if lines and len(lines[-1]) + len(word) < LINE_WIDTH:
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    return "\n".join(lines)
