"""The report agrees with the games it was made from."""

import io
import json
import re
from dataclasses import asdict, replace
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st
from msgspec import structs
from rich.console import Console

import foible
from foible.arena.elo import estimate_elo
from foible.arena.frameworks import hand_brain
from foible.arena.report import Failures, report_on
from foible.arena.stats import Tally, tally_games, tally_pairs
from foible.arena.tables import render
from foible.errors import ConfigError
from foible.nets import open_net
from foible.wording import PLUS_MINUS, percent
from tests.arena.scripted import framework, random_match

GAMES = random_match(pairs=4)
results = st.lists(st.tuples(*[st.sampled_from(["1-0", "0-1", "1/2-1/2"])] * 2), min_size=1, max_size=20)


def shown(width: int = 200, **changes: Any) -> str:
    out = io.StringIO()
    report = report_on([replace(game, **changes) for game in GAMES], framework())
    Console(file=out, width=width).print(render(report))
    return out.getvalue()


def test_a_report_of_records_alone_names_the_framework_in_which_they_were_played() -> None:
    assert report_on(GAMES).framework == GAMES[0].framework == framework().name != "standard"


@settings(deadline=None)
@given(results)
def test_tallies_count_what_the_focal_team_scored(pairs: list[tuple[str, str]]) -> None:
    games = [
        replace(GAMES[i], pair=pair, game_in_pair=i + 1, result=result)  # type: ignore[arg-type]
        for pair, both in enumerate(pairs)
        for i, result in enumerate(both)
    ]
    report = report_on(games, hand_brain())
    assert report.games == tally_games(games) == report.as_white + report.as_black
    assert report.pairs == tally_pairs(games)
    assert report.games.n == 2 * report.pairs.n == 2 * len(pairs)
    assert report.pairs.share == pytest.approx(report.games.share)
    assert report.as_white == Tally.of_games(
        *(sum(second == r for _, second in pairs) for r in ("1-0", "1/2-1/2", "0-1"))
    )


def test_the_report_names_teams_ends_and_roles() -> None:
    report = report_on(GAMES, framework())
    assert (report.focal, report.alter, report.framework) == ("focal", "alter", "tag_team")
    assert sum(report.terminations.values()) == len(GAMES)
    assert report.mean_plies == sum(game.plies for game in GAMES) / len(GAMES)
    assert {(role.team, role.role) for role in report.roles} == {
        ("focal", "senior"),
        ("focal", "junior"),
        ("alter", "hand"),
    }
    assert sum(role.moves for role in report.roles) == sum(game.plies for game in GAMES)
    assert report.outlasted == sum(game.plies > 30 for game in GAMES) > 0


def test_an_incomplete_pair_counts_among_the_games_only() -> None:
    report = report_on(GAMES[:-1], framework())
    assert (report.games.n, report.pairs.n) == (7, 3)
    assert report_on(GAMES[:1], framework()).elo is None


def test_the_report_is_plain_json() -> None:
    plain = report_on(GAMES, framework()).to_json()
    assert json.loads(json.dumps(plain, allow_nan=False)) == plain
    assert sum(plain["wdl"]) == plain["games"] == 8


def test_a_match_of_wins_only_prints_a_bound_and_no_infinity() -> None:
    won = [replace(game, result="1-0" if game.focal_white else "0-1") for game in GAMES]
    report = report_on(won, framework())
    assert report.to_json()["elo"]["value"] is None
    text = json.dumps(report.to_json(), allow_nan=False)
    assert "Infinity" not in text
    out = io.StringIO()
    Console(file=out, width=200).print(render(report))
    assert "above +" in out.getvalue()
    assert "100.0 %" in out.getvalue()


def test_tables_show_share_errors_elo_and_the_losses_that_are_known() -> None:
    text = shown()
    for words in ("win share", "if games were independent", "Elo [95 %]", "as White"):
        assert words in text
    assert "Who lost how much" not in text
    out = io.StringIO()
    Console(file=out, width=200).print(render(report_on(GAMES, framework(), open_net("material"))))
    for words in ("Who lost how much", "senior"):
        assert words in out.getvalue()


def test_a_run_that_is_void_says_so() -> None:
    assert "did not end by themselves" in shown()
    report = report_on([replace(game, termination="checkmate") for game in GAMES], hand_brain())
    assert report.unfinished_share == 0
    out = io.StringIO()
    Console(file=out, width=200).print(render(report))
    assert "did not end by themselves" not in out.getvalue()


def test_nothing_to_report_is_an_error() -> None:
    with pytest.raises(ConfigError, match="no finished game"):
        report_on([], framework())


def test_failures_are_counted_for_the_team_that_failed() -> None:
    restarted = replace(
        GAMES[2], moves=(structs.replace(GAMES[2].moves[0], info={"restart": "died"}), *GAMES[2].moves[1:])
    )
    focal_began = restarted.focal_white
    lost = replace(GAMES[3], termination="forfeit: null move", result="1-0" if GAMES[3].focal_white else "0-1")
    report = report_on([*GAMES[:2], restarted, lost], framework())
    found = {one.team: (dict(one.restarts), dict(one.forfeits)) for one in report.failures}
    assert not focal_began
    assert found == {"alter": ({"died": 1}, {"null move": 1})}
    assert "1 restart (died); 1 game forfeited (null move)" in [str(one) for one in report.failures]
    assert report_on(GAMES, framework()).failures == ()


def test_a_failure_that_ends_with_a_number_is_not_confused_with_its_count() -> None:
    late, null = "no move within 3 s", "null move"
    assert str(Failures("A", {}, {late: 2})) == "2 games forfeited (no move within 3 s)"
    assert str(Failures("A", {late: 2, null: 1}, {})) == "3 restarts (2 × no move within 3 s, 1 × null move)"


def test_plus_minus_is_the_error_by_pairs_wherever_a_match_is_shown() -> None:
    """Pairs in which the second game undoes the first tell a share far better than as many independent games."""
    results = ["1-0", "1-0", "0-1", "0-1", "1/2-1/2", "1-0", "1-0", "1-0"]
    games = [replace(game, result=result) for game, result in zip(GAMES, results, strict=True)]  # type: ignore[arg-type]
    report = report_on(games, framework(), open_net("material"))
    by_pairs, independent = tally_pairs(games).sample_error, tally_games(games).standard_error
    assert by_pairs is not None
    assert independent is not None
    assert by_pairs < independent / 1.5
    assert (report.standard_error, report.independent_error) == (by_pairs, independent)
    share = percent(report.games.share, by_pairs)
    out = io.StringIO()
    Console(file=out, width=200).print(render(report))
    table, html, plain = out.getvalue(), report._repr_html_(), report.to_json()
    for text in (table, html):
        assert f" {share} " in text.replace("<td>", " ")
        assert text.count(PLUS_MINUS) == 1
        assert text.count(str(report.elo)) == 1
    assert re.search(rf"if games were independent +│ ± {percent(independent)} ", table)
    assert percent(independent) not in html
    assert (plain["standard_error"], plain["independent_error"]) == (by_pairs, independent)
    assert plain["elo"] == asdict(estimate_elo(report.pairs)) != asdict(estimate_elo(report.games))
    assert not [key for key in plain if "paired" in key or "margin" in key]


def test_players_without_chance_have_neither_error_nor_interval_and_the_report_begins_with_that() -> None:
    net = open_net("material")
    played = foible.chess_match(foible.NetSearch([net], nodes=10), foible.NetPolicy(net), games=40).play()
    won = [replace(game, result="1-0" if game.focal_white else "0-1") for game in played]
    report = report_on(won, judge=net)
    assert report.different == 2
    assert report.percent == "100.0 %"
    assert (report.standard_error, report.independent_error, report.elo) == (None, None, None)
    assert {role.standard_error for role in report.roles} == {None}
    plain = report.to_json()
    for key in ("standard_error", "independent_error", "elo", "superiority", "normalised_elo"):
        assert plain[key] is None
    out = io.StringIO()
    Console(file=out, width=400).print(render(report))
    _, _, first, *_ = out.getvalue().splitlines()
    for text in (first, report._repr_html_().partition("</caption>")[2].partition("</tr>")[0], plain["repetition"]):
        assert "2 of 40, too few for errors" in text
        assert "balanced" in text
    assert "±" not in out.getvalue().replace(PLUS_MINUS, "")
    assert "above" not in out.getvalue()


def test_errors_end_where_fewer_than_half_of_the_games_are_different() -> None:
    again = [replace(game, pair=game.pair + 4) for game in GAMES]
    half = report_on([*GAMES, *again], framework())
    assert (half.different, half.repetition) == (8, "8 of 16")
    assert half.elo is not None
    fewer = report_on([*GAMES, *again, *(replace(game, pair=8) for game in GAMES[:2])], framework())
    assert (fewer.different, fewer.elo) == (8, None)
    assert report_on(GAMES, framework()).repetition is None


def test_one_pair_tells_no_error_and_no_interval() -> None:
    report = report_on(GAMES[:2], framework())
    assert (report.standard_error, report.elo) == (None, None)
    out = io.StringIO()
    Console(file=out, width=200).print(render(report))
    assert re.search(r"win share +│ [\d.]+ % ", out.getvalue())
    assert re.search(r"Elo \[95 %\] +│ – ", out.getvalue())
    assert "Elo" not in report._repr_html_()
