"""What a page asks of Go without a net: which nets there are, the board after some moves, the record of a game.

The page holds its game and asks by all moves of it: the server keeps nothing of games.
"""

import asyncio
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Annotated

import msgspec

from foible._core import GoPosition
from foible.errors import FoibleError
from foible.games.go import Colour, Rules, score_text, turn_of
from foible.games.sgf import SgfGame, sgf_text
from foible.interfaces.web.asking import Question, Reply, ShortText
from foible.interfaces.web.shared import Shared
from foible.nets.catalogue import known_nets
from foible.nets.paths import GO_SUFFIXES, net_at
from foible.runs.folder import kind_of_run

MOST_MOVES = 1000
"""The moves of a game: on 19×19 hardly any has half as many."""
REMARK = 300
"""Characters."""

Komi = Annotated[float, msgspec.Meta(ge=-1000, le=1000)]
Remarks = Annotated[list[Annotated[str, msgspec.Meta(max_length=REMARK)]], msgspec.Meta(max_length=MOST_MOVES)]


class GoLine(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A position by the moves that led to it from the empty board."""

    size: Annotated[int, msgspec.Meta(ge=1, le=19)]
    komi: Komi
    rules: Rules
    moves: Annotated[list[ShortText], msgspec.Meta(max_length=MOST_MOVES)] = []
    """Vertices or `pass`."""

    @property
    def position(self) -> GoPosition:
        """:raises FoibleError: there is no such position; says which move is wrong, and why."""
        return GoPosition(self.size, self.moves, komi=self.komi, rules=self.rules)


class GoNetsKnown(Reply, frozen=True, kw_only=True):
    """The nets for Go that can be named."""

    nets: list[str]


class GoNets(Question, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="go_nets"):
    """Which nets play Go: those that come with foible, those in folders of nets, and those of runs."""

    async def answer(self, shared: Shared) -> AsyncGenerator[GoNetsKnown, None]:
        """Runs are looked for anew each time: they come and get their nets while the server runs."""
        yield GoNetsKnown(nets=list(await asyncio.to_thread(go_nets, shared.runs)))


def go_nets(runs: Path) -> dict[str, str]:
    """By the names that a page uses, nets for Go as `open_net` knows them.

    :param runs: the folder whose runs of `foible go train` are meant, as far as they have a net.
    """
    known = (net for net in known_nets() if net.path is not None and net.path.name.endswith(GO_SUFFIXES))
    found = {net.name: net.name for net in known}
    folders = sorted(runs.iterdir()) if runs.is_dir() else []
    return found | {f"{runs.name}/{one.name}": str(one) for one in folders if _trained_go(one)}


def _trained_go(folder: Path) -> bool:
    try:
        return kind_of_run(folder) == "go training" and net_at(folder) is not None
    except FoibleError:  # a damaged run is no matter of this page
        return False


class GoBoardShown(Reply, frozen=True, kw_only=True):
    """A board."""

    moves: list[str]
    """As the rules write them."""
    rows: list[str]
    """From the top: `X` Black, `O` White, `.` empty."""
    turn: Colour
    over: bool
    """After two passes."""
    score: str
    """The score of the board as it stands, by area: `B+3.5`, or `0`."""


class GoBoard(Question, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="go_board"):
    """The board after some moves: whether they are legal, too."""

    line: GoLine

    async def answer(self, shared: Shared) -> AsyncGenerator[GoBoardShown, None]:
        """:raises MoveError: a move is not legal; says why."""
        position = self.line.position
        yield GoBoardShown(
            moves=position.moves,
            rows=position.board.split("\n"),
            turn=turn_of(position),
            over=position.outcome() is not None,
            score=score_text(position),
        )


class GoRecordWritten(Reply, frozen=True, kw_only=True):
    """A game as SGF."""

    sgf: str


class GoRecordOf(Question, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="go_record"):
    """A game as SGF, under way or over."""

    line: GoLine
    black: ShortText
    """The player."""
    white: ShortText
    remarks: Remarks
    """One for each move, or none at all."""
    resigned: Colour | None = None

    async def answer(self, shared: Shared) -> AsyncGenerator[GoRecordWritten, None]:
        """:raises FoibleError: a move is not legal, or the remarks are not as many as the moves."""
        position = self.line.position
        remarks = tuple(self.remarks) if any(self.remarks) else ()
        game = SgfGame(position, self.black, self.white, self._result(position), comments=remarks)
        yield GoRecordWritten(sgf=sgf_text(game))

    def _result(self, position: GoPosition) -> str:
        if self.resigned is not None:
            return "W+R" if self.resigned == "black" else "B+R"
        return score_text(position) if position.outcome() is not None else ""
