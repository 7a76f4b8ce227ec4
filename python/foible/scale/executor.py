"""The interface of executors, which play units, and the option `--on` that chooses one."""

from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from typing import Protocol

from foible.errors import ConfigError
from foible.scale.processes import Processes
from foible.scale.ray import Ray
from foible.scale.units import Unit


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


@contextmanager
def open_executor(where: str) -> Iterator[Executor | None]:
    """The executor that `--on` asks for, open until the block ends: `inline`, `processes:N`, `ray`, or `ray:ADDRESS`.

    :return: `None` for `inline`: this process plays by itself.
    :raises ConfigError: `where` has none of these forms; or Ray is not installed.
    :raises WorkerError: there is no cluster at the address.
    """
    kind, colon, what = where.partition(":")
    if where == "inline":
        yield None
    elif kind == "processes" and what.isascii() and what.isdecimal() and int(what):
        with Processes(int(what)) as processes:
            yield processes
    elif kind == "ray" and bool(colon) == bool(what):
        with Ray(what or None) as ray:
            yield ray
    else:
        raise ConfigError(f"--on {where}: expected inline, processes:N with N from 1 on, ray, or ray:ADDRESS")
