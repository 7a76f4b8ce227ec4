"""Matches as configuration."""

from pathlib import Path
from typing import Any

import pytest
import tomli_w

from foible.agents.named_files import stand_ins, with_chosen_nets
from foible.agents.player_builder import search_settings
from foible.arena.config import (
    parse_config,
    preset_names,
    read_config,
    read_preset,
    with_changes,
    with_odds,
    with_random_plies,
)
from foible.arena.openings import OpeningSuite
from foible.errors import ConfigError, PositionError
from foible.toml import to_toml_dict

SMALL = """
framework = "standard"
[focal]
kind = "random"
[alter]
kind = "net_policy"
net = "material"
"""


@pytest.mark.parametrize("name", preset_names())
def test_presets_are_valid_and_survive_a_round_trip(name: str) -> None:
    config = with_chosen_nets(read_preset(name))
    assert parse_config(tomli_w.dumps(_without_none(to_toml_dict(config))), name) == config


def _without_none(table: dict[str, Any]) -> dict[str, Any]:
    set_keys = {key: value for key, value in table.items() if value is not None}
    return {key: _without_none(value) if isinstance(value, dict) else value for key, value in set_keys.items()}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("framework = 3", "framework"),
        ('framework = "bullet"', "bullet"),
        ("gamess = 3", "unknown key gamess: near is games"),
        ("games = 0", "games = 0: expected a whole number, at least 1"),
        ("games = -2", "games = -2: expected"),
        ("seconds = 0", "seconds = 0: expected a number, more than 0"),
        ("seconds = inf", "seconds = inf: expected a number, at most 1000000"),
        ("nodes = 0", "nodes = 0:"),
        ("judge = []", "judge: expected a list that is not empty"),
        (
            "nodes = 99999999999999999999999",
            "nodes = 99999999999999999999999: expected a whole number, at most 4294967295",
        ),
        ("[resignation]\nmoves = 0", "resignation.moves = 0"),
        ("[resignation]\nmove = 3", "unknown key resignation.move"),
        ("[draw_agreement]\nmoves = 0", "draw_agreement.moves = 0"),
        ("[coins]\nseed = -1", "coins.seed = -1:"),
        ("[coins]\nlength = 0", "coins.length = 0:"),
        ('[openings]\nfile = "x"\nseed = -1', "openings.seed = -1:"),
        ('runtime = "abacus"', "abacus"),
        ('odds = "queen"', "odds is for framework = odds, not standard"),
        ("random_plies = 2", "random_plies is for framework = odds"),
        ('framework = "odds"', "framework = odds needs odds, one of pawn-and-move"),
        ('framework = "odds"\nodds = "quen"', "unknown odds 'quen': near is queen"),
        ('framework = "odds"\nodds = "queen"\nrandom_plies = -1', "random_plies = -1:"),
        ("[", "not TOML"),
        ("[focal.coins]", "coins"),
    ],
)
def test_mistakes_are_named_with_their_place(change: str, message: str) -> None:
    head, tail = SMALL.split("[focal]")
    text = head + change + "\n[focal]" + tail if not change.startswith("[focal") else SMALL + change
    if change.startswith("framework"):
        text = text.replace('framework = "standard"\n', "")
    with pytest.raises(ConfigError, match=r"my\.toml") as caught:
        parse_config(text, "my.toml")
    assert message in str(caught.value)
    assert "\n" not in str(caught.value).strip() or "TOML" in str(caught.value)


def test_a_match_of_two_players_is_ordinary_chess_unless_it_says_otherwise() -> None:
    shorter = SMALL.replace('framework = "standard"\n', "")
    assert parse_config(shorter, "my.toml") == parse_config(SMALL, "my.toml")


def test_a_missing_file_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"none\.toml: no such file"):
        read_config(tmp_path / "none.toml")


def test_the_first_net_at_hand_is_chosen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("FOIBLE_NETS", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    config = read_preset("stt-tree")
    assert ("maia-1100", "club:1100") in stand_ins(config)
    (tmp_path / "maia-1100.pb.gz").write_bytes(b"")
    monkeypatch.setenv("FOIBLE_NETS", str(tmp_path))
    assert ("maia-1100", "club:1100") not in stand_ins(config)
    assert "net='maia-1100'" in repr(with_chosen_nets(config).focal)


def test_changes_are_checked_like_the_file() -> None:
    config = parse_config(SMALL, "my.toml")
    assert with_changes(config, games=7, nodes=None).pairs == 4
    with pytest.raises(ConfigError, match="games"):
        with_changes(config, games=0)


def test_search_constants_are_checked_by_name_and_range() -> None:
    assert search_settings("lc0", {"cpuct": 2, "two_fold_draws": False}).params.cpuct == 2.0
    mistakes: list[tuple[dict[str, Any], str]] = [
        ({"cpukt": 1}, "cpukt"),
        ({"cpuct": -1}, "cpuct = -1"),
        ({"cpuct": "much"}, "a number"),
        ({"batch": 1.5}, "a whole number"),
        ({"fpu": "none"}, "reduction or net or absolute"),
    ]
    for settings, message in mistakes:
        with pytest.raises(ConfigError, match=message):
            search_settings("lc0", settings)
    with pytest.raises(ConfigError, match="preset"):
        search_settings("lc1", {})


TEAMS = {
    "nodes": ('kind = "net_search"\nnet = "material"\nnodes = 0', "focal.nodes = 0:"),
    "temperature": ('kind = "net_policy"\nnet = "material"\ntemperature = -1.0', "focal.temperature = -1.0:"),
    "engine": ('kind = "uci"\ncommand = "x"\nnodes = -3', "focal.nodes = -3:"),
    "no limit": ('kind = "uci"\ncommand = "x"', "needs nodes, depth or seconds"),
    "tag team": (
        'kind = "tag_team"\nsenior = { kind = "random" }\njunior = { kind = "random" }',
        "framework = tag_team",
    ),
    "hand": (
        'kind = "hand_brain"\nbrain = { kind = "random" }\nhand = { kind = "net_policy", net = "material" }',
        "focal.hand.temperature = 0",
    ),
    "no net": ('kind = "net_policy"\nnet = []', "focal.net: expected a list that is not empty"),
    "no command": ('kind = "uci"\ncommand = []\nnodes = 1', "focal.command: expected a list that is not empty"),
    "unknown": ('kind = "oracle"', 'focal.kind = "oracle": expected one of net_search, '),
    "near": ('kind = "randm"', 'focal.kind = "randm": near is random'),
    "constant": (
        'kind = "net_search"\nnet = "material"\nsearch = { contempt_visit = 5 }',
        "my.toml: focal: unknown search parameter 'contempt_visit': near are contempt_visits, ",
    ),
    "value": (
        'kind = "net_search"\nnet = "material"\nsearch = { contempt_draw = "quot" }',
        "my.toml: focal: search parameter contempt_draw = 'quot': expected sample or quota",
    ),
    "a constant that is switched off": (
        'kind = "net_search"\nnet = "material"\nsearch = { contempt_draw = "quota" }',
        "my.toml: focal: search parameter contempt_draw = 'quota' would have no effect: it needs contempt_visits; "
        "without that, leave contempt_draw out",
    ),
    "a constant of Go": (
        'kind = "net_search"\nnet = "material"\nsearch = { interval = "root" }',
        "my.toml: focal: search parameter interval = 'root' would have no effect: it needs a search of Go with margins",
    ),
    "contempt that no ply obeys": (
        'kind = "opponent_tree"\nnet = "material"\nopponent = "material"\nsearch = { contempt_visits = 5 }',
        "my.toml: focal: contempt_visits = 5 would have no effect: ",
    ),
    "temperature without a choice": (
        'kind = "exp_t"\nnet = "material"\njunior = { kind = "net", net = "material" }\nsearch = { temperature = 1.0 }',
        "my.toml: focal: temperature would have no effect: ",
    ),
}


def test_the_file_of_another_command_is_named_as_such() -> None:
    sweep = "[match]\ngames = 2\n[grid]\nplayers = []\n"
    message = "m.toml: describes a sweep, for `foible sweep`; expected a match, for `foible match`"
    with pytest.raises(ConfigError, match=f"^{message}$"):
        parse_config(sweep, "m.toml")


@pytest.mark.parametrize("team", TEAMS)
def test_mistakes_in_a_team_are_found_before_a_game_is_played(team: str) -> None:
    text, message = TEAMS[team]
    with pytest.raises(ConfigError) as caught:
        parse_config(SMALL.replace('kind = "random"', text), "my.toml")
    assert message in str(caught.value)


def test_odds_do_not_fit_a_match_with_coins() -> None:
    with pytest.raises(ConfigError, match="odds queen do not fit framework = tag_team"):
        with_odds(read_preset("stt-tree"), "queen")


def test_odds_make_another_match_of_the_same_teams() -> None:
    standard = with_changes(parse_config(SMALL, "my.toml"), openings={"file": "balanced"})
    odds = with_odds(standard, "rook")
    assert (odds.framework, odds.odds, odds.openings) == ("odds", "rook", None)
    assert (odds.focal, odds.alter, odds.games) == (standard.focal, standard.alter, standard.games)
    with_book = with_changes(odds, openings={"file": "balanced"})
    assert with_odds(with_book, "queen").openings == with_book.openings


@pytest.mark.parametrize(("book", "asked", "plies"), [(None, None, 2), ("balanced", None, 0), (None, 3, 3)])
def test_odds_games_begin_with_random_plies_unless_a_book_varies_them(
    book: str | None, asked: int | None, plies: int
) -> None:
    odds = with_odds(parse_config(SMALL, "my.toml"), "rook")
    odds = with_changes(odds, openings=book and {"file": book}, random_plies=asked)
    settled = with_random_plies(odds)
    assert settled.random_plies == plies
    if book is None:
        for config in (odds, settled):
            assert len(config.make_framework().openings.of_game(0, 1).moves) == plies
    assert with_random_plies(parse_config(SMALL, "my.toml")).random_plies is None


def test_a_book_without_the_odds_is_named() -> None:
    odds = with_changes(with_odds(parse_config(SMALL, "my.toml"), "rook"), openings={"file": "balanced"})
    with pytest.raises(PositionError, match=r"^balanced: opening 1: .*neither side is 1 rook short"):
        odds.make_framework()


def test_files_may_lie_in_the_home_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    (tmp_path / "book.epd").write_text("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1\n")
    (tmp_path / "coins.txt").write_text("0110\n")
    players = '[focal]\nkind = "random"\n[alter]\nkind = "random"\n'
    book = parse_config(players + '[openings]\nfile = "~/book.epd"\n', "my.toml").make_framework().openings
    assert isinstance(book, OpeningSuite)
    assert len(book.openings) == 1
    coins = parse_config(f'framework = "tag_team"\ncoins.file = "~/coins.txt"\n{players}', "my.toml").make_framework()
    assert coins.coins is not None
    assert coins.coins.strings == ("0110",)
