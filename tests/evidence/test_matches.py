"""Measures of the games of a match: in blocks whose sums add up to what the analysis of all games says."""

from pathlib import Path
from typing import Any

import pytest

from foible.analysis.quality.analysed_games import read_games
from foible.analysis.quality.judging import Judging, positions_to_judge
from foible.analysis.quality.move_losses import tag_team_losses, team_losses
from foible.analysis.quality.partners import hand_losses, interactions, tag_team_effects
from foible.analysis.quality.plies_table import table_of
from foible.analysis.runs import MatchRun, describe_run
from foible.analysis.runs.run_progress import Standing
from foible.arena.play import play
from foible.evidence.blocks import Measurement
from foible.evidence.figures import figure, terms
from foible.evidence.kept import file_block, filed
from foible.evidence.kinds import EvidenceProgress, Planned, Workplace
from foible.evidence.loss_measures import Agreement, HandBrainLosses, InducedLosses, LossesByColour, TagTeamLosses
from foible.evidence.matches import PresetMatch
from foible.evidence.measures import Interesting, Measure, OfMatch, Repetition
from foible.evidence.run import of_plan
from foible.judges.spec import NetJudgeSpec
from foible.nets.shelf import NetShelf

JUDGE = NetJudgeSpec(net="material")
PLANNED = Planned(games=8, block=4, effort=0.002)


def silent(_now: EvidenceProgress) -> None:
    """Nobody is told."""


@pytest.fixture(scope="module")
def work(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where blocks are played, those of a match once for all its measures."""
    return tmp_path_factory.mktemp("work")


def blocks(match: str, measure: Measure, work: Path, planned: Planned = PLANNED) -> list[Measurement]:
    """Two blocks of two pairs."""
    found = []
    for units in (range(2), range(2, 4)):
        done = OfMatch("measured", PresetMatch(match), measure).run(planned, units, Workplace(work, silent))
        assert done is not None
        assert isinstance(done.block, Measurement)
        found.append(done.block)
    return found


def plies_of(match: str, work: Path) -> Any:
    """All four pairs in one table, judged alike."""
    play(PresetMatch(match).config(PLANNED), work)
    games = read_games(work)
    judging = Judging.open(JUDGE, NetShelf(), games.folder)
    judging.judge(lambda: positions_to_judge(games.games))
    table = table_of(games.games, judging.score)
    judging.close()
    return table


def test_losses_of_tag_teams_are_those_of_the_analysis(work: Path, tmp_path: Path) -> None:
    kept = blocks("stt-tree", TagTeamLosses(JUDGE), work)
    plies = plies_of("stt-tree", tmp_path)
    expected, effects = tag_team_losses(plies), tag_team_effects(plies)
    for quantity, wanted in (
        ("alter senior", expected.seniors.first),
        ("focal senior", expected.seniors.second),
        ("alter junior − focal junior", expected.juniors.difference),
        ("alter senior − focal senior + alter junior − focal junior", expected.teams),
        ("alter junior after 1 − alter junior after 0", effects.focal.tricking.difference),
        ("focal junior after 00 − focal junior after 10", effects.focal.helping_junior_between),
        ("focal junior after 01 − focal junior after 11", effects.focal.helping_senior_between),
        ("alter junior after 00 − focal junior after 00", effects.indirect.difference),
        (
            "alter junior after 1 − alter junior after 0 − focal junior after 1 + focal junior after 0",
            effects.tricking,
        ),
    ):
        found = figure(kept, quantity)
        assert found is not None, quantity
        assert wanted.standard_error is not None
        assert found.value == pytest.approx(wanted.value, abs=1e-4), quantity
        assert found.standard_error == pytest.approx(wanted.standard_error, abs=1e-4), quantity
        # The analysis counts the moves of all terms, the evidence those of the rarest.
        several = len(terms(quantity))
        assert 0 < found.n * several <= wanted.n, quantity
        assert several > 1 or found.n == wanted.n, quantity
        assert found.of == "moves"


def test_losses_of_hand_and_brain_are_those_of_the_analysis(tmp_path: Path) -> None:
    kept = blocks("hb-tree", HandBrainLosses(JUDGE), tmp_path / "blocks")
    plies = plies_of("hb-tree", tmp_path / "whole")
    losses = hand_losses(plies, focal=True, unforced="argmax")
    met = interactions(plies, focal=False, unforced="sampled")
    for quantity, wanted in (
        ("focal true", losses.true),
        ("focal savings", losses.savings),
        ("alter share, agreement", met.agreement.share),
        ("alter savings, correction", met.correction.savings),
        ("alter opponent's loss, blindsiding", met.blindsiding.opponent_loss),
    ):
        found = figure(kept, quantity)
        assert (found and found.value) == (wanted.value and pytest.approx(wanted.value, abs=1e-4)), quantity


def test_losses_by_colour_are_parts_of_those_of_the_teams(tmp_path: Path) -> None:
    kept = blocks("raw-tree", LossesByColour(JUDGE), tmp_path / "blocks")
    expected = team_losses(plies_of("raw-tree", tmp_path / "whole"))
    of_colours = [kept[n].tally(f"alter loss, focal as {colour}") for n in range(2) for colour in ("White", "Black")]
    total = sum(value for tally in of_colours for value, _ in tally.values())
    assert total == pytest.approx((expected.first.value or 0) * expected.first.n, abs=1e-2)
    lowest = figure(kept, "lowest, focal as Black")
    assert lowest is not None
    assert (lowest.n, lowest.of) == (4, "games")
    assert 0 <= lowest.value <= 100


def test_hypothetical_moves_are_asked_for_at_some_plies(work: Path) -> None:
    induced = figure(blocks("stt-tree", InducedLosses(every=20, judge=JUDGE), work), "alter boards, focal senior")
    assert induced is not None
    assert 0 <= induced.value <= 100
    same = figure(blocks("stt-tree", Agreement(), work), "LEELA and TREE")
    assert same is not None
    assert 0 <= same.value <= 100
    assert same.of == "positions"


def test_without_chance_all_games_repeat_each_other_and_of_positions_only_some_are_interesting(tmp_path: Path) -> None:
    planned = Planned(games=8, block=4, effort=0.005)
    (one, _) = blocks("stt-maia", Repetition(), tmp_path, planned)
    assert one.of == "games"
    up_to = [figure([one], f"up to move {move}") for move in (4, 10, 20)]
    values = [found.value for found in up_to if found is not None]
    assert values == sorted(values, reverse=True)
    found = figure(blocks("stt-maia", Interesting(every=20), tmp_path, planned), "interesting")
    assert found is not None
    assert 0 <= found.value < 1000


def test_blocks_of_another_judge_or_of_other_visits_are_not_of_the_plan(tmp_path: Path) -> None:
    kind = OfMatch("measured", PresetMatch("stt-maia"), TagTeamLosses(JUDGE))
    done = kind.run(PLANNED, range(2), Workplace(tmp_path / "work", silent))
    assert done is not None
    file_block(tmp_path / "kept", done.config, done.block)
    (kept,) = filed(tmp_path / "kept")
    assert kept.blocks == [done.block]
    assert of_plan([kept], kind, PLANNED) is kept
    assert of_plan([kept], kind, Planned(games=8, block=4, effort=0.1)) is None
    assert of_plan([kept], OfMatch("measured", PresetMatch("stt-maia"), TagTeamLosses()), PLANNED) is None
    assert of_plan([kept], PresetMatch("stt-maia"), PLANNED) is None


def test_what_was_played_before_is_part_of_the_time_that_a_measure_took(tmp_path: Path) -> None:
    match, workplace = PresetMatch("stt-maia"), Workplace(tmp_path, silent)
    alone = match.run(PLANNED, range(1), workplace)
    measured = OfMatch("measured", match, Repetition()).run(PLANNED, range(1), workplace)
    assert alone is not None
    assert measured is not None
    assert alone.block.seconds is not None
    assert measured.block.seconds is not None
    assert measured.block.seconds >= round(alone.block.seconds, 1) > 0


def test_the_time_of_games_that_were_gone_on_with_is_not_told(tmp_path: Path) -> None:
    match = PresetMatch("stt-maia")
    play(match.config(PLANNED), tmp_path / "stt-maia" / "0000", pairs=range(1))
    measured = OfMatch("measured", match, Repetition()).run(PLANNED, range(2), Workplace(tmp_path, silent))
    assert measured is not None
    assert measured.block.seconds is None


def test_the_run_of_a_later_block_shows_its_games(tmp_path: Path) -> None:
    done = PresetMatch("stt-maia").run(PLANNED, range(2, 4), Workplace(tmp_path, silent))
    assert done is not None
    found = describe_run(tmp_path / "stt-maia" / "0002")
    assert isinstance(found.content, MatchRun)
    assert found.standing == Standing(4, 4, "games")
    assert (found.content.finished, sum(found.content.pairs)) == (4, 2)
