"""Games of all sources in one corpus."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from foible._core import Corpus
from foible.errors import GameFileError
from foible.games.pgn import open_packed, read_pgn
from foible.nets.encoding import Encoding
from foible.training.data.tables import read_tables
from foible.training.data.targets import Targets, joined


@dataclass(frozen=True, slots=True)
class Read:
    """What a source held."""

    source: str
    games: int
    skipped: int
    """Games that cannot be replayed, or have no move or no result."""
    positions: int
    labels: bool = False
    """Whether it is a folder of labels."""

    def __str__(self) -> str:
        skipped = f", {self.skipped} skipped" if self.skipped else ""
        return f"{self.source}: {self.games} games, {self.positions} positions{skipped}"


OnRead = Callable[[Read], None]


@dataclass(slots=True)
class Sources:
    """A corpus, and of some games what their source alone knows."""

    corpus: Corpus = field(default_factory=Corpus)
    parts: list[Targets] = field(default_factory=list)
    usable: dict[int, NDArray[np.bool_]] = field(default_factory=dict)
    """By game: which of its rows may be trained on; all where it is not named."""
    read: list[Read] = field(default_factory=list)

    @property
    def targets(self) -> Targets | None:
        """What searches and teachers say of rows; `None` where they say nothing."""
        return joined(self.parts)

    @property
    def of_games(self) -> NDArray[np.int64]:
        """`[G]`: the number of each game's source."""
        return np.repeat(np.arange(len(self.read)), [one.games for one in self.read])

    @property
    def labelled(self) -> NDArray[np.bool_]:
        """`[G]`: the games of folders of labels."""
        return np.repeat([one.labels for one in self.read], [one.games for one in self.read])

    def usable_rows(self) -> NDArray[np.bool_] | None:
        """`[P]`; `None` where all are usable."""
        if not self.usable:
            return None
        offsets = self.corpus.offsets
        rows = np.ones(offsets[-1], np.bool_)
        for game, of_game in self.usable.items():
            rows[offsets[game] : offsets[game + 1]] = of_game
        return rows


def read_sources(
    sources: Sequence[str],
    encoding: Encoding,
    *,
    evals: bool = False,
    who: Sequence[str] | None = None,
    on_read: OnRead = lambda _read: None,
) -> Sources:
    """The games of all sources, in the order in which they are named; as `read_source`."""
    found = Sources()
    for source in sources:
        read_source(source, encoding, found, evals=evals, who=who)
        on_read(found.read[-1])
    return found


def read_source(
    source: str, encoding: Encoding, found: Sources, *, evals: bool = False, who: Sequence[str] | None = None
) -> None:
    """Append the games of a PGN file, or of the folder of a match, of self-play or of labels.

    `who`: of games with comments as foible's matches write them, only these members' moves; needs such comments.

    :raises GameFileError: the source is missing, cannot be unpacked, or holds no game.
    """
    path = Path(source)
    before = len(found.corpus)
    skipped, labels = 0, False
    if path.is_dir() and (path / "games.pgn").exists() and not (path / "games").is_dir():
        path = path / "games.pgn"  # of a match
    if path.is_dir():
        known = read_tables(path, found.corpus, encoding)
        found.parts += known.targets
        found.usable |= known.usable
        labels = known.labels
    elif who is not None:
        skipped = _read_marked(path, found, who)
    else:
        _, skipped = found.corpus.read(open_packed(path), evals=evals)
    games = len(found.corpus) - before
    if not games:
        raise GameFileError(f"{path}: no game with moves and a result" + (f" among {skipped}" if skipped else ""))
    offsets = found.corpus.offsets
    found.read.append(Read(source, games, skipped, int(offsets[-1] - offsets[before]), labels))


def _read_marked(path: Path, found: Sources, who: Sequence[str]) -> int:
    """The games of a match, the rows of these members marked as usable; returns how many games were skipped."""
    reader = read_pgn(path, comments=True)
    skipped = 0
    for game in reader:
        if not game.moves or game.result == "*":
            skipped += 1
            continue
        found.usable[len(found.corpus)] = np.array(
            [comment is not None and comment.split(";")[0].split(" ")[0] in who for comment in game.comments or ()]
        )
        found.corpus.add(game.moves, game.result, start_fen=game.start_fen, chess960=game.chess960)
    return skipped + reader.skipped
