"""The formats of nets for chess: lc0's files, ONNX models, and PyTorch checkpoints of Maia-2 and Maia-3.

The modules that read and make graphs are imported only when a file is read: importing ONNX takes a fifth of a second,
which code that only looks up a name should not have to wait.
"""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Final

from foible.errors import ConfigError, NetFileError
from foible.extras import required
from foible.nets.description import NetDescription
from foible.nets.download import file_sha256
from foible.nets.evaluator import Evaluator
from foible.nets.file_reading import naming
from foible.nets.formats import Format, NetRequest, ends_in
from foible.nets.lc0_file import AttentionNet
from foible.nets.lc0_net import Block, ConvolutionalPolicy, Lc0Net
from foible.nets.lc0_write import write_lc0
from foible.nets.paths import CHECKPOINT_SUFFIX, LC0_SUFFIXES, NET_SUFFIXES, ONNX_SUFFIX, check_new
from foible.nets.runtimes import Runtimes
from foible.nets.torch_checkpoint import is_checkpoint
from foible.runs.files import write_atomically


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
        model = model_of(net, source.title)
    return NetDescription(
        name=source.title,
        format="onnx",
        path=source.path,
        size=source.path.stat().st_size,
        sha256=file_sha256(source.path),
        value="wdl",
        moves_left=model.moves_left,
        input=model.encoding,
    )


def _describe_lc0(source: NetRequest, net: Lc0Net | AttentionNet) -> NetDescription:
    description = NetDescription(
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
        return _with_attention(description, net)
    return replace(
        _with_tower(description, net.blocks, net.filters),
        policy="convolution" if isinstance(net.policy, ConvolutionalPolicy) else "classical",
        input=net.planes,
    )


def _with_attention(description: NetDescription, net: AttentionNet) -> NetDescription:
    kind, body, tower = net.architecture, net.body, net.tower
    if body is not None:
        description = replace(
            description,
            encoders=len(body.encoders),
            width=body.width,
            attention_heads=body.heads,
            smolgen=body.smolgen is not None,
            embedding=body.kind,
            ffn_activation=body.ffn_activation,
            smolgen_activation=None if body.smolgen is None else body.smolgen_activation,
        )
    if tower is not None:
        description = _with_tower(description, tower.blocks, tower.filters)
    return replace(
        description,
        policy=kind.policy,
        policies=net.policies,
        values=net.values,
        heads=str(net.heads),
        input=net.input,
    )


def _with_tower(description: NetDescription, blocks: Sequence[Block], filters: int) -> NetDescription:
    se = blocks[0].se if blocks else None
    return replace(description, blocks=len(blocks), filters=filters, squeeze=len(se.squeeze.biases) if se else 0)


def _export_chess(source: NetRequest, out: Path) -> None:
    from foible.nets.chess_file import model_of, read_chess_net, read_model  # noqa: PLC0415  graphs take long to import

    if is_checkpoint(source.path):
        net, model = None, read_model(source.path, source.ratings, source.heads)
    else:
        with naming(source.path):
            net = read_chess_net(source.path, source.ratings, source.heads)
            model = model_of(net, source.title)
    check_new(out, NET_SUFFIXES, "a net for chess")
    if out.name.endswith(ONNX_SUFFIX):
        return write_atomically(out, model.data)
    if isinstance(net, Lc0Net):
        return write_lc0(net, out)
    kind = "a Maia-2 or Maia-3" if net is None else "an ONNX model"
    if isinstance(net, AttentionNet):
        kind = "a net with attention or several heads"
    raise NetFileError(f"{source.path} holds {kind}; expected a residual net with weights of lc0's layers")


LC0: Final = Format("lc0", "chess", LC0_SUFFIXES, ends_in(*LC0_SUFFIXES), _describe_chess, _open_chess, _export_chess)
"""lc0's files, with weights or with an ONNX model inside."""
ONNX: Final = Format("onnx", "chess", (ONNX_SUFFIX,), ends_in(ONNX_SUFFIX), _describe_chess, _open_chess, _export_chess)
PYTORCH: Final = Format(
    "pytorch", "chess", (CHECKPOINT_SUFFIX,), is_checkpoint, _describe_chess, _open_chess, _export_chess
)
"""PyTorch checkpoints of Maia-2 and Maia-3, whatever the file is called."""
