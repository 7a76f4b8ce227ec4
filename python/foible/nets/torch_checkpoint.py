"""Reads weights from a PyTorch checkpoint (`.pt`) without PyTorch. The first aim is safety on untrusted input
(maia-nets §3).

A checkpoint is a zip archive of uncompressed entries: `NAME/data.pkl`, a pickle that lists the tensors, and
`NAME/data/0`, `…/1`, which hold their numbers. The pickle is never loaded with Python's `pickle`, but read by
`tensor_pickle`. Each tensor is read when it is asked for, so the moments of an optimiser, two thirds of some files, are
never read.
"""

import zipfile
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from math import prod
from pathlib import Path
from typing import Any, Final

import numpy as np

from foible.errors import NetFileError
from foible.nets.evaluator import Floats
from foible.nets.file_reading import check_is_no_stand_in
from foible.nets.paths import CHECKPOINT_SUFFIX
from foible.nets.tensor_pickle import STORAGES, Tensor, read_pickle

MAX_BYTES: Final = 4 << 30
"""The largest checkpoint that is opened, in bytes. With its optimiser, a net of 79 million weights has 0.9 GB."""
SUFFIXES: Final = (CHECKPOINT_SUFFIX, ".pth", ".ckpt")
_MAX_PICKLE: Final = 16 << 20
"""The largest pickle that is read, in bytes. The largest known one has half a megabyte."""
_ZIP: Final = b"PK\x03\x04"
_OLD_PICKLE: Final = b"\x80\x02\x8a\n"
"""The first bytes of a file that PyTorch before 1.6 wrote."""
_DAMAGES: Final = (zipfile.BadZipFile, zipfile.LargeZipFile, NotImplementedError, EOFError, OSError, ValueError)
"""The exceptions that `zipfile` raises for damaged archives."""
_STATE: Final = "model_state_dict"
_WRAPPER: Final = "module."
"""The prefix of each tensor's name if the net was trained on several devices."""


class Weights:
    """The tensors of a checkpoint, by name.

    :raises NetFileError: (every method) a tensor is missing, damaged or not of the size that its neighbours demand; the
        message names the tensor, but not the file.
    """

    def __init__(self, archive: zipfile.ZipFile, folder: str, tensors: Mapping[str, Any]) -> None:
        self._archive = archive
        self._folder = folder
        self._tensors = tensors

    def __contains__(self, name: str) -> bool:
        return name in self._tensors

    def count(self, pattern: str) -> int:
        """The number of tensors called `pattern.format(0)`, `pattern.format(1)`, … up to the first one missing."""
        number = 0
        while pattern.format(number) in self:
            number += 1
        return number

    def renamed(self, parts: Mapping[str, str]) -> "Weights":
        """The same tensors with parts of their names replaced: each key of `parts` by its value."""

        def new(name: str) -> str:
            for old, now in parts.items():
                name = name.replace(old, now)
            return name

        return Weights(self._archive, self._folder, {new(name): tensor for name, tensor in self._tensors.items()})

    def shape(self, name: str, dimensions: int) -> tuple[int, ...]:
        """The shape of a tensor, checked to have so many dimensions and none of size 0."""
        shape = self._find(name).shape
        if len(shape) != dimensions or min(shape) < 1:
            raise NetFileError(f"{name}: has shape {list(shape)}, expected {dimensions} dimensions")
        return shape

    def array(self, name: str, *shape: int) -> Floats:
        """The values of a tensor of this shape, in float32."""
        tensor = self._find(name)
        if tensor.shape != shape:
            raise NetFileError(f"{name}: has shape {list(tensor.shape)}, expected {list(shape)}")
        values = self._read(name, tensor)
        if not np.isfinite(values).all():
            raise NetFileError(f"{name}: holds numbers that are not finite")
        return values

    def _find(self, name: str) -> Tensor:
        tensor = self._tensors.get(name)
        if not isinstance(tensor, Tensor):
            raise NetFileError(f"has no tensor {name}")
        return tensor

    def _read(self, name: str, tensor: Tensor) -> Floats:
        storage = tensor.storage
        numbers = np.dtype(STORAGES[storage.kind])
        last = tensor.offset + sum((size - 1) * step for size, step in zip(tensor.shape, tensor.strides, strict=True))
        if prod(tensor.shape) > storage.count or last >= storage.count:
            raise NetFileError(f"{name}: reaches beyond its {storage.count} numbers")
        data = read_entry(self._archive, f"{self._folder}/data/{storage.entry}", storage.count * numbers.itemsize)
        stored = np.frombuffer(data, numbers)
        if storage.kind == "BFloat16Storage":
            stored = (stored.astype(np.uint32) << 16).view(np.float32)
        # The step along an axis of size 1 is never taken, and a file may name one that no machine number holds.
        sizes = zip(tensor.shape, tensor.strides, strict=True)
        steps = [step * stored.itemsize if size > 1 else 0 for size, step in sizes]
        with np.errstate(over="ignore"):  # numbers too large for float32 become infinite, and `array` refuses those
            return np.lib.stride_tricks.as_strided(stored[tensor.offset :], tensor.shape, steps).astype(np.float32)


def is_checkpoint(path: Path) -> bool:
    """Whether a file, which may be absent or damaged, is a checkpoint: because of its name, or because it begins as a
    zip archive.
    """
    return not path.is_dir() and (path.name.endswith(SUFFIXES) or begins_as_archive(path))


def begins_as_archive(path: Path) -> bool:
    """Whether a file begins as a zip archive, as checkpoints do; `False` if it cannot be read."""
    try:
        with path.open("rb") as file:
            return file.read(len(_ZIP)) == _ZIP
    except OSError:
        return False


@contextmanager
def open_checkpoint(path: Path) -> Iterator[Weights]:
    """The weights in a checkpoint, as a context manager: the file stays open while they are used.

    :raises NetFileError: the file cannot be read, is no checkpoint, is damaged or cut off, or its pickle asks for more
        than tensors; the message does not name the file.
    """
    with ExitStack() as stack:
        try:
            file = stack.enter_context(path.open("rb"))
            head, size = file.read(512), path.stat().st_size
        except OSError as error:
            raise NetFileError(f"cannot be read: {error.strerror or error}") from None
        check_is_no_stand_in(head)
        if not head.startswith(_ZIP):
            old = "; as PyTorch before 1.6 wrote it? Save it anew" if head.startswith(_OLD_PICKLE) else ""
            raise NetFileError(f"not a checkpoint of PyTorch, which is a zip archive{old}")
        if size > MAX_BYTES:
            raise NetFileError(f"larger than {MAX_BYTES >> 30} GiB")
        try:
            archive = stack.enter_context(zipfile.ZipFile(file))
        except _DAMAGES as error:
            raise NetFileError(f"cut off or damaged: {_in_one_line(error)}") from None
        yield _weights(archive)


def _weights(archive: zipfile.ZipFile) -> Weights:
    pickles = [name for name in archive.namelist() if name.endswith("/data.pkl") and name.count("/") == 1]
    if len(pickles) != 1:
        raise NetFileError("a zip archive that is no checkpoint of PyTorch; expected one that holds a data.pkl")
    folder = pickles[0].removesuffix("/data.pkl")
    if f"{folder}/byteorder" in archive.namelist() and read_entry(archive, f"{folder}/byteorder") != b"little":
        raise NetFileError("was written on a big-endian machine; save it on another")
    if archive.getinfo(pickles[0]).file_size > _MAX_PICKLE:
        raise NetFileError(f"its pickle is larger than {_MAX_PICKLE >> 20} MiB")
    content = read_pickle(read_entry(archive, pickles[0]))
    if isinstance(content, dict):
        content = content.get(_STATE, content)
    if not isinstance(content, dict):
        raise NetFileError("holds no weights by name")
    named = {name.removeprefix(_WRAPPER): tensor for name, tensor in content.items() if isinstance(name, str)}
    return Weights(archive, folder, named)


def read_entry(archive: zipfile.ZipFile, name: str, size: int | None = None) -> bytes:
    """The bytes of an entry of the archive.

    :raises NetFileError: the entry is missing, damaged, compressed or encrypted, or has another size than `size`.
    """
    try:
        info = archive.getinfo(name)
    except KeyError:
        raise NetFileError(f"damaged: has no entry {name}") from None
    if info.compress_type != zipfile.ZIP_STORED or info.flag_bits & 1:
        raise NetFileError(f"its entry {name} is packed or encrypted; expected it plain")
    if size is not None and info.file_size != size:
        raise NetFileError(f"damaged: its entry {name} has {info.file_size} bytes, expected {size}")
    try:
        data = archive.read(info)
    except _DAMAGES as error:
        raise NetFileError(f"damaged: {_in_one_line(error)}") from None
    if len(data) != info.file_size:
        raise NetFileError(f"damaged: its entry {name} ends early")
    return data


def _in_one_line(error: Exception) -> str:
    return " ".join(str(error).split()).lower()[:150] or "ends early"
