"""Game records as PGN and back, without loss.

Any PGN reader can read the games; the tags and one comment per move hold what the record has beyond that:
`{senior 0.5312; nodes=800; [%clk 0:00:59.400]}` is who moved, the mover's expected score after the move (absent where
nobody judged), further scalars as JSON, and the time left on the mover's clock (absent without one). Comments hold
neither `}` nor `;` nor blank lines: inside JSON strings those are escaped. The last tag, `Checksum`, is the CRC-32 of
the game's text without it; games of earlier versions have none.
"""

import io
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, cast, get_args

from foible._core import PgnGame, PgnReader
from foible.arena.openings import Opening
from foible.arena.record import GameRecord, MoveRecord, Plain, Result
from foible.errors import GameFileError
from foible.games.pgn import tag_lines, wrapped
from foible.runs.files import checksum

OPTIONAL_TAGS = frozenset({"TimeControl", "Opening", "Variant", "Bits", "Versions"})
TAGS: Final = OPTIONAL_TAGS | {
    *("Event", "Site", "Date", "Round", "White", "Black", "Result", "Termination", "PlyCount", "SetUp", "FEN"),
    *("Pair", "GameInPair", "Focal", "Seed", "OpeningPlies"),
}
"""All tags that earlier versions wrote, which had no checksum."""
TAG: Final = re.compile(rb'\[(\w+) "(?:[^"\\]|\\.)*"\]')
CHECKSUM: Final = re.compile(rb'\[Checksum "([0-9a-f]{8})"\]')
CLOCK: Final = re.compile(r"\[%clk (\d+):(\d\d):(\d\d\.\d{3})\]")
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
        "TimeControl": record.time_control,
        "Pair": str(record.pair),
        "GameInPair": str(record.game_in_pair),
        "Focal": "white" if record.focal_white else "black",
        "Seed": str(record.seed),
        "Opening": record.opening.name,
        "OpeningPlies": str(len(record.opening.moves)),
        "Bits": record.bits,
        "Versions": record.versions,
    }
    head, body = _head(tags, record.opening), _body(record.opening, record.moves, record.result)
    return f'{head}[Checksum "{checksum((head + body).encode())}"]\n{body}'


def to_plain_pgn(tags: Mapping[str, str], opening: Opening, moves: Sequence[MoveRecord], result: str) -> str:
    """A game that belongs to no match, with tags given by the caller. The comments are those of `to_pgn`.

    :param result: the result, `*` for an unfinished game.
    """
    return _head(tags, opening) + _body(opening, moves, result)


def read_records(data: bytes) -> list[GameRecord]:
    """The records of finished games as `to_pgn` wrote them.

    :raises GameFileError: a game is damaged: its checksum is another, a tag is missing, it cannot be replayed; the
        message says which.
    """
    begin = count = 0
    while begin < (end := _end_of_game(data, begin)):
        count += 1
        _check_text(data[begin:end], count)
        begin = end
    reader = PgnReader(io.BytesIO(data), comments=True)
    records = [_record(game) for game in reader]
    if reader.errors:
        raise GameFileError(reader.errors[0])
    if len(records) != count:
        raise GameFileError(f"game {min(len(records), count) + 1}: is not whole")
    return records


def finished_bytes(data: bytes) -> int:
    """How much of a file of such games is finished games: the rest was cut off while being written.

    A game is two blocks, tags and moves, each closed by a blank line, and has no other.
    """
    end = 0
    while end < (further := _end_of_game(data, end)):
        end = further
    return end


class PgnForm:
    """The format of games in a file that grows: how they are written and read back."""

    def write(self, record: GameRecord) -> bytes:
        """As `to_pgn`."""
        return to_pgn(record).encode()

    def whole(self, data: bytes) -> int:
        """As `finished_bytes`."""
        return finished_bytes(data)

    def read(self, data: bytes) -> list[GameRecord]:
        """As `read_records`."""
        return read_records(data)


def _end_of_game(data: bytes, begin: int) -> int:
    """The offset after the game that begins at `begin`; `begin` itself where no whole game follows."""
    tags = data.find(b"\n\n", begin)
    moves = data.find(b"\n\n", tags + 2) if tags >= 0 else -1
    return moves + 2 if moves >= 0 else begin


def _check_text(game: bytes, number: int) -> None:
    """Check a game by its checksum; without one, that it has only tags that earlier versions wrote."""
    head, _, body = game.partition(b"\n\n")
    lines = head.split(b"\n")
    if match := CHECKSUM.fullmatch(lines[-1]):
        now, noted = checksum(b"\n".join([*lines[:-1], b"", body])), match[1].decode()
        if now != noted:
            raise GameFileError(f"game {number}: damaged: its checksum is {now}, not {noted}")
        return
    for line in lines:
        tag = TAG.fullmatch(line)
        if tag is None or tag[1].decode() not in TAGS:
            raise GameFileError(f"game {number}: damaged: {line[:40].decode(errors='replace')!r} is no tag of its own")


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
            opening=Opening(tags.get("FEN"), tuple(game.moves[:book]), tags.get("Opening", ""), game.chess960),
            moves=tuple(map(_read_move, game.moves[book:], comments[book:])),
            result=_result(tags["Result"]),
            termination=tags["Termination"],
            seed=int(tags["Seed"]),
            bits=tags.get("Bits", ""),
            versions=tags.get("Versions", ""),
            time_control=tags.get("TimeControl", ""),
        )
    except KeyError as error:
        raise GameFileError(f"game {game.number}: no tag {error.args[0]}") from None
    except (ValueError, RecursionError) as error:
        raise GameFileError(f"game {game.number}: {error}") from None


def _result(tag: str) -> Result:
    if tag not in get_args(Result):
        raise GameFileError(f"the result {tag!r} is that of no finished game")
    return cast(Result, tag)


def _head(tags: Mapping[str, str], opening: Opening) -> str:
    start = {"Variant": "Chess960" if opening.chess960 else ""}
    if opening.fen is not None:
        start |= {"SetUp": "1", "FEN": opening.fen}
    shown = {name: value for name, value in {**tags, **start}.items() if value or name not in OPTIONAL_TAGS}
    return tag_lines(shown)


def _body(opening: Opening, moves: Sequence[MoveRecord], result: str) -> str:
    return f"\n{wrapped(' '.join([*_move_texts(opening, moves), result]).split(' '))}\n\n"


def _move_texts(opening: Opening, moves: Sequence[MoveRecord]) -> Iterator[str]:
    position = opening.start()
    commented = [*((move, BOOK) for move in opening.moves), *((move.move, _comment(move)) for move in moves)]
    number = int(position.fen.split()[5])
    for move, comment in commented:
        white = position.turn == "first"
        yield f"{number}{'.' if white else '...'} {position.san(move)} {{{comment}}}"
        position = position.play(move)
        number += not white


def _comment(move: MoveRecord) -> str:
    value = "" if move.value is None else f" {move.value:.4f}"
    clock = [] if move.clock is None else [f"[%clk {_clock_text(move.clock)}]"]
    entries = (f"{key}={_escape_json(item)}" for key, item in move.info.items())
    return "; ".join([f"{move.who}{value}", *entries, *clock])


def _read_move(move: str, comment: str | None) -> MoveRecord:
    if comment is None:
        raise GameFileError(f"no comment after {move}; every move has one")
    first, *rest = comment.replace("\n", " ").split("; ")
    who, _, value = first.partition(" ")
    info: dict[str, Plain] = {}
    clock = None
    for entry in rest:
        if match := CLOCK.fullmatch(entry):
            clock = 3600 * int(match[1]) + 60 * int(match[2]) + float(match[3])
            continue
        key, _, item = entry.partition("=")
        info[key] = json.loads(item)
    return MoveRecord(move, who, float(value) if value else None, info, clock)


def _clock_text(seconds: float) -> str:
    """`1:02:03.456`, hours, minutes and seconds."""
    minutes, rest = divmod(round(1000 * seconds), 60_000)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest // 1000:02}.{rest % 1000:03}"


def _escape_json(item: Plain) -> str:
    text = json.dumps(item)
    for plain, escaped in _ESCAPES.items():
        text = text.replace(plain, escaped)
    return text
