"""Several processes of one machine that train one net together: each learns from its share of every batch.

The first process is the one that was called; it starts the others, writes the files and hears the keyboard. Batch
normalisation looks at a process's own share.
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

Kind: TypeAlias = Literal["cpu", "cuda"]
BACKENDS: dict[Kind, str] = {"cpu": "gloo", "cuda": "cpu:gloo,cuda:nccl"}
THERE = ".there"
"""How the files end with which processes tell that they are there."""
NOTICED = 5.0
"""Seconds after which a process that has left the others is certainly seen to have ended."""
MISSED = 2
"""Exit code of a process that most likely missed another: above 1, with which Python ends one that failed."""


class World:
    """The processes that share each batch, seen by the one of this rank."""

    def __init__(self, rank: int = 0, size: int = 1) -> None:
        self.rank = rank
        self.size = size

    def share(self, net: nn.Module) -> nn.Module:
        """The net, whose gradients become means over all processes."""
        if self.size == 1:
            return net
        on_gpu = next(net.parameters()).is_cuda
        return DistributedDataParallel(net, device_ids=[self.rank] if on_gpu else None)

    def sum(self, tensor: Tensor) -> Tensor:
        """The sum over all processes, the same in each."""
        if self.size == 1:
            return tensor
        total = tensor.clone()
        dist.all_reduce(total)
        return total

    def meet(self) -> None:
        """Wait for the others. Unlike collectives on GPUs this one notices at once when one of them has ended."""
        self.any(False)

    def agree(self, net: nn.Module) -> None:
        """Give all processes the first one's batch-norm statistics, which each has of its own share."""
        if self.size > 1:
            for buffer in net.buffers():
                dist.broadcast(buffer, 0)

    def any(self, flag: bool) -> bool:
        """Whether it is set in any process."""
        return bool(self.sum(torch.tensor(float(flag)))) if self.size > 1 else flag


ALONE = World()


@contextmanager
def crew(size: int, kind: Kind, task: Callable[..., None], *arguments: Any) -> Iterator[World]:
    """Start `size` − 1 processes that run `task(world, *arguments)`; the block is to do the same in this one.

    :raises TrainingError: one of them failed or was killed; says why.
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
        except RuntimeError:  # of a collective that another process left, or of something else
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
    """Processes that are started within it never hear Ctrl-C: the first one does, and tells them."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    usual = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, usual)


def _member(
    rank: int,
    size: int,
    kind: Kind,
    meeting: str,
    scratch: str,
    task: Callable[..., None],
    arguments: tuple[Any, ...],
) -> None:
    """The life of another process. A failure ends it on the spot: what torch does when it takes leave may abort it."""
    try:
        (Path(scratch) / f"{rank}{THERE}").touch()
        dist.init_process_group(BACKENDS[kind], init_method=meeting, rank=rank, world_size=size)
        task(World(rank, size), *arguments)
        dist.destroy_process_group()
    except (FoibleError, OSError, MemoryError) as error:
        (Path(scratch) / "reason").write_text(f"process {rank} of {size}: {error or 'out of memory'}")
        os._exit(1)
    except RuntimeError:  # of a collective that another process left, or of something else: the first one will know
        with suppress(FileExistsError), (Path(scratch) / "error").open("x") as file:
            file.write(f"{rank}\n{traceback.format_exc()}")
        os._exit(MISSED)


def _meet(others: Sequence[BaseProcess], scratch: Path) -> None:
    """Wait until all have come to where they meet: torch waits half an hour for one that has died before.

    :raises RuntimeError: one has.
    """
    while len(list(scratch.glob(f"*{THERE}"))) < len(others):
        if wait([process.sentinel for process in others], 0.05):
            raise RuntimeError("a process did not come")


def _reason(others: Sequence[BaseProcess], scratch: Path) -> str | None:
    """Why another process ended, by what it wrote or by how the system saw it end; `None` where all are at work."""
    ended = wait([process.sentinel for process in others], NOTICED)
    for process in others:
        if process.sentinel in ended:
            process.join()  # it is about to have an exit code
    path = scratch / "reason"
    if path.exists():
        return path.read_text()
    codes = {process.exitcode: rank for rank, process in enumerate(others, 1) if process.exitcode}
    if not codes:
        return None
    code = min(codes)  # one that was killed or failed comes before those that missed it
    rank = str(codes[code])
    if code == MISSED:  # in the first of them something else went wrong
        rank, _, error = (scratch / "error").read_text().partition("\n")
        sys.stderr.write(error)
    how = f"was killed (signal {-code}); is there enough memory?" if code < 0 else "failed; its error stands above"
    return f"process {rank} of {len(others) + 1} {how}"
