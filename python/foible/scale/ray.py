"""Units as tasks of Ray, on this machine or on a cluster: it places them, keeps processes, and replaces lost ones."""

import os
import socket
from collections.abc import Generator, Sequence
from typing import Any, Final

from foible.errors import WorkerError
from foible.extras import required
from foible.runs.files import Closing
from foible.scale.units import BETWEEN_NEWS, TRIES, Unit, do

PATIENCE: Final = 3.0
"""Seconds that a task has to end before it is killed: what waits for a lock is not woken by an interrupt of Ray."""
ANSWERS_IN: Final = 5.0
"""Seconds for which an address is tried."""


class Ray(Closing):
    """An `Executor`. A worker has a core; in a cluster with GPUs each has one of them, and its share of the cores."""

    def __init__(self, cluster: str | None = None) -> None:
        """Join the cluster at an address; by default the one that this machine belongs to, or one of its own.

        :raises ConfigError: Ray is not installed.
        :raises WorkerError: there is no such cluster.
        """
        os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
        self._ray: Any = required("ray")
        self._ours = not self._ray.is_initialized()
        if self._ours:
            try:
                _check_answers(cluster or "")
                self._ray.init(cluster, include_dashboard=False, logging_level="error", log_to_driver=False)
            except (OSError, RuntimeError, ValueError) as error:
                where = "here" if cluster is None else f"at {cluster}"
                raise WorkerError(f"Ray: no cluster {where}: {str(error).splitlines()[0]}") from None
        resources = self._ray.cluster_resources()
        cores, gpus = int(resources.get("CPU", 1)), int(resources.get("GPU", 0))
        self.workers = max(1, gpus or cores)
        self._task = self._ray.remote(
            num_cpus=max(1, cores // self.workers), num_gpus=min(1, gpus), max_retries=TRIES - 1
        )(do)

    def run(self, units: Sequence[Unit]) -> Generator[list[Unit], None, None]:
        """As `Executor.run`."""
        ray = self._ray
        going = {self._task.options(name=unit.name).remote(unit.order): unit for unit in units}
        try:
            while going:
                ready, _ = ray.wait(list(going), timeout=BETWEEN_NEWS)
                ended = [(one, going.pop(one)) for one in ready]
                for task, unit in ended:
                    self._check(task, unit)
                yield [unit for _, unit in ended]
        finally:
            self._cancel(list(going))

    def _check(self, task: Any, unit: Unit) -> None:
        """That it has come to its end."""
        try:
            failure = self._ray.get(task)
        except self._ray.exceptions.RayError as error:
            raise WorkerError(f"{unit.name}: {str(error).splitlines()[0]}") from None
        if failure is not None:
            raise failure.raised(unit.name)

    def _cancel(self, tasks: list[Any]) -> None:
        """Interrupt those that go on, and kill those that do not end. To cancel what has just ended may crash Ray."""
        tasks = self._going(tasks, 0.0)
        for force in (False, True):
            for task in tasks:
                self._ray.cancel(task, force=force)
            tasks = self._going(tasks, PATIENCE)

    def _going(self, tasks: list[Any], patience: float) -> list[Any]:
        """Those that have not ended in so many seconds."""
        return self._ray.wait(tasks, num_returns=len(tasks), timeout=patience)[1] if tasks else []

    def close(self) -> None:
        """Leave the cluster; one of our own ends."""
        if self._ours:
            self._ray.shutdown()


def _check_answers(address: str) -> None:
    """Whether anybody answers at `host:port`: Ray itself would try for two minutes.

    :raises OSError: nobody does.
    """
    host, _, port = address.removeprefix("ray://").rpartition(":")
    if host and port.isdecimal():
        socket.create_connection((host, int(port)), timeout=ANSWERS_IN).close()
