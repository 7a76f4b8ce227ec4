"""Personalities: which is for which game, what it sets, and what is wrong with a file."""

from pathlib import Path

import chess
import pytest
from hypothesis import given, strategies as st

from foible._core import ChessPosition
from foible.agents.spec import ExploitSpec, NetSearchSpec
from foible.errors import ConfigError
from foible.games.odds import ODDS, odds_fen
from foible.interfaces.uci.options import BUILT_IN, Settings, change
from foible.interfaces.uci.personalities import (
    Personality,
    built_in,
    choose_personality,
    parse_personalities,
    read_personalities,
)
from foible.interfaces.uci.strength import ratings
from foible.judges.spec import SearchJudgeSpec
from foible.opponents.spec import RatingModelSpec

START = chess.STARTING_FEN
QUEEN = odds_fen(ODDS["queen"], chess.WHITE)
NAMED = "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1"
FILE = f"""
[[personality]]
name = "queen-odds"
odds = "queen"
options = {{ ContemptVisits = 28 }}

[[personality]]
name = "other-odds"
odds = ["knight", "rook"]

[[personality]]
name = "ending"
start = "{NAMED}"

[[personality]]
name = "machine"
opponent = "computer"

[[personality]]
name = "trapper"
start = ["standard", "chess960"]
rating = [1000, 1599]
[personality.player]
kind = "exploit"
opponent = {{ kind = "rating", rating = "{{opponent}}" }}
judge = {{ kind = "net_search", net = "{{net}}", nodes = 8 }}

[[personality]]
name = "master"
rating = [2200, 9999]
opponent = "human"
options = {{ UCI_LimitStrength = true, UCI_Elo = "{{opponent}}", Temperature = 0.5 }}

[[personality]]
name = "shy"
auto = false
"""


@pytest.fixture(scope="module")
def personalities() -> list[Personality]:
    return parse_personalities(FILE, "test.toml")


def settings(opponent: str = "<empty>", **changes: str) -> Settings:
    made = change(Settings(threads=1, personalities=("queen-odds", "trapper", "shy")), "UCI_Opponent", opponent)
    for name, value in changes.items():
        made = change(made, name, value)
    return made


@pytest.mark.parametrize(
    ("fen", "opponent", "expected"),
    [
        (QUEEN, "<empty>", "queen-odds"),
        (QUEEN, "none 1200 human X", "queen-odds"),
        (odds_fen(ODDS["rook"], chess.WHITE), "<empty>", "other-odds"),
        (odds_fen(ODDS["two-bishops"], chess.WHITE), "<empty>", "none"),
        (odds_fen(ODDS["queen"], chess.BLACK), "<empty>", "none"),  # the other side gives them
        (NAMED, "<empty>", "ending"),
        (NAMED.replace(" w ", " b "), "<empty>", "ending"),
        (START, "none none computer Shredder", "machine"),
        (START, "none 1000 human X", "trapper"),
        (START, "none 1599 human X", "trapper"),
        (START, "none 1600 human X", "none"),
        (START, "none 999 human X", "none"),
        (START, "none none human X", "none"),
        (START, "GM 2500 human X", "master"),
        (START, "<empty>", "none"),
    ],
)
def test_start_position_and_opponent_choose_the_personality(
    personalities: list[Personality], fen: str, opponent: str, expected: str
) -> None:
    assert choose_personality(personalities, settings(opponent), ChessPosition(fen)).name == expected


def test_the_giver_is_whoever_is_to_move(personalities: list[Personality]) -> None:
    fen = odds_fen(ODDS["queen"], chess.BLACK)
    assert choose_personality(personalities, settings(), ChessPosition(fen, ["e2e4"])).name == "queen-odds"
    assert choose_personality(personalities, settings(), ChessPosition(QUEEN, ["e2e4"])).name == "none"


def test_chess960_is_a_start_of_its_own(personalities: list[Personality]) -> None:
    position = ChessPosition(chess.Board.from_chess960_pos(0).fen(), chess960=True)
    assert choose_personality(personalities, settings("none 1500 human X"), position).name == "trapper"


def test_options_choose_by_name_and_tell_the_rating(personalities: list[Personality]) -> None:
    for name in ("queen-odds", "shy"):
        chosen = choose_personality(personalities, settings(Personality=name), ChessPosition())
        assert (chosen.name, chosen.reason) == (name, "option Personality")
    assert choose_personality(personalities, settings(Personality="none"), ChessPosition(QUEEN)).name == "none"
    rated = settings("none 2500 human X", OpponentElo="1200")
    assert choose_personality(personalities, rated, ChessPosition()).reason == (
        "the start position is that of standard chess, the opponent is rated 1200"
    )


@given(st.integers(0, 9999), st.sampled_from([START, QUEEN, NAMED]), st.booleans())
def test_the_first_that_fits_is_taken_whatever_follows(rating: int, fen: str, human: bool) -> None:
    found = parse_personalities(FILE, "test.toml")
    said = settings(f"none {rating} {'human' if human else 'computer'} X")
    name = choose_personality(found, said, ChessPosition(fen)).name
    names = [personality.name for personality in found]
    upto = found[: names.index(name) + 1] if name in names else found
    assert choose_personality(upto, said, ChessPosition(fen)).name == name
    assert choose_personality(upto[:-1], said, ChessPosition(fen)).name == "none"


def test_a_personality_is_put_over_the_settings(personalities: list[Personality]) -> None:
    before = settings("GM 2500 human X", Net="material", CPuct="2.5")
    chosen = choose_personality(personalities, before, ChessPosition(QUEEN))
    assert (chosen.settings.search.params.contempt_visits, chosen.settings.search.params.cpuct) == (28, 2.5)
    assert before.search.params.contempt_visits is None
    chosen = choose_personality(personalities, before, ChessPosition())
    assert chosen.settings.limit_strength
    assert chosen.settings.elo == max(ratings())  # the highest level there is
    assert chosen.settings.search.choice.temperature == 0.5


def test_the_player_reckons_with_the_opponents_rating_and_judges_with_the_engines_net(
    personalities: list[Personality],
) -> None:
    spec = choose_personality(personalities, settings("none 1333 human X", Net="some.pb.gz"), ChessPosition()).player
    assert isinstance(spec, ExploitSpec)
    assert spec.opponent == RatingModelSpec(rating=1333)
    assert spec.judge == SearchJudgeSpec(net="some.pb.gz", nodes=8)
    unknown = choose_personality(personalities, settings(Personality="trapper", UCI_Elo="1700"), ChessPosition()).player
    assert isinstance(unknown, ExploitSpec)
    assert unknown.opponent == RatingModelSpec(rating=1700)


def test_a_rating_that_is_not_known_is_said_where_it_matters() -> None:
    found = built_in()
    for name in BUILT_IN:
        told = change(change(Settings(threads=1), "Personality", name), "UCI_Elo", "1700")
        reason = choose_personality(found, told, ChessPosition()).reason
        asks = name in ("human", "exploit")
        assert reason == "option Personality" + (
            ", the opponent's rating is not known: UCI_Elo 1700 stands for it" if asks else ""
        )
        assert (
            choose_personality(found, change(told, "OpponentElo", "1400"), ChessPosition()).reason
            == "option Personality"
        )


def test_a_rating_beyond_those_of_nets_is_said_where_one_plays_at_it() -> None:
    lowest, highest = ratings()
    for name in BUILT_IN:
        told = change(Settings(threads=1), "Personality", name)
        for rating, said in ((4000, f"rated {highest} at most"), (1, f"rated {lowest} at least"), (lowest, "")):
            reason = choose_personality(built_in(), change(told, "OpponentElo", str(rating)), ChessPosition()).reason
            told_so = f", nets play as people {said}" if said and name == "human" else ""
            assert reason == "option Personality" + told_so


def test_those_that_come_with_foible_are_four_and_only_odds_are_unasked() -> None:
    found = built_in()
    assert tuple(personality.name for personality in found) == BUILT_IN
    for opponent in ("<empty>", "none 1200 human X", "none 3000 computer X"):
        assert choose_personality(found, settings(opponent), ChessPosition()).name == "none"
    for odds in ODDS.values():
        fen = odds_fen(odds, chess.WHITE)
        position = ChessPosition(fen, ["e7e5"] if odds.receiver_moves_first else [])
        assert choose_personality(found, settings(), position).settings.search.params.contempt_visits == 28


WRONG = {
    "personality = 3": ("personality", "list"),
    "": ("personality",),
    "[[personality]]\nodds = 'queen'": ("name",),
    "[[personality]]\nname = 'A b'": ("name",),
    "[[personality]]\nname = 'auto'": ("auto", "another name"),
    "[[personality]]\nname = 'x'\n[[personality]]\nname = 'x'": ("x", "another name"),
    "[[personality]]\nname = 'x'\ncolour = 'white'": ("colour",),
    "[[personality]]\nname = 'x'\nodds = 'quen'": ("x", "'quen'", "queen"),
    "[[personality]]\nname = 'x'\nstart = 'startpos'": ("x", "startpos"),
    "[[personality]]\nname = 'x'\nrating = [1500]": ("rating",),
    "[[personality]]\nname = 'x'\nrating = [1600, 1500]": ("x", "1600", "lower end first"),
    "[[personality]]\nname = 'x'\nopponent = 'dog'": ("opponent", "dog"),
    "[[personality]]\nname = 'x'\noptions = { CPuct = 'much' }": ("x", "CPuct", "much"),
    "[[personality]]\nname = 'x'\noptions = { Hsah = 1 }": ("x", "Hsah"),
    "[[personality]]\nname = 'x'\noptions = { OpponentElo = 1200 }": ("x", "OpponentElo", "describes the game"),
    "[[personality]]\nname = 'x'\nplayer = { kind = 'wizard' }": ("x", "player", "wizard"),
    "[[personality]]\nname = 'x'\nplayer = { kind = 'net_policy' }": ("x", "player", "net"),
    "[[personality]]\nname = 'x'\nplayer = { kind = 'net_search', net = '{net}', preset = 'best' }": ("x", "'best'"),
    "[[personality]]\nname = 'x'\nplayer = { kind = 'net_search', net = '{net}', search = { cpuct = -5 } }": ("cpuct",),
    '[[personality]]\nname = "x\\n"': ("name",),
    f"[[personality]]\nname = 'x'\noptions = {{ Threads = {'9' * 5000} }}": ("not TOML",),
    "[[personality]": ("not TOML",),
}


@pytest.mark.parametrize("text", WRONG, ids=lambda text: str(text)[-20:])
def test_what_is_wrong_with_a_file_is_said_in_one_line(text: str) -> None:
    with pytest.raises(ConfigError) as caught:
        parse_personalities(text, "my.toml")
    assert str(caught.value).startswith("my.toml: ")
    assert "\n" not in str(caught.value)
    for part in WRONG[text]:
        assert part in str(caught.value)


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    for path, reason in ((tmp_path / "none.toml", "no such file"), (tmp_path, "is a folder; expected a file in TOML")):
        with pytest.raises(ConfigError, match=reason):
            read_personalities(path)


def test_other_players_are_described_as_in_a_match() -> None:
    text = '[[personality]]\nname = "x"\nplayer = { kind = "net_search", net = "{net}", nodes = 3 }'
    [personality] = parse_personalities(text, "test.toml")
    assert personality.spec(rating=1500, net="material") == NetSearchSpec(net="material", nodes=3)
