"""Small run folders of most kinds, as the commands make them."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec

from foible._core import ChessPosition, GoPosition
from foible.arena.config import convert_config
from foible.arena.go.config import parse_config as parse_go_match
from foible.arena.go.play import play_matches
from foible.arena.live import Live, LiveFile, Playing, read_live
from foible.arena.play import play
from foible.arena.sweep.config import parse_sweep
from foible.arena.sweep.run import sweep
from foible.runs.folder import declare, write_config
from foible.runs.journal import Journal
from foible.search.batcher import Usage
from foible.search.speed import Speed
from foible.training.go.generation import Generation
from tests.analysis.go.learnt_runs import generation
from tests.selfplay.runs import config, played

MATCH: Mapping[str, Any] = {
    "framework": "standard",
    "focal": {"kind": "net_search", "net": "material", "nodes": 4, "name": "searcher"},
    "alter": {"kind": "random", "name": "wanderer"},
    "games": 6,
    "max_plies": 30,
    "seed": 3,
}
SWEEP = """
[match]
framework = "odds"
odds = "queen"
games = 4
max_plies = 12
[grid]
nodes = [2, 6]
players = [{ kind = "net_search", net = "material" }]
opponents = [{ kind = "random" }]
"""
GO_MATCH = """
focal = ["strong", "greedy"]
opponents = ["weak"]
games = 4
size = 3
komi = 2.5
[openings]
plies = 2
[players]
strong = { kind = "net", net = "material", visits = 8 }
greedy = { kind = "net", net = "material", visits = 8, lambda = 1.0 }
weak = { kind = "net", net = "material", visits = 2 }
"""


@dataclass(frozen=True)
class InProgress:
    """A game that stands there."""

    position: ChessPosition | GoPosition


@dataclass(frozen=True)
class Progress:
    """How a run might stand."""

    playing: Sequence[Playing] = ()
    done: int = 3
    total: int = 8
    seconds_left: float | None = 60.0
    new: int = 0
    speed: Speed = field(default_factory=lambda: Speed(0.0, 0, {}))


def match(folder: Path, pairs: int | None = None) -> Path:
    """A match of six games, of which `pairs` pairs are played."""
    play(convert_config(MATCH, "match"), folder, pairs=None if pairs is None else range(pairs))
    return folder


def sprt_match(folder: Path, pairs: int | None = None) -> Path:
    """A match that a sequential test ends long before its 2000 games; `pairs` as in `match`."""
    sprt = {"elo0": 0.0, "elo1": 100.0, "alpha": 0.2, "beta": 0.2}
    asked = {**MATCH, "games": 2000, "concurrency": 6, "max_plies": 60, "sprt": sprt}
    play(convert_config(asked, "match"), folder, pairs=None if pairs is None else range(pairs))
    return folder


def chess960_match(folder: Path) -> Path:
    """Two games whose opening is that both castle, each king onto the square of its rook."""
    folder.mkdir(parents=True)
    fen = "bqnbrkr1/pppppppp/6n1/8/8/6N1/PPPPPPPP/BQNBRKR1 w KQkq - 0 1"
    (folder / "starts.pgn").write_text(f'[Variant "Chess960"]\n[SetUp "1"]\n[FEN "{fen}"]\n\n1. O-O O-O *\n')
    openings = {"file": str(folder / "starts.pgn"), "variant": "chess960"}
    asked = {**MATCH, "games": 2, "max_plies": 6, "openings": openings}
    play(convert_config(asked, "match"), folder / "run")
    return folder / "run"


def written(live: LiveFile) -> None:
    """Wait until the file is there."""
    assert live._written is not None
    live._written.result()


@contextmanager
def playing(folder: Path, games: int = 2, moves: Sequence[str] = ("e2e4", "e7e5")) -> Iterator[Live]:
    """A run whose games are in progress, as it told when this began: soon stale where `STALE` is not patched."""
    position = ChessPosition(moves=moves)
    begun = [Playing(str(number + 1), InProgress(position), "searcher", "wanderer", 0) for number in range(games)]
    now = Progress(
        begun,
        done=2,
        total=6,
        seconds_left=90.0,
        new=2,
        speed=Speed(10.0, 400, {"material": Usage(Counter({16: 50}), 4.0)}),
    )
    with LiveFile(folder) as live:
        live.tell(now)
        written(live)
        found = read_live(folder)
        assert found is not None
        yield found


def swept(folder: Path) -> Path:
    """Two cells of four games."""
    sweep(parse_sweep(SWEEP, "sweep"), folder)
    return folder


def selfplay(folder: Path, **changes: Any) -> Path:
    """Twelve games with a controller in batches of four."""
    search = {"contempt_visits": 4, "temperature": 1.0}
    played(folder, search=search, controller={"batch": 4}, **changes)
    return folder


def selfplay_asked() -> int:
    return config().games


def training(folder: Path, lines: list[dict[str, Any]], steps: int | None = 100) -> Path:
    """One under way, whose log has these lines."""
    folder.mkdir(parents=True)
    declare(folder, "training")
    write_config(folder, {"steps": steps, "batch_size": 8})
    (folder / "log.jsonl").write_bytes(b"".join(msgspec.json.encode(line) + b"\n" for line in lines))
    return folder


def losses(step: int, total: float | None) -> dict[str, Any]:
    """A line of a log: half a second a step, 8 positions."""
    return {"kind": "train", "step": step, "total": total, "lr": 0.1, "positions": 8 * step, "seconds": step / 2}


def go_training(folder: Path, generations: int = 3, alpha: float = 1.5) -> Path:
    """A run with made-up generations, that of the random net first. `alpha`: by how much it rises in each."""
    folder.mkdir(parents=True)
    declare(folder, "go training")
    write_config(folder, {"generations": 9, "net": {"size": 5}, "protocol": {"kind": "ungated", "games": 10}})
    with Journal(folder / "generations.jsonl", Generation) as journal:
        numbers = range(generations)
        journal.append(
            [generation(n, alpha=alpha * n, beta=0.5, elo=40.0 * n, elo_standard_error=10.0) for n in numbers]
        )
    return folder


def go_match(folder: Path) -> Path:
    """Two matches of four games."""
    play_matches(parse_go_match(GO_MATCH, "go match"), folder)
    return folder
