"""Runs of `foible go train` with games made up by hand, on 3×3."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec

from foible._core import GoPosition
from foible.selfplay.go.record import GoPly, GoSelfplayRecord, Id
from foible.training.go.generation import Generation

CONFIG = """
generations = 9
[net]
size = 3
blocks = 1
filters = 8
[protocol]
kind = "ungated"
games = {games}
"""
BLACK_HAS_ALL = "B2 pass pass"
"""Black wins by 9 on the board."""
WHITE_HAS_ALL = "pass B2 pass pass"


def made_up(
    number: Id, moves: str, *, after: str = "", komi: float = 8.5, fair: float | None = 9.0, search: float = 0.75
) -> GoSelfplayRecord:
    """A game whose every search told the same.

    `after`: moves that it inherited. `fair`: the komi that the net thought so, with beta 1. `search`: Black's winrate.
    """
    inherited = after.split()
    plies = []
    for at, move in enumerate(moves.split(), len(inherited)):
        side = -1 if at % 2 else 1
        alpha, beta = (None, None) if fair is None else (side * fair, 1.0)
        plies.append(GoPly(move, {move: 6, "A1": 2}, search if side == 1 else 1 - search, alpha, beta))
    margin = GoPosition(3, [*inherited, *moves.split()], komi=komi).margin
    return GoSelfplayRecord(number, 3, komi, margin, plies, inherited=inherited)


def write_run(
    folder: Path, games: Mapping[int, Sequence[GoSelfplayRecord]], best: Sequence[int] = (0,), wanted: int = 100
) -> Path:
    """A run's folder. `games`: by generation. `best`: of each generation that is over."""
    folder.mkdir(exist_ok=True)
    (folder / "config.toml").write_text(CONFIG.format(games=wanted))
    over = [Generation(number=number, best=one) for number, one in enumerate(best)]
    (folder / "generations.jsonl").write_bytes(lines(over))
    for number, found in games.items():
        path = folder / f"gen-{number:04}" / "games.jsonl"
        path.parent.mkdir()
        path.write_bytes(lines(found))
    return folder


def lines(structs: Sequence[msgspec.Struct]) -> bytes:
    return b"".join(msgspec.json.encode(one) + b"\n" for one in structs)
