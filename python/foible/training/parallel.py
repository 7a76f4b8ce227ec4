"""Several processes of one machine that train one net together: each learns from its share of every batch.

The first process is the one that was called; it starts the others, writes the files and handles Ctrl-C. Batch
normalisation sees only the process's own share of a batch.
"""

import os
import signal
import sys
import tempfile
import threading
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from multiprocessing.connection import wait
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any, Literal, TypeAlias

import torch
import torch.distributed as dist
from torch import Tensor, multiprocessing, nn
from torch.nn.parallel import DistributedDataParallel

from foible.errors import FoibleError, TrainingError

DeviceKind: TypeAlias = Literal["cpu", "cuda"]
BACKENDS: dict[DeviceKind, str] = {"cpu": "gloo", "cuda": "cpu:gloo,cuda:nccl"}
THERE = ".there"
"""The suffix of the files by which processes announce that they have started."""
NOTICED = 5.0
"""Seconds after which a process that broke a collective by ending is certain to be seen as ended."""
MISSED = 2
"""The exit code of a process whose collective failed, most likely because another process had ended. It is above 1, the
code with which Python ends a process that failed by itself.
"""


class World:
    """The group of processes that share each batch, as seen by its member of number `rank`."""

    def __init__(self, rank: int = 0, size: int = 1) -> None:
        self.rank = rank
        self.size = size

    def share(self, net: nn.Module) -> nn.Module:
        """Wrap the net so that its gradients become means over all processes."""
        if self.size == 1:
            return net
        on_gpu = next(net.parameters()).is_cuda
        return DistributedDataParallel(net, device_ids=[self.rank] if on_gpu else None)

    def sum(self, tensor: Tensor) -> Tensor:
        """The sum of a tensor over all processes; each of them gets it."""
        if self.size == 1:
            return tensor
        total = tensor.clone()
        dist.all_reduce(total)
        return total

    def meet(self) -> None:
        """Wait until all processes have called this. Unlike collectives on GPUs it fails at once if one has ended."""
        self.any(False)

    def agree(self, net: nn.Module) -> None:
        """Give all processes the batch-norm statistics of the first one; each had those of its own share."""
        if self.size > 1:
            for buffer in net.buffers():
                dist.broadcast(buffer, 0)

    def any(self, flag: bool) -> bool:
        """Whether the flag is set in any of the processes."""
        return bool(self.sum(torch.tensor(float(flag)))) if self.size > 1 else flag


ALONE = World()


@contextmanager
def open_world(size: int, kind: DeviceKind, task: Callable[..., None], *arguments: Any) -> Iterator[World]:
    """Start `size` − 1 processes that run `task(world, *arguments)`; the block is to do the same work in this process.

    :raises TrainingError: one of the processes failed or was killed; says why.
    """
    if size == 1:
        yield ALONE
        return
    os.environ.setdefault("GLOO_SOCKET_IFNAME", "lo")
    context = multiprocessing.get_context("spawn")
    with tempfile.TemporaryDirectory() as scratch:
        meeting = f"file://{scratch}/meeting"
        others = [
            context.Process(target=_member, args=(rank, size, kind, meeting, scratch, task, arguments), daemon=True)
            for rank in range(1, size)
        ]
        try:
            with _deaf():
                for process in others:
                    process.start()
            _meet(others, Path(scratch))
            dist.init_process_group(BACKENDS[kind], init_method=meeting, rank=0, world_size=size)
            yield World(0, size)
            for process in others:
                process.join()
        except RuntimeError:  # raised by a collective that another process left, or by something else
            reason = _reason(others, Path(scratch))
            if reason is None:
                raise
            raise TrainingError(reason) from None
        finally:
            for process in others:
                process.kill()
            if dist.is_initialized():
                dist.destroy_process_group()


@contextmanager
def _deaf() -> Iterator[None]:
    """Let the processes that are started within the block ignore Ctrl-C and SIGTERM, which a terminal and Slurm send to
    all of them: the first process stops the others.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    usual = {number: signal.signal(number, signal.SIG_IGN) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in usual.items():
            signal.signal(number, handler)


def _member(
    rank: int,
    size: int,
    kind: DeviceKind,
    meeting: str,
    scratch: str,
    task: Callable[..., None],
    arguments: tuple[Any, ...],
) -> None:
    """Run the task in a process other than the first. A failure ends the process at once, without torch's clean-up,
    which may abort it.
    """
    try:
        (Path(scratch) / f"{rank}{THERE}").touch()
        dist.init_process_group(BACKENDS[kind], init_method=meeting, rank=rank, world_size=size)
        task(World(rank, size), *arguments)
        dist.destroy_process_group()
    except (FoibleError, OSError, MemoryError) as error:
        (Path(scratch) / "reason").write_text(f"process {rank} of {size}: {error or 'out of memory'}")
        os._exit(1)
    except RuntimeError:  # raised by a collective that another process left, or by something else
        with suppress(FileExistsError), (Path(scratch) / "error").open("x") as file:
            file.write(f"{rank}\n{traceback.format_exc()}")
        os._exit(MISSED)


def _meet(others: Sequence[BaseProcess], scratch: Path) -> None:
    """Wait until all other processes have started: torch would wait half an hour for one that died before it connected.

    :raises RuntimeError: one of them has ended.
    """
    while len(list(scratch.glob(f"*{THERE}"))) < len(others):
        if wait([process.sentinel for process in others], 0.05):
            raise RuntimeError("a process did not come")


def _reason(others: Sequence[BaseProcess], scratch: Path) -> str | None:
    """Why another process ended, from what it wrote or from its exit code; `None` where none has failed."""
    ended = wait([process.sentinel for process in others], NOTICED)
    for process in others:
        if process.sentinel in ended:
            process.join()  # so that its exit code is known
    path = scratch / "reason"
    if path.exists():
        return path.read_text()
    codes = {process.exitcode: rank for rank, process in enumerate(others, 1) if process.exitcode}
    if not codes:
        return None
    code = min(codes)  # a process that was killed or failed comes before those that missed it
    rank = str(codes[code])
    if code == MISSED:  # no process was missing: the first one that wrote an error caused the failure
        rank, _, error = (scratch / "error").read_text().partition("\n")
        sys.stderr.write(error)
    how = f"was killed (signal {-code}); is there enough memory?" if code < 0 else "failed; its error stands above"
    return f"process {rank} of {len(others) + 1} {how}"
