"""Who gave away how much in one game."""

from collections.abc import Sequence

import pytest

from foible._core import ChessPosition
from foible.analysis.game_review import CHUNK, JudgedMove, numbered, review
from foible.arena.openings import Opening
from foible.arena.record import GameRecord, MoveRecord
from foible.judges.base import Score
from foible.loop import each

FOOLS = ("f2f3", "e7e5", "g2g4", "d8h4")


class ByPly:
    """Says of the position after so many plies what it was told, for the side to move."""

    name = "by ply"

    def __init__(self, *wp: float) -> None:
        self._wp = wp
        self.asked: list[int] = []

    async def judge(self, positions: Sequence[ChessPosition]) -> list[Score]:
        self.asked += [len(position.moves) for position in positions]
        return [Score(self._wp[len(position.moves)]) for position in positions]

    def close(self) -> None:
        """Nothing is held."""


def game(moves: Sequence[MoveRecord], opening: Opening = Opening(), termination: str = "checkmate") -> GameRecord:  # noqa: B008
    return GameRecord(
        pair=0,
        game_in_pair=1,
        framework="foible play",
        white="pair",
        black="other",
        focal_white=True,
        opening=opening,
        moves=tuple(moves),
        result="0-1",
        termination=termination,
        seed=0,
    )


def test_each_player_is_charged_with_their_own_moves() -> None:
    moves = [
        MoveRecord("f2f3", "senior"),
        MoveRecord("e7e5"),
        MoveRecord("g2g4", "junior", info={"person": "move"}),
        MoveRecord("d8h4"),
    ]
    judge = ByPly(0.5, 0.6, 0.3, 0.9)
    *_, found = each(review(game(moves), judge))
    assert found.judge == "by ply"
    assert judge.asked == [0, 1, 2, 3]
    assert [move.loss for move in found.moves] == pytest.approx([10.0, 0.0, 20.0, 0.0])
    assert [move.text for move in found.moves] == ["1. f3", "1... e5", "2. g4", "2... Qh4#"]
    assert [(one.white, one.who, one.moves) for one in found.players] == [
        (True, "senior", 1),
        (True, "you", 1),
        (False, "player", 2),
    ]
    assert found.players[1].worst == found.moves[2]
    assert found.players[1].mean == pytest.approx(20)
    assert found.players[1].standard_error is None
    assert found.players[2].standard_error == pytest.approx(0)
    assert found.total == 4


def test_a_long_game_is_told_of_while_it_is_judged() -> None:
    moves = [MoveRecord(move) for move in ("g1f3", "g8f6", "f3g1", "f6g8") * 3]
    told = [len(found.moves) for found in each(review(game(moves), ByPly(*[0.5] * 13)))]
    assert told == [CHUNK - 1, 12]


def test_what_a_hand_of_a_person_plays_is_the_hands() -> None:
    moves = [MoveRecord("f2f3", "hand", info={"person": "piece"}), *map(MoveRecord, FOOLS[1:])]
    *_, found = each(review(game(moves), ByPly(0.5, 0.5, 0.5, 0.5)))
    assert found.moves[0].who == "hand"


def test_an_opening_is_nobodys_and_a_game_given_up_is_judged_to_its_end() -> None:
    opening = Opening(None, FOOLS[:2])
    judge = ByPly(0, 0, 0.5, 0.9)
    *_, found = each(review(game([MoveRecord("g2g4")], opening, "resignation"), judge))
    assert judge.asked == [2, 3]
    assert found.moves == (JudgedMove(2, True, "2. g4", "player", 0.5, found.moves[0].loss),)
    assert found.moves[0].loss == pytest.approx(40)


def test_a_black_move_is_numbered_with_dots() -> None:
    assert numbered(ChessPosition("4k3/8/8/8/8/8/4P3/4K3 b - - 3 17"), "e8d8") == "17... Kd8"
