"""PyTorch as a runtime. Input planes are sent to the device packed and unpacked there; on CUDA, evaluating a chunk of
positions means replaying a captured CUDA graph.

Every batch is computed in chunks of one size, the last chunk being filled up, so that a position's outputs do not
depend on the batch that it is in: for other sizes PyTorch may choose other kernels, which add in another order. The
tests check this on the processor, and on CUDA where there is a device. On the processor in f32, the last bits do depend
on the number of threads.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from queue import SimpleQueue
from typing import Final, Literal

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn.utils.fusion import fuse_conv_bn_eval

from foible._core import Batch
from foible.mistakes import check_at_least
from foible.nets.choices import Precision, Ratings
from foible.nets.encoding import PLANES, POLICY_SIZES
from foible.nets.evaluator import Evaluation, check_game, checked
from foible.nets.modules.module_files import load
from foible.nets.modules.net import InputConv, Net, Outputs, unpack_planes

Device = Literal["cpu", "cuda"]

CHUNK: Final = {"cpu": 32, "cuda": 256}
"""The number of positions that are computed at once, by device."""
CHUNKS: Final = {"cpu": 1, "cuda": 4}
"""The number of chunks in a full batch, by device: a GPU begins the next without waiting for the processor."""
LANES: Final = {"cpu": 1, "cuda": 2}
"""The number of batches in progress at once, by device: while one is computed, the next can be encoded and copied."""
_WARM_UP = 3
"""The number of runs before a CUDA graph is captured; PyTorch's documentation requires such a warm-up."""


def open_torch(path: Path, name: str, ratings: Ratings | None, precision: Precision, threads: int) -> "TorchNet":
    """Open the net in a file in torch: on CUDA if available, otherwise on the processor with `threads` threads, a
    number that torch sets for the whole process. `name`: the net's name in reports.

    :raises NetFileError: the file cannot be used, or no module can be made of it.
    :raises ConfigError: a rating is asked of an ONNX model.
    """
    if not torch.cuda.is_available():
        torch.set_num_threads(threads)
    return TorchNet(load(path, ratings), name, precision)


def fold(net: Net) -> None:
    """Fold batch norm into the convolutions before it, in place and irreversibly. The outputs stay those of the net in
    `eval()` mode.
    """
    net.eval().requires_grad_(False)
    for module in list(net.modules()):
        for (conv_name, conv), (norm_name, norm) in pairwise(list(module.named_children())):
            if isinstance(conv, nn.Conv2d) and isinstance(norm, nn.BatchNorm2d):
                setattr(module, conv_name, fuse_conv_bn_eval(conv, norm))
                setattr(module, norm_name, nn.Identity())
        for name, child in list(module.named_children()):
            if isinstance(child, InputConv):
                setattr(module, name, _without_scale(child))


def _without_scale(conv: InputConv) -> nn.Conv2d:
    """The same convolution as a plain `Conv2d`, the scale of the input planes being multiplied into its weights."""
    plain = nn.Conv2d(conv.in_channels, conv.out_channels, 3, padding=1, bias=conv.bias is not None)
    plain.weight = nn.Parameter(conv.weight * conv.scale, requires_grad=False)
    if conv.bias is not None:
        plain.bias = nn.Parameter(conv.bias, requires_grad=False)
    return plain.eval()


class TorchNet:
    """An `Evaluator`: a torch net on a device."""

    runtime: Literal["torch"] = "torch"

    def __init__(
        self, net: Net, name: str, precision: Precision, *, device: Device | None = None, chunk: int | None = None
    ) -> None:
        """Take over the net: it is moved to the device, and can no longer be trained.

        `chunk`: the number of positions that are computed at once, in place of `CHUNK`. Larger chunks are faster if the
        batches fill them, and slower if not. In small chunks (8 on the processor) the last bits of a position's outputs
        depend on its place in the chunk.

        :raises ConfigError: `chunk` is below 1.
        """
        self.device: Device = device or ("cuda" if torch.cuda.is_available() else "cpu")
        self.precision: Precision = precision
        self._chunk = CHUNK[self.device] if chunk is None else chunk
        check_at_least("chunk", self._chunk, 1)
        self.batch_size = CHUNKS[self.device] * self._chunk
        self.least_beside = self._chunk  # which takes as long for fewer positions
        self.name = f"{name} (torch {self.device} {precision})"
        self.encoding = net.encoding
        self._net_name = name
        fold(net)
        dtype = torch.bfloat16 if precision == "bf16" else torch.float32
        net.to(self.device, dtype).to(memory_format=torch.channels_last)
        self._lanes: SimpleQueue[_Lane] = SimpleQueue()
        for _ in range(LANES[self.device]):
            self._lanes.put(_Lane(net, self._chunk, self.device))

    def evaluate(self, batch: Batch) -> Evaluation:
        """Judge every position of the batch.

        :raises ConfigError: the batch is of another game than chess.
        :raises EvaluationError: the net answers with numbers that are not finite.
        """
        check_game(batch, "chess", self._net_name)
        masks, values = batch.packed(self.encoding)
        size, offsets = self._chunk, batch.offsets
        rows = np.repeat(np.arange(len(batch)) % size, np.diff(offsets))
        entries = rows * POLICY_SIZES[self.encoding] + batch.policy_indices(self.encoding)
        chunks_evaluated: list[tuple[Tensor, Tensor, Tensor]] = []
        lane = self._lanes.get()
        try:
            with torch.inference_mode(), lane.current():
                inputs = self._send(masks.view(np.int64)), self._send(values)
                picked = self._send(entries)
                for start in range(0, len(batch), size):
                    part = slice(start, min(start + size, len(batch)))
                    legal = picked[offsets[part.start] : offsets[part.stop]]
                    chunks_evaluated.append(lane.compute(inputs[0][part], inputs[1][part], legal))
                logits, wdl, plies = (torch.cat(parts).cpu().numpy() for parts in zip(*chunks_evaluated, strict=True))
        finally:
            self._lanes.put(lane)
        return checked(Evaluation(logits, wdl, plies if len(plies) else None), self.name)

    def _send(self, values: NDArray[np.int64] | NDArray[np.float32]) -> Tensor:
        tensor = torch.from_numpy(values)
        return tensor if self.device == "cpu" else tensor.pin_memory().to(self.device, non_blocking=True)


class _Lane:
    """The input buffers for one chunk, and the code that evaluates it: on CUDA a stream and a captured graph. Only one
    caller may use a lane at a time.
    """

    def __init__(self, net: Net, size: int, device: Device) -> None:
        self._net = net
        shape = size, PLANES[net.encoding]
        self._masks = torch.zeros(shape, dtype=torch.int64, device=device)
        self._values = torch.zeros(shape, dtype=next(net.parameters()).dtype, device=device)
        self._stream: torch.cuda.Stream | None = None
        if device == "cuda":
            self._stream = torch.cuda.Stream()  # type: ignore[no-untyped-call]  # torch does not type it
            with torch.inference_mode():
                self._capture(self._stream)

    @contextmanager
    def current(self) -> Iterator[None]:
        """A context manager in which torch's work goes to this lane's CUDA stream, if it has one."""
        with torch.cuda.stream(self._stream):
            yield

    def compute(self, masks: Tensor, values: Tensor, legal: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Evaluate one chunk: packed planes, `[n, C]` each, and the indices `[m]` of the legal moves in the flattened
        policy → logits `[m]`, win, draw and loss `[n, 3]`, and plies `[n]`, empty without such a head.
        """
        count = len(masks)
        self._masks[:count].copy_(masks)
        self._values[:count].copy_(values)
        if self._stream is None:
            outputs = self._forward()
        else:
            self._graph.replay()
            outputs = self._outputs
        plies = outputs.plies[:count].clone() if outputs.plies is not None else masks.new_empty(0)
        return outputs.policy.flatten().index_select(0, legal), outputs.wdl[:count].clone(), plies

    def _forward(self) -> Outputs:
        planes = unpack_planes(self._masks, self._values).contiguous(memory_format=torch.channels_last)
        policy, wdl, plies = self._net(planes)
        plies = None if plies is None else plies.float() * self._net.plies_unit
        return Outputs(policy.float(), wdl.float().softmax(1), plies)

    def _capture(self, stream: torch.cuda.Stream) -> None:
        torch.cuda.synchronize()
        # By default f32 convolutions are computed in TF32, which has only the mantissa of half precision.
        with torch.backends.cudnn.flags(enabled=True, deterministic=True, allow_tf32=False):
            with torch.cuda.stream(stream):
                for _ in range(_WARM_UP):
                    self._forward()
            self._graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(self._graph, stream=stream, capture_error_mode="thread_local"):
                self._outputs = self._forward()
