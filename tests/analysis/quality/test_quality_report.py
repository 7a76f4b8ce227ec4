import json
import os
import re
import xml.etree.ElementTree as ET
from pathlib import Path

import polars as pl
import pytest

from foible.agents.spec import NetPolicySpec
from foible.analysis.estimates import Comparison, Estimate, mean, sample
from foible.analysis.quality.hypothetical_moves import agreement_matrix
from foible.analysis.quality.judging import AnalysisProgress
from foible.analysis.quality.partners import Bin, Exceedance
from foible.analysis.quality.quality_figures import agreement_figure, bins_figure, exceedance_figure
from foible.analysis.quality.quality_report import Options, analyse
from foible.arena.config import read_config, with_changes
from foible.arena.pgn import finished_bytes
from foible.arena.play import play
from foible.arena.stats import tally_pairs
from foible.drawing import Figure
from foible.errors import ConfigError, FoibleError, NetFileError
from foible.judges.spec import parse_judge
from foible.wording import PLUS_MINUS, percent
from tests.analysis.quality.runs import random_run, run_of

MATERIAL = Options(judge=parse_judge("material"))


def judged(source: Path, options: Options = MATERIAL) -> int:
    """How many positions an analysis judges."""
    news: list[AnalysisProgress] = []
    analyse(source, options, news.append)
    return sum(now.total for now in news if now.job == "judging" and now.done == 0)


def test_a_tag_team_run_from_games_to_page(tmp_path: Path) -> None:
    run = run_of("tag_team", tmp_path / "run", games=6)
    options = Options(
        judge=parse_judge("material@100"),
        induced=True,
        every=4,
        agreement=True,
        also=(NetPolicySpec(net="material", name="twin"),),
    )
    found = analyse(run, options)
    names = [table.name for table in found.tables]
    assert names == [
        "losses",
        "effects",
        "errors-after-seniors",
        "losses-by-win-probability",
        "colours",
        "induced",
        "agreement",
        "worst",
    ]
    assert found.judge == "material at 100 nodes"
    assert found.folder.parent == run / "analysis"
    for name in names:
        assert (found.folder / f"{name}.csv").read_text().count("\n") > 1
    assert pl.read_parquet(found.folder / "plies.parquet").equals(found.plies)
    stored = json.loads((found.folder / "report.json").read_text())
    assert list(stored)[-1] == "speed"
    assert found.speed is not None
    assert found.speed.plies > 0
    assert found.speed.nets
    assert stored == json.loads(json.dumps(found.with_speed()))
    assert stored["games"] == 6
    assert stored["moves"] == found.plies.height == sum(len(game.moves) for game in found.games.games)
    page = (found.folder / "report.html").read_text()
    assert page.count("<svg") == len(found.figures) == 3
    assert "TREE&#39;s team" in page
    assert "http" not in page.replace("http://www.w3.org/", "")


def test_plus_minus_is_the_error_by_pairs_in_the_whole_report(tmp_path: Path) -> None:
    found = analyse(random_run(tmp_path / "run", games=40, max_plies=400), MATERIAL)
    pairs = tally_pairs(found.games.games)
    assert pairs.sample_error is not None
    assert percent(pairs.share, pairs.sample_error) in dict(found.summary())[f"win share of {found.games.focal}"]
    plain = found.to_json()
    assert plain["standard_error"] == pytest.approx(pairs.sample_error, rel=1e-12)
    assert plain["standard_error"] != plain["independent_error"]
    by_pair = mean(sample(found.plies, "loss", pl.col("focal") & pl.col("senior")))
    assert by_pair.standard_error is not None
    assert by_pair.standard_error != by_pair.independent_error
    (own,) = (row for row in found.tables[0].texts() if row[0] == "focal: senior")
    assert own[1] == f"{by_pair.value:.2f} ± {by_pair.standard_error:.2f}"
    assert (found.folder / "report.html").read_text().count(PLUS_MINUS) == 1


def test_games_that_are_repeated_tell_no_error(tmp_path: Path) -> None:
    run = run_of("standard", tmp_path / "run", games=12, max_plies=60)
    found = analyse(run, MATERIAL)
    assert found.games.different == 2
    assert found.summary()[0][1].startswith("2 of 12, too few for errors")
    plain = found.to_json()
    assert (plain["different"], plain["standard_error"], plain["independent_error"]) == (2, None, None)
    assert not [row for row in found.tables[0].texts() if "±" in row[1]]


def test_hand_and_brain_has_its_own_tables(tmp_path: Path) -> None:
    found = analyse(run_of("hand_brain", tmp_path / "run"), MATERIAL)
    assert [table.name for table in found.tables] == ["losses", "colours", "hand-losses", "interactions", "worst"]
    assert found.plies["u_sampled"].null_count() == 0


def test_standard_games_compare_the_sides(tmp_path: Path) -> None:
    found = analyse(run_of("standard", tmp_path / "run"), Options(judge=MATERIAL.judge, mode="compat-2020"))
    assert [table.name for table in found.tables] == ["losses", "colours", "modes", "worst"]
    assert [row[0] for row in found.tables[2].rows] == ["LEELA", "TREE"]


def test_a_pgn_file_of_two_engines(tmp_path: Path) -> None:
    path = tmp_path / "games.pgn"
    path.write_text(
        '[White "<b>Deep</b>"]\n[Black "Wide"]\n[Result "0-1"]\n\n1. f3 (1. e4) e5 $1 {why} 2. g4 Qh4# 0-1\n\n'
        '[White "Wide"]\n[Black "<b>Deep</b>"]\n\n1. e4 e5 2. Nf3 *\n\n'
        '[White "Wide"]\n[Black "<b>Deep</b>"]\n\n1. e4 e5 2. Ke3 *\n'
    )
    found = analyse(path, MATERIAL)
    assert found.plies.height == 7
    mate = found.plies.row(3, named=True)
    assert (mate["move"], mate["wp_after"], mate["focal"]) == ("d8h4", 1.0, False)
    page = (found.folder / "report.html").read_text()
    assert "<b>" not in page
    assert "&lt;b&gt;Deep" in page
    assert "illegal move" in page
    assert found.folder.parent == tmp_path / "games.pgn.analysis"


def test_a_file_whose_name_is_no_text_is_analysed_and_analysed_again(tmp_path: Path) -> None:
    path = tmp_path / os.fsdecode(b"J\xf6rg.pgn")
    path.write_text('[White "A"]\n[Black "B"]\n\n1. e4 e5 *\n')
    for _ in range(2):
        found = analyse(path, MATERIAL)
        assert json.loads((found.folder / "report.json").read_text())["source"] == f"{tmp_path}/J\\udcf6rg.pgn"
        assert "udcf6rg.pgn" in (found.folder / "report.html").read_text()


def test_what_was_judged_is_not_judged_again_and_new_games_are(tmp_path: Path) -> None:
    run = random_run(tmp_path / "run", games=8)
    whole = (run / "games.pgn").read_bytes()
    half = finished_bytes(whole[: len(whole) // 2])
    (run / "games.pgn").write_bytes(whole[:half])
    (run / "finished.json").unlink()
    first = judged(run)
    parts = {part: part.read_bytes() for part in run.glob("analysis/*/verdicts/part-*.parquet")}
    assert first > 0
    assert judged(run) == 0
    (run / "games.pgn").write_bytes(whole)
    second = judged(run)
    assert second > 0
    assert all(part.read_bytes() == data for part, data in parts.items())
    grown = analyse(run, MATERIAL)
    alone = analyse(run, Options(judge=MATERIAL.judge, folder=tmp_path / "alone"))
    assert grown.plies.equals(alone.plies)
    assert first + second == judged(run, Options(judge=MATERIAL.judge, folder=tmp_path / "again"))


def test_a_run_that_was_played_on_is_analysed_on(tmp_path: Path) -> None:
    run = random_run(tmp_path / "run", games=2)
    analyse(run, MATERIAL)
    play(with_changes(read_config(run / "config.toml"), games=4), run)
    assert len(analyse(run, MATERIAL).games.games) == 4


def test_judges_do_not_mix(tmp_path: Path) -> None:
    run = random_run(tmp_path / "run", games=2)
    first = judged(run)
    assert judged(run, Options(judge=parse_judge("material@3"))) == first
    assert len(list(run.glob("analysis/*/report.html"))) == 2


def test_colours_swapped_the_losses_stay(tmp_path: Path) -> None:
    run = random_run(tmp_path / "run", games=4)
    found = analyse(run, MATERIAL)
    by_colour = found.plies.group_by("white").len().sort("white")["len"].to_list()
    assert abs(by_colour[0] - by_colour[1]) <= 4
    assert found.plies["loss"].is_between(0, 100).all()
    assert found.plies["wp_before"].is_between(0, 1).all()


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        (Options(judge=parse_judge("nets/none.pb.gz")), NetFileError, "none"),
        (Options(judge=MATERIAL.judge, induced=True, every=0), ConfigError, "every = 0"),
        (Options(judge=MATERIAL.judge, focal="A"), ConfigError, "--player"),
    ],
)
def test_what_does_not_fit_is_said(tmp_path: Path, options: Options, error: type[FoibleError], message: str) -> None:
    run = random_run(tmp_path / "run", games=2, max_plies=4)
    with pytest.raises(error, match=message):
        analyse(run, options)


def test_a_folder_is_free_again_after_an_error(tmp_path: Path) -> None:
    run = random_run(tmp_path / "run", games=2, max_plies=6)

    def stop(_now: AnalysisProgress) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        analyse(run, MATERIAL, stop)
    assert analyse(run, MATERIAL).plies.height == 12


NOTHING = Estimate(0, 0, None, None, None)
SOME = Estimate(40, 9, 1.5, 0.2, 0.3)


def figures() -> list[Figure]:
    found = [Exceedance(t, SOME, SOME, SOME if t < 20 else NOTHING) for t in (1, 2, 5, 10, 20)]
    bins = [Bin(10 * i, 10 * i + 10, Comparison(SOME, SOME, SOME if i else NOTHING)) for i in range(10)]
    choices = pl.DataFrame({"pair": [0, 1], "TREE & co": ["e2e4", "d2d4"], "<b>": ["e2e4", "e2e4"]})
    return [
        exceedance_figure(found, found, "F", "A"),
        bins_figure(bins, "F", "A"),
        agreement_figure(agreement_matrix(choices)),
    ]


@pytest.mark.parametrize("number", range(3))
def test_every_figure_has_axes_with_units_and_says_n(number: int) -> None:
    svg = figures()[number].svg
    texts = " ".join(text.text or "" for text in ET.fromstring(svg).iter("{http://www.w3.org/2000/svg}text"))
    expected = [
        ("percentage points", "share after senior", "n = 40 moves", "≥ 20"),
        ("(%)", "(points)", "n = 360 moves"),
        ("player", "% of n = 2 positions", "TREE & co", "<b>", "50"),
    ][number]
    for words in expected:
        assert words in texts


def test_figures_are_as_wide_as_their_place_and_share_no_id() -> None:
    everything = [figure.svg for figure in figures()]
    for svg in everything:
        head = svg[: svg.index(">")]
        assert 'width="100%"' in head
        assert "viewBox" in head
        assert " height=" not in head
    ids = [found for svg in everything for found in re.findall(r' id="([^"]*)"', svg)]
    assert len(ids) == len(set(ids))


def test_the_same_numbers_give_the_same_figure() -> None:
    assert figures() == figures()


@pytest.mark.parametrize("name", ["$^$", "_ $x$ _"])
def test_names_are_drawn_as_they_are(name: str) -> None:
    found = [Exceedance(t, SOME, SOME, SOME) for t in (1, 2)]
    bins = [Bin(0, 100, Comparison(SOME, SOME, SOME))]
    choices = pl.DataFrame({"pair": [0], name: ["e2e4"], "B": ["e2e4"]})
    drawn = (
        exceedance_figure(found, found, name, "B"),
        bins_figure(bins, name, "B"),
        agreement_figure(agreement_matrix(choices)),
    )
    for figure in drawn:
        assert any(name in (text or "") for text in ET.fromstring(figure.svg).itertext())


def test_figures_without_any_number_are_drawn() -> None:
    empty = [Exceedance(t, NOTHING, NOTHING, NOTHING) for t in (1, 2, 5, 10, 20)]
    nothing = Comparison(NOTHING, NOTHING, NOTHING)
    assert "<svg" in exceedance_figure(empty, empty, "F", "A").svg
    assert "<svg" in bins_figure([Bin(0, 50, nothing), Bin(50, 100, nothing)], "F", "A").svg
