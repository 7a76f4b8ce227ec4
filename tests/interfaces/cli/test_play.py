"""`foible play`: a person at a terminal, or lines from a pipe."""

import io
import os
import pty
import re
import select
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from foible._core import PgnGame, PgnReader
from foible.games.odds import find_odds, odds_fen
from tests.interfaces.cli.command import PROGRAM, Command, Ran, run_process

Play = Callable[..., Ran]
RANDOM = '{kind="random"}'
JUDGE = ("--judge", "material")


@pytest.fixture
def play(foible: Command, monkeypatch: pytest.MonkeyPatch) -> Play:
    """The command with lines to read."""

    def played(lines: str, *words: object) -> Ran:
        monkeypatch.setattr("sys.stdin", io.StringIO(lines))
        return foible("play", *words)

    return played


def games(path: Path) -> list[PgnGame]:
    reader = PgnReader(io.BytesIO(path.read_bytes()), comments=True)
    found = list(reader)
    assert not reader.errors
    return found


def test_a_game_is_played_reviewed_and_written(play: Play, tmp_path: Path) -> None:
    out = tmp_path / "games.pgn"
    ran = play("e4\nNf3\nresign\n", "material", "--seed", 7, "--out", out, *JUDGE)
    assert ran.code == 0
    assert ran.err == ""
    assert "You (White) against material (Black); seed 7" in ran.out
    assert "1. e4  you" in ran.out
    assert re.search(r"1\.\.\. \S+  material: sees \d+ % for itself", ran.out)
    assert "0-1, resignation: material won." in ran.out
    assert "judge: material" in ran.out
    assert re.search(r"White │ you +│", ran.out)
    (game,) = games(out)
    assert game.moves[0] == "e2e4"
    assert len(game.moves) == 4
    assert game.tags["Termination"] == "resignation"
    assert re.fullmatch(r"\d{4}\.\d\d\.\d\d", game.tags["Date"])
    assert game.comments is not None
    assert game.comments[0] == 'player; person="move"'


def test_the_same_seed_brings_the_same_replies(play: Play, tmp_path: Path) -> None:
    for name in ("a", "b"):
        play("e4\nNf3\nquit\n", RANDOM, "--seed", 3, "--out", tmp_path / name)
    (first,), (second,) = games(tmp_path / "a"), games(tmp_path / "b")
    assert first.moves == second.moves


def test_games_are_appended(play: Play, tmp_path: Path) -> None:
    out = tmp_path / "games.pgn"
    out.write_text('[Event "an older one"]\n\n1. d4 *')
    for move in ("e4", "c4"):
        play(f"{move}\n", RANDOM, "--out", out)
    assert [game.moves[0] for game in games(out)] == ["d2d4", "e2e4", "c2c4"]


def test_a_mate_ends_the_game(play: Play) -> None:
    fen = "6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1"
    ran = play("Rd8#\n", RANDOM, "--fen", fen, "--no-review")
    assert ran.code == 0
    assert "1-0, checkmate: You won." in ran.out
    assert "8 · · · ♖ · · ♚ ·" in ran.out
    assert "gave away" not in ran.out


def test_wrong_lines_are_told_and_asked_again(play: Play) -> None:
    ran = play("e5\nfoo\n\nback\nmoves\nboard\nhelp\ne4\nquit\n", RANDOM)
    assert ran.code == 0
    assert 'illegal move: "e5"; expected a legal move: Na3, ' in ran.out
    assert 'neither UCI nor SAN: "foo"' in ran.out
    assert "there is no move of yours to take back" in ran.out
    assert "Na3, Nc3, Nf3, Nh3, a3, a4" in ran.out
    assert "take back your last move" in ran.out
    assert "1. e4  you" in ran.out
    assert "Unfinished after 2 plies." in ran.out


def test_moves_are_taken_back(play: Play, tmp_path: Path) -> None:
    out = tmp_path / "games.pgn"
    ran = play("e4\nNf3\nback\nback\nd4\n", RANDOM, "--out", out)
    assert ran.out.count("Taken back: 2 plies.") == 2
    (game,) = games(out)
    assert game.moves[0] == "d2d4"
    assert len(game.moves) == 2


def test_a_game_that_nobody_ends_is_kept_as_unfinished(play: Play, tmp_path: Path) -> None:
    out = tmp_path / "games.pgn"
    ran = play("e4\n", RANDOM, "--out", out)
    assert ran.code == 0
    assert "Unfinished after 2 plies." in ran.out
    assert "gave away" not in ran.out
    (game,) = games(out)
    assert (game.result, game.tags["Termination"]) == ("*", "unterminated")


def test_without_a_move_nothing_is_written(play: Play, tmp_path: Path) -> None:
    assert play("", RANDOM, "--out", tmp_path / "games.pgn").code == 0
    assert not (tmp_path / "games.pgn").exists()


def test_black_sees_the_board_from_its_side(play: Play) -> None:
    ran = play("resign\n", RANDOM, "--color", "black", *JUDGE)
    assert "(White) against You (Black)" in ran.out
    assert "h g f e d c b a   Black to move" in ran.out
    assert "1-0, resignation" in ran.out


def test_a_partner_moves_by_the_coin(play: Play, tmp_path: Path) -> None:
    out = tmp_path / "games.pgn"
    tries = "".join(f"{move}\n" for move in ("a3", "b3", "c3", "d3", "e3", "f3", "g3", "h3"))
    ran = play(tries, RANDOM, "--partner", "material", "--seed", 2, "--out", out)
    assert ran.code == 0
    assert re.search(r"\d\. \S+  senior: sees \d+ % for us", ran.out)
    (game,) = games(out)
    assert game.comments is not None
    ours = [re.split(r"[;\s]", comment or "")[0] for comment in game.comments[::2]]
    assert ours == [{"1": "senior", "0": "junior"}[bit] for bit in game.tags["Bits"][::2]]
    assert {"senior", "junior"} == set(ours)


def test_the_hand_of_a_brain_moves_what_was_named(play: Play) -> None:
    """Counting pieces, the brain wants to take the queen with the rook."""
    ran = play("Ka2\nmoves\nRh2\nquit\n", RANDOM, "--hand-of", "material", "--fen", "k7/7q/8/8/8/8/8/K6R w - - 0 1")
    assert "the brain names a rook, your move: " in ran.out
    assert "Ka2 moves a king; expected a move of a rook: " in ran.out
    assert "\nRb1, Rc1, Rd1, Re1, Rf1, Rg1, Rh2, Rh3, Rh4, Rh5, Rh6, Rxh7\n" in ran.out
    assert re.search(r"1\. Rh2  you: the brain would have played Rxh7, \d+ % for us", ran.out)


def test_the_brain_of_a_hand_names_a_piece(play: Play) -> None:
    ran = play("Q\nknight\nquit\n", RANDOM, "--brain-of", "material")
    assert "your piece (P N): " in ran.out
    assert "'Q' is no type of piece that can move here; expected one of P (pawn), N (knight)" in ran.out
    assert re.search(r"1\. N\S+  hand: you named a knight; (the hand would have|unasked)", ran.out)


def test_a_team_may_be_a_file(play: Play, tmp_path: Path) -> None:
    path = tmp_path / "team.toml"
    path.write_text('kind = "tag_team"\nsenior = { kind = "human", name = "Ann" }\njunior = { kind = "random" }\n')
    assert "Ann/random" in play("", RANDOM, "--team", path).out
    inline = '{kind="hand_brain", brain={kind="random"}, hand={kind="human"}}'
    assert "random+You" in play("", RANDOM, "--team", inline).out


def test_the_opponent_gives_odds(play: Play, tmp_path: Path) -> None:
    out = tmp_path / "games.pgn"
    play("e4\n", RANDOM, "--odds", "queen", "--out", out)
    (game,) = games(out)
    assert game.start_fen == odds_fen(find_odds("queen"), False)


def test_castling_rights_tell_that_a_game_is_chess960(play: Play, tmp_path: Path) -> None:
    out = tmp_path / "games.pgn"
    ran = play("O-O\nRb8\nback\nresign\n", RANDOM, "--fen", "4k3/8/8/8/8/8/8/1R3KR1 w GB - 0 1", "--out", out, *JUDGE)
    assert (ran.code, ran.err) == (0, "")
    assert "1. O-O  you" in ran.out
    (game,) = games(out)
    assert (game.chess960, game.moves[0]) == (True, "f1g1")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("nosuchnet",), "nosuchnet"),
        (("master@x",), "expected a net (master), a net that searches"),
        ((RANDOM, "--odds", "quen"), "near is queen"),
        ((RANDOM, "--fen", "nonsense"), "nonsense"),
        ((RANDOM, "--partner", "material", "--hand-of", "material"), "--partner and --hand-of: expected one"),
        ((RANDOM, "--team", RANDOM), "nobody of kind human"),
        ((RANDOM, "--team", "/nowhere.toml"), "/nowhere.toml: no such file"),
        ((RANDOM, "--out", "/nowhere/x.pgn"), "there is no folder /nowhere"),
        ((RANDOM, "--judge", "material@x"), "judge 'material@x'"),
        ((RANDOM, "--colour", "green"), "green"),
        (("uci:nope:depth=1",), "nope: cannot be started"),
    ],
)
def test_what_cannot_be_played_is_one_line(play: Play, words: tuple[str, ...], said: str) -> None:
    ran = play("e4\n", *words)
    assert ran.code == 2
    assert said in ran.err
    assert ran.err.count("\n") == 1


def test_matches_ask_nobody(foible: Command, tmp_path: Path) -> None:
    path = tmp_path / "match.toml"
    path.write_text(
        'framework = "standard"\nfocal = { kind = "human" }\nalter = { kind = "random" }\n', encoding="utf-8"
    )
    ran = foible("match", path, "--out", tmp_path / "run")
    assert ran.code == 2
    assert ran.err == (
        "foible: a player of kind human: only foible play asks people; expected another kind of player\n"
    )
    assert not (tmp_path / "run" / "games.pgn").exists()


def test_a_pipe_may_hold_anything() -> None:
    ran = run_process("play", RANDOM, "--no-review", stdin="\0\x1b[31m\n" + "x" * 5000 + "\nresign\n")
    assert ran.code == 0, ran.err
    assert ran.err == ""
    assert "0-1, resignation" in ran.out


def test_a_game_at_a_terminal_ends_with_ctrl_c(tmp_path: Path) -> None:
    out = tmp_path / "games.pgn"
    ours, theirs = pty.openpty()
    command = [*PROGRAM, "play", RANDOM, "--out", str(out)]
    with subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True) as process:
        os.close(theirs)
        try:
            seen = _read_until(ours, "your move: ")
            os.write(ours, b"e4\r")
            seen += _read_until(ours, "your move: ")
            # Readline says the prompt before it waits for keys; a signal between the two is noticed with the next key.
            while not _waits(process.pid):
                pass
            process.send_signal(signal.SIGINT)
            seen += _read_until(ours, "interrupted")
            assert process.wait(300) == 130
        finally:
            process.kill()
    os.close(ours)
    assert "1. e4" in seen
    assert "Unfinished after 2 plies." in seen
    assert [game.result for game in games(out)] == ["*"]


def _waits(process: int) -> bool:
    """Whether no thread of a process computes, for a tenth of a second or more."""
    for _ in range(2):
        time.sleep(0.1)
        stats = [path.read_text() for path in Path(f"/proc/{process}/task").glob("*/stat")]
        if any(stat.rpartition(")")[2].split()[0] != "S" for stat in stats):
            return False
    return True


def _read_until(terminal: int, text: str) -> str:
    """What a terminal shows until this text."""
    seen = b""
    end = time.monotonic() + 300
    while text.encode() not in seen and time.monotonic() < end:
        if select.select([terminal], [], [], 1)[0]:
            try:
                seen += os.read(terminal, 65536)
            except OSError:  # the other side is gone
                break
    assert text.encode() in seen, seen.decode(errors="replace")
    return seen.decode(errors="replace")


def test_a_draw_is_offered_and_taken_by_who_is_worse(play: Play) -> None:
    worse = ("material", "--fen", "4k3/8/8/8/8/8/3QP3/4K3 w - - 0 1", "--no-review")
    ran = play("draw\nKf1\ndraw\n", *worse)
    assert "The draw is declined." in ran.out  # It has said nothing yet.
    assert "1/2-1/2, agreement: a draw." in ran.out
    ran = play("Kf1\ndraw\n", *worse, "--to-the-end")
    assert "draw: material takes none, and plays on" in ran.out
    assert "Unfinished after 2 plies." in ran.out
