"""Whole matches, and what follows them, against the raw speed of their nets: how full the calls are, and what is lost
beside them.
"""

import statistics
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final, Literal

import msgspec

from foible.agents.base import Limits
from foible.agents.policy import NetPolicySpec
from foible.agents.spec import with_chosen_nets
from foible.arena.chess import ChessReferee, ChessRules
from foible.arena.chess_store import ChessStore
from foible.arena.config import MatchConfig, read_preset
from foible.arena.match import Match, Progress
from foible.arena.opened import games_at_once
from foible.arena.play import play
from foible.arena.record import GameRecord
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
PLAYER: Final = "the player"


Work = Callable[[Path, Path, int, NetShelf], object]
"""What is done with a run, an empty folder, visits of a judgement, and nets."""


@dataclass(frozen=True, slots=True)
class Job:
    """Work on the games of a run; what it learns is kept in a folder of its own.

    Analysis and preparation need the extra `analysis`, which is imported when one of them is measured: the other
    benchmarks do without.
    """

    ready: Callable[[], Work]
    """Imports the work."""
    games: int
    """Of the run."""

    def play(self, shelf: NetShelf, nodes: int) -> Speed:
        """How fast it is with so many visits a judgement; what comes before it, imports and games, is not counted."""
        work = self.ready()
        with TemporaryDirectory() as folder:
            run, results = Path(folder, "run"), Path(folder, "results")
            play(_match(self.games), run, shelf=shelf)
            return speed_of(lambda: work(run, results, nodes, shelf))


def analysis() -> Work:
    """As `foible analyse`."""
    from foible.analysis.quality.quality_report import Options, analyse  # noqa: PLC0415  needs an extra

    def work(run: Path, results: Path, nodes: int, shelf: NetShelf) -> object:
        judge = SearchJudgeSpec(net=choose_net(NETS), nodes=nodes)
        return analyse(run, Options(judge=judge, runtimes=shelf.runtimes, folder=results))

    return work


def preparation() -> Work:
    """As `foible prep`."""
    from foible.analysis.prep.preparation import prepare  # noqa: PLC0415  needs an extra

    def work(run: Path, _results: Path, nodes: int, shelf: NetShelf) -> object:
        net = choose_net(NETS)
        found = read_player_games(run / ChessStore.GAMES, PLAYER)
        return prepare(found, NetModelSpec(net=net).build(shelf), SearchJudgeSpec(net=net, nodes=nodes).build(shelf))

    return work


JOBS: Final = {"analysis": Job(analysis, 24), "prep": Job(preparation, 200)}
"""A preparation follows what a player has played several times: fewer games leave little to follow."""


def _match(games: int) -> MatchConfig:
    """People as nets have them: the moves of each are drawn from its policy."""
    net = choose_net(NETS)
    return MatchConfig(
        framework="standard",
        games=games,
        focal=NetPolicySpec(net=net, temperature=1.0, name=PLAYER),
        alter=NetPolicySpec(net=net, temperature=1.0, name="the others"),
    )


PRESETS: Final = ("stt-tree", "stt-exp", "hb-tree", "hb-exp", "stt-coin-tree", "antimaia")
GAMES: Final = (64, 512)
WARM_PLIES: Final = 40
CHOSEN: Final = 0
"""In place of a number of games: as many as a match chooses by itself."""
RAW_BATCH: Final = 256
MEDIAN_BATCH: Final = {64: 20.0, 512: 110.0}
SHARE_OF_SAME_BATCH: Final = 0.9
SHARE_OF_RAW_BATCH: Final = 0.85


@dataclass(frozen=True, slots=True)
class Subject:
    """A match that is measured for some seconds."""

    config: MatchConfig
    games: int
    """In progress at once."""
    seconds: float

    def play(self, shelf: NetShelf) -> Speed:
        """How fast it is, with all its games in progress.

        All games begin together, and in the opening they meet the same positions, which are known from each other:
        so it is measured from when they are `WARM_PLIES` old, or at the latest after three times the seconds.
        """
        config, stopped = self.config, threading.Event()
        seen: list[Speed] = []
        """From then on."""

        def watch(now: Progress[GameRecord]) -> None:
            warm = now.speed.plies >= WARM_PLIES * at_once or now.seconds >= 3 * self.seconds
            if warm and not stopped.is_set():
                seen.append(now.speed)
                if seen[-1].seconds - seen[0].seconds >= self.seconds:
                    stopped.set()

        framework = config.make_framework()
        workshop = config.make_workshop(framework, shelf)
        with workshop.build(config.focal) as focal, workshop.build(config.alter) as alter:
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
    """Matches of some presets, each for `seconds` at a time, the repetitions interleaved; and what follows a match.

    What all nets together take for their evaluations at their raw speed, on planes that stand ready, is set against the
    time that the match took for them: at the median batch of each net, and at a batch of 256. Raw speeds are measured
    between two runs of each match, which are averaged, so that a machine that slows down slows both.

    :param presets: of matches, or names of `JOBS`, each done once at a time.
    :param games: in progress at once; `CHOSEN` for as many as a match chooses by itself.
    :param nodes: visits of a move; EXP scales its parts with it, the player of antimaia judges with a net alone.
    :raises ConfigError: there is no such preset. :raises NetFileError: a net cannot be opened.
    """
    shelf = NetShelf(Runtimes("auto", precision, threads))

    def measure(preset: str, at_once: int) -> Callable[[], Mapping[str, float]]:
        if preset in JOBS:
            play = partial(JOBS[preset].play, shelf, nodes)
        else:
            play = partial(Subject(_config(preset, nodes), at_once, seconds).play, shelf)
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


def _config(preset: str, nodes: int) -> MatchConfig:
    """A preset, with enough games that none runs out; engines that judge give way to a net."""
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
    """The raw speed of the nets of a match, measured between two runs of it; `seconds` for each net and batch."""
    speed = work()
    nets = {net.name: net for net in shelf.nets if net.name in speed.nets}
    same = {name: max(1, usage.median_batch) for name, usage in speed.nets.items()}
    raw_same = {name: _raw(net, same[name], seconds) for name, net in nets.items()}
    raw_full = {name: _raw(net, RAW_BATCH, seconds) for name, net in nets.items()}
    again = work()
    both = (speed, again)

    def share(raw: Mapping[str, float]) -> float:
        needed = sum(one.nets[name].evaluations / raw[name] for one in both for name in nets if name in one.nets)
        return needed / sum(one.seconds for one in both)

    return {
        "evaluations": statistics.fmean(one.evaluations / one.seconds for one in both),
        "plies": statistics.fmean(one.plies / one.seconds for one in both),
        "median_batch": statistics.fmean(one.pooled.median_batch for one in both),
        "busy": statistics.fmean(one.busy for one in both),
        "same": share(raw_same),
        "full": share(raw_full),
    }


def _raw(net: Evaluator, batch: int, seconds: float) -> float:
    """Positions a second."""
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
