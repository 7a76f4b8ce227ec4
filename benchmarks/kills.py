"""Runs that are killed at random instants, over and over, and must end as the one that was left alone.

    python benchmarks/kills.py [KIND …] [--kills N] [--minutes M] [--seed S] [--on processes:2]

For each kind of run a small one is done once without disturbance. Then the same command is begun, killed (SIGKILL) at
an instant drawn from the time that the whole takes, early ones more often, and begun again in the same folder, until it
ends by itself: every file must be what the undisturbed run left, byte for byte, but for the order in which games that
went on at once were written, for how the answers of a judge are divided into files, and for times. Then the next round
begins in a new folder. The kinds take turns until all have so many kills, or the time is over. With `--on` the process
that is killed has workers, which notice that and end; the undisturbed run has none. Needs a system that can fork: each
process is a copy of one that has imported everything.
"""

import argparse
import json
import os
import random
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import polars as pl

from foible.interfaces.cli import run

ROOT = Path(__file__).resolve().parents[1]
GAMES = ROOT / "examples" / "games.pgn"

MATCH = """
framework = "standard"
games = 40
seed = 1
max_plies = 40
concurrency = 4
[focal]
kind = "net_search"
net = "material"
nodes = 8
[alter]
kind = "net_policy"
net = "material"
temperature = 1.0
"""
SWEEP = """
[match]
framework = "odds"
odds = "queen"
games = 12
max_plies = 24
seed = 2
[grid]
nodes = [2, 6]
contempt_visits = ["off", 1]
players = [{ kind = "net_search", net = "material" }]
opponents = [{ kind = "net_policy", net = "material", temperature = 1.0 }]
"""
SELFPLAY = """
net = "material"
games = 24
nodes = 12
concurrency = 6
shard = 4
max_plies = 60
[search]
temperature = 1.0
contempt_visits = 3
[openings]
random_plies = 2
[controller]
batch = 6
target = 0.5
"""
GO_MATCH = """
focal = ["strong", "greedy"]
opponents = ["weak"]
games = 12
size = 3
komi = 2.5
seed = 1
openings = { plies = 2 }
[players]
strong = { kind = "net", net = "material", visits = 20 }
greedy = { kind = "net", net = "material", visits = 20, lambda = 1.0 }
weak = { kind = "net", net = "material", visits = 2 }
"""
GO_TRAINING = """
generations = 3
threads = 1
[net]
size = 3
blocks = 1
filters = 8
value_hidden = 16
beta_hidden = 8
[selfplay]
visits = 8
concurrency = 16
komi = { official = 8.5, official_share = 0.1 }
branching = { rate = 0.1 }
[training]
steps = 10
batch_size = 32
lr = 0.02
[protocol]
kind = "ungated"
games = 20
window = 2
[strength]
games = 0
"""
SMALL_NET = f"""
[data]
sources = ["{GAMES.as_posix()}"]
hold_out = {{ validation = 4, test = 4 }}
[net]
kind = "se-resnet"
blocks = 1
filters = 8
squeeze = 0
"""
TRAINING = f"""
steps = 30
batch_size = 16
validate_every = 5
precision = "f32"
device = "cpu"
{SMALL_NET}
"""
IMPROVEMENT = f"""
net = "master"
sources = ["{GAMES.as_posix()}"]
rounds = 2
positions = 40
nodes = 4
window = 2
eval_share = 0.5
hold_out = {{ validation = 0.1, test = 0.1 }}
runtime = "onnxruntime"
[training]
steps = 4
batch_size = 8
validate_every = 2
precision = "f32"
device = "cpu"
schedule = {{ kind = "constant", lr = 1e-3 }}
[match]
games = 2
nodes = 2
"""
EXPERTS = f"""
seeds = [1]
regimes = ["separated"]
{SMALL_NET}
[training]
epochs = 0.03
batch_size = 16
validate_every = 3
precision = "f32"
device = "cpu"
[matches]
games = 4
nodes = [4]
"""


@dataclass(frozen=True)
class Kind:
    """A command that leaves a run folder."""

    words: tuple[str, ...]
    """FILE stands for the file with the text below, OUT for the folder."""
    text: str = ""
    preload: str = ""
    file: str = "config.toml"


KINDS = {
    "match": Kind(("match", "FILE", "--out", "OUT"), MATCH, "match"),
    "sweep": Kind(("sweep", "FILE", "--out", "OUT"), SWEEP, "sweep"),
    "self-play": Kind(("selfplay", "FILE", "--out", "OUT"), SELFPLAY, "selfplay"),
    "labels": Kind(("label", str(GAMES), "--teacher", "material@8", "--out", "OUT"), "", "label"),
    "go match": Kind(("go", "match", "FILE", "--out", "OUT"), GO_MATCH, "go.matches"),
    "go training": Kind(("go", "train", "FILE", "--out", "OUT"), GO_TRAINING, "go.training"),
    "training": Kind(("train", "FILE", "--out", "OUT"), TRAINING, "training"),
    "improvement": Kind(("improve", "FILE", "--out", "OUT"), IMPROVEMENT, "training"),
    "experts": Kind(("experts", "FILE", "--out", "OUT"), EXPERTS, "training"),
    "analysis": Kind(
        ("analyse", str(GAMES), "--player", "maia-1500", "--judge", "material@20", "--out", "OUT"),
        "",
        "analyse",
    ),
    "puzzles": Kind(
        ("puzzles", "FILE", "--net", "material", "--nodes", "30", "--check-nodes", "60", "--out", "OUT"),
        "\n\n[Event ".join(GAMES.read_text("utf-8").split("\n\n[Event ")[:6]),
        "puzzles",
        "games.pgn",
    ),
}
TIMES = ("speed", "seconds", "games_per_second", "checksum")
"""Keys of JSON whose values are times, or, as a line's checksum, depend on them."""
FORKING = get_context("forkserver")


def work(words: list[str]) -> None:
    """One process of a run: the command line in a process of its own, in silence."""
    silence = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(silence, stream)
    sys.exit(run(words))


def warm_up() -> None:
    """Has the process that is copied import everything, so that the first run's time is that of the others."""
    first = FORKING.Process(target=work, args=(["version"],))
    first.start()
    first.join()


@dataclass
class Standing:
    """A kind of run, what it ought to leave, and how it goes."""

    name: str
    folder: Path
    on: str
    expected: dict[str, object] = field(default_factory=dict)
    seconds: float = 0.0
    kills: int = 0
    rounds: int = 0

    @property
    def out(self) -> Path:
        """The same in all rounds: some reports name it."""
        return self.folder / "run"

    @property
    def words(self) -> list[str]:
        kind = KINDS[self.name]
        named = {"FILE": str(self.folder / kind.file), "OUT": str(self.out)}
        return [named.get(word, word) for word in kind.words]

    def undisturbed(self) -> None:
        """Do the run once, and note what it leaves; then once more with workers, if there are to be any, as the time
        that it takes is that of the killed runs.
        """
        for on in dict.fromkeys(("inline", self.on)):
            begin = time.monotonic()
            ended = self.process(None, on)
            self.seconds = time.monotonic() - begin
            if ended != 0:
                raise SystemExit(f"{self.name}: `foible {' '.join(self.words)} --on {on}` ended with {ended}")
            self.expected = self.expected or contents(self.out)
            self.check(ended)
            shutil.rmtree(self.out)

    def process(self, seconds: float | None, on: str) -> int | None:
        """Its exit code; negative where it had to be killed after so many seconds."""
        process = FORKING.Process(target=work, args=([*self.words, "--on", on],))
        process.start()
        process.join(seconds)
        process.kill()
        process.join()
        return process.exitcode

    def one_round(self, chance: random.Random, most: int) -> None:
        """Kills until the run ends by itself, or there were so many of them: then it is left alone."""
        ended: int | None = -1
        while ended is None or ended < 0:
            patience = self.seconds * chance.random() ** 3 if self.kills < most else None
            ended = self.process(patience, self.on)
            self.kills += ended != 0
        self.check(ended)
        self.rounds += 1
        shutil.rmtree(self.out)

    def check(self, ended: int | None) -> None:
        """End the program unless the run ended well and left what it ought to leave."""
        found = contents(self.out)
        differing = sorted(
            name for name in found.keys() | self.expected.keys() if found.get(name) != self.expected.get(name)
        )
        if ended != 0 or differing:
            raise SystemExit(f"{self.name}: ended with {ended} after {self.kills} kills, differs in {differing}")


def contents(folder: Path) -> dict[str, object]:
    """What a run has left, by the name of each file.

    Not counted are hidden files, which a kill may leave; TensorBoard's, which are all times; and the games of a
    generation of Go, of which there may be some beyond those that count, by the time that it took: the net that learnt
    from those that count is compared.
    """
    answered = {about.parent for about in folder.rglob("about.json")}
    files = {
        path.relative_to(folder): path for path in folder.rglob("*") if path.is_file() and path.parent not in answered
    }
    answers = {str(one.relative_to(folder)): answers_in(one) for one in answered}
    return answers | {
        str(name): meaning(path)
        for name, path in files.items()
        if not any(part.startswith((".", "events.out.")) for part in name.parts)
        and not (name.parts[0].startswith("gen-") and name.name in {"games.jsonl", "finished.json"})
    }


def answers_in(folder: Path) -> list[tuple[Any, ...]]:
    """The answers to positions that a judge or a player has given: each once, by position."""
    return sorted(pl.read_parquet(sorted(folder.glob("part-*.parquet"))).rows())


def meaning(path: Path) -> object:
    """The bytes of a file; of games and journals in order, of reports without times."""
    data = path.read_bytes()
    if path.suffix == ".pgn":
        return sorted(data.split(b"[Event ")[1:])
    if path.suffix == ".jsonl":
        return sorted(json.dumps(without_times(json.loads(line)), sort_keys=True) for line in data.splitlines())
    if path.suffix == ".json":
        return without_times(json.loads(data))
    if path.suffix == ".pt":
        return repr(without_times(tensors_as_bytes(path)))
    return data


def tensors_as_bytes(path: Path) -> Any:
    """A checkpoint, in values that can be compared."""
    import torch  # noqa: PLC0415  takes seconds, and not all kinds need it

    def plain(value: Any) -> Any:
        if isinstance(value, torch.Tensor):
            return value.numpy().tobytes()
        if isinstance(value, dict):
            return {str(key): plain(one) for key, one in value.items()}
        return [plain(one) for one in value] if isinstance(value, list | tuple) else value

    return plain(torch.load(path, map_location="cpu", weights_only=True))


def without_times(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: without_times(one) for key, one in value.items() if key not in TIMES}
    return [without_times(one) for one in value] if isinstance(value, list) else value


def all_rounds(standings: list[Standing], kills: int, until: float, chance: random.Random) -> Iterator[Standing]:
    """A round of each kind in turn."""
    while time.monotonic() < until and (left := [one for one in standings if one.kills < kills]):
        for one in left:
            one.one_round(chance, kills)
            yield one


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("kinds", nargs="*", metavar="KIND", help=f"of {', '.join(KINDS)}; all when absent")
    parser.add_argument("--kills", type=int, default=150, help="of every kind")
    parser.add_argument("--minutes", type=float, default=600.0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--on", default="inline", help="who does the work, as in `foible match --on`")
    arguments = parser.parse_args()
    if unknown := set(arguments.kinds) - set(KINDS):
        parser.error(f"no kind of run is called {', '.join(sorted(unknown))}")
    chosen = arguments.kinds or list(KINDS)
    os.environ["OMP_NUM_THREADS"] = "1"
    FORKING.set_forkserver_preload([f"foible.interfaces.cli.{KINDS[name].preload}" for name in chosen])
    until = time.monotonic() + 60 * arguments.minutes
    with tempfile.TemporaryDirectory() as place:
        warm_up()
        standings = []
        for name in chosen:
            folder = Path(place, name.replace(" ", "-"))
            folder.mkdir()
            (folder / KINDS[name].file).write_text(KINDS[name].text, "utf-8")
            one = Standing(name, folder, arguments.on)
            one.undisturbed()
            standings.append(one)
            print(f"{name}: {one.seconds:.1f} s and {len(one.expected)} files undisturbed", flush=True)
        for one in all_rounds(standings, arguments.kills, until, random.Random(arguments.seed)):
            print(f"{one.name}: {one.kills} kills, {one.rounds} runs ended like the undisturbed one", flush=True)
        kills, rounds = sum(one.kills for one in standings), sum(one.rounds for one in standings)
        print(f"in all: {kills} kills, {rounds} runs, each ended like the undisturbed one")


if __name__ == "__main__":
    main()
