"""The engine inside the test's process: what it says to what it is told."""

import random
import re
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings, strategies as st

from foible._core import ChessPosition
from foible.errors import MoveError
from foible.interfaces.uci.game import UciGame, follow
from foible.interfaces.uci.options import Settings
from foible.interfaces.uci.tree import EngineTrees
from foible.interfaces.uci.tree_search import TreeSearch
from foible.loop import wait
from foible.nets.evaluator import Material
from tests.interfaces.uci.talk import Panic, Talk
from tests.nets.synthetic import Recipe, synthesise

MATED = "rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3"
STALEMATE = "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"
MATE_IN_ONE = "6k1/5ppp/8/8/8/8/R7/R5K1 w - - 0 1"
MORPHY_IN_TWO = "kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1"
BACK_RANK = "6k1/5ppp/8/8/8/8/r4PPP/3R2K1 w - - 0 1"
LOST_IN_ONE = "k7/7R/1K6/8/8/8/8/8 b - - 0 1"


@pytest.fixture
def talk() -> Iterator[Talk]:
    talk = Talk()
    yield talk
    talk.engine.close()


def value(lines: list[str], key: str) -> int:
    """A number of the last `info` line that has it."""
    matches = [re.search(rf" {key} (-?\d+)", line) for line in lines if line.startswith("info depth")]
    return int([match[1] for match in matches if match][-1])


@given(st.randoms(use_true_random=False), st.booleans(), st.integers(1, 120))
@settings(max_examples=15, deadline=None)
def test_a_game_told_move_by_move_is_the_game_told_at_once(rng: random.Random, chess960: bool, plies: int) -> None:
    fen = "bqnbrnkr/pppppppp/8/8/8/8/PPPPPPPP/BQNBRNKR w HEhe - 0 1" if chess960 else None
    game = follow(UciGame(), fen, [], chess960=chess960)
    moves: list[str] = []
    for _ in range(plies):
        legal = game.position.legal_moves
        if not legal:
            break
        moves.append(rng.choice(legal))
        game = follow(game, fen, moves, chess960=chess960)
    whole = ChessPosition(fen, moves, chess960=chess960)
    assert game.position == whole
    assert game.position.key == whole.key
    assert game.position.repetitions == whole.repetitions


def test_an_illegal_move_is_named_with_its_index() -> None:
    game = follow(UciGame(), None, ["e2e4", "e7e5"], chess960=False)
    with pytest.raises(MoveError, match=r"move 3 of 4.*e1e3"):
        follow(game, None, ["e2e4", "e7e5", "e1e3", "e5e4"], chess960=False)


def test_the_exact_number_of_nodes_is_searched(talk: Talk) -> None:
    assert value(talk.answer("position startpos", "go nodes 333"), "nodes") == 333


def test_options_of_what_is_off_are_taken_and_count_once_it_is_on(talk: Talk) -> None:
    idle = [("ContemptTemperature", "2"), ("ContemptDraw", "quota"), ("NoiseAlpha", "9")]
    talk.tell(*(f"setoption name {name} value {value}" for name, value in idle))
    assert value(talk.answer("position startpos", "go nodes 20"), "nodes") == 20
    talk.tell("setoption name ContemptVisits value 3")
    assert value(talk.answer("position startpos", "go nodes 20"), "nodes") == 20


def test_the_tree_is_kept_when_the_game_goes_on(talk: Talk) -> None:
    _, move, _, reply = talk.answer("position startpos moves d2d4", "go nodes 3000")[-1].split()
    kept = value(talk.answer(f"position startpos moves d2d4 {move} {reply}", "go nodes 1"), "nodes")
    assert kept > 30


def test_the_tree_is_dropped_when_another_game_begins(talk: Talk) -> None:
    talk.answer("position startpos", "go nodes 2000")
    assert value(talk.answer("go nodes 1"), "nodes") == 2000
    assert value(talk.answer("ucinewgame", "go nodes 1"), "nodes") == 1
    talk.answer("go nodes 500")
    assert value(talk.answer("setoption name CPuct value 2", "go nodes 1"), "nodes") == 1
    talk.answer("go nodes 500")
    assert value(talk.answer("position startpos moves e2e4", "position startpos", "go nodes 1"), "nodes") == 500
    assert value(talk.answer("position fen " + ChessPosition().fen, "go nodes 1"), "nodes") == 500
    assert value(talk.answer(f"position fen {MATE_IN_ONE}", "go nodes 1"), "nodes") == 1


@pytest.mark.parametrize(
    ("fen", "mate"), [(MATE_IN_ONE, 1), (MORPHY_IN_TWO, 2), (LOST_IN_ONE, -1)], ids=["1", "2", "-1"]
)
def test_proven_mates_are_reported_in_moves(talk: Talk, fen: str, mate: int) -> None:
    heard = talk.answer(f"position fen {fen}", "go nodes 20000")
    assert value(heard, "score mate") == mate


def test_go_mate_ends_with_the_mate(talk: Talk) -> None:
    heard = talk.answer(f"position fen {MORPHY_IN_TWO}", "go mate 2")
    assert value(heard, "score mate") == 2
    assert heard[-1].startswith("bestmove a1a6")


def test_go_depth_ends_when_the_line_is_that_long(talk: Talk) -> None:
    assert value(talk.answer("position startpos", "go depth 5"), "depth") >= 5


@pytest.mark.parametrize("fen", ["8/8/8/4k3/8/4K3/8/8 w - - 0 1", MATE_IN_ONE, LOST_IN_ONE])
def test_go_depth_ends_where_the_game_ends(talk: Talk, fen: str) -> None:
    assert value(talk.answer(f"position fen {fen}", "go depth 60"), "depth") < 60


@pytest.mark.parametrize("fen", [MATED, STALEMATE])
@pytest.mark.parametrize("go", ["go nodes 10", "go movetime 10", "go depth 9"])
def test_a_finished_game_has_no_best_move(talk: Talk, fen: str, go: str) -> None:
    assert talk.move(f"position fen {fen}", go) == "(none)"


def test_an_endless_search_answers_only_when_told_to(talk: Talk) -> None:
    for setup in ("startpos", f"fen {MATED}", f"fen {MATE_IN_ONE}"):
        talk.tell(f"position {setup}", "go infinite", "isready")
        time.sleep(0.05)
        assert not any(line.startswith("bestmove") for line in talk.heard())
        talk.answer("stop")


def test_ready_is_answered_during_search(talk: Talk) -> None:
    talk.tell("go infinite", "isready")
    heard: list[str] = []
    while not heard or heard[-1] != "readyok":
        heard.append(talk.next())
    assert not any(line.startswith("bestmove") for line in heard)
    talk.answer("stop")


def test_the_clock_runs_only_after_the_ponderhit(talk: Talk) -> None:
    talk.tell("position startpos moves e2e4 e7e5", "go ponder wtime 500 btime 500")
    time.sleep(0.2)
    assert not any(line.startswith("bestmove") for line in talk.heard())
    talk.answer("ponderhit")


def test_a_new_go_ends_the_search_before_it(talk: Talk) -> None:
    talk.tell("go infinite", "go infinite")
    assert talk.answer("stop")
    talk.engine.close()
    assert sum(line.startswith("bestmove") for line in talk.heard()) <= 1


def test_multipv_reports_the_best_moves_in_order(talk: Talk) -> None:
    heard = talk.answer("setoption name MultiPV value 4", "setoption name UCI_ShowWDL value true", "go nodes 800")
    last = [line for line in heard if line.startswith("info depth")][-4:]
    assert [re.findall(r"multipv (\d)", line) for line in last] == [["1"], ["2"], ["3"], ["4"]]
    assert len({line.split(" pv ")[1].split()[0] for line in last}) == 4
    assert heard[-1].split()[1] == last[0].split(" pv ")[1].split()[0]
    for line in last:
        wdl = re.search(r" wdl (\d+) (\d+) (\d+) ", line)
        assert wdl is not None
        assert sum(map(int, wdl.groups())) == 1000


def test_each_reported_move_has_its_own_line_also_below_moves_without_visits(talk: Talk) -> None:
    # A move that is known to lose stands last, below those that were not visited.
    talk.tell("setoption name Batch value 1", "setoption name Lanes value 1", "setoption name MultiPV value 99")
    heard = talk.answer(f"position fen {BACK_RANK}", "go nodes 16")
    lines = [line for line in heard if line.startswith("info depth")]
    mated = [line for line in lines if " score mate -1 " in line]
    assert [line.split(" pv ")[1].split()[0] for line in mated] == ["d1a1"]
    assert [int(found[1]) for line in lines if (found := re.search(r" multipv (\d+) ", line))] == [*range(1, 8)]


def test_searchmoves_get_all_the_visits() -> None:
    trees = EngineTrees(lambda _: None, lambda _: None)
    only = ["a2a3", "h2h4"]
    tree = trees.at(UciGame(), Settings(net="material"), only)
    wait(tree.grown.grow(600))
    visits = {move.move: move.n for move in tree.grown.summary().moves}
    assert sum(visits.values()) == 599
    assert all(visits[move] > 0 for move in only)
    assert sum(visits[move] for move in only) == 599


def test_searchmoves_decide_even_when_they_lose(talk: Talk) -> None:
    # Another move mates at once.
    assert talk.move(f"position fen {MATE_IN_ONE}", "go nodes 500 searchmoves a2a7") == "a2a7"
    heard = talk.answer("setoption name MultiPV value 9", "go nodes 200 searchmoves a2a3 b9b9 a2a4")
    assert any("b9b9" in line and line.startswith("info string") for line in heard)
    reported = {line.split(" pv ")[1].split()[0] for line in heard if " pv " in line}
    assert reported <= {"a2a3", "a2a4"}


def test_a_search_that_outgrows_its_memory_answers_with_what_it_has(talk: Talk) -> None:
    heard = talk.answer("setoption name Hash value 1", "go nodes 10000000")
    assert any("option Hash" in line for line in heard)
    assert heard[-1].split()[1] in ChessPosition().legal_moves
    assert value(heard, "nodes") > 1000
    heard = talk.answer("go nodes 10000000")
    assert heard[-1].split()[1] in ChessPosition().legal_moves
    talk.tell("go infinite")
    time.sleep(0.1)
    assert not any(line.startswith("bestmove") for line in talk.heard())
    talk.answer("stop")


def test_a_panic_while_it_searches_is_told_and_the_next_search_is_as_ever(
    talk: Talk, monkeypatch: pytest.MonkeyPatch
) -> None:
    def panic(*_: object) -> None:
        raise Panic("of the core")

    with monkeypatch.context() as patched:
        patched.setattr(Material, "evaluate", panic)
        heard = talk.answer("go infinite", "stop")
    assert any("Panic: of the core" in line for line in heard)
    assert heard[-1].split()[1] in ChessPosition().legal_moves
    assert value(talk.answer("go nodes 100"), "nodes") == 100


def test_a_panic_of_a_command_is_told_and_the_next_one_is_read(talk: Talk, monkeypatch: pytest.MonkeyPatch) -> None:
    def panic(*_: object, **__: object) -> None:
        raise Panic("of the core")

    with monkeypatch.context() as patched:
        patched.setattr("foible.interfaces.uci.engine.follow", panic)
        talk.tell("position startpos moves e2e4")
    assert talk.heard() == ["info string Panic: of the core"]
    assert talk.move("go nodes 10") in ChessPosition().legal_moves


def test_a_broken_position_leaves_the_last_good_one(talk: Talk) -> None:
    legal = ChessPosition(None, ["e2e4"]).legal_moves
    talk.tell("position startpos moves e2e4")
    for broken in ("fen", "fen 8/8/8/8 w - - 0 1", f"fen {MATED} moves a2a3", "startpos moves e2e4 e2e4", "x"):
        talk.heard()
        talk.tell(f"position {broken}")
        complaint = talk.next()
        assert complaint.startswith("info string ")
        assert complaint.endswith("; the position before it stands")
        assert talk.move("go nodes 2") in legal


@pytest.mark.parametrize("wrong", ["/nowhere/net.pb.gz", "maia-1501", "NO_NET", "maia-1200", "go-5x5"])
def test_a_net_that_cannot_be_had_leaves_the_one_that_plays(
    talk: Talk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, wrong: str
) -> None:
    (tmp_path / "mine.pb.gz").write_bytes(synthesise(Recipe(filters=4, blocks=1)).data)
    (tmp_path / "p.jsonl").write_text("{}\n")
    monkeypatch.setenv("FOIBLE_NETS", str(tmp_path))
    monkeypatch.setenv("FOIBLE_NETS_URL", (tmp_path / "none").as_uri())
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    wrong = str(tmp_path / "p.jsonl") if wrong == "NO_NET" else wrong
    talk.tell("setoption name Threads value 1", "setoption name Backend value onnxruntime")
    before = talk.answer("setoption name Net value mine", "go nodes 20")
    talk.tell(f"setoption name Net value {wrong}")
    [complaint] = talk.heard()
    assert complaint.startswith("info string option Net: mine goes on; ")
    assert wrong in complaint
    after = talk.answer("isready", "ucinewgame", "go nodes 20")
    assert "readyok" in after
    assert not any("built-in" in line for line in after)
    assert value(after, "score cp") == value(before, "score cp")


def test_a_net_that_cannot_be_opened_any_more_leaves_the_one_that_played(
    talk: Talk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number, name in enumerate(("first", "second")):
        (tmp_path / f"{name}.pb.gz").write_bytes(synthesise(Recipe(filters=4, blocks=1, seed=number)).data)
    monkeypatch.setenv("FOIBLE_NETS", str(tmp_path))
    talk.tell("setoption name Threads value 1", "setoption name Backend value onnxruntime")
    talk.tell("setoption name Net value first", "isready", "setoption name Net value second")
    (tmp_path / "second.pb.gz").unlink()
    talk.heard()
    talk.tell("isready")
    [complaint, _] = talk.heard()
    assert "second" in complaint
    assert "first" in complaint.partition(";")[2]
    assert "built-in" not in complaint


def test_after_its_answer_the_engine_is_free_though_a_last_batch_is_computed(
    talk: Talk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "mine.pb.gz").write_bytes(synthesise(Recipe(filters=4, blocks=1)).data)
    monkeypatch.setenv("FOIBLE_NETS", str(tmp_path))
    computed = threading.Event()
    monkeypatch.setattr(TreeSearch, "rest", lambda _: computed.wait(20))
    talk.answer("go nodes 20")
    talk.tell("setoption name Net value mine")
    assert talk.heard() == []
    timer = threading.Timer(0.1, computed.set)
    timer.start()
    talk.tell("isready")
    (tmp_path / "mine.pb.gz").unlink()
    assert talk.heard() == ["readyok"]
    assert any("net: mine" in line for line in talk.answer("go nodes 20"))
    talk.tell("go infinite", "setoption name MultiPV value 2")
    assert "info string option MultiPV holds from the next search on" in talk.heard()
    talk.answer("stop")
    timer.join()


def test_limited_strength_plays_the_policy_of_a_near_maia_and_else_of_the_club_net(
    talk: Talk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for rating in (1100, 1900):
        net = synthesise(Recipe(filters=4, blocks=1, seed=rating))
        (tmp_path / f"maia-{rating}.pb.gz").write_bytes(net.data)
    monkeypatch.setenv("FOIBLE_NETS", str(tmp_path))
    monkeypatch.setenv("FOIBLE_NETS_URL", (tmp_path / "none").as_uri())
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    talk.tell("setoption name UCI_LimitStrength value true", "setoption name Threads value 1")
    talk.tell("setoption name Backend value onnxruntime")
    for elo, expected in ((1100, "maia-1100"), (1850, "maia-1900"), (1300, "club:1300"), (2000, "club:2000")):
        heard = talk.answer(f"setoption name UCI_Elo value {elo}", "go nodes 100")
        assert any(expected in line and f"UCI_Elo {elo}" in line for line in heard)
        assert value(heard, "nodes") == 1


def test_a_move_that_is_drawn_is_told_from_the_best(talk: Talk) -> None:
    talk.tell("setoption name Net value material", "setoption name Temperature value 5")
    drawn = 0
    for _ in range(20):
        *heard, told = talk.answer("go nodes 60")
        best = next(line for line in reversed(heard) if " pv " in line).split(" pv ")[1].split()[0]
        played = told.split()[1]
        said = [line for line in heard if "drawn by temperature" in line]
        assert said == ([] if played == best else [f"info string {played} was drawn by temperature; {best} is best"])
        drawn += played != best
    assert drawn


def test_limited_strength_without_a_human_net_that_opens_says_so(
    talk: Talk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FOIBLE_NETS", str(tmp_path))
    (tmp_path / "club.pb.gz").write_bytes(b"")
    heard = talk.answer("setoption name UCI_LimitStrength value true", "go movetime 100")
    assert any("club.pb.gz" in line for line in heard)
    assert any("no human net" in line for line in heard)
    assert heard[-1].split()[1] in ChessPosition().legal_moves


def test_options_that_cannot_be_set_are_answered(talk: Talk) -> None:
    talk.tell("setoption name Nonsense value 3", "setoption", "setoption name CPuct value much")
    heard = talk.heard()
    assert len(heard) == 3
    assert all(line.startswith("info string ") for line in heard)


VOCABULARY = (
    "uci isready ucinewgame position startpos fen moves e2e4 e7e5 go nodes movetime searchmoves -1 0 3 debug on off",
    "setoption name value MultiPV Hash UCI_Elo ponderhit stop register e1e1 8/8/8/8/8/8/8/8 w - K",
)
WORDS = st.sampled_from(" ".join(VOCABULARY).split())
LINES = st.lists(WORDS | st.text(max_size=12), max_size=8).map(" ".join)


@given(st.lists(LINES.filter(lambda line: line.split()[:1] != ["quit"]), max_size=20))
@settings(max_examples=60, deadline=None)
def test_the_engine_outlives_any_lines(lines: list[str]) -> None:
    talk = Talk(Settings(net="material", threads=1))
    talk.tell(*lines)
    talk.tell("stop")
    talk.engine.close()
    talk.heard()
    assert talk.move("position startpos", "go nodes 1") in ChessPosition().legal_moves
