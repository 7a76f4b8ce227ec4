"""One game that goes on by turns: it can be taken back, given up, put away and gone on with."""

import asyncio
import io
from collections.abc import Coroutine, Mapping
from dataclasses import replace
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings, strategies as st

from foible._core import ChessPosition, PgnReader
from foible.agents.base import Agent, Decision, Turn
from foible.agents.human import Human, HumanBrain, HumanHand, RemotePerson
from foible.agents.policy import RandomMover
from foible.agents.search import NetSearch
from foible.agents.teams import TagTeam
from foible.arena.adjudication import DrawAgreement, Manners
from foible.arena.bitstrings import FairCoins
from foible.arena.openings import STANDARD, Opening
from foible.arena.pgn import read_records, to_pgn
from foible.arena.session import Colour, Ending, GameSession, SavedGame
from foible.errors import ConfigError, MoveError
from foible.nets.evaluator import Material
from tests.agents.test_teams import Scripted
from tests.arena.scripted import Line


def run(work: Coroutine[Any, Any, Any]) -> Any:
    return asyncio.run(work)


def with_person(saved: SavedGame | None = None, black: Agent | None = None) -> GameSession:
    """A person with White against random moves."""
    person = RemotePerson()
    return GameSession(Human(person), black or RandomMover(), saved, person=person)


def reloaded(saved: SavedGame) -> SavedGame:
    return msgspec.json.decode(msgspec.json.encode(saved), type=SavedGame)


def test_agents_play_until_a_person_is_asked() -> None:
    async def game() -> None:
        session, told = with_person(), list[str]()
        question = await session.advance()
        assert question is not None
        assert question is session.question
        assert question.turn.position == ChessPosition()
        await session.reply("e4")
        assert session.question is None
        question = await session.advance(lambda decision: told.append(decision.move))
        assert question is not None
        assert told == [decision.move for decision in session.decisions] == session.position.moves
        assert (told[0], len(told), session.ply, session.to_move) == ("e2e4", 2, 2, "white")

    run(game())


def test_a_wrong_answer_leaves_the_question_standing() -> None:
    async def game() -> None:
        session = with_person()
        with pytest.raises(MoveError, match="nobody is asked"):
            await session.reply("e4")
        asked = await session.advance()
        with pytest.raises(MoveError, match="illegal move"):
            await session.reply("e5")
        assert session.question is asked
        assert await session.advance() is asked

    run(game())


def test_the_rules_end_a_game() -> None:
    mate = GameSession(Line("f2f3 e7e5 g2g4 d8h4"), Line("f2f3 e7e5 g2g4 d8h4"))
    assert run(mate.advance()) is None
    assert mate.ending is not None
    assert (mate.ending.result, mate.ending.termination) == ("0-1", "checkmate")
    knights = "g1f3 g8f6 f3g1 f6g8"
    repeated = GameSession(Line(knights), Line(knights))
    run(repeated.advance())
    assert repeated.ending is not None
    assert (repeated.ending.termination, repeated.ply) == ("threefold_repetition", 8)


def test_who_gives_up_loses_and_may_take_it_back() -> None:
    async def game() -> None:
        session = with_person()
        await session.advance()
        await session.reply("resign")
        assert await session.advance() is None
        assert session.ending is not None
        assert (session.ending.result, session.ending.termination) == ("0-1", "resignation")
        session = with_person()
        await session.advance()
        await session.reply("e4")
        await session.advance()
        await session.resign("black")
        assert session.ending is not None
        assert session.ending.result == "1-0"
        assert session.question is None
        with pytest.raises(MoveError, match=r"the game is over \(resignation\)"):
            await session.resign("white")
        await session.take_back(2)
        assert session.ending is None
        question = await session.advance()
        assert question is not None
        assert question.turn.ply == 0

    run(game())


def test_an_agent_that_forfeits_loses() -> None:
    session = GameSession(Line("e2e4"), Line(info={"forfeit": "crashed\ntwice"}))
    run(session.advance())
    assert session.ending is not None
    assert (session.ending.result, session.ending.termination) == ("1-0", "forfeit: crashed twice")
    assert session.ply == 1


def test_an_illegal_move_of_an_agent_is_told_with_its_name() -> None:
    with pytest.raises(MoveError, match="ply 0: line answered with an illegal move"):
        run(GameSession(Line("e2e5"), RandomMover()).advance())


@settings(deadline=None, max_examples=60)
@given(st.lists(st.one_of(st.integers(0, 30), st.sampled_from([-1, -2, -3])), max_size=12), st.integers(0, 3))
def test_moves_taken_back_and_played_again_give_the_same_game(plan: list[int], seed: int) -> None:
    """Numbers below 0 take back plies, the others choose a legal move."""

    async def game() -> None:
        session, answers = with_person(SavedGame(seed=seed, game=5)), list[str]()
        for step in plan:
            question = await session.advance()
            if question is None:
                break
            if step >= 0:
                legal = session.position.legal_moves
                await session.reply(legal[step % len(legal)])
            elif session.decisions:
                await session.take_back(min(-step, len(session.decisions)))
        await session.advance()
        answers = [decision.move for decision in session.decisions if decision.info.get("person")]
        straight = with_person(SavedGame(seed=seed, game=5))
        for answer in answers:
            await straight.advance()
            await straight.reply(answer)
        await straight.advance()
        assert straight.saved == session.saved
        again = with_person(reloaded(session.saved))
        assert again.saved == session.saved
        assert (again.position, again.ending, again.ply) == (session.position, session.ending, session.ply)
        await again.advance()
        for one in (session, again):
            if one.ending is None:
                await one.reply(one.position.legal_moves[0])
                await one.advance()
        assert again.saved == session.saved
        assert again.pgn() == session.pgn()

    run(game())


def test_the_last_answer_is_found_behind_the_partners_moves() -> None:
    class Mornings:
        def senior_moves(self, game: int, ply: int) -> bool:
            return ply != 2

    async def game() -> None:
        person = RemotePerson()
        team = TagTeam(Line("e2e4 e7e5 g1f3 b8c6 f1c4 g8f6 d2d3 f8c5"), Human(person), Mornings())
        session = GameSession(team, Line("e2e4 e7e5 g1f3 b8c6 f1c4 g8f6 d2d3 f8c5"), person=person, coins=Mornings())
        assert session.plies_to_last_answer is None
        question = await session.advance()
        assert question is not None
        assert question.turn.ply == 2
        await session.reply("Nf3")
        await _until(session, 7)
        assert session.plies_to_last_answer == session.ply - 2
        await session.take_back(session.plies_to_last_answer)
        question = await session.advance()
        assert question is not None
        assert question.turn.ply == 2
        assert session.pgn().count('[Bits "11"]') == 1

    run(game())


async def _until(session: GameSession, ply: int) -> None:
    """Play on until so many plies are played."""
    reached = asyncio.Event()
    going = asyncio.ensure_future(session.advance(lambda _: reached.set() if session.ply >= ply else None))
    await reached.wait()
    going.cancel()
    await asyncio.gather(going, return_exceptions=True)


def test_a_take_back_ends_what_is_being_thought() -> None:
    """The search under way is cancelled, and its tree is not asked to follow a game that went another way."""

    async def game() -> None:
        black = NetSearch([Material()], nodes=10**6)
        session = with_person(black=black)
        await session.advance()
        await session.reply("e4")
        going = asyncio.ensure_future(session.advance())
        await _until_ply(session, 1)
        await session.take_back(1)
        question = await going
        assert question is not None
        assert question.turn.ply == 0
        await session.reply("d4")
        going = asyncio.ensure_future(session.advance())
        await _until_ply(session, 1)
        going.cancel()
        await session.close()
        black.close()
        assert session.saved.decisions[0].move == "d2d4"

    run(game())


async def _until_ply(session: GameSession, ply: int) -> None:
    while session.ply < ply:
        await asyncio.sleep(0.001)


def test_nobody_is_asked_after_a_cancelled_call_what_was_asked_before() -> None:
    async def game() -> None:
        session = with_person()
        going = asyncio.ensure_future(session.advance())
        await asyncio.sleep(0)
        going.cancel()
        question = await session.advance()
        await session.reply("e4")
        await session.advance()
        assert question is not None
        assert session.ply == 2

    run(game())


class Failing(RandomMover):
    """Fails at its first move."""

    failed = False

    async def choose(self, turn: Turn) -> Decision:
        if not self.failed:
            self.failed = True
            raise ConfigError("out of order")
        return await super().choose(turn)


def test_an_agent_that_failed_is_asked_again() -> None:
    async def game() -> None:
        session = with_person(black=Failing())
        await session.advance()
        await session.reply("e4")
        with pytest.raises(ConfigError, match="out of order"):
            await session.advance()
        assert await session.advance() is not None
        assert session.ply == 2

    run(game())


@pytest.mark.parametrize("plies", [0, -1, 1])
def test_no_more_is_taken_back_than_was_played(plies: int) -> None:
    with pytest.raises(MoveError, match="plies cannot be taken back: expected 1 to 0"):
        run(with_person().take_back(plies))


def test_the_agents_are_told_to_forget() -> None:
    async def game() -> None:
        black = Line("e2e4 e7e5 g1f3 b8c6")
        session = with_person(SavedGame(game=7), black)
        await session.advance()
        await session.reply("e4")
        await session.advance()
        assert black.forgotten == []
        await session.take_back(2)
        await session.advance()
        assert black.forgotten == [7]
        await session.close()
        assert black.forgotten == [7, 7]

    run(game())


def test_games_of_one_agent_have_their_own_chance() -> None:
    def first_moves(game: int, seed: int) -> list[str]:
        session = GameSession(RandomMover(), RandomMover(), SavedGame(game=game, seed=seed))
        run(_until(session, 6))
        return session.position.moves[:6]

    assert first_moves(1, 0) == first_moves(1, 0)
    assert first_moves(1, 0) != first_moves(2, 0)
    assert first_moves(1, 0) != first_moves(1, 1)


def test_fair_coins_are_fair_and_differ_by_game() -> None:
    coins = FairCoins(3)
    tosses = [coins.senior_moves(game, ply) for game in range(40) for ply in range(100)]
    assert 1850 < sum(tosses) < 2150
    assert tosses[:100] != tosses[100:200]
    assert tosses[:50] == [coins.senior_moves(0, ply) for ply in range(50)]


def test_hand_and_brain_of_a_person_in_a_game() -> None:
    async def game() -> None:
        person = RemotePerson()
        white = HumanHand(Line("g1f3 - b1c3"), person)
        black = HumanBrain(person, Scripted("hand", policy={"e7e5": 1.0}))
        session = GameSession(white, black, person=person)
        first = await session.advance()
        assert first is not None
        assert first.named == "N"
        await session.reply("Nh3")
        second = await session.advance()
        assert second is not None
        assert second.wanted == "piece"
        await session.reply("pawn")
        third = await session.advance()
        assert third is not None
        assert session.position.moves == ["g1h3", "e7e5"]
        again = GameSession(white, black, reloaded(session.saved), person=RemotePerson())
        assert again.decisions == session.decisions

    run(game())


def test_a_game_is_written_as_pgn() -> None:
    opening = Opening("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1", ("e2e4",), "a pawn")
    session = GameSession(RandomMover(), Line("- e8e7"), SavedGame(seed=4, opening=opening, date="2024.02.29"))
    run(_until(session, 3))
    unfinished = session.pgn()
    (game,) = PgnReader(io.BytesIO(unfinished.encode()), comments=True)
    assert game.tags["Result"] == game.result == "*"
    assert game.tags["Termination"] == "unterminated"
    assert game.tags["Date"] == "2024.02.29"
    assert game.start_fen == opening.fen
    assert game.moves[:2] == ["e2e4", "e8e7"]
    with pytest.raises(ConfigError, match="no record"):
        session.record()
    run(session.resign("black"))
    record = session.record()
    assert (record.result, record.termination, record.seed) == ("1-0", "resignation", 4)
    assert read_records(to_pgn(record).encode()) == [record]
    assert '[Result "1-0"]' in session.pgn()


def test_a_saved_game_with_an_illegal_move_is_refused() -> None:
    with pytest.raises(MoveError, match="illegal move"):
        GameSession(RandomMover(), RandomMover(), SavedGame(decisions=(Decision("e2e5"),)))


MANNERS = Manners(draw=DrawAgreement(margin=0.05, moves=2, from_move=1))
KINGS = Opening("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1")


class Expecting(RandomMover):
    """Moves at random, and says in turn what it expects."""

    def __init__(self, *values: float | None) -> None:
        super().__init__()
        self._values = values

    async def choose(self, turn: Turn) -> Decision:
        return replace(await super().choose(turn), value=self._values[min(turn.ply // 2, len(self._values) - 1)])


def against(opponent: Agent, *, manners: Manners | None = MANNERS, opening: Opening = STANDARD) -> GameSession:
    """A person with White in a game against somebody of manners."""
    person = RemotePerson()
    minded: Mapping[Colour, Manners] = {"black": manners} if manners else {}
    return GameSession(Human(person), opponent, SavedGame(opening=opening), person=person, manners=minded)


async def answered(session: GameSession, times: int) -> None:
    """Let the person make so many moves, as far as the game goes."""
    for _ in range(times):
        if await session.advance() is not None:
            await session.reply(session.position.legal_moves[0])
    await session.advance()


def test_an_opponent_gives_up_in_place_of_a_move_and_plays_on_after_a_take_back() -> None:
    async def game() -> None:
        session = against(Expecting(0.5, 0.02, 0.02, 0.02))
        await answered(session, 4)
        assert session.ending == Ending("1-0", "resignation")
        assert session.ply == 7
        again = GameSession(Human(RemotePerson()), RandomMover(), reloaded(session.saved))
        assert (again.ending, again.ply) == (session.ending, 7)
        await session.take_back(1)
        assert session.ending is None
        stubborn = against(Expecting(0.5, 0.02), manners=None)
        await answered(stubborn, 6)
        assert stubborn.ending is None

    run(game())


def test_an_offered_draw_is_taken_declined_or_answered_by_a_move() -> None:
    async def offered() -> GameSession:
        session = against(Expecting(0.5), opening=KINGS)
        await answered(session, 2)
        assert session.draw_offer is None
        await answered(session, 1)
        assert session.draw_offer == "black"
        return session

    async def game() -> None:
        taken = await offered()
        assert await taken.draw()
        assert taken.ending == Ending("1/2-1/2", "agreement")
        with pytest.raises(MoveError, match="over"):
            await taken.draw()
        declined = await offered()
        await declined.decline_draw()
        assert declined.draw_offer is None
        with pytest.raises(MoveError, match="no draw is offered"):
            await declined.decline_draw()
        moved = await offered()
        await answered(moved, 1)
        assert moved.draw_offer is None
        assert moved.ending is None

    run(game())


def test_a_persons_offer_is_answered_by_the_opponents_own_value() -> None:
    async def game() -> None:
        for value, drawn in ((0.2, True), (0.5, False), (None, False)):
            session = against(Expecting(value), manners=Manners())
            await answered(session, 1)
            assert await session.draw() is drawn
            assert (session.ending is not None) is drawn
        stubborn = against(Expecting(0.2), manners=None)
        with pytest.raises(MoveError, match="when you are asked"):
            await stubborn.draw()
        await answered(stubborn, 1)
        with pytest.raises(MoveError, match="plays on"):
            await stubborn.draw()

    run(game())


def test_a_game_of_chess960_is_one_also_after_a_move_is_taken_back() -> None:
    async def play() -> None:
        opening = Opening("1r2k1r1/8/8/8/8/8/8/1R2K1R1 w GBgb - 0 1", chess960=True)
        session = GameSession(RandomMover(), RandomMover(), SavedGame(opening=opening))
        moved = asyncio.Event()
        task = asyncio.ensure_future(session.advance(lambda decision: moved.set()))
        await moved.wait()
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        await session.take_back(len(session.decisions))
        assert session.position.fen == opening.position().fen
        assert sorted(session.position.legal_moves) == sorted(opening.position().legal_moves)
        await session.close()

    asyncio.run(play())
