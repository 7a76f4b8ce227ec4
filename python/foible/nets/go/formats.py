"""The formats of nets for Go: weights of Leela Zero and SAI, and KataGo's files (`.bin.gz`, `.bin`), of which foible
reads the head to describe the net, but which it does not run.

KataGo's format, according to its loader: the head consists of words separated by white space, namely a name, the
version, the number of input planes and the number of inputs for the whole board; from version 13 on, seven factors;
from version 15 on, the version of the metadata encoder, 0 without one, and seven reserved words; then a word with
`trunk` in it, the number of blocks and the number of channels. Weights follow after `@BIN@`. Nets with a metadata
encoder learnt from human games, and take ranks, time controls and dates as inputs.

The modules that make graphs are imported only when a net is opened: importing ONNX takes a fifth of a second.
"""

import gzip
import re
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NoReturn

from foible.errors import ConfigError, NetFileError
from foible.nets.choices import Precision
from foible.nets.description import NetDescription
from foible.nets.download import file_sha256
from foible.nets.evaluator import Evaluator
from foible.nets.file_reading import check_is_no_stand_in, first_bytes, naming
from foible.nets.formats import Format, NetRequest, ends_in
from foible.nets.go.leela_file import begins_as_weights, read_weights
from foible.nets.go.leela_write import write_weights
from foible.nets.graph_workers import installed_runtimes
from foible.nets.paths import GO_SUFFIXES, ONNX_SUFFIX, check_new
from foible.nets.runtimes import Runtimes
from foible.runs.files import write_atomically

_REASON: Final = "a net of KataGo, whose planes and heads foible does not know"
_INSTEAD: Final = "expected weights of Leela Zero or SAI (.txt.gz)"
_HEAD_SIZE: Final = 4096
"""The number of bytes to read: enough to hold all words before the first weights."""
_HEAD_WORDS: Final = re.compile(
    rb"\s*(\S+)\s+(\d{1,4})\s+(\d{1,6})\s+(\d{1,6})\s+"
    rb"(?:(?:[-+.e\d]+\s+){7}(?:(\d{1,4})\s+(?:\d+\s+){7})?)?"
    rb"\S*trunk\S*\s+(\d{1,6})\s+(\d{1,6})\s"
)


def _open_go(source: NetRequest, how: Runtimes) -> Evaluator:
    from foible.nets.go.evaluator import GoRuntimeNet  # noqa: PLC0415  graphs take long to import
    from foible.nets.go.graph import graph_model  # noqa: PLC0415
    from foible.nets.precision import attainable  # noqa: PLC0415

    if how.runtime == "torch":
        raise ConfigError(f"{source.path}: a net for Go runs in openvino or onnxruntime, not in torch")
    model = graph_model(read_weights(source.path), source.title)
    precision: Precision = "f32" if how.precision == "auto" else attainable(how.precision, model.name, int8=False)
    runtime = installed_runtimes()[0] if how.runtime == "auto" else how.runtime
    return GoRuntimeNet(model, runtime, precision, how.thread_count)


def _describe_go(source: NetRequest) -> NetDescription:
    weights = read_weights(source.path)
    return NetDescription(
        name=source.title,
        format="leela-zero",
        game="go",
        path=source.path,
        size=source.path.stat().st_size,
        sha256=file_sha256(source.path),
        blocks=len(weights.blocks),
        filters=weights.filters,
        value=weights.value.kind,
        board=weights.size,
        planes=weights.planes,
    )


def _export_go(source: NetRequest, out: Path) -> None:
    from foible.nets.go.graph import to_onnx  # noqa: PLC0415  graphs take long to import

    check_new(out, (*GO_SUFFIXES, ONNX_SUFFIX), "a net for Go")
    weights = read_weights(source.path)
    if out.name.endswith(ONNX_SUFFIX):
        write_atomically(out, to_onnx(weights).SerializeToString())
    else:
        write_weights(weights, out)


LEELA_ZERO: Final = Format(
    "leela-zero",
    "go",
    GO_SUFFIXES,
    lambda path: path.name.endswith(GO_SUFFIXES) or begins_as_weights(path),
    _describe_go,
    _open_go,
    _export_go,
    holds=begins_as_weights,
    unrated="a net for Go plays at no rating",
)
"""Weights as text, of Leela Zero and SAI; recognised also if the file has no telling name, as they are published."""


@dataclass(frozen=True, slots=True)
class _KataGoHead:
    """The head of a KataGo file."""

    name: str
    """The name that its training run gave it."""
    version: int
    """The version of the format, which also determines the meaning of the net's outputs."""
    planes: int
    numbers: int
    """The number of inputs for the whole board, which are not planes."""
    blocks: int
    channels: int
    metadata: bool
    """Whether the net has a metadata encoder, which tells it who plays; such nets learnt from human games."""

    @property
    def notes(self) -> tuple[str, ...]:
        """Lines about the net for its user: its version and inputs, and how to play with it in KataGo."""
        option = "-human-model FILE -config gtp_human5k_example.cfg" if self.metadata else "-model FILE"
        learnt = (
            "learnt from games of people; humanSLProfile says whose: rank_20k to rank_9d, proyear_1800 to proyear_2023"
        )
        facts = f"{self.name}, version {self.version}, {self.planes} planes and {self.numbers} numbers"
        return facts, *([learnt] if self.metadata else []), f"KataGo plays with it: katago gtp {option}"


def _read_katago(path: Path) -> _KataGoHead:
    """Read the head of a KataGo file.

    :raises NetFileError: the file cannot be read, or is no net of KataGo; the message does not name the file.
    """
    try:
        data = first_bytes(path, _HEAD_SIZE)
    except (EOFError, gzip.BadGzipFile, zlib.error):
        raise NetFileError("cut off or damaged: not gzip to the end of its first weights") from None
    except OSError as error:
        raise NetFileError(f"cannot be read: {error.strerror or error}") from None
    check_is_no_stand_in(data)
    match = _HEAD_WORDS.match(data)
    if match is None:
        raise NetFileError("not a net of KataGo; expected its name, its version and its sizes at the beginning")
    name, *numbers = match.groups()
    version, planes, others, metadata, blocks, channels = (int(number or 0) for number in numbers)
    return _KataGoHead(name.decode("latin-1"), version, planes, others, blocks, channels, metadata > 0)


def _describe_katago(source: NetRequest) -> NetDescription:
    with naming(source.path):
        head = _read_katago(source.path)
    return NetDescription(
        name=source.title,
        format="katago",
        game="go",
        path=source.path,
        size=source.path.stat().st_size,
        sha256=file_sha256(source.path),
        blocks=head.blocks,
        filters=head.channels,
        planes=head.planes,
        notes=head.notes,
        not_opened=f"{_REASON}; {_INSTEAD}",
    )


def _refuse_katago(source: NetRequest, _: object) -> NoReturn:
    with naming(source.path):
        _read_katago(source.path)
    raise NetFileError(f"{source.path}: {_REASON}; {_INSTEAD}")


KATAGO: Final = Format(
    "katago",
    "go",
    (),
    ends_in(".bin.gz", ".bin"),
    _describe_katago,
    _refuse_katago,
    _refuse_katago,
    unrated="a net of KataGo is told no rating here",
)
"""Nets of KataGo, which foible describes but does not run."""
