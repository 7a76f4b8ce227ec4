"""All messages that a page can send. A new kind of question must be added to `AnyQuestion`."""

import msgspec

from foible.interfaces.web.asking import Number
from foible.interfaces.web.deck_maker import MakeDeck, StopMaking, WatchMaking
from foible.interfaces.web.explain import Bars, Explain, Judge, ReadGame
from foible.interfaces.web.go import GoBoard, GoNets, GoRecordOf
from foible.interfaces.web.go_search import GoCompare, GoCurve, GoMove, GoNet, GoTree
from foible.interfaces.web.lobby import Cast, NewGame
from foible.interfaces.web.nets import FetchNet, ListNets, Load, ShowNet
from foible.interfaces.web.openings import Openings
from foible.interfaces.web.opponents import FetchGames, GiveGames, ListSources
from foible.interfaces.web.play import (
    AnswerGame,
    DeclineDraw,
    Draw,
    GamePgn,
    Resign,
    ReviewGame,
    TakeBack,
    WatchGame,
)
from foible.interfaces.web.prepare import Prepare
from foible.interfaces.web.runs import ListRuns, WatchLive, WatchRun
from foible.interfaces.web.train import (
    AnswerPuzzle,
    ListDecks,
    ShowDeck,
    ShowSolution,
    TryMove,
)

AnyQuestion = (
    ReadGame
    | Bars
    | Explain
    | Judge
    | Openings
    | Cast
    | NewGame
    | WatchGame
    | AnswerGame
    | TakeBack
    | Draw
    | DeclineDraw
    | Resign
    | GamePgn
    | ReviewGame
    | Load
    | GoNets
    | GoBoard
    | GoRecordOf
    | GoNet
    | GoCurve
    | GoTree
    | GoMove
    | GoCompare
    | ListSources
    | GiveGames
    | FetchGames
    | Prepare
    | ListRuns
    | WatchRun
    | WatchLive
    | ListNets
    | ShowNet
    | FetchNet
    | ListDecks
    | ShowDeck
    | TryMove
    | ShowSolution
    | AnswerPuzzle
    | MakeDeck
    | WatchMaking
    | StopMaking
)  # fmt: skip


class Ask(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag="ask", tag_field="do"):
    """The message that asks a question."""

    id: Number
    """The number of the question; it must differ from those of questions that are still being answered."""
    question: AnyQuestion


class Stop(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag="stop", tag_field="do"):
    """The message that stops the answer to a question: no more replies follow."""

    id: Number


FromPage = Ask | Stop
