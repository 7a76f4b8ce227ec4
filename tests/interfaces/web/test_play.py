"""Games of a person with the players of a server: asked, answered, kept, taken back, lost on time."""

import asyncio
import json
import queue
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest

from foible.agents.human import Paced
from foible.agents.spec import UciSpec
from foible.arena import setup as game_setup
from foible.arena.adjudication import DrawAgreement, Manners, Resignation
from foible.interfaces.web import cast as casting, open_game
from foible.interfaces.web.cast import Cast, Character, read_cast
from tests.engines.fake import Fake, assert_gone
from tests.interfaces.web.site import WAIT_SECONDS, RefusedError, Site, Talk, serving

CLUB = {"opponent": "Club player"}


def begin(site: Site, **setup: Any) -> str:
    (begun,) = site.ask("new_game", setup={**CLUB, **setup})
    return str(begun["id"])


class Watch:
    """A page that watches one game, and another that answers in it."""

    def __init__(self, watching: Talk, answering: Talk, game: str) -> None:
        self._views = watching.replies(watching.begin("watch_game", id=game))
        self._answering, self.game = answering, game

    def until_asked(self) -> Any:
        """The next view in which something is asked, or the last one."""
        return next(view for view in self._views if view["wanted"] or view["termination"])

    def until_over(self) -> Any:
        return next(view for view in self._views if view["termination"])

    def answer(self, view: Any, text: str) -> Any:
        return self.do("answer_game", ply=view["ply"], text=text)

    def do(self, kind: str, **fields: Any) -> Any:
        (accepted,) = self._answering.ask(kind, id=self.game, **fields)
        return accepted


def watching(site: Site, game: str) -> Iterator[Watch]:
    with site.page() as watches, site.page() as answers:
        yield Watch(watches, answers, game)


def test_who_can_be_played(site: Site) -> None:
    (cast,) = site.ask("cast")
    roles = {role for player in cast["players"] for role in player["roles"]}
    assert roles == {"opponent", "partner", "brain", "hand"}
    assert "queen" in cast["odds"]


def test_a_game_alone(site: Site) -> None:
    for watch in watching(site, begin(site, colour="black")):
        view = watch.until_asked()
        assert (view["ply"], view["wanted"], view["you"]) == (1, "move", "black")
        assert view["moves"][0]["by"] == "opponent"
        assert watch.answer(view, "e5")["ply"] >= 1
        view = watch.until_asked()
        assert [move["by"] for move in view["moves"]] == ["opponent", "you", "opponent"]
        with pytest.raises(RefusedError, match="Ke4"):
            watch.answer(view, "Ke4")
        with pytest.raises(RefusedError, match="at ply 1"):
            watch.do("answer_game", ply=1, text="e5")
        watch.do("take_back")
        view = watch.until_asked()
        assert view["ply"] == 1
        watch.do("resign")
        view = watch.until_over()
        assert (view["result"], view["termination"]) == ("1-0", "resignation")
        (text,) = site.ask("game_pgn", id=watch.game)
        assert "1-0" in text["pgn"]
        with pytest.raises(RefusedError, match="over"):
            watch.do("resign")
        with pytest.raises(RefusedError, match=r"^the game is over \(resignation\)$"):
            watch.do("answer_game", ply=1, text="e5")


@pytest.fixture
def known_coins(monkeypatch: pytest.MonkeyPatch) -> None:
    """All games have the same coins, which fall for both members of a team."""
    monkeypatch.setattr("secrets.randbits", lambda bits: 1)


@pytest.mark.usefixtures("known_coins")
def test_coins_decide_who_moves_in_a_tag_team(site: Site) -> None:
    for watch in watching(site, begin(site, part="junior", helper="Master")):
        by = set()
        for _ in range(6):
            view = watch.until_asked()
            by |= {move["by"] for move in view["moves"]}
            watch.answer(view, view["choices"][0])
        assert by == {"you", "helper", "opponent"}


def test_a_hand_moves_what_its_brain_names(site: Site) -> None:
    for watch in watching(site, begin(site, part="hand", helper="Master")):
        view = watch.until_asked()
        others = [move for move in ("a2a3", "b1c3") if move not in view["choices"]]
        with pytest.raises(RefusedError, match="expected a move of a"):
            watch.answer(view, others[0])
        watch.answer(view, view["choices"][0])
        move = watch.until_asked()["moves"][0]
        assert (move["by"], move["named"]) == ("you", view["named"])
        assert move["wish"]


def test_a_brain_names_what_its_hand_moves(site: Site) -> None:
    for watch in watching(site, begin(site, part="brain", helper="Club player")):
        view = watch.until_asked()
        assert (view["wanted"], view["choices"]) == ("piece", ["P", "N"])
        watch.answer(view, "N")
        move = watch.until_asked()["moves"][0]
        assert (move["by"], move["named"]) == ("helper", "N")
        assert move["san"].startswith("N")


def test_odds_are_given_by_the_opponent(site: Site) -> None:
    for watch in watching(site, begin(site, opponent="Odds-giver", odds="queen")):
        assert watch.until_asked()["start"].startswith("rnb1kbnr/")
    with pytest.raises(RefusedError, match="near is queen"):
        begin(site, odds="quen")
    with pytest.raises(RefusedError, match="do not go together"):
        begin(site, odds="queen", line={"moves": ["e2e4"]})


def test_a_game_from_a_position_by_its_moves(site: Site) -> None:
    for watch in watching(site, begin(site, line={"moves": ["e2e4", "e7e5"]})):
        view = watch.until_asked()
        assert [move["by"] for move in view["moves"]] == ["", ""]
        assert view["ply"] == 2


def test_time_runs_out(site: Site) -> None:
    for watch in watching(site, begin(site, clock={"seconds": 1})):
        over = watch.until_over()
        assert (over["result"], over["termination"]) == ("0-1", "time forfeit")
        assert over["seconds"]["white"] == 0
        assert over["running"] is None
        with pytest.raises(RefusedError, match="time is over"):
            watch.do("take_back")


def test_a_move_that_is_taken_back_gives_its_increment_back(site: Site) -> None:
    for watch in watching(site, begin(site, clock={"seconds": 600, "increment": 100})):
        watch.answer(watch.until_asked(), "e4")
        assert watch.until_asked()["seconds"]["black"] > 650
        watch.do("take_back")
        view = watch.until_asked()
        assert view["ply"] == 0
        assert all(500 < seconds <= 600 for seconds in view["seconds"].values())


class Pauses:
    """Opponents that take a short time for a long one."""

    def __init__(self) -> None:
        self.taken = 0.0

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(0.05)
        self.taken += 0.05


def test_an_opponent_takes_a_persons_time_from_its_clock(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    pauses = Pauses()
    monkeypatch.setattr(game_setup, "Paced", partial(Paced, sleep=pauses.sleep))
    for watch in watching(site, begin(site, colour="black", clock={"seconds": 600}, human_times=True)):
        view = watch.until_asked()
        assert (view["ply"], view["running"]) == (1, "black")
        assert 0 < view["seconds"]["white"] <= 600 - pauses.taken < 600


class Waits:
    """Opponents that wait for ever for their move to be due."""

    def __init__(self) -> None:
        self.begun: queue.Queue[float] = queue.Queue()
        self.ended: queue.Queue[str] = queue.Queue()

    async def sleep(self, seconds: float) -> None:
        self.begun.put(seconds)
        try:
            await asyncio.Event().wait()
        finally:
            self.ended.put("cancelled")


@pytest.fixture
def waits(monkeypatch: pytest.MonkeyPatch) -> Waits:
    found = Waits()
    monkeypatch.setattr(game_setup, "Paced", partial(Paced, sleep=found.sleep))
    return found


def test_take_back_resigning_and_going_away_end_an_opponents_wait(site: Site, waits: Waits) -> None:
    game = begin(site, clock={"seconds": 600}, human_times=True)
    for watch in watching(site, game):
        for end in ("take_back", "resign"):
            view = watch.until_asked()
            assert (view["ply"], view["running"]) == (0, "white")
            watch.answer(view, "e4")
            assert 0 <= waits.begun.get(timeout=WAIT_SECONDS) <= 0.3 * 600
            watch.do(end)
            assert waits.ended.get(timeout=WAIT_SECONDS) == "cancelled"
        assert watch.until_over()["termination"] == "resignation"
    left = begin(site, colour="black", human_times=True)
    for _ in watching(site, left):
        waits.begun.get(timeout=WAIT_SECONDS)
    assert waits.ended.get(timeout=WAIT_SECONDS) == "cancelled"


def test_only_those_who_play_like_people_take_their_time(site: Site) -> None:
    with pytest.raises(RefusedError, match="Master does not play as people do"):
        begin(site, opponent="Master", human_times=True)


def test_clocks_stand_while_nobody_uses_the_game(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    now = 0.0
    monkeypatch.setattr(open_game, "time", SimpleNamespace(monotonic=lambda: now))
    with serving(tmp_path) as site:
        game = begin(site, clock={"seconds": 3000})
        file = tmp_path / "games" / f"{game}.json"
        for watch in watching(site, game):
            assert watch.until_asked()["seconds"]["white"] == 3000
            now = 100.0
        while b'"white":2900.0' not in file.read_bytes():  # the server learns later that nobody is there any more
            time.sleep(0.01)
        now = 1000.0
        for watch in watching(site, game):
            assert watch.until_asked()["seconds"]["white"] == 2900


@pytest.mark.parametrize(
    ("setup", "said"),
    [
        ({"opponent": "Nobody"}, "opponent = 'Nobody'"),
        ({"part": "hand", "helper": "Club player"}, "brain = 'Club player'"),
        ({"line": {"start": "not a position"}}, "not a position"),
        ({"line": {"moves": ["e2e4", "e2e4"]}}, "e2e4"),
        ({"line": {"start": "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"}}, "the game is over"),
        ({"line": {"moves": ["g1f3", "g8f6", "f3g1", "f6g8"] * 2}}, "the game is over"),
    ],
)
def test_a_game_that_cannot_be_begun_is_refused_with_the_reason(site: Site, setup: dict[str, Any], said: str) -> None:
    with pytest.raises(RefusedError, match=said):
        begin(site, **setup)


def test_games_of_other_names_are_not_there(site: Site) -> None:
    with pytest.raises(RefusedError, match="no game"):
        site.ask("watch_game", id="AAAAAAAAAAAA")
    with pytest.raises(RefusedError, match="id"):
        site.ask("watch_game", id="../../../etc")


def test_a_server_that_is_started_again_goes_on_with_its_games(tmp_path: Path) -> None:
    with serving(tmp_path) as first:
        game = begin(first)
        for watch in watching(first, game):
            watch.answer(watch.until_asked(), "e4")
            played = watch.until_asked()["moves"]
    with serving(tmp_path) as second:
        for watch in watching(second, game):
            view = watch.until_asked()
            assert [move["uci"] for move in view["moves"]] == [move["uci"] for move in played]
            watch.answer(view, view["choices"][0])


def test_a_damaged_game_is_named(tmp_path: Path) -> None:
    with serving(tmp_path) as site:
        game = begin(site)
        (tmp_path / "games" / f"{game}.json").write_bytes(b'{"setup": {')
        with pytest.raises(RefusedError, match="not a game"):
            site.ask("watch_game", id=game)


def test_a_game_is_reviewed(site: Site) -> None:
    for watch in watching(site, begin(site)):
        watch.answer(watch.until_asked(), "f3")
        watch.until_asked()
        with pytest.raises(RefusedError, match="goes on"):
            site.ask("review_game", id=watch.game)
        watch.do("resign")
        *_, found = site.ask("review_game", id=watch.game)
        assert len(found["moves"]) == found["total"] == 2
        assert [player["who"] for player in found["players"]] == ["you", "player"]
        assert found["partner"] == []


@pytest.mark.usefixtures("known_coins")
def test_a_review_tells_where_the_partner_helped(site: Site) -> None:
    for watch in watching(site, begin(site, part="junior", helper="Master")):
        for _ in range(6):
            view = watch.until_asked()
            if view["termination"]:
                break
            watch.answer(view, view["choices"][0])
        else:
            if not watch.until_asked()["termination"]:
                watch.do("resign")
        *_, found = site.ask("review_game", id=watch.game)
        (partner,) = [player for player in found["players"] if player["who"] == "senior"]
        assert len(found["partner"]) == partner["moves"] > 0
        white = {move["ply"] for move in found["moves"] if move["white"]}
        assert {move["ply"] for move in found["partner"]} < white


def mannered(monkeypatch: pytest.MonkeyPatch, manners: Manners) -> None:
    monkeypatch.setattr(casting, "Manners", lambda: manners)


ENDGAME = {"start": "4k3/4p3/8/8/8/8/4P3/4K3 w - - 0 1"}


def test_an_opponent_gives_up(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    mannered(monkeypatch, Manners(resignation=Resignation(value=1.0, moves=1), hope=0.0))
    for watch in watching(site, begin(site)):
        watch.answer(watch.until_asked(), "e4")
        over = watch.until_over()
        assert (over["result"], over["termination"], over["ply"]) == ("1-0", "resignation", 1)
    for watch in watching(site, begin(site, to_the_end=True)):
        watch.answer(watch.until_asked(), "e4")
        assert watch.until_asked()["ply"] == 2
        with pytest.raises(RefusedError, match="plays on"):
            watch.do("draw")


def test_an_opponent_offers_a_draw_which_is_declined_or_taken(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    mannered(monkeypatch, Manners(draw=DrawAgreement(margin=0.5, moves=1, from_move=0)))
    for watch in watching(site, begin(site, line=ENDGAME)):
        view = watch.until_asked()
        assert not view["draw_offered"]
        watch.answer(view, "e4")
        assert watch.until_asked()["draw_offered"]
        watch.do("decline_draw")
        assert not watch.until_asked()["draw_offered"]
        with pytest.raises(RefusedError, match="no draw is offered"):
            watch.do("decline_draw")
        watch.do("take_back")
        watch.answer(watch.until_asked(), "e4")
        assert watch.until_asked()["draw_offered"]
        assert watch.do("draw")["drawn"]
        over = watch.until_over()
        assert (over["result"], over["termination"], over["draw_offered"]) == ("1/2-1/2", "agreement", False)


def test_an_offered_draw_is_answered(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    for worse, drawn in ((0.0, False), (1.0, True)):
        mannered(monkeypatch, Manners(worse=worse))
        for watch in watching(site, begin(site)):
            watch.answer(watch.until_asked(), "e4")
            watch.until_asked()
            assert watch.do("draw")["drawn"] is drawn


def test_a_team_of_a_preset_is_an_opponent(site: Site) -> None:
    team = "LEELA's team (demo)"
    for watch in watching(site, begin(site, opponent=team)):
        watch.answer(watch.until_asked(), "e4")
        view = watch.until_asked()
        assert (view["black"], view["moves"][1]["by"]) == (team, "opponent")


def test_who_needs_what_is_not_here_is_shown_and_refused(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.which", lambda program, path=None: None)
    (cast,) = site.ask("cast")
    (shown,) = (one for one in cast["players"] if one["name"] == "SFW (stt-exp-1100-sfw)")
    assert (shown["group"], shown["missing"]) == ("skill-compatible, table 9", "the program stockfish")
    with pytest.raises(RefusedError, match=r"SFW .* needs what is not on this machine: the program stockfish"):
        begin(site, opponent=shown["name"])


def test_an_engine_of_a_match_with_a_clock_plays(tmp_path: Path) -> None:
    engine = f"alter = {{ kind = 'uci', name = 'Timed', command = {json.dumps(Fake(tmp_path).command())} }}"
    match = tmp_path / "timed.toml"
    match.write_text(f"framework = 'standard'\nclock = '60+0.5'\nfocal = {{ kind = 'random' }}\n{engine}\n")
    with serving(tmp_path, cast=read_cast([match])) as site:
        for watch in watching(site, begin(site, opponent="Timed (timed)")):
            watch.answer(watch.until_asked(), "e4")
            assert watch.until_asked()["moves"][1]["by"] == "opponent"


def test_every_game_has_an_engine_of_its_own_which_ends_with_it(tmp_path: Path) -> None:
    fake = Fake(tmp_path)
    spec = UciSpec(command=fake.command(), depth=1)
    engine = Character(name="Engine", about="", roles=["opponent"], player=msgspec.to_builtins(spec))
    with serving(tmp_path, cast=Cast([("tests", [engine])])) as site:
        games = [begin(site, opponent="Engine", colour="black") for _ in range(2)]
        with site.page() as first, site.page() as second:
            for page, game in zip((first, second), games, strict=True):
                view = next(one for one in page.replies(page.begin("watch_game", id=game)) if one["wanted"])
                assert view["ply"] == 1
            assert len(fake.told("started")) == 2
        assert_gone([pid for pid, _ in fake.lines()])
