"""Units of work, the interface of the executors that play them, and the failures that workers report of them."""

import os
import traceback
from collections.abc import Callable, Generator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, Final, Generic, Protocol, TypeVar

import msgspec

from foible import errors
from foible.errors import FoibleError, WorkerError

T = TypeVar("T")

TRIES: Final = 3
"""The number of workers lost over one unit after which it is given up."""
BETWEEN_NEWS: Final = 0.5
"""The most seconds between two reports on the units in progress."""
GRACE: Final = 10.0
"""Seconds that a dismissed worker has to end its unit: to close its engines, and to unlock its folder."""


@dataclass(frozen=True, slots=True)
class Unit:
    """A piece of a run, played by one worker at a time. Where that is lost, another continues from what it wrote."""

    name: str
    """The name of the unit in error messages."""
    folder: Path
    """The folder of this unit alone, which every worker can write to."""
    work: Callable[..., None]
    """A function that other processes can import. It takes the folder's path and the arguments, and ends early on a
    keyboard interrupt.
    """
    arguments: tuple[Any, ...]
    """The arguments of `work` after the folder: plain values, as JSON has them."""

    @property
    def order(self) -> "Order":
        """The unit in the form that `do` takes."""
        address = f"{self.work.__module__}:{self.work.__qualname__}"
        return address, [str(self.folder), *self.arguments], str(Path.cwd())


class Executor(Protocol):
    """Plays units. Workers live on from one `run` to the next, so that they can keep what is costly to open."""

    @property
    def workers(self) -> int:
        """The number of units that are played at once."""

    def run(self, units: Sequence[Unit]) -> Generator[list[Unit], None, None]:
        """Play the units in order: whenever a worker is free it gets the next one.

        When the generator is closed before its end, units in progress are interrupted and no others are begun; closing
        returns once no worker plays.

        :return: yields the units that have ended since the last time, perhaps none, at least every `BETWEEN_NEWS`
            seconds.
        :raises WorkerError: `TRIES` workers were lost over one unit, or its work raised any other error.
        :raises FoibleError, OSError: raised by the work of a unit.
        """


class Failure(msgspec.Struct, frozen=True):
    """The error that ended a unit early, in a form that can be sent between processes."""

    kind: str
    """The name of the exception's class."""
    message: str
    number: int | None = None
    """The `errno` of an `OSError` that has one."""
    file: str | None = None
    """The file that such an `OSError` names."""

    @classmethod
    def of(cls, error: Exception) -> "Failure":
        """The failure that an error is; one that nobody expects is also printed with its traceback."""
        if isinstance(error, OSError):
            if error.errno is None:
                return cls("OSError", str(error))
            return cls("OSError", error.strerror or "", error.errno, error.filename and str(error.filename))
        if not isinstance(error, FoibleError):
            traceback.print_exception(error)
        return cls(type(error).__name__, str(error))

    def raised(self, unit: str) -> Exception:
        """The exception to raise; any but a `FoibleError` or `OSError` becomes a `WorkerError` that names the unit."""
        if self.kind == "OSError":
            return OSError(self.message) if self.number is None else OSError(self.number, self.message, self.file)
        known = getattr(errors, self.kind, None)
        if isinstance(known, type) and issubclass(known, FoibleError):
            return known(self.message)
        return WorkerError(f"{unit}: {self.kind}: {self.message}")


Order = tuple[str, list[Any], str]
"""The address of a function, `package.module:name`; its arguments; and the folder that relative paths refer to."""


class Kept(Generic[T]):
    """A function by which a worker opens something by plain values, such as a net or games: the last thing that it has
    opened is kept for the next units. A decorator.

    Names of files refer to the working folder of the process that ordered the unit: elsewhere they are other files.
    """

    def __init__(self, make: Callable[[Any], T]) -> None:
        self._make, self._kept = make, dict[tuple[bytes, Path], T]()

    def __call__(self, plain: Any) -> T:
        key = msgspec.json.encode(plain), Path.cwd()
        if key not in self._kept:
            self.forget()
            self._kept[key] = self._make(plain)
        return self._kept[key]

    def forget(self) -> None:
        """Let go what is kept."""
        self._kept.clear()


def do(order: Order) -> Failure | None:
    """Play a unit in a worker; returns the error that it ended with, if any."""
    address, arguments, place = order
    with suppress(OSError):  # the folder is not on this machine: then files have absolute paths, or are found by name
        os.chdir(place)
    module, _, name = address.partition(":")
    try:
        getattr(import_module(module), name)(*arguments)
    except Exception as error:
        return Failure.of(error)
    return None
