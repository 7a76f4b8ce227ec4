"""What is shown of a search while it runs."""

import itertools
import math
import re
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from foible._core import Batch
from foible.interfaces.gtp import report
from foible.interfaces.gtp.commands import search
from foible.interfaces.gtp.tree import Net
from foible.nets.evaluator import Evaluation
from foible.nets.go.margin import Sigmoid
from tests.interfaces.gtp.nets import Fixed
from tests.interfaces.gtp.talk import QUICK, Talk, after, answer_of

NUMBER = r"-?\d+(?:\.\d+)?"
Info = dict[str, str]


def infos(line: str) -> list[Info]:
    """Read as Sabaki reads it: pairs up to `pv`, then vertices."""
    assert line.startswith("info ")
    found = []
    for part in re.split(r"\s*info\s+", line)[1:]:
        pairs, _, variation = part.partition(" pv ")
        words = pairs.split()
        assert len(words) % 2 == 0
        found.append({**dict(zip(words[::2], words[1::2], strict=True)), "pv": variation})
    return found


def lines(talk: Talk, command: str) -> list[str]:
    good, _, text = answer_of(talk.raw(command.encode()))
    assert good, text
    return text.split("\n")


def test_leela_zeros_form_has_whole_numbers() -> None:
    talk = Talk(net=Fixed(black_alpha=12.0, likes=("B2",)).net)
    talk.all("boardsize 3", "play b A1")
    talk.waiting = after(40)
    moves = infos(lines(talk, "lz-analyze w")[-1])
    first = moves[0]
    assert list(first) == ["move", "visits", "winrate", "prior", "lcb", "scoreLead", "areas", "order", "pv"]
    assert first["move"] == "B2"
    assert first["pv"].split()[0] == "B2"
    assert [move["order"] for move in moves] == [str(i) for i in range(len(moves))]
    assert all(re.fullmatch(r"\d+", move[key]) for move in moves for key in ("visits", "winrate", "prior", "lcb"))
    # By the net Black is ahead by 12 points on the board, 7.5 are White's.
    assert float(first["scoreLead"]) == pytest.approx(-4.5, abs=1.5)
    assert int(first["areas"]) == pytest.approx(-10_000 * float(first["scoreLead"]), abs=10)
    assert int(first["winrate"]) == pytest.approx(10_000 * 0.095, abs=500)
    assert 0 <= int(first["lcb"]) < int(first["winrate"])


def test_katagos_form_has_fractions() -> None:
    talk = Talk(net=Fixed(black_alpha=12.0).net)
    talk("boardsize 3")
    talk.waiting = after(40)
    first = infos(lines(talk, "kata-analyze b 1")[-1])[0]
    assert list(first) == ["move", "visits", "winrate", "prior", "lcb", "scoreMean", "scoreLead", "order", "pv"]
    assert "." in first["winrate"]
    assert 0.8 < float(first["winrate"]) < 1
    assert first["scoreLead"] == first["scoreMean"]
    assert float(first["scoreLead"]) == pytest.approx(4.5, abs=1.5)


class Torn:
    """Sure of half a point for Black where White is to move, and of many for White, hardly, where Black is."""

    name, batch_size = "torn", 1

    def evaluate(self, batch: Batch) -> Evaluation:
        own = Sigmoid(*np.where(batch.planes()[:, 16, 0, 0] == 1, [[-8.0], [0.05]], [[-0.5], [6.0]]))
        win = own.winrate(batch.signed_komi.astype(float))
        wdl = np.stack([win, 0 * win, 1 - win], axis=1).astype(np.float32)
        logits = np.zeros(sum(map(len, batch.moves())), np.float32)
        return Evaluation(logits, wdl, margins=np.stack([own.margin, own.beta], axis=1).astype(np.float32))


def test_winrate_and_lead_are_means_of_their_own_and_may_speak_for_different_sides() -> None:
    talk = Talk(replace(QUICK, batch=1), Net(Torn(), None, judges_margins=True))
    talk.all("boardsize 3", "komi 0")
    found = {}
    for _ in range(4):  # each goes on where the one before has ended
        talk.waiting = after(2)
        best = infos(lines(talk, "kata-analyze b")[-1])[0]
        found[best["visits"]] = [float(best[key]) for key in ("winrate", "scoreLead") if key in best]
    # Of a single position, the winrate is the sigmoid of the lead.
    sure, unsure = 1 / (1 + math.exp(-6.0 * 0.5)), 1 / (1 + math.exp(0.05 * 8.0))
    assert found["1"] == pytest.approx([sure, 0.5], abs=1e-3)
    assert found["2"] == pytest.approx([(sure + unsure) / 2, -3.75], abs=1e-3)


def test_a_net_without_margins_shows_no_score() -> None:
    talk = Talk(net=Fixed(margins=False).net)
    talk.waiting = after(20)
    for command in ("lz-analyze", "kata-analyze"):
        assert not {"scoreLead", "scoreMean", "areas"} & infos(lines(talk, command)[-1])[0].keys()


def test_visits_grow_and_reports_keep_their_distance(monkeypatch: pytest.MonkeyPatch) -> None:
    talk = Talk()
    seconds = itertools.count(step=0.01)
    monkeypatch.setattr(report, "time", SimpleNamespace(monotonic=lambda: next(seconds)))
    talk.waiting = after(35)
    found = lines(talk, "lz-analyze 5")
    visits = [sum(int(move["visits"]) for move in infos(line)) for line in found]
    # One every five looks, and one at the end.
    assert len(found) == 35 // 5 + 1
    assert visits == sorted(visits)
    assert visits[-1] > visits[0] > 0


def test_without_an_interval_there_is_one_report_at_the_end() -> None:
    talk = Talk()
    for command in ("lz-analyze", "lz-analyze b 0", "analyze b"):
        talk.waiting = after(30)
        assert len(lines(talk, command)) == 1


def test_an_analysis_that_is_ended_at_once_still_names_a_move() -> None:
    talk = Talk(net=Fixed(likes=("C3",)).net)
    (found,) = infos(lines(talk, "lz-analyze 10")[-1])
    assert (found["move"], found["visits"], found["pv"]) == ("C3", "0", "C3")


def test_the_analysis_goes_on_from_what_is_known() -> None:
    talk = Talk()
    talk.waiting = after(50)
    lines(talk, "lz-analyze")
    before = talk.session.tree.summary().n
    assert before > 100
    talk.waiting = lambda: True
    lines(talk, "lz-analyze")
    assert talk.session.tree.summary().n >= before


def test_either_side_may_be_analysed_and_the_game_stays() -> None:
    talk = Talk(net=Fixed(black_alpha=30.0).net)
    talk("play b C3")
    before = talk.session.game
    black, white = (infos(lines(talk, f"kata-analyze {colour} 10")[-1])[0] for colour in "bw")
    assert float(black["winrate"]) > 0.9
    assert float(white["winrate"]) < 0.1
    assert talk.session.game is before


def test_more_and_fewer_moves_can_be_asked_for() -> None:
    talk = Talk()
    talk.waiting = after(20)
    assert len(infos(lines(talk, "lz-analyze maxmoves 2")[-1])) == 2
    assert len(infos(lines(talk, "lz-analyze b interval 10 minmoves 30")[-1])) >= 30
    assert len(infos(lines(talk, "lz-analyze minmoves 1000")[-1])) == 50


def test_moves_can_be_allowed_and_avoided() -> None:
    talk = Talk(net=Fixed(likes=("C3",)).net)
    talk.waiting = after(20)
    only = lines(talk, "lz-analyze b allow b A1,B1 1 allow b pass 9 minmoves 99")[-1]
    assert {move["move"] for move in infos(only)} == {"A1", "B1", "pass"}
    other = lines(talk, "lz-analyze avoid b C3 1 minmoves 99")[-1]
    assert "C3" not in {move["move"] for move in infos(other)}
    assert "C3" in {move["move"] for move in infos(lines(talk, "lz-analyze avoid w C3 1 minmoves 99")[-1])}
    assert lines(talk, "lz-genmove_analyze b allow b G7 1")[-1] == "play G7"
    assert talk.fails("lz-analyze allow w G7 1") == "no legal move is left"


@pytest.mark.parametrize(
    "words",
    [
        "x",
        "interval",
        "interval -1",
        "minmoves many",
        "allow b",
        "allow b C3",
        "avoid C3 1",
        "avoid b I9 1",
        "ownership",
    ],
)
def test_what_cannot_be_understood_is_a_syntax_error(words: str) -> None:
    assert Talk().fails(f"lz-analyze {words}") == "syntax error"


def test_what_katago_could_tell_and_we_cannot_is_left_out() -> None:
    found = lines(Talk(), "kata-analyze b 10 ownership true")[-1]
    assert "ownership" not in found


def test_the_root_is_reported_where_katago_s_users_ask_for_it() -> None:
    infos, root = lines(Talk(), "kata-analyze b 10 rootInfo true")[-1].split(" rootInfo ")
    said = dict(zip(root.split()[::2], root.split()[1::2], strict=True))
    moves = [int(visits) for visits in re.findall(r"visits (\d+)", infos)]
    assert sum(moves) < int(said["visits"]) <= sum(moves) + 1
    assert 0 < float(said["winrate"]) < 1
    assert "rootInfo" not in lines(Talk(), "kata-analyze b 10 rootInfo false")[-1]
    assert Talk().fails("lz-analyze b 10 rootInfo true") == "syntax error"


def test_a_generated_move_comes_with_its_analysis_and_is_played() -> None:
    talk = Talk(replace(QUICK, visits=300))
    sent = talk.raw(b"5 kata-genmove_analyze b 1")
    assert re.fullmatch(r"=5\n(info [^\n]+\n)+play [A-G][1-7]\n\n", sent)
    assert talk("move_history") == f"black {sent.split()[-1]}"
    assert infos(sent.split("\n")[-4])[0]["move"] == sent.split()[-1]


def test_where_memory_ends_the_analysis_waits_for_the_next_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search, "_LOOK_SECONDS", 0.001)
    talk = Talk(replace(QUICK, memory_mb=1, batch=64))
    asked = itertools.count()
    talk.waiting = lambda: bool(talk.logged) and next(asked) > 3
    visits = sum(int(move["visits"]) for move in infos(lines(talk, "lz-analyze")[-1]))
    assert visits > 1000
    assert "Maximum Memory Use" in talk.logged[0]
    assert talk("genmove b")


def test_the_four_forms_of_the_command_are_there() -> None:
    talk = Talk()
    for name in ("analyze", "kata-analyze", "lz-analyze"):
        assert infos(lines(talk, f"{name} b 10")[-1])
    for name in ("genmove_analyze", "kata-genmove_analyze", "lz-genmove_analyze"):
        assert lines(talk, f"{name} b 10")[-1].startswith("play ")
