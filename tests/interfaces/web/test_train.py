"""Training with puzzles, as a page asks for it."""

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from foible.analysis.puzzles.puzzle import Puzzle
from foible.analysis.puzzles.puzzle_table import write_table
from foible.analysis.puzzles.training_deck import find_decks
from tests.analysis.puzzles.known import OVERLOOKED, PUZZLES, pgn_game
from tests.interfaces.web.site import RefusedError, Site, serving

RATINGS = {"fork": 900, "mate in one": 1000, "mate in two": 1200, "skewer": 1400}
THEMES = {"mate in one": "mateIn1", "mate in two": "mateIn2"}
FIRST = "fork"


def known(theme: str) -> Puzzle:
    fen, mistake, line = PUZZLES[theme]
    return Puzzle(fen, mistake, tuple(line.split()), rating=RATINGS[theme], themes=(THEMES.get(theme, theme),))


def put_deck(folder: Path, name: str) -> None:
    """The known puzzles, where a server with this folder finds them."""
    deck = folder / "puzzles" / name
    deck.mkdir(parents=True)
    write_table(deck / "puzzles.csv", map(known, PUZZLES))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    put_deck(tmp_path, "jane")
    return tmp_path


@pytest.fixture
def training(folder: Path) -> Iterator[Site]:
    with serving(folder) as site:
        yield site


def ask(site: Site, kind: str, **fields: Any) -> Any:
    (reply,) = site.ask(kind, deck="jane", **fields)
    return reply


def test_decks_are_listed_and_shown(training: Site) -> None:
    assert training.ask("decks")[0]["decks"] == ["jane"]
    shown = ask(training, "deck")
    assert (shown["puzzles"], shown["due"], shown["new"], shown["learned"], shown["answers"]) == (4, 0, 4, 0, 0)
    assert {one["theme"]: one["new"] for one in shown["themes"]}["fork"] == 1
    puzzle = shown["puzzle"]
    assert (puzzle["id"], puzzle["rating"], puzzle["moves"], puzzle["new"]) == (known(FIRST).id, 900, 2, True)
    assert puzzle["setup"] == PUZZLES[FIRST][1]
    assert "solution" not in puzzle


def test_the_folder_is_searched_only_for_decks_that_are_not_known(
    folder: Path, training: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    searches = []

    def counted(where: Path) -> dict[str, Path]:
        searches.append(where)
        return find_decks(where)

    monkeypatch.setattr("foible.interfaces.web.decks.find_decks", counted)
    for _ in range(3):
        ask(training, "deck")
    assert len(searches) == 1
    put_deck(folder, "john")
    assert training.ask("deck", deck="john")[0]["puzzles"] == 4
    assert len(searches) == 2
    shutil.rmtree(folder / "puzzles" / "jane")
    with pytest.raises(RefusedError, match=r"deck = 'jane': .*john"):
        ask(training, "deck")


def test_right_moves_are_answered_until_the_solution_ends(training: Site) -> None:
    name = known(FIRST).id
    first = ask(training, "try_move", puzzle=name, played=[], move="c3e2")
    assert first == {"right": True, "reply": "g1h1", "solved": False}
    assert ask(training, "try_move", puzzle=name, played=[], move="g8h8") == {
        "right": False,
        "reply": None,
        "solved": False,
    }
    assert ask(training, "try_move", puzzle=name, played=["c3e2", "g1h1"], move="e2c1")["solved"]


def test_an_answer_moves_the_puzzle_on_and_is_there_after_a_restart(folder: Path) -> None:
    with serving(folder) as site:
        name = known(FIRST).id
        good = ask(site, "answer_puzzle", puzzle=name, wrong_moves=0, shown=False, seconds=10)
        assert good["grade"] == "good"
        assert good["days"] >= 1
        again = ask(site, "answer_puzzle", puzzle=good["deck"]["puzzle"]["id"], wrong_moves=1, shown=False, seconds=10)
        assert again["grade"] == "again"
        assert again["days"] < 0.1
    with serving(folder) as site:
        shown = ask(site, "deck")
        assert (shown["new"], shown["learned"], shown["answers"], shown["solved"]) == (2, 1, 2, 1)
        assert shown["puzzle"]["id"] == known("mate in two").id


def test_the_solution_tells_why(training: Site) -> None:
    shown = ask(training, "solution", puzzle=known(FIRST).id)
    assert [move["san"] for move in shown["moves"]] == ["Ne2+", "Kh1", "Nxc1"]
    assert shown["themes"] == ["fork"]


@pytest.mark.parametrize(
    ("kind", "fields", "said"),
    [
        ("deck", {"deck": "../jane"}, "near is jane"),
        ("deck", {"deck": "/etc"}, "expected one of jane"),
        ("solution", {"deck": "jane", "puzzle": "x"}, "no puzzle 'x'"),
        ("try_move", {"deck": "jane", "puzzle": known(FIRST).id, "played": [], "move": "c3c8"}, "c3c8"),
        ("try_move", {"deck": "jane", "puzzle": known(FIRST).id, "played": ["c3e2"], "move": "g1h1"}, "beginning"),
        ("make_deck", {"name": "../x", "pgn": "1. e4"}, "deck '../x'"),
        ("make_deck", {"name": "jane", "pgn": "1. e4"}, "another name"),
        ("make_deck", {"name": "new", "pgn": "hello"}, "the games: no game in it"),
        ("deck", {"deck": "jane", "theme": "forks"}, "near is fork"),
        ("make_deck", {"name": "new", "pgn": "x" * 900_001}, "900000"),
    ],
)
def test_what_cannot_be_asked_is_refused(
    training: Site, folder: Path, kind: str, fields: dict[str, Any], said: str
) -> None:
    with training.page() as talk:
        talk.begin(kind, **fields)
        answer = talk.receive()
    assert answer["is"] == "failed"
    assert said in answer["error"]
    assert "\n" not in answer["error"]
    assert str(folder) not in answer["error"]
    assert training.ask("watch_making") == []
    assert [path.name for path in (folder / "puzzles").iterdir()] == ["jane"]


def test_a_table_that_changes_is_read_anew(training: Site, folder: Path) -> None:
    assert ask(training, "deck")["puzzles"] == 4
    write_table(folder / "puzzles" / "jane" / "puzzles.csv", [known("skewer")])
    assert ask(training, "deck")["puzzles"] == 1


def test_a_deck_is_made_of_the_games_of_a_player(training: Site, folder: Path) -> None:
    pgn = pgn_game(*OVERLOOKED[:2], black="Doe, Jane") + pgn_game(*PUZZLES["skewer"][:2], white="Poe", black="Loe")
    (first,) = training.ask("make_deck", name="my games", pgn=pgn, player="Jane Doe")
    assert first["done"] is False
    end = training.ask("watch_making")[-1]
    assert (end["done"], end["puzzles"], end["games"], end["games_given"]) == (True, 1, 1, 1)
    assert end["positions"] == end["total"] == first["total"] == 2
    assert training.ask("decks")[0]["decks"] == ["jane", "my games"]
    (shown,) = training.ask("deck", deck="my games")
    (solution,) = training.ask("solution", deck="my games", puzzle=shown["puzzle"]["id"])
    assert [move["uci"] for move in solution["moves"]] == OVERLOOKED[2].split()
    assert "after a mistake of Doe, Jane" in solution["source"]
    assert (folder / "puzzles" / "my games" / "puzzles.html").exists()


def test_puzzles_of_one_theme_are_asked_for(training: Site) -> None:
    shown = ask(training, "deck", theme="skewer")
    assert shown["puzzle"]["id"] == known("skewer").id
    fields = {"puzzle": known("skewer").id, "wrong_moves": 0, "shown": False, "seconds": 10}
    answered = ask(training, "answer_puzzle", theme="skewer", **fields)
    assert (answered["deck"]["puzzle"], answered["deck"]["new"]) == (None, 3)
    assert answered["deck"]["seconds"] > 0
    assert ask(training, "deck")["puzzle"]["id"] == known(FIRST).id


def test_an_answer_with_an_unknown_theme_is_not_recorded(training: Site) -> None:
    fields = {"puzzle": known(FIRST).id, "wrong_moves": 0, "shown": False, "seconds": 10}
    with pytest.raises(RefusedError, match="theme = 'forks'"):
        ask(training, "answer_puzzle", theme="forks", **fields)
    assert ask(training, "deck")["answers"] == 0


def long_games() -> str:
    """Work for a minute."""
    moves = "e2e4 e7e5 g1f3 b8c6 f1b5 a7a6 b5a4 g8f6 e1g1 f8e7 f1e1 b7b5 a4b3 d7d6 c2c3 e8g8 h2h3 c6a5 b3c2 c7c5"
    start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
    last = (f"{moves} d2d4 a8a7 {move} a7a8" for move in ("a2a3", "a2a4"))
    return "".join(pgn_game(start, line, white=str(n)) for line in last for n in range(90))


def test_a_deck_is_made_while_pages_come_and_go(training: Site, folder: Path) -> None:
    (begun,) = training.ask("make_deck", name="long", pgn=long_games())
    for _ in range(2):
        with training.page() as talk:
            found = next(talk.replies(talk.begin("watch_making")))
            assert (found["name"], found["total"], found["done"]) == ("long", begun["total"], False)
    with pytest.raises(RefusedError, match="being made already"):
        training.ask("make_deck", name="other", pgn=long_games())
    with training.page() as talk:
        watched = talk.begin("watch_making")
        assert talk.receive()["id"] == watched
        assert training.ask("stop_making") == [{}]
        messages = [talk.receive()]
        while messages[-1]["is"] == "answer":
            messages.append(talk.receive())
    assert messages[-1] == {"is": "done", "id": watched}
    assert training.ask("watch_making") == []
    assert not (folder / "puzzles" / ".long.new").exists()
    assert training.ask("decks")[0]["decks"] == ["jane"]


def test_a_server_that_ends_leaves_no_half_of_a_deck(folder: Path) -> None:
    with serving(folder) as site:
        site.ask("make_deck", name="long", pgn=long_games())
        assert (folder / "puzzles" / ".long.new").exists()
    assert [path.name for path in (folder / "puzzles").iterdir()] == ["jane"]
