"""Questions on Go that need no net: the list of nets, the board after some moves, the record of a game.

The page keeps its game and sends all its moves with each question: the server stores no games of Go.
"""

import asyncio
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Annotated

import msgspec

from foible._core import GoPosition
from foible.errors import FoibleError
from foible.games.go import Colour, Rules, score_text, turn_of
from foible.games.sgf import SgfGame
from foible.games.sgf_writing import sgf_text
from foible.interfaces.web.protocol import PageQuestion, PageReply, ShortText
from foible.interfaces.web.shared import Shared
from foible.nets.catalogue import known_nets
from foible.nets.paths import GO_SUFFIXES, net_at
from foible.runs.folder import kind_of_run

MOST_MOVES = 1000
"""The most moves of a game; on 19×19 hardly any game has half as many."""
REMARK = 300
"""The most characters of a remark on a move."""

Komi = Annotated[float, msgspec.Meta(ge=-1000, le=1000, multiple_of=0.5)]
Remarks = Annotated[list[Annotated[str, msgspec.Meta(max_length=REMARK)]], msgspec.Meta(max_length=MOST_MOVES)]


class GoLine(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A position, given by the moves that lead to it from the empty board."""

    size: Annotated[int, msgspec.Meta(ge=1, le=19)]
    komi: Komi
    rules: Rules
    moves: Annotated[list[ShortText], msgspec.Meta(max_length=MOST_MOVES)] = []
    """The moves: vertices or `pass`."""

    @property
    def position(self) -> GoPosition:
        """The position after the moves.

        :raises FoibleError: there is no such position; says which move is wrong, and why.
        """
        return GoPosition(self.size, self.moves, komi=self.komi, rules=self.rules)


class GoNetsKnown(PageReply, frozen=True, kw_only=True):
    """The names of the nets for Go."""

    nets: list[str]


class GoNets(PageQuestion, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="go_nets"):
    """List the nets for Go: those that come with foible, those in folders of nets, and those of runs."""

    async def answer(self, shared: Shared) -> AsyncGenerator[GoNetsKnown, None]:
        """Runs are searched anew each time, as new ones, and their nets, may appear while the server runs."""
        yield GoNetsKnown(nets=list(await asyncio.to_thread(go_nets, shared.runs)))


def go_nets(runs: Path) -> dict[str, str]:
    """The nets for Go: for each name that a page uses, the name by which `open_net` knows the net.

    :param runs: the folder of runs; each run of `foible go train` in it that has a net is listed.
    """
    known = (net for net in known_nets() if net.path is not None and net.path.name.endswith(GO_SUFFIXES))
    found = {net.name: net.name for net in known}
    folders = sorted(runs.iterdir()) if runs.is_dir() else []
    return found | {f"{runs.name}/{one.name}": str(one) for one in folders if _trained_go(one)}


def _trained_go(folder: Path) -> bool:
    try:
        return kind_of_run(folder) == "go training" and net_at(folder) is not None
    except FoibleError:  # a damaged run is left out
        return False


class GoBoardShown(PageReply, frozen=True, kw_only=True):
    """A board."""

    moves: list[str]
    """The moves in standard notation."""
    rows: list[str]
    """The rows of the board from the top: `X` is Black, `O` White, `.` empty."""
    turn: Colour
    over: bool
    """Whether the game is over, after two passes."""
    score: str
    """The score of the board as it stands, by area: `B+3.5`, or `0`."""


class GoBoard(PageQuestion, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="go_board"):
    """Show the board after some moves, or the error that a move is not legal."""

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


class GoRecordWritten(PageReply, frozen=True, kw_only=True):
    """A game as SGF."""

    sgf: str


class GoRecordOf(PageQuestion, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="go_record"):
    """Write a game, in progress or over, as SGF."""

    line: GoLine
    black: ShortText
    """The name of the player of Black."""
    white: ShortText
    remarks: Remarks
    """One remark for each move, or none at all."""
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
