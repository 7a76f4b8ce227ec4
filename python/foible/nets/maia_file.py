"""Reads and describes the files of Maia-2 and Maia-3: PyTorch checkpoints, and ONNX models that were made from them."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from foible.errors import NetFileError
from foible.nets import maia2_net, maia3_net
from foible.nets.choices import Ratings
from foible.nets.description import NetDescription
from foible.nets.download import file_sha256
from foible.nets.maia2_net import HEADS, Maia2Net, read_maia2
from foible.nets.maia3_net import Maia3Net, read_maia3
from foible.nets.maia_onnx import read_maia_model
from foible.nets.maia_ratings import ANY, MAIA2, MAIA3, Family
from foible.nets.onnx_file import OnnxModel, read_bytes
from foible.nets.paths import ONNX_SUFFIX
from foible.nets.torch_checkpoint import is_checkpoint, open_checkpoint


def read_checkpoint(path: Path, ratings: Ratings | None, name: str) -> OnnxModel:
    """Read the net in a checkpoint, with these ratings built in, ready for a runtime.

    :raises NetFileError: the file cannot be used; the message does not name it.
    :raises ConfigError: `ratings` is `None`, or the net was not made for these ratings.
    """
    with _opened(path) as net:
        family = _family(net)
        return OnnxModel(name, net.serialise(*family.checked(ratings, path).both), False, family.encoding)


def describe_maia(path: Path, ratings: Ratings | None, name: str) -> NetDescription | None:
    """Describe a Maia-2 or Maia-3, in a checkpoint or in ONNX; `None` for any other ONNX model.

    :raises NetFileError: as `read_checkpoint`.
    :raises ConfigError: the net was not made for these ratings.
    """
    if is_checkpoint(path):
        with _opened(path) as net:
            family = _family(net)
            net.serialise(*family.checked(ratings or ANY, path).both)
            found = NetDescription(
                name,
                "pytorch",
                blocks=net.blocks if isinstance(net, Maia2Net) else None,
                filters=net.filters if isinstance(net, Maia2Net) else None,
                encoders=net.encoders,
                width=net.width,
                attention_heads=HEADS if isinstance(net, Maia2Net) else net.heads,
                history=None if isinstance(net, Maia2Net) else net.history,
            )
            return _with_facts(found, family, path, ratings)
    model = read_maia_model(read_bytes(path)) if path.name.endswith(ONNX_SUFFIX) else None
    if model is None:
        return None
    model.told(model.family.checked(ratings or ANY, path))
    found = NetDescription(name, "onnx", history=model.boards or None)
    return _with_facts(found, model.family, path, ratings)


def _with_facts(found: NetDescription, family: Family, path: Path, ratings: Ratings | None) -> NetDescription:
    return replace(
        found,
        path=path,
        size=path.stat().st_size,
        sha256=file_sha256(path),
        licence=family.licence,
        ratings=family.ratings,
        notes=family.notes_on(ratings),
        not_opened=None if ratings else family.asks_for_ratings(path),
        value="classical" if family is MAIA2 else "wdl",
        moves_left=False,
        input=family.encoding,
    )


def _family(net: Maia2Net | Maia3Net) -> Family:
    return MAIA2 if isinstance(net, Maia2Net) else MAIA3


@contextmanager
def _opened(path: Path) -> Iterator[Maia2Net | Maia3Net]:
    with open_checkpoint(path) as weights:
        if maia2_net.TELLING in weights:
            yield read_maia2(weights)
        elif maia3_net.TELLING in weights:
            yield read_maia3(weights)
        else:
            raise NetFileError(
                "a checkpoint of PyTorch, but neither of Maia-2 nor of Maia-3; of a training of foible expected the net"
                " of its run, .pb.gz, .onnx or .txt.gz, or the run's folder"
            )
