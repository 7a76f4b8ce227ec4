"""From a name to a net: a path, the built-in evaluator, a folder of nets, a net that comes with foible, or a known
public net fetched once.
"""

import hashlib
import logging
import os
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal, get_args

from foible.errors import ConfigError, FoibleError, NetFileError
from foible.nets.auto import cuda_at_hand, fastest
from foible.nets.cache import cache_folder
from foible.nets.download import Remote, fetch, file_sha256
from foible.nets.evaluator import Evaluator
from foible.nets.go.evaluator import GoRuntimeNet
from foible.nets.go.graph import graph_model
from foible.nets.go.leela_file import read_weights
from foible.nets.lc0_embedded import embedded_onnx
from foible.nets.lc0_file import naming, read_contents, read_lc0
from foible.nets.lc0_net import ConvolutionalPolicy, Lc0Net
from foible.nets.material import Material
from foible.nets.mixture_file import Mixture, build_mixture, mixture_hash, names_nets, read_mixture
from foible.nets.modules import torch_or_explain
from foible.nets.onnx_file import NO_RATING, OnnxModel, check_onnx, model_from_lc0, read_onnx
from foible.nets.paths import (
    GO_SUFFIXES,
    MIXTURE_SUFFIX,
    SUFFIXES,
    begins_as_go_net,
    is_go_net,
    is_mixture,
    net_at,
    net_name,
    stem,
)
from foible.nets.rating import fold_rating
from foible.nets.runtimes import InRuntime, Precision, Runtime, RuntimeNet, default_threads
from foible.nets.shipped import at_rating, shipped_file, shipped_names, split_rating

MATERIAL = "material"
FOLDERS_VARIABLE = "FOIBLE_NETS"
"""Environment variable: folders of nets, separated as in `PATH`."""
NO_NET_INSIDE = "a folder without a net; expected a file, or the folder of a training that has ended"
HINT = f"folders with your own nets go into {FOLDERS_VARIABLE}"
URL_VARIABLE = "FOIBLE_NETS_URL"
"""Environment variable: where to fetch the Maia nets instead of from their authors."""

MAIA_URL = "https://raw.githubusercontent.com/CSSLab/maia-chess/master/maia_weights"
_MAIA = {
    "maia-1100": (1313193, "e1cf1cd0c96b8a4fa6a275f4b9fd54ed1ffebf9fe44641b9fceded310e9619c4"),
    "maia-1200": (1249692, "ead4ba953f233ae732999ebc1e2b675378148527ebcfad2f0acbc5e4c224d98e"),
    "maia-1300": (1244431, "36195f87bf4761834baa0bf87472b18509a7261a9d7d6f1a8443261369a733f2"),
    "maia-1400": (1328977, "d5353ea6766356dad2d28920c6692f37a5f30963767f1a3105d33b4d0af011e8"),
    "maia-1500": (1258199, "35ab6f20421d59e1df3b17c5a5016947af4c6761368ef84044a9a9c7619a9a00"),
    "maia-1600": (1313870, "d2c9e5948581acf4b9fc0b1e720c5dc0fe64ce80cfc4a239d3f8a42e1176c876"),
    "maia-1700": (1313415, "d277eacd792d340a30abb464dc65127254e65cac57abca17facc469889b96478"),
    "maia-1800": (1289431, "0031ad7c4256b1fd09fbebd28418d644d68b26cd2a45df4967ccf5c7ec9c4965"),
    "maia-1900": (1262607, "e2f565f42d7cd9f122557e6dc4eb84e5bbaedceda1d404dc485d3611c7c97a12"),
}
"""Size in bytes and sha256 of `NAME.pb.gz`. Human-like nets of McIlroy-Young et al. (2020), one per lichess
rating.
"""


@dataclass(frozen=True, slots=True)
class KnownNet:
    """A net that can be named."""

    name: str
    kind: Literal["built-in", "folder", "shipped", "download"]
    path: Path | None
    """Where it lies; `None` for the built-in evaluator and for what is yet to be fetched."""


@dataclass(frozen=True, slots=True)
class NetDescription:
    """What can be said of a net without running it. `None` where the file does not say."""

    name: str
    format: Literal["lc0", "onnx", "leela-zero", "mixture", "built-in"]
    """`leela-zero`: a net for Go, all others are for chess."""
    path: Path | None = None
    size: int | None = None
    """Bytes of the file."""
    sha256: str | None = None
    blocks: int | None = None
    filters: int | None = None
    squeeze: int | None = None
    """Width of the squeeze-excite layers; 0 for plain blocks."""
    policy: str | None = None
    """`classical` or `convolution`."""
    value: str | None = None
    """`classical` (one number) or `wdl`; of a net for Go the kind of its head: `lz` (one number), `v`, `y` or `t`."""
    moves_left: bool | None = None
    activation: str | None = None
    encoding: str | None = None
    training_steps: int | None = None
    board: int | None = None
    """Points on a side, in Go."""
    planes: int | None = None
    """Input planes of a net for Go."""
    gate: str | None = None
    """Of a mixture: what tells the phases apart."""
    vote: str | None = None
    """`split` or `majority`."""
    nets: tuple[str, ...] | None = None
    """For each phase."""


def open_net(
    name: str,
    *,
    runtime: Runtime | Literal["auto"] = "auto",
    precision: Precision = "f32",
    threads: int | None = None,
) -> Evaluator:
    """The evaluator for a name or path. `threads` `None`: one per processor that this process may use.

    A net for Go runs on the processor, by default in OpenVINO.

    :raises NetFileError: there is no such net, or its file is not to be used.
    :raises ConfigError: the runtime, the precision, the number of threads or the rating is not to be had.
    """
    if runtime != "auto" and runtime not in get_args(Runtime):
        *others, last = ("auto", *get_args(Runtime))
        raise ConfigError(f"unknown runtime {runtime!r}, expected {', '.join(others)} or {last}")
    if precision not in ("f32", "bf16"):
        raise ConfigError(f"unknown precision {precision!r}, expected f32 or bf16")
    if name == MATERIAL:
        return Material()
    threads = default_threads() if threads is None else threads
    if threads < 1:
        raise ConfigError(f"threads is {threads}, expected at least 1")
    path, rating = find_net(name), split_rating(name)[1]
    if is_mixture(path):
        return _open_mixture(_read_mixture(path), runtime, precision, threads)
    if is_go_net(path):
        return _open_go(path, runtime, precision, threads)
    return _open_chess(path, rating, runtime, precision, threads)


def _open_chess(
    path: Path, rating: int | None, runtime: Runtime | Literal["auto"], precision: Precision, threads: int
) -> Evaluator:
    if runtime == "torch":
        return _open_torch(path, rating, precision, threads)
    if runtime == "auto" and cuda_at_hand():
        with suppress(NetFileError):  # what no module can be made of, the other runtimes may run
            return _open_torch(path, rating, precision, threads)
    model = read_model(path, rating)
    if runtime == "auto":
        return fastest(model, precision, threads)
    return RuntimeNet(model, runtime, precision, threads)


def _open_go(path: Path, runtime: Runtime | Literal["auto"], precision: Precision, threads: int) -> Evaluator:
    if runtime == "torch":
        raise ConfigError(f"{path}: a net for Go runs in openvino or onnxruntime, not in torch")
    model = graph_model(read_weights(path), net_name(path))
    return GoRuntimeNet(model, "openvino" if runtime == "auto" else runtime, precision, threads)


def _open_torch(path: Path, rating: int | None, precision: Precision, threads: int) -> Evaluator:
    torch_or_explain()
    from foible.nets.torch_net import open_torch  # noqa: PLC0415

    return open_torch(path, at_rating(net_name(path), rating), rating, precision, threads)


def find_net(name: str) -> Path:
    """The file of a net, at whatever rating it is asked for, or the folder of a mixture; in a run folder the net that
    was trained there. A known public net is fetched if need be.

    :raises NetFileError: nothing has that name, or it cannot be fetched.
    :raises ConfigError: the net cannot be had at that rating.
    """
    name, rating = split_rating(name)
    path = Path(name).expanduser()
    if name and (found := net_at(path)):
        if rating is not None and is_mixture(found):
            raise ConfigError(f"{name}:{rating}: a mixture plays at no rating; expected one at its nets")
        if rating is not None and is_go_net(found):
            raise ConfigError(f"{name}:{rating}: a net for Go plays at no rating")
        return found
    if path.name != name or name.endswith(SUFFIXES):
        raise NetFileError(f"{name}: {NO_NET_INSIDE if path.is_dir() else 'no such file'}")
    for known, file in _folder_nets():
        if known == name:
            return file
    if shipped := shipped_file(name):
        return shipped
    if name in _MAIA:
        try:
            return fetch(_remote(name), _cached(name))
        except NetFileError as error:
            raise NetFileError(f"{name} is not on this machine; {error}; {HINT}") from None
    if name == MATERIAL:
        raise NetFileError(f"{MATERIAL} is built in and has no file")
    if name and path.is_dir():
        raise NetFileError(f"{name}: {NO_NET_INSIDE}")
    raise NetFileError(f"no net is called {name!r}; known are {', '.join(net.name for net in known_nets())}; {HINT}")


def known_nets() -> list[KnownNet]:
    """Every name that works here, in the order in which names are looked up; nothing is fetched."""
    nets = {MATERIAL: KnownNet(MATERIAL, "built-in", None)}
    for name, path in _folder_nets():
        nets.setdefault(name, KnownNet(name, "folder", path))
    for name in shipped_names():
        nets.setdefault(name, KnownNet(name, "shipped", shipped_file(name)))
    for name in _MAIA:
        cached = _cached(name)
        nets.setdefault(name, KnownNet(name, "download", cached if cached.is_file() else None))
    return list(nets.values())


def describe_net(name: str) -> NetDescription:
    """What a net is; a known public net is fetched if need be. All its files are read, so that it can be opened then.

    :raises NetFileError: as `open_net`.
    :raises ConfigError: as `open_net`.
    """
    if name == MATERIAL:
        return NetDescription(Material().name, "built-in")
    path, (_, rating) = find_net(name), split_rating(name)
    if is_mixture(path):
        return _describe_mixture(name, _read_mixture(path))
    size, sha256 = path.stat().st_size, file_sha256(path)
    if is_go_net(path):
        weights = read_weights(path)
        return NetDescription(
            name=net_name(path),
            format="leela-zero",
            path=path,
            size=size,
            sha256=sha256,
            blocks=len(weights.blocks),
            filters=weights.filters,
            value=weights.value.kind,
            board=weights.size,
            planes=weights.planes,
        )
    if model := read_onnx_model(path, rating):
        return NetDescription(model.name, "onnx", path, size, sha256, value="wdl", moves_left=model.moves_left)
    net = read_lc0(path)
    se = net.blocks[0].se if net.blocks else None
    return NetDescription(
        name=at_rating(net_name(path), rating),
        format="lc0",
        path=path,
        size=size,
        sha256=sha256,
        blocks=len(net.blocks),
        filters=net.filters,
        squeeze=len(se.squeeze.biases) if se else 0,
        policy="convolution" if isinstance(net.policy, ConvolutionalPolicy) else "classical",
        value="wdl" if net.wdl else "classical",
        moves_left=net.moves_left is not None,
        activation=net.activation,
        encoding=net.encoding,
        training_steps=net.training_steps or None,
    )


def net_sha256(name: str) -> str:
    """The hash of a net's file; of a mixture, of its gate, its vote and the hashes of its nets.

    :raises NetFileError: there is no such net.
    """
    if name == MATERIAL:
        return hashlib.sha256(MATERIAL.encode()).hexdigest()
    path = find_net(name)
    return mixture_hash(_read_mixture(path), net_sha256) if is_mixture(path) else file_sha256(path)


def _read_mixture(path: Path) -> Mixture:
    """A mixture whose nets are there. Errors as `read_mixture`."""
    mixture = read_mixture(path)
    for net in dict.fromkeys(mixture.nets):
        if net == MATERIAL:
            continue
        try:
            file = find_net(net)
        except FoibleError as error:
            raise type(error)(f"{path}: {error}") from None
        if is_mixture(file):
            raise ConfigError(f"{path}: {net} is a mixture itself; expected a net")
        if is_go_net(file):
            raise ConfigError(f"{path}: {net} is a net for Go; expected one for chess")
    return mixture


def _open_mixture(
    mixture: Mixture, runtime: Runtime | Literal["auto"], precision: Precision, threads: int
) -> Evaluator:
    """One runtime for all nets: what `auto` chooses for the first holds for the others."""

    def open_one(net: str) -> Evaluator:
        nonlocal runtime
        opened = open_net(net, runtime=runtime, precision=precision, threads=threads)
        if isinstance(opened, InRuntime):
            runtime = opened.runtime
        return opened

    return build_mixture(mixture, net_name(mixture.path), open_one)


def _describe_mixture(name: str, mixture: Mixture) -> NetDescription:
    sizes = {found.path: found.size or 0 for found in map(describe_net, mixture.nets)}
    return NetDescription(
        name=net_name(mixture.path),
        format="mixture",
        path=mixture.path,
        size=sum(sizes.values()),
        sha256=net_sha256(name),
        gate=str(mixture.gate),
        vote=mixture.vote,
        nets=mixture.nets,
    )


def read_model(path: Path, rating: int | None = None) -> OnnxModel:
    """The net in a file, ready for a runtime: `.onnx` by its suffix, anything else as an lc0 weights file.

    `rating`: of the player as whom a net that was trained with ratings is to play.

    :raises NetFileError: the file is not to be used, or holds a net for Go.
    :raises ConfigError: a model in ONNX is asked for at a rating.
    """
    model = read_onnx_model(path, rating)
    return model or model_from_lc0(read_lc0_net(path, rating), at_rating(net_name(path), rating))


def read_onnx_model(path: Path, rating: int | None = None) -> OnnxModel | None:
    """The model in an ONNX file, or inside an lc0 weights file; `None` where that holds weights.

    Errors as `read_model`.
    """
    if is_go_net(path):
        raise NetFileError(f"{path} holds a net for Go; expected one for chess")
    if path.name.endswith(".onnx"):
        model = read_onnx(path, net_name(path))
    else:
        with naming(path):
            embedded = embedded_onnx(read_contents(path))
            if embedded is None:
                return None
            model = check_onnx(embedded, net_name(path))
    if rating is not None:
        raise ConfigError(f"{path}: {NO_RATING}")
    return model


def read_lc0_net(path: Path, rating: int | None = None) -> Lc0Net:
    """The net in an lc0 weights file, at a rating where one is given.

    :raises NetFileError: the file is not to be used.
    """
    net = read_lc0(path)
    with naming(path):
        return net if rating is None else fold_rating(net, rating)


def _folder_nets() -> Iterator[tuple[str, Path]]:
    """Names and files in the folders of `FOIBLE_NETS`, folder by folder."""
    for folder in filter(None, os.environ.get(FOLDERS_VARIABLE, "").split(os.pathsep)):
        directory = Path(folder).expanduser()
        if not directory.is_dir():
            _warn_of(folder)
            continue
        for suffix in SUFFIXES:
            for path in sorted(directory.glob(f"*{suffix}")):
                if _is_net(path, suffix):
                    yield stem(path), path


def _is_net(path: Path, suffix: str) -> bool:
    """Texts and TOML files may be of any kind."""
    if suffix == MIXTURE_SUFFIX:
        return names_nets(path)
    return suffix not in GO_SUFFIXES or begins_as_go_net(path)


@cache
def _warn_of(folder: str) -> None:
    """Once: where nobody has set up logging, Python writes the line to the error stream."""
    logging.getLogger(__name__).warning("%s: there is no folder %s", FOLDERS_VARIABLE, folder)


def _remote(name: str) -> Remote:
    size, sha256 = _MAIA[name]
    base = os.environ.get(URL_VARIABLE, MAIA_URL).rstrip("/")
    return Remote(f"{base}/{name}.pb.gz", size, sha256)


def _cached(name: str) -> Path:
    return cache_folder() / "nets" / f"{name}.pb.gz"
