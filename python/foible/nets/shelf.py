"""The nets that are open: each once, however many players, models and judges use it."""

from collections.abc import Sequence
from pathlib import Path

from foible.nets.catalogue import MATERIAL, known_nets, net_sha256, open_net
from foible.nets.evaluator import Evaluator
from foible.nets.mixture import PhaseMixture
from foible.nets.named_nets import at_heads, at_rating, split_heads, split_rating
from foible.nets.paths import net_at, net_name
from foible.nets.runtimes import InRuntime, Runtime, Runtimes

__all__ = ["BorrowedShelf", "NetShelf", "Runtimes", "at_hand", "choose_net", "short_name"]


class NetShelf:
    """Opens nets by name and keeps them."""

    def __init__(self, runtimes: Runtimes | None = None) -> None:
        self._runtimes = runtimes or Runtimes()
        self.runtime = self._runtimes.runtime
        self._opened: dict[str, Evaluator] = {}

    def evaluator(self, net: str | Sequence[str]) -> Evaluator:
        """The evaluator of a net, or of the first of several that is at hand.

        :raises NetFileError: there is no such net, or it cannot be read.
        """
        name = choose_net(net)
        if name not in self._opened:
            opened = open_net(
                name, runtime=self.runtime, precision=self._runtimes.precision, threads=self._runtimes.threads
            )
            # One runtime for all: what `auto` chose for the first net holds for the others.
            self.runtime = _runtime_of(opened) or self.runtime
            self._opened[name] = opened
        return self._opened[name]

    @property
    def runtimes(self) -> Runtimes:
        """How it runs them."""
        return self._runtimes

    @property
    def nets(self) -> list[Evaluator]:
        """All that were opened."""
        return list(self._opened.values())

    def resolved(self) -> dict[str, str]:
        """For each net that was opened what runs it, and the hash of its file where it has one."""
        return {name: f"{net.name}{_hash_of(name)}" for name, net in self._opened.items()}


class BorrowedShelf(NetShelf):
    """Takes its nets from another shelf; `resolved` and `runtime` tell of those alone that were taken."""

    def __init__(self, shelf: NetShelf) -> None:
        super().__init__()
        self._shelf = shelf

    def evaluator(self, net: str | Sequence[str]) -> Evaluator:
        found = self._shelf.evaluator(net)
        self.runtime = _runtime_of(found) or self.runtime
        self._opened[choose_net(net)] = found
        return found


def choose_net(net: str | Sequence[str]) -> str:
    """The first of several nets that is on this machine; the first of all when none is."""
    if isinstance(net, str):
        return net
    return next(filter(at_hand, net), net[0])


def short_name(net: str | Sequence[str]) -> str:
    """What tables call a net."""
    chosen = choose_net(net)
    name, rating = split_rating(chosen)
    return at_heads(at_rating(net_name(Path(name)), rating), split_heads(chosen)[1])


def at_hand(net: str) -> bool:
    """Whether a net is on this machine."""
    name, _ = split_rating(net)
    here = {known.name for known in known_nets() if known.path or known.kind == "built-in"}
    return name in here or net_at(Path(name).expanduser()) is not None


def _hash_of(net: str) -> str:
    return "" if net == MATERIAL else f", sha256 {net_sha256(net)}"


def _runtime_of(evaluator: Evaluator) -> Runtime | None:
    """What runs a net, or the nets of a mixture; `None` for the built-in evaluator."""
    if isinstance(evaluator, PhaseMixture):
        return next(filter(None, map(_runtime_of, evaluator.nets)), None)
    return evaluator.runtime if isinstance(evaluator, InRuntime) else None
