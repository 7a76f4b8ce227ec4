import errno
import json
import shlex
import tomllib
import xml.etree.ElementTree as ET
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import pytest

from foible.analysis.explain import Explanation, explanations
from foible.arena.papers import EXPERIMENTS
from tests.analysis.games.pgn_games import game
from tests.engines.fake import Fake
from tests.interfaces.cli.command import Command

MATE_IN_ONE = "6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1"
MATERIAL = ("--opponent", "material", "--judge", "material")


def test_candidates_come_with_their_measures_and_replies(foible: Command) -> None:
    found = json.loads(foible("explain", "startpos", "--moves", "1. e4 e5 2. Nf3,", *MATERIAL, "--json").out)
    assert found["fen"].split()[1] == "b"
    assert found["opponent"] == found["judge"] == "material"
    best = found["candidates"][0]
    assert best["expected"] == max(candidate["expected"] for candidate in found["candidates"])
    assert 0 < sum(reply["p"] for reply in best["replies"]) <= 1.0000001
    assert best["trappiness"] == pytest.approx(max(0, best["expected"] - best["safe"]))


def test_what_moves_are_worth_for_us_who_err_as_well(foible: Command) -> None:
    ending = "7k/8/8/8/8/8/7P/K7 w - - 0 1"
    alone, erring = (
        json.loads(foible("explain", ending, *MATERIAL, "--depth", "2", *more, "--json").out)
        for more in ((), ("--me", "club:1500"))
    )
    assert (alone["ourselves"], erring["ourselves"]) == (None, "club:1500")
    best = {candidate["move"]: candidate["expected"] for candidate in alone["candidates"]}
    assert all(candidate["expected"] <= best[candidate["move"]] + 1e-9 for candidate in erring["candidates"])
    said = foible("explain", ending, *MATERIAL, "--me", "club:1500").out
    assert "Opponent: material; we: club:1500; judge: material" in said
    assert "Best for club:1500 against material" in " ".join(said.split())
    refused = foible("explain", ending, *MATERIAL, "--me", "club:1500", "--depth", "1")
    assert (refused.code, refused.err) == (
        2,
        "foible: --depth 1 with --me: expected 2 or more; our later moves come after the first\n",
    )


def test_the_table_says_how_much_was_looked_at(foible: Command) -> None:
    said = foible("explain", MATE_IN_ONE, *MATERIAL).out
    assert "Rd8#" in said
    assert "the game is over" in said
    assert "12 of" in said
    assert "♜" in said or "♖" in said


def test_the_evaluation_is_explained_where_there_is_one(foible: Command) -> None:
    without = foible("explain", "startpos", *MATERIAL).out
    assert "win probability for the side to move" in without
    assert "Eval:" not in without
    assert "┃ eval ┃" not in without
    mates = foible("explain", "startpos", "--moves", "f3 e5 g4", "--opponent", "material", "--judge", "material@50").out
    assert ("Eval: the judge's own score" in mates) == ("┃ eval ┃" in mates)


def test_a_position_of_chess960_is_explained_as_one(foible: Command) -> None:
    start = "1r2k1r1/pppppppp/8/8/8/8/PPPPPPPP/1R2K1R1 w GBgb - 0 1"
    found = json.loads(foible("explain", start, *MATERIAL, "--all", "--json").out)
    assert found["fen"] == "1r2k1r1/pppppppp/8/8/8/8/PPPPPPPP/1R2K1R1 w KQkq - 0 1"
    assert {"O-O", "O-O-O"} < {candidate["san"] for candidate in found["candidates"]}


def test_all_looks_at_every_move(foible: Command) -> None:
    found = json.loads(foible("explain", "startpos", *MATERIAL, "--all", "--json").out)
    assert len(found["candidates"]) == 20
    assert all(candidate["mass"] == pytest.approx(1) for candidate in found["candidates"])


def test_the_board_is_a_picture_with_arrows(foible: Command, tmp_path: Path) -> None:
    foible("explain", "startpos", *MATERIAL, "--board", str(tmp_path / "board.svg"))
    picture = (tmp_path / "board.svg").read_text()
    assert ET.fromstring(picture).tag.endswith("svg")
    assert 'class="arrow"' in picture


def test_what_was_found_is_told_although_the_board_cannot_be_written(
    foible: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(path: Path, text: str) -> None:
        raise OSError(errno.ENOSPC, "No space left on device", str(path))

    monkeypatch.setattr("foible.interfaces.cli.explain.write_atomically", full)
    ran = foible("explain", MATE_IN_ONE, *MATERIAL, "--board", tmp_path / "board.svg")
    assert (ran.code, ran.err) == (2, f"foible: {tmp_path}/board.svg: No space left on device\n")
    assert "Rd8#" in ran.out


@pytest.mark.parametrize(
    ("board", "said"),
    [
        ("board.png", "board.png: expected the name of a picture, .svg"),
        ("board", "board: expected the name of a picture, .svg"),
        ("none/board.svg", "none/board.svg: there is no folder none"),
        ("folder.svg", "folder.svg is a folder; expected a file"),
        ("", ".: expected the name of a picture, .svg"),
    ],
)
def test_where_no_board_can_be_written_nothing_is_judged(
    foible: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, board: str, said: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder.svg").mkdir()
    monkeypatch.setattr("foible.interfaces.cli.explain.explanations", None)
    done = foible("explain", "startpos", *MATERIAL, "--board", board)
    assert (done.code, done.out, done.err) == (2, "", f"foible: {said}\n")


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (("nonsense",), "nonsense"),
        (("1. e4 e5 " * 50,), "…: expected a FEN or startpos; moves belong in --moves"),
        ((MATE_IN_ONE, "--moves", "d1d8"), "the game is over here"),
        (("startpos", "--moves", "Nf3 Nf6 Ng1 Ng8 Nf3 Nf6 Ng1 Ng8"), "a draw may be claimed here"),
        (("startpos", "--moves", "e2e5"), "e2e5"),
        (("startpos", "--judge", "uci:no-such-engine:depth=3"), "no-such-engine"),
        (("startpos", "--judge", "material@x"), "material@x"),
    ],
)
def test_bad_input_is_one_line(foible: Command, arguments: tuple[str, ...], named: str) -> None:
    done = foible("explain", *arguments, *(MATERIAL if "--judge" not in arguments else MATERIAL[:2]))
    assert done.code == 2
    assert named in done.err
    assert done.err.count("\n") == 1


def test_the_first_line_names_the_judge_and_says_what_is_missing(
    foible: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert foible("explain", MATE_IN_ONE, *MATERIAL).out.splitlines()[0] == "judge: material"
    monkeypatch.setattr("foible.engines.programs.shutil.which", lambda name, path=None: None)
    monkeypatch.setattr("foible.judges.spec.MASTER", "material")
    first = foible("explain", MATE_IN_ONE, *MATERIAL[:2]).out.splitlines()[0]
    assert first == "judge: material at 100 nodes; Stockfish, which is not installed, would judge better"


@pytest.mark.parametrize(
    ("behaviour", "said"), [("illegal", "not a legal move"), ("crash", "died"), ("nan score", "cannot be read")]
)
def test_the_usual_judge_that_fails_is_one_line_with_the_position(
    foible: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, behaviour: str, said: str
) -> None:
    engine = tmp_path / "stockfish"
    engine.write_text(f"#!/bin/sh\nexec {shlex.join(Fake(tmp_path).command(behaviour))}\n")
    engine.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    done = foible("explain", MATE_IN_ONE, *MATERIAL[:2])
    assert done.code == 2
    assert done.err.count("\n") == 1
    assert done.err.startswith("foible: Fake 1.0 at 100,000 nodes: ")
    assert said in done.err
    assert done.err.endswith(" b - - 0 1\n")


@pytest.fixture
def stopped_after_a_draft(monkeypatch: pytest.MonkeyPatch) -> None:
    async def drafts(*arguments: Any, **settings: Any) -> AsyncGenerator[Explanation, None]:
        yield await anext(explanations(*arguments, **settings))
        raise KeyboardInterrupt

    monkeypatch.setattr("foible.interfaces.cli.explain.explanations", drafts)


def test_a_draw_that_can_be_claimed_with_a_move_alone_is_no_end(foible: Command) -> None:
    found = json.loads(foible("explain", "startpos", "--moves", "Nf3 Nf6 Ng1 Ng8 Nf3 Nf6 Ng1", *MATERIAL, "--json").out)
    assert len(found["candidates"]) > 1


@pytest.mark.usefixtures("stopped_after_a_draft")
def test_ctrl_c_leaves_what_is_there(foible: Command) -> None:
    words = ("explain", MATE_IN_ONE, "--opponent", "material", "--judge", "material@50")
    done = foible(*words)
    assert done.code == 130
    assert "Rd8#" in done.out
    found = json.loads(foible(*words, "--json").out)
    assert not found["complete"]
    assert found["candidates"][0]["san"] == "Rd8#"


def test_a_terminal_shows_drafts_and_other_outputs_only_the_end(
    foible: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = ("explain", MATE_IN_ONE, "--opponent", "material", "--judge", "material@50")
    assert foible(*words).out.count("Opponent: ") == 1
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "150")
    said = foible(*words).out
    assert "thinking" in said
    assert said.count("Opponent: ") > 1


def test_presets_are_listed_and_one_is_written_as_a_configuration(foible: Command) -> None:
    listed = json.loads(foible("presets", "--json").out)
    assert [entry["name"] for entry in listed] == ["demo", "queen-odds", "standard", *EXPERIMENTS]
    assert listed[1]["what"].startswith("Queen odds: the net of masters in search-contempt gives the queen")
    assert "queen-odds" in foible("presets").out
    assert tomllib.loads(foible("presets", "queen-odds").out)["odds"] == "queen"
    written = foible("presets", "stt-exp").out
    assert written.startswith("# stt-exp: ")
    assert tomllib.loads(written)["focal"]["senior"]["kind"] == "exp_t"


CLUB = {"WhiteElo": "1500", "BlackElo": "1560", "ECO": "C40", "Opening": "King's Knight Opening"}


@pytest.fixture
def games(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    path = tmp_path / "club.pgn"
    path.write_text(game("1. e4 e5 2. Nf3", "1-0", **CLUB) * 3 + game("1. e4 e5 2. d4", "0-1") + game("1. e4"))
    return path


def test_the_table_has_each_move_with_its_score(foible: Command, games: Path) -> None:
    ran = foible("openings", games, "--moves", "1. e4 e5")
    assert ran.code == 0, ran.err
    assert "4 games; most frequent opening: C40 King's Knight Opening (100 %)" in ran.out
    cells = [[cell.strip() for cell in row.split("│")[1:-1]] for row in ran.out.splitlines() if "│" in row]
    assert cells == [
        ["Nf3", "3", "75.0", "100.0"],
        ["d4", "1", "25.0", "0.0"],
        ["all", "4", "100.0", "75.0 ± 25.0"],
    ]
    assert "4 games in all, 3 with both ratings; left out: 1 without a result" in ran.out


def test_json_holds_the_same(foible: Command, games: Path) -> None:
    nobody = json.loads(foible("openings", games, "--rating", 1550, "--within", 49, "--json").out)
    assert (nobody["games"], nobody["games_of_any_rating"], nobody["all_games"]) == (0, 4, 4)
    assert (nobody["moves"], nobody["score"]) == ([], None)
    some = json.loads(foible("openings", games, "--rating", 1550, "--within", 50, "--json", "--moves", "e4").out)
    assert [(one["move"], one["games"], one["score"]) for one in some["moves"]] == [("e7e5", 3, 0.0)]


def test_where_no_games_were_it_says_so(foible: Command, games: Path) -> None:
    assert "no two games came here" in foible("openings", games, "--moves", "a3").out
    assert "none of the 4 games here is between players rated 2400" in foible("openings", games, "--rating", 2600).out


def test_bad_input_is_told_in_a_line(foible: Command, games: Path, tmp_path: Path) -> None:
    assert foible("openings", tmp_path / "none.pgn").err.startswith("foible: ")
    for words in ((games, "--moves", "e4 Ke7"), (games, "--fen", "x"), (tmp_path / "none.pgn",)):
        ran = foible("openings", *words)
        assert ran.code == 2
        assert len(ran.err.splitlines()) == 1
