"""The collection of open nets. Each net is opened only once, however many players, models and judges use it."""

import threading
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Literal, get_args

from foible.errors import ConfigError
from foible.nets.catalogue import known_nets, net_sha256, open_net
from foible.nets.choices import MATERIAL, Precision, Runtime
from foible.nets.evaluator import Evaluator, go_on
from foible.nets.go.evaluator import GoRuntimeNet
from foible.nets.graph_workers import runtime_versions
from foible.nets.mixture import PhaseMixture
from foible.nets.named_nets import at_heads, at_precision, at_rating, split_heads, split_precision, split_rating
from foible.nets.paths import net_at, net_name
from foible.nets.processor import processor
from foible.nets.runtimes import InRuntime, Runtimes
from foible.runs.folder import recorded_value
from foible.scale.lending import offered
from foible.scale.parts import PROCESSOR

__all__ = [
    "PROCESSOR",
    "BorrowedShelf",
    "NetShelf",
    "Runtimes",
    "as_begun",
    "at_hand",
    "choose_net",
    "may_change",
    "shelf_of_worker",
    "short_name",
    "this_machine",
]


def may_change(keys: Sequence[str], *, any_processor: bool) -> list[str]:
    """The keys in which a part of a run may differ from the run, of those in which the run itself may change.

    :param any_processor: whether parts of another kind of processor are taken, where nets may round differently.
    """
    return [key for key in keys if key != PROCESSOR or any_processor]


class NetShelf:
    """Opens nets by name and keeps them open. It is thread-safe."""

    def __init__(self, runtimes: Runtimes | None = None) -> None:
        self._runtimes = runtimes or Runtimes()
        self._settled = self._runtimes
        self._opened: dict[str, Evaluator] = {}
        self._opening = threading.Lock()

    def evaluator(self, net: str | Sequence[str]) -> Evaluator:
        """The evaluator of a net; if several are named, of the first one that is on this machine.

        :raises NetFileError: there is no such net, or it cannot be read.
        """
        name = choose_net(net)
        with self._opening:
            if name not in self._opened:
                how = self._settled
                self._take(name, open_net(name, runtime=how.runtime, precision=how.precision, threads=how.threads))
        return self._opened[name]

    def _take(self, name: str, opened: Evaluator) -> None:
        """Keep an opened net. All nets of the shelf run in one runtime and one precision, so those that `auto` chose
        for the first net are settled for the others; a precision that a name asks for is that net's alone.
        """
        self._opened[name] = opened
        own = split_precision(name)[1]
        for one, net in _single_nets(name, opened):
            self._settled = self._settled.settled(net, split_precision(one)[1] or own)

    @property
    def runtime(self) -> Runtime | Literal["auto"]:
        """The runtime that was asked for; once a net is open, the one that `auto` chose."""
        return self._settled.runtime

    @property
    def precision(self) -> Precision | Literal["auto"]:
        """The precision that was asked for; once a net is open, the one that `auto` chose."""
        return self._settled.precision

    @property
    def runtimes(self) -> Runtimes:
        """The settings that were asked for, in which `auto` is not replaced."""
        return self._runtimes

    @property
    def nets(self) -> list[Evaluator]:
        """The evaluators of all nets that are open."""
        return list(self._opened.values())

    def machine(self) -> dict[str, str]:
        """The machine on which nets run, for the record of a run that may go on elsewhere; empty as long as no net was
        opened in a runtime, whatever runtime was asked for.
        """
        single = (net for name, opened in list(self._opened.items()) for _, net in _single_nets(name, opened))
        return this_machine() if any(isinstance(net, InRuntime) for net in single) else {}

    def resolved(self) -> dict[str, str]:
        """For each open net, by name, the evaluator's name and the hash of its file, if it has one; for the record of a
        run.
        """
        return {name: f"{net.name}{_hash_of(name)}" for name, net in list(self._opened.items())}


def check_chess(nets: Iterable[Evaluator]) -> None:
    """Check that all nets are for chess, before a run on chess games writes anything.

    :raises ConfigError: a net is for Go.
    """
    for net in nets:
        if isinstance(net, GoRuntimeNet):
            raise ConfigError(f"{net.model.name} is a net for {go_on(net.size)}; expected one for chess")


def this_machine() -> dict[str, str]:
    """The processor of this machine and the versions of the graph runtimes, for the record of a run."""
    return {"processor": f"{processor()}, {runtime_versions()}"}


class BorrowedShelf(NetShelf):
    """A shelf that takes its nets from another shelf. Its `resolved`, `runtime` and `precision` describe only the nets
    that were taken through it.
    """

    def __init__(self, shelf: NetShelf) -> None:
        super().__init__(Runtimes(precision="auto", threads=shelf.runtimes.threads))
        self._shelf = shelf

    def evaluator(self, net: str | Sequence[str]) -> Evaluator:
        evaluator = self._shelf.evaluator(net)
        self._take(choose_net(net), evaluator)
        return evaluator


def shelf_of_worker(runtimes: Runtimes) -> NetShelf:
    """The nets of a worker process, kept open from one unit to the next."""
    return _shelf_in(runtimes, Path.cwd())


@cache
def _shelf_in(runtimes: Runtimes, folder: Path) -> NetShelf:
    """`folder`: the working directory, from which the paths of nets start."""
    return NetShelf(runtimes)


def as_begun(runtimes: Runtimes, *folders: Path) -> Runtimes:
    """Replace `auto` by what it chose when a run began, so that the run goes on in the same way. `folders`: the run
    folders whose recorded configurations are searched, the first that tells being decisive.
    """
    for folder in folders:
        if runtimes.runtime == "auto":
            recorded = recorded_value(folder, "runtime")
            runtimes = replace(
                runtimes, runtime=next((choice for choice in get_args(Runtime) if choice == recorded), "auto")
            )
        if runtimes.precision == "auto":
            recorded = recorded_value(folder, "precision")
            runtimes = replace(
                runtimes, precision=next((choice for choice in get_args(Precision) if choice == recorded), "auto")
            )
    return runtimes


def choose_net(net: str | Sequence[str]) -> str:
    """The name of the first of several nets that is on this machine; if none is, the name of the first one."""
    if isinstance(net, str):
        return net
    return next(filter(at_hand, net), net[0])


def short_name(net: str | Sequence[str]) -> str:
    """The short name of a net in tables, with its rating, heads and precision."""
    chosen = choose_net(net)
    name, rating = split_rating(chosen)
    titled = at_heads(at_rating(net_name(Path(name)), rating), split_heads(chosen)[1])
    return at_precision(titled, split_precision(chosen)[1])


def at_hand(net: str) -> bool:
    """Whether a net is on this machine, or is lent by the machine that started this worker."""
    name, _ = split_rating(net)
    if offered(name) is not None:
        return True
    here = {net.name for net in known_nets() if net.path or net.kind == "built-in"}
    return name in here or net_at(name) is not None


def _single_nets(name: str, opened: Evaluator) -> list[tuple[str, Evaluator]]:
    """The nets that an evaluator of that name consists of, with their names: itself, or those of a mixture."""
    return list(zip(opened.names, opened.nets, strict=True)) if isinstance(opened, PhaseMixture) else [(name, opened)]


def _hash_of(net: str) -> str:
    return "" if net == MATERIAL else f", sha256 {net_sha256(net)}"
