"""The nets, programs and other files that a description of players names: the nets that play, those that stand in for
others, what this machine lacks, and the hashes of the files.

The types of a description's keys say what they name: `AnyNet`, `Program`, `FileName` of `foible.fields`.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import msgspec
from msgspec.inspect import DictType, ListType, Metadata, StructType, UnionType, type_info

from foible.engines.programs import program_path
from foible.errors import FoibleError
from foible.fields import Named, named
from foible.nets.download import file_sha256
from foible.nets.named_nets import public_nets, split_rating
from foible.nets.shelf import at_hand, choose_net
from foible.toml import expand

S = TypeVar("S", bound=msgspec.Struct)


def with_chosen_nets(spec: S) -> S:
    """The description with every list of nets replaced by the one that plays."""
    changes = {name: _with_chosen_nets(what, value) for name, what, value in _keys(spec)}
    return msgspec.structs.replace(spec, **changes)


def _with_chosen_nets(what: Named | None, value: Any) -> Any:
    match value:
        case msgspec.Struct():
            return with_chosen_nets(value)
        case dict():
            return {key: _with_chosen_nets(what, item) for key, item in value.items()}
        case list() if what == "net":
            return choose_net(value)
        case list():
            return [_with_chosen_nets(what, item) for item in value]
        case _:
            return value


def stand_ins(spec: msgspec.Struct) -> set[tuple[str, str]]:
    """The nets that a description prefers but that are not on this machine, each with the net that replaces it."""
    lists = [value for what, value in _named(spec) if what == "net" and isinstance(value, list)]
    return {(nets[0], choose_net(nets)) for nets in lists} - {(nets[0], nets[0]) for nets in lists}


def missing(spec: msgspec.Struct, is_here: Callable[[str], bool] = at_hand) -> list[str]:
    """The nets and programs that a player or a team needs and this machine lacks, in words, with a command to get the
    net where there is one; empty where it can play at once.

    :param is_here: whether a net is on this machine.
    """
    return list(dict.fromkeys(lack for what, value in _named(spec) for lack in _lacks(what, value, is_here)))


def _lacks(what: Named, value: str | list[str], is_here: Callable[[str], bool]) -> Iterator[str]:
    names = [value] if isinstance(value, str) else value
    if what == "net":
        yield from _net_lacks(names, is_here)
    elif what == "program" and program_path(names[0]) is None:
        yield f"the program {names[0]}"


def _net_lacks(nets: Sequence[str], is_here: Callable[[str], bool]) -> Iterator[str]:
    """The first of several alternative nets, as missing, where none of them is on this machine."""
    try:
        if not any(map(is_here, nets)):
            name, _ = split_rating(nets[0])
            yield f"the net {name} (foible nets get {name})" if name in public_nets() else f"the net {name}"
    except FoibleError as error:
        yield str(error)


def runs_programs(description: msgspec.Struct) -> bool:
    """Whether a player, a judge or a model of a description, at any depth, is another program, such as a UCI engine."""
    return any(what == "program" for what, _ in _named(description))


def file_hashes(description: msgspec.Struct) -> dict[str, str]:
    """The hash of every file, other than nets, that a description names at any depth: the programs of engines, games,
    books. The keys are the names in the description.

    A name that is no file on this machine is left out: whoever opens the file reports that it is missing.
    """
    return {name: f"sha256 {file_sha256(path)}" for name, path in sorted(_files(description))}


def _files(description: msgspec.Struct) -> Iterator[tuple[str, Path]]:
    for what, value in _named(description):
        if what != "net":
            # Of a command only the program counts: its arguments may name a log file.
            name = value if isinstance(value, str) else value[0]
            path = expand((program_path(name) if what == "program" else None) or name)
            if path.is_file():
                yield name, path


def _named(spec: msgspec.Struct) -> Iterator[tuple[Named, Any]]:
    """What a description and all descriptions nested in it name: a text, or a list of alternative nets or of the words
    of a command.
    """
    for _, what, value in _keys(spec):
        yield from _named_in(what, value)


def _named_in(what: Named | None, value: Any) -> Iterator[tuple[Named, Any]]:
    match value:
        case msgspec.Struct():
            yield from _named(value)
        case dict():
            for item in value.values():
                yield from _named_in(what, item)
        case str() | list() if what:
            yield what, value
        case list():
            for item in value:
                yield from _named_in(None, item)


def _keys(spec: msgspec.Struct) -> Iterator[tuple[str, Named | None, Any]]:
    """The keys of a description, what each names, and their values."""
    for name, what in _names_of(type(spec)).items():
        yield name, what, getattr(spec, name)


@cache
def _names_of(kind: type[msgspec.Struct]) -> Mapping[str, Named | None]:
    """What each key of a description names, by its type; for a table of names what its values name."""
    info = type_info(kind)
    assert isinstance(info, StructType)
    return {field.name: next(_names_in(field.type), None) for field in info.fields}


def _names_in(kind: Any) -> Iterator[Named]:
    match kind:
        case Metadata() if what := named(kind.extra):
            yield what
        case Metadata():
            yield from _names_in(kind.type)
        case UnionType():
            for one in kind.types:
                yield from _names_in(one)
        case DictType():
            yield from _names_in(kind.value_type)
        case ListType() if any(_names_in(kind.item_type)):
            raise TypeError("a list of names is AnyNet or Program, which say what it is; others are not found")
