"""What follows a match, measured as matches are: the analysis of a run, and the preparation against a player of it.

Both need the extra `analysis`, which is imported when one of them is measured: the other benchmarks do without.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from foible.agents.policy import NetPolicySpec
from foible.arena.chess_store import ChessStore
from foible.arena.config import MatchConfig
from foible.arena.play import play
from foible.judges.net import SearchJudgeSpec
from foible.nets.shelf import NetShelf, choose_net
from foible.opponents.net import NetModelSpec
from foible.opponents.player_games import read_player_games
from foible.search.speed import Speed, speed_of

GAMES: Final = 24
NETS: Final = ["maia-1900", "club"]
PLAYER: Final = "the player"


@dataclass(frozen=True, slots=True)
class Job:
    """Work on the games of a run; what it learns is kept in a folder of its own."""

    work: Callable[[Path, Path, int, NetShelf], object]
    """What is done with a run, an empty folder, visits of a judgement, and nets."""
    nodes: int

    def play(self, shelf: NetShelf) -> Speed:
        """How fast it is, the games not counted: they are played before."""
        with TemporaryDirectory() as folder:
            run, results = Path(folder, "run"), Path(folder, "results")
            play(_match(), run, shelf=shelf)
            return speed_of(lambda: self.work(run, results, self.nodes, shelf))


def analysis(run: Path, results: Path, nodes: int, shelf: NetShelf) -> None:
    """As `foible analyse`."""
    from foible.analysis.quality.quality_report import Options, analyse  # noqa: PLC0415  needs an extra

    judge = SearchJudgeSpec(net=choose_net(NETS), nodes=nodes)
    analyse(run, Options(judge=judge, runtimes=shelf.runtimes, folder=results))


def preparation(run: Path, _results: Path, nodes: int, shelf: NetShelf) -> None:
    """As `foible prep`."""
    from foible.analysis.prep.preparation import prepare  # noqa: PLC0415  needs an extra

    net = choose_net(NETS)
    found = read_player_games(run / ChessStore.GAMES, PLAYER)
    prepare(found, NetModelSpec(net=net).build(shelf), SearchJudgeSpec(net=net, nodes=nodes).build(shelf))


JOBS: Final = {"analysis": analysis, "prep": preparation}


def _match() -> MatchConfig:
    """People as nets have them: the moves of each are drawn from its policy."""
    net = choose_net(NETS)
    return MatchConfig(
        framework="standard",
        games=GAMES,
        focal=NetPolicySpec(net=net, temperature=1.0, name=PLAYER),
        alter=NetPolicySpec(net=net, temperature=1.0, name="the others"),
    )
