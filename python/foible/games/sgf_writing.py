"""Writes Go games as SGF (FF[4], red-bean.com/sgf)."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

from sgfmill import sgf

from foible._core import __version__
from foible.errors import ConfigError
from foible.games.go import coordinates
from foible.games.sgf import RULE_NAMES, SgfGame, rules_named
from foible.runs.files import write_atomically

_UTF8: Final = "UTF-8"


def sgf_text(game: SgfGame) -> str:
    """A record as SGF text, to be encoded as UTF-8. Reading it back gives the same record, except for white space in
    names and comments, and for the rules, which are always named.

    :raises ConfigError: the rules are not those of the position, the handicap is no number of stones on the board, or
        there are not as many comments as moves.
    """
    position, size = game.position, game.position.size
    rules = game.rules or RULE_NAMES[position.rules]
    _check(game, rules)
    sheet = sgf.Sgf_game(size, _UTF8)
    root = sheet.get_root()
    root.set("AP", ("foible", __version__))
    root.set("KM", position.komi - game.compensation)
    if game.handicap:
        root.set("HA", game.handicap)
    texts = {"PB": game.black, "PW": game.white, "RE": game.result, "RU": rules, "C": game.comment}
    for identifier, text in texts.items():
        _put(root, identifier, text)
    black, white = ([_point(vertex, size) for vertex in colour] for colour in position.setup)
    root.set_setup_stones(black, white)
    if game.handicap or black or white or position.first_mover == "white":
        root.set("PL", position.first_mover[0])
    node, mover = root, position.first_mover[0]
    for move, comment in zip(position.moves, game.comments or ("",) * position.ply, strict=True):
        node = node.new_child()
        node.set_move(mover, None if move == "pass" else _point(move, size))
        _put(node, "C", comment)
        mover = "w" if mover == "b" else "b"
    return str(sheet.serialise().decode(_UTF8))


def write_sgf(games: Iterable[SgfGame], path: Path) -> None:
    """Write a collection to a file; the file is complete or not written at all.

    :raises ConfigError: as `sgf_text`.
    :raises OSError: the file cannot be written.
    """
    write_atomically(path, "\n".join(sgf_text(game) for game in games))


def _put(node: Any, identifier: str, text: str) -> None:
    if text:
        node.set(identifier, text.encode(_UTF8, "replace").decode(_UTF8))


def _point(vertex: str, size: int) -> tuple[int, int]:
    x, y = coordinates(vertex, size)
    return y, x


def _check(game: SgfGame, rules: str) -> None:
    position = game.position
    if rules_named(rules) != position.rules:
        raise ConfigError(f"rules {rules!r}: the position is one of {RULE_NAMES[position.rules]} rules")
    if not 0 <= game.handicap <= position.size**2:
        raise ConfigError(f"handicap {game.handicap}: must be a number of stones on the board")
    if len(game.comments) not in (0, position.ply):
        raise ConfigError(f"{len(game.comments)} comments: expected one for each of {position.ply} moves, or none")
