import io
import json
from dataclasses import replace
from datetime import date
from pathlib import Path

import chess
import chess.pgn
import msgspec
import pytest

from foible._core import ChessPosition
from foible.analysis.prep.known_lines import KnownLine
from foible.analysis.prep.preparation import (
    LEVEL_GAMES,
    Preparation,
    PrepSettings,
    Step,
    base_spec,
    level_of_moves,
    preparations,
    prepare,
)
from foible.analysis.prep.preparation_files import prep_page, prep_pgn
from foible.analysis.prep.repertoire_tree import TreeSettings
from foible.games.pgn import PgnReader
from foible.judges.net import SearchJudge
from foible.loop import each, wait
from foible.nets.evaluator import Material
from foible.nets.shelf import NetShelf
from foible.opponents.estimate import LevelEstimate
from foible.opponents.net import NetModel
from foible.opponents.player_games import PlayerGame, PlayerGames, read_player_games
from foible.opponents.spec import RatingModelSpec
from foible.search.trees import Trees
from tests.analysis.prep.scripted import ScriptedJudge, Uniform, games
from tests.analysis.prep.synthetic import PLAYER, write_pgn
from tests.analysis.prep.test_holdout_check import Certain


@pytest.fixture(autouse=True)
def nets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "nets"
    folder.mkdir()
    monkeypatch.setenv("FOIBLE_NETS", str(folder))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return folder


def test_without_a_maia_the_net_that_comes_with_foible_plays_at_the_rating(nets: Path) -> None:
    (nets / "meangirl-8.pb.gz").touch()
    spec = wait(base_spec(1537.2, [], NetShelf()))
    assert spec == RatingModelSpec(rating=1537)
    assert spec.build(NetShelf()).name == "club:1537"


def test_one_maia_is_not_taken_for_players_of_other_ratings(nets: Path) -> None:
    (nets / "maia-1100.pb.gz").touch()
    assert wait(base_spec(1955, [], NetShelf())).build(NetShelf()).name == "club:1955"


def test_a_rating_beyond_the_levels_is_said_to_be_played_as_the_nearest() -> None:
    assert wait(base_spec(2500, [], NetShelf())).build(NetShelf()).name == "rating 2500 (as 2000)"


def test_the_level_is_that_of_the_latest_games_in_whatever_order_they_stand() -> None:
    old = [PlayerGame(True, "e2e4 e7e5 g1f3", day=date(2010, 1, 1))] * 3
    new = [PlayerGame(True, first_moves(), day=date(2024, 1, 1))] * LEVEL_GAMES
    estimate = LevelEstimate({1100: Uniform(), 1900: Certain()})
    found = [wait(level_of_moves(games, estimate)) for games in (old + new, new + old, new)]
    assert found[0] == found[1] == found[2]


def test_moves_speak_for_the_level_that_plays_them() -> None:
    first = Certain()
    always_first = [PlayerGame(True, first_moves()) for _ in range(5)]
    estimate = LevelEstimate({1100: Uniform(), 1900: first})
    assert wait(level_of_moves(always_first, estimate)) == pytest.approx(1900, abs=1)
    assert wait(level_of_moves(games([("e4 e5 Nf3", 5)], white=True), estimate)) == pytest.approx(1100, abs=1)


def first_moves() -> str:
    position = ChessPosition()
    for _ in range(6):
        position = position.play(position.legal_moves[0])
    return " ".join(position.moves)


SETTINGS = PrepSettings(TreeSettings(plies=6, games=5, spots=12, epsilon=0.3), lines=5)


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Preparation:
    found = read_player_games(write_pgn(tmp_path_factory.mktemp("prep") / "games.pgn"), PLAYER)
    judge = SearchJudge(Trees([Material()]), 200)
    return prepare(found, NetModel(Material()), judge, settings=SETTINGS)


def test_the_trap_that_the_player_walks_into_leads(report: Preparation) -> None:
    white, black = report.sides
    assert (white.white, black.white) == (True, False)
    best = white.lines[0]
    assert best.text == "1.e4 e5 2.Qh5"
    assert best.games == 40
    assert best.replies[0].games + best.replies[1].games == 40
    assert best.measures.trap_probability > 0.3
    assert best.strongest is not None
    assert best.strongest.san != "g6"


def test_the_personal_model_is_used_because_it_predicts_better(report: Preparation) -> None:
    assert report.personal
    assert report.check.gain.value is not None
    assert report.check.gain.value > 0


def test_the_report_knows_its_games(report: Preparation) -> None:
    assert report.player == PLAYER
    assert report.games == 90
    assert report.rating == pytest.approx(1500)
    assert [(split.white, split.speed, split.games, split.share) for split in report.splits] == [
        (True, "blitz", 30, 1.0),
        (False, "blitz", 60, 0.0),
    ]
    assert report.remarks == ()


def test_json_holds_all_of_it(report: Preparation) -> None:
    found = json.loads(msgspec.json.encode(report.to_json()))
    assert found["personal"] is True
    assert found["sides"][0]["lines"][0]["san"] == ["e4", "e5", "Qh5"]
    assert "cheating" in found["note"]


def test_python_chess_reads_every_line_back(report: Preparation) -> None:
    text = io.StringIO("".join(prep_pgn(report)))
    lines = [line for side in report.sides for line in side.lines]
    for line in lines:
        game = chess.pgn.read_game(text)
        assert game is not None
        assert game.errors == []
        node: chess.pgn.GameNode = game
        for san in line.san:
            assert node.variations[0].san() == san
            node = node.variations[0]
        assert f"E {100 * line.measures.expected:.1f} %" in node.comment
        assert f"{line.games} games" in node.comment
        known = {reply.san for reply in line.replies} | ({line.strongest.san} if line.strongest else set())
        assert {variation.san() for variation in node.variations} == known
    assert chess.pgn.read_game(text) is None


def test_our_own_reader_reads_every_line_back(report: Preparation) -> None:
    reader = PgnReader(io.BytesIO("".join(prep_pgn(report)).encode()), comments=True)
    lines = [line for side in report.sides for line in side.lines]
    for game, line in zip(reader, lines, strict=True):
        assert tuple(game.moves[: len(line.moves)]) == line.moves
        assert game.tags["Black" if line.white else "White"] == PLAYER
        assert game.comments is not None
        assert f"{line.games} games" in str(game.comments[len(line.moves) - 1])
    assert reader.skipped == 0


def test_quotes_and_backslashes_in_names_are_read_back(report: Preparation) -> None:
    name = 'Quine, "Van" \\ W'
    renamed = replace(report, player=name, judge='the "judge"')
    reader = PgnReader(io.BytesIO("".join(prep_pgn(renamed)).encode()))
    tags = [game.tags for game in reader]
    assert {tag["Event"] for tag in tags} == {f"Preparation against {name}"}
    assert {tag["Annotator"] for tag in tags} == {'foible, judge the "judge"'}
    assert {tag["White"] for tag in tags} | {tag["Black"] for tag in tags} == {"we", name}
    assert reader.skipped == 0


def test_lines_of_the_pgn_are_short_enough_for_any_reader(report: Preparation) -> None:
    assert max(len(line) for text in prep_pgn(report) for line in text.splitlines()) < 255


def test_blunders_get_their_glyph(report: Preparation) -> None:
    game = chess.pgn.read_game(io.StringIO(next(prep_pgn(report))))
    assert game is not None
    node: chess.pgn.GameNode = game
    for _ in report.sides[0].lines[0].moves:
        node = node.variations[0]
    blunder = next(reply for reply in node.variations if reply.san() == "g6")
    assert chess.pgn.NAG_BLUNDER in blunder.nags


def test_the_page_has_a_board_for_every_line_and_escapes_names(report: Preparation) -> None:
    page = prep_page(report)
    assert page.count("<svg") == sum(len(side.lines) for side in report.sides)
    assert "<b>Jörg" not in page
    assert "Müller, &lt;b&gt;Jörg&lt;/b&gt; &amp; Co" in page
    assert "cheating" in page
    assert "predicted from these games" in page
    assert "src=" not in page
    assert 'href="http' not in page


def test_a_check_that_fails_falls_back_to_the_base_and_says_so() -> None:
    lines = [("e4 e5 Nf3", 3), ("d4 d5 c4", 3), ("c4 e5 Nc3", 3), ("Nf3 d5 g3", 3)]
    played = games(lines, white=True)
    found = PlayerGames("A", tuple(played[:4]))
    settings = PrepSettings(TreeSettings(plies=4, games=1, spots=5))
    report = prepare(found, Uniform(), ScriptedJudge(), settings=settings)
    assert not report.personal
    assert [side.white for side in report.sides] == [False]
    assert "Not better than uniform alone" in prep_page(report)
    reply = next(reply for line in report.sides[0].lines for reply in line.replies)
    assert reply.p == pytest.approx(1 / len(report.sides[0].lines[0].position.legal_moves), rel=0.5)


def test_the_same_games_and_seed_give_the_same_report(tmp_path: Path) -> None:
    found = read_player_games(write_pgn(tmp_path / "games.pgn", 30), PLAYER)
    settings = PrepSettings(TreeSettings(plies=4, games=3, spots=6), lines=3)
    reports = [prepare(found, NetModel(Material()), ScriptedJudge(), settings=settings) for _ in range(2)]
    assert reports[0] == reports[1]
    assert prep_page(reports[0]) == prep_page(reports[1])


def test_the_lines_are_drafted_while_the_search_goes_on(tmp_path: Path) -> None:
    found = read_player_games(write_pgn(tmp_path / "games.pgn"), PLAYER)
    settings = PrepSettings(TreeSettings(plies=6, games=5, spots=40, epsilon=0.3), lines=5)
    drafts: dict[str, list[KnownLine]] = {}
    report = None
    for step in each(preparations(found, NetModel(Material()), ScriptedJudge(), settings=settings)):
        match step:
            case Step():
                assert 0 <= step.done <= step.total
                drafts[step.what] = list(step.draft())
            case Preparation():
                report = step
    assert report is not None
    assert report == prepare(found, NetModel(Material()), ScriptedJudge(), settings=settings)
    assert drafts["hold-out games"] == []
    for what, side in zip(list(drafts)[1:], report.sides, strict=True):
        assert [as_drafted(line) for line in side.lines] == drafts[what]


def test_the_progress_promises_no_more_positions_than_the_games_can_have(tmp_path: Path) -> None:
    found = read_player_games(write_pgn(tmp_path / "games.pgn", 30), PLAYER)
    settings = PrepSettings(TreeSettings(plies=4, games=3, spots=10_000), lines=3)
    steps = each(preparations(found, NetModel(Material()), ScriptedJudge(), settings=settings))
    positions = [step for step in steps if isinstance(step, Step) and step.what.startswith("positions")]
    assert positions
    assert all(step.done <= step.total < 100 for step in positions)


def as_drafted(line: KnownLine) -> KnownLine:
    """Before all replies of the player's are judged."""
    losses = tuple(None if (ply % 2 == 0) != line.white else loss for ply, loss in enumerate(line.losses))
    replies = tuple(replace(reply, loss=None) for reply in line.replies)
    return replace(line, losses=losses, replies=replies, strongest=None)
