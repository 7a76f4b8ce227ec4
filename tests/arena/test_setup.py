"""Who plays in a game of people, and from where."""

import asyncio
from contextlib import ExitStack
from functools import partial

import chess
import msgspec
import pytest

from foible._core import Batch
from foible.agents.base import Turn
from foible.agents.human import Human, HumanHand, Paced
from foible.agents.spec import HandBrainSpec, HumanSpec, NetPolicySpec, RandomSpec, TagTeamSpec, UciSpec
from foible.agents.teams import TagTeam
from foible.arena.adjudication import Manners
from foible.arena.setup import GameSetup
from foible.errors import ConfigError, FoibleError, MoveError
from foible.games.odds import find_odds, odds_fen
from foible.loop import wait
from foible.nets.evaluator import Evaluation, Material
from foible.nets.shelf import NetShelf
from foible.opponents.thinking_time import PlayerClock

RANDOM, PERSON = RandomSpec(), HumanSpec()
OVER = "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"


@pytest.mark.parametrize(
    ("setup", "said"),
    [
        (GameSetup(opponent=PERSON, own=RANDOM), "nobody of kind human"),
        (GameSetup(opponent=RANDOM, fen=OVER, odds="rook"), "do not go together"),
        (GameSetup(opponent=RANDOM, moves=("e2e4",), odds="rook"), "do not go together"),
        (GameSetup(opponent=RANDOM, moves=("e2e4", "e2e4")), "e2e4"),
        (GameSetup(opponent=RANDOM, moves=("g1f3", "g8f6", "f3g1", "f6g8") * 2), "the game is over"),
        (GameSetup(opponent=RANDOM, fen=OVER), r"the game is over here \(stalemate\)"),
        (GameSetup(opponent=RANDOM, fen="8/8/8/4k3/8/8/4P3/4K3 w - - 100 120"), r"over here \(fifty_moves\)"),
        (GameSetup(opponent=RANDOM, odds="quen"), "near is queen"),
        (GameSetup(opponent=UciSpec(command="sf")), "the opponent: the engine sf needs nodes"),
        (
            GameSetup(opponent=RANDOM, own=HandBrainSpec(brain=PERSON, hand=NetPolicySpec(net="material"))),
            "your side.hand.temperature = 0",
        ),
    ],
)
def test_what_is_no_game_is_said_beforehand(setup: GameSetup, said: str) -> None:
    with pytest.raises(FoibleError, match=said):
        setup.check()


def test_a_game_may_begin_a_ply_before_it_would_be_drawn() -> None:
    setup = GameSetup(opponent=RANDOM, fen="8/8/8/4k3/8/8/4P3/4K3 w - - 99 120")
    setup.check()
    with setup.begin(NetShelf(), setup.new_game("")) as session:
        assert wait(session.advance()) is not None
        wait(session.reply("e4"))
        assert session.ending is None
        wait(session.close())


@pytest.mark.parametrize(("colour", "giver"), [("white", chess.BLACK), ("black", chess.WHITE)])
def test_the_opponent_gives_the_odds(colour: str, giver: chess.Color) -> None:
    setup = msgspec.convert({"opponent": {"kind": "random"}, "colour": colour, "odds": "queen"}, GameSetup)
    setup.check()
    assert setup.opening().fen == odds_fen(find_odds("queen"), giver)


def test_the_players_sit_at_their_colours_and_are_closed() -> None:
    own = HandBrainSpec(brain=RANDOM, hand=PERSON)
    setup = GameSetup(opponent=RANDOM, own=own, colour="black", game=7, seed=5)
    with setup.begin(NetShelf(), setup.new_game("2024.01.02")) as session:
        assert isinstance(session.teams["black"], HumanHand)
        question = wait(session.advance())
        assert question is not None
        assert (question.turn.ply, question.wanted, bool(question.named)) == (1, "move", True)
        assert (session.saved.game, session.saved.seed, session.saved.date) == (7, 5, "2024.01.02")
        wait(session.close())


def test_tag_teams_share_the_coins_of_the_game() -> None:
    team = TagTeamSpec(senior=RANDOM, junior=PERSON)
    setup = GameSetup(opponent=TagTeamSpec(senior=RANDOM, junior=RANDOM), own=team, seed=3)
    with setup.begin(NetShelf(), setup.new_game("")) as session:
        assert isinstance(session.teams["white"], TagTeam)
        for _ in range(4):
            question = wait(session.advance())
            assert question is not None
            wait(session.reply(question.turn.position.legal_moves[0]))
        question = wait(session.advance())
        who = [str(decision.info["who"]) for decision in session.decisions]
        bits = session.pgn().partition('[Bits "')[2].partition('"')[0]
        assert [{"1": "senior", "0": "junior"}[bit] for bit in bits] == who
        assert {"senior", "junior"} == set(who)
        again = session.saved
        wait(session.close())
    with setup.begin(NetShelf(), again) as session:
        assert session.saved == again


def test_two_people_may_share_a_board() -> None:
    setup = GameSetup(opponent=PERSON)
    with setup.begin(NetShelf(), setup.new_game("")) as session:
        assert all(isinstance(team, Human) for team in session.teams.values())
        for move in ("e4", "e5"):
            assert wait(session.advance()) is not None
            wait(session.reply(move))
        assert wait(session.advance()) is not None
        assert session.position.moves == ["e2e4", "e7e5"]
        wait(session.close())


def test_a_setup_is_plain_values() -> None:
    setup = GameSetup(opponent=TagTeamSpec(senior=RANDOM, junior=RANDOM), fen=OVER, seed=4)
    assert msgspec.json.decode(msgspec.json.encode(setup), type=GameSetup) == setup
    with pytest.raises(ConfigError):
        GameSetup(opponent=RANDOM, odds="no").opening()


def test_games_on_one_shelf_meet_in_the_batches_of_their_nets(monkeypatch: pytest.MonkeyPatch) -> None:
    sizes = list[int]()
    evaluate = Material.evaluate

    def counted(net: Material, batch: Batch) -> Evaluation:
        sizes.append(len(batch))
        return evaluate(net, batch)

    async def both() -> None:
        await asyncio.gather(*(session.advance() for session in sessions))
        await asyncio.gather(*(session.close() for session in sessions))

    monkeypatch.setattr(Material, "evaluate", counted)
    setup, shelf = GameSetup(opponent=NetPolicySpec(net="material"), colour="black"), NetShelf()
    with ExitStack() as players:
        sessions = [players.enter_context(setup.begin(shelf, setup.new_game(""))) for _ in range(2)]
        wait(both())
    assert sizes == [2]


def test_an_opponent_of_manners_is_no_person() -> None:
    for opponent, answers in ((RANDOM, True), (PERSON, False)):
        setup = GameSetup(opponent=opponent, manners=Manners(worse=1.0))
        with setup.begin(NetShelf(), setup.new_game("")) as session:
            assert wait(session.advance()) is not None
            if answers:
                assert wait(session.draw()) is False
            else:
                with pytest.raises(MoveError, match="plays on"):
                    wait(session.draw())
            wait(session.close())


def test_a_pace_is_kept_by_the_opponents_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    waited = list[float]()

    async def sleep(seconds: float) -> None:
        waited.append(seconds)

    monkeypatch.setattr("foible.arena.setup.Paced", partial(Paced, sleep=sleep))
    setup = GameSetup(opponent=RANDOM, colour="black", pace=1200, seed=1)
    for left in (900, 1):

        def clock(turn: Turn, left: int = left) -> PlayerClock:
            return PlayerClock(left, base=900)

        with setup.begin(NetShelf(), setup.new_game(""), clock) as session:
            assert wait(session.advance()) is not None
            wait(session.close())
    assert waited[0] > 0.3 >= waited[1] >= 0
