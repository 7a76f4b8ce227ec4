"""Who plays units, and what `--on` says about it."""

from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from typing import Protocol

from foible.errors import ConfigError
from foible.scale.processes import Processes
from foible.scale.ray import Ray
from foible.scale.units import Unit


class Executor(Protocol):
    """Plays units. It keeps its workers from one `run` to the next, and they what is costly to open."""

    @property
    def workers(self) -> int:
        """Units that are played at once."""

    def run(self, units: Sequence[Unit]) -> Generator[list[Unit], None, None]:
        """Play the units, each at once given to the next free worker, in order.

        Closed before the end it interrupts those that go on, leaves the others, and returns when no worker plays.

        :return: again and again those that have ended since, at least every `BETWEEN_NEWS` seconds, perhaps none.
        :raises WorkerError: `TRIES` workers were lost over one unit, or its work failed in a way that it does not know.
        :raises FoibleError, OSError: as the work of a unit raised it.
        """


@contextmanager
def open_executor(where: str) -> Iterator[Executor | None]:
    """What `--on` asks for, open until the block ends: `inline`, `processes:N`, `ray`, or `ray:ADDRESS`.

    :return: `None` for `inline`: nobody else plays.
    :raises ConfigError: it is none of these; or Ray is not installed.
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
