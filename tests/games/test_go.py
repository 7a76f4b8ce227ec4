"""Go rules from Python, held to a plain twin on random games."""

import math
import pickle
import random
from typing import Literal

import pytest
from hypothesis import given, strategies as st

from foible._core import FoibleError, GoPosition, MoveError, PositionError
from foible.games.go import chains

COLUMNS = "ABCDEFGHJKLMNOPQRST"
Point = tuple[int, int]
Stones = dict[Point, str]


class PlainGo:
    """The rules word by word: a dictionary of stones, searched point by point."""

    def __init__(self, size: int, *, suicide: bool = False, stones: Stones | None = None, turn: str = "X") -> None:
        self.size = size
        self.suicide = suicide
        self.stones: Stones = stones or {}
        self.seen: list[Stones] = [self.stones]
        self.turn = turn
        self.passes = 0

    def around(self, point: Point) -> list[Point]:
        x, y = point
        near = [(x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1)]
        return [(x, y) for x, y in near if 0 <= x < self.size and 0 <= y < self.size]

    def region(self, stones: Stones, point: Point) -> tuple[set[Point], set[str]]:
        """The connected points of one content around a point, and what else touches them."""
        region, border, todo = {point}, set(), [point]
        while todo:
            for near in self.around(todo.pop()):
                if stones.get(near, ".") != stones.get(point, "."):
                    border.add(stones.get(near, "."))
                elif near not in region:
                    region.add(near)
                    todo.append(near)
        return region, border

    def after(self, point: Point) -> Stones | None:
        """The stones after a move, or none where it is not legal."""
        if point in self.stones:
            return None
        stones = self.stones | {point: self.turn}
        for near in self.around(point):
            if stones.get(near, self.turn) != self.turn:
                stones = self.without_dead(stones, near)
        settled = self.without_dead(stones, point)
        if settled in self.seen or (settled != stones and not self.suicide):
            return None
        return settled

    def without_dead(self, stones: Stones, point: Point) -> Stones:
        """The stones less the chain on a point, if it has no liberty."""
        chain, border = self.region(stones, point)
        dead = chain if point in stones and "." not in border else set()
        return {at: colour for at, colour in stones.items() if at not in dead}

    def legal_moves(self) -> list[str]:
        if self.passes == 2:
            return []
        points = [(x, y) for y in range(self.size) for x in range(self.size)]
        return [self.name(point) for point in points if self.after(point) is not None] + ["pass"]

    def name(self, point: Point) -> str:
        return f"{COLUMNS[point[0]]}{point[1] + 1}"

    def play(self, move: str) -> None:
        self.passes = self.passes + 1 if move == "pass" else 0
        if move != "pass":
            stones = self.after((COLUMNS.index(move[0]), int(move[1:]) - 1))
            assert stones is not None
            self.stones = stones
            self.seen.append(stones)
        self.turn = "O" if self.turn == "X" else "X"

    def area(self) -> int:
        area = 0
        for point in ((x, y) for y in range(self.size) for x in range(self.size)):
            owners = {self.stones.get(point, ".")}
            if owners == {"."}:
                owners = self.region(self.stones, point)[1]
            area += (owners == {"X"}) - (owners == {"O"})
        return area

    def board(self) -> str:
        rows = range(self.size - 1, -1, -1)
        return "\n".join("".join(self.stones.get((x, y), ".") for x in range(self.size)) for y in rows)


def thrown(size: int, rng: random.Random) -> Stones:
    """Stones thrown on a board, those that cannot stand taken away."""
    points = [(x, y) for y in range(size) for x in range(size)]
    stones = {point: rng.choice("XO") for point in points if rng.random() < 0.6}
    for point in points:
        stones = PlainGo(size).without_dead(stones, point)
    return stones


@pytest.mark.parametrize("rules", ["chinese", "tromp-taylor"])
@pytest.mark.parametrize("set_up", [False, True])
@given(size=st.sampled_from([1, 2, 2, 3, 3, 3, 4, 5]), seed=st.integers(0, 2**32))
def test_random_games_follow_the_plain_rules(
    rules: Literal["chinese", "tromp-taylor"], set_up: bool, size: int, seed: int
) -> None:
    rng = random.Random(seed)
    stones = thrown(size, rng) if set_up else {}
    to_move: Literal["black", "white"] = rng.choice(("black", "white"))
    plain = PlainGo(size, suicide=rules == "tromp-taylor", stones=stones, turn="X" if to_move == "black" else "O")
    black, white = ([plain.name(point) for point in stones if stones[point] == colour] for colour in "XO")
    position = GoPosition(size, rules=rules, black=black, white=white, to_move=to_move)
    assert position.setup == (black, white)
    for ply in range(3 * size * size):
        legal = plain.legal_moves()
        assert position.legal_moves == legal
        assert (position.board, position.area) == (plain.board(), plain.area())
        assert (position.ply, position.turn) == (ply, "first" if plain.turn == "X" else "second")
        if not legal:
            break
        move = rng.choice(legal[:-1] or legal) if rng.random() < 0.9 else "pass"
        plain.play(move)
        position = position.play(move)
    again = GoPosition(size, position.moves, rules=rules, black=black, white=white, to_move=to_move)
    assert again == position
    assert again.key == position.key


@given(st.sampled_from([1, 2, 3, 7, 19]), st.lists(st.integers(0, 400), max_size=30))
def test_a_move_is_accepted_exactly_when_it_is_listed(size: int, choices: list[int]) -> None:
    position = GoPosition(size)
    for choice in choices:
        legal = position.legal_moves
        for name in [f"{COLUMNS[x]}{y + 1}" for y in range(size) for x in range(size)]:
            if name not in legal:
                with pytest.raises(MoveError):
                    position.play(name)
        if not legal:
            break
        position = position.play(legal[choice % len(legal)])


def test_defaults_are_seven_by_seven_with_komi_nine_and_a_half() -> None:
    position = GoPosition()
    assert (position.size, position.komi, position.turn) == (7, 9.5, "first")
    assert (position.moves, position.ply) == ([], 0)
    assert position.board == "\n".join(["......."] * 7)
    assert position.legal_moves[:9] == ["A1", "B1", "C1", "D1", "E1", "F1", "G1", "A2", "B2"]
    assert position.legal_moves[-1] == "pass"
    assert len(position.legal_moves) == 50
    assert position.outcome() is None


def test_the_board_is_drawn_from_the_top_row() -> None:
    assert GoPosition(3, ["A1", "C3", "b1"]).board == "..O\n...\nXX."


def test_moves_are_remembered_in_upper_case() -> None:
    assert GoPosition(9, ["j9", "PASS", "d4"]).moves == ["J9", "pass", "D4"]


def test_playing_leaves_the_position_as_it_was() -> None:
    before = GoPosition(5, ["C3"])
    after = before.play("C4")
    assert (before.moves, after.moves) == (["C3"], ["C3", "C4"])


@pytest.mark.parametrize(
    ("komi", "winner", "result"),
    [(8.5, "first", "0-1"), (9, None, "1/2-1/2"), (9.5, "second", "1-0"), (-1.5, "first", "0-1")],
)
def test_two_passes_end_the_game_by_area_and_komi(komi: float, winner: str | None, result: str) -> None:
    position = GoPosition(3, ["B2", "pass", "pass"], komi=komi)
    outcome = position.outcome()
    assert outcome is not None
    assert (position.area, position.legal_moves) == (9, [])
    assert (outcome.winner, outcome.result, outcome.reason) == (winner, result, "two_passes")


def test_an_empty_board_is_lost_by_the_komi() -> None:
    outcome = GoPosition(7, ["pass", "pass"]).outcome(claim_draw=True)
    assert outcome is not None
    assert outcome.winner == "second"


@pytest.mark.parametrize("size", [-1, 0, 20, 2**40, 2**70])
def test_a_size_outside_the_range_is_refused(size: int) -> None:
    with pytest.raises(PositionError, match="from 1 to 19"):
        GoPosition(size)


@pytest.mark.parametrize("komi", [0.25, 9.4, math.nan, math.inf, -math.inf, 1e300, 10**400, -(10**400)])
def test_a_komi_that_is_no_multiple_of_a_half_is_refused(komi: float) -> None:
    with pytest.raises(PositionError, match=r"multiple of 0\.5"):
        GoPosition(komi=komi)
    with pytest.raises(PositionError, match=r"multiple of 0\.5"):
        GoPosition().with_komi(komi)


@pytest.mark.parametrize(("komi", "told"), [(1e300, "1e300"), (0.3, "0.3"), (1_000_000.5, "1000000.5")])
def test_a_komi_that_is_refused_is_told_in_few_digits(komi: float, told: str) -> None:
    with pytest.raises(PositionError, match=rf"komi {told}: must be a multiple of 0\.5 from -1000000 to 1000000"):
        GoPosition(komi=komi)


@given(st.integers(-2000, 2000))
def test_every_multiple_of_a_half_is_a_komi(twice: int) -> None:
    assert GoPosition(5, komi=twice / 2).komi == twice / 2


@pytest.mark.parametrize("move", ["", "I5", "A0", "H1", "A8", "7", "resign", "A١", "A1\n", "\U0001f600"])
def test_a_text_that_is_no_vertex_is_refused(move: str) -> None:
    with pytest.raises(MoveError, match="not a vertex from A1 to G7") as error:
        GoPosition(7, ["D4", move])
    assert "move 2 of 2" in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("size", "moves", "reason"),
    [
        (7, ["D4", "D4"], "occupied"),
        (1, ["A1"], "suicide"),
        (3, ["A2", "C3", "B1", "A1"], "suicide"),
        (5, ["B3", "C3", "A2", "D2", "B1", "C1", "C2", "B2", "C2"], "superko"),
        (2, ["B2", "B1", "A1", "pass", "A2", "B1", "B2"], "superko"),
        (7, ["pass", "pass", "D4"], "the game is over"),
        (7, ["pass", "pass", "pass"], "the game is over"),
    ],
)
def test_an_illegal_move_is_refused_with_its_index_and_the_reason(size: int, moves: list[str], reason: str) -> None:
    with pytest.raises(MoveError, match=reason) as error:
        GoPosition(size, moves)
    assert str(error.value).startswith(f"move {len(moves)} of {len(moves)}: ")
    assert str(error.value).endswith(f'"{moves[-1]}"')
    with pytest.raises(MoveError, match=reason):
        GoPosition(size, moves[:-1]).play(moves[-1])


def test_errors_are_value_errors_of_foible() -> None:
    assert issubclass(MoveError, FoibleError)
    assert issubclass(PositionError, FoibleError)
    assert issubclass(FoibleError, ValueError)


def test_equality_and_hash_go_by_rules_and_history() -> None:
    one, same = GoPosition(5, ["A1", "B1", "C1"]), GoPosition(5, ["a1", "b1", "c1"])
    transposed = GoPosition(5, ["C1", "B1", "A1"])
    assert one == same
    assert hash(one) == hash(same)
    assert one != transposed
    assert one != GoPosition(5, one.moves, komi=0)
    assert one != GoPosition(5, one.moves, rules="tromp-taylor")
    assert one != GoPosition(5, ["B1", "C1"], black=["A1"], to_move="white")
    assert one != "A1 B1 C1"


def test_a_position_survives_pickling_and_shows_its_moves() -> None:
    position = GoPosition(5, ["A1", "pass"], komi=0.5)
    assert pickle.loads(pickle.dumps(position)) == position
    assert repr(position) == 'GoPosition(5, ["A1", "pass"], komi=0.5)'


@pytest.mark.parametrize(
    ("position", "shown"),
    [
        (
            GoPosition(5, ["D4", "pass"], komi=7, rules="tromp-taylor"),
            'GoPosition(5, ["D4", "pass"], komi=7, rules="tromp-taylor")',
        ),
        (
            GoPosition(5, ["B1"], komi=0, black=["C3", "A2"], white=["E5"], to_move="white"),
            'GoPosition(5, ["B1"], komi=0, black=["A2", "C3"], white=["E5"], to_move="white")',
        ),
    ],
)
def test_a_set_up_survives_pickling_and_is_shown(position: GoPosition, shown: str) -> None:
    again = pickle.loads(pickle.dumps(position))
    assert again == position
    assert again.key == position.key
    assert repr(position) == shown
    assert eval(shown) == position


def test_the_key_tells_apart_what_an_evaluation_may_depend_on() -> None:
    base = GoPosition(5, ["A1", "B1", "C1"])
    others = [
        base.play("pass"),
        GoPosition(5, ["C1", "B1", "A1"]),
        GoPosition(6, base.moves),
        GoPosition(5, base.moves, komi=0),
        GoPosition(5, base.moves, rules="tromp-taylor"),
        GoPosition(5, ["C1"], black=["A1"], white=["B1"]),
        GoPosition(5, base.moves, to_move="white"),
        GoPosition(5, ["pass", "pass"]),
        GoPosition(5),
    ]
    assert len({position.key for position in [base, *others]}) == len(others) + 1
    assert GoPosition(5, base.moves).key == base.key


def test_the_key_tells_a_forbidden_point_from_a_free_one() -> None:
    """The last eight boards are the same; which point superko forbids was settled before them."""
    same = ["pass", "B2", "A1", "B1", "B2", "pass", "B1"]
    free, forbidden = GoPosition(2, ["B1", "B2", "A2", *same]), GoPosition(2, ["A2", "A1", "B1", *same])
    assert [GoPosition(2, free.moves[:ply]).board for ply in range(3, 11)] == [
        GoPosition(2, forbidden.moves[:ply]).board for ply in range(3, 11)
    ]
    assert (free.legal_moves, forbidden.legal_moves) == (["A2", "pass"], ["pass"])
    assert free.key != forbidden.key


def test_the_key_tells_a_forbidden_suicide_from_a_free_one() -> None:
    """The same as for points: white stones stood alone on the board in one game and not in the other."""
    same = ["C2", "pass", "C1", "pass", "B2", "pass", "B3", "pass"]
    free = GoPosition(3, ["C3", "A2", "pass", "B1", *same], rules="tromp-taylor")
    forbidden = GoPosition(3, ["pass", "A2", "pass", "B1", "C3", "pass", *same], rules="tromp-taylor")
    assert free.board == forbidden.board
    assert set(free.legal_moves) - set(forbidden.legal_moves) == {"A3"}
    assert free.key != forbidden.key


def test_chains_hold_all_stones_once() -> None:
    black, white = ["A1", "B1", "B2", "E5", "C3"], ["A2", "A3", "D5", "D4"]
    found = chains(GoPosition(5, black=black, white=white))
    assert sorted((colour, sorted(chain)) for colour, chain in found) == [
        ("black", ["A1", "B1", "B2"]),
        ("black", ["C3"]),
        ("black", ["E5"]),
        ("white", ["A2", "A3"]),
        ("white", ["D4", "D5"]),
    ]
    assert [colour for colour, _ in found] == ["black"] * 3 + ["white"] * 2
