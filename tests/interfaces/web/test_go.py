"""What a page asks of Go."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from foible._core import Bonus, GoPosition
from foible.agents.base import Turn
from foible.agents.search import GoSearch
from foible.analysis.go import opinion_of
from foible.games.sgf import read_sgf
from foible.interfaces.web.go import MOST_MOVES
from foible.loop import each, wait
from foible.nets.catalogue import open_net
from foible.nets.go.evaluator import GoRuntimeNet
from foible.nets.go.modules import save_go_net
from foible.nets.go.net import GoNetConfig, HeadKind
from foible.search.go import BATCH, by_bonus, go_params, go_seats
from foible.training.go.trainer import random_net
from tests.analysis.go.made_up_run import write_run
from tests.interfaces.web.site import RefusedError, Site, serving

MOVES = ["C3", "B3", "pass", "B2"]
LINE = {"size": 5, "komi": 24.5, "rules": "chinese", "moves": MOVES}
POSITION = GoPosition(5, MOVES, komi=24.5)
OVER = {**LINE, "moves": ["pass", "pass"]}


@pytest.fixture(scope="module")
def net() -> GoRuntimeNet:
    return open_go("go-5x5")


@pytest.fixture(scope="module")
def runs_site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """A site with three runs of go training: with a net that judges margins, with one that does not, without any."""
    folder: Path = tmp_path_factory.mktemp("site")
    (folder / "runs").mkdir()
    heads: dict[str, HeadKind | None] = {"margins": "y", "wins": "lz", "none": None}
    for name, head in heads.items():
        run = write_run(folder / "runs" / name, {})
        if head is not None:
            config = GoNetConfig(size=3, blocks=1, filters=8, head=head, value_hidden=8)
            save_go_net(random_net(config, 1), run / "net.txt.gz")
    (folder / "runs" / "damaged").mkdir()
    (folder / "runs" / "damaged" / "run.json").write_text("?")
    save_go_net(random_net(GoNetConfig(size=3, blocks=1, filters=8), 1), folder / "runs" / "damaged" / "net.txt.gz")
    with serving(folder) as found:
        yield found


def test_nets_that_come_with_foible_and_those_of_runs_are_listed(runs_site: Site) -> None:
    (found,) = runs_site.ask("go_nets")
    assert {"go-5x5", "go-7x7", "runs/margins", "runs/wins"} <= set(found["nets"])
    assert not {"runs/none", "runs/damaged", "master", "club"} & set(found["nets"])


@pytest.mark.parametrize(
    ("name", "size", "margins", "komi"),
    [("go-5x5", 5, True, 24.5), ("runs/margins", 3, True, None), ("runs/wins", 3, False, 7.5)],
)
def test_a_net_tells_its_board(runs_site: Site, name: str, size: int, margins: bool, komi: float | None) -> None:
    (found,) = runs_site.ask("go_net", net=name)
    assert (found["net"], found["size"], found["margins"]) == (name, size, margins)
    assert found["even_komi"] % 1 == 0.5
    assert komi in (None, found["even_komi"])


@pytest.mark.parametrize("name", ["go-9x9", "/etc/passwd", "runs/none", "../runs/wins", "master", ""])
def test_no_other_net_is_opened(runs_site: Site, name: str) -> None:
    with pytest.raises(RefusedError, match="no net for Go is called"):
        runs_site.ask("go_net", net=name)


def test_a_net_without_margins_knows_no_lambda(runs_site: Site) -> None:
    line = {"size": 3, "komi": 7.5, "rules": "chinese", "moves": ["B2"]}
    (found,) = runs_site.ask("go_curve", line=line, aim={"net": "runs/wins"})
    assert found["curve"] is None
    (played,) = runs_site.ask("go_move", line=line, aim={"net": "runs/wins"}, visits=20)
    assert played["margin"] is None
    assert 0 <= played["winrate"] <= 1
    for aim in ({"lambda": 0.5}, {"mu": 0.5}):
        with pytest.raises(RefusedError, match="wins alone"):
            runs_site.ask("go_move", line=line, aim={"net": "runs/wins", **aim}, visits=20)


def test_the_net_of_a_run_is_the_newest_that_it_has(tmp_path: Path) -> None:
    (tmp_path / "runs").mkdir()
    run = write_run(tmp_path / "runs" / "growing", {})
    line = {"size": 3, "komi": 0.5, "rules": "chinese", "moves": ["B2"]}
    winrates = []
    with serving(tmp_path) as site:
        for seed in (1, 2, 2):
            save_go_net(random_net(GoNetConfig(size=3, blocks=1, filters=8), seed), run / "net.txt.gz")
            (found,) = site.ask("go_curve", line=line, aim={"net": "runs/growing"})
            expected = opinion_of(open_go(run), GoPosition(3, ["B2"], komi=0.5), Bonus()).winrate
            assert found["winrate"] == pytest.approx(expected, abs=1e-6)
            winrates.append(found["winrate"])
    assert winrates[0] != winrates[1] == winrates[2]


def open_go(place: Path | str) -> GoRuntimeNet:
    found = open_net(str(place))
    assert isinstance(found, GoRuntimeNet)
    return found


def test_the_board_after_some_moves(site: Site) -> None:
    (found,) = site.ask("go_board", line={**LINE, "moves": ["c3", "PASS"]})
    assert found == {
        "moves": ["C3", "pass"],
        "rows": [".....", ".....", "..X..", ".....", "....."],
        "turn": "black",
        "over": False,
        "score": "B+0.5",
    }
    (over,) = site.ask("go_board", line=OVER)
    assert (over["over"], over["score"]) == (True, "W+24.5")


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"moves": ["C3", "C3"]}, "move 2 of 2: the point is occupied"),
        ({"moves": ["F6"]}, "not a vertex from A1 to E5"),
        ({"moves": ["pass", "pass", "A1"]}, "over after two passes"),
        ({"moves": ["A" * 201]}, "200"),
        ({"moves": ["pass"] * (MOST_MOVES + 1)}, "1000"),
        ({"moves": [1]}, "moves"),
        ({"komi": 1e9}, "komi"),
        ({"komi": 0.3}, "multiple of 0.5"),
        ({"komi": "6.5"}, "komi"),
        ({"size": 20}, "size"),
        ({"size": 0}, "size"),
        ({"rules": "japanese"}, "rules"),
        ({"net": "go-5x5"}, "unknown key"),
    ],
)
def test_what_is_no_position_is_one_line(site: Site, changes: dict[str, Any], said: str) -> None:
    with site.page() as talk:
        talk.send({"do": "ask", "id": 1, "question": {"kind": "go_board", "line": {**LINE, **changes}}})
        answer = talk.receive()
    assert answer["is"] == "failed"
    assert said in answer["error"]
    assert "\n" not in answer["error"]


@pytest.mark.parametrize(("lambda_", "mu"), [(0.0, 0.0), (0.5, 0.0), (1.0, 0.25)])
def test_the_curve_is_that_of_the_analysis(site: Site, net: GoRuntimeNet, lambda_: float, mu: float) -> None:
    (found,) = site.ask("go_curve", line=LINE, aim={"net": "go-5x5", "lambda": lambda_, "mu": mu})
    curve, expected = found["curve"], opinion_of(net, POSITION, Bonus(lambda_, mu))
    assert expected.curve is not None
    assert found["winrate"] == pytest.approx(expected.winrate, abs=1e-4)
    for name in ("alpha", "beta", "fair_komi", "interval"):
        assert curve[name] == pytest.approx(getattr(expected.curve, name), rel=1e-3, abs=1e-3), name
    assert curve["shaded"] == pytest.approx(expected.curve.shaded(POSITION), rel=1e-3, abs=1e-3)
    np.testing.assert_allclose(curve["winrates"], expected.curve.at(np.array(curve["komi"])), atol=0.01)
    assert curve["komi"] == sorted(curve["komi"])
    assert curve["komi"][0] < 24.5 < curve["komi"][-1]


@pytest.mark.parametrize("lambda_", [0.0, 0.5])
def test_the_engine_plays_as_the_player_of_the_library(site: Site, net: GoRuntimeNet, lambda_: float) -> None:
    (found,) = site.ask("go_move", line=LINE, aim={"net": "go-5x5", "lambda": lambda_}, visits=60)
    ours, theirs = go_seats(Bonus(lambda_))
    player = GoSearch([net], nodes=60, params=go_params(size=5, batch=BATCH), ours=ours, theirs=theirs)
    expected = wait(player.choose(Turn(POSITION, 0, 4, seed=0)))
    assert (found["ply"], found["move"], found["visits"]) == (4, expected.move, 60)
    assert found["winrate"] == pytest.approx(expected.info["winrate"], abs=1e-3)
    assert found["margin"] == pytest.approx(expected.info["margin"], abs=0.05)
    assert found["remark"].endswith("visits=60")


def test_the_only_move_is_played_without_a_search(site: Site) -> None:
    moves = _filled()
    assert GoPosition(5, moves).legal_moves == ["pass"]
    (found,) = site.ask("go_move", line={**LINE, "moves": moves}, aim={"net": "go-5x5"}, visits=60)
    assert (found["move"], found["visits"], found["winrate"]) == ("pass", 0, None)


def _filled() -> list[str]:
    """Black fills all but two corners while White passes: White may play in neither."""
    points = [f"{column}{row}" for row in range(1, 6) for column in "ABCDE"]
    return [move for point in points if point not in ("A1", "E5") for move in (point, "pass")][:-1]


def test_what_lambda_changes_is_told_in_drafts(site: Site, net: GoRuntimeNet) -> None:
    lambdas = [0.0, 0.5, 1.0]
    found = site.ask("go_compare", line=LINE, net="go-5x5", lambdas=lambdas, visits=80)
    assert [one["complete"] for one in found] == [False, False, False, True]
    assert {one["turn"] for one in found} == {"black"}
    expected = list(each(by_bonus(net, POSITION, [Bonus(one) for one in lambdas], 80)))
    for told, wanted in zip(found, expected, strict=True):
        assert [one["lambda"] for one in told["by_lambda"]] == lambdas
        for one, preference in zip(told["by_lambda"], wanted, strict=True):
            assert one["visits"] == preference.visits
            assert [move["move"] for move in one["moves"]] == [move.move for move in preference.moves]
            for move, searched in zip(one["moves"], preference.moves, strict=False):
                assert move["visits"] == searched.visits
                assert move["winrate"] == pytest.approx(searched.winrate, abs=1e-3)
                assert move["margin"] == pytest.approx(searched.margin, abs=0.05)


@pytest.mark.parametrize(
    ("kind", "fields", "said"),
    [
        ("go_move", {"line": OVER, "aim": {"net": "go-5x5"}, "visits": 10}, "the game is over"),
        ("go_curve", {"line": OVER, "aim": {"net": "go-5x5"}}, "the game is over"),
        ("go_compare", {"line": OVER, "net": "go-5x5", "lambdas": [0], "visits": 10}, "the game is over"),
        ("go_move", {"line": LINE, "aim": {"net": "go-7x7"}, "visits": 10}, "7×7 alone, not on 5×5"),
        ("go_move", {"line": LINE, "aim": {"net": "go-5x5"}, "visits": 10**9}, "visits"),
        ("go_move", {"line": LINE, "aim": {"net": "go-5x5", "lambda": 11}, "visits": 10}, "lambda"),
        ("go_compare", {"line": LINE, "net": "go-5x5", "lambdas": [0.0] * 9, "visits": 10}, "lambdas"),
        ("go_compare", {"line": LINE, "net": "go-5x5", "lambdas": [], "visits": 10}, "lambdas"),
    ],
)
def test_what_cannot_be_searched_is_one_line(site: Site, kind: str, fields: dict[str, Any], said: str) -> None:
    with site.page() as talk:
        talk.send({"do": "ask", "id": 1, "question": {"kind": kind, **fields}})
        answer = talk.receive()
    assert answer["is"] == "failed"
    assert said in answer["error"]


@pytest.mark.parametrize(("resigned", "result"), [(None, ""), ("black", "W+R"), ("white", "B+R")])
def test_a_game_is_written_as_sgf(site: Site, resigned: str | None, result: str) -> None:
    remarks = ["", "search=0.5] visits=3", "", "ok"]
    fields = {"black": "me]\\", "white": "go-5x5, lambda 0.5", "resigned": resigned, "remarks": remarks}
    (found,) = site.ask("go_record", line=LINE, **fields)
    (game,) = read_sgf(found["sgf"])
    assert (game.position.moves, game.position.komi, game.result) == (MOVES, 24.5, result)
    assert (game.black, game.white, game.comments) == ("me]\\", "go-5x5, lambda 0.5", tuple(remarks))


def test_the_record_of_a_finished_game_has_its_score(site: Site) -> None:
    (found,) = site.ask("go_record", line=OVER, black="", white="", remarks=[])
    assert next(read_sgf(found["sgf"])).result == "W+24.5"


def test_there_are_as_many_remarks_as_moves(site: Site) -> None:
    with pytest.raises(RefusedError, match="one for each of 4 moves"):
        site.ask("go_record", line=LINE, black="", white="", remarks=["one"])
