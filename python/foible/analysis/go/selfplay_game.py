"""Self-play games move by move: the evaluations of net and search, as a picture and SGF (SAI, §7, item 9; §8.1)."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from foible._core import GoPosition
from foible.analysis.go.selfplay_statistics import is_capped
from foible.analysis.go.training_runs import RecordedGoSelfplay
from foible.drawing import legend_above, new_axes, picture, whole_numbers
from foible.errors import FoibleError, GameFileError
from foible.fields import PictureKind
from foible.games.go import margin_text
from foible.games.sgf import SgfGame
from foible.games.sgf_writing import sgf_text
from foible.nets.go.margin import DECILE, Sigmoid
from foible.search.go import remark
from foible.selfplay.go.record import GoSelfplayRecord, Id

SHOWN = 5
"""The most moves of a search that a comment lists."""


@dataclass(frozen=True, slots=True)
class Opinion:
    """The evaluation of a position by search and net, before a move was played."""

    ply: int
    """The number of moves before it; Black moves at even plies."""
    move: str
    komi: float
    visits: Mapping[str, int]
    search: float
    """Black's winrate, 0 to 1: the mean over the search."""
    margin: float | None = None
    """Black's margin after komi in points, as the net expects: side · α − komi (SAI, §0); `None` without alpha."""
    beta: float | None = None
    net: float | None = None
    """Black's winrate by the net alone."""


def opinions(game: GoSelfplayRecord) -> Iterator[Opinion]:
    """The evaluations before the moves that this game searched; those that a branch inherited belong to its parent."""
    for ply, searched in enumerate(game.plies, len(game.inherited)):
        black = ply % 2 == 0
        search = searched.winrate if black else 1 - searched.winrate
        margin = net = None
        if searched.alpha is not None and searched.beta is not None:
            sigmoid = Sigmoid.of_black(searched.alpha, searched.beta, game.komi, black)
            margin, net = float(sigmoid.margin), float(sigmoid.winrate())
        yield Opinion(ply, searched.move, game.komi, searched.visits, search, margin, searched.beta, net)


def whole_line(game: GoSelfplayRecord, games: Mapping[Id, GoSelfplayRecord]) -> list[Opinion]:
    """The evaluations before all moves of a branch, each from the game that searched the move, at that game's komi.

    `games`: the games among which its ancestors are looked up; if one is missing, the line begins after its moves.
    """
    line = list(opinions(game))
    while game.is_branch and (parent := games.get(game.id[:-1])) is not None:
        line = [*(opinion for opinion in opinions(parent) if opinion.ply < len(game.inherited)), *line]
        game = parent
    return line


def draw_line(line: Sequence[Opinion], area: float, kind: PictureKind) -> bytes:
    """Draw Black's expected margin on the board, with a band between the komi of 90 and of 10 % winrate for Black; the
    game's komi; and the result on the board.

    `line`: at least one move, with alpha and beta. `area`: Black's area minus White's at the end.
    """
    canvas, axes = new_axes()
    judged = [
        (opinion.ply, opinion.margin + opinion.komi, opinion.beta)
        for opinion in line
        if opinion.margin is not None and opinion.beta
    ]
    plies, fair = [ply for ply, _, _ in judged], [margin for _, margin, _ in judged]
    axes.plot(plies, fair, "o-", markersize=2.5, linewidth=1, label="Black's expected margin")
    low, high = ([margin + sign * DECILE / beta for _, margin, beta in judged] for sign in (-1, 1))
    axes.fill_between(plies, low, high, alpha=0.15, linewidth=0, label="komi of 10 … 90 % winrate")
    ends = [*(opinion.ply for opinion in line), line[-1].ply + 1]
    komi = [*(opinion.komi for opinion in line), line[-1].komi]
    axes.step(ends, komi, where="post", color="black", label="komi")
    axes.plot(ends[-1:], [area], "D", markersize=4, color="tab:red", label="the board at the end")
    # The band may be many boards wide; the axis is fitted to the other lines and cuts it off.
    least, most = min(*fair, *komi, area), max(*fair, *komi, area)
    room = (most - least) / 2 + 1
    axes.set_ylim(least - room, most + room)
    axes.set_xlabel("moves played")
    axes.set_ylabel("points")
    whole_numbers(axes.xaxis)
    legend_above(axes, columns=2)
    return picture(canvas, "selfplay line", kind)


@dataclass(frozen=True, slots=True)
class Origin:
    """The origin of games, for their records."""

    generation: int
    net: str
    """The net that played both sides."""
    parents: Mapping[Id, GoSelfplayRecord]
    """All games of the generation by id, among which a branch's parent is looked up."""

    @classmethod
    def of(cls, run: RecordedGoSelfplay, generation: int, games: Iterable[GoSelfplayRecord]) -> Self:
        """The origin of a generation's games, which must all be given."""
        return cls(generation, run.net(generation), {game.id: game for game in games})


def game_name(game: Id) -> str:
    """A game's number for display: 21; its first branch is 21-0, and the second branch of that one 21-0-1."""
    return "-".join(map(str, game))


def sgf_path(folder: Path, generation: int, game: Id) -> Path:
    """`gen-0005/0021-0.sgf`: a file for each game, because many programs open only the first game of a file."""
    return folder / f"gen-{generation:04}" / f"{game[0]:04}{''.join(f'-{one}' for one in game[1:])}.sgf"


def write_games(games: Iterable[GoSelfplayRecord], origin: Origin, folder: Path) -> int:
    """Write a file for each game, and make the folders; returns the number of files.

    :raises GameFileError: a game breaks the rules; the message names it.
    :raises OSError: a file cannot be written.
    """
    sgf_path(folder, origin.generation, (0,)).parent.mkdir(parents=True, exist_ok=True)
    written = 0
    for game in games:
        # Not written atomically: thousands of small files would wait for the disk, and they can be made again.
        sgf_path(folder, origin.generation, game.id).write_text(sgf_text(sgf_game(game, origin)), "utf-8")
        written += 1
    return written


def sgf_game(game: GoSelfplayRecord, origin: Origin) -> SgfGame:
    """A game's record; the moves that a branch inherited come before its own, at the branch's komi.

    :raises GameFileError: the game breaks the rules; the message names it.
    """
    try:
        position = GoPosition(game.size, game.moves, komi=game.komi)
    except FoibleError as error:
        raise GameFileError(f"generation {origin.generation}, game {game_name(game.id)}: {error}") from None
    inherited = [""] * len(game.inherited)
    if inherited:
        inherited[-1] = _branch(game, origin)
    return SgfGame(
        position,
        black=origin.net,
        white=origin.net,
        result=margin_text(game.margin),
        comment="\n".join(_head(game, origin)),
        comments=(*inherited, *(comment(one) for one in opinions(game))),
    )


def comment(opinion: Opinion) -> str:
    """The SGF comment on a move: the values of the search before it, and the visits of its moves."""
    black = None
    if opinion.margin is not None and opinion.beta is not None:
        black = Sigmoid(opinion.margin, opinion.beta)
    most = sorted(opinion.visits.items(), key=lambda one: -one[1])
    named = ", ".join(f"{move} {visits}" for move, visits in most[:SHOWN])
    line = remark(black=black, search=opinion.search, visits=sum(opinion.visits.values()))
    return f"{line}\n{named}{', …' if len(most) > SHOWN else ''}"


def _head(game: GoSelfplayRecord, origin: Origin) -> Iterable[str]:
    yield f"self-play, generation {origin.generation}, game {game_name(game.id)}"
    if game.is_branch:
        yield _branch(game, origin)
    yield "ended at the length cap" if is_capped(game) else "ended with two passes"


def _branch(game: GoSelfplayRecord, origin: Origin) -> str:
    """A sentence on where a branch left its parent, and at what komi."""
    parent = origin.parents.get(game.id[:-1])
    before = f", komi {parent.komi:g} until here" if parent else ""
    moves = len(game.inherited)
    return f"branches off game {game_name(game.id[:-1])} after move {moves}: komi {game.komi:g}{before}"
