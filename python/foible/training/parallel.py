"""Several processes of one machine that train one net together: each learns from its share of every batch.

The first process is the one that was called; it starts the others, writes the files and hears the keyboard. Batch
normalisation looks at a process's own share.
"""

import os
import signal
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal, TypeAlias

import torch
import torch.distributed as dist
from torch import Tensor, multiprocessing, nn
from torch.nn.parallel import DistributedDataParallel

from foible.errors import FoibleError, TrainingError

Kind: TypeAlias = Literal["cpu", "cuda"]
BACKENDS: dict[Kind, str] = {"cpu": "gloo", "cuda": "cpu:gloo,cuda:nccl"}


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

    :raises TrainingError: one of them failed; says why.
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
            dist.init_process_group(BACKENDS[kind], init_method=meeting, rank=0, world_size=size)
            yield World(0, size)
            for process in others:
                process.join()
        except RuntimeError as error:
            raise TrainingError(_reason(scratch) or f"the processes lost each other ({error!s:.80})") from None
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
    """The life of another process."""
    try:
        dist.init_process_group(BACKENDS[kind], init_method=meeting, rank=rank, world_size=size)
        task(World(rank, size), *arguments)
        dist.destroy_process_group()
    except (FoibleError, OSError, MemoryError) as error:
        (Path(scratch) / "reason").write_text(f"process {rank} of {size}: {error or 'out of memory'}")
        raise SystemExit(1) from None


def _reason(scratch: str) -> str:
    """What a process wrote before it ended."""
    path = Path(scratch) / "reason"
    return path.read_text() if path.exists() else ""
