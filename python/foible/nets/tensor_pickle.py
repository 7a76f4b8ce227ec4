"""Reads pickles of named tensors, as PyTorch writes them, without running any code from them.

A pickle is a program for a small stack machine. This reader follows only the few instructions that a checkpoint of
weights needs; it refuses all others, and all classes and functions except those that make up a tensor.
"""

import pickletools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from foible.errors import NetFileError

STORAGES: Final[Mapping[str, str]] = {
    "FloatStorage": "<f4",
    "HalfStorage": "<f2",
    "BFloat16Storage": "<u2",
    "DoubleStorage": "<f8",
    "LongStorage": "<i8",
    "IntStorage": "<i4",
    "BoolStorage": "?",
    "ByteStorage": "u1",
}
"""NumPy's type of number for each storage class of PyTorch; bfloat16 is read as its bits."""
_DICT, _TENSOR = "collections.OrderedDict", "torch._utils._rebuild_tensor_v2"
_KNOWN: Final = frozenset({_DICT, _TENSOR, *(f"torch.{kind}" for kind in STORAGES)})
_PERSISTENT: Final = 5
"""The number of parts in a pickle's reference to a storage: a word, the kind, the entry, the device, and the count of
numbers.
"""


@dataclass(frozen=True, slots=True)
class Storage:
    """A reference to the numbers in an entry of the archive."""

    kind: str
    """A key of `STORAGES`."""
    entry: str
    count: int


@dataclass(frozen=True, slots=True)
class Tensor:
    """A view of a storage. All its numbers are at least 0."""

    storage: Storage
    offset: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class _Global:
    """A class or function that a pickle names; it is only compared by name, never looked up."""

    name: str


def read_pickle(data: bytes) -> Any:
    """Read a pickle that holds only dictionaries, lists, tuples, numbers, text and tensors.

    :raises NetFileError: the pickle is damaged, or asks for anything else.
    """
    machine = _Machine()
    try:
        for operation, argument, _ in pickletools.genops(data):
            machine.follow(operation.name, argument)
        (value,) = machine.stack
    except NetFileError:
        raise
    except (ValueError, TypeError, IndexError, KeyError, AttributeError) as error:
        reason = " ".join(str(error).split())[:100] or "ends early"
        raise NetFileError(f"its pickle is damaged: {reason}") from None
    return value


class _Machine:
    """The stack machine: its stack, the marks on the stack, and the memo of values kept for later."""

    def __init__(self) -> None:
        self.stack: list[Any] = []
        self._marks: list[int] = []
        self._kept: dict[int, Any] = {}
        self._instructions: Mapping[str, Callable[[Any], None]] = {
            **dict.fromkeys(("PROTO", "STOP"), lambda _: None),
            **dict.fromkeys(("BININT", "BININT1", "BININT2", "LONG1", "BINFLOAT", "BINUNICODE"), self.stack.append),
            **dict.fromkeys(("BINPUT", "LONG_BINPUT"), self._keep),
            **dict.fromkeys(("BINGET", "LONG_BINGET"), lambda number: self.stack.append(self._kept[number])),
            "NONE": lambda _: self.stack.append(None),
            "NEWTRUE": lambda _: self.stack.append(True),
            "NEWFALSE": lambda _: self.stack.append(False),
            "EMPTY_DICT": lambda _: self.stack.append({}),
            "EMPTY_LIST": lambda _: self.stack.append([]),
            "EMPTY_TUPLE": lambda _: self.stack.append(()),
            "MARK": lambda _: self._marks.append(len(self.stack)),
            "TUPLE": lambda _: self.stack.append(tuple(self._above_mark())),
            "TUPLE1": lambda _: self.stack.append(tuple(self._last(1))),
            "TUPLE2": lambda _: self.stack.append(tuple(self._last(2))),
            "TUPLE3": lambda _: self.stack.append(tuple(self._last(3))),
            "APPEND": lambda _: self._extend(self._last(1)),
            "APPENDS": lambda _: self._extend(self._above_mark()),
            "SETITEM": lambda _: self._fill(self._last(2)),
            "SETITEMS": lambda _: self._fill(self._above_mark()),
            "GLOBAL": self._name,
            "BINPERSID": lambda _: self.stack.append(_storage(self.stack.pop())),
            "REDUCE": lambda _: self.stack.append(_called(*self._last(2))),
            # BUILD sets the attributes of an object. PyTorch uses it only to note the versions of modules: dropped.
            "BUILD": lambda _: self.stack.__delitem__(-1),
        }

    def follow(self, instruction: str, argument: Any) -> None:
        known = self._instructions.get(instruction)
        if known is None:
            raise NetFileError(f"its pickle uses {instruction}, which no checkpoint of weights needs")
        known(argument)

    def _keep(self, number: int) -> None:
        self._kept[number] = self.stack[-1]

    def _last(self, count: int) -> list[Any]:
        return self._from(len(self.stack) - count)

    def _above_mark(self) -> list[Any]:
        return self._from(self._marks.pop())

    def _from(self, start: int) -> list[Any]:
        if start < 0:
            raise IndexError
        values = self.stack[start:]
        del self.stack[start:]
        return values

    def _extend(self, values: Sequence[Any]) -> None:
        self.stack[-1].extend(values)

    def _fill(self, values: Sequence[Any]) -> None:
        # Keys of other types are refused before they are hashed: a deeply nested tuple would crash Python.
        if not all(isinstance(key, str | int) for key in values[::2]):
            raise ValueError("a key that is neither text nor number")
        self.stack[-1].update(zip(values[::2], values[1::2], strict=True))

    def _name(self, argument: str) -> None:
        name = argument.replace(" ", ".")
        if name not in _KNOWN:
            raise NetFileError(
                f"its pickle asks for {name[:80]!r}, which no checkpoint of weights needs; nothing of it was run"
            )
        self.stack.append(_Global(name))


def _storage(said: Sequence[Any]) -> Storage:
    if not isinstance(said, tuple) or len(said) != _PERSISTENT:
        raise ValueError("not a storage")
    _, kind, entry, _, count = said
    if not isinstance(kind, _Global) or not isinstance(entry, str) or type(count) is not int or count < 0:
        raise ValueError("not a storage")
    return Storage(kind.name.removeprefix("torch."), entry, count)


def _called(function: Any, arguments: Any) -> Any:
    if function == _Global(_DICT) and arguments == ():
        return {}
    if function != _Global(_TENSOR):
        raise ValueError("makes something else than a tensor")
    storage, offset, shape, strides, *_ = arguments
    whole = all(type(number) is int and number >= 0 for number in (offset, *shape, *strides))
    if not isinstance(storage, Storage) or storage.kind not in STORAGES or len(shape) != len(strides) or not whole:
        raise ValueError("not a tensor")
    return Tensor(storage, offset, tuple(shape), tuple(strides))
