"""`foible train`: from games to a net; `foible experts`: nets by phase, measured against one net for all; and `foible
improve`: expert iteration.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from foible.interfaces.cli.options import AnyProcessor, On, RunOut
from foible.interfaces.cli.output import Console, Json, examples, print_json, print_table, stopped
from foible.interfaces.cli.progress import ProgressLine, progress_line
from foible.runs.folder import named_run
from foible.scale import open_executor
from foible.training.by_workers import train_all_by_workers
from foible.training.config import read_config as read_training, with_changes
from foible.training.data.dataset import load
from foible.training.data.sources import SourceCounts
from foible.training.experts.config import read_config as read_experiment
from foible.training.experts.report import LOSS_COLUMNS, MATCH_COLUMNS, loss_lines, match_lines, to_json
from foible.training.experts.run import CONFIG, Findings, News, experts as run_experts
from foible.training.folder import check_single
from foible.training.improve.config import read_config
from foible.training.improve.run import ImproveProgress, ImproveReport, improve as play_rounds
from foible.training.run import train_all
from foible.training.trained import Trained
from foible.wording import percent

if TYPE_CHECKING:
    from foible.training.loop import TrainingProgress


TRAIN_EXAMPLES = examples(
    "foible train examples/train.toml",
    "foible train examples/train.toml --out runs/short --steps 2000",
    "foible train examples/train.toml --out runs/spread --seed 1 --seed 2 --seed 3",
    "foible train examples/train.toml --out runs/spread --seed 1 --seed 2 --on processes:2",
    "tensorboard --logdir runs",
)


def train(
    config: Annotated[
        Path, typer.Argument(help="TOML file that describes the training; or the folder of one.", show_default=False)
    ],
    steps: Annotated[
        int | None, typer.Option(min=1, help="Batches in all, in place of the configuration's.", show_default=False)
    ] = None,
    seed: Annotated[
        list[int] | None,
        typer.Option(min=0, help="Seed; with several each has a folder of its own below.", show_default=False),
    ] = None,
    out: RunOut = None,
    on: On = "inline",
    as_json: Json = False,
) -> None:
    """Train a net from games, or fine-tune one.

    The run folder holds the net (net.pb.gz, which lc0 reads too, or net.onnx), checkpoints, log.jsonl and TensorBoard's
    events. The same command continues a training that was stopped or killed, as if nothing had happened, and prints the
    result of one that is over. Ctrl-C stops it.
    """
    file, folder = named_run(config, out, "training")
    if config.is_dir():
        check_single(config, "name their configuration, or one of them")
    asked = with_changes(read_training(file), steps=steps, seeds=seed)
    console = Console(stderr=True, highlight=False)
    with open_executor(on) as executor, progress_line("steps") as line:
        if executor is None:
            results = train_all(
                asked, folder, on_progress=partial(_show, line), read=lambda data: load(data, partial(_say, console))
            )
        else:
            results = train_all_by_workers(
                asked, folder, executor, lambda done, steps: line.say(_standing(done, steps))
            )
    if as_json:
        print_json([result.to_json() for result in results] if asked.seeds or not results else results[0].to_json())
    elif results:
        _print_trainings(results)
    for result in results:
        if result.ended == "spikes":
            ended = f"ended early, the loss leapt {result.spikes} times; the net is the best one until then"
            console.print(f"{result.folder}: {ended}")
    if results and results[-1].ended == "interrupted":
        stopped(f"after step {results[-1].steps}")
    if len(results) < len(asked.seeds or [asked.seed]):  # some were stopped before they had a result
        stopped()


def _standing(done: int, steps: Mapping[str, int]) -> str:
    """The progress of trainings by workers: the number that are over, and the steps of those under way, by name."""
    return "; ".join([f"{done} over", *(f"{name} at step {step}" for name, step in steps.items())])


def _say(console: Console, read: SourceCounts) -> None:
    console.print(str(read), soft_wrap=True)


def _show(line: ProgressLine, now: "TrainingProgress") -> None:
    line.show(now.folder.name, now.standing.place, now.steps, left=now.seconds_left, note=note(now))


def note(now: "TrainingProgress") -> str:
    """The speed of the training, the loss at the last evaluation, and the mean losses of late."""
    parts = [f"{now.rate:.0f} pos/s"]
    standing = now.standing
    if now.validation is not None:
        best = "" if standing.best_loss == now.validation.loss else f" (best {standing.best_loss:.4f})"
        parts.append(f"validation {now.validation.loss:.4f}{best}")
    if standing.spikes:
        parts.append(f"spikes {standing.spikes}")
    parts.append(
        " ".join(f"{name} {mean:.3f}" for name, mean in now.means.items() if name in ("policy", "value", "wdl"))
    )
    return "  ".join(parts)


def _print_trainings(results: Sequence[Trained]) -> None:
    columns = ("run", "positions of", "step", "loss", "policy", "value", "wdl", "accuracy", "positions")
    rows = [row for result in results for row in _rows(result)]
    nets = ", ".join(str(result.net) for result in results)
    print_table("training", columns, rows, left=2, note=f"net: {nets}", spare=("wdl", "positions"))


def _rows(result: Trained) -> Iterator[tuple[str, ...]]:
    """A row for each data set: its test losses where there are any, else its validation losses."""
    found, kind = (result.test, "test") if result.test else (result.validation, "validation")
    if found is None:
        yield result.folder.name, "not measured", str(result.kept_step), *[""] * 6
        return
    for name, losses in found.sets.items():
        yield (
            result.folder.name,
            f"{kind}, {name}",
            str(result.kept_step),
            f"{losses.loss:.4f}",
            f"{losses.policy:.4f}",
            f"{losses.value:.4f}",
            "" if losses.wdl is None else f"{losses.wdl:.4f}",
            percent(losses.accuracy),
            str(losses.positions),
        )


EXPERTS_EXAMPLES = examples(
    "foible experts examples/experts.toml",
    "foible experts examples/experts.toml --out runs/phases --json",
    "foible experts examples/experts.toml --on ray",
)


def experts(
    config: Annotated[
        Path,
        typer.Argument(
            help="TOML file with data, net, regimes and matches; or the folder of an experiment.", show_default=False
        ),
    ],
    out: Annotated[
        Path | None, typer.Option(help="Folder; runs/NAME of the configuration when absent.", show_default=False)
    ] = None,
    on: On = "inline",
    any_processor: AnyProcessor = False,
    as_json: Json = False,
) -> None:
    """Train a net for each phase of the game, and play them inside one search against one net for all phases.

    Regimes: separated, staged, weighted; matches over visits and batch sizes; all of it once for each seed. The folder
    holds report.html, experts.json, losses.csv, matches.csv, a run folder for every training and for every match. The
    same command, or the folder in the file's place, continues after a stop or a kill and prints what is known; a
    configuration that has grown goes on from there. Ctrl-C stops it.
    """
    file, folder = named_run(config, out, "experts", CONFIG)
    asked = read_experiment(file)
    console = Console(stderr=True, highlight=False)
    with open_executor(on) as executor, progress_line() as line:

        def tell(news: News) -> None:
            if news.lasting:
                line.clear()
                console.print(news.text, soft_wrap=True)
            else:
                line.say(news.text)

        try:
            findings = run_experts(asked, folder, tell, executor=executor, any_processor=any_processor)
        except KeyboardInterrupt:
            findings = Findings([], [], complete=False)
    if as_json:
        print_json(to_json(findings.losses, findings.matches))
    else:
        if findings.losses:
            print_table("test losses", LOSS_COLUMNS, loss_lines(findings.losses), left=2)
        if findings.matches:
            print_table("against the regular net", MATCH_COLUMNS, match_lines(findings.matches), spare=("W D L",))
        if findings.losses or findings.matches:
            Console(highlight=False).print(f"report, nets and games: {folder}", soft_wrap=True)
    if not findings.complete:
        stopped()


IMPROVE_EXAMPLES = examples(
    "foible improve examples/improve.toml",
    "foible improve examples/improve.toml --out runs/stronger",
    "foible improve examples/improve.toml --on processes:4",
)


def improve(
    config: Annotated[
        Path, typer.Argument(help="TOML file that describes the run; or the folder of one.", show_default=False)
    ],
    out: RunOut = None,
    on: On = "inline",
    any_processor: AnyProcessor = False,
    as_json: Json = False,
) -> None:
    """Make a net stronger by its own search: label positions, learn from them, play the net before; again.

    Each round has a folder: labels/ (`foible label`), net/ (`foible train`) and match/ (`foible match`). The same
    command continues a run that was stopped or killed, in any part. Ctrl-C stops it.
    """
    file, folder = named_run(config, out, "improvement")
    asked = read_config(file)
    with open_executor(on) as executor, progress_line() as line:
        show = partial(_show_rounds, line)
        report = play_rounds(asked, folder, show, executor=executor, any_processor=any_processor)
    if as_json:
        print_json(report.to_json())
    else:
        print_rounds(report, folder)
    if len(report.rounds) < report.asked:
        stopped(f"after {len(report.rounds)} of {report.asked} rounds")


def _show_rounds(line: ProgressLine, now: ImproveProgress) -> None:
    line.show(f"round {now.round}, {now.part}", now.done, now.total, note=now.note, left=now.left)


def print_rounds(report: ImproveReport, folder: Path) -> None:
    columns = ("round", "labelled", "search agrees with games", "loss", "games", "against the round before")
    rows = [
        (
            str(one.number),
            str(one.labelled),
            "" if one.agreement is None else percent(one.agreement),
            "" if one.loss is None else f"{one.loss:.4f}",
            str(one.games),
            "" if one.share is None else percent(one.share, one.paired_error),
        )
        for one in report.rounds
    ]
    print_table("expert iteration", columns, rows, note=f"nets: {folder}/round-*/net")
