import pytest

from foible.analysis.prep.known_lines import KnownLine, best_lines, with_every_reply
from foible.analysis.prep.move_measures import measure
from foible.analysis.prep.repertoire_tree import TreeSettings, grow_tree
from foible.loop import each, wait
from foible.opponents.opening_table import KAPPA, PlayerModel, opening_table
from foible.opponents.player_games import PlayerGame
from tests.analysis.prep.scripted import ScriptedJudge, Uniform, after, games

HABITS = games([("e4 e5 Nf3 f6 Nxe5 fxe5", 12), ("e4 e5 Nf3 Nc6 Bb5 a6", 12), ("d4 d5 c4 e6 Nc3 Nf6", 12)], white=False)
JUDGE = {
    "e4 e5 Nf3 f6": 0.60,
    "e4 e5 Nf3 f6 Nxe5": 0.60,
    "e4 e5 Nf3 f6 Nxe5 fxe5": 0.85,
    "e4 e5 Nf3 f6 Nxe5 Qe7": 0.55,
}


def lines(
    found: list[PlayerGame], judge: ScriptedJudge | None = None, *, most: int = 20, kappa: float = KAPPA
) -> tuple[KnownLine, ...]:
    table = opening_table(found)
    model, referee = PlayerModel(table, Uniform(), kappa=kappa), judge or ScriptedJudge(JUDGE)
    *_, spots = each(grow_tree(table, model, referee, white=True, settings=TreeSettings()))
    measured = measure(spots, kappa=kappa)
    drafts = best_lines(spots, measured, table, white=True, games=5, most=most, kappa=kappa)
    return wait(with_every_reply(drafts, table, model, referee))


def test_the_line_in_which_the_player_errs_leads() -> None:
    best = lines(HABITS)[0]
    assert best.text == "1.e4 e5 2.Nf3 f6 3.Nxe5"
    assert best.games == 12
    assert best.measures.expected > 0.7
    assert best.measures.trap_probability > 0.5
    assert [(reply.san, reply.games) for reply in best.replies[:1]] == [("fxe5", 12)]


@pytest.mark.parametrize("kappa", [4.0, 24.0])
def test_the_own_games_weigh_as_they_do_in_the_prediction(kappa: float) -> None:
    best = lines(HABITS, kappa=kappa)[0]
    [likeliest, *_] = best.replies
    fewer = 1 / len(best.position.legal_moves)  # what the base model alone says
    assert likeliest.p == pytest.approx(best.trust + (1 - best.trust) * fewer)


def test_the_reply_to_know_is_the_strongest_of_all() -> None:
    best = lines(HABITS)[0]
    assert best.strongest is not None
    assert (best.strongest.san, best.strongest.value, best.strongest.games) == ("Qe7", 0.55, 0)


def test_errors_on_the_way_are_told() -> None:
    best = lines(HABITS)[0]
    assert best.losses == pytest.approx((0, 0, 0, 0.10, 0), abs=1e-12)


def test_replies_are_measured_from_the_best_of_them() -> None:
    """A judge who holds the position for 0.46 and the best replies for 0.54 makes no mistakes of all replies."""
    played = games([("e4 e5 Nf3 f6 Nxe5 fxe5", 12), ("e4 e5 Nf3 f6 Nxe5 Qe7", 12)], white=False)
    line = "e4 e5 Nf3 f6 Nxe5"
    replies = {f"{line} {after(line).san(move)}": 0.54 for move in after(line).legal_moves}
    judge = ScriptedJudge({line: 0.46, "e4 e5 Nf3": 0.46, **replies, f"{line} fxe5": 0.60})
    (best,) = [found for found in lines(played, judge) if found.text == "1.e4 e5 2.Nf3 f6 3.Nxe5"]
    losses = {reply.san: reply.loss for reply in best.replies}
    assert losses["Qe7"] == 0
    assert losses["fxe5"] == pytest.approx(0.06)
    assert best.strongest is not None
    assert (best.strongest.value, best.strongest.loss) == (0.54, 0)


def test_moves_on_the_way_are_measured_from_the_best_there() -> None:
    """All replies to 2.Nf3 are worth 0.60 to White, who had 0.50 before: no mistake, whichever was played."""
    after_knight = {f"e4 e5 Nf3 {after('e4 e5 Nf3').san(move)}": 0.60 for move in after("e4 e5 Nf3").legal_moves}
    best = lines(HABITS, ScriptedJudge({**after_knight, "e4 e5 Nf3 f6 Nxe5 fxe5": 0.85}))[0]
    assert best.text == "1.e4 e5 2.Nf3 f6 3.Nxe5"
    assert best.losses == pytest.approx((0, 0, 0, 0, 0))


def test_lines_rank_by_the_lower_end_of_what_they_bring() -> None:
    found = [line.measures.surplus for line in lines(HABITS)]
    assert found == sorted(found, reverse=True)
    assert len(found) > 1


def test_a_line_ends_where_the_error_is_still_to_come() -> None:
    assert "1.e4 e5 2.Nf3 f6 3.Nxe5" in [line.text for line in lines(HABITS)]
    assert not any(line.text.startswith("1.e4 e5 2.Nf3 f6 3.Nxe5 fxe5") for line in lines(HABITS))


def test_few_games_do_not_lead_by_expectation_alone() -> None:
    rare = games([("d4 f5 Bg5 h6 Bh4 g5", 5)], white=False)
    usual = games([("e4 e5 Nf3 f6 Nxe5 fxe5", 300)], white=False)
    judge = ScriptedJudge({"e4 e5 Nf3 f6 Nxe5 fxe5": 0.75, "d4 f5 Bg5 h6": 0.92, "d4 f5 Bg5": 0.5})
    found = {line.text: line.measures for line in lines(rare + usual, judge)}
    few, many = found["1.d4 f5 2.Bg5"], found["1.e4 e5 2.Nf3 f6 3.Nxe5"]
    assert few.expected > many.expected
    assert few.low < many.low
    assert list(found).index("1.e4 e5 2.Nf3 f6 3.Nxe5") < list(found).index("1.d4 f5 2.Bg5")


def test_no_line_goes_on_from_another() -> None:
    moves = [line.moves for line in lines(HABITS)]
    for one in moves:
        assert not any(other[: len(one)] == one for other in moves if other is not one)


def test_no_more_lines_than_asked_for() -> None:
    assert lines(HABITS, most=1) == lines(HABITS)[:1]


def test_no_games_give_no_lines() -> None:
    assert lines([]) == ()
