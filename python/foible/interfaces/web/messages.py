"""All messages that a page can send, and decoding them. A new kind of question must be added to `AnyQuestion`."""

import msgspec

from foible.errors import FoibleError
from foible.interfaces.web.deck_maker import MakeDeck, StopMaking, WatchMaking
from foible.interfaces.web.explain import Bars, Explain, Judge, ReadGame
from foible.interfaces.web.go import GoBoard, GoNets, GoRecordOf
from foible.interfaces.web.go_search import GoCompare, GoCurve, GoMove, GoNet, GoTree
from foible.interfaces.web.lobby import Cast, NewGame
from foible.interfaces.web.nets import FetchNet, ListNets, Load, ShowNet
from foible.interfaces.web.openings import Openings
from foible.interfaces.web.opponents import FetchGames, GiveGames, ListSources
from foible.interfaces.web.play import AnswerGame, DeclineDraw, Draw, GamePgn, Resign, TakeBack, WatchGame
from foible.interfaces.web.prepare import Prepare
from foible.interfaces.web.protocol import Number
from foible.interfaces.web.review import ReviewGame
from foible.interfaces.web.runs import ListRuns, WatchLive, WatchRun
from foible.interfaces.web.train import AnswerPuzzle, ListDecks, ShowDeck, ShowSolution, TryMove
from foible.mistakes import explain

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

_DECODER = msgspec.json.Decoder()


class MessageError(FoibleError):
    """A page sent something that is not a valid message."""

    def __init__(self, why: str, found: object = None) -> None:
        """`found`: what was sent, as plain values."""
        super().__init__(f"not a message: {why}")
        named = found.get("id") if isinstance(found, dict) else None
        self.id: int | None = named if type(named) is int else None
        """The number of the question, where the invalid message has one."""


def read_message(text: str) -> Ask | Stop:
    """Decode a message of a page.

    :raises MessageError: it is not valid; says where it is wrong and what would be right.
    """
    try:
        found = _DECODER.decode(text)
    except (msgspec.DecodeError, RecursionError) as error:
        raise MessageError(str(error)) from None
    try:
        message: Ask | Stop = msgspec.convert(found, FromPage)
    except msgspec.ValidationError as error:
        raise MessageError(explain(error, found, FromPage), found) from None
    return message
