"""Expert iteration: the net's own search labels positions, the net learns from them, and plays the previous round's
net.

    run.json, config.toml, run.lock
    round-001/labels/    the labels of the net's search: a folder of `foible label`
    round-001/net/       a training that goes on from the previous round's net, on the labels of the last rounds
    round-001/match/     the new net against the previous round's net
    report.json

Every part is a run folder of its own, which goes on where it was stopped or killed; so does the whole.
"""

from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

import msgspec

from foible._core import __version__
from foible.arena.config import MatchConfig, convert_config
from foible.arena.openings import find_openings, read_openings
from foible.arena.play import play
from foible.arena.progress import MatchProgress
from foible.arena.record import GameRecord
from foible.arena.report import MatchReport
from foible.arena.stats import tally_games
from foible.errors import GameFileError
from foible.extras import required
from foible.nets.catalogue import net_sha256
from foible.runs.files import read_sealed, seal, write_atomically
from foible.runs.folder import RunFolder
from foible.runs.ledger import LEDGER
from foible.scale import Executor
from foible.toml import AnyPath, checked, expand, to_toml_dict, values_of
from foible.training.config import Recipe, TrainConfig
from foible.training.data.config import DataConfig, Filters, Source
from foible.training.improve.config import ImproveConfig
from foible.training.labels.config import LabelConfig
from foible.training.labels.labelling import label
from foible.training.labels.run import LabelProgress, LabelReport
from foible.training.labels.teachers import SearchTeacherSpec
from foible.training.run import train
from foible.wording import percent

MAY_CHANGE = ("rounds", "threads", "training.device", "training.devices", "training.threads")
"""Keys that a later process may change."""
REPORT: Final = "report.json"


@dataclass(frozen=True, slots=True)
class Round:
    """The result of one round."""

    number: int
    """The number of the round, from 1."""
    labelled: int
    agreement: float | None
    """The share of positions in which the search's first choice was the move that was played."""
    loss: float | None
    """The loss of the net on held-out labels of the rounds it learnt from; `None` where nothing was held out."""
    games: int
    share: float | None
    """The share of points of the round's net against the previous round's, 0 to 1; `None` without a match."""
    paired_error: float | None
    """The standard error of `share`, by pairs of games."""
    net: str
    """The file of the round's net."""


@dataclass(frozen=True, slots=True)
class ImproveReport:
    """All rounds that are finished."""

    rounds: tuple[Round, ...]
    asked: int
    """The number of rounds that the configuration asks for, or that were finished before where these are more."""

    def to_json(self) -> dict[str, Any]:
        """The report as plain values, for `report.json`."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class ImproveProgress:
    """The progress of the part under way."""

    round: int
    part: str
    """`label`, `train` or `match`."""
    done: int
    total: int
    """`done` and `total` count positions, steps or games."""
    note: str = ""
    left: float | None = None
    """Seconds to the end, where more is known than the rate of `done`: games side by side end late."""


OnProgress = Callable[[ImproveProgress], None]


def improve(
    config: ImproveConfig,
    folder: AnyPath,
    on_progress: OnProgress = lambda _now: None,
    *,
    executor: Executor | None = None,
    any_processor: bool = False,
) -> ImproveReport:
    """Run all rounds, or what is left of them, and report on those that are finished.

    An interrupt from the keyboard ends the part under way and the run; the same call continues it. The folder stays
    where it is: its parts name each other by their paths.

    `executor` and `any_processor` are for labelling and playing, as in `label` and `play`; this process trains the net.

    :raises ConfigError: torch is not installed, or the folder holds another run.
    :raises GameFileError: the positions cannot be read.
    :raises NetFileError: the first net is not there.
    :raises TrainingError: a training cannot go on.
    """
    required("torch")
    plain = values_of(config, ImproveConfig, "foible.training.improve.read_config('improve.toml')")
    config, folder = checked(plain, ImproveConfig, "ImproveConfig"), expand(folder)
    begun = (folder / round_name(1) / "labels" / LEDGER).exists()
    if not begun:
        _check(config, folder)
    config = msgspec.structs.replace(config, resolved={"foible": __version__, config.net: net_sha256(config.net)})
    with RunFolder(folder, "improvement") as run:
        config = msgspec.structs.replace(config, rounds=max(config.rounds, _reported(folder)))
        run.settle(to_toml_dict(config), MAY_CHANGE, begun=begun)
        rounds = _Rounds(config, folder, on_progress, executor, any_processor)
        report = ImproveReport((), config.rounds)
        for one in rounds.finished():
            report = ImproveReport((*report.rounds, one), config.rounds)
            _write(folder, report)
        _write(folder, report)
        return report


def _write(folder: Path, report: ImproveReport) -> None:
    write_atomically(folder / REPORT, seal(msgspec.json.format(msgspec.json.encode(report))))


def _reported(folder: Path) -> int:
    """The number of rounds in the report of a folder: fewer that are asked for later take none of them away."""
    try:
        return len(read_sealed((folder / REPORT).read_bytes(), msgspec.json.Decoder(ImproveReport).decode).rounds)
    except (FileNotFoundError, GameFileError):  # it is written anew
        return 0


def _check(config: ImproveConfig, folder: Path) -> None:
    """Check in advance for errors that would otherwise end the first round half-way.

    :raises FoibleError: sources or openings are missing, or the net cannot be trained like that on this machine.
    """
    from foible.training.setup import choose_machine, make_net  # noqa: PLC0415  torch takes seconds to import

    for source in config.sources:
        if not Path(source).exists():
            raise GameFileError(f"{source}: no such file or folder")
    if config.match.games:
        read_openings(find_openings(config.match.openings))
    training = _training(config, folder, 1)
    choose_machine(training)
    make_net(training)


@dataclass(frozen=True, slots=True)
class _Rounds:
    """Runs the rounds of a run."""

    config: ImproveConfig
    folder: Path
    on_progress: OnProgress
    executor: Executor | None
    any_processor: bool

    def finished(self) -> Iterator[Round]:
        """Run the rounds one after the other, up to one that is stopped; gives those that are finished."""
        net = self.config.net
        for number in range(1, self.config.rounds + 1):
            found = self._round(number, net)
            if found is None:
                return
            yield found
            net = found.net

    def _round(self, number: int, net: str) -> Round | None:
        """Run one round; `None` where it was stopped."""
        config, here = self.config, self.folder / round_name(number)
        labels = self._label(here / "labels", number, net)
        if labels.labelled < labels.wanted:
            return None
        trained = train(
            _training(config, self.folder, number),
            here / "net",
            on_progress=lambda now: self.on_progress(ImproveProgress(number, "train", now.standing.step, now.steps)),
        )
        if trained.ended == "interrupted":
            return None
        match = self._match(here / "match", number, net, str(trained.net))
        if config.match.games and (match is None or match.games.n < config.match.games):
            return None
        held_out = trained.test or trained.validation
        return Round(
            number=number,
            labelled=labels.labelled,
            agreement=labels.agreement,
            loss=held_out.loss if held_out else None,
            games=match.games.n if match else 0,
            share=match.games.share if match else None,
            paired_error=match.standard_error if match else None,
            net=str(trained.net),
        )

    def _label(self, folder: Path, number: int, net: str) -> LabelReport:
        config = self.config
        asked = LabelConfig(
            sources=config.sources,
            teacher=SearchTeacherSpec(net=net, nodes=config.nodes),
            positions=config.positions,
            seed=config.seed + number - 1,
            runtime=config.runtime,
            precision=config.precision,
            threads=config.threads,
        )

        def show(now: LabelProgress) -> None:
            self.on_progress(ImproveProgress(number, "label", now.done, now.total))

        return label(asked, folder, show, executor=self.executor, any_processor=self.any_processor)

    def _match(self, folder: Path, number: int, old: str, new: str) -> MatchReport | None:
        if not self.config.match.games:
            return None

        def show(now: MatchProgress[GameRecord]) -> None:
            tally = tally_games(now.finished)
            won = "" if tally.share is None else f"won {percent(tally.share)}"
            self.on_progress(ImproveProgress(number, "match", len(now.finished), now.total, won, now.seconds_left))

        asked = _match_config(self.config, number, old, new)
        return play(asked, folder, show, executor=self.executor, any_processor=self.any_processor)


def _training(config: ImproveConfig, folder: Path, number: int) -> TrainConfig:
    """The training of a round. The first starts from the run's net, the others from the net of the round before."""
    before = [folder / round_name(n) for n in range(max(1, number - config.window + 1), number + 1)]
    data = DataConfig(
        sources=[Source(path=str(one / "labels"), teacher=config.teacher) for one in before],
        filters=Filters(min_plies=0, duplicates=True),  # every position that was searched is learnt from
        value_target="evals",
        eval_share=config.eval_share,
        hold_out=config.hold_out,
    )
    recipe = {name: getattr(config.training, name) for name in Recipe.__struct_fields__}
    start = config.net if number == 1 else str(folder / round_name(number - 1) / "net")
    return TrainConfig(**{**recipe, "seed": config.seed + number - 1, "data": data, "start": start})


def _match_config(config: ImproveConfig, number: int, old: str, new: str) -> MatchConfig:
    names = {"focal": (f"round {number}", new), "alter": (f"round {number - 1}", old)}
    table: dict[str, object] = {
        "framework": "standard",
        "games": config.match.games,
        "seed": config.seed + number - 1,
        "openings": {"file": config.match.openings},
        "runtime": config.runtime,
        "precision": config.precision,
        **{
            team: {"kind": "net_search", "name": name, "net": net, "nodes": config.match.nodes}
            for team, (name, net) in names.items()
        },
    }
    if config.threads:
        table["threads"] = config.threads
    return convert_config(table, "improve")


def round_name(number: int) -> str:
    """The name of a round's folder."""
    return f"round-{number:03}"
