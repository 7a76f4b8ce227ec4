"""Reads Go games from SGF, the format of game records, problems and trees of variations (FF[4], red-bean.com/sgf).

Every game is scored by area, with positional superko, whatever rules it names. Of the named rules only two things are
used: whether suicide is allowed, and what White gets for handicap stones.

Records may contain what a game by the rules cannot: stones that are set up or taken off, two moves of one side in a
row, moves after two passes. There the position begins anew with the same board, without history.
"""

import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from sgfmill import sgf, sgf_grammar

from foible._core import GoPosition
from foible.errors import FoibleError, GameFileError
from foible.games.go import (
    Colour,
    Rules,
    handicap_compensation,
    stones,
    turn_of,
    vertex_name,
    without_history,
)
from foible.games.packed import open_packed

Source = bytes | str | os.PathLike[str]
"""SGF text, as bytes or a string, or the path of a file, plain or packed as `read_pgn` accepts it."""

_LARGEST: Final = 19
_FILE_BYTES: Final = 64 << 20
_GAME_BYTES: Final = 4 << 20
"""The largest size of one game tree: whole opening dictionaries have some 3 MB; in memory a tree takes up to 300 times
its text.
"""
_MOST_NODES: Final = 2000
"""The limit of nodes in one line, since every position keeps the boards before it. The longest games on 19×19 have some
800 moves.
"""
_UTF8: Final = "UTF-8"
_COLOURS: Final[Mapping[str, Colour]] = {"b": "black", "w": "white"}
_GAME_START: Final = re.compile(rb"\(\s*;")
_BRACKETS: Final = re.compile(rb"\[(?:[^\\\]]++|\\.)*+(?P<value>\])?|(?P<begin>\()|(?P<end>\))", re.DOTALL)
"""The values of properties, which may hold brackets, and the brackets around trees. A value that is not closed matches
without setting a group.
"""
RULE_NAMES: Final[Mapping[Rules, str]] = {"chinese": "Chinese", "tromp-taylor": "Tromp-Taylor"}
"""The names of rules in the records that foible writes."""
# Names of rule sets, reduced to letters and digits in lower case as `_plain` does.
_WITH_SUICIDE: Final = ("tromptaylor", "newzealand", "nz", "goe", "ing")
_ONE_POINT_LESS: Final = ("aga", "bga", "french")


@dataclass(frozen=True, slots=True)
class SgfGame:
    """A game record: the first line of a game tree."""

    position: GoPosition
    """The position at the end of the line. Its komi includes what White gets for handicap stones."""
    black: str = ""
    """The name of the player with Black."""
    white: str = ""
    """The name of the player with White."""
    result: str = ""
    """The result as SGF writes it: `B+3.5`, `W+R`, `0` for a draw; empty where unknown."""
    handicap: int = 0
    """The number of handicap stones that Black was given."""
    rules: str = ""
    """The name of the rules in the record. An empty name means Chinese rules in a record that was read, and the rules
    of the position in one to be written.
    """
    comment: str = ""
    """The comment on the start position."""
    comments: tuple[str, ...] = ()
    """A comment for each move of `position`, an empty string for a move without one; empty where no move has one."""

    @property
    def compensation(self) -> int:
        """The points that White gets for handicap stones by the record's rules."""
        return _compensation(self.rules or RULE_NAMES[self.position.rules], self.handicap)


@dataclass(frozen=True, slots=True)
class SgfNode:
    """A node of a game tree."""

    game: int
    """The number of the node's game in the collection, from 1."""
    depth: int
    """The number of steps from the root."""
    move: str | None
    """The move of the node; `None` where it has none."""
    position: GoPosition
    """The position after the node's move or set-up."""
    comment: str
    variations: int
    """The number of nodes that follow directly; 0 at the end of a line."""


def read_sgf(source: Source) -> Iterator[SgfGame]:
    """The games of a collection, one after the other; of each game tree the first line only.

    :raises GameFileError: no file, no SGF, another game than Go, a board that is not square or over 19×19, a komi that
        is no multiple of ½, an illegal move; more than 64 MiB in all, 4 MiB in a game or 2,000 nodes in a line. Says
        which game and move.
    """
    return (_first_line(tree) for tree in _trees(source))


def walk_sgf(source: Source) -> Iterator[SgfNode]:
    """All nodes of all games in depth-first order: each node before those that follow it, first variations first.

    :raises GameFileError: as `read_sgf`, when the walk reaches the faulty place.
    """
    for tree in _trees(source):
        yield from _walk(tree)


@dataclass(frozen=True, slots=True)
class _Tree:
    """A game tree, with the properties of its root that hold for the whole tree."""

    root: Any
    number: int
    where: str
    """The file and the number of the game, for error messages."""
    charset: str
    start: GoPosition
    """The empty board."""
    handicap: int
    rules: str


@dataclass(frozen=True, slots=True)
class _Step:
    """A node that the walk has yet to visit."""

    node: Any
    before: GoPosition
    depth: int
    moves: int
    """The number of moves before the node since the root."""


def _trees(source: Source) -> Iterator[_Tree]:
    name, data, charset = _load(source)
    number = 0
    for number, text in enumerate(_texts(data), 1):
        where = f"{name}, game {number}"
        if len(text) > _GAME_BYTES:
            raise GameFileError(f"{where}: longer than {_GAME_BYTES >> 20} MiB")
        try:
            found = _tree(sgf_grammar.parse_sgf_game(text), number, where, charset)
        except (FoibleError, ValueError) as error:  # `ValueError` comes from sgfmill's parser.
            raise GameFileError(f"{where}: {error}") from None
        yield found
    if not number:
        hint = "; a file is given as a Path" if isinstance(source, str) else ""
        raise GameFileError(f'{name}: no game found, which would begin with "(;"{hint}')


def _texts(data: bytes) -> Iterator[bytes]:
    """The text of each game: up to the bracket that closes it, or up to the end where none does."""
    end = 0
    while start := _GAME_START.search(data, end):
        depth, end = 0, len(data)
        for found in _BRACKETS.finditer(data, start.start()):
            depth += (found.lastgroup == "begin") - (found.lastgroup == "end")
            if not depth or not found.lastgroup:
                end = found.end()
                break
        yield data[start.start() : end]


def _load(source: Source) -> tuple[str, bytes, str | None]:
    """The name of a source for error messages, its bytes, and their charset where that is known."""
    name, charset = "SGF", None
    if isinstance(source, bytes):
        data = source
    elif isinstance(source, str):
        data, charset = source.encode(_UTF8, "replace"), _UTF8
    else:
        name, data = str(source), open_packed(Path(source)).read(_FILE_BYTES + 1)
    if len(data) > _FILE_BYTES:
        raise GameFileError(f"{name}: more than {_FILE_BYTES >> 20} MiB of SGF; expected a part of it")
    return name, data, charset


def _tree(coarse: Any, number: int, where: str, charset: str | None) -> _Tree:
    properties = coarse.sequence[0]
    charset = charset or _charset(properties)

    def stated(identifier: str) -> str:
        return _text(properties, identifier, charset).strip()

    if (game := stated("GM") or "1") != "1":
        raise FoibleError(f"GM {game!r} is another game; Go is GM[1]")
    size, handicap, rules = stated("SZ") or "19", stated("HA") or "0", stated("RU")
    if not _whole(size) or not 1 <= int(size) <= _LARGEST:
        raise FoibleError(f"board size {size!r}: must be a whole number from 1 to {_LARGEST}; boards are square")
    if not _whole(handicap) or int(handicap) > int(size) ** 2:
        raise FoibleError(f"handicap {handicap!r}: must be a number of stones on the board")
    try:
        komi = float(stated("KM") or 0)
    except ValueError:
        raise FoibleError(f"komi {stated('KM')!r}: must be a multiple of 0.5") from None
    if abs(komi) > _LARGEST**2:
        raise FoibleError(f"komi {stated('KM')}: more than the points of any board; the Fox server writes 375 for 7.5")
    start = GoPosition(
        int(size),
        komi=komi + _compensation(rules, int(handicap)),
        rules=rules_named(rules),
        to_move="white" if int(handicap) >= 2 else "black",
    )
    properties["SZ"] = [size.encode()]
    root = sgf.Sgf_game.from_coarse_game_tree(coarse, _UTF8).get_root()
    return _Tree(root, number, where, charset, start, int(handicap), rules)


def _first_line(tree: _Tree) -> SgfGame:
    walk = _walk(tree)
    root = last = next(walk)
    comments = [] if root.move is None else [root.comment]
    while last.variations:
        last = next(walk)
        if last.move is not None:
            comments.append(last.comment)
    properties = tree.root.get_raw_property_map()
    comments = comments[len(comments) - last.position.ply :]
    return SgfGame(
        last.position,
        black=_text(properties, "PB", tree.charset),
        white=_text(properties, "PW", tree.charset),
        result=_text(properties, "RE", tree.charset).strip(),
        handicap=tree.handicap,
        rules=tree.rules,
        comment=root.comment,
        comments=tuple(comments) if any(comments) else (),
    )


def _walk(tree: _Tree) -> Iterator[SgfNode]:
    waiting = [_Step(tree.root, tree.start, 0, 0)]
    while waiting:
        step = waiting.pop()
        node, moves = step.node, step.moves
        if step.depth > _MOST_NODES:
            raise GameFileError(f"{tree.where}, after move {moves}: more than {_MOST_NODES:,} nodes in one line")
        colour, _ = node.get_raw_move()
        try:
            position = _set_up(node, step.before)
            move, position = _play(node, position)
        except FoibleError as error:
            place = f"move {moves + 1} ({_COLOURS[colour]})" if colour else f"set-up after move {moves}"
            raise GameFileError(f"{tree.where}, {place}: {error}") from None
        comment = _text(node.get_raw_property_map(), "C", tree.charset)
        yield SgfNode(tree.number, step.depth, move, position, comment, len(node))
        moves += move is not None
        waiting += [_Step(child, position, step.depth + 1, moves) for child in reversed(node[:])]


def _set_up(node: Any, before: GoPosition) -> GoPosition:
    """The position after a node's set-up properties: stones added or removed (AB, AW, AE), the side to move (PL)."""
    placed = node.has_setup_stones()
    if not placed and not node.has_property("PL"):
        return before
    mover = _mover(node, before)
    if not placed:
        return before if mover == turn_of(before) else without_history(before, mover)
    try:
        changes = [{vertex_name(x, y) for y, x in points} for points in node.get_setup_stones()]
    except ValueError:
        raise FoibleError(f"AB, AW or AE with what is no point of a {before.size}×{before.size} board") from None
    black, white = (set(old).difference(*changes) | new for old, new in zip(stones(before), changes[:2], strict=True))
    return GoPosition(
        before.size, komi=before.komi, rules=before.rules, black=sorted(black), white=sorted(white), to_move=mover
    )


def _mover(node: Any, before: GoPosition) -> Colour:
    """Who is to move after a set-up: the side that PL names, else the side of the next move, else the one before it."""
    if node.has_property("PL"):
        found = node.get_raw("PL").decode("ascii", "replace").lower()
        if found not in _COLOURS:
            raise FoibleError(f"PL {found!r}: must be B or W")
        return _COLOURS[found]
    for one in (node, *node[:1]):
        colour, _ = one.get_raw_move()
        if colour:
            return _COLOURS[colour]
    return turn_of(before)


def _play(node: Any, position: GoPosition) -> tuple[str | None, GoPosition]:
    """The move of a node, and the position after it."""
    colour, raw = node.get_raw_move()
    if colour is None:
        return None, position
    if node.has_property("B") and node.has_property("W"):
        raise FoibleError("White moves in the same node")
    try:
        _, point = node.get_move()
    except ValueError:
        found = raw.decode("ascii", "replace")
        raise FoibleError(f"not a point of a {position.size}×{position.size} board: {found!r}") from None
    move = "pass" if point is None else vertex_name(point[1], point[0])
    if _COLOURS[colour] != turn_of(position) or position.outcome() is not None:
        position = without_history(position, _COLOURS[colour])
    return move, position.play(move)


def rules_named(rules: str) -> Rules:
    """The rules of a position by the name in a record. KataGo writes each rule out in the name (`…sui1…`)."""
    name = _plain(rules)
    return "tromp-taylor" if name in _WITH_SUICIDE or "sui1" in name else "chinese"


def _compensation(rules: str, handicap: int) -> int:
    """White's points for handicap stones by rules of this name; KataGo writes the rule out (`…whbN`, `…whbN-1`)."""
    name, full = _plain(rules), handicap_compensation("chinese", handicap)
    if name in _ONE_POINT_LESS or "whbn1" in name:
        return max(full - 1, 0)
    return full if not name or name.startswith("chinese") or "whbn" in name else 0


def _plain(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower())


def _whole(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) <= 3


def _charset(properties: Mapping[str, list[bytes]]) -> str:
    """The charset that the root names, if Python knows it and it is a superset of ASCII, as SGF needs; else UTF-8."""
    stated = properties.get("CA", [b""])[0].decode("ascii", "replace")
    try:
        return stated if b"A".decode(stated) == "A" else _UTF8
    except (LookupError, ValueError):
        return _UTF8


def _text(properties: Mapping[str, list[bytes]], identifier: str, charset: str) -> str:
    """A property's text, empty where there is none; decoded as Latin-1 where it is not valid in the charset."""
    raw = sgf_grammar.text_value(properties.get(identifier, [b""])[0])
    try:
        return str(raw.decode(charset))
    except UnicodeError:
        return str(raw.decode("latin-1"))
