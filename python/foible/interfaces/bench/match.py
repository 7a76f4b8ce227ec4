"""Whole matches, analysis and preparation after them, and a sweep of small ones, against the raw speed of their nets:
how large the batches are, and how much time is lost beside the evaluations.
"""

import statistics
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final, Literal

import msgspec

from foible.agents.base import Limits
from foible.agents.named_files import with_chosen_nets
from foible.agents.policy import NetPolicySpec
from foible.arena.chess import ChessReferee, ChessRules
from foible.arena.config import MatchConfig, read_preset
from foible.arena.match import Match
from foible.arena.open_match import games_at_once
from foible.arena.play import play
from foible.arena.progress import MatchProgress
from foible.arena.record import GameRecord
from foible.arena.store import ChessStore
from foible.arena.sweep.config import Cell, parse_sweep
from foible.arena.sweep.progress import rounds
from foible.interfaces.bench.nets import rate, raw_work
from foible.interfaces.bench.result import Benchmark, OnProgress, Row, interleaved, silent
from foible.judges.net import SearchJudgeSpec
from foible.nets.choices import Precision
from foible.nets.evaluator import Evaluator
from foible.nets.shelf import NetShelf, Runtimes, choose_net
from foible.opponents.net import NetModelSpec
from foible.opponents.player_games import read_player_games
from foible.search.speed import Speed, speed_of

NETS: Final = ["maia-1900", "club"]
"""The nets of the games that are analysed, and of their judge: the first that is on this machine."""
PLAYER: Final = "the player"
"""The player whose moves are analysed, and against whom `prep` prepares."""


Work = Callable[[Path, Path, int, NetShelf], object]
"""Work on a run: called with the run folder, an empty folder for results, the visits per judgement, and the nets."""


@dataclass(frozen=True, slots=True)
class BenchJob:
    """Work on the games of a run; what it learns is kept in a folder of its own.

    Most needs the extra `analysis`, which is imported when it is measured: the other benchmarks do without.
    """

    ready: Callable[[], Work]
    """Imports what the work needs and returns the work."""
    games: int
    """The number of games in the run."""

    def play(self, shelf: NetShelf, nodes: int) -> Speed:
        """The speed of the work with `nodes` visits per judgement; the imports and the games before it do not count."""
        work = self.ready()
        with TemporaryDirectory() as folder:
            run, results = Path(folder, "run"), Path(folder, "results")
            play(_match(self.games), run, shelf=shelf)
            _, speed = speed_of(lambda: work(run, results, nodes, shelf))
            return speed


def analysis() -> Work:
    """The work of `foible analyse`."""
    from foible.analysis.quality.quality_report import Options, analyse  # noqa: PLC0415  needs an extra

    def work(run: Path, results: Path, nodes: int, shelf: NetShelf) -> object:
        judge = SearchJudgeSpec(net=choose_net(NETS), nodes=nodes)
        return analyse(run, Options(judge=judge, runtimes=shelf.runtimes, folder=results))

    return work


def preparation() -> Work:
    """The work of `foible prep`."""
    from foible.analysis.prep.preparation import prepare  # noqa: PLC0415  needs an extra

    def work(run: Path, _results: Path, nodes: int, shelf: NetShelf) -> object:
        net = choose_net(NETS)
        found = read_player_games(run / ChessStore.GAMES, PLAYER)
        return prepare(found, NetModelSpec(net=net).build(shelf), SearchJudgeSpec(net=net, nodes=nodes).build(shelf))

    return work


def small_cells() -> Work:
    """The work of `foible sweep` on a grid of eight cells with eight games each, which go on side by side."""
    from foible.arena.sweep.run import sweep  # noqa: PLC0415  needs an extra

    def work(_run: Path, results: Path, nodes: int, shelf: NetShelf) -> object:
        return sweep(_cells(nodes), results, shelf=shelf)

    return work


def cells_in_turn() -> Work:
    """The same games, but in each round one cell after the other, for comparison."""

    def work(_run: Path, results: Path, nodes: int, shelf: NetShelf) -> object:
        cells = _cells(nodes)
        order = chain.from_iterable(rounds(cells))
        return [play(cells[i].config, results / str(i), shelf=shelf, pairs=range(pairs)) for i, pairs in order]

    return work


def _cells(nodes: int) -> Sequence[Cell]:
    return parse_sweep(GRID.format(net=choose_net(NETS), nodes=[nodes, 2 * nodes]), "grid")


GRID: Final = """
[match]
framework = "odds"
odds = "queen"
random_plies = 2
games = 8
max_plies = 80
[grid]
nodes = {nodes}
contempt_visits = ["off", 1, 2, 5]
players = [{{ kind = "net_search", net = "{net}" }}]
opponents = [{{ kind = "net_policy", net = "{net}", temperature = 1.0 }}]
"""

JOBS: Final = {
    "analysis": BenchJob(analysis, 100),
    "prep": BenchJob(preparation, 800),
    "sweep": BenchJob(small_cells, 2),
    "cells-in-turn": BenchJob(cells_in_turn, 2),
}
"""The work by name. Preparation needs many games, as it looks at what a player has played several times; a sweep plays
its own.
"""


def _match(games: int) -> MatchConfig:
    """A match of two players who stand in for people: their moves are drawn from the policy of a human-like net."""
    net = choose_net(NETS)
    return MatchConfig(
        framework="standard",
        games=games,
        focal=NetPolicySpec(net=net, temperature=1.0, name=PLAYER),
        alter=NetPolicySpec(net=net, temperature=1.0, name="the others"),
    )


PRESETS: Final = ("stt-tree", "stt-exp", "hb-tree", "hb-exp", "stt-coin-tree", "antimaia")
"""The presets that are measured by default."""
GAMES: Final = (64, 512)
"""The numbers of games in progress at once that are measured by default, beside `CHOSEN`."""
WARM_PLIES: Final = 40
"""The mean plies of a game from which on the games differ enough to be measured."""
CHOSEN: Final = 0
"""Stands for a number of games in progress: as many as a match chooses by itself."""
RAW_BATCH: Final = 256
"""The batch at which a net's raw speed is compared, whatever the batches of the match are."""
MEDIAN_BATCH: Final = {64: 20.0, 512: 110.0}
"""The targets of the median batch, by the number of games in progress at once."""
SHARE_OF_SAME_BATCH: Final = 0.9
"""The target of the share of the raw speed at the match's own median batch, where the number of games is given."""
SHARE_OF_RAW_BATCH: Final = 0.85
"""The target of the share of the raw speed at `RAW_BATCH`, with as many games as the match chooses."""


@dataclass(frozen=True, slots=True)
class Subject:
    """A match that is measured for some seconds."""

    config: MatchConfig
    games: int
    """The number of games in progress at once; `CHOSEN` for as many as the match chooses."""
    seconds: float

    def play(self, shelf: NetShelf) -> Speed:
        """The speed of the match with all its games in progress.

        All games begin together, and in the opening they share positions, which are then evaluated only once. So the
        measurement begins when the games are `WARM_PLIES` old, or at the latest after three times `seconds`.
        """
        config, stopped = self.config, threading.Event()
        seen: list[Speed] = []
        """The speeds since the start of the match, taken from the moment on when the games are old enough."""

        def watch(now: MatchProgress[GameRecord]) -> None:
            warm = now.speed.plies >= WARM_PLIES * at_once or now.speed.seconds >= 3 * self.seconds
            if warm and not stopped.is_set():
                seen.append(now.speed)
                if seen[-1].seconds - seen[0].seconds >= self.seconds:
                    stopped.set()

        framework = config.make_framework()
        builder = config.make_builder(framework, shelf)
        with builder.build(config.focal) as focal, builder.build(config.alter) as alter:
            at_once = self.games or games_at_once(shelf.nets, config.most_visits)
            match = Match(
                focal,
                alter,
                ChessReferee(framework, ChessRules(pairs=config.pairs, seed=config.seed), focal.name, alter.name),
                concurrency=at_once,
                limits=Limits(nodes=config.nodes),
                on_progress=watch,
                stopped=stopped,
            )
            match.play()
            return seen[-1] - seen[0]


def bench_match(
    presets: Sequence[str] = (*PRESETS, *JOBS),
    *,
    games: Sequence[int] = (*GAMES, CHOSEN),
    nodes: int = 10,
    seconds: float = 6.0,
    repetitions: int = 3,
    precision: Precision | Literal["auto"] = "f32",
    threads: int | None = None,
    on_progress: OnProgress = silent,
) -> Benchmark:
    """Measure matches of presets, each for `seconds` at a time, and the work of `JOBS`, in interleaved turns.

    The share of raw is the time that the nets would need for the evaluations of the match at their raw speed, with
    encoded planes, over the time that the match took: once at the median batch of each net, once at a batch of 256. Raw
    speeds are measured between two runs of a match, which are averaged, so that a machine that slows down slows both.

    :param presets: names of match presets, or of `JOBS`, for which `games` does not count.
    :param games: numbers of games in progress at once; `CHOSEN` for as many as a match chooses by itself.
    :param nodes: visits of a move; EXP scales its parts with it; not for antimaia, whose judge is a net without search.
    :raises ConfigError: there is no such preset. :raises NetFileError: a net cannot be opened.
    """
    shelf = NetShelf(Runtimes("auto", precision, threads))

    def measure(preset: str, at_once: int) -> Callable[[], Mapping[str, float]]:
        if preset in JOBS:
            play = partial(JOBS[preset].play, shelf, nodes)
        else:
            play = partial(Subject(long_match(preset, nodes), at_once, seconds).play, shelf)
        return partial(_measured, play, shelf, seconds / 10)

    cases = [(preset, at_once) for preset in presets for at_once in ((CHOSEN,) if preset in JOBS else games)]
    works = {_name(preset, at_once): measure(preset, at_once) for preset, at_once in cases}
    found = interleaved(works, repetitions, on_progress)
    rows = [row for preset, at_once in cases for row in _rows(preset, at_once, found[_name(preset, at_once)])]
    conditions = {
        "nets": ", ".join(net.name for net in shelf.nets),
        "visits": nodes,
        "seconds each": seconds,
        "threads": threads or "one per processor",
    }
    return Benchmark("Matches", conditions, rows)


def long_match(preset: str, nodes: int) -> MatchConfig:
    """The match of a preset, with more games than a measurement can finish, and a net as judge, not an engine."""
    config = with_chosen_nets(read_preset(preset))
    changes: dict[str, Any] = {"games": 10_000, "nodes": nodes, "judge": None}
    if config.framework == "tag_team":
        changes["coins"] = msgspec.structs.replace(config.coins, count=5000)
    if (judge := getattr(config.focal, "judge", None)) is not None:
        assert not isinstance(judge, str)
        net = with_chosen_nets(read_preset("stt-leela")).judge
        focal = {**msgspec.to_builtins(config.focal), "judge": {"kind": "net", "net": net}}
        changes |= {"focal": msgspec.convert(focal, type(config.focal)), "nodes": None}
    return msgspec.structs.replace(config, **changes)


def _measured(work: Callable[[], Speed], shelf: NetShelf, seconds: float) -> Mapping[str, float]:
    """The speed of some work and its shares of the nets' raw speed, which is measured between two runs of the work.

    `seconds`: for each raw speed of a net at a batch.
    """
    first = work()
    nets = {net.name: net for net in shelf.nets if net.name in first.nets}
    same = {name: max(1, usage.median_batch) for name, usage in first.nets.items()}
    # The full batch first: a net may compute a little smaller ones in the size of the match's last batches.
    raw_full = {name: _raw(net, RAW_BATCH, seconds) for name, net in nets.items()}
    raw_same = {name: _raw(net, same[name], seconds) for name, net in nets.items()}
    second = work()
    both = (first, second)

    def share(raw: Mapping[str, float]) -> float:
        needed = sum(speed.nets[name].evaluations / raw[name] for speed in both for name in nets if name in speed.nets)
        return needed / sum(speed.seconds for speed in both)

    return {
        "evaluations": statistics.fmean(speed.evaluations / speed.seconds for speed in both),
        "plies": statistics.fmean(speed.plies / speed.seconds for speed in both),
        "median_batch": statistics.fmean(speed.pooled.median_batch for speed in both),
        "busy": statistics.fmean(speed.busy for speed in both),
        "same": share(raw_same),
        "full": share(raw_full),
    }


def _raw(net: Evaluator, batch: int, seconds: float) -> float:
    """The raw speed of a net at a batch, in positions per second."""
    return rate(raw_work(net, batch), batch, seconds)


def _name(preset: str, at_once: int) -> str:
    return preset if preset in JOBS else f"{preset}, {at_once} games" if at_once else f"{preset}, games as chosen"


def _rows(preset: str, at_once: int, values: Sequence[Mapping[str, float]]) -> list[Row]:
    def column(name: str) -> tuple[float, ...]:
        return tuple(value[name] for value in values)

    same = SHARE_OF_SAME_BATCH if at_once else None
    rows = [
        Row(_name(preset, at_once), "evaluations/s", column("evaluations")),
        Row("  median batch", "positions", column("median_batch"), MEDIAN_BATCH.get(at_once)),
        Row("  share of raw at that batch", "", column("same"), same),
        Row(f"  share of raw at batch {RAW_BATCH}", "", column("full"), None if at_once else SHARE_OF_RAW_BATCH),
        Row("  net busy", "", column("busy")),
    ]
    return rows if preset in JOBS else [*rows, Row("  plies", "plies/s", column("plies"))]
