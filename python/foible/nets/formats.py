"""The formats of net files, one object for each format: it recognises a file, describes it, opens it, and exports its
net for other programs.

No other code asks which format a file has. A format that foible does not run is listed too, to be refused with a
reason.

The modules that read and make graphs are imported only when a file is read: importing ONNX takes a fifth of a second,
which code that only looks up a name should not have to wait.
"""

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, NoReturn

from foible.errors import ConfigError, NetFileError
from foible.extras import required
from foible.nets.choices import Precision, Ratings
from foible.nets.description import FormatName, Game, NetDescription
from foible.nets.download import file_sha256
from foible.nets.evaluator import Evaluator
from foible.nets.file_reading import naming
from foible.nets.go.katago_file import INSTEAD, REASON, read_katago
from foible.nets.go.leela_file import begins_as_weights, read_weights
from foible.nets.go.leela_write import write_weights
from foible.nets.graph_workers import installed_runtimes
from foible.nets.lc0_file import AttentionNet
from foible.nets.lc0_heads import Heads
from foible.nets.lc0_net import Block, ConvolutionalPolicy, Lc0Net
from foible.nets.lc0_write import write_lc0
from foible.nets.named_nets import at_heads, at_rating
from foible.nets.paths import (
    CHECKPOINT_SUFFIX,
    GO_SUFFIXES,
    LC0_SUFFIXES,
    NET_SUFFIXES,
    ONNX_SUFFIX,
    check_new,
    net_name,
)
from foible.nets.runtimes import Runtimes
from foible.nets.torch_checkpoint import begins_as_archive, is_checkpoint
from foible.runs.files import write_atomically


@dataclass(frozen=True, slots=True)
class NetRequest:
    """A net that was asked for: its file, the ratings of the players that it is to imitate, and the heads to use."""

    path: Path
    ratings: Ratings | None = None
    heads: Heads | None = None
    """The heads to use if the net has several; `None`: the default ones."""

    @property
    def title(self) -> str:
        """The net's name in reports."""
        return at_heads(at_rating(net_name(self.path), self.ratings), self.heads)


@dataclass(frozen=True, slots=True)
class Format:
    """A format of net files. Its functions may be given damaged files: for these they raise `NetFileError`, whose
    message names the file.
    """

    name: FormatName
    game: Game
    suffixes: tuple[str, ...]
    """The suffixes of the format's files; empty if folders of nets are not searched for this format."""
    matches: Callable[[Path], bool]
    """Whether a file or folder has this format, if no earlier format in the catalogue matches: judged by its name, or
    by its first bytes if the name does not tell. The file may be absent.
    """
    describe: Callable[[NetRequest], NetDescription]
    """Describes a net, after reading its whole file."""
    open: Callable[[NetRequest, Runtimes], Evaluator]
    """Opens a net. It raises `ConfigError` if the runtime, the precision or the rating is not available."""
    export: Callable[[NetRequest, Path], None]
    """Writes the net into a new file for other programs, in the format that the suffix of the file's name stands for.
    It raises `ConfigError` if there is no such suffix, or if the file exists already.
    """
    holds: Callable[[Path], bool] = lambda _: True
    """Whether a file with one of the format's suffixes, which other files may have too, is of this format, even if
    damaged.
    """
    sha256: Callable[[Path], str] = file_sha256
    """Computes the checksum of a net that reports show."""
    unrated: str | None = None
    """The reason why no net of this format plays at a rating; `None` if some do."""


def _open_chess(source: NetRequest, how: Runtimes) -> Evaluator:
    from foible.nets.chess_file import read_model  # noqa: PLC0415  graphs take long to import
    from foible.nets.fastest_runtime import cuda_at_hand, fastest  # noqa: PLC0415

    if how.runtime == "torch":
        return _open_torch(source, how)
    if how.runtime == "auto" and how.precision != "int8" and cuda_at_hand():
        with suppress(NetFileError):  # the other runtimes may run a net of which no torch module can be made
            return _open_torch(source, how)
    model = read_model(source.path, source.ratings, source.heads)
    return fastest(model, how)


def _open_torch(source: NetRequest, how: Runtimes) -> Evaluator:
    required("torch")
    if source.heads is not None:
        raise NetFileError(f"{source.path}: heads are to be chosen in openvino or onnxruntime, not in torch")
    from foible.nets.torch_net import open_torch  # noqa: PLC0415  torch takes seconds to import

    if how.precision == "int8":
        raise ConfigError("torch computes in f32 and bf16; int8 is computed in openvino and onnxruntime")
    precision = "f32" if how.precision == "auto" else how.precision
    return open_torch(source.path, source.title, source.ratings, precision, how.thread_count)


def _describe_chess(source: NetRequest) -> NetDescription:
    from foible.nets.chess_file import model_of, read_chess_net  # noqa: PLC0415  graphs take long to import
    from foible.nets.maia_file import describe_maia  # noqa: PLC0415

    with naming(source.path):
        if maia := describe_maia(source.path, source.ratings, source.title):
            return maia
        net = read_chess_net(source.path, source.ratings, source.heads)
        if not isinstance(net, bytes):
            return _describe_lc0(source, net)
        found = model_of(net, source.title)
    return NetDescription(
        name=source.title,
        format="onnx",
        path=source.path,
        size=source.path.stat().st_size,
        sha256=file_sha256(source.path),
        value="wdl",
        moves_left=found.moves_left,
        input=found.encoding,
    )


def _describe_lc0(source: NetRequest, net: Lc0Net | AttentionNet) -> NetDescription:
    found = NetDescription(
        name=source.title,
        format="lc0",
        path=source.path,
        size=source.path.stat().st_size,
        sha256=file_sha256(source.path),
        value="wdl" if net.wdl else "classical",
        moves_left=net.moves_left is not None,
        activation=net.activation,
        encoding=net.encoding,
        training_steps=net.training_steps or None,
    )
    if isinstance(net, AttentionNet):
        return _with_attention(found, net)
    return replace(
        _with_tower(found, net.blocks, net.filters),
        policy="convolution" if isinstance(net.policy, ConvolutionalPolicy) else "classical",
        input=net.planes,
    )


def _with_attention(found: NetDescription, net: AttentionNet) -> NetDescription:
    kind, body, tower = net.architecture, net.body, net.tower
    if body is not None:
        found = replace(
            found,
            encoders=len(body.encoders),
            width=body.width,
            attention_heads=body.heads,
            smolgen=body.smolgen is not None,
            embedding=body.kind,
            ffn_activation=body.ffn_activation,
            smolgen_activation=None if body.smolgen is None else body.smolgen_activation,
        )
    if tower is not None:
        found = _with_tower(found, tower.blocks, tower.filters)
    return replace(
        found,
        policy=kind.policy,
        policies=net.policies,
        values=net.values,
        heads=str(net.heads),
        input=net.input,
    )


def _with_tower(found: NetDescription, blocks: Sequence[Block], filters: int) -> NetDescription:
    se = blocks[0].se if blocks else None
    return replace(found, blocks=len(blocks), filters=filters, squeeze=len(se.squeeze.biases) if se else 0)


def _export_chess(source: NetRequest, out: Path) -> None:
    from foible.nets.chess_file import read_chess_net, read_model  # noqa: PLC0415  graphs take long to import

    model = read_model(source.path, source.ratings, source.heads)
    check_new(out, NET_SUFFIXES, "a net for chess")
    if out.name.endswith(ONNX_SUFFIX):
        return write_atomically(out, model.data)
    kind = "a Maia-2 or Maia-3"
    if not is_checkpoint(source.path):
        with naming(source.path):
            net = read_chess_net(source.path, source.ratings, source.heads)
        if isinstance(net, Lc0Net):
            return write_lc0(net, out)
        kind = "a net with attention or several heads" if isinstance(net, AttentionNet) else "an ONNX model"
    raise NetFileError(f"{source.path} holds {kind}; expected a residual net with weights of lc0's layers")


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


def _called(*suffixes: str) -> Callable[[Path], bool]:
    return lambda path: path.name.endswith(suffixes) and not path.is_dir() and not begins_as_archive(path)


def _describe_katago(source: NetRequest) -> NetDescription:
    with naming(source.path):
        head = read_katago(source.path)
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
        not_opened=f"{REASON}; {INSTEAD}",
    )


def _refuse_katago(source: NetRequest, _: object) -> NoReturn:
    with naming(source.path):
        read_katago(source.path)
    raise NetFileError(f"{source.path}: {REASON}; {INSTEAD}")


LC0: Final = Format("lc0", "chess", LC0_SUFFIXES, _called(*LC0_SUFFIXES), _describe_chess, _open_chess, _export_chess)
"""lc0's files, with weights or with an ONNX model inside."""
ONNX: Final = Format("onnx", "chess", (ONNX_SUFFIX,), _called(ONNX_SUFFIX), _describe_chess, _open_chess, _export_chess)
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
KATAGO: Final = Format(
    "katago",
    "go",
    (),
    _called(".bin.gz", ".bin"),
    _describe_katago,
    _refuse_katago,
    _refuse_katago,
    unrated="a net of KataGo is told no rating here",
)
"""Nets of KataGo, which foible describes but does not run."""
PYTORCH: Final = Format(
    "pytorch", "chess", (CHECKPOINT_SUFFIX,), is_checkpoint, _describe_chess, _open_chess, _export_chess
)
"""PyTorch checkpoints of Maia-2 and Maia-3, whatever the file is called."""
