"""A player in place of the search: in conversation, under the clock, and when it is told to stop."""

import json
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from foible._core import ChessPosition
from foible.agents.exploit import Exploit
from foible.interfaces.uci import agent_search
from foible.interfaces.uci.options import Settings
from foible.interfaces.uci.personalities import parse_personalities
from tests.engines.fake import Fake, assert_gone
from tests.interfaces.uci.talk import Panic, Talk

EXPLOIT = """
[[personality]]
name = "{name}"
player = {{ kind = "exploit", opponent = {{ kind = "net", net = "material" }}, judge = {judge} }}
"""
QUICK = EXPLOIT.format(name="quick", judge='{ kind = "net_search", net = "{net}", nodes = 4 }')
ENDLESS = EXPLOIT.format(name="endless", judge='{ kind = "net_search", net = "{net}", nodes = 100000000 }')
UNBOUND = """
[[personality]]
name = "unbound"
player = { kind = "net_policy", net = "material" }
"""
BROKEN = EXPLOIT.format(name="broken", judge='{ kind = "net", net = "/nowhere.pb.gz" }')
MATE_IN_ONE = "6k1/5ppp/8/8/8/8/R7/R5K1 w - - 0 1"
ONE_MOVE = "k7/3R4/1K6/8/8/8/8/8 b - - 0 1"


def talk_of(text: str) -> Talk:
    return Talk(Settings(net="material", threads=1), parse_personalities(text, "test.toml"))


@pytest.fixture
def quick() -> Iterator[Talk]:
    talk = talk_of(QUICK)
    yield talk
    talk.engine.close()


@pytest.fixture
def endless() -> Iterator[Talk]:
    talk = talk_of(ENDLESS)
    yield talk
    talk.engine.close()


def test_a_personality_is_announced_once_and_says_what_it_expects(quick: Talk) -> None:
    heard = quick.answer("position startpos", "go movetime 10000")
    assert heard[0] == "info string personality quick (for any game)"
    assert any(line.startswith("info depth 1 ") and " score cp " in line for line in heard)
    assert any("against the best reply" in line for line in heard)
    assert heard[-1].split()[1] in ChessPosition().legal_moves
    assert not any("personality" in line for line in quick.answer("position startpos moves e2e4", "go nodes 1"))


def test_a_player_sees_a_mate_and_an_only_move(quick: Talk) -> None:
    heard = quick.answer(f"position fen {MATE_IN_ONE}", "go wtime 60000 btime 60000")
    assert heard[-1] == "bestmove a2a8"
    assert any(line.startswith("info depth 1 ") and " score mate 1 " in line for line in heard)
    assert ChessPosition(ONE_MOVE).legal_moves == ["a8b8"]
    heard = quick.answer(f"position fen {ONE_MOVE}", "go movetime 10000")
    assert heard == ["bestmove a8b8"]  # nothing to think about


def test_searchmoves_bind_a_player(quick: Talk) -> None:
    for move in ("a2a3", "h2h4"):
        heard = quick.answer("position startpos", f"go nodes 1 searchmoves {move}")
        assert heard[-1] == f"bestmove {move}"
    heard = quick.answer(f"position fen {MATE_IN_ONE}", "go nodes 1 searchmoves a2a3 a2a4")
    chosen = heard[-1].removeprefix("bestmove ")
    assert chosen in ("a2a3", "a2a4")
    assert any(line.startswith("info depth 1 ") and line.endswith(f" pv {chosen}") for line in heard)


def test_where_a_player_is_not_bound_by_searchmoves_the_net_chooses_among_them() -> None:
    talk = talk_of(UNBOUND)
    moves = ChessPosition().legal_moves
    said = []
    for pair in zip(moves[::2], moves[1::2], strict=True):
        heard = talk.answer("ucinewgame", "position startpos", f"go nodes 1 searchmoves {' '.join(pair)}")
        assert heard[-1].split()[1] in pair
        said += heard
    talk.engine.close()
    assert any("searchmoves leave out" in line for line in said)


def test_without_a_clock_coarse_choices_come_first_and_stop_is_answered_with_the_last_one(endless: Talk) -> None:
    for _ in range(2):  # the second time in what the first has left behind
        endless.tell("position startpos", "go infinite")
        choices = [choice(endless) for _ in range(2)]
        coarse, finer = (int(line.split(" nodes ")[1].split()[0]) for line in choices)
        assert coarse < finer
        heard = endless.answer("stop")
        assert not any("at first sight" in line for line in heard)
        *_, last = [line for line in (*choices, *heard) if line.startswith("info depth")]
        assert heard[-1] == f"bestmove {last.split(' pv ')[1]}"


def choice(talk: Talk) -> str:
    """The next line that tells what the player would play."""
    while not (line := talk.next()).startswith("info depth"):
        pass
    return line


def test_a_stop_before_anything_is_known_is_answered(endless: Talk) -> None:
    endless.tell("position startpos", "go infinite")
    assert endless.move("stop") in ChessPosition().legal_moves


def test_an_endless_call_waits_though_the_player_has_chosen(quick: Talk) -> None:
    quick.tell("position startpos", "go infinite")
    _coarse, finer = choice(quick), choice(quick)
    time.sleep(0.05)
    assert not any(line.startswith("bestmove") for line in quick.heard())
    assert quick.move("stop") == finer.split(" pv ")[1]


def test_the_clock_of_a_player_runs_from_the_ponderhit(endless: Talk) -> None:
    endless.tell("position startpos moves e2e4", "go ponder wtime 600 btime 600 movestogo 1")
    time.sleep(0.2)
    assert not any(line.startswith("bestmove") for line in endless.heard())
    assert endless.move("ponderhit") in ChessPosition(None, ["e2e4"]).legal_moves


def test_the_judge_spends_what_the_clock_allows(endless: Talk) -> None:
    for go in ("movetime 200", "movetime 800", "wtime 3000 btime 3000"):
        heard = endless.answer("ucinewgame", "position startpos", f"go {go}")  # the judge alone would take for ever
        assert heard[-1].split()[1] in ChessPosition().legal_moves


def test_more_nodes_give_the_judge_more_visits(endless: Talk) -> None:
    visits = []
    for nodes in (1, 1500, 6000):
        heard = endless.answer("ucinewgame", "position startpos", f"go nodes {nodes}")
        [line] = [line for line in heard if line.startswith("info depth")]
        visits.append(int(line.split(" nodes ")[1].split()[0]))
    assert visits[0] < visits[1] < visits[2] <= 12_000


def test_a_player_that_cannot_be_built_leaves_the_game_to_the_search() -> None:
    talk = talk_of(BROKEN)
    talk.tell("isready")
    assert any("/nowhere.pb.gz" in line for line in talk.heard())
    heard = talk.answer("position startpos", "go nodes 50")
    assert any("own search plays" in line and "/nowhere.pb.gz" in line for line in heard)
    assert any(line.startswith("info depth") and " nodes 50 " in line for line in heard)
    talk.engine.close()


def test_an_opponent_whose_rating_no_model_has_leaves_the_game_to_the_search() -> None:
    talk = Talk(Settings(net="material", threads=1))
    talk.tell("setoption name Personality value exploit", "setoption name UCI_Opponent value none 9999 human X")
    talk.tell("isready")
    assert talk.heard()[-1] == "readyok"
    heard = talk.answer("position startpos", "go nodes 5")
    assert any("personality exploit (the engine's own search plays: " in line for line in heard)
    assert any(" nodes 5 " in line for line in heard)
    talk.engine.close()


def test_whatever_hinders_a_player_the_engine_is_ready_and_answers() -> None:
    talk = talk_of('[[personality]]\nname = "x"\nplayer = { kind = "uci", command = "/", nodes = 1 }')
    talk.tell("isready")
    assert "readyok" in talk.heard()
    assert any("own search plays" in line for line in talk.answer("position startpos", "go nodes 5"))
    talk.engine.close()


@pytest.mark.parametrize(
    "player",
    [
        '{ kind = "random" }',
        '{ kind = "net_policy", net = "{net}", temperature = 1.0 }',
        '{ kind = "net_search", net = "{net}", nodes = 20 }',
        '{ kind = "exploit", opponent = { kind = "net", net = "material" }, judge = { kind = "net", net = "{net}" } }',
    ],
)
@pytest.mark.parametrize("go", ["nodes 30", "movetime 300", "wtime 9000 btime 9000", "depth 3"])
def test_any_player_follows_any_limit(player: str, go: str) -> None:
    talk = talk_of(f'[[personality]]\nname = "x"\nplayer = {player}')
    heard = talk.answer("position startpos moves d2d4", f"go {go}")
    assert heard[-1].split()[1] in ChessPosition(None, ["d2d4"]).legal_moves
    assert not any("own search" in line for line in heard)
    talk.engine.close()


def test_an_engine_may_be_the_player(tmp_path: Path) -> None:
    command = f'["{tmp_path}/none"]'
    talk = talk_of(f'[[personality]]\nname = "x"\nplayer = {{ kind = "uci", command = {command}, nodes = 5 }}')
    assert any("own search plays" in line for line in talk.answer("go nodes 5"))
    talk.engine.close()


def test_an_engine_that_judges_slowly_holds_up_neither_the_next_move_nor_the_end(tmp_path: Path) -> None:
    fake = Fake(tmp_path)
    command = json.dumps(fake.command("slow"))  # 0.2 s for each of some 130 positions
    talk = talk_of(EXPLOIT.format(name="slow", judge=f'{{ kind = "uci", command = {command}, depth = 1 }}'))
    talk.tell("isready")
    for _ in range(2):
        assert any("the time was too short" in line for line in talk.answer("position startpos", "go movetime 300"))
    talk.engine.close()
    assert len(fake.told("go")) < 20  # as many as we have first moves


ENGINE = "command = COMMAND, depth = 1, hang_after = 100_000"
HUNG = {
    "player": f'kind = "uci", {ENGINE}',
    "judge": f'kind = "exploit", opponent = {{ kind = "net", net = "material" }}, judge = {{ kind = "uci", {ENGINE} }}',
    "model": f'kind = "exploit", opponent = {{ kind = "engine", {ENGINE} }}, judge = '
    '{ kind = "net", net = "material" }',
}


@pytest.mark.parametrize("player", HUNG)
def test_an_engine_that_hangs_holds_up_neither_the_next_move_nor_the_end(tmp_path: Path, player: str) -> None:
    fake = Fake(tmp_path)
    text = HUNG[player].replace("COMMAND", json.dumps(fake.command("hang")))
    talk = talk_of(f'[[personality]]\nname = "hung"\nplayer = {{ {text} }}')
    talk.tell("isready")
    for _ in range(2):
        talk.tell("position startpos", "go infinite")
        time.sleep(0.5)
        assert talk.move("stop") in ChessPosition().legal_moves
    talk.engine.close()
    assert_gone([pid for pid, _ in fake.lines()])


def test_a_player_of_nets_is_kept_however_long_it_takes_to_stop(endless: Talk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(agent_search, "_PATIENCE", 0.0)
    endless.answer("isready", "position startpos", "go nodes 1")
    for _ in range(2):
        endless.tell("position startpos", "go infinite")
        time.sleep(0.3)
        assert not any("info string player" in line for line in endless.answer("stop"))


def test_where_a_player_panics_the_search_plays_and_the_player_is_built_anew(
    quick: Talk, monkeypatch: pytest.MonkeyPatch
) -> None:
    def panic(*_: object) -> None:
        raise Panic("of the core")

    with monkeypatch.context() as patched:
        patched.setattr(Exploit, "choose", panic)
        heard = quick.answer("position startpos", "go nodes 20")
    assert any("the engine's own search plays: Panic: of the core" in line for line in heard)
    assert heard[-1].split()[1] in ChessPosition().legal_moves
    assert "info string player: exploit material" in quick.answer("position startpos", "go nodes 1")


def test_a_player_is_named_once_when_it_is_built(quick: Talk) -> None:
    quick.tell("isready", "isready")
    named = [line for line in quick.answer("position startpos", "go nodes 1") if "info string player" in line]
    assert named == ["info string player: exploit material"]
    assert not any("info string player" in line for line in quick.answer("position startpos", "go nodes 1"))


def test_a_new_game_builds_the_player_before_the_clock_runs(quick: Talk) -> None:
    quick.tell("ucinewgame")
    assert quick.heard() == []  # a GUI expects nothing yet
    said = quick.answer("position startpos", "go nodes 1")
    assert said[:2] == ["info string player: exploit material", "info string personality quick (for any game)"]


def test_the_personality_changes_with_the_start_position_and_by_option() -> None:
    talk = Talk(Settings(net="material", threads=1))
    queen_odds = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNB1KBNR w KQkq - 0 1"
    assert not any("personality" in line for line in talk.answer("position startpos", "go nodes 5"))
    heard = talk.answer("ucinewgame", f"position fen {queen_odds}", "go nodes 5")
    assert "info string personality odds (the start position lacks the white queen)" in heard
    heard = talk.answer(f"position fen {queen_odds} moves e2e4 e7e5", "go nodes 5")
    assert not any("personality" in line for line in heard)
    heard = talk.answer("setoption name Personality value contempt", "go nodes 5")
    assert "info string personality contempt (option Personality)" in heard
    heard = talk.answer("ucinewgame", "setoption name Personality value auto", "position startpos", "go nodes 5")
    assert "info string personality none (no personality is for this game)" in heard
    talk.engine.close()


def test_wrong_values_of_the_options_are_answered(quick: Talk) -> None:
    quick.tell("setoption name Personality value wizard", "setoption name UCI_Opponent value Kasparov")
    quick.tell("setoption name OpponentElo value -3", "setoption name MaxNodes value many")
    heard = quick.heard()
    assert len(heard) == 4
    assert all(line.startswith("info string option ") for line in heard)


def test_max_nodes_end_a_search_on_the_clock() -> None:
    talk = Talk(Settings(net="material", threads=1))
    heard = talk.answer("setoption name MaxNodes value 77", "position startpos", "go wtime 9000000 btime 9000000")
    assert any(" nodes 77 " in line for line in heard if line.startswith("info depth"))
    talk.engine.close()
