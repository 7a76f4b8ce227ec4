"""Kinds of net files, one object each: what knows such a file, describes it, opens it and writes it for others.

Nothing else asks what kind a file is. A kind that foible does not run is here too, to be refused with a reason.

What reads and makes graphs is imported where a file is read: ONNX takes a fifth of a second, and who only looks for a
name waits for none of it.
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
from foible.nets.go.katago_file import INSTEAD, REASON, read_katago
from foible.nets.go.leela_file import begins_as_weights, read_weights
from foible.nets.go.leela_write import write_weights
from foible.nets.lc0_attention_net import AttentionNet
from foible.nets.lc0_file import naming
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
from foible.nets.runtimes import Runtimes, installed_runtimes
from foible.nets.torch_checkpoint import begins_as_archive, is_checkpoint
from foible.runs.files import write_atomically


@dataclass(frozen=True, slots=True)
class Source:
    """A file, the ratings of the players as whom its net is to play, and the heads that it is to use."""

    path: Path
    ratings: Ratings | None = None
    heads: Heads | None = None
    """Those to take of several; `None`: the usual ones."""

    @property
    def title(self) -> str:
        """What reports call the net."""
        return at_heads(at_rating(net_name(self.path), self.ratings), self.heads)


@dataclass(frozen=True, slots=True)
class Format:
    """A kind of files. What its functions read may be damaged: they raise `NetFileError`, which names the file."""

    name: FormatName
    game: Game
    suffixes: tuple[str, ...]
    """The suffixes of its files; empty where it is not looked for in folders."""
    matches: Callable[[Path], bool]
    """Whether a file, or a folder, is of this kind and of none before it in the catalogue: by its name alone, or by how
    it begins where its name does not say. It may be absent.
    """
    describe: Callable[[Source], NetDescription]
    """Reads the whole file."""
    open: Callable[[Source, Runtimes], Evaluator]
    """`ConfigError` where runtime, precision or rating is not to be had."""
    export: Callable[[Source, Path], None]
    """Writes the net into a new file for other programs, in the format that its name asks for. `ConfigError` where the
    name has no such suffix, or a file is there.
    """
    holds: Callable[[Path], bool] = lambda _: True
    """Whether a file with one of the suffixes, which may be any other, is of this kind or a damaged one of it."""
    sha256: Callable[[Path], str] = file_sha256
    """The checksum that reports name."""
    unrated: str | None = None
    """Why no net of this kind plays at a rating; `None` where some do."""


def _open_chess(source: Source, how: Runtimes) -> Evaluator:
    from foible.nets.chess_file import read_model  # noqa: PLC0415  graphs take long to import
    from foible.nets.fastest_runtime import cuda_at_hand, fastest  # noqa: PLC0415

    if how.runtime == "torch":
        return _open_torch(source, how)
    if how.runtime == "auto" and how.precision != "int8" and cuda_at_hand():
        with suppress(NetFileError):  # what no module can be made of, the other runtimes may run
            return _open_torch(source, how)
    model = read_model(source.path, source.ratings, source.heads)
    return fastest(model, how)


def _open_torch(source: Source, how: Runtimes) -> Evaluator:
    required("torch")
    if source.heads is not None:
        raise NetFileError(f"{source.path}: heads are to be chosen in openvino or onnxruntime, not in torch")
    from foible.nets.torch_net import open_torch  # noqa: PLC0415  torch takes seconds to import

    if how.precision == "int8":
        raise ConfigError("torch computes in f32 and bf16; int8 is computed in openvino and onnxruntime")
    precision = "f32" if how.precision == "auto" else how.precision
    return open_torch(source.path, source.title, source.ratings, precision, how.thread_count)


def _describe_chess(source: Source) -> NetDescription:
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


def _describe_lc0(source: Source, net: Lc0Net | AttentionNet) -> NetDescription:
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


def _export_chess(source: Source, out: Path) -> None:
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


def _open_go(source: Source, how: Runtimes) -> Evaluator:
    from foible.nets.go.evaluator import GoRuntimeNet  # noqa: PLC0415  graphs take long to import
    from foible.nets.go.graph import graph_model  # noqa: PLC0415
    from foible.nets.precision import attainable  # noqa: PLC0415

    if how.runtime == "torch":
        raise ConfigError(f"{source.path}: a net for Go runs in openvino or onnxruntime, not in torch")
    model = graph_model(read_weights(source.path), source.title)
    precision: Precision = "f32" if how.precision == "auto" else attainable(how.precision, model.name, int8=False)
    runtime = installed_runtimes()[0] if how.runtime == "auto" else how.runtime
    return GoRuntimeNet(model, runtime, precision, how.thread_count)


def _describe_go(source: Source) -> NetDescription:
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


def _export_go(source: Source, out: Path) -> None:
    from foible.nets.go.graph import to_onnx  # noqa: PLC0415  graphs take long to import

    check_new(out, (*GO_SUFFIXES, ONNX_SUFFIX), "a net for Go")
    weights = read_weights(source.path)
    if out.name.endswith(ONNX_SUFFIX):
        write_atomically(out, to_onnx(weights).SerializeToString())
    else:
        write_weights(weights, out)


def _called(*suffixes: str) -> Callable[[Path], bool]:
    return lambda path: path.name.endswith(suffixes) and not path.is_dir() and not begins_as_archive(path)


def _describe_katago(source: Source) -> NetDescription:
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


def _refuse_katago(source: Source, _: object) -> NoReturn:
    with naming(source.path):
        read_katago(source.path)
    raise NetFileError(f"{source.path}: {REASON}; {INSTEAD}")


LC0: Final = Format("lc0", "chess", LC0_SUFFIXES, _called(*LC0_SUFFIXES), _describe_chess, _open_chess, _export_chess)
"""Weights files of lc0, also such with an ONNX model inside."""
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
"""Weights as text, Leela Zero's and SAI's; as they are published, without a telling name, too."""
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
"""Described, and not run."""
PYTORCH: Final = Format(
    "pytorch", "chess", (CHECKPOINT_SUFFIX,), is_checkpoint, _describe_chess, _open_chess, _export_chess
)
"""Checkpoints of Maia-2 and Maia-3, whatever they are called."""
