"""Units of work, and what comes back of them."""

import os
import traceback
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, Final

import msgspec

from foible import errors
from foible.errors import FoibleError, WorkerError

TRIES: Final = 3
"""Workers that may be lost over one unit."""
BETWEEN_NEWS: Final = 0.5
"""Seconds between two looks at units that go on."""
GRACE: Final = 10.0
"""Seconds that a worker has to end what it is at: to close its engines, and to let go of its folder."""


@dataclass(frozen=True, slots=True)
class Unit:
    """A piece of a run, played by one worker at a time. Where it is lost another goes on from what it has left."""

    name: str
    """What errors call it."""
    folder: Path
    """Its own, where every worker can write."""
    work: Callable[..., None]
    """A function that other processes can import; it takes the folder's path and the arguments. An interrupt from the
    keyboard is its request to end.
    """
    arguments: tuple[Any, ...]
    """Plain values, as JSON has them."""

    @property
    def order(self) -> "Order":
        """As it is given to `do`."""
        address = f"{self.work.__module__}:{self.work.__qualname__}"
        return address, [str(self.folder), *self.arguments], str(Path.cwd())


class Failure(msgspec.Struct, frozen=True):
    """Why a unit has not come to its end, as it travels between processes."""

    kind: str
    """The name of the exception."""
    message: str
    number: int | None = None
    """The number of an error of the system."""
    file: str | None = None

    @classmethod
    def of(cls, error: Exception) -> "Failure":
        if isinstance(error, OSError) and error.errno is not None:
            return cls("OSError", error.strerror or "", error.errno, error.filename and str(error.filename))
        if not isinstance(error, FoibleError):
            traceback.print_exception(error)
        return cls(type(error).__name__, str(error))

    def raised(self, unit: str) -> Exception:
        """The exception again; what is no error of foible's or the system's is told with the unit."""
        if self.number is not None:
            return OSError(self.number, self.message, self.file)
        known = getattr(errors, self.kind, None)
        if isinstance(known, type) and issubclass(known, FoibleError):
            return known(self.message)
        return WorkerError(f"{unit}: {self.kind}: {self.message}")


Order = tuple[str, list[Any], str]
"""The address of a function, `package.module:name`, its arguments, and the folder from which they name files."""


def do(order: Order) -> Failure | None:
    """What a worker does with a unit."""
    address, arguments, place = order
    with suppress(OSError):  # it is not there on this machine: files are named in full, or found by their names
        os.chdir(place)
    module, _, name = address.partition(":")
    try:
        getattr(import_module(module), name)(*arguments)
    except Exception as error:
        return Failure.of(error)
    return None
