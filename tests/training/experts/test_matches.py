"""Who plays whom, and what comes of it."""

from pathlib import Path

import pytest

from foible.agents.spec import NetSearchSpec
from foible.arena.adjudication import DrawAgreement, Resignation
from foible.arena.elo import elo_of_share
from foible.arena.openings import Opening
from foible.arena.stats import Tally
from foible.nets.mixture_file import Vote, read_mixture
from foible.training.data.config import DataConfig
from foible.training.experts.config import ExpertsConfig, MatchesConfig
from foible.training.experts.matches import Pairing, pairings, players
from foible.training.experts.report import draw_all, match_lines
from foible.training.experts.tables import MatchRow, OfSeed
from foible.training.experts.trainings import Nets, runs
from foible.training.trained import Trained

CONFIG = ExpertsConfig(
    data=DataConfig(sources=["games.pgn"], phase_table="legacy"),
    regimes=("separated", "staged"),
    move_counter=(2,),
    seeds=(1, 5),
    matches=MatchesConfig(games=10, nodes=(200, 100), batch_sizes=(1, 8), one_phase=("separated",)),
)


def played(folder: Path, config: ExpertsConfig = CONFIG) -> list[Pairing]:
    nets: Nets = {}
    for run in runs(config, folder):
        net = run.folder / "net.pb.gz"
        net.parent.mkdir(parents=True, exist_ok=True)
        net.touch()
        nets[run.seed, run.job.name] = Trained(run.folder, "finished", net, 1, 1, 1.0, 0, 1, None, None)
    return pairings(config, nets, folder)


def test_every_player_meets_the_regular_net_of_its_own_seed(tmp_path: Path) -> None:
    found = played(tmp_path)
    assert len(found) == 2 * 2 * 2 * len(players(CONFIG)) == 48
    assert len({pairing.cell.folder for pairing in found}) == 48
    assert [pairing.nodes for pairing in found] == [100] * 24 + [200] * 24
    for pairing in found:
        config = pairing.cell.config
        focal, alter = config.focal, config.alter
        assert isinstance(focal, NetSearchSpec)
        assert isinstance(alter, NetSearchSpec)
        assert alter.net == f"nets/seed-{pairing.seed}/regular/net.pb.gz"
        assert focal.search == alter.search == {"batch": pairing.batch}
        assert focal.nodes == alter.nodes == pairing.nodes
        mixture = read_mixture(tmp_path / str(focal.net))
        assert mixture.vote == ("split" if pairing.batch == 1 else "majority")
        for net in mixture.nets:
            assert Path(net).resolve().is_relative_to(tmp_path / "nets" / f"seed-{pairing.seed}")


def test_each_seed_begins_its_games_from_other_openings(tmp_path: Path) -> None:
    starts: dict[int, set[tuple[Opening, ...]]] = {1: set(), 5: set()}
    for pairing in played(tmp_path):
        games = pairing.cell.config.make_framework().schedule(5)
        starts[pairing.seed].add(tuple(game.opening for game in games))
    (one,), (other,) = starts.values()
    assert len(set(one) & set(other)) < 2, "the book is large, and drawn from anew"


def test_another_gate_or_vote_is_another_match(tmp_path: Path) -> None:
    def folders(gate: str | None, vote: Vote) -> set[str]:
        matches = MatchesConfig(batch_sizes=(8,), gate=gate, vote=vote)
        config = ExpertsConfig(data=CONFIG.data, regimes=("staged",), seeds=(1,), matches=matches)
        return {pairing.cell.folder for pairing in played(tmp_path, config)}

    usual = folders(None, "majority")
    assert folders("legacy", "majority") == usual
    assert len(usual | folders("engine", "majority") | folders(None, "split")) == 3


def test_the_rules_are_those_of_the_paper(tmp_path: Path) -> None:
    config = played(tmp_path)[0].cell.config
    assert config.resignation == Resignation(0.0664, 5)
    assert config.draw_agreement == DrawAgreement(0.0325, 4, 30)
    assert config.claim_draws
    assert config.openings is not None
    assert config.openings.order == "random"


@pytest.mark.parametrize(("gate", "expected"), [(None, "legacy"), ("engine", "engine")])
def test_matches_tell_phases_apart_as_training_did_unless_it_is_said(gate: str | None, expected: str) -> None:
    matches = MatchesConfig(gate=gate, one_phase=("staged",))
    config = ExpertsConfig(data=CONFIG.data, regimes=("staged",), move_counter=(3,), matches=matches)
    assert {player.name: player.gate for player in players(config)} == {
        "staged": expected,
        "staged, opening only": expected,
        "staged, middlegame only": expected,
        "staged, endgame only": expected,
        "moves-3": "moves-3",
    }


def test_an_expert_alone_has_the_regular_net_in_the_other_phases() -> None:
    alone = {player.name: player.jobs for player in players(CONFIG)}
    assert alone["separated, middlegame only"] == ("regular", "only-middlegame", "regular")
    assert alone["separated"] == ("only-opening", "only-middlegame", "only-endgame")


def row(player: str, nodes: int, *of_seeds: tuple[int, int, int], batch: int = 1) -> MatchRow:
    """From wins, draws, losses of each seed."""
    found = [
        OfSeed(seed, Tally.of_games(*wdl), Tally((wdl[2] // 2, 0, wdl[1] // 2, 0, wdl[0] // 2)), "x")
        for seed, wdl in enumerate(of_seeds, 1)
    ]
    return MatchRow(player, nodes, batch, tuple(found))


def test_seeds_are_added_up_and_shown_one_by_one() -> None:
    found = row("separated", 100, (60, 20, 20), (30, 20, 50))
    assert found.games.counts == (70, 40, 90)
    assert found.pairs.counts == (35, 0, 20, 0, 45)
    assert found.elo.value == pytest.approx(elo_of_share(0.55))
    assert found.elo_by_seed == pytest.approx((elo_of_share(0.7), elo_of_share(0.4)))
    [line] = match_lines([found])
    assert line[4] == "90 40 70"
    assert line[-1] == "+147, −70"
    assert match_lines([row("staged", 100, (0, 0, 0))]) == []


def test_figures_show_what_was_played() -> None:
    names = ("separated", "separated, endgame only", "staged", "moves-2")
    rows = [row(name, nodes, (60, 20, 20)) for name in names for nodes in (100, 200)]
    assert [figure.name for figure in draw_all(CONFIG, rows)] == ["regimes", "one-phase-separated", "move-counter"]
    regimes = draw_all(CONFIG, rows)[0].figure().svg
    assert ">staged<" in regimes
    assert ">moves-2<" not in regimes
    assert draw_all(CONFIG, rows)[0].figure() == draw_all(CONFIG, rows)[0].figure()
    assert draw_all(CONFIG, []) == []
    assert draw_all(CONFIG, [row("staged", 100, (20, 0, 0))]) == []
    only = [row("staged", 100, (9, 0, 1)), row("separated", 200, (5, 0, 5), batch=8)]
    assert [figure.name for figure in draw_all(CONFIG, only)] == ["regimes"]
