"""Plays units as tasks of Ray, on this machine or on a cluster. Ray places them, and keeps and replaces processes."""

import os
import socket
from collections.abc import Generator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final

from foible.errors import WorkerError
from foible.extras import required
from foible.runs.files import Closing
from foible.runs.folder import KIND
from foible.runs.interrupt import keeping_sigterm
from foible.runs.ledger import file_hash
from foible.scale.lending import Offer, lent, offer
from foible.scale.units import BETWEEN_NEWS, TRIES, Failure, Order, Unit, do

PATIENCE: Final = 3.0
"""Seconds for an interrupted task to end before it is killed: Ray cannot interrupt a task that waits for a lock."""
ANSWERS_IN: Final = 5.0
"""The timeout for connecting to a cluster, in seconds."""

TOKEN: Final = Path(".ray", "auth_token")
"""Where Ray keeps the token of its clusters, in the home folder."""


class Ray(Closing):
    """An `Executor` on Ray. A worker has one core, or, in a cluster with GPUs, one GPU and its share of the cores."""

    def __init__(self, cluster: str | None = None) -> None:
        """Join the cluster at an address; by default the one that this machine belongs to, or else a new local one.

        :raises ConfigError: Ray is not installed.
        :raises WorkerError: the cluster cannot be reached or started.
        """
        os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
        token = cluster is not None and show_token()
        self._ray: Any = required("ray")
        self._ours = not self._ray.is_initialized()
        if self._ours:
            try:
                _check_answers(cluster or "")
                with keeping_sigterm():  # Ray would end this process on it, instead of stopping the run in order
                    self._ray.init(cluster, include_dashboard=False, logging_level="error", log_to_driver=False)
            except (OSError, RuntimeError, ValueError) as error:
                where = "here" if cluster is None else f"at {cluster}" + f" with our token (~/{TOKEN})" * token
                raise WorkerError(f"Ray: no cluster {where}: {str(error).splitlines()[0]}") from None
        resources = self._ray.cluster_resources()
        cores, gpus = int(resources.get("CPU", 1)), int(resources.get("GPU", 0))
        self.workers = max(1, gpus or cores)
        self._task = self._ray.remote(
            num_cpus=max(1, cores // self.workers), num_gpus=min(1, gpus), max_retries=TRIES - 1
        )(_do)
        self._put: dict[tuple[Path, int, int], tuple[str, Any]] = {}
        """The files put into the cluster, by path, time and size: their hashes, and Ray references to their content."""

    def run(self, units: Sequence[Unit]) -> Generator[list[Unit], None, None]:
        """As `Executor.run`."""
        ray = self._ray
        files = self._files(units)
        going = {self._task.options(name=unit.name).remote(unit.order, files): unit for unit in units}
        try:
            while going:
                ready, _ = ray.wait(list(going), timeout=BETWEEN_NEWS)
                ended = [(ref, going.pop(ref)) for ref in ready]
                for task, unit in ended:
                    self._check(task, unit)
                yield [unit for _, unit in ended]
        finally:
            self._cancel(list(going))

    def _files(self, units: Sequence[Unit]) -> "dict[str, _File]":
        """The files that units may name, by their names, each content put into the cluster once. None where the cluster
        is one machine. Files in the folder of the run are left out, as all machines share that folder.
        """
        if sum(node["Alive"] for node in self._ray.nodes()) < 2:
            return {}
        found = {}
        for name, path in lent().items():
            if is_of_run(path, units) or not path.is_file():
                continue
            state = path.stat()
            key = path, state.st_mtime_ns, state.st_size
            if key not in self._put:
                self._put[key] = file_hash(path), self._ray.put(path.read_bytes())
            found[name] = str(path), *self._put[key]
        return found

    def _check(self, task: Any, unit: Unit) -> None:
        """Raise the error of a task that has failed."""
        try:
            failure = self._ray.get(task)
        except self._ray.exceptions.RayError as error:
            raise WorkerError(f"{unit.name}: {str(error).splitlines()[0]}") from None
        if failure is not None:
            raise failure.raised(unit.name)

    def _cancel(self, tasks: list[Any]) -> None:
        """Interrupt tasks, and kill those that do not end. Ended ones are left out: to cancel them may crash Ray."""
        tasks = self._going(tasks, 0.0)
        for force in (False, True):
            for task in tasks:
                self._ray.cancel(task, force=force)
            tasks = self._going(tasks, PATIENCE)

    def _going(self, tasks: list[Any], patience: float) -> list[Any]:
        """The tasks that have not ended after waiting `patience` seconds for all of them."""
        return self._ray.wait(tasks, num_returns=len(tasks), timeout=patience)[1] if tasks else []

    def close(self) -> None:
        """Leave the cluster, unless Ray was initialised before this executor; a cluster that was started here ends."""
        if self._ours:
            self._ray.shutdown()


_File = tuple[str, str, Any]
"""The path of a file, its hash, and the Ray reference of its content."""


def _do(order: Order, files: Mapping[str, _File]) -> Failure | None:
    """Play a unit in a worker. `files`: the files, by name, that it may fetch where its machine lacks them."""
    get = required("ray").get
    offer({name: Offer(digest, path, partial(get, content)) for name, (path, digest, content) in files.items()})
    return do(order)


def is_of_run(path: Path, units: Sequence[Unit]) -> bool:
    """Whether a file lies in the run folder of any of the units, directly or one level down."""
    runs = (run for run in path.parents[:2] if (run / KIND).exists())
    return any(unit.folder.is_relative_to(run) for run in runs for unit in units)


def show_token() -> bool:
    """Let Ray show its token to a cluster; returns whether there is one.

    A cluster whose head has a token asks for it, and by itself Ray shows none to a cluster that is given by address.
    A cluster that asks for none does not mind.
    """
    found = (Path.home() / TOKEN).is_file()
    if found:
        os.environ.setdefault("RAY_AUTH_MODE", "token")
    return found


def _check_answers(address: str) -> None:
    """Check that something answers at `host:port`, as Ray itself would try for two minutes.

    :raises OSError: nothing does.
    """
    host, _, port = address.removeprefix("ray://").rpartition(":")
    if host and port.isdecimal():
        socket.create_connection((host, int(port)), timeout=ANSWERS_IN).close()
