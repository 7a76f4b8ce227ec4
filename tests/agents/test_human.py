"""A person as a player: what is asked, what is understood, what is refused."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

import msgspec
import numpy as np
import pytest

from foible._core import ChessPosition, GoPosition
from foible.agents.base import RESIGN, Agent, Decision, Limits, Player, Turn
from foible.agents.human import (
    Human,
    HumanBrain,
    HumanHand,
    Paced,
    Question,
    allowed_moves,
    movable_pieces,
    read_answer,
)
from foible.agents.player_builder import PlayerBuilder
from foible.agents.policy import NetPolicy, RandomMover
from foible.agents.spec import TeamSpec
from foible.agents.teams import TagTeam
from foible.errors import ConfigError, MoveError
from foible.games import Position
from foible.nets import Material
from foible.nets.shelf import NetShelf
from foible.opponents.thinking_time import LARGEST_SHARE, PEOPLE, PlayerClock, moment_of
from tests.agents.test_teams import EvenGames, Scripted
from tests.playing import choose

CASTLING = ChessPosition("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1")


class Answers:
    """A person who says what was written down for them, and remembers the questions."""

    def __init__(self, *answers: str) -> None:
        self._answers: Iterator[str] = iter(answers)
        self.asked: list[Question] = []

    async def answer(self, question: Question) -> str:
        self.asked.append(question)
        return next(self._answers)


def turn(position: Position | None = None, *, game: int = 0, seed: int = 0) -> Turn:
    return Turn(position or ChessPosition(), game, 0, seed=seed)


@pytest.mark.parametrize(
    ("position", "text", "move"),
    [
        (ChessPosition(), "e2e4", "e2e4"),
        (ChessPosition(), " Nf3 ", "g1f3"),
        (CASTLING, "O-O-O", "e1c1"),
        (CASTLING, "0-0", "e1g1"),
        (GoPosition(5), "c3", "C3"),
        (GoPosition(5), "pass", "pass"),
        (ChessPosition(), "resign", RESIGN),
    ],
)
def test_a_person_moves_in_uci_in_san_or_by_vertex(position: Position, text: str, move: str) -> None:
    person = Answers(text)
    (decision,) = choose(Human(person, "Ann"), [turn(position)])
    assert decision.move == move
    assert decision.info == {"person": "move"}
    assert person.asked[0].turn.position == position


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("e5", '^illegal move: "e5"; expected a legal move: Na3, Nc3, Nf3, Nh3, a3, a4, b3, b4, c3, c4, d3, d4 …'),
        ("castle", 'neither UCI nor SAN: "castle"; expected a legal move'),
        ("", "neither UCI nor SAN"),
        ("e4\0\ud800\nx", 'neither UCI nor SAN: "e4�{3}x"'),
        ("e4" * 1000, 'neither UCI nor SAN: "(e4){20}"'),
    ],
)
def test_a_wrong_move_is_told_with_the_right_ones(text: str, said: str) -> None:
    with pytest.raises(MoveError, match=said) as told:
        choose(Human(Answers(text)), [turn()])
    assert "\n" not in str(told.value)


def test_a_person_is_one_half_of_an_ordinary_tag_team() -> None:
    person = Answers("e4")
    team = TagTeam(RandomMover(), Human(person), EvenGames())
    senior, junior = choose(team, [turn(game=0), turn(game=1)])
    assert senior.info == {"who": "senior"}
    assert junior.info == {"who": "junior", "person": "move"}
    assert len(person.asked) == 1


def test_a_hand_learns_the_piece_type_and_nothing_else() -> None:
    person = Answers("Nf3")
    team = HumanHand(Scripted("brain", move="b1c3", value=0.7, info={"nodes": 8}), person)
    (decision,) = choose(team, [turn()])
    (question,) = person.asked
    assert (question.wanted, question.named) == ("move", "N")
    assert set(allowed_moves(question)) == {"b1a3", "b1c3", "g1f3", "g1h3"}
    assert decision.move == "g1f3"
    assert decision.value is None
    assert decision.info == {"who": "hand", "named": "N", "brain": "b1c3", "brain_value": 0.7, "person": "move"}
    assert team.name == "brain+You"


def test_the_brain_judges_the_hands_move_where_it_is_its_own() -> None:
    (decision,) = choose(HumanHand(Scripted(move="b1c3", value=0.7), Answers("Nc3")), [turn()])
    assert decision.value == 0.7


def test_a_hand_may_not_move_another_piece() -> None:
    with pytest.raises(MoveError, match=r"^e4 moves a pawn; expected a move of a knight: Na3, Nc3, Nf3, Nh3$"):
        choose(HumanHand(Scripted(move="b1c3"), Answers("e4")), [turn()])


def test_a_brain_that_names_types_alone_serves_a_person() -> None:
    (decision,) = choose(HumanHand(Scripted(move="b1c3", info={"named": "N"}, value=0.6), Answers("b1c3")), [turn()])
    assert decision.info == {"who": "hand", "named": "N", "brain_value": 0.6, "person": "move"}
    assert decision.value is None


def test_the_hand_of_a_person_draws_from_its_own_distribution() -> None:
    policy = {"e2e4": 0.5, "g1f3": 0.3, "b1c3": 0.1, "d2d4": 0.1}
    person = Answers(*["knight", "n", "N"] * 100)
    team = HumanBrain(person, Scripted("hand", policy=policy))
    decisions = choose(team, [turn(seed=seed) for seed in range(300)])
    seen = Counter(decision.move for decision in decisions)
    assert set(seen) == {"g1f3", "b1c3"}
    assert seen["g1f3"] == pytest.approx(225, abs=30)
    assert {question.wanted for question in person.asked} == {"piece"}
    assert decisions[0].info["named"] == "N"
    assert decisions[0].info["person"] == "piece"
    assert decisions[0].policy == {"b1a3": 0, "b1c3": pytest.approx(0.25), "g1f3": pytest.approx(0.75), "g1h3": 0}


@pytest.mark.parametrize("text", ["Q", "bishop", "e4", ""])
def test_a_brain_may_not_name_a_piece_that_cannot_move(text: str) -> None:
    said = rf"^'{text}' is no type of piece that can move here; expected one of P \(pawn\), N \(knight\)$"
    with pytest.raises(MoveError, match=said):
        choose(HumanBrain(Answers(text), Scripted(policy={"e2e4": 1.0})), [turn()])


def test_the_pieces_that_can_move_are_told_from_pawn_to_king() -> None:
    assert movable_pieces(ChessPosition()) == ["P", "N"]
    assert movable_pieces(CASTLING) == ["R", "K"]


@pytest.mark.parametrize("wanted", ["move", "piece"])
def test_what_a_person_means_can_be_asked_beforehand(wanted: Any) -> None:
    question = Question(turn(), wanted=wanted)
    assert read_answer(question, "resign") == RESIGN
    assert read_answer(question, "e4" if wanted == "move" else "pawn") in {"e2e4", "P"}


def test_giving_up_ends_the_game_of_every_team() -> None:
    person = Answers(*[RESIGN] * 4)
    hand, brain = Scripted(policy={"e2e4": 1.0}), Scripted(move="e2e4")
    teams: list[Agent] = [Human(person), HumanHand(brain, person), HumanBrain(person, hand)]
    decisions = [choose(team, [turn()])[0] for team in teams]
    assert [decision.move for decision in decisions] == [RESIGN] * 3
    assert all(decision.ends_game for decision in decisions)
    assert decisions[2].info == {"who": "brain", "person": "piece"}


def test_a_forfeit_of_a_persons_brain_is_the_teams() -> None:
    (decision,) = choose(HumanHand(Scripted(info={"forfeit": "crashed"}), Answers()), [turn()])
    assert decision.move == ""
    assert decision.info == {"forfeit": "crashed", "who": "brain"}


@pytest.mark.parametrize(
    ("description", "kind"),
    [
        ({"kind": "human", "name": "Ann"}, Human),
        ({"kind": "hand_brain", "brain": {"kind": "random"}, "hand": {"kind": "human"}}, HumanHand),
        ({"kind": "hand_brain", "brain": {"kind": "human"}, "hand": {"kind": "random"}}, HumanBrain),
    ],
)
def test_a_description_can_name_a_person(description: dict[str, Any], kind: type) -> None:
    spec = msgspec.convert(description, TeamSpec)
    assert isinstance(PlayerBuilder(NetShelf(), person=Answers()).build(spec), kind)
    with pytest.raises(ConfigError, match=r"a player of kind human: only foible play asks people"):
        PlayerBuilder(NetShelf()).build(spec)


def test_two_people_are_no_hand_and_brain() -> None:
    human = {"kind": "human"}
    spec = msgspec.convert({"kind": "hand_brain", "brain": human, "hand": human}, TeamSpec)
    with pytest.raises(ConfigError, match="one of the two"):
        PlayerBuilder(NetShelf(), person=Answers()).build(spec)


BLITZ = PlayerClock(left=200.0, base=300.0, increment=3.0)


class Day:
    """A clock that goes on only while somebody sleeps, or thinks."""

    def __init__(self) -> None:
        self.now = 0.0

    def read(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        self.now += seconds


class Thinker(Player):
    """Takes so long for its move."""

    name = "thinker"

    def __init__(self, day: Day, seconds: float, move: str = "e2e4") -> None:
        self._day, self._seconds, self._move = day, seconds, move
        self.forgotten: list[int] = []
        self.closed = False

    async def choose(self, turn: Turn) -> Decision:
        self._day.now += self._seconds
        return Decision(self._move)

    def forget(self, game: int) -> None:
        self.forgotten.append(game)

    def close(self) -> None:
        self.closed = True


def turn_of(seed: int = 0, position: Position | None = None, limits: Limits | None = None) -> Turn:
    return Turn(position or ChessPosition(), 0, 0, seed=seed, limits=limits or Limits())


def paced(player: Agent, day: Day, clock: PlayerClock = BLITZ) -> Paced:
    return Paced(player, lambda turn: clock, 1500, now=day.read, sleep=day.sleep)


def seconds(turns: Sequence[Turn], thinks: float = 0.0, clock: PlayerClock = BLITZ) -> list[float]:
    """How long each of the turns takes."""
    found = []
    for one in turns:
        day = Day()
        choose(paced(Thinker(day, thinks), day, clock), [one])
        found.append(day.now)
    return found


def test_the_time_is_that_of_the_model() -> None:
    (rng,) = np.random.default_rng(5).spawn(1)
    wanted = PEOPLE.sample(moment_of(ChessPosition(), "e2e4", BLITZ, 1500), rng)
    assert seconds([turn_of(5), turn_of(5)]) == pytest.approx([wanted, wanted])


def test_what_the_player_thought_counts() -> None:
    (alone,) = seconds([turn_of(5)])
    assert seconds([turn_of(5)], thinks=alone / 2) == pytest.approx([alone])
    assert seconds([turn_of(5)], thinks=2 * alone) == pytest.approx([2 * alone])


def test_the_moves_are_those_of_the_player() -> None:
    player = NetPolicy(Material(), temperature=1.0)
    asked = [turn_of(seed) for seed in range(20)]
    found = choose(paced(player, Day()), asked)
    assert found == choose(player, [turn_of(seed) for seed in range(20)])


def test_a_short_clock_is_not_overstepped() -> None:
    for one in seconds([turn_of(seed) for seed in range(50)], clock=PlayerClock(left=0.5, base=60)):
        assert 0 < one <= LARGEST_SHARE * 0.5
    assert seconds([turn_of()], clock=PlayerClock(left=0.0, base=60)) == [0.0]


def test_a_limit_of_seconds_is_kept_to() -> None:
    assert seconds([turn_of(5, limits=Limits(seconds=0.01))]) == pytest.approx([0.01])


def test_nobody_waits_before_giving_up() -> None:
    day = Day()
    assert choose(paced(Thinker(day, 0.0, RESIGN), day), [turn_of()])[0].move == RESIGN
    assert day.now == 0.0


def test_it_is_the_player_in_everything_else() -> None:
    player = Thinker(Day(), 0.0)
    with paced(player, Day()) as found:
        assert (found.name, found.obeys) == (player.name, player.obeys)
        found.forget(7)
    assert player.forgotten == [7]
    assert player.closed


def test_go_is_refused() -> None:
    with pytest.raises(ConfigError, match="plays chess"):
        choose(paced(Thinker(Day(), 0.0), Day()), [turn_of(position=GoPosition(5))])
