"""Finds and opens a net by its name, which may be a path, the built-in evaluator, a net in one of the user's folders, a
net that comes with foible, or a public net, which is downloaded once.
"""

import hashlib
import logging
import os
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Final, Literal

from foible.errors import ConfigError, FoibleError, NetFileError
from foible.mistakes import NEAREST, near
from foible.nets.chess_formats import LC0, ONNX, PYTORCH
from foible.nets.choices import FOLDERS_VARIABLE, MATERIAL, Precision, Runtime, own_folders
from foible.nets.description import Game, NetDescription
from foible.nets.download import cache_folder
from foible.nets.evaluator import Evaluator, Material
from foible.nets.formats import Format, NetRequest
from foible.nets.go.formats import KATAGO, LEELA_ZERO
from foible.nets.mixture_file import NetMixture, build_mixture, mixture_hash, names_nets, read_mixture
from foible.nets.named_nets import (
    public_nets,
    shipped_file,
    shipped_names,
    shipped_nets,
    split_heads,
    split_precision,
    split_rating,
)
from foible.nets.paths import MIXTURE_SUFFIX, SUFFIXES, holds_phases, net_at, stem
from foible.nets.runtimes import Runtimes
from foible.scale.lending import lend, offered
from foible.toml import AnyPath, expand

NO_NET_INSIDE: Final = "a folder without a net; expected a file, or the folder of a training that has ended"
HINT: Final = f"folders with your own nets go into {FOLDERS_VARIABLE}"
ATTUNED: Final = "attuned-"
TUNED: Final = "tuned-"
MAKERS: Final = {
    ATTUNED: "`foible attune` (docs/attune.md)",
    TUNED: "`foible train` (docs/training.md, a net of one player)",
}
"""By how their names begin, what makes the nets that experiments of papers ask for and that nobody publishes."""


@dataclass(frozen=True, slots=True)
class KnownNet:
    """A net that can be opened by its name."""

    name: str
    kind: Literal["built-in", "folder", "shipped", "download", "by hand"]
    path: Path | None
    """The path of its file; `None` for the built-in evaluator and for a net that is not yet downloaded."""
    about: str = ""
    """A description in one line; empty for the user's own nets, unless name and size are those of a public net."""
    licence: str = ""
    """The licence of the net; empty for the built-in evaluator, and where there is no description."""
    size: int | None = None
    """The size of the file in bytes, also if it is not yet downloaded; `None` if unknown."""
    source: str = ""
    """The origin of a public net: the URL of the folder in which its authors keep it, or of the page for downloading
    it.
    """


def open_net(
    name: str | os.PathLike[str],
    *,
    runtime: Runtime | Literal["auto"] = "auto",
    precision: Precision | Literal["auto"] = "f32",
    threads: int | None = None,
) -> Evaluator:
    """The evaluator for a name or path. After a colon, the name may ask for a rating (`club:1300`), for the ratings of
    the player and of the opponent (`maia3-5m:1500-1900`), or for some of a net's heads (`bt4.pb.gz:optimistic+q`, see
    `Heads`); after one more colon, for a precision of its own (`master:int8`). `threads` `None`: one for each processor
    that this process may use.

    A precision that this machine or the net cannot make use of is replaced by f32, with a warning in the log.

    A Go net runs on the processor, by default in OpenVINO.

    :raises NetFileError: there is no such net, or its file cannot be used.
    :raises ConfigError: the runtime, the precision, the number of threads or the rating is not available.
    """
    name = os.fspath(name)
    how = Runtimes(runtime, split_precision(name)[1] or precision, threads)
    how.check()
    if name == MATERIAL:
        return Material()
    source = find_source(name)
    return format_of(source.path).open(source, how)


def describe_net(name: str) -> NetDescription:
    """Describe a net; a public net is downloaded if need be. All files of the net are read, so it can be opened
    afterwards unless `not_opened` gives a reason why not.

    :raises NetFileError: as `open_net`.
    :raises ConfigError: as `open_net`.
    """
    if name == MATERIAL:
        return NetDescription(Material().name, "built-in")
    source = find_source(name)
    found = format_of(source.path).describe(source)
    public = next((public for public in public_nets().values() if public.sha256 == found.sha256), None)
    return replace(found, licence=public.licence) if public else found


def describe_opened(name: str, game: Game) -> NetDescription:
    """Describe a net that can be opened, and that is one for a game.

    :raises NetFileError: as `open_net`.
    :raises ConfigError: as `open_net`; or the net can be described but not opened, or is one for the other game.
    """
    description = describe_net(name)
    if description.not_opened:
        raise ConfigError(f"{name}: {description.not_opened}")
    if description.game != game:
        own, other = ("Go", "chess") if description.game == "go" else ("chess", "Go")
        raise ConfigError(f"{name} is a net for {own}; expected one for {other}")
    return description


def net_sha256(name: str) -> str:
    """The sha256 of a net's file; for a mixture, a hash of its gate, its vote and the hashes of its nets.

    :raises NetFileError: there is no such net.
    """
    if name == MATERIAL:
        return hashlib.sha256(MATERIAL.encode()).hexdigest()
    path = find_net(name)
    return format_of(path).sha256(path)


def export_net(name: str, path: AnyPath) -> None:
    """Write a net into a new file, in the format that the suffix of the file's name stands for.

    A chess net is written for lc0 (`.pb.gz`, `.pb`), its weights rounded to LINEAR16, 65536 steps a layer, which every
    lc0 reads; if it is named with a rating, that rating is built in. A Go net is written in the format of Leela Zero
    and SAI (`.txt.gz`, `.txt`), bit by bit. As ONNX (`.onnx`), either is written as the graph that foible runs.

    :raises ConfigError: the path has none of the suffixes of the net's game, or the file exists already.
    :raises NetFileError: there is no such net, or a file of that format cannot hold it.
    :raises OSError: the file cannot be written.
    """
    source = find_source(name)
    format_of(source.path).export(source, expand(path))


def find_source(name: str) -> NetRequest:
    """The file of a net, with the ratings or the heads that its name asks for. Errors are those of `find_net`, and a
    `ConfigError` if heads are asked of a file that is not lc0's.
    """
    path, heads = find_net(name), split_heads(name)[1]
    if heads is not None and format_of(path) is not LC0:
        raise ConfigError(f"{name}: only an lc0 weights file has heads to choose from")
    return NetRequest(path, split_rating(name)[1], heads)


def find_net(name: str) -> Path:
    """The path of a net's file or of a mixture's folder, by the net's name, with or without rating and heads; for a run
    folder, the file of the net that was trained there. A public net is downloaded if need be. In a worker, a net that
    is not on this machine is fetched from the machine that started the worker, if that lends it.

    :raises NetFileError: no net has that name, or it cannot be downloaded.
    :raises ConfigError: the net does not play at that rating.
    """
    name, ratings = split_rating(name)
    path = _own_file(name) or _offered_file(name) or _published_file(name)
    if path is None:
        raise NetFileError(_why_none(name))
    if ratings is not None and (reason := format_of(path).unrated):
        raise ConfigError(f"{name}:{ratings}: {reason}")
    return path


def _own_file(name: str) -> Path | None:
    """The net at a path, or the one with that name in the user's folders; workers may fetch it from here."""
    path = net_at(name) if name else None
    if path is None and not _is_path(name):
        path = next((file for known, file in _folder_nets() if known == name), None)
    if path is not None and path.is_file():
        lend(name, path)
    return path


def _offered_file(name: str) -> Path | None:
    """In a worker, the net that the machine which started it lends under that name."""
    there = offered(name)
    return None if there is None else there.kept_in(cache_folder() / "lent")


def _published_file(name: str) -> Path | None:
    """The shipped net or the public net with that name; workers may fetch a public one from here."""
    if _is_path(name):
        return None
    if shipped := shipped_file(name):
        return shipped
    public = public_nets().get(name)
    if public is None:
        return None
    try:
        path = public.fetch()
    except NetFileError as error:
        raise NetFileError(f"{name} is not on this machine; {error}; {HINT}") from None
    lend(name, path)
    return path


def _is_path(name: str) -> bool:
    return expand(name).name != name or name.endswith(SUFFIXES)


def _why_none(name: str) -> str:
    """Why no net has that name, and what may be meant."""
    if name == MATERIAL:
        return f"{MATERIAL} is built in and has no file, and no rating, heads or precision to choose"
    if name and expand(name).is_dir():
        return f"{name}: {NO_NET_INSIDE}"
    if _is_path(name):
        return f"{name}: {'not a file' if name and expand(name).exists() else 'no such file'}"
    for beginning, maker in MAKERS.items():
        if name.startswith(beginning):
            return f"{name} is yet to be made: {maker} makes such nets, `foible papers run` makes its own; {HINT}"
    meant = near(name, [net.name for net in known_nets()], NEAREST)
    return f"no net is called {name!r}: {meant}; `foible nets list` lists all; {HINT}"


def known_nets() -> list[KnownNet]:
    """All nets that can be named on this machine, in the order in which names are looked up; nothing is downloaded."""
    nets = {MATERIAL: KnownNet(MATERIAL, "built-in", None, "counts the pieces: no net at all")}
    for name, path in _folder_nets():
        size, public = _size(path), public_nets().get(name)
        same = public is not None and size is not None and size == public.size
        about, licence = (public.about, public.licence) if public and same else ("", "")
        nets.setdefault(name, KnownNet(name, "folder", path, about, licence, size))
    for name in shipped_names():
        shipped, file = shipped_nets()[name], shipped_file(name)
        nets.setdefault(name, KnownNet(name, "shipped", file, shipped.about, shipped.licence, _size(file)))
    for name, public in public_nets().items():
        kind: Literal["download", "by hand"] = "by hand" if public.by_hand else "download"
        file = public.path if public.path.is_file() else None
        nets.setdefault(name, KnownNet(name, kind, file, public.about, public.licence, public.size, public.folder))
    return list(nets.values())


def _size(path: Path | None) -> int | None:
    return path.stat().st_size if path and path.is_file() else None


def _folder_nets() -> Iterator[tuple[str, Path]]:
    """Names and files in the folders of `FOIBLE_NETS`, folder by folder."""
    for folder in own_folders():
        directory = expand(folder)
        if not directory.is_dir():
            _warn_of(folder)
            continue
        for kind in FORMATS:
            for suffix in kind.suffixes:
                files = filter(Path.is_file, sorted(directory.glob(f"*{suffix}")))
                found = filter(kind.holds, files)
                yield from ((stem(path), path) for path in found)


@cache
def _warn_of(folder: str) -> None:
    """Log a warning, once for each missing folder; without logging set up, Python prints it to standard error."""
    logging.getLogger(__name__).warning("%s: there is no folder %s", FOLDERS_VARIABLE, folder)


def _nets_of(mixture: NetMixture) -> NetMixture:
    """Return a mixture unchanged, after checking that each of its nets exists, is for chess and is no mixture
    itself.
    """
    for net in dict.fromkeys(mixture.nets):
        if net == MATERIAL:
            continue
        try:
            kind = format_of(find_net(net))
        except FoibleError as error:
            raise type(error)(f"{mixture.path}: {error}") from None
        if kind is MIXTURE:
            raise ConfigError(f"{mixture.path}: {net} is a mixture itself; expected a net")
        if kind.game != MIXTURE.game:
            raise ConfigError(f"{mixture.path}: {net} is a net for Go; expected one for chess")
    return mixture


def _open_mixture(source: NetRequest, how: Runtimes) -> Evaluator:
    """Open a mixture. All its nets run in one runtime and one precision: what `auto` chooses for the first net also
    holds for the others.
    """

    def open_one(net: str) -> Evaluator:
        nonlocal how
        opened = open_net(net, runtime=how.runtime, precision=how.precision, threads=how.threads)
        how = how.settled(opened, split_precision(net)[1])
        return opened

    return build_mixture(_nets_of(read_mixture(source.path)), source.title, open_one)


def _describe_mixture(source: NetRequest) -> NetDescription:
    mixture = _nets_of(read_mixture(source.path))
    sizes = {found.path: found.size or 0 for found in map(describe_net, mixture.nets)}
    return NetDescription(
        name=source.title,
        format="mixture",
        path=source.path,
        size=sum(sizes.values()),
        sha256=mixture_hash(mixture, net_sha256),
        gate=str(mixture.gate),
        vote=mixture.vote,
        nets=mixture.nets,
    )


def _export_mixture(source: NetRequest, _: Path) -> None:
    nets = ", ".join(dict.fromkeys(read_mixture(source.path).nets))
    raise NetFileError(f"{source.path} is a mixture, and other programs run single nets; expected one of them: {nets}")


MIXTURE: Final = Format(
    "mixture",
    "chess",
    (MIXTURE_SUFFIX,),
    lambda path: path.name.endswith(MIXTURE_SUFFIX) or holds_phases(path),
    _describe_mixture,
    _open_mixture,
    _export_mixture,
    holds=names_nets,
    sha256=lambda path: mixture_hash(_nets_of(read_mixture(path)), net_sha256),
    unrated="a mixture plays at no rating; expected one at its nets",
)
"""A mixture: a list of nets, one for each phase of the game."""

FORMATS: Final = (LC0, ONNX, MIXTURE, LEELA_ZERO, KATAGO, PYTORCH)
"""All formats, in the order in which they are asked whether a file is theirs, and in which a folder of nets is searched
for files.
"""


def format_of(path: Path) -> Format:
    """The format of a file, which may be absent or damaged. A file that no format recognises counts as lc0's, whose
    reader then says what is wrong with it.
    """
    return next((kind for kind in FORMATS if kind.matches(path)), LC0)
